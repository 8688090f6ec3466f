import type { ErrorObject } from 'ajv';
import { escapeSegment } from '../contract/pointer.js';
import { isObject } from '../contract/json.js';
import { nearest } from '../errors.js';
import { ANY_NUMBER } from './schema-unit.js';
import type { ViolationCode } from './violation-codes.js';
import { toAlternatives, toCount, toTypeWords, toWords } from './wording.js';

/** One broken rule, before it is put into a sentence with its subject. */
export interface Finding {
  readonly code: ViolationCode;
  /** JSON pointer inside the value. */
  readonly path: string;
  /** The rest of the sentence after the subject. */
  readonly says: string;
  readonly schemaPointer: string | undefined;
}

type Said = readonly [code: ViolationCode, says: string, below?: string];

/** What one error of the validator says; undefined for one that only repeats what others say. */
export function toFinding(error: ErrorObject, schemaPointer: string | undefined): Finding | undefined {
  const say = SENTENCES[error.keyword];
  const said = say === undefined ? fallback(error) : say(error);
  if (said === undefined) return undefined;
  const [code, says, below] = said;
  const path = below === undefined ? error.instancePath : `${error.instancePath}/${escapeSegment(below)}`;
  return { code, path, says, schemaPointer };
}

/** `, not X`, with the value that came. */
function butCame(value: unknown): string {
  return `, not ${toWords(value)}`;
}

/** The sentence for a value that is not one of a list, with the nearest one that is. */
export function toEnumSentence(value: unknown, allowed: readonly unknown[]): string {
  const texts = allowed.filter((item): item is string => typeof item === 'string');
  const close = typeof value === 'string' && allowed.length > 2 ? nearestWord(value, texts) : undefined;
  const hint = close === undefined ? '' : `; did you mean ${JSON.stringify(close)}?`;
  return `must be ${toAlternatives(allowed.map(toWords))}${butCame(value)}${hint}`;
}

const SENTENCES: Readonly<Record<string, (error: ErrorObject) => Said | undefined>> = {
  type: ({ params, data }) => ['TYPE', `must be ${toTypeWords([params['type']].flat() as string[])}${butCame(data)}`],
  enum: ({ params, data }) => ['ENUM', toEnumSentence(data, params['allowedValues'] as unknown[])],
  const: ({ params, data }) => ['CONST', `must be ${toWords(params['allowedValue'])}${butCame(data)}`],
  required: (error) => ['REQUIRED', `is required${misspelled(error)}`, String(error.params['missingProperty'])],
  dependentRequired: ({ params }) => [
    'DEPENDENT_REQUIRED',
    `is required where "${String(params['property'])}" is given`,
    String(params['missingProperty']),
  ],
  additionalProperties: (error) => forbidden('ADDITIONAL_PROPERTY', error, String(error.params['additionalProperty'])),
  unevaluatedProperties: (error) => forbidden('UNEVALUATED', error, String(error.params['unevaluatedProperty'])),
  unevaluatedItems: () => ['UNEVALUATED', 'has more items than any part of its schema allows'],
  items: ({ params, data }) => [
    'ITEM_COUNT',
    `must have at most ${toCount(Number(params['limit']), 'item')}${has(data)}`,
  ],
  minimum: ({ params, data }) => ['RANGE', `must be at least ${params['limit']}${butCame(data)}`],
  maximum: ({ params, data }) => ['RANGE', `must be at most ${params['limit']}${butCame(data)}`],
  exclusiveMinimum: ({ params, data }) => ['RANGE', `must be greater than ${params['limit']}${butCame(data)}`],
  exclusiveMaximum: ({ params, data }) => ['RANGE', `must be less than ${params['limit']}${butCame(data)}`],
  multipleOf: ({ params, data }) => ['MULTIPLE_OF', `must be a multiple of ${params['multipleOf']}${butCame(data)}`],
  minLength: ({ params, data }) => ['LENGTH', length('at least', Number(params['limit']), data)],
  maxLength: ({ params, data }) => ['LENGTH', length('at most', Number(params['limit']), data)],
  pattern: ({ params, data }) => ['PATTERN', `must match the pattern ${String(params['pattern'])}${butCame(data)}`],
  format: ({ params, data }) => [
    'FORMAT',
    `must be written as ${FORMAT_WORDS[params['format']] ?? params['format']}${butCame(data)}`,
  ],
  minItems: ({ params, data }) => [
    'ITEM_COUNT',
    `must have at least ${toCount(Number(params['limit']), 'item')}${has(data)}`,
  ],
  maxItems: ({ params, data }) => [
    'ITEM_COUNT',
    `must have at most ${toCount(Number(params['limit']), 'item')}${has(data)}`,
  ],
  minProperties: ({ params, data }) => [
    'PROPERTY_COUNT',
    `must have at least ${toCount(Number(params['limit']), 'property')}${has(data)}`,
  ],
  maxProperties: ({ params, data }) => [
    'PROPERTY_COUNT',
    `must have at most ${toCount(Number(params['limit']), 'property')}${has(data)}`,
  ],
  uniqueItems: ({ params }) => [
    'UNIQUE',
    `must not hold the same item twice, as it does at [${params['j']}] and [${params['i']}]`,
  ],
  contains: ({ params }) => ['CONTAINS', contains(params as Readonly<Record<string, unknown>>)],
  propertyNames: ({ params }) => [
    'PROPERTY_NAME',
    'is not a name that a property may have here',
    String(params['propertyName']),
  ],
  not: ({ data }) => ['EXCLUDED', `is of a kind that the schema rules out: ${toWords(data)}`],
  'false schema': ({ data }) => ['EXCLUDED', `must not be there at all, and is ${toWords(data)}`],
  vouchForbidden: () => ['WRITE_ONLY', 'is write-only and must not be answered'],
  // The parts of `then` and `else` say what is wrong.
  if: () => undefined,
};

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-01-31',
  'date-time': 'a date and time such as 2026-01-31T12:00:00Z',
  time: 'a time such as 12:00:00Z',
  email: 'an e-mail address',
  uri: 'an absolute URI',
  url: 'an absolute URL',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  hostname: 'a host name',
  byte: 'base64',
  int32: 'a 32-bit integer',
  int64: 'a 64-bit integer',
};

function fallback(error: ErrorObject): Said {
  return ['EXCLUDED', `breaks the rule "${error.keyword}"`];
}

function length(bound: string, limit: number, data: unknown): string {
  const count = Array.from(String(data)).length;
  const came = count === 0 ? 'but is empty' : `not ${count}`;
  return `must be ${bound} ${toCount(limit, 'character')} long, ${came}`;
}

function has(data: unknown): string {
  const count = Array.isArray(data) ? data.length : isObject(data) ? Object.keys(data).length : undefined;
  return count === undefined ? '' : `, not ${count}`;
}

function contains(params: Readonly<Record<string, unknown>>): string {
  const least = `must hold at least ${toCount(Number(params['minContains'] ?? 1), 'item')} of the kind the schema asks for`;
  return (params['maxContains'] ?? ANY_NUMBER) === ANY_NUMBER
    ? least
    : `${least}, and at most ${Number(params['maxContains'])}`;
}

/** For a missing property: another name in the object that was probably meant. */
function misspelled({ data, params, parentSchema }: ErrorObject): string {
  if (!isObject(data)) return '';
  const known = new Set(namesOf(parentSchema));
  const close = nearestWord(
    String(params['missingProperty']),
    Object.keys(data).filter((name) => !known.has(name)),
  );
  return close === undefined ? '' : ` (is "${close}" a misspelling of it?)`;
}

function forbidden(code: ViolationCode, { parentSchema }: ErrorObject, name: string): Said {
  const close = nearestWord(name, namesOf(parentSchema));
  return [code, `is not allowed here${close === undefined ? '' : `; did you mean "${close}"?`}`, name];
}

/** The nearest word, if both are long enough for their likeness to mean anything. */
export function nearestWord(given: string, candidates: readonly string[]): string | undefined {
  if (given.length < 3) return undefined;
  return nearest(
    given,
    candidates.filter((candidate) => candidate.length >= 3),
  );
}

function namesOf(schema: unknown): readonly string[] {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}
