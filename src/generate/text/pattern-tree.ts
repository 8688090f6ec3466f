/** A regular expression as a tree, as far as it is needed to write a match. */
export type PatternNode =
  | { readonly kind: 'chars'; readonly alphabet: readonly string[] }
  | { readonly kind: 'sequence' | 'either'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly least: number; readonly most: number }
  | { readonly kind: 'group'; readonly node: PatternNode; readonly names: readonly string[] }
  | { readonly kind: 'back'; readonly name: string }
  | { readonly kind: 'look'; readonly node: PatternNode; readonly wanted: boolean }
  | { readonly kind: 'edge'; readonly at: 'start' | 'end' | 'word' };

interface Reader {
  readonly source: string;
  readonly flags: string;
  at: number;
  groups: number;
}

/** Reads the tree of an expression that the engine has accepted, so that every bracket is closed. */
export function readPatternTree(expression: RegExp): PatternNode {
  return readEither({
    source: expression.source,
    flags: expression.flags.replaceAll(/[^imsu]/g, ''),
    at: 0,
    groups: 0,
  });
}

function readEither(reader: Reader): PatternNode {
  const nodes: PatternNode[] = [readSequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at++;
    nodes.push(readSequence(reader));
  }
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : { kind: 'either', nodes };
}

function readSequence(reader: Reader): PatternNode {
  const nodes: PatternNode[] = [];
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source.charAt(reader.at))) {
    nodes.push(readRepeats(reader, readAtom(reader)));
  }
  return { kind: 'sequence', nodes };
}

function readRepeats(reader: Reader, node: PatternNode): PatternNode {
  const found = /^(?:\*|\+|\?|\{(\d+)(,(\d*))?\})\??/.exec(reader.source.slice(reader.at, reader.at + 24));
  if (found === null) return node;
  reader.at += found[0].length;
  const mark = found[0].charAt(0);
  if (mark === '*') return { kind: 'repeat', node, least: 0, most: Infinity };
  if (mark === '+') return { kind: 'repeat', node, least: 1, most: Infinity };
  if (mark === '?') return { kind: 'repeat', node, least: 0, most: 1 };
  const least = Number(found[1]);
  const most = found[2] === undefined ? least : found[3] === '' ? Infinity : Number(found[3]);
  return { kind: 'repeat', node, least, most };
}

function readAtom(reader: Reader): PatternNode {
  const { source, flags } = reader;
  const char = takeChar(reader);
  if (char === '^') return { kind: 'edge', at: 'start' };
  if (char === '$') return { kind: 'edge', at: 'end' };
  if (char === '.') return { kind: 'chars', alphabet: readAlphabet('.', flags) };
  if (char === '(') return readGroup(reader);
  if (char === '\\') return readEscape(reader);
  if (char !== '[') return { kind: 'chars', alphabet: [char] };
  const start = reader.at - 1;
  while (source[reader.at] !== ']' && reader.at < source.length) reader.at += source[reader.at] === '\\' ? 2 : 1;
  reader.at++;
  return { kind: 'chars', alphabet: readAlphabet(source.slice(start, reader.at), flags) };
}

function readGroup(reader: Reader): PatternNode {
  const opening = /^\?(?::|(<?)([=!])|<([^>]+)>|[a-z]*(?:-[a-z]+)?:)/.exec(reader.source.slice(reader.at));
  reader.at += opening?.[0].length ?? 0;
  const isCapture = opening === null || opening[3] !== undefined;
  const names: string[] = [];
  if (isCapture) names.push(String(++reader.groups), ...(opening?.[3] === undefined ? [] : [opening[3]]));
  const node = readEither(reader);
  reader.at++;
  if (isCapture) return { kind: 'group', node, names };
  if (opening[2] === undefined) return node;
  return { kind: 'look', node, wanted: opening[2] === '=' && opening[1] === '' };
}

/** An escape: a class, a back reference, a word boundary, a character code, or the character itself. */
function readEscape(reader: Reader): PatternNode {
  const rest = reader.source.slice(reader.at);
  const back = /^(?:([1-9]\d?)|k<([^>]+)>)/.exec(rest);
  if (back !== null) {
    reader.at += back[0].length;
    return { kind: 'back', name: back[1] ?? back[2] ?? '' };
  }
  const code = /^(?:[dDwWsS]|[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[0ntrfv])/.exec(rest);
  if (code !== null) {
    reader.at += code[0].length;
    return { kind: 'chars', alphabet: readAlphabet(`\\${code[0]}`, reader.flags) };
  }
  const char = takeChar(reader);
  return char === 'b' || char === 'B' ? { kind: 'edge', at: 'word' } : { kind: 'chars', alphabet: [char] };
}

/** The next character, which may be two code units. */
function takeChar(reader: Reader): string {
  const char = String.fromCodePoint(reader.source.codePointAt(reader.at) ?? 0);
  reader.at += char.length;
  return char;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const UPPER = LOWER.toUpperCase();
const MARKS = '-_. /:@+=,;!#$%&*?()[]{}<>|~^\'"`\\';
const ABROAD = 'éüñøßçÀÖΩλжЯאبअ日本語한字٣Ⅷ½²€£©™→°¿“—…😀🚀\t\n\r';

/** The characters to choose from, readable ones first; each string is one character. */
const POOL: readonly string[] = Array.from(LOWER + DIGITS + UPPER + MARKS + ABROAD);

/** The characters that match a class, found with the engine itself: letters and digits, else punctuation, else any other. */
function readAlphabet(source: string, flags: string): readonly string[] {
  const expression = new RegExp(`^(?:${source})$`, flags);
  const fitting = POOL.filter((char) => expression.test(char));
  const isWide = source === '.' || source.startsWith('[^') || /^\\[DSWP]/.test(source);
  const readable = fitting.filter((char) => LOWER.includes(char) || DIGITS.includes(char));
  if (isWide && readable.length > 0) return readable;
  const plain = fitting.filter((char) => readable.includes(char) || UPPER.includes(char));
  if (plain.length > 0) return plain;
  return fitting.length > 0 ? fitting : searchAll(expression);
}

/** The first few characters of Unicode that match. */
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
