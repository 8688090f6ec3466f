import type { ErrorObject } from 'ajv';
import { isObject } from '../contract/json.js';
import { escapeSegment, readSegments } from '../contract/pointer.js';
import { nearest } from '../errors.js';
import { ANY_NUMBER } from './schema-unit.js';
import type { ViolationCode, ViolationPlace } from './violation.js';

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

/** The place of a violation, in the terms of the person who sent or wrote the value. */
export interface PlaceWords {
  readonly in: ViolationPlace;
  /** Of the parameter or header; undefined for a body. */
  readonly name: string | undefined;
  /** Whether the value is part of an answer. */
  readonly answered: boolean;
}

const PLACE_NAMES: Readonly<Record<ViolationPlace, string>> = {
  path: 'path parameter',
  query: 'query parameter',
  header: 'header',
  cookie: 'cookie',
  body: 'body',
  security: 'credential',
  method: 'method',
  status: 'status',
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/** The subject of a sentence: `query parameter "limit"`, `body property "owner.role"`, `the body`. */
export function toSubject(place: PlaceWords, path: string): string {
  const inside = toDotted(path);
  const noun = PLACE_NAMES[place.in];
  if (place.name !== undefined) {
    const whole = `${place.answered ? 'answer ' : ''}${noun} "${place.name}"`;
    return inside === '' ? whole : `"${inside}" in ${whole}`;
  }
  const body = place.answered ? 'answer' : noun;
  if (inside === '') return `the ${body}`;
  return inside.startsWith('[') ? `${body} item ${inside}` : `${body} property "${inside}"`;
}

/** A pointer as people write it: `/messages/0/role` is `messages[0].role`. */
function toDotted(pointer: string): string {
  let text = '';
  for (const segment of readSegments(pointer)) {
    if (/^(0|[1-9]\d*)$/.test(segment)) text += `[${segment}]`;
    else if (/^[\w$-]+$/.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
}

/** A value in a sentence: short JSON, or only its kind where that would be long. */
export function toWords(value: unknown): string {
  if (typeof value === 'string') return toQuoted(value);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  // Infinity stands for a number that is too large to be one; JSON has no word for it.
  if (typeof value === 'number') return String(value);
  // What is left of JSON is a flag, null or nothing.
  return JSON.stringify(value) ?? 'nothing';
}

function toQuoted(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.length <= 80 ? quoted : `${quoted.slice(0, 60)}…" (${text.length} characters)`;
}

/** The words for JSON types: `a string or null`. */
export function toTypeWords(types: readonly string[]): string {
  return toAlternatives(types.map((type) => TYPE_NAMES[type] ?? type));
}

/** Alternatives in a sentence: `a, b or c`; the rest is counted where there are more than twelve. */
export function toAlternatives(items: readonly string[]): string {
  const shown = items.length > 12 ? [...items.slice(0, 11), `${items.length - 11} more`] : items;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

/** A count with its noun: `1 item`, `3 items`. */
function toCount(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}
