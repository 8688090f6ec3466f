import type { Answer } from '../http/answer.js';

/** The headers of the response to a preflight request (Fetch standard, CORS protocol). */
export function preflightHeaders(requestHeaders: Headers, allow: readonly string[]): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': allow.join(', '),
    'access-control-allow-headers': requestHeaders.get('access-control-request-headers') ?? '*',
    'access-control-max-age': '600',
    ...(requestHeaders.get('access-control-request-private-network') === 'true'
      ? { 'access-control-allow-private-network': 'true' }
      : {}),
  };
}

/** The answer with the headers that let the requesting page read it; unchanged without an `Origin`. */
export function allowOrigin(answer: Answer, requestHeaders: Headers): Answer {
  const origin = requestHeaders.get('origin');
  if (origin === null) return answer;
  const exposed = Object.keys(answer.headers).filter((name) => !name.startsWith('access-control-'));
  return {
    ...answer,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': [...exposed, 'x-mock-source'].join(', '),
      vary: 'Origin',
      ...answer.headers,
    },
  };
}
