import type { Random } from '../../random.js';
import type { Vocabulary } from '../text/vocabulary.js';
import type { MinimumDepth } from './minimum-depth.js';
import type { MergeSchemas, Part, Shape, ValuePlace } from './shape.js';

/** The result for a schema that no value fits. */
export const IMPOSSIBLE: unique symbol = Symbol('impossible');

/** Parts of the largest value that is generated: a document that requires a larger one would stop the mock. */
export const MAX_VALUES = 100_000;

/** From this number on `ValuePlace.repeats` selects the values of a range in turn, so that a list can hold all of them. */
export const ENUMERATE = 1000;

/** One attempt to generate one value. */
export interface Attempt {
  readonly direction: 'request' | 'response';
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly merge: MergeSchemas;
  readonly minimumDepth: MinimumDepth;
  readonly vocabulary: Vocabulary;
  /** Values from the request by plain names, see `toBareName`. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Whether a partial value is completed with optional properties too. */
  readonly full: boolean;
  /** Whether the value is one of several: what they have used is varied. */
  readonly isVaried: boolean;
  /** Whether a schema that no value fits gets the value of a part of it. */
  readonly isTolerant: boolean;
  /** The parts of a schema that must all be valid: its references, its own keywords, then those of `allOf`. */
  split(part: Part): readonly Part[];
  /** Pointers that were wrong in an earlier attempt, and how often. */
  readonly mistakes: ReadonlyMap<string, number>;
  /** Whether schemas were found that obviously no value fits. */
  isContradictory: boolean;
  /** Values generated so far; above a limit no more alternatives are tried. */
  steps: number;
  /** A random stream that depends on its name only, of which this is the hash. */
  random(stream: number, purpose?: string): Random;
  /** Whether a value fits a schema; true for a schema that is not in the document. */
  fits(part: Part, value: unknown): boolean;
  /** A value for schemas that must all be valid; `IMPOSSIBLE` if none was found. */
  make(parts: readonly Part[], place: ValuePlace): unknown;
}

/** Whether the value of a place was wrong in an earlier attempt. */
export function isMistaken({ mistakes }: Attempt, { path }: ValuePlace): boolean {
  // Most values are right at once, and a path is costly to look up.
  return mistakes.size > 0 && mistakes.has(path);
}

/** Everything a function that generates one type of value needs. */
export interface Task {
  readonly attempt: Attempt;
  readonly place: ValuePlace;
  readonly shape: Shape;
  /** The schemas that the shape was merged from. */
  readonly parts: readonly Part[];
}
