/** A regular expression as a tree; `Chars` is what a reader makes of one character or class. */
export type PatternNode<Chars> =
  | { readonly kind: 'chars'; readonly chars: Chars }
  | { readonly kind: 'sequence' | 'either'; readonly nodes: readonly PatternNode<Chars>[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode<Chars>; readonly least: number; readonly most: number }
  | { readonly kind: 'group'; readonly node: PatternNode<Chars>; readonly names: readonly string[] }
  | { readonly kind: 'back'; readonly name: string }
  | { readonly kind: 'look'; readonly node: PatternNode<Chars>; readonly behind: boolean; readonly negated: boolean }
  | { readonly kind: 'edge'; readonly at: 'start' | 'end' | 'word'; readonly negated: boolean };

/**
 * Reads one character or class of an expression.
 *
 * @param source - As written: `[a-z]`, `\d`, `\-`.
 * @param literal - The character, where it is only one.
 */
type ReadChars<Chars> = (source: string, literal: string | undefined) => Chars;

interface Reader<Chars> {
  readonly source: string;
  readonly readChars: ReadChars<Chars>;
  /** Whether a surrogate pair is one character. */
  readonly isUnicode: boolean;
  /** The number of groups with a number; without the flag `u`, a higher one is not a back reference. */
  readonly captures: number;
  readonly hasNames: boolean;
  at: number;
  groups: number;
}

/** Reads the tree of an expression that the engine has accepted, so that every bracket is closed. It has no modifiers and no flag `v`. */
export function readPatternTree<Chars>({ source, flags }: RegExp, readChars: ReadChars<Chars>): PatternNode<Chars> {
  const outside = source.replaceAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, '');
  const captures = outside.match(/\((?!\?)|\(\?<(?![=!])/g) ?? [];
  const hasNames = captures.some((opening) => opening !== '(');
  const isUnicode = flags.includes('u');
  return readEither({ source, readChars, isUnicode, captures: captures.length, hasNames, at: 0, groups: 0 });
}

/** The tree of an expression with the sources of its characters and classes, each once; the tree has their indexes. */
export function readAtoms(expression: RegExp): {
  readonly tree: PatternNode<number>;
  readonly atoms: readonly string[];
} {
  const atoms: string[] = [];
  const tree = readPatternTree(expression, (atom) => {
    const known = atoms.indexOf(atom);
    return known === -1 ? atoms.push(atom) - 1 : known;
  });
  return { tree, atoms };
}

function readEither<Chars>(reader: Reader<Chars>): PatternNode<Chars> {
  const nodes: PatternNode<Chars>[] = [readSequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at++;
    nodes.push(readSequence(reader));
  }
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : { kind: 'either', nodes };
}

function readSequence<Chars>(reader: Reader<Chars>): PatternNode<Chars> {
  const nodes: PatternNode<Chars>[] = [];
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source.charAt(reader.at))) {
    nodes.push(readRepeats(reader, readAtom(reader)));
  }
  return { kind: 'sequence', nodes };
}

function readRepeats<Chars>(reader: Reader<Chars>, node: PatternNode<Chars>): PatternNode<Chars> {
  const found = takeMatch(reader, /(?:\*|\+|\?|\{(\d+)(,(\d*))?\})\??/y);
  if (found === null) return node;
  const mark = found[0].charAt(0);
  if (mark === '*') return { kind: 'repeat', node, least: 0, most: Infinity };
  if (mark === '+') return { kind: 'repeat', node, least: 1, most: Infinity };
  if (mark === '?') return { kind: 'repeat', node, least: 0, most: 1 };
  const least = Number(found[1]);
  const most = found[2] === undefined ? least : found[3] === '' ? Infinity : Number(found[3]);
  return { kind: 'repeat', node, least, most };
}

function readAtom<Chars>(reader: Reader<Chars>): PatternNode<Chars> {
  const { source, readChars } = reader;
  const char = takeChar(reader);
  if (char === '^') return { kind: 'edge', at: 'start', negated: false };
  if (char === '$') return { kind: 'edge', at: 'end', negated: false };
  if (char === '.') return { kind: 'chars', chars: readChars('.', undefined) };
  if (char === '(') return readGroup(reader);
  if (char === '\\') return readEscape(reader);
  if (char !== '[') return { kind: 'chars', chars: readChars(char, char) };
  const start = reader.at - 1;
  while (source[reader.at] !== ']' && reader.at < source.length) reader.at += source[reader.at] === '\\' ? 2 : 1;
  reader.at++;
  return { kind: 'chars', chars: readChars(source.slice(start, reader.at), undefined) };
}

function readGroup<Chars>(reader: Reader<Chars>): PatternNode<Chars> {
  const opening = takeMatch(reader, /\?(?::|(<?)([=!])|<([^>]+)>)/y);
  const isCapture = opening === null || opening[3] !== undefined;
  const names: string[] = [];
  if (isCapture) names.push(String(++reader.groups), ...(opening?.[3] === undefined ? [] : [opening[3]]));
  const node = readEither(reader);
  reader.at++;
  if (isCapture) return { kind: 'group', node, names };
  if (opening[2] === undefined) return node;
  return { kind: 'look', node, behind: opening[1] === '<', negated: opening[2] === '!' };
}

/** An escape: a class, a back reference, a word boundary, a character code, or the character itself. */
function readEscape<Chars>(reader: Reader<Chars>): PatternNode<Chars> {
  const { isUnicode, readChars } = reader;
  const back = readBackReference(reader);
  if (back !== undefined) return back;
  const code = takeMatch(reader, isUnicode ? UNICODE_ESCAPE : ESCAPE);
  if (code !== null) return { kind: 'chars', chars: readChars(`\\${code[0]}`, undefined) };
  // Without `u`, a backslash before `c` and no letter is a character.
  if (reader.source[reader.at] === 'c') return { kind: 'chars', chars: readChars('\\\\', '\\') };
  const char = takeChar(reader);
  if (char === 'b' || char === 'B') return { kind: 'edge', at: 'word', negated: char === 'B' };
  return { kind: 'chars', chars: readChars(`\\${char}`, char) };
}

const UNICODE_ESCAPE =
  /u[dD][89a-bA-B][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|[dDwWsS]|[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[0ntrfv]/y;
// ECMA-262 B.1.2: octal codes.
const ESCAPE = /[dDwWsS]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[ntrfv]|[0-3][0-7]{0,2}|[4-7][0-7]?/y;

function readBackReference<Chars>(reader: Reader<Chars>): PatternNode<Chars> | undefined {
  const start = reader.at;
  const [, number, name = ''] = takeMatch(reader, /([1-9]\d*)|k<([^>]+)>/y) ?? [];
  if (number === undefined ? name !== '' && (reader.isUnicode || reader.hasNames) : Number(number) <= reader.captures) {
    return { kind: 'back', name: number ?? name };
  }
  reader.at = start;
  return undefined;
}

/** The number of characters that a node can have. */
export type LengthRange = { readonly least: number; readonly most: number };

const EMPTY: LengthRange = { least: 0, most: 0 };

/** The shortest and the longest string of a node; back references count as any length. */
export function measureLength(node: PatternNode<unknown>): LengthRange {
  switch (node.kind) {
    case 'chars':
      return { least: 1, most: 1 };
    case 'group':
      return measureLength(node.node);
    case 'sequence':
      return node.nodes
        .map(measureLength)
        .reduce((sum, one) => ({ least: sum.least + one.least, most: sum.most + one.most }), EMPTY);
    case 'either': {
      const ranges = node.nodes.map(measureLength);
      return {
        least: Math.min(...ranges.map(({ least }) => least)),
        most: Math.max(...ranges.map(({ most }) => most)),
      };
    }
    case 'repeat': {
      const inner = measureLength(node.node);
      const most = inner.most === 0 || node.most === 0 ? 0 : inner.most * node.most;
      return { least: inner.least * node.least, most };
    }
    case 'back':
      return { least: 0, most: Infinity };
    default:
      return EMPTY;
  }
}

/** Matches a sticky expression at the position of the reader, which moves behind the match. */
function takeMatch(reader: { readonly source: string; at: number }, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = reader.at;
  const found = expression.exec(reader.source);
  reader.at += found?.[0].length ?? 0;
  return found;
}

/** The next character, which is two code units with the flag `u` only. */
function takeChar(reader: { readonly source: string; readonly isUnicode: boolean; at: number }): string {
  const { source, isUnicode, at } = reader;
  const char = isUnicode ? String.fromCodePoint(source.codePointAt(at) ?? 0) : source.charAt(at);
  reader.at += char.length;
  return char;
}
