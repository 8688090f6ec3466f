import { host } from '../base/platform.js';
import { isObject } from '../base/json.js';
import type { HeaderFields } from '../http/header-fields.js';
import { RequestHeaders } from '../http/request-headers.js';

/** Header fields of any client: `Headers`, an object, pairs, or `{ name, value }`; names in lower case. */
export function toHeaderFields(given: unknown): HeaderFields {
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
  const fields = new Map<string, string>();
  eachField(given, (name, value) => {
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  });
  return RequestHeaders.of(fields);
}

/** Calls back with each line; without lists of pairs, which cost as much as the check of a small answer. */
function eachField(given: unknown, take: (name: string, value: string) => void): void {
  if (given instanceof host.Headers || Array.isArray(given)) {
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
  if (typeof given !== 'object' || given === null) return;
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (isText(value)) take(name.toLowerCase(), String(value));
    if (!Array.isArray(value)) continue;
    for (const each of (value as readonly unknown[]).filter(isText)) take(name.toLowerCase(), String(each));
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
