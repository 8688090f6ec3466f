import type { Random } from '../../random.js';
import type { Vocabulary } from '../text/vocabulary.js';
import type { MergeSchemas } from './merge-schemas.js';
import type { MinimumDepth } from './minimum-depth.js';
import type { Part, Shape } from './shape.js';

/** The result for a schema that no value fits. */
export const IMPOSSIBLE: unique symbol = Symbol('impossible');

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
  /** Values from the request by plain names, see `readPlainName`. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Whether a partial value is completed with optional properties too. */
  readonly full: boolean;
  /** Pointers that were wrong in an earlier attempt, and how often. */
  readonly mistakes: ReadonlyMap<string, number>;
  /** Values generated so far; above a limit no more alternatives are tried. */
  steps: number;
  /** A random stream that depends on its name only. */
  random(stream: string, purpose?: string): Random;
  /** Whether a value fits a schema; true for a schema that is not in the document. */
  fits(part: Part, value: unknown): boolean;
  make(parts: readonly Part[], place: ValuePlace): unknown;
}

/** The place a value is generated for. */
export interface ValuePlace {
  /** Its JSON pointer in the whole value. */
  readonly path: string;
  /** The name of its random stream: its pointer, and how often it was tried again. */
  readonly stream: string;
  /** The stream of the object it is a property of. */
  readonly ownerStream: string;
  /** The name of the property, or of the nearest one above. */
  readonly name: string;
  /** The title of the owner's schema, or the last segment of that schema's pointer. */
  readonly kind: string;
  /** The number of objects above. */
  readonly depth: number;
  /** The position in the nearest array. */
  readonly index: number;
  /** The schemas above, to detect a cycle. */
  readonly ancestors: readonly string[];
  /** The caller's partial value for this place, if any. */
  readonly given: unknown;
  /** A value to follow if it fits: from an example of the schema above, or one that was not valid as a whole. */
  readonly hint: unknown;
  /** Whether the hint is the intended value, identifiers included, and not only an example of one. */
  readonly exact: boolean;
  /** Whether values of the request with the same name are repeated here. */
  readonly repeatsRequest: boolean;
  /** How often the value was a duplicate: above 0 examples are skipped, above 1 also values with few variants. */
  readonly repeats: number;
  /** Whether optional properties, items and branches are left out. */
  readonly minimal: boolean;
}

/** Everything a function that generates one type of value needs. */
export interface Task {
  readonly attempt: Attempt;
  readonly place: ValuePlace;
  readonly shape: Shape;
  readonly parts: readonly Part[];
}
