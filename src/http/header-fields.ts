import { addTo, mapValues, readOwn } from '../base/json.js';
import { toEssence } from '../contract/media-type.js';

/** Header fields by name, names in lower case; a field with several lines has a list. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

// RFC 9110 7.6.1; Trailer belongs to the framing of one connection, too.
const HOP_BY_HOP: ReadonlySet<string> = new Set(
  (
    'connection keep-alive proxy-authenticate proxy-authentication-info proxy-authorization proxy-connection te ' +
    'trailer transfer-encoding upgrade'
  ).split(' '),
);

/** The end-to-end fields of a message: without hop-by-hop fields and those that its Connection field lists. */
export function readEndToEnd(fields: Iterable<readonly [name: string, value: string]>): HeaderFields {
  const all = [...fields].map(([name, value]) => [name.toLowerCase(), value] as const);
  const listed = new Set(
    all
      .flatMap(([name, value]) => (name === 'connection' ? value.toLowerCase().split(',') : []))
      .map((each) => each.trim()),
  );
  return joinRepeated(all.filter(([name]) => !HOP_BY_HOP.has(name) && !listed.has(name)));
}

/** The same values by names in lower case. */
export function lowerNames<Value>(headers: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The fields with each of their values replaced. */
export function mapFields(fields: HeaderFields, replace: (name: string, value: string) => string): HeaderFields {
  return mapValues(fields, (value, name) =>
    typeof value === 'string' ? replace(name, value) : value.map((line) => replace(name, line)),
  );
}

/** The fields without some of them. */
export function omitFields(fields: HeaderFields, names: readonly string[]): HeaderFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The first line of a field. */
export function readField(fields: HeaderFields, name: string): string | undefined {
  const value = readOwn(fields, name);
  return typeof value === 'string' ? value : value?.[0];
}

/** The media type of the content, lower case and without parameters; undefined without a Content-Type. */
export function readContentType(fields: HeaderFields): string | undefined {
  const essence = toEssence(readField(fields, 'content-type') ?? '');
  return essence === '' ? undefined : essence;
}

/** The lines of all fields as pairs of name and value. */
export function listFields(fields: HeaderFields): [name: string, value: string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((line): [string, string] => [name, line]),
  );
}

/**
 * Pairs by name, in the order of the first occurrence; a name that occurs more than once has a list of its values.
 *
 * Names come from the client: `constructor` and `__proto__` are names like any other.
 */
export function joinRepeated(pairs: Iterable<readonly [name: string, value: string]>): HeaderFields {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) addTo(values, name, value);
  return Object.fromEntries(
    [...values].map(([name, [first = '', ...rest]]) => [name, rest.length === 0 ? first : [first, ...rest]]),
  );
}
