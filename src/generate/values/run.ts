import type { Random } from '../../random.js';
import type { Vocabulary } from '../text/vocabulary.js';
import type { Decisions, Expander } from './expand.js';
import type { Height } from './height.js';
import type { Part, Shape } from './shape.js';

/** What a schema that nothing fits yields. */
export const NOTHING: unique symbol = Symbol('nothing');

/** From here on `Spot.fresh` asks for the values of a range in turn, by position: so that a list can hold all of them. */
export const IN_TURN = 1000;

/** One attempt at one value: what it depends on and how careful it has to be. */
export interface Run {
  readonly direction: 'request' | 'response';
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly expander: Expander;
  readonly height: Height;
  readonly vocabulary: Vocabulary;
  /** Values by the plain form of their names, see `readPlainName`. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Whether what is given is completed with options too. */
  readonly full: boolean;
  /** Places that were wrong in an earlier attempt, and how often. */
  readonly mistakes: ReadonlyMap<string, number>;
  /** Values made so far; a value that grows past its share is made without options. */
  steps: number;
  /** A random stream; it depends on its name alone. */
  random(stream: string, purpose?: string): Random;
  /** Whether a value fits a schema; true where the schema stands in no document. */
  fits(part: Part, value: unknown): boolean;
  make(parts: readonly Part[], spot: Spot): unknown;
}

/** The place a value is made for. */
export interface Spot {
  /** Its JSON pointer inside the whole value. */
  readonly path: string;
  /** The name of its random stream: its pointer, and how often it was tried anew. */
  readonly stream: string;
  /** The stream of the object it is a property of. */
  readonly owner: string;
  /** The name of the property it is, or the nearest one above it. */
  readonly name: string;
  /** The title of the schema of its owner, or the last step of that schema's pointer. */
  readonly kind: string;
  /** Objects above it. */
  readonly depth: number;
  /** Its position, inside an array. */
  readonly index: number;
  /** The schemas above it, to see a cycle. */
  readonly trail: readonly string[];
  /** What the caller gave for this place; undefined where nothing. */
  readonly given: unknown;
  /** A value to take after, where it fits: of an example of the schema above, or one that did not fit as a whole. */
  readonly hint: unknown;
  /** Whether the hint is the value meant, identifiers included, and not just one like it. */
  readonly exact: boolean;
  /** Whether values known from the request are repeated here. */
  readonly echoes: boolean;
  /** How often a value was taken already: from 1 on those of the document are passed by, then those of few kinds. */
  readonly fresh: number;
  /** Whether options are left out: properties, items and branches that are not needed. */
  readonly frugal: boolean;
}

/** Everything a maker of one type needs. */
export interface Task {
  readonly run: Run;
  readonly spot: Spot;
  readonly shape: Shape;
  readonly parts: readonly Part[];
  readonly decisions: Decisions;
}
