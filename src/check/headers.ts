import { isObject } from '../base/json.js';
import type { HeaderFields } from '../http/header-fields.js';
import { RequestHeaders } from '../http/request-headers.js';

/** Header fields of any client: `Headers` of any implementation, an object, pairs, or `{ name, value }`; names in lower case. */
export function toHeaderFields(given: unknown): HeaderFields {
  if (isReady(given)) return given;
  // A name of a client may be `constructor`.
  const fields = Object.create(null) as Record<string, string | string[]>;
  eachField(given, (name, value) => {
    const before = fields[name];
    fields[name] = before === undefined ? value : [before, value].flat();
  });
  return fields;
}

/** The same for a request, whose repeated fields are joined. */
export function toRequestHeaders(given: unknown): RequestHeaders {
  if (isReady(given)) return RequestHeaders.from(given);
  const fields = new Map<string, string>();
  eachField(given, (name, value) => {
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  });
  return RequestHeaders.of(fields);
}

/** Whether an object has one string for each name, in lower case, as most clients give them: a copy would cost as much as a small answer. */
function isReady(given: unknown): given is Readonly<Record<string, string>> {
  if (!isObject(given)) return false;
  const fields = Object.entries(given);
  // `Headers` of any implementation have no properties.
  return fields.length > 0 && fields.every(([name, value]) => typeof value === 'string' && name === name.toLowerCase());
}

/** Calls back with each line; without lists of pairs, which cost as much as the check of a small answer. */
function eachField(given: unknown, take: (name: string, value: string) => void): void {
  if (typeof given !== 'object' || given === null) return;
  if (Symbol.iterator in given) {
    for (const each of given as Iterable<unknown>) {
      const [name, value]: readonly unknown[] = Array.isArray(each)
        ? (each as readonly unknown[])
        : isObject(each)
          ? [each['name'], each['value']]
          : [];
      if (typeof name === 'string') take(name.toLowerCase(), String(value));
    }
    return;
  }
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (isText(value)) take(name.toLowerCase(), String(value));
    if (!Array.isArray(value)) continue;
    for (const each of (value as readonly unknown[]).filter(isText)) take(name.toLowerCase(), String(each));
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
