import type { Mock } from '../src/index.js';

/** What an answer holds. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // Tests say what they expect of a body; its type is theirs to know.
  readonly body: Readonly<Record<string, unknown>>;
  readonly list: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Sends a request, with a body as a form or as JSON.
 *
 * @param line - `PUT /orders/1`; a path alone is a GET or, with a body, a POST.
 */
export async function send(
  mock: Pick<Mock, 'fetch'>,
  line: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const [method, path] = line.startsWith('/') ? [body === undefined ? 'GET' : 'POST', line] : line.split(' ');
  const isJsonSent = body !== undefined && !(body instanceof URLSearchParams);
  const typed = isJsonSent ? { 'content-type': 'application/json', ...headers } : headers;
  const sent = body === undefined ? {} : { body: isJsonSent ? JSON.stringify(body) : body };
  const response = await mock.fetch(path ?? '', { method: method ?? '', headers: typed, ...sent });
  const text = await response.text();
  const isJson = /json|^\*/.test(response.headers.get('content-type') ?? '') && text !== '';
  const value: unknown = text === '' ? {} : isJson ? JSON.parse(text) : text;
  const list = Array.isArray(value) ? value : [];
  return { status: response.status, headers: response.headers, body: value as Reply['body'], list };
}
