import type { HeaderFields } from '../cassette/exchange.js';
import { joinRepeated } from '../cassette/query-text.js';

// RFC 9110 7.6.1, and Trailer, which speaks of the framing of one connection alone.
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The end-to-end fields of a message: without hop-by-hop fields and those that its Connection field names. */
export function readEndToEnd(fields: Iterable<readonly [name: string, value: string]>): HeaderFields {
  const all = [...fields].map(([name, value]) => [name.toLowerCase(), value] as const);
  const named = new Set(
    all
      .filter(([name]) => name === 'connection')
      .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase())),
  );
  return joinRepeated(all.filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)));
}

/** The header fields of a message without some of them. */
export function omitFields(fields: HeaderFields, names: readonly string[]): HeaderFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The first value of a field. */
export function readField(fields: HeaderFields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' ? value : value?.[0];
}
