import { translateClasses } from './character-classes.js';
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
 * With the flag `u` of ECMA-262 where it makes a difference, without it where the pattern is not valid with it: it refuses what other languages allow.
 */
export function readExpression(text: string): PatternReading {
  const reading = readDialect(text);
  if (!isTooLong(reading.expression)) return reading;
  return { expression: ANYTHING, remark: 'too long to be searched for in a string, so it matches every string' };
}

const ANYTHING = /(?:)/;

function readDialect(text: string): PatternReading {
  const { pattern, given } = unwrap(text);
  const direct = tryUnicode(pattern, given);
  // Without `u`, `\A`, `\Z` and `\z` are letters and `[:alpha:]` is a set of letters, which is never meant.
  if (direct !== undefined && !/\\[AZz]|\[:\^?[a-z]+:\]/.test(pattern))
    return { expression: direct, remark: undefined };
  const translated = translate(pattern);
  const flags = [...new Set(given + translated.flags)].join('');
  const expression = tryUnicode(translated.pattern, flags);
  if (expression !== undefined) return { expression, remark: undefined };
  const loose = NEEDS_UNICODE.test(pattern) ? tryPattern(translated.pattern, flags) : undefined;
  if (loose !== undefined) return { expression: loose, remark: 'read without Unicode classes' };
  return { expression: ANYTHING, remark: 'not a valid regular expression, so it matches every string' };
}

/** Syntax that means something else without the flag `u`: classes of Unicode and code points. */
const NEEDS_UNICODE = /\\[pP](?:\{|[LMNPSZC](?![a-z]))|\\u\{/;
/** Syntax that can match a character above U+FFFF, which is two without the flag. */
const MAY_BE_WIDE = /[\u{10000}-\u{10ffff}]|\.|\[\^|\\[BDSW]|\\u[dD][89a-fA-F]/u;

/**
 * An expression with the flag `u` where that makes a difference (JSON Schema 2020-12 section 6.4); without it where the pattern is not valid
 * with it, if that is possible.
 */
function tryUnicode(pattern: string, flags: string): RegExp | undefined {
  const isNeeded = NEEDS_UNICODE.test(pattern);
  if (!isNeeded && !MAY_BE_WIDE.test(pattern)) return tryPattern(pattern, flags);
  const unicode = tryPattern(pattern, `u${flags}`) ?? tryPattern(toStrict(pattern), `u${flags}`);
  return unicode ?? (isNeeded ? undefined : tryPattern(pattern, flags));
}

/** Writes what the flag `u` refuses in a form that it allows: `\@` and `\-` as the characters, `[\w-.]` as `[\w\-.]`. */
function toStrict(pattern: string): string {
  let isInside = false;
  let before = '';
  return pattern.replaceAll(/\\(?:[pP]\{[^}]*\}|[^])|[^]/g, (token, at: number) => {
    const isClass = /^\\[dDwWsSpP]/.test(before);
    before = token;
    if (token === '[') isInside = true;
    if (token === ']') isInside = false;
    if (token === '-' && isInside && pattern[at + 1] !== ']') {
      const isNext = /^\\[dDwWsSpP]/.test(pattern.slice(at + 1)) && pattern[at - 1] !== '[';
      return isClass || isNext ? '\\-' : token;
    }
    if (isInside && token === '\\-') return token;
    return /^\\[^\w^$\\.*+?()[\]{}|/]$/.test(token) || token === '\\_' ? token.slice(1) : token;
  });
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
  // Some versions of Node.js read modifiers of groups; a document means the same in each of them.
  if (/\(\?[a-z]*-?[a-z]+:/.test(pattern.replaceAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, ''))) return undefined;
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
  const translated = translateClasses(rest)
    // Anchors of the whole text. `\Z` also allows one line break at the end.
    .replace(/(?<!\\)((?:\\\\)*)\\A/g, '$1^')
    .replace(/(?<!\\)((?:\\\\)*)\\Z/g, '$1(?=\\n?$)')
    .replace(/(?<!\\)((?:\\\\)*)\\z/g, '$1$')
    // Named groups of Python, atomic groups, possessive quantifiers: the translation matches the same strings or more.
    .replaceAll('(?P<', '(?<')
    .replaceAll('(?>', '(?:')
    .replace(/(?<=[*+?}\])\w])\+(?=$|[^+?])/g, (plus, at: number) => (isPossessive(rest, at) ? '' : plus))
    .replaceAll('\\h', '[ \\t]');
  return { pattern: translated, flags: [...new Set(flags)].join('') };
}

/** Whether the `+` at an index follows another quantifier. */
function isPossessive(pattern: string, at: number): boolean {
  return /[*+?}]$/.test(pattern.slice(0, at)) && !/\\[*+?}]$/.test(pattern.slice(0, at));
}
