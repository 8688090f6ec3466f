import { load, YAMLException } from 'js-yaml';

type LoadOptions = NonNullable<Parameters<typeof load>[1]>;

/**
 * Parses YAML with js-yaml, so that the strings of the result need one byte for each character where that is possible.
 *
 * V8 stores a string that has one character beyond Latin-1 with two bytes for each character, and so every slice of it. js-yaml
 * slices keys and values from the source, so that one "…" in a description makes names, constants and fixtures twice as large, and every answer
 * that contains one of them slower to write. So such characters are replaced by unused ones of Latin-1 while the text is parsed.
 *
 * @throws YAMLException as `load` does, with the place in the given text.
 */
export function loadYaml(text: string, options: LoadOptions): unknown {
  const substitution = substituteWide(text);
  if (substitution === undefined) return load(text, options);
  try {
    return restore(load(substitution.text, options), substitution);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // Its message can quote the text.
    return load(text, options);
  }
}

interface Substitution {
  /** The text, with one character for each of the given one: places stay the same. */
  readonly text: string;
  /** The characters that were replaced, by those that replace them. */
  readonly originals: ReadonlyMap<string, string>;
}

// oxlint-disable-next-line no-control-regex -- every character of Latin-1
const WIDE = /[^\0-\xff]/g;
/** What can be replaced, and what can replace it: to YAML the same as any other letter or sign (YAML 1.2.2 section 5.1). */
const LETTERS = /[\xa1-\uffff]/g;
/** The characters of Latin-1 among them, without the soft hyphen. */
const REPLACEMENTS = Array.from({ length: 0xff - 0xa0 }, (_, i) => String.fromCodePoint(0xa1 + i)).filter(
  (character) => character !== '\u00ad',
);
/** Line and paragraph separators, byte order marks and noncharacters, which a parser can treat in a way of their own. */
const SPECIAL = /[\u2028\u2029\ufeff\ufffe\uffff]/;

/** Larger texts are documents, for which a walk over the result is not worth it: their next start reads them from the cache, which is ASCII. */
const MAX_CHARACTERS = 256 * 1024;

/** Undefined where nothing has to be replaced, or where more is than Latin-1 has unused characters. */
function substituteWide(text: string): Substitution | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const letters = new Set<string>();
  for (const [letter] of text.matchAll(LETTERS)) {
    letters.add(letter);
    if (letters.size > REPLACEMENTS.length) return undefined;
  }
  const wide = [...letters].filter((letter) => letter > '\xff');
  if (wide.length === 0 || SPECIAL.test(text)) return undefined;
  // As many as are needed: all letters together are not more than there are replacements.
  const unused = REPLACEMENTS.filter((letter) => !letters.has(letter));
  const replacements = new Map(wide.map((letter, i) => [letter, unused[i] ?? '']));
  const replaced = text.replace(WIDE, (letter) => replacements.get(letter) ?? letter);
  // A copy: what `replace` returns has two bytes for each character as well.
  const narrow = Buffer.from(replaced, 'latin1').toString('latin1');
  return { text: narrow, originals: new Map([...replacements].map(([letter, replacement]) => [replacement, letter])) };
}

/** Puts the characters back into a parsed value that nothing else refers to; nodes stay shared by their aliases. */
function restore(root: unknown, { originals }: Substitution): unknown {
  const replaced = new RegExp(`[${[...originals.keys()].join('')}]`);
  const restoreText = (text: string): string =>
    replaced.test(text) ? Array.from(text, (letter) => originals.get(letter) ?? letter).join('') : text;
  const seen = new Set<object>();
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return restoreText(value);
    if (typeof value !== 'object' || value === null || seen.has(value)) return value;
    seen.add(value);
    let isRenamed = false;
    for (const [name, member] of Object.entries(value)) {
      isRenamed ||= replaced.test(name);
      const visited = visit(member);
      if (visited !== member) define(value, name, visited);
    }
    if (!isRenamed) return value;
    // All members again, so that their order stays.
    for (const [name, member] of Object.entries(value)) {
      Reflect.deleteProperty(value, name);
      define(value, restoreText(name), member);
    }
    return value;
  };
  return visit(root);
}

/** Sets a member, which may be named `__proto__`. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
