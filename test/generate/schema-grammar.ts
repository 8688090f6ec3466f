// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema
import { createRandom, type Random } from '../../src/base/random.js';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

interface Grammar {
  readonly random: Random;
  /** Schemas to refer to. */
  readonly definitions: Record<string, unknown>;
}

/** A schema out of the grammar of JSON Schema, and a value that is known to fit it. */
export interface Sentence {
  readonly schema: unknown;
  readonly definitions: Readonly<Record<string, unknown>>;
  readonly witness: Json;
}

/** Grows a schema around a value that fits it, so that every schema made here can be satisfied. */
export function growSchema(witness: Json, seed: number): Sentence {
  const definitions: Record<string, unknown> = {};
  const schema = grow({ random: createRandom(seed, 'grammar'), definitions }, witness, 2);
  return { schema, definitions, witness };
}

function grow(grammar: Grammar, value: Json, depth: number): unknown {
  const { random } = grammar;
  const plain = describe(grammar, value, depth);
  if (depth === 0) return plain;
  switch (random.integer(0, 13)) {
    case 0:
      return { allOf: [plain, grow(grammar, value, depth - 1)] };
    case 1:
      return { anyOf: [grow(grammar, value, depth - 1), grow(grammar, other(grammar), depth - 1)] };
    case 2:
      return { ...plain, anyOf: [grow(grammar, other(grammar), 0), grow(grammar, value, depth - 1)] };
    case 3:
      return { oneOf: [plain, { allOf: [grow(grammar, other(grammar), 0), { not: plain }] }] };
    case 4:
      return { ...plain, not: foreign(value) };
    case 5:
      return { ...plain, if: describe(grammar, value, 0), then: grow(grammar, value, depth - 1), else: false };
    case 6:
      return { ...plain, if: foreign(value), then: false, else: grow(grammar, value, depth - 1) };
    case 7: {
      const name = `Part${Object.keys(grammar.definitions).length}`;
      grammar.definitions[name] = true;
      grammar.definitions[name] = grow(grammar, value, depth - 1);
      return { ...plain, $ref: `#/components/schemas/${name}` };
    }
    default:
      return plain;
  }
}

/** Keywords that hold for a value. */
function describe(grammar: Grammar, value: Json, depth: number): Record<string, unknown> {
  const { random } = grammar;
  if (random.next() < 0.12) return { const: value };
  if (random.next() < 0.12) return { enum: random.next() < 0.5 ? [value, 'else', -1] : [null, value] };
  if (value === null) return { type: random.next() < 0.5 ? 'null' : ['null', 'string'] };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'number') return describeNumber(random, value);
  if (typeof value === 'string') return describeString(random, value);
  return Array.isArray(value)
    ? describeArray(grammar, value as readonly Json[], depth)
    : describeObject(grammar, value as Readonly<Record<string, Json>>, depth);
}

function describeNumber(random: Random, value: number): Record<string, unknown> {
  const schema: Record<string, unknown> = {
    type: Number.isInteger(value) && random.next() < 0.7 ? 'integer' : 'number',
  };
  if (random.next() < 0.4) schema['minimum'] = value - random.integer(0, 3);
  if (random.next() < 0.4) schema['maximum'] = value + random.integer(0, 3);
  if (random.next() < 0.2) schema['exclusiveMinimum'] = value - 1;
  if (random.next() < 0.2) schema['exclusiveMaximum'] = value + 1;
  if (Number.isInteger(value) && random.next() < 0.3) schema['multipleOf'] = value === 0 ? 5 : Math.abs(value);
  return schema;
}

const PATTERNS = [/^.*$/, /^[a-z]*$/, /[a-z]/, /^\w+$/, /^[^\s]*$/, /\d/, /^[a-z]{2,5}$/, /^(?=.*\d).+$/];

function describeString(random: Random, value: string): Record<string, unknown> {
  const schema: Record<string, unknown> = { type: 'string' };
  const length = Array.from(value).length;
  if (random.next() < 0.4) schema['minLength'] = Math.max(0, length - random.integer(0, 2));
  if (random.next() < 0.4) schema['maxLength'] = length + random.integer(0, 2);
  const matching = PATTERNS.filter((pattern) => pattern.test(value));
  if (matching.length > 0 && random.next() < 0.5) schema['pattern'] = random.pick(matching).source;
  return schema;
}

function describeArray(grammar: Grammar, value: readonly Json[], depth: number): Record<string, unknown> {
  const { random } = grammar;
  const inner = Math.max(0, depth - 1);
  const schema: Record<string, unknown> = { type: 'array' };
  if (random.next() < 0.4) schema['minItems'] = Math.max(0, value.length - random.integer(0, 1));
  if (random.next() < 0.4) schema['maxItems'] = value.length + random.integer(0, 2);
  const isUnique = new Set(value.map((item) => JSON.stringify(item))).size === value.length;
  const first = value[0];
  if (random.next() < 0.4) {
    schema['prefixItems'] = value.map((item) => grow(grammar, item, inner));
    if (random.next() < 0.5) schema[random.next() < 0.5 ? 'items' : 'unevaluatedItems'] = false;
  } else if (first !== undefined && random.next() < 0.7) {
    schema['items'] = { anyOf: value.map((item) => grow(grammar, item, inner)) };
  }
  if (first !== undefined && random.next() < 0.25) schema['contains'] = grow(grammar, random.pick(value), 0);
  if (isUnique && random.next() < 0.25) schema['uniqueItems'] = true;
  return schema;
}

function describeObject(
  grammar: Grammar,
  value: Readonly<Record<string, Json>>,
  depth: number,
): Record<string, unknown> {
  const { random } = grammar;
  const inner = Math.max(0, depth - 1);
  const names = Object.keys(value);
  const declared = names.filter(() => random.next() < 0.8);
  const schema: Record<string, unknown> = { type: 'object' };
  schema['properties'] = Object.fromEntries(declared.map((name) => [name, grow(grammar, value[name] ?? null, inner)]));
  schema['required'] = names.filter(() => random.next() < 0.6);
  const isAllDeclared = declared.length === names.length;
  if (isAllDeclared && random.next() < 0.4) schema['additionalProperties'] = false;
  else if (isAllDeclared && random.next() < 0.3) schema['unevaluatedProperties'] = false;
  else if (random.next() < 0.2) schema['additionalProperties'] = { anyOf: [{}, { type: 'integer' }] };
  if (random.next() < 0.2) schema['minProperties'] = Math.max(0, names.length - 1);
  if (random.next() < 0.2) schema['maxProperties'] = names.length;
  const [first, second] = names;
  if (first !== undefined && second !== undefined && random.next() < 0.3)
    schema['dependentRequired'] = { [first]: [second] };
  if (first !== undefined && random.next() < 0.2) schema['dependentSchemas'] = { [first]: describe(grammar, value, 0) };
  if (random.next() < 0.15) schema['propertyNames'] = { pattern: '^[a-z0-9_]*$' };
  if (random.next() < 0.15) schema['patternProperties'] = { '^yy': { type: 'boolean' } };
  return schema;
}

/** A value of another branch. */
function other({ random }: Grammar): Json {
  return random.pick<Json>([1, 'text', true, null, { a: 1 }, ['x'], 2.5]);
}

/** A schema that a value does not fit. */
function foreign(value: Json): unknown {
  if (value === null) return { type: ['string', 'object'] };
  if (typeof value === 'number') return { type: ['string', 'null'] };
  return typeof value === 'string' ? { type: ['integer', 'array'] } : { type: ['string', 'number'] };
}
