import type { Operation } from '../contract/operations/operation.js';
import { isUndocumented } from '../contract/operations/undocumented.js';
import { joinRepeated, listFields } from './header-fields.js';

/** The request target of a URL as it was sent: percent-encoding and dot segments are untouched, a fragment is dropped. */
export interface RequestTarget {
  /** Path and query. */
  readonly url: string;
  readonly path: string;
  /** With its question mark; empty without a query. */
  readonly search: string;
}

/** Values by name; a name that occurs more than once has a list. */
export type QueryValues = Readonly<Record<string, string | readonly string[]>>;

/**
 * Reads the request target of an absolute URL or of a path with a query; much cheaper than `new URL`. Of a URL whose path is another URL of the
 * same origin the second one counts: clients put their base URL before the URL of the next page.
 */
export function readTarget(text: string): RequestTarget {
  const start = text.startsWith('/') ? 0 : text.indexOf('/', text.indexOf('://') + 3);
  if (start === -1) return { url: '/', path: '/', search: '' };
  if (start > 0 && text.startsWith('http', start + 1) && text.startsWith(text.slice(0, start + 1), start + 1))
    return readTarget(text.slice(start + 1));
  const fragment = text.indexOf('#', start);
  const url = fragment === -1 ? text.slice(start) : text.slice(start, fragment);
  const question = url.indexOf('?');
  if (question === -1) return { url, path: url, search: '' };
  return { url, path: url.slice(0, question), search: url.slice(question) };
}

// The escapes that must stay: those of delimiters (space # % & + , ; = [ ] |), of control characters and of bytes beyond ASCII.
const DECODABLE = /%(?!(?:20|23|25|26|2B|2C|3B|3D|5B|5D|7C)|(?:[Cc0189aAbBdDeEfF]|7[Ff]))[0-9A-Fa-f]{2}/g;

/** The values of a query by name, decoded as far as `writeTarget` can restore them. */
export function readQueryValues(search: string): QueryValues {
  const pairs = search.replace(/^\?/, '').split('&');
  return joinRepeated(pairs.filter((pair) => pair !== '').map(readPair));
}

/** The request target with a query that `readQueryValues` has read. */
export function writeTarget({ path, query }: { readonly path: string; readonly query: QueryValues }): string {
  const pairs = listFields(query).map(([name, value]) => `${encode(name)}=${encodeValue(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function readPair(pair: string): readonly [name: string, value: string] {
  const [, name = '', value = ''] = /^([^=]*)=?([^]*)$/.exec(pair) ?? [];
  return [decode(name), decode(value)];
}

function decode(text: string): string {
  // A percent sign that begins no escape means itself (URL standard, percent-decode).
  const escaped = text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
  return escaped.replace(DECODABLE, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
}

/** Escapes the characters that a query must not contain; existing escapes stay as they are. */
function encode(text: string): string {
  return text.replaceAll(/%(?![0-9A-Fa-f]{2})|[^\w.~!$'()*,;:@/?|[\]+%-]/gu, encodeURIComponent);
}

/** The same for a value, in which only the first equals sign of a pair is a delimiter. */
function encodeValue(text: string): string {
  return text.split('=').map(encode).join('=');
}

/** The target of a call without the `/~id` prefix that selects a session; a path of the contract may also begin with `~`. */
export function removeSessionPrefix(url: string, operation: Operation): string {
  const rest = url.replace(/^\/~[^/?]+(?=\/)/, '');
  if (rest.length === url.length || isUndocumented(operation)) return rest;
  return findBasePath(operation, readTarget(url).path) === undefined ? rest : url;
}

/** Splits the path of a request for an operation after the base path under which it was called. */
export function splitBasePath(
  operation: Operation,
  path: string,
): { readonly basePath: string; readonly rest: string } {
  const basePath = findBasePath(operation, path) ?? '';
  return { basePath, rest: path.slice(basePath.length) };
}

/** The base path after which a path has as many segments as the operation; undefined without one. */
function findBasePath(operation: Operation, path: string): string | undefined {
  if (isUndocumented(operation)) return operation.basePaths.find((basePath) => path.startsWith(`${basePath}/`));
  const keys = [operation.spanned?.path, operation.path];
  const lengths = new Set(keys.map((key) => countSegments(key?.split('?')[0] ?? '')));
  return operation.basePaths.find(
    (basePath) => path.startsWith(`${basePath}/`) && lengths.has(countSegments(path.slice(basePath.length))),
  );
}

/**
 * The target of a request on an upstream: the path of the upstream's URL replaces the contract's base path; without one, the
 * target is the same.
 */
export function toUpstreamTarget(upstream: URL, operation: Operation, target: string): string {
  if (upstream.pathname === '/') return target;
  const { path, search } = readTarget(target);
  return `${toRoot(upstream)}${splitBasePath(operation, path).rest}${search}`;
}

function toRoot({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}

function countSegments(path: string): number {
  return path.split('/').length;
}
