import { host, isRequest } from '../../base/platform.js';
import { toRequest } from './in-process.js';

/** Sends one request. */
type Send = (request: Request) => Response | Promise<Response>;

/** RFC 9110 section 15.4. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** The Fetch Standard, 4.4: more redirects are an error. */
const MAX_REDIRECTS = 20;
/** Fields that describe a body, which a request that becomes GET has no longer. */
const BODY_FIELDS = ['content-encoding', 'content-language', 'content-length', 'content-location', 'content-type'];

/**
 * Answers what is passed to `fetch` as the Fetch Standard says: redirects are followed, unless the request has `redirect: 'manual'`, and the
 * response has the URL that it is from. A redirect to another origin is answered as it is: only the network has what is there.
 *
 * @throws TypeError for a redirect that cannot be followed, and for any with `redirect: 'error'`.
 */
export async function fetchInProcess(
  input: string | URL | Request,
  init: RequestInit | undefined,
  send: Send,
): Promise<Response> {
  let request = await toRequest(input, init);
  // The body of a Request can be read once only; that of the options is there for another request.
  const isSpent = isRequest(input) && init?.body === undefined && request.body !== null;
  let spare = isSpent && request.redirect === 'follow' ? request.clone() : undefined;
  const { redirect } = request;
  for (let count = 0; ; count++) {
    const response = await send(request);
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null || redirect === 'manual') return withUrl(response, request.url, count > 0);
    if (redirect === 'error') throw toNetworkError('unexpected redirect');
    if (count >= MAX_REDIRECTS) throw toNetworkError('redirect count exceeded');
    const url = readTarget(location, request.url);
    if (url.origin !== new host.URL(request.url).origin) return withUrl(response, request.url, count > 0);
    const isGet = becomesGet(response.status, request.method);
    const headers = new host.Headers(request.headers);
    if (isGet) for (const name of BODY_FIELDS) headers.delete(name);
    const { signal, method } = request;
    const source = isGet || request.body === null ? undefined : (spare ?? (await toRequest(input, init)));
    spare = spare && source?.clone();
    const { body } = source ?? {};
    // The type of the options lacks `duplex`, which a body that is a stream needs.
    const options: RequestInit & { readonly duplex: 'half' } = {
      headers,
      body,
      signal,
      method: isGet ? 'GET' : method,
      duplex: 'half',
    };
    request = new host.Request(url, options);
  }
}

/** Whether a redirect changes the method: that of POST by 301 and 302, any by 303. */
function becomesGet(status: number, method: string): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return status === 303 || (method === 'POST' && (status === 301 || status === 302));
}

/** The URL of a `Location`, with the fragment of the request if it has none. */
function readTarget(location: string, from: string): URL {
  const url = host.URL.canParse(location, from) ? new host.URL(location, from) : undefined;
  if (url === undefined) throw toNetworkError(`invalid Location ${JSON.stringify(location)}`);
  if (url.hash === '') url.hash = new host.URL(from).hash;
  return url;
}

/** The error of the platform's `fetch`. */
function toNetworkError(reason: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(reason) });
}

/** The response with its URL, which a constructor cannot set; a clone has it, too. */
function withUrl(response: Response, url: string, redirected: boolean): Response {
  const own = url.split('#')[0];
  const clone = (): Response => withUrl(host.Response.prototype.clone.call(response), url, redirected);
  return Object.defineProperties(response, {
    url: { value: own, configurable: true },
    redirected: { value: redirected, configurable: true },
    clone: { value: clone, configurable: true },
  });
}
