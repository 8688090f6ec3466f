import { createHash, timingSafeEqual } from 'node:crypto';

/** Which requests may use the control API. */
export interface ControlPolicy {
  /** Undefined: not configured; false: not required, even if other machines can reach the mock. */
  readonly token?: string | false | undefined;
  /** Origins whose pages may use it; their hosts are also accepted as host names of this mock. */
  readonly origins: readonly string[];
}

interface GuardedRequest {
  readonly headers: Headers;
  /** Whether it came over a socket that other machines can reach. */
  readonly exposed: boolean;
  /** The token that the server made because other machines can reach it, accepted if none is configured; undefined if it made none. */
  readonly issued?: string | undefined;
  /** Whether it needs no token: a preflight or a health check. */
  readonly open: boolean;
}

interface GuardRefusal {
  readonly status: 401 | 403;
  readonly code: 'CONTROL_FORBIDDEN' | 'CONTROL_TOKEN_WRONG';
  readonly message: string;
  readonly hint: string;
}

/**
 * Creates the guard of a control API, which returns why a request is refused, or undefined. It refuses pages of other origins (cross-site request forgery), pages whose own host name resolves
 * to this mock (DNS rebinding), and requests without the token.
 */
export function createControlGuard({
  token,
  origins,
}: ControlPolicy): (request: GuardedRequest) => GuardRefusal | undefined {
  const listed = new Set(origins.map((origin) => origin.toLowerCase()));
  const names = new Set(origins.map(readHost));
  const isKnown = (host: string): boolean => isPrivateName(readName(host)) || names.has(host);
  return ({ headers, exposed, issued, open }) => {
    const host = headers.get('host')?.toLowerCase();
    const accepted = token ?? issued;
    const carriesToken = typeof accepted === 'string' && hasToken(headers, accepted);
    const refusal = findForeignOrigin(headers, { host, listed });
    if (refusal !== undefined) return refusal;
    // A page that was tricked into the request does not know the token.
    if (!carriesToken && host !== undefined && !isKnown(host)) return refuseHost(host);
    if (open || carriesToken || token === false) return undefined;
    if (token === undefined && exposed) return issued === undefined ? REFUSE_EXPOSED : REFUSE_WITHOUT_ISSUED;
    if (token === undefined) return undefined;
    const isMissing = readToken(headers) === undefined;
    return {
      status: 401,
      code: 'CONTROL_TOKEN_WRONG',
      message: isMissing
        ? 'the control API of this mock needs its token'
        : 'this is not the control token of this mock',
      hint: 'send it as x-mock-control-token, or as Authorization: Bearer',
    };
  };
}

/** Whether an origin is in the list of allowed origins. */
export function isListedOrigin(origin: string | null, { origins }: ControlPolicy): boolean {
  return origin !== null && origins.some((listed) => listed.toLowerCase() === origin.toLowerCase());
}

/** Whether only this machine can reach a server that listens on a host. */
export function isLoopback(host: string): boolean {
  const name = readName(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host.toLowerCase());
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Browsers send the origin of a page in Origin or, with safe methods, a hint in Sec-Fetch-Site. */
function findForeignOrigin(
  headers: Headers,
  { host, listed }: { readonly host: string | undefined; readonly listed: ReadonlySet<string> },
): GuardRefusal | undefined {
  const origin = headers.get('origin')?.toLowerCase();
  const site = headers.get('sec-fetch-site')?.toLowerCase();
  if (origin !== undefined) {
    const isOwn = host !== undefined && readHost(origin) === host;
    return listed.has(origin) || isOwn ? undefined : refuseOrigin(`the page at ${origin}`, origin);
  }
  if (site !== 'cross-site' && site !== 'same-site') return undefined;
  return refuseOrigin('a page of another origin');
}

/**
 * Whether a host name cannot be registered publicly: an IP address, a name without a dot (as containers use), or a name below a reserved
 * top-level domain (RFC 6761, RFC 8375, ICANN's `internal`).
 */
function isPrivateName(name: string): boolean {
  if (name.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)) return true;
  return !name.includes('.') || /\.(?:localhost|test|internal|home\.arpa)\.?$/.test(name);
}

/** `host:port` without its port. */
function readName(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** `https://name:1` is `name:1`. */
function readHost(origin: string): string {
  return origin.toLowerCase().replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
}

function readToken(headers: Headers): string | undefined {
  const own = headers.get('x-mock-control-token');
  if (own !== null) return own;
  return /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

function hasToken(headers: Headers, token: string): boolean {
  const given = readToken(headers);
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  // Digests have one length and are compared in constant time, so the time does not depend on the token.
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function forbid(message: string, hint: string): GuardRefusal {
  return { status: 403, code: 'CONTROL_FORBIDDEN', message, hint };
}

function refuseOrigin(who: string, origin = '<origin>'): GuardRefusal {
  const hint = `allow it with control: { origins } (--control-origin ${origin})`;
  return forbid(`${who} may not use the control API of this mock`, hint);
}

function refuseHost(host: string): GuardRefusal {
  const shown = host.slice(0, 100);
  const hint = `use 127.0.0.1 or localhost, send the control token, or allow the name with control: { origins } (--control-origin http://${shown})`;
  return forbid(`the control API does not answer to the name "${shown}"`, hint);
}

const REFUSE_EXPOSED: GuardRefusal = forbid(
  'this mock can be reached from other machines, so its control API needs a token, and none was set up',
  'start it with --control-token (VOUCH_CONTROL_TOKEN), or with --no-control-token to do without',
);

/** With the status of every refusal of a mock whose user has set no token. */
const REFUSE_WITHOUT_ISSUED: GuardRefusal = {
  status: 403,
  code: 'CONTROL_TOKEN_WRONG',
  message: 'this mock can be reached from other machines, so its control API needs a token',
  hint: 'open the link with #token= that was printed at start, or send its token as Authorization: Bearer; --control-token (VOUCH_CONTROL_TOKEN) sets a token, --no-control-token allows access without one',
};
