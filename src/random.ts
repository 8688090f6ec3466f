/** A stream of pseudo-random values that depends only on its seed and key. */
export interface Random {
  /** From 0 (included) to 1 (excluded). */
  next(): number;
  /** An integer, both ends included. */
  integer(minimum: number, maximum: number): number;
  pick<T>(items: readonly T[]): T;
  /** A string of `length` characters of an alphabet. */
  text(alphabet: string, length: number): string;
}

/** Characters created in one call; far below the maximum number of arguments. */
const CHUNK_LENGTH = 4096;

/**
 * Creates a random stream for a seed and a key: its values are a function of the two, whatever requests came
 * before. The generator is sfc32, its state filled from a 32-bit FNV-1a hash of the key.
 */
export function createRandom(seed: number, key: string): Random {
  let a = seed >>> 0;
  let b = hashText(key);
  // The hash of `key\0seed`, continued from the hash of the key.
  let c = hashText(`\0${seed}`, b);
  let counter = 1;
  const next32 = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i++) next32();
  const next = (): number => next32() / 4294967296;
  const integer = (minimum: number, maximum: number): number => minimum + Math.floor(next() * (maximum - minimum + 1));
  return {
    next,
    integer,
    pick: (items) => {
      if (items.length === 0) throw new RangeError('cannot pick from an empty list');
      // In range by construction, so the element is there.
      return items[integer(0, items.length - 1)] as (typeof items)[number];
    },
    text: (alphabet, length) => {
      if (alphabet === '') return '';
      // A flat string: adding single characters creates a rope of as many objects, which a store then keeps.
      let text = '';
      while (text.length < length) {
        // Allocated with its length: a growing array would be copied three times.
        // oxlint-disable-next-line unicorn/no-new-array -- the argument is a length
        const codes = new Array<number>(Math.min(length - text.length, CHUNK_LENGTH));
        for (let i = 0; i < codes.length; i++) codes[i] = alphabet.charCodeAt(integer(0, alphabet.length - 1));
        text += String.fromCharCode(...codes);
      }
      return text;
    },
  };
}

/**
 * FNV-1a over UTF-16 code units, as an unsigned 32-bit number.
 *
 * @param start - The hash of the preceding text.
 */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}
