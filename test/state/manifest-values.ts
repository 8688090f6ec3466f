import { isObject } from '../../src/base/json.js';
import { readPointer, toPointer } from '../../src/contract/pointer.js';
import type { Body } from './manifest-body.js';
import type { Delete, Key } from './manifest-format.js';
import { type Reply, show } from './manifest-pages.js';

/** Whether an answer has the wanted status, or any success where none is wanted. */
export function isStatus({ status }: Reply, wanted: string | undefined): boolean {
  return wanted === undefined ? status >= 200 && status < 300 : status === Number(wanted);
}

/** The value of a dotted field below a pointer of a body. */
export function readField(body: Body | undefined, at: string, field: string): unknown {
  return readPointer(body?.value, `${at}${toPointer(...field.split('.'))}`);
}

/** The pointer of a key. */
export function toKeyPointer(key: Key): string {
  return typeof key === 'string' ? key : key.pointer;
}

/** The value of a key in an item. */
export function readKey(item: unknown, key: Key): unknown {
  const value = readPointer(item, toKeyPointer(key));
  if (typeof key === 'string' || typeof value !== 'string') return value;
  const match = new RegExp(key.pattern).exec(value);
  return match?.[1] ?? match?.[0];
}

/** What is wrong with the answer to a read of a deleted item; undefined where nothing is. */
export function explainGone({ gone }: Delete, { status, body }: Reply, item: unknown): string | undefined {
  if (typeof gone === 'string') return String(status) === gone ? undefined : `the status is not ${gone}`;
  if (gone.status !== undefined && status !== Number(gone.status)) return `the status is not ${gone.status}`;
  if (gone.status === undefined && status !== 200) return 'the item is not readable';
  const value = readPointer(gone.status === undefined ? item : body, gone.pointer);
  if ('not' in gone) return value === undefined || value === gone.not ? `${gone.pointer} is ${show(value)}` : undefined;
  return value === gone.value ? undefined : `${gone.pointer} is ${show(value)}`;
}

/** Whether a value has everything that was sent; the server may add properties, and write numbers as strings. */
export function contains(actual: unknown, sent: unknown): boolean {
  if (Array.isArray(sent)) {
    return Array.isArray(actual) && actual.length === sent.length && sent.every((each, i) => contains(actual[i], each));
  }
  if (isObject(sent)) {
    return isObject(actual) && Object.entries(sent).every(([name, each]) => contains(actual[name], each));
  }
  return actual === sent || (typeof actual === 'string' && actual === String(sent));
}
