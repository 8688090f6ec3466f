import { readSegments, toPointer } from '../pointer.js';

/** Where something stands in the text: a file by its number, and a pointer in it. */
interface Origin {
  readonly file: number;
  readonly pointer: string;
}

/** The way back from the inner document to the files it was made of. */
export interface Origins {
  /** Notes that what stands at a pointer of the inner document, and below it, came from there. */
  add(inner: string, origin: Origin): void;
  /** Where a pointer of the inner document came from. */
  find(inner: string): Origin;
  /** Plain data, for a cache. */
  list(): readonly (readonly [inner: string, file: number, pointer: string])[];
}

/** Origins that start with the main file as it stands; only what was moved is noted. */
export function createOrigins(entries: ReturnType<Origins['list']> = []): Origins {
  const byInner = new Map(entries.map(([inner, file, pointer]): [string, Origin] => [inner, { file, pointer }]));
  return {
    add: (inner, origin) => void byInner.set(inner, origin),
    find: (inner) => {
      if (byInner.size === 0) return { file: 0, pointer: inner };
      const segments = readSegments(inner);
      for (let length = segments.length; length >= 0; length--) {
        const origin = byInner.get(toPointer(...segments.slice(0, length)));
        if (origin !== undefined) return { ...origin, pointer: origin.pointer + toPointer(...segments.slice(length)) };
      }
      return { file: 0, pointer: inner };
    },
    list: () => [...byInner].map(([inner, { file, pointer }]) => [inner, file, pointer] as const),
  };
}
