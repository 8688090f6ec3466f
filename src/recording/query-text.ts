import type { RecordedRequest } from './exchange.js';
import { joinRepeated } from './repeated-names.js';

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
