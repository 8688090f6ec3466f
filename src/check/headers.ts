import { host } from '../base/platform.js';
import { isObject } from '../base/json.js';
import type { HeaderFields } from '../http/header-fields.js';

/** Header fields of any client: `Headers`, an object, pairs, or `{ name, value }`; names in lower case. */
export function toHeaderFields(given: unknown): HeaderFields {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of listFields(given)) {
    const key = name.toLowerCase();
    const before = fields[key];
    fields[key] = before === undefined ? value : [before, value].flat();
  }
  return fields;
}

function listFields(given: unknown): readonly (readonly [name: string, value: string])[] {
  if (given instanceof host.Headers) return [...given];
  if (Array.isArray(given)) {
    return (given as readonly unknown[]).flatMap((each) => {
      const [name, value] = Array.isArray(each)
        ? (each as readonly unknown[])
        : isObject(each)
          ? [each['name'], each['value']]
          : [];
      return typeof name === 'string' ? [[name, String(value)] as const] : [];
    });
  }
  if (typeof given !== 'object' || given === null) return [];
  return Object.entries(given).flatMap(([name, value]: readonly [string, unknown]) => {
    const values = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    return values.flatMap((each) => (isText(each) ? [[name, String(each)] as const] : []));
  });
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Whether the Fetch API sends no body with a method. */
export function isBodiless(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
