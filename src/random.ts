/** A stream of pseudo-random values that depends on nothing but what it was made from. */
export interface Random {
  /** From 0 (included) to 1 (excluded). */
  next(): number;
  /** A whole number, both ends included. */
  integer(minimum: number, maximum: number): number;
  pick<T>(items: readonly T[]): T;
  /** That many characters out of an alphabet. */
  text(alphabet: string, length: number): string;
}

/** Characters made in one piece; far below how many arguments a call can have. */
const CHUNK_LENGTH = 4096;

/**
 * A random stream named by a seed and a key: a value made from it is a function of the two, whatever else the mock was asked
 * before. The generator is sfc32, its state filled from a 32-bit FNV-1a hash of the key.
 */
export function createRandom(seed: number, key: string): Random {
  let a = seed >>> 0;
  let b = hashText(key);
  // The hash of `key\0seed`: it goes on where that of the key ended.
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
      // One flat text: characters added one by one make a rope of as many objects, which a store then keeps.
      let text = '';
      while (text.length < length) {
        // Of its whole length at once: one that grows leaves three arrays behind.
        // oxlint-disable-next-line unicorn/no-new-array -- a length it is
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
 * @param start - The hash of what stands before the text.
 */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}
