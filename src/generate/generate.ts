import { memoize } from '../base/memoize.js';
import type { Contract } from '../contract/contract.js';
import { freezeDeep, type Schema } from '../base/json.js';
import { readPointer } from '../contract/pointer.js';
import { createRandomOf, hashText } from '../base/random.js';
import type { Validators } from '../schema/validate.js';
import { hasErrors, listErrors, type Violation } from '../schema/violation.js';
import { toBareName } from '../base/names.js';
import { createVocabulary } from './text/vocabulary.js';
import { createMergeSchemas, splitPart } from './values/merge-schemas.js';
import { createMinimumDepth, type Attempt, IMPOSSIBLE } from './values/attempt.js';
import { make } from './values/make.js';
import { type SchemaPart, SYNTHETIC, type ValuePlace } from './values/shape.js';

/** The inputs of a generated value, besides its schema. */
export interface GenerateContext {
  readonly seed: number;
  /** Identifies the value: the same key and seed give the same value, whatever was generated before. */
  readonly key: string;
  readonly direction: 'request' | 'response';
  /** Milliseconds since 1970; dates are relative to it. */
  readonly now: number;
  /** Values for properties of the same name in any spelling, used if they fit. */
  readonly known?: Readonly<Record<string, unknown>>;
  /** The number of the value among others of its kind, from 0: they use examples and enumerated values in turn, then vary. */
  readonly index?: number;
  /** The name of the header or parameter that the value is for. */
  readonly name?: string;
  /** Whether it is for a header of a response: some have a form of their own (RFC 9110). */
  readonly isHeader?: boolean;
  /** An invalid value; its valid parts are kept. */
  readonly hint?: unknown;
  /** Whether `complete` adds optional properties too, as `value` does; default false. */
  readonly full?: boolean;
  /** Called with a sentence if no valid value was found, and with true where the parts of the schema contradict each other. */
  readonly note?: (line: string, isContradictory?: boolean) => void;
}

/** Generates values that fit their schemas. */
export interface Generator {
  /** A value for the schema at a pointer: each part of it depends on seed, key, its own place and its schema only. */
  value(schemaPointer: string, context: GenerateContext): unknown;
  /** A partial value, completed with what the schema requires; given parts stay. */
  complete(schemaPointer: string, partial: unknown, context: GenerateContext): unknown;
  /** Whether parts of what the schema at a pointer requires in answers contradict each other: a value may be impossible. Cheaper than a value. */
  mayContradict(schemaPointer: string): boolean;
}

/** Attempts at one value; each one repairs what was wrong in the one before. */
const MAX_ATTEMPTS = 6;

/** Creates a generator for one contract; every schema is read once, when it is needed. */
export function createGenerator(contract: Contract, validators: Validators): Generator {
  const createAttempt = createAttempts(contract, validators);
  // The same list each time, by which its merged shape is found. The value at a schema's pointer is a schema.
  const partsAt = memoize((pointer: string): readonly SchemaPart[] => [
    { schema: contract.at(pointer) as Schema, pointer },
  ]);
  const complete: Generate = (pointer, given, context) => {
    const check = validators.check(pointer, context.direction);
    const parts = partsAt(pointer);
    const place = toRootPlace(context, given);
    let known = toPlainNames(context.known);
    const mistakes = new Map<string, number>();
    let best: unknown = IMPOSSIBLE;
    let fewest = Infinity;
    let isContradictory = false;
    for (let i = 0; i < MAX_ATTEMPTS; i++) {
      const attempt = createAttempt(context, mistakes, known);
      const value = attempt.make(parts, place);
      isContradictory ||= attempt.isContradictory;
      if (value === IMPOSSIBLE) {
        if (known.size === 0) break;
        known = new Map();
        continue;
      }
      const violations = listErrors(check(value, 'body'));
      if (violations.length === 0) return value;
      if (violations.length < fewest) {
        best = value;
        fewest = violations.length;
      }
      // Given values do not change, so that another attempt has the same violations.
      if (violations.every(({ pointer }) => isKept(given, value, pointer))) break;
      countMistakes(mistakes, violations, i);
    }
    if (best !== IMPOSSIBLE || !isContradictory || given !== undefined) {
      context.note?.(`no value was found that fits the schema at ${pointer}`);
      return best === IMPOSSIBLE ? (given ?? null) : best;
    }
    context.note?.(`no value can fit the schema at ${pointer}`, true);
    const value = createAttempt({ ...context, isTolerant: true }, new Map(), known).make(parts, place);
    return value === IMPOSSIBLE ? null : value;
  };
  const mayContradict = (pointer: string): boolean => {
    const context: GenerateContext = { seed: 1, key: pointer, direction: 'response', now: 0 };
    const attempt = createAttempt(context, new Map(), new Map());
    // At depth 0 the properties of the properties would not be minimal.
    attempt.make(partsAt(pointer), { ...toRootPlace(context, undefined), depth: 1, minimal: true });
    return attempt.isContradictory;
  };
  return { value: cacheValues(complete), complete, mayContradict };
}

/** Whether a value has at a pointer what was given there. */
function isKept(given: unknown, value: unknown, pointer: string): boolean {
  const own = readPointer(given, pointer);
  return pointer !== '' && own !== undefined && own === readPointer(value, pointer);
}

type Generate = Generator['complete'];

type CreateAttempt = (
  context: GenerateContext & Partial<Pick<Attempt, 'isTolerant'>>,
  mistakes: Attempt['mistakes'],
  known: Attempt['known'],
) => Attempt;

function createAttempts(contract: Contract, validators: Validators): CreateAttempt {
  const merge = createMergeSchemas(contract);
  const minimumDepth = createMinimumDepth(merge);
  const vocabulary = createVocabulary();
  const split = (part: SchemaPart): readonly SchemaPart[] => splitPart(contract, part);
  return ({ direction, now, seed, index, isHeader = false, full = false, isTolerant = false }, mistakes, known) => {
    const attempt: Attempt = {
      direction,
      now,
      isHeader,
      merge,
      minimumDepth,
      vocabulary,
      known,
      full,
      isVaried: index !== undefined,
      isTolerant,
      isContradictory: false,
      split,
      mistakes,
      steps: 0,
      random: (stream, purpose = '') => createRandomOf(seed, hashText(purpose, hashText('\0', stream))),
      fits: (part, value) =>
        part.pointer.includes(SYNTHETIC) ||
        validators.accepts(part.pointer, direction)(value) ||
        // A request that fits several alternatives has no error.
        (direction === 'request' && !hasErrors(validators.check(part.pointer, direction)(value, 'body'))),
      make: (parts, place) => make(attempt, parts, place),
    };
    return attempt;
  };
}

/** Values that are kept; the oldest one is removed first. */
const MAX_CACHED = 256;

/** A longer key, from a large request, costs more memory than the value is worth. */
const MAX_KEY_LENGTH = 16_384;

/** Generates each value once while it is in the cache; it is frozen, since others get the same one. */
function cacheValues(generate: Generate): Generator['value'] {
  const cache = new Map<string, unknown>();
  return (schemaPointer, context) => {
    if (context.hint !== undefined) return generate(schemaPointer, undefined, context);
    const key = toCacheKey(schemaPointer, context);
    if (key.length > MAX_KEY_LENGTH) return generate(schemaPointer, undefined, context);
    if (cache.has(key)) return cache.get(key);
    let isValid = true;
    const note: GenerateContext['note'] = (line, isContradictory) => {
      isValid = false;
      context.note?.(line, isContradictory);
    };
    const value = freezeDeep(generate(schemaPointer, undefined, { ...context, note }));
    if (!isValid) return value;
    const [oldest] = cache.keys();
    if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    cache.set(key, value);
    return value;
  };
}

/** Everything that a value depends on. */
function toCacheKey(schemaPointer: string, context: GenerateContext): string {
  const { seed, key, direction, now, name = '', known, index = '' } = context;
  const values = known === undefined ? '' : JSON.stringify(known);
  return [schemaPointer, direction, seed, now, name, key, index, values].join('\n');
}

/** The place of a whole value: its streams begin with the hash of its key, and where it is in the value follows. */
function toRootPlace({ key, name = '', hint, index = 0 }: GenerateContext, given: unknown): ValuePlace {
  const stream = hashText('\0', hashText(key));
  // One literal: a property that is added to a spread object costs more than all others together.
  return {
    path: '',
    stream,
    ownerStream: stream,
    name,
    kind: '',
    depth: 0,
    index,
    ancestors: NO_ANCESTORS,
    given,
    hint,
    isHintUsed: false,
    exact: hint !== undefined,
    repeatsRequest: true,
    repeats: 0,
    minimal: false,
  };
}

const NO_ANCESTORS: ValuePlace['ancestors'] = [];

/** Counts the places that were wrong, and with every further attempt one more level above them. */
function countMistakes(mistakes: Map<string, number>, violations: readonly Violation[], attempt: number): void {
  const places = new Set<string>();
  for (const { pointer } of violations) {
    let place = pointer;
    places.add(place);
    for (let i = 0; i < attempt && place !== ''; i++) {
      place = place.slice(0, place.lastIndexOf('/'));
      places.add(place);
    }
  }
  for (const place of places) mistakes.set(place, (mistakes.get(place) ?? 0) + 1);
}

function toPlainNames(known: Readonly<Record<string, unknown>> | undefined): ReadonlyMap<string, unknown> {
  const plain = new Map<string, unknown>();
  for (const [name, value] of Object.entries(known ?? {})) {
    if (value !== undefined) plain.set(toBareName(name), value);
  }
  return plain;
}
