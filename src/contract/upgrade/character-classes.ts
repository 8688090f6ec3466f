/** Ranges of characters, written as in a class: `A-Z` or `_`. */
type Ranges = readonly string[];

const BLANK: Ranges = [' ', '\t'];
const SPACE: Ranges = [' ', '\t-\r'];
const PUNCTUATION: Ranges = ['!-/', ':-@', '[-`', '{-~'];

/** The classes of POSIX, as Java reads them: characters of ASCII. By name in lower case. */
const POSIX: ReadonlyMap<string, Ranges> = new Map([
  ['lower', ['a-z']],
  ['upper', ['A-Z']],
  ['ascii', ['\0-\x7f']],
  ['alpha', ['A-Z', 'a-z']],
  ['digit', ['0-9']],
  ['alnum', ['0-9', 'A-Z', 'a-z']],
  ['word', ['0-9', 'A-Z', '_', 'a-z']],
  ['punct', PUNCTUATION],
  ['graph', ['!-~']],
  ['print', [' -~']],
  ['blank', BLANK],
  ['cntrl', ['\0-\x1f', '\x7f']],
  ['xdigit', ['0-9', 'A-F', 'a-f']],
  ['space', SPACE],
]);

/** The methods of `java.lang.Character` that are classes (`\p{javaLowerCase}`), by name in lower case. */
const JAVA: ReadonlyMap<string, string> = new Map([
  ['javaalphabetic', String.raw`\p{Alphabetic}`],
  ['javadefined', String.raw`\P{Cn}`],
  ['javadigit', String.raw`\p{Nd}`],
  ['javaideographic', String.raw`\p{Ideographic}`],
  ['javaidentifierignorable', String.raw`\p{Cf}`],
  ['javaisocontrol', String.raw`\p{Cc}`],
  ['javajavaidentifierpart', String.raw`\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Nd}\p{Mn}\p{Mc}`],
  ['javajavaidentifierstart', String.raw`\p{L}\p{Nl}\p{Sc}\p{Pc}`],
  ['javaletter', String.raw`\p{L}`],
  ['javaletterordigit', String.raw`\p{L}\p{Nd}`],
  ['javalowercase', String.raw`\p{Lowercase}`],
  ['javamirrored', String.raw`\p{Bidi_Mirrored}`],
  ['javaspacechar', String.raw`\p{Z}`],
  ['javatitlecase', String.raw`\p{Lt}`],
  ['javaunicodeidentifierpart', String.raw`\p{ID_Continue}`],
  ['javaunicodeidentifierstart', String.raw`\p{ID_Start}`],
  ['javauppercase', String.raw`\p{Uppercase}`],
  ['javawhitespace', String.raw`\p{Z}\t-\r\u001c-\u001f`],
]);

/** Blocks of Unicode (`\p{InCyrillic}`, `\p{IsBasicLatin}` of .NET), by name in lower case without separators; others are read as scripts. */
const BLOCKS: ReadonlyMap<string, Ranges> = new Map([
  ['basiclatin', ['\0-\x7f']],
  ['latin1supplement', ['\x80-\xff']],
  ['latin1', ['\0-\xff']],
  ['l1', ['\0-\xff']],
  ['latinextendeda', ['\u0100-\u017f']],
  ['latinextendedb', ['\u0180-\u024f']],
  ['ipaextensions', ['\u0250-\u02af']],
  ['combiningdiacriticalmarks', ['\u0300-\u036f']],
  ['greek', ['\u0370-\u03ff']],
  ['greekandcoptic', ['\u0370-\u03ff']],
  ['cyrillic', ['\u0400-\u04ff']],
  ['hebrew', ['\u0590-\u05ff']],
  ['arabic', ['\u0600-\u06ff']],
  ['devanagari', ['\u0900-\u097f']],
  ['thai', ['\u0e00-\u0e7f']],
  ['hanguljamo', ['\u1100-\u11ff']],
  ['latinextendedadditional', ['\u1e00-\u1eff']],
  ['generalpunctuation', ['\u2000-\u206f']],
  ['currencysymbols', ['\u20a0-\u20cf']],
  ['letterlikesymbols', ['\u2100-\u214f']],
  ['numberforms', ['\u2150-\u218f']],
  ['arrows', ['\u2190-\u21ff']],
  ['mathematicaloperators', ['\u2200-\u22ff']],
  ['cjksymbolsandpunctuation', ['\u3000-\u303f']],
  ['hiragana', ['\u3040-\u309f']],
  ['katakana', ['\u30a0-\u30ff']],
  ['cjkunifiedideographs', ['\u4e00-\u9fff']],
  ['hangulsyllables', ['\uac00-\ud7af']],
  ['privateuse', ['\ue000-\uf8ff']],
  ['privateusearea', ['\ue000-\uf8ff']],
  ['halfwidthandfullwidthforms', ['\uff00-\uffef']],
  ['emoticons', ['\u{1f600}-\u{1f64f}']],
]);

/**
 * Writes the classes of Java, POSIX and other languages as ECMA-262 has them with the flag `u`: `\p{Alnum}`, `\p{IsLatin}`, `\pL`, `\p{Han}`
 * and, inside of brackets, `[:alpha:]`. A class that is not known stays as it is.
 */
export function translateClasses(pattern: string): string {
  let isInside = false;
  return pattern.replaceAll(TOKEN, (token: string, ...found: readonly unknown[]) => {
    // The groups are strings, or undefined where they have not matched.
    const [kind, braced, letter, inverted, posix] = found as readonly (string | undefined)[];
    if (token === '[') isInside = true;
    if (token === ']') isInside = false;
    if (posix !== undefined)
      return write(POSIX.get(posix.toLowerCase()), { isNegated: inverted === '^', isInside }) ?? token;
    const name = braced ?? letter;
    if (name === undefined) return token;
    const isNegated = (kind === 'P') !== name.startsWith('^');
    return readClass(name.replace('^', ''), { isNegated, isInside }) ?? token;
  });
}

/** A class by its name, a POSIX class in brackets, an escape, or a bracket. */
const TOKEN = /\\(?:([pP])(?:\{([^{}]*)\}|([LMNPSZC]))|[^])|\[:(\^?)(\w+):\]|[[\]]/g;

interface Use {
  readonly isNegated: boolean;
  /** Whether it stands inside of brackets. */
  readonly isInside: boolean;
}

function readClass(name: string, use: Use): string | undefined {
  const own = toProperty(name, use);
  if (own !== undefined) return own;
  const java = JAVA.get(name.toLowerCase());
  // Several classes together have no negation inside of brackets.
  if (java !== undefined)
    return use.isInside ? (use.isNegated ? undefined : java) : `[${use.isNegated ? '^' : ''}${java}]`;
  const posix = POSIX.get(name.toLowerCase());
  if (posix !== undefined) return write(posix, use);
  const [, prefix = '', bare = name] = /^(Is|In|(?:script|sc|block|blk|general_category|gc)=)?(.*)$/i.exec(name) ?? [];
  const block = BLOCKS.get(bare.toLowerCase().replaceAll(/[\s_-]/g, ''));
  const isBlock = /^(?:in|bl)/i.test(prefix);
  if (isBlock && block !== undefined) return write(block, use);
  return (
    toProperty(bare, use) ??
    toProperty(`Script=${toTitle(bare)}`, use) ??
    write(block ?? POSIX.get(bare.toLowerCase()), use)
  );
}

/** A property of ECMA-262; undefined where it has none of that name. */
function toProperty(name: string, { isNegated }: Use): string | undefined {
  const written = `\\${isNegated ? 'P' : 'p'}{${name}}`;
  try {
    void new RegExp(written, 'u');
    return written;
  } catch {
    return undefined;
  }
}

/** A script as Unicode writes it: `OLD_ITALIC` is `Old_Italic`. */
function toTitle(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll(/[\s-]/g, '_');
}

const LAST = 0x10ffff;

function write(ranges: Ranges | undefined, { isNegated, isInside }: Use): string | undefined {
  if (ranges === undefined) return undefined;
  const given = ranges.map((range) => {
    const [first = 0, ...rest] = Array.from(range, (char) => char.codePointAt(0) ?? 0);
    return [first, rest.at(-1) ?? first] as const;
  });
  const body = (isNegated ? invert(given) : given).map(([from, to]) =>
    from === to ? writeCode(from) : `${writeCode(from)}-${writeCode(to)}`,
  );
  return isInside ? body.join('') : `[${body.join('')}]`;
}

type Span = readonly [from: number, to: number];

/** All other characters; a class inside of brackets cannot be negated otherwise. */
function invert(spans: readonly Span[]): readonly Span[] {
  const ordered = spans.toSorted(([one], [other]) => one - other);
  const starts = [0, ...ordered.map(([, to]) => to + 1)];
  const ends = [...ordered.map(([from]) => from - 1), LAST];
  return starts.flatMap((from, i): readonly Span[] => {
    const to = ends[i] ?? LAST;
    return from <= to ? [[from, to]] : [];
  });
}

function writeCode(code: number): string {
  const char = String.fromCodePoint(code);
  if (/[A-Za-z0-9]/.test(char)) return char;
  const hex = code.toString(16);
  if (code > 0xffff) return `\\u{${hex}}`;
  return code > 0xff ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`;
}
