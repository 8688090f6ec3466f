/** One step of a JSON pointer, escaped (RFC 6901 section 3). */
export function escapeSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A JSON pointer from its steps: `toPointer('paths', '/files', 'get')` is `/paths/~1files/get`. */
export function toPointer(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapeSegment(String(segment))}`).join('');
}

/** The steps of a JSON pointer, unescaped; `''` is the root and has none. */
export function readSegments(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value a JSON pointer leads to, or undefined where nothing stands there. */
export function readPointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const segment of readSegments(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[segment];
  }
  return value;
}

/** The pointer a local reference (`#/…`) names; undefined for anything else (RFC 6901 section 6: the fragment is percent-encoded). */
export function fromReference(reference: unknown): string | undefined {
  if (typeof reference !== 'string') return undefined;
  if (reference === '#') return '';
  return reference.startsWith('#/') ? decodeText(reference.slice(1)) : undefined;
}

/** Percent-decoded text; as it came where the encoding is broken. */
export function decodeText(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A local reference to a pointer, with what a URI fragment cannot hold percent-encoded (RFC 3986 section 3.5). */
export function toReference(pointer: string): string {
  return `#${pointer.replaceAll(/[^\w\-.~!$&'()*+,;=:@/?]/gu, encodeURIComponent)}`;
}
