import { load } from 'js-yaml';

type LoadOptions = NonNullable<Parameters<typeof load>[1]>;

/**
 * Parses YAML with js-yaml, so that the strings of the result need one byte for each character where that is possible.
 *
 * V8 stores a string that has one character beyond Latin-1 with two bytes for each character, and so every slice of it, such as the names
 * that js-yaml reads: with one "…" in a description, a list of the built-in contract takes a tenth more CPU in-process. A copy as JSON does
 * not help, because V8 keeps one string of each name. So such characters are escaped before the text is parsed.
 *
 * @throws YAMLException as `load` does, with the place in the given text.
 */
export function loadYaml(text: string, options: LoadOptions): unknown {
  const mark = MARKS.find((each) => !text.includes(each));
  if (mark === undefined || text.length > MAX_CHARACTERS || SPECIAL.test(text)) return load(text, options);
  const narrow = text.replaceAll(WIDE, (unit) => mark + unit.charCodeAt(0).toString(16).padStart(4, '0'));
  if (narrow === text) return load(text, options);
  try {
    // A copy, because what `replaceAll` returns has two bytes for each character as well.
    const json = JSON.stringify(load(Buffer.from(narrow, 'latin1').toString('latin1'), options));
    return JSON.parse(json.replaceAll(mark, String.raw`\u`));
  } catch {
    // The message of a mistake quotes the given text.
    return load(text, options);
  }
}

const WIDE = /[^\0-\xff]/g;
/** Signs of Latin-1, one of which is not in the text. */
const MARKS = ['\xa4', '\xa7', '\xb6', '\xa6'];
/** What a parser treats in a way of its own, shared nodes, numbers that JSON cannot express, and escaped signs of Latin-1. */
const SPECIAL = /[\u2028\u2029\ufeff\ufffe\uffff]|(?:^|[\s[,])(?:&\S|-[.0]|[-+]?\.(?:inf|nan)\b)|\\[xu]0*a/im;
/** The next start reads larger documents from the cache. */
const MAX_CHARACTERS = 256 * 1024;
