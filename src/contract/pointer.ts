import { NO_MEMBERS, isObject } from '../base/json.js';

/** One segment of a JSON pointer, escaped (RFC 6901 section 3). */
export function escapeSegment(segment: string): string {
  return /[~/]/.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment;
}

/** A JSON pointer from its segments: `toPointer('paths', '/files', 'get')` is `/paths/~1files/get`. */
export function toPointer(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapeSegment(String(segment))}`).join('');
}

/** The segments of a JSON pointer, unescaped; `''` is the root and has none. */
export function readSegments(pointer: string): readonly string[] {
  if (pointer === '') return [];
  const segments = pointer.slice(1).split('/');
  if (!pointer.includes('~')) return segments;
  // The path is the only segment of an operation that has slashes.
  return segments.map((segment) =>
    segment.includes('~') ? segment.replaceAll('~1', '/').replaceAll('~0', '~') : segment,
  );
}

/** The value at a JSON pointer, or undefined. */
export function readPointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const segment of readSegments(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[segment];
  }
  return value;
}

/** The pointer of a local reference (`#/…`); undefined for anything else (RFC 6901 section 6: the fragment is percent-encoded). */
export function fromReference(reference: unknown): string | undefined {
  if (typeof reference !== 'string') return undefined;
  if (reference === '#') return '';
  return reference.startsWith('#/') ? decodeText(reference.slice(1)) : undefined;
}

/** Percent-decoded text; the text itself where the encoding is malformed. */
export function decodeText(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A local reference to a pointer, percent-encoded as a URI fragment (RFC 3986 section 3.5). */
export function toReference(pointer: string): string {
  return `#${pointer.replaceAll(/[^\w\-.~!$&'()*+,;=:@/?]/gu, encodeURIComponent)}`;
}

/** An object of the document and its pointer, references resolved. */
export interface Located {
  readonly value: Readonly<Record<string, unknown>>;
  readonly pointer: string;
}

/** Longer chains of references are circular. */
const MAX_HOPS = 64;

/**
 * The end of a chain of local references: the value without a `$ref`. A chain that cannot be resolved, or is circular, ends at its last
 * reference.
 */
export function followReferences(
  document: unknown,
  value: unknown,
  pointer: string,
): { value: unknown; pointer: string } {
  let current = { value, pointer };
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const target = isObject(current.value) ? fromReference(current.value['$ref']) : undefined;
    if (target === undefined || target === current.pointer) return current;
    const next = readPointer(document, target);
    if (next === undefined) return current;
    current = { value: next, pointer: target };
  }
  return current;
}

/**
 * The end of a chain of references without siblings: a `$ref` with other keywords is a schema of its own. The start, where the chain is
 * circular.
 */
export function followBareReferences(document: unknown, pointer: string): string {
  let end = pointer;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const schema = readPointer(document, end);
    const target = isObject(schema) && Object.keys(schema).length === 1 ? fromReference(schema['$ref']) : undefined;
    if (target === undefined || readPointer(document, target) === undefined) return end;
    end = target;
  }
  return pointer;
}

/** The object at the end of a chain of references; undefined where it cannot be resolved. */
export function findObject(document: unknown, value: unknown, pointer: string): Located | undefined {
  const end = followReferences(document, value, pointer);
  if (!isObject(end.value) || typeof end.value['$ref'] === 'string') return undefined;
  return { value: end.value, pointer: end.pointer };
}

/** The objects of a map in a field by name, references resolved. */
export function findObjects(
  document: unknown,
  parent: Located,
  field: string,
): readonly (readonly [name: string, object: Located])[] {
  return readEntries(parent.value[field]).flatMap(([name, value]) => {
    const found = findObject(document, value, parent.pointer + toPointer(field, name));
    return found === undefined ? [] : [[name, found] as const];
  });
}

/** The members whose name starts with `x-`. */
export function readExtensions(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let extensions: Record<string, unknown> | undefined;
  // A plain object: what a loop finds are its own members.
  for (const name in value) if (name.startsWith('x-')) (extensions ??= {})[name] = value[name];
  return extensions ?? NO_MEMBERS;
}

/** The value where it is a string. */
export function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The strings of a value where it is an array, else none. */
export function readStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The members of a value where it is an object, else none. */
export function readEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}
