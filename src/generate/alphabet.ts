const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const UPPER = LOWER.toUpperCase();
const MARKS = '-_. /:@+=,;!#$%&*?()[]{}<>|~^\'"`\\';
const ABROAD = 'éüñøßçÀÖΩλжЯאبअ日本語한字٣Ⅷ½²€£©™→°¿“—…😀🚀\t\n\r';

/** The characters to choose from, the readable ones first; each string is one character. */
const POOL: readonly string[] = Array.from(LOWER + DIGITS + UPPER + MARKS + ABROAD);

/**
 * The characters that a class of a regular expression takes, told by the engine itself: letters and digits where it takes
 * some, else marks, else any other character of Unicode. Empty where it takes none.
 */
export function readAlphabet(source: string, flags: string): readonly string[] {
  const expression = new RegExp(`^(?:${source})$`, flags);
  const fitting = POOL.filter((char) => expression.test(char));
  const isWide = source === '.' || source.startsWith('[^') || /^\\[DSWP]/.test(source);
  const readable = fitting.filter((char) => LOWER.includes(char) || DIGITS.includes(char));
  if (isWide && readable.length > 0) return readable;
  const plain = fitting.filter((char) => readable.includes(char) || UPPER.includes(char));
  if (plain.length > 0) return plain;
  return fitting.length > 0 ? fitting : searchAll(expression);
}

/** The first few characters of all of Unicode that fit. */
function searchAll(expression: RegExp): readonly string[] {
  const last = expression.flags.includes('u') ? 0x1ffff : 0xffff;
  const found: string[] = [];
  for (let code = 0; code <= last && found.length < 16; code++) {
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    const char = isSurrogate ? '' : String.fromCodePoint(code);
    if (!isSurrogate && expression.test(char)) found.push(char);
  }
  return found;
}
