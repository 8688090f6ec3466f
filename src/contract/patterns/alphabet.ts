/** The classes of characters that an automaton distinguishes; characters of one class match the same atoms. */
export interface Alphabet {
  /** The classes of the characters of a string, in its order. */
  classesOf(text: string): Uint32Array;
  /** Whether characters of a class match an atom, by class and atom. */
  readonly matches: readonly (readonly boolean[])[];
  /** The indexes of the atoms that conditions need, after the atoms of the expression. */
  readonly word: number;
  readonly newline: number;
}

/** Creates the alphabet of an expression: its engine decides which characters match an atom, so that nothing is read differently. */
export function createAlphabet(sources: readonly string[], flags: string): Alphabet {
  const isUnicode = flags.includes('u');
  const own = flags.replaceAll(/[^isu]/g, '');
  const atoms = [...sources, '\\w', '[\\n\\r\\u2028\\u2029]'].map((source) => new RegExp(`^(?:${source})$`, own));
  const matches: boolean[][] = [];
  const byMatches = new Map<string, number>();
  const ascii = new Int32Array(128).fill(-1);
  const others = new Map<number, number>();
  const find = (code: number): number => {
    const char = String.fromCodePoint(code);
    const matched = atoms.map((atom) => atom.test(char));
    const key = matched.map(Number).join('');
    const known = byMatches.get(key) ?? matches.push(matched) - 1;
    byMatches.set(key, known);
    if (code < ascii.length) ascii[code] = known;
    else others.set(code, known);
    return known;
  };
  const classOf = (code: number): number => {
    const known = code < ascii.length ? ascii[code] : others.get(code);
    return known === undefined || known === -1 ? find(code) : known;
  };
  return {
    classesOf: (text) => {
      const classes = new Uint32Array(text.length);
      let count = 0;
      for (let i = 0; i < text.length; i++) {
        const code = isUnicode ? (text.codePointAt(i) ?? 0) : text.charCodeAt(i);
        if (code > 0xffff) i++;
        classes[count++] = classOf(code);
      }
      return count === text.length ? classes : classes.subarray(0, count);
    },
    matches,
    word: sources.length,
    newline: sources.length + 1,
  };
}
