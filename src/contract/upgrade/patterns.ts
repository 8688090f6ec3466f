import { type GuardedPattern, guardPattern, isTooLong } from '../patterns/guarded-pattern.js';

/** A pattern of a document as a regular expression. */
interface PatternReading {
  /** Matches everything where the pattern is not valid. It can backtrack forever: only `readPattern` is for strings of clients. */
  readonly expression: RegExp;
  /** The difference from the pattern, as the end of a sentence; undefined for an exact translation. */
  readonly remark: string | undefined;
}

/**
 * Reads a pattern that tests strings of any length in a bounded time.
 *
 * @param onWork - See `guardPattern`.
 */
export function readPattern(
  text: string,
  onWork?: (work: number) => void,
): { readonly pattern: GuardedPattern; readonly remark: string | undefined } {
  const { expression, remark } = readExpression(text);
  return { pattern: guardPattern(expression, onWork), remark };
}

/**
 * Reads a pattern in the dialects that authors of OpenAPI documents use.
 *
 * Without a flag where possible: the `u` of ECMA-262 refuses what other languages allow, such as `[\w-.]`. `\p{…}` and `\u{…}` need it.
 */
export function readExpression(text: string): PatternReading {
  const reading = readDialect(text);
  if (!isTooLong(reading.expression)) return reading;
  return { expression: ANYTHING, remark: 'too long to be searched for in a string, so it matches every string' };
}

const ANYTHING = /(?:)/;

function readDialect(text: string): PatternReading {
  const { pattern, given } = unwrap(text);
  const flags = `${/\\[pPu]\{/.test(pattern) ? 'u' : ''}${given}`;
  const direct = tryPattern(pattern, flags);
  // Without `u`, `\A`, `\Z` and `\z` are letters and `[:alpha:]` is a set of letters, which is never meant.
  if (direct !== undefined && !/\\[AZz]|\[:[a-z]+:\]/.test(pattern)) return { expression: direct, remark: undefined };
  const translated = translate(pattern);
  const expression = tryPattern(translated.pattern, [...new Set(flags + translated.flags)].join(''));
  if (expression !== undefined) return { expression, remark: undefined };
  if (flags.startsWith('u')) {
    const loose = tryPattern(translated.pattern, given + translated.flags);
    if (loose !== undefined) return { expression: loose, remark: 'read without Unicode classes' };
  }
  return { expression: ANYTHING, remark: 'not a valid regular expression, so it matches every string' };
}

/**
 * The pattern and flags of a literal such as `/^a$/i`. With a `^` at its start or a `$` at its end the slashes are delimiters; without them
 * they can be part of the pattern.
 */
function unwrap(text: string): { readonly pattern: string; readonly given: string } {
  const [, inside, flags = ''] = /^\/(\^[^]*|[^]*[^\\]\$)\/([a-z]*)$/i.exec(text) ?? [];
  // The flags that change what matches.
  return inside === undefined ? { pattern: text, given: '' } : { pattern: inside, given: flags.replace(/[^ims]/g, '') };
}

function tryPattern(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

/** Translates the syntax of PCRE, Python, Ruby and .NET that has an equivalent. */
function translate(pattern: string): { readonly pattern: string; readonly flags: string } {
  const inline = /^\^?\(\?([ims]+)\)/.exec(pattern);
  const flags = inline?.[1] ?? '';
  const rest = inline === null ? pattern : `${pattern.startsWith('^') ? '^' : ''}${pattern.slice(inline[0].length)}`;
  const translated = rest
    // Anchors of the whole text. `\Z` also allows one line break at the end.
    .replace(/(?<!\\)((?:\\\\)*)\\A/g, '$1^')
    .replace(/(?<!\\)((?:\\\\)*)\\Z/g, '$1(?=\\n?$)')
    .replace(/(?<!\\)((?:\\\\)*)\\z/g, '$1$')
    // Named groups of Python, atomic groups, possessive quantifiers: the translation matches the same strings or more.
    .replaceAll('(?P<', '(?<')
    .replaceAll('(?>', '(?:')
    .replace(/(?<=[*+?}\])\w])\+(?=$|[^+?])/g, (plus, at: number) => (isPossessive(rest, at) ? '' : plus))
    // POSIX classes inside brackets.
    .replaceAll('[:alpha:]', 'A-Za-z')
    .replaceAll('[:digit:]', '0-9')
    .replaceAll('[:alnum:]', 'A-Za-z0-9')
    .replaceAll('[:upper:]', 'A-Z')
    .replaceAll('[:lower:]', 'a-z')
    .replaceAll('[:space:]', '\\s')
    .replaceAll('[:xdigit:]', '0-9A-Fa-f')
    .replaceAll('\\h', '[ \\t]');
  return { pattern: translated, flags: [...new Set(flags)].join('') };
}

/** Whether the `+` at an index follows another quantifier. */
function isPossessive(pattern: string, at: number): boolean {
  return /[*+?}]$/.test(pattern.slice(0, at)) && !/\\[*+?}]$/.test(pattern.slice(0, at));
}
