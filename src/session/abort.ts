/**
 * Asks as the platform's `fetch` does: where the signal of the request is aborted, before or meanwhile, it rejects with the reason.
 *
 * @throws The reason of the signal.
 */
export function heedAbort(
  request: Request,
  fetch: (request: Request) => Response | Promise<Response>,
): Response | Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const answer = fetch(request);
  return answer instanceof Promise ? raceAbort(signal, answer) : answer;
}

async function raceAbort(signal: AbortSignal, answer: Promise<Response>): Promise<Response> {
  const left = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    // Whatever the reason is: the platform hands it over as it was given.
    // oxlint-disable-next-line prefer-promise-reject-errors
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: left.signal });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    left.abort();
  }
}
