import type { Contract } from '../contract/contract.js';
import type { Schema } from '../contract/json.js';
import { createRandom } from '../random.js';
import type { Validators } from '../schema/validate.js';
import type { Violation } from '../schema/violation.js';
import { readPlainName } from './text/names.js';
import { createVocabulary } from './text/vocabulary.js';
import { createExpander } from './values/expand.js';
import { createHeight } from './values/height.js';
import { make } from './values/make.js';
import { NOTHING, type Run, type Spot } from './values/run.js';
import { SYNTHETIC } from './values/shape.js';

/** What a generated value depends on besides its schema. */
export interface GenerateContext {
  readonly seed: number;
  /** Names the value: the same key and seed give the same value, whatever else was asked before. */
  readonly key: string;
  readonly direction: 'request' | 'response';
  /** Milliseconds since 1970: what dates are told from. */
  readonly now: number;
  /** Values for properties of the same name, in any spelling, used where they fit. */
  readonly known?: Readonly<Record<string, unknown>>;
  /** The name of what the value is for, where that is no property: of a header, a parameter. */
  readonly name?: string;
  /** A value that does not fit as a whole: what fits of it is kept. */
  readonly hint?: unknown;
  /** Whether `complete` adds optional properties as `value` does, and not only what is required; default false. */
  readonly full?: boolean;
  /** Hears what could not be done. */
  readonly note?: (line: string) => void;
}

/** Makes values that fit their schemas. */
export interface Generator {
  /** A value that fits the schema at a pointer: a function of (seed, key, place in the value) and the schema. */
  value(schemaPointer: string, context: GenerateContext): unknown;
  /** What was given, completed with what the schema requires; what was given wins. */
  complete(schemaPointer: string, partial: unknown, context: GenerateContext): unknown;
}

/** Attempts at one value; each one mends the places that were wrong in the one before. */
const MAXIMUM_ATTEMPTS = 6;

/** Creates a generator over one contract. Nothing is read until a value is asked for, and every schema is read once. */
export function createGenerator(contract: Contract, validators: Validators): Generator {
  const expander = createExpander(contract);
  const height = createHeight(expander);
  const vocabulary = createVocabulary();
  const attempt = (pointer: string, given: unknown, order: Order): unknown => {
    const { context, mistakes } = order;
    const run: Run = {
      direction: context.direction,
      now: context.now,
      expander,
      height,
      vocabulary,
      known: order.known,
      full: context.full === true,
      mistakes,
      steps: 0,
      random: (stream, purpose = '') => createRandom(context.seed, `${context.key}\0${stream}\0${purpose}`),
      fits: (part, value) =>
        part.pointer.includes(SYNTHETIC) ||
        validators
          .check(part.pointer, context.direction)(value, 'body')
          .every(({ severity }) => severity === 'note'),
      make: (parts, spot) => make(run, parts, spot),
    };
    // What stands at a schema's pointer is a schema.
    const schema = contract.at(pointer) as Schema;
    const { name = '', hint } = context;
    return run.make([{ schema, pointer }], { ...ROOT, given, name, hint, exact: hint !== undefined });
  };
  const generate: Generate = (pointer, given, context) => {
    const check = validators.check(pointer, context.direction);
    let known = readKnown(context.known);
    const mistakes = new Map<string, number>();
    let best: unknown = NOTHING;
    let fewest = Infinity;
    for (let i = 0; i < MAXIMUM_ATTEMPTS; i++) {
      const value = attempt(pointer, given, { context, mistakes, known });
      if (value === NOTHING && known.size === 0) break;
      if (value === NOTHING) {
        known = new Map();
        continue;
      }
      const violations = check(value, 'body').filter(({ severity }) => severity === 'error');
      if (violations.length === 0) return value;
      if (violations.length < fewest) {
        best = value;
        fewest = violations.length;
      }
      learn(mistakes, violations, i);
    }
    context.note?.(`no value was found that fits the schema at ${pointer}`);
    return best === NOTHING ? (given ?? null) : best;
  };
  return { value: rememberValues(generate), complete: generate };
}

type Generate = (schemaPointer: string, given: unknown, context: GenerateContext) => unknown;

/** Values kept, the oldest forgotten first: one that is asked for again is the same, so it need not be made again. */
const MAXIMUM_REMEMBERED = 256;

/** A longer name, which repeats a large request, costs more memory than the value is worth. */
const MAXIMUM_NAME_LENGTH = 16_384;

/** The same values, made once where they are asked for again. */
function rememberValues(generate: Generate): Generator['value'] {
  const remembered = new Map<string, unknown>();
  return (schemaPointer, context) => {
    if (context.hint !== undefined) return generate(schemaPointer, undefined, context);
    const name = nameValue(schemaPointer, context);
    if (name.length > MAXIMUM_NAME_LENGTH) return generate(schemaPointer, undefined, context);
    if (remembered.has(name)) return remembered.get(name);
    let isSound = true;
    const note = (line: string): void => {
      isSound = false;
      context.note?.(line);
    };
    const value = generate(schemaPointer, undefined, { ...context, note });
    if (!isSound) return value;
    const [oldest] = remembered.keys();
    if (remembered.size >= MAXIMUM_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    remembered.set(name, value);
    return value;
  };
}

/** All that a value is a function of. */
function nameValue(schemaPointer: string, context: GenerateContext): string {
  const { seed, key, direction, now, name = '', known } = context;
  const echoes = known === undefined ? '' : JSON.stringify(known);
  return [schemaPointer, direction, seed, now, name, key, echoes].join('\n');
}

interface Order {
  readonly context: GenerateContext;
  readonly mistakes: ReadonlyMap<string, number>;
  readonly known: ReadonlyMap<string, unknown>;
}

const ROOT: Spot = {
  path: '',
  stream: '',
  owner: '',
  name: '',
  kind: '',
  depth: 0,
  index: 0,
  trail: [],
  given: undefined,
  hint: undefined,
  exact: false,
  echoes: true,
  fresh: 0,
  frugal: false,
};

/** Marks the places that were wrong, and with every further attempt one level more above them. */
function learn(mistakes: Map<string, number>, violations: readonly Violation[], attempt: number): void {
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

function readKnown(known: Readonly<Record<string, unknown>> | undefined): ReadonlyMap<string, unknown> {
  const plain = new Map<string, unknown>();
  for (const [name, value] of Object.entries(known ?? {})) {
    if (value !== undefined) plain.set(readPlainName(name), value);
  }
  return plain;
}
