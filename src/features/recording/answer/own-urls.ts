import { URL } from 'node:url';
import { decodeContent } from '../../../http/content-encoding.js';
import {
  type HeaderFields,
  listFields,
  mapFields,
  omitFields,
  readContentType,
  readField,
} from '../../../http/header-fields.js';
import { isSequenceType, isJsonType } from '../../../contract/media-type.js';
import { RequestHeaders } from '../../../http/request-headers.js';
import type { Call } from '../../../http/request/call.js';
import { readTarget, removeSessionPrefix, splitBasePath } from '../../../http/target.js';
import type { Exchange } from '../../../answer/chain.js';
import { isBytes } from '../../../base/platform.js';
import { escapePattern } from '../../../base/text.js';

/** Replaces URLs of one server by URLs of another, such as the upstream by the mock, so that no client is sent to the upstream. */
export interface OwnUrls {
  /** Whether bytes or header fields can have a URL of the upstream. */
  mentions(text: Uint8Array | HeaderFields): boolean;
  /** Header fields that are URLs, or have URLs as `Link` has. */
  fields(headers: HeaderFields, base: OwnBase): HeaderFields;
  /** A body of JSON or events; undefined if nothing in it changes. Its content is decoded first. */
  body(bytes: Uint8Array, headers: HeaderFields, base: OwnBase): Uint8Array | undefined;
  /** The chunks of a body of JSON or events, while they arrive. */
  stream(chunks: AsyncIterable<Uint8Array>, base: OwnBase): AsyncGenerator<Uint8Array>;
}

/** Where a client reaches the mock. */
export interface OwnBase {
  /** Scheme, host and port. */
  readonly origin: string;
  /** `/~id` of a session; else empty. */
  readonly prefix: string;
  /** The base path of the contract that the client used, in place of the path of the upstream's URL. */
  readonly basePath: string;
}

/** Reads where the client of an exchange reaches the mock. */
export function readOwnBase({ call, request }: Exchange): OwnBase {
  const target = removeSessionPrefix(call.url, call.operation);
  return {
    origin: request.url.slice(0, request.url.indexOf('/', request.url.indexOf('://') + 3)),
    prefix: call.url.slice(0, call.url.length - target.length),
    basePath: splitBasePath(call.operation, readTarget(target).path).basePath,
  };
}

/**
 * The call as the upstream gets it, and a cassette has it: URLs of the mock in its header fields and its JSON, which a client has from an answer,
 * become URLs of the upstream again. The content is decoded if one is replaced. A body in a file stays as it is.
 */
export function toUpstreamCall(
  exchange: Exchange,
  upstream: string,
  ownUrls: (server: string) => OwnUrls | undefined,
): Call {
  const { call } = exchange;
  const type = call.headers.get('content-type') ?? '';
  const hasBody = call.bytes !== undefined && type !== '';
  if (!(hasBody || hasOwnUrl(exchange)) || !URL.canParse(upstream)) return call;
  const { origin, prefix, basePath } = readOwnBase(exchange);
  // In the process of the client, every mock has the same origin, which may be that of a server of the client too.
  if (!/:\d+$/.test(origin) && basePath === '') return call;
  const { origin: to, pathname } = new URL(upstream);
  const root = pathname === '/' ? basePath : pathname.replace(/\/$/, '');
  const steps = [
    [`${origin}${prefix}`, { origin, prefix: '', basePath: '' }],
    [`${origin}${basePath}`, { origin: to, prefix: '', basePath: root }],
  ] as const;
  const replace = <T>(given: T, change: (own: OwnUrls, text: T, base: OwnBase) => T): T =>
    steps.slice(prefix === '' ? 1 : 0).reduce((text, [from, base]) => {
      const own = ownUrls(from);
      return own === undefined ? text : change(own, text, base);
    }, given);
  const sent: HeaderFields = call.headers.fields;
  const fields = replace(sent, (own, headers, base) => own.fields(headers, base));
  const plain = hasBody ? decodeContent(call.bytes, call.headers.get('content-encoding') ?? undefined) : undefined;
  const bytes = plain && replace(plain, (own, text, base) => own.body(text, { 'content-type': type }, base) ?? text);
  const isDecoded = bytes !== plain;
  const pairs = listFields(isDecoded ? omitFields(fields, ['content-encoding']) : fields);
  if (!isDecoded && pairs.every(([name, value]) => sent[name] === value)) return call;
  return { ...call, ...(isDecoded && { bytes }), headers: RequestHeaders.of(pairs) };
}

/** Whether a header field other than `Host` can have a URL of the mock. */
function hasOwnUrl({ call, request }: Exchange): boolean {
  const host = request.url
    .slice(request.url.indexOf('://') + 1)
    .split(/[/?#]/, 3)
    .join('/');
  return Object.values(call.headers.fields).some((value) => value.includes(host));
}

/** Whether URLs in content of this type are replaced: strings of JSON, and the data of events. */
export function hasUrls(headers: HeaderFields): boolean {
  const type = readContentType(headers) ?? '';
  return isJsonType(type) || isSequenceType(type);
}

/** Paths on the mock instead of URLs, as a redirect is written (RFC 9110 10.2.2). */
const LOCATIONS: ReadonlySet<string> = new Set(['location', 'content-location']);

/** Creates the replacement for an upstream; undefined if its URL is not valid. */
export function createOwnUrls(upstream: string): OwnUrls | undefined {
  if (!URL.canParse(upstream)) return undefined;
  const url = new URL(upstream);
  const root = url.pathname.replace(/\/$/, '');
  const patterns = createPatterns(url, root);
  const mentions = (text: Uint8Array | HeaderFields): boolean =>
    isBytes(text)
      ? Buffer.from(text.buffer, text.byteOffset, text.byteLength).includes(url.hostname)
      : Object.entries(text).some(([name, value]) => LOCATIONS.has(name) || [value].flat().join().includes(url.host));
  const write = (text: string, pattern: RegExp, { origin, prefix, basePath }: OwnBase): string =>
    // Without a path of the upstream, the path of the mock is the same.
    text.replace(
      pattern,
      (_url, ownRoot: unknown) => `${origin}${prefix}${typeof ownRoot === 'string' ? basePath : ''}`,
    );

  const toField = (name: string, value: string, base: OwnBase): string => {
    if (!LOCATIONS.has(name)) return write(value, patterns.field, base);
    const path = write(value, patterns.field, { ...base, origin: '' });
    if (path !== value) return path.startsWith('/') ? path : `/${path}`;
    if (!/^\/(?!\/)/.test(value)) return value;
    const isBelow = root !== '' && (value === root || value.startsWith(`${root}/`));
    return `${base.prefix}${isBelow ? base.basePath + value.slice(root.length) : value}`;
  };
  const toText = (bytes: Uint8Array, base: OwnBase): Uint8Array => {
    // Latin-1 keeps every byte, and the URL of a server is ASCII.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const changed = write(text, patterns.body, base);
    return changed === text ? bytes : Buffer.from(changed, 'latin1');
  };
  return {
    mentions,
    fields: (headers, base) =>
      mentions(headers) ? mapFields(headers, (name, value) => toField(name, value, base)) : headers,
    body: (bytes, headers, base) => {
      if (!hasUrls(headers)) return undefined;
      const plain = decodeContent(bytes, readField(headers, 'content-encoding'));
      if (plain === undefined || !mentions(plain)) return undefined;
      const changed = toText(plain, base);
      return changed === plain ? undefined : changed;
    },
    async *stream(chunks, base) {
      let waiting: Uint8Array = EMPTY;
      for await (const chunk of chunks) {
        const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
        const end = findUrlStart(bytes, patterns.maxLength);
        waiting = bytes.subarray(end);
        if (end > 0) yield toText(bytes.subarray(0, end), base);
      }
      if (waiting.length > 0) yield toText(waiting, base);
    },
  };
}

const EMPTY = new Uint8Array(0);

/** How the URLs of an upstream are found; the group is its path. */
function createPatterns(
  { hostname, port }: URL,
  root: string,
): Record<'field' | 'body', RegExp> & { maxLength: number } {
  // A slash may be escaped in JSON.
  const slash = String.raw`\\?/`;
  const host = `${escapePattern(hostname)}${port === '' ? '(?::(?:80|443))?' : `:${port}`}`;
  const path = root === '' ? '' : String.raw`(${escapePattern(root).replaceAll('/', slash)}(?=[/\\?#"'<>\s]|$))?`;
  const url = String.raw`(?:https?:)?${slash}${slash}(?:[^/"@\s]*@)?${host}(?=[/\\?#"'<>\s]|$)${path}`;
  return {
    // `Refresh: 5; url=…` is not in a standard, but browsers follow it.
    field: new RegExp(`(?<=^|<|;\\s?url=)${url}`, 'gi'),
    // The begin of a JSON string, or of the data of an event.
    body: new RegExp(String.raw`(?<=(?<!\\)"|^data: ?)${url}`, 'gim'),
    maxLength: 2 * (hostname.length + root.length) + 64,
  };
}

/** The end of bytes in which no URL begins that continues in the next chunk. */
function findUrlStart(bytes: Uint8Array, maxLength: number): number {
  const start = Math.max(0, bytes.length - maxLength);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start).toString('latin1');
  const found = UNFINISHED.exec(text);
  return found === null ? bytes.length : start + found.index;
}

/** The begin of a string or of the data of an event, with nothing behind it but the begin of a URL; or a part of that begin. */
const UNFINISHED =
  /(?:\\+|(?:^|\n)dat?a?:?|(?:\\*"|(?:^|\n)data: ?)(?:h(?:t{1,2}(?:p(?:s?(?::[^"\s]*)?)?)?)?|\\?\/[^"\s]*|))$/i;
