/** What became of a pattern of the document. */
interface PatternReading {
  /** Matches everything where the pattern cannot be read. */
  readonly expression: RegExp;
  /** What was changed or given up, as a sentence; undefined where the pattern was taken as it is. */
  readonly remark: string | undefined;
}

/**
 * Reads a pattern as the people who write OpenAPI documents mean it.
 *
 * No flag first: ECMA-262's `u` refuses what other languages allow, such as `[\w-.]`, and a pattern without `u` can be run by
 * V8's linear engine (see `guardPatterns`). With `\p{…}` or `\u{…}` the flag is needed: without it they mean something else.
 */
export function readPattern(text: string): PatternReading {
  const { pattern, given } = unwrap(text);
  const flags = `${/\\[pPu]\{/.test(pattern) ? 'u' : ''}${given}`;
  const direct = tryPattern(pattern, flags);
  // Legal without `u`, and never meant so: `\A`, `\Z` and `\z` as letters, `[:alpha:]` as a list of letters.
  if (direct !== undefined && !/\\[AZz]|\[:[a-z]+:\]/.test(pattern)) return { expression: direct, remark: undefined };
  const translated = translate(pattern);
  const expression = tryPattern(translated.pattern, [...new Set(flags + translated.flags)].join(''));
  if (expression !== undefined) return { expression, remark: undefined };
  if (flags.startsWith('u')) {
    const loose = tryPattern(translated.pattern, given + translated.flags);
    if (loose !== undefined) return { expression: loose, remark: 'read without Unicode classes' };
  }
  return { expression: /(?:)/, remark: 'not a regular expression that JavaScript can read, so every text passes it' };
}

/**
 * The inside of `/^a$/i`, a literal of JavaScript or PHP. Nothing stands before a `^` or behind a `$`, so the slashes can be meant
 * no other way; without either they may be part of the text.
 */
function unwrap(text: string): { readonly pattern: string; readonly given: string } {
  const [, inside, flags = ''] = /^\/(\^[^]*|[^]*[^\\]\$)\/([a-z]*)$/i.exec(text) ?? [];
  // Of the flags, these change what matches.
  return inside === undefined ? { pattern: text, given: '' } : { pattern: inside, given: flags.replace(/[^ims]/g, '') };
}

/**
 * Lets V8 fall back to its linear-time engine when a pattern backtracks too much, so that `^(a+)+$` on a long text costs
 * milliseconds and not minutes. It is a switch of the whole process: the CLI throws it once, the library never does.
 */
export async function guardPatterns(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
}

function tryPattern(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

/** What is plain to translate from PCRE, Python, Ruby and .NET. */
function translate(pattern: string): { readonly pattern: string; readonly flags: string } {
  const inline = /^\^?\(\?([ims]+)\)/.exec(pattern);
  const flags = inline?.[1] ?? '';
  const rest = inline === null ? pattern : `${pattern.startsWith('^') ? '^' : ''}${pattern.slice(inline[0].length)}`;
  const translated = rest
    // Anchors of the whole text. `\Z` also allows one line break at the end.
    .replace(/(?<!\\)((?:\\\\)*)\\A/g, '$1^')
    .replace(/(?<!\\)((?:\\\\)*)\\Z/g, '$1(?=\\n?$)')
    .replace(/(?<!\\)((?:\\\\)*)\\z/g, '$1$')
    // Named groups of Python, atomic groups, possessive quantifiers: the text they match is the same or a superset.
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
