/** Why a text is not JSON, and where. */
interface JsonMistake {
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
  /** What was expected there, and what stood there. */
  readonly says: string;
}

/** Deeper nesting than this is not looked into. */
const DEEPEST = 10_000;

/** Finds the first mistake in a text that `JSON.parse` refused; V8's own message names no place in half of the cases. */
export function findJsonMistake(text: string): JsonMistake {
  const scanner = { text, at: 0 };
  const found = scanDocument(scanner) ?? 'something is wrong with it';
  const before = text.slice(0, scanner.at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, says: found };
}

interface Scanner {
  readonly text: string;
  at: number;
}

/** Undefined where all is well. */
type Complaint = string | undefined;

const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_]\w{0,39}/y;

function scanDocument(scanner: Scanner): Complaint {
  const complaint = scanValue(scanner);
  if (complaint !== undefined) return complaint;
  skipSpace(scanner);
  return scanner.at < scanner.text.length ? `expected the end, found ${found(scanner)}` : undefined;
}

/** Walks with a stack of its own: a hostile text may be nested as deep as it is long. */
function scanValue(scanner: Scanner): Complaint {
  const closers: ('}' | ']')[] = [];
  for (;;) {
    skipSpace(scanner);
    const opener = scanner.text[scanner.at];
    const inside = opener === '{' || opener === '[' ? scanOpening(scanner, closers) : scanScalar(scanner);
    if (inside === 'value') continue;
    if (inside !== undefined) return inside;
    const next = scanAfterValue(scanner, closers);
    if (next !== 'value') return next;
  }
}

/** The beginning of a list or an object; `'value'` where it holds one, undefined where it is empty and ends here. */
function scanOpening(scanner: Scanner, closers: ('}' | ']')[]): Complaint {
  const closer = scanner.text[scanner.at] === '{' ? '}' : ']';
  scanner.at += 1;
  if (closers.length >= DEEPEST) return 'it is nested too deeply';
  skipSpace(scanner);
  if (scanner.text[scanner.at] === closer) {
    scanner.at += 1;
    return undefined;
  }
  closers.push(closer);
  return closer === '}' ? (scanName(scanner, 'a property name in double quotes or "}"') ?? 'value') : 'value';
}

/** After a value: closes what ends here; `'value'` where another one follows. */
function scanAfterValue(scanner: Scanner, closers: ('}' | ']')[]): Complaint {
  for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
    skipSpace(scanner);
    const character = scanner.text[scanner.at];
    if (character === closer) {
      scanner.at += 1;
      closers.pop();
      continue;
    }
    if (character !== ',') return `expected "," or "${closer}", found ${found(scanner)}`;
    scanner.at += 1;
    return closer === '}' ? (scanName(scanner, 'a property name in double quotes') ?? 'value') : 'value';
  }
  return undefined;
}

function scanName(scanner: Scanner, expected: string): Complaint {
  skipSpace(scanner);
  if (scanner.text[scanner.at] !== '"') return `expected ${expected}, found ${found(scanner)}`;
  const complaint = scanScalar(scanner);
  if (complaint !== undefined) return complaint;
  skipSpace(scanner);
  if (scanner.text[scanner.at] !== ':') return `expected ":" after the property name, found ${found(scanner)}`;
  scanner.at += 1;
  return undefined;
}

function scanScalar(scanner: Scanner): Complaint {
  const { text } = scanner;
  if (text[scanner.at] === '"') return scanString(scanner);
  const number = match(NUMBER, scanner);
  if (number !== undefined) {
    scanner.at += number.length;
    return undefined;
  }
  for (const word of ['true', 'false', 'null']) {
    if (!text.startsWith(word, scanner.at)) continue;
    scanner.at += word.length;
    return undefined;
  }
  return `expected a value, found ${found(scanner)}`;
}

/** By hand: an expression that repeats a choice runs out of stack over a text of megabytes. */
function scanString(scanner: Scanner): Complaint {
  const { text } = scanner;
  for (let i = scanner.at + 1; i < text.length; i++) {
    const character = text[i] ?? '';
    if (character === '"') {
      scanner.at = i + 1;
      return undefined;
    }
    // RFC 8259 section 7: control characters must be escaped.
    if (character < ' ') return mistakeAt(scanner, i, 'a string holds a raw control character, which must be escaped');
    if (character !== '\\') continue;
    const escape = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(i + 1, i + 6));
    if (escape === null) return mistakeAt(scanner, i, `a string holds ${text.slice(i, i + 2)}, which is no escape`);
    i += escape[0].length;
  }
  return 'a string begins here and does not end';
}

function mistakeAt(scanner: Scanner, at: number, says: string): string {
  scanner.at = at;
  return says;
}

function skipSpace(scanner: Scanner): void {
  while (' \t\r\n'.includes(scanner.text[scanner.at] ?? 'x')) scanner.at += 1;
}

/** What a sticky expression matches here. */
function match(pattern: RegExp, { text, at }: Scanner): string | undefined {
  // A copy: a sticky expression carries state, and this one is shared by all scanners.
  const own = new RegExp(pattern.source, pattern.flags);
  own.lastIndex = at;
  return own.exec(text)?.[0];
}

function found(scanner: Scanner): string {
  const { text, at } = scanner;
  if (at >= text.length) return 'the end';
  return JSON.stringify(match(WORD, scanner) ?? String.fromCodePoint(text.codePointAt(at) ?? 0));
}
