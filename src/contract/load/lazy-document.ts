import { isObject, mapValues, setOwn } from '../json.js';

/** An object of a document whose members are parsed when they are needed. */
interface Section {
  /** The names to the object. */
  readonly at: readonly string[];
  readonly names: readonly string[];
  /** The end of the text of each member, from the start of all texts. */
  readonly ends: readonly number[];
}

/** A document without the members of its large objects, and where their texts are. */
export interface DocumentOutline {
  readonly document: Readonly<Record<string, unknown>>;
  readonly sections: readonly Section[];
}

/** The objects with a member for each path or component. */
function readSection(document: unknown, at: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  let value = document;
  for (const name of at) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isObject(value) ? value : undefined;
}

function listSections(document: Readonly<Record<string, unknown>>): readonly (readonly string[])[] {
  const components = readSection(document, ['components']) ?? {};
  const all = [['paths'], ...Object.keys(components).map((name) => ['components', name])];
  return all.filter((at) => readSection(document, at) !== undefined);
}

/**
 * Writes a document in parts, the members of its large objects one by one.
 *
 * @param onPart - Receives the text of each part.
 * @returns the outline, for `readLazily`.
 */
export function writeLazily(
  document: Readonly<Record<string, unknown>>,
  onPart: (text: Buffer) => void,
): DocumentOutline {
  const sections: Section[] = [];
  let end = 0;
  for (const at of listSections(document)) {
    const names: string[] = [];
    const ends: number[] = [];
    for (const [name, member] of Object.entries(readSection(document, at) ?? {})) {
      const text = JSON.stringify(member) as string | undefined;
      if (text === undefined) continue;
      const bytes = toAscii(text);
      end += bytes.length;
      names.push(name);
      ends.push(end);
      onPart(bytes);
    }
    sections.push({ at, names, ends });
  }
  return { document: withoutSections(document), sections };
}

/** The document with nothing in its large objects, whose names stay in their order. */
function withoutSections(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return mapValues(document, (value, name) => {
    if (!isObject(value)) return value;
    if (name === 'components') return mapValues(value, (section) => (isObject(section) ? null : section));
    return name === 'paths' ? null : value;
  });
}

/**
 * Reads a document that `writeLazily` wrote: a member of a large object is parsed when it is read for the first time, and stays the same then.
 *
 * @param texts - The parts, one after the other.
 */
export function readLazily({ document, sections }: DocumentOutline, texts: Buffer): Readonly<Record<string, unknown>> {
  const whole: Record<string, unknown> = {};
  const byName = new Map<string, Readonly<Record<string, unknown>>>();
  let start = 0;
  for (const { at, names, ends } of sections) {
    byName.set(at.join('\0'), createLazyObject({ names, ends, start }, texts));
    start = ends.at(-1) ?? start;
  }
  for (const [name, value] of Object.entries(document)) {
    const components = name === 'components' && isObject(value) ? value : undefined;
    const own = components && mapValues(components, (each, section) => byName.get(`${name}\0${section}`) ?? each);
    setOwn(whole, name, own ?? byName.get(name) ?? value);
  }
  return whole;
}

function createLazyObject(
  { names, ends, start }: Omit<Section, 'at'> & { readonly start: number },
  texts: Buffer,
): Readonly<Record<string, unknown>> {
  const object = {};
  names.forEach((name, i) => {
    // A member of JSON is never undefined.
    let value: unknown;
    const get = (): unknown =>
      (value ??= JSON.parse(texts.toString('latin1', i === 0 ? start : ends[i - 1], ends[i])) as unknown);
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  });
  return object;
}

/** JSON in ASCII: when it is read, its text takes half of the memory and is not decoded. */
export function toAscii(json: string): Buffer {
  return Buffer.from(json.replaceAll(/[^\0-\x7f]/g, escapeUnit), 'latin1');
}

function escapeUnit(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
