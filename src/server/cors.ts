import { isToken } from '../contract/operations/parameter.js';
import type { Answer } from '../http/answer.js';
import type { RequestHeaders } from '../http/request-headers.js';
import { splitList } from '../http/text.js';

/** Which pages of other origins may read answers (Fetch standard, CORS protocol). */
export interface Cors {
  /** The answer with the headers that let the requesting page read it; unchanged without an `Origin`. */
  allow(answer: Answer, requestHeaders: Pick<RequestHeaders, 'get'>): Answer;
  /** The headers that let pages of an origin read an answer. @param origin - Undefined where it is not known. */
  allowOrigin(origin: string | undefined): Readonly<Record<string, string>>;
  /** The headers of the answer to a preflight request. @param methods - Those of the path. */
  preflight(requestHeaders: Pick<RequestHeaders, 'get'>, methods: readonly string[]): Answer['headers'];
}

/** Seconds for which a browser remembers the answer to a preflight request. */
const MAX_AGE = '600';

/**
 * Creates the CORS headers of a mock: pages of any origin may read answers to requests without credentials.
 *
 * @param options - Pages of `origins` may also send credentials, and reach the mock from a public network. False for no headers.
 */
export function createCors(options: false | { readonly origins: readonly string[] }): Cors | undefined {
  if (options === false) return undefined;
  const named = new Set(options.origins.map((origin) => origin.toLowerCase()));
  const isNamed = (origin: string): boolean => named.has(origin.toLowerCase());
  const allowRead = (origin: string): Readonly<Record<string, string>> =>
    isNamed(origin)
      ? { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' }
      : { 'access-control-allow-origin': '*' };
  return {
    allowOrigin: (origin = '') => ({ ...allowRead(origin), vary: 'Origin' }),
    allow: (answer, requestHeaders) => {
      const origin = requestHeaders.get('origin');
      if (origin === null) return answer;
      const exposed = Object.keys(answer.headers).filter((name) => !name.startsWith('access-control-'));
      const expose = { 'access-control-expose-headers': [...new Set([...exposed, ...ADDED])].join(', ') };
      return {
        ...answer,
        headers: { ...allowRead(origin), ...expose, ...answer.headers, vary: addOrigin(answer.headers['vary']) },
      };
    },
    preflight: (requestHeaders, methods) =>
      createPreflight(requestHeaders, { methods, isNamed: isNamed(requestHeaders.get('origin') ?? '') }),
  };
}

/** Headers that the encoder adds to answers. */
const ADDED = ['x-mock-source', 'x-mock-violations', 'x-mock-ignored'];

/** `Vary` with `Origin`: a cache must not give the answer for one page to another one. */
function addOrigin(given: Answer['headers'][string] = []): string {
  const fields = [given].flat();
  return fields.some((field) => /(^|[\s,])(origin|\*)($|[\s,])/i.test(field))
    ? fields.join(', ')
    : [...fields, 'Origin'].join(', ');
}

/** Whether a browser asks if it may send a request (Fetch standard, CORS-preflight request). */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method') && headers.has('origin');
}

/**
 * The headers of the answer to a preflight request.
 *
 * The requested method is allowed as well: a page that uses one that the path does not have reads the 405 instead of a failure without a reason.
 */
export function createPreflight(
  requestHeaders: Pick<RequestHeaders, 'get'>,
  { methods, isNamed }: { readonly methods: readonly string[]; readonly isNamed: boolean },
): Answer['headers'] {
  const method = requestHeaders.get('access-control-request-method') ?? '';
  const fields = splitList(requestHeaders.get('access-control-request-headers') ?? '', ',').filter(isToken);
  const wantsPrivate = requestHeaders.get('access-control-request-private-network') === 'true';
  return {
    'access-control-allow-methods': [...new Set([...methods, ...(isToken(method) ? [method] : [])])].join(', '),
    // `*` does not include Authorization, so that the requested ones are named.
    ...(fields.length > 0 && { 'access-control-allow-headers': fields.join(', ') }),
    'access-control-max-age': MAX_AGE,
    ...(isNamed && wantsPrivate && { 'access-control-allow-private-network': 'true' }),
    vary: PREFLIGHT_VARY,
  };
}

const PREFLIGHT_VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';
