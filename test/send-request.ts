import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';

/** An answer as it arrived, down to its bytes. */
export interface Received {
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly trailers: http.IncomingMessage['trailers'];
  readonly body: Buffer;
  /** Whether the connection did not break before the end of the body. */
  readonly isWhole: boolean;
}

/** Sends a request with exactly these header fields, where `fetch` would add its own, on a connection of its own. */
export async function sendRequest(
  url: string,
  { body, ...options }: https.RequestOptions & { readonly body?: string | Buffer | undefined } = {},
): Promise<Received> {
  const { request } = url.startsWith('https:') ? https : http;
  const outgoing = request(url, { agent: false, ...options });
  // The rest of a body that is answered early may not be taken.
  outgoing.on('error', () => undefined);
  // Also of a GET.
  if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body));
  outgoing.end(body);
  const [message] = (await once(outgoing, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  message.on('data', (chunk: Buffer) => chunks.push(chunk));
  const isWhole = await new Promise<boolean>((resolve) => {
    message.on('end', () => resolve(true)).on('error', () => resolve(false));
  });
  const { statusCode: status, statusMessage: reason, headers, trailers } = message;
  return { status, reason, headers, trailers, body: Buffer.concat(chunks), isWhole };
}
