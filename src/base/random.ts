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

/** Steps before the first value, after which it depends on every bit of the state. */
const WARM_UP = 12;

/** Characters created in one call; far below the maximum number of arguments. */
const CHUNK_LENGTH = 4096;

/**
 * Creates a random stream for a seed and a key: its values are a function of the two, whatever requests came
 * before. The generator is sfc32, its state filled from a 32-bit FNV-1a hash of the key.
 */
export function createRandom(seed: number, key: string): Random {
  return new Sfc32(seed, hashText(key));
}

/** Creates the stream of a key whose hash is known, such as that of a longer key that begins with the key of another stream. */
export function createRandomOf(seed: number, hash: number): Random {
  return new Sfc32(seed, hash);
}

/** A class, since every created item needs several streams: an object with methods is created twice as fast as five closures. */
class Sfc32 implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = WARM_UP + 1;

  /** @param hash - Of the key. */
  constructor(seed: number, hash: number) {
    // Signed 32-bit integers: the engine stores them without an object of their own.
    let a = seed | 0;
    let b = hash | 0;
    // The hash of `key\0seed`, continued from the hash of the key.
    let c = hashText(`\0${seed}`, hash) | 0;
    // As `next` does, in local variables: most streams are asked for one value only.
    for (let counter = 1; counter <= WARM_UP; counter++) {
      const sum = (((a + b) | 0) + counter) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + sum) | 0;
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
  }

  next(): number {
    const b = this.#b;
    const c = this.#c;
    const sum = (((this.#a + b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = b ^ (b >>> 9);
    this.#b = (c + (c << 3)) | 0;
    this.#c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  }

  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1));
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('cannot pick from an empty list');
    // In range by construction, so the element is there.
    return items[this.integer(0, items.length - 1)] as T;
  }

  text(alphabet: string, length: number): string {
    if (alphabet === '') return '';
    // A flat string: adding single characters creates a rope of as many objects, which a store then keeps.
    let text = '';
    while (text.length < length) {
      // Allocated with its length: a growing array would be copied three times.
      // oxlint-disable-next-line unicorn/no-new-array -- the argument is a length
      const codes = new Array<number>(Math.min(length - text.length, CHUNK_LENGTH));
      for (let i = 0; i < codes.length; i++) codes[i] = alphabet.charCodeAt(this.integer(0, alphabet.length - 1));
      text += String.fromCharCode(...codes);
    }
    return text;
  }
}

/** FNV-1a over UTF-16 code units, as an unsigned 32-bit number. @param start - The hash of the preceding text. */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}
