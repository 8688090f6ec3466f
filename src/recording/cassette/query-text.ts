import type { RecordedRequest } from './exchange.js';

// Decoded, these would be read as delimiters, or as an escape of their own.
const KEPT = /%(?!(?:20|23|25|26|2B|2C|3B|3D|5B|5D|7C)|(?:[Cc0189aAbBdDeEfF]|7[Ff]))[0-9A-Fa-f]{2}/g;

/** The values of a query by name, decoded as far as that loses nothing. */
export function readQueryText(search: string): Readonly<Record<string, string | readonly string[]>> {
  const pairs = search.replace(/^\?/, '').split('&');
  return joinRepeated(pairs.filter((pair) => pair !== '').map(readPair));
}

/** Path and query of a recorded request as they go onto the wire. */
export function writeTarget({ path, query }: Pick<RecordedRequest, 'path' | 'query'>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((item) => `${encodeSafe(name)}=${encodeSafe(item)}`),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function readPair(pair: string): readonly [name: string, value: string] {
  const equals = pair.indexOf('=');
  if (equals === -1) return [decodeSafe(pair), ''];
  return [decodeSafe(pair.slice(0, equals)), decodeSafe(pair.slice(equals + 1))];
}

function decodeSafe(text: string): string {
  return text.replace(KEPT, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
}

/** Escapes what may not stand in a query, and nothing that is escaped already. */
function encodeSafe(text: string): string {
  return text.replaceAll(/%(?![0-9A-Fa-f]{2})|[^\w.~!$'()*,;:@/?|[\]+%-]/gu, (character) =>
    encodeURIComponent(character),
  );
}

/**
 * Pairs by name, in the order in which the names came; the values of a name that came more than once are a list.
 *
 * Names are the client's to choose: one called `constructor` or `__proto__` is a name like any other.
 */
export function joinRepeated(
  pairs: Iterable<readonly [name: string, value: string]>,
): Readonly<Record<string, string | readonly string[]>> {
  const values = new Map<string, [string, ...string[]]>();
  for (const [name, value] of pairs) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}
