import type { ErrorObject } from 'ajv';
import { isObject, mapValues } from '../contract/json.js';
import { escapeSegment, readEntries, readSegments } from '../contract/pointer.js';
import { nearest, suggest, countOf, joinWords } from '../errors.js';
import { memoizeText } from '../memoize.js';
import { ANY_NUMBER, countCodePoints, FORBIDDEN_KEYWORD } from './schema-unit.js';
import { toFormatWords } from './interpret/formats.js';
import type { ViolationCode, ViolationPlace } from './violation.js';
import { isBytes } from '../platform.js';

/** One violated keyword, before it is put into a sentence with its subject. */
export interface Finding {
  readonly code: ViolationCode;
  /** JSON pointer inside the value. */
  readonly path: string;
  /** The rest of the sentence after the subject. */
  readonly says: string;
  readonly schemaPointer: string | undefined;
  /** Whether the value matches several alternatives of a `oneOf` of which a union was meant. */
  readonly isAmbiguous?: boolean;
}

/** The names of an object, listed once for all its errors. */
export type ListNames = (data: object) => readonly string[];

/** One error of ajv as a finding; undefined for one that only repeats others. */
export function toFinding(
  error: ErrorObject,
  schemaPointer: string | undefined,
  listNames: ListNames,
): Finding | undefined {
  const describe = SENTENCES[error.keyword] ?? (({ keyword }) => ['EXCLUDED', `violates the keyword "${keyword}"`]);
  const sentence = describe(error, listNames);
  if (sentence === undefined) return undefined;
  const [code, says, below] = sentence;
  const path = below === undefined ? error.instancePath : `${error.instancePath}/${escapeSegment(below)}`;
  return { code, path, says, schemaPointer };
}

/** The sentence for a value that is not one of a list, with the nearest one that is. */
export function toEnumSentence(value: unknown, allowed: readonly unknown[]): string {
  const texts = allowed.filter((item): item is string => typeof item === 'string');
  const hint = typeof value === 'string' && allowed.length > 2 ? suggest(value, texts) : undefined;
  const listed = `${allowed.length > 1 ? 'one of ' : ''}${shorten(allowed.map(toWords)).join(', ')}`;
  return `must be ${listed}, got ${toWords(value)}${withHint(hint)}`;
}

/** A hint as the last part of a sentence. */
export function withHint(hint: string | undefined): string {
  return hint === undefined ? '' : `; ${hint}`;
}

/** A code, the predicate of a sentence, and the property it is about where that is not the value itself. */
type Sentence = readonly [code: ViolationCode, says: string, below?: string];

type Describe = (error: ErrorObject, listNames: ListNames) => Sentence | undefined;

/** Keyword of a limit on a number -> how the limit reads. */
const LIMITS = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'greater than',
  exclusiveMaximum: 'less than',
} as const;

/** Keyword of a limit on a size -> its code, how the limit reads, and what is counted. */
const SIZES = {
  minLength: ['LENGTH', 'at least', 'character'],
  maxLength: ['LENGTH', 'at most', 'character'],
  minItems: ['ITEM_COUNT', 'at least', 'item'],
  maxItems: ['ITEM_COUNT', 'at most', 'item'],
  // `items: false` behind `prefixItems`.
  items: ['ITEM_COUNT', 'at most', 'item'],
  minProperties: ['PROPERTY_COUNT', 'at least', 'property'],
  maxProperties: ['PROPERTY_COUNT', 'at most', 'property'],
} as const;

/** One entry per keyword. */
const SENTENCES: Readonly<Record<string, Describe>> = {
  ...mapValues(LIMITS, (words): Describe => ({ params, data }) => {
    return ['RANGE', `must be ${words} ${params['limit']}, got ${toWords(data)}`];
  }),
  ...mapValues(SIZES, ([code, words, noun]): Describe => ({ params, data }) => {
    return [code, `must have ${words} ${countOf(Number(params['limit']), noun)}, got ${readSize(data)}`];
  }),
  // ajv gives a string or an array of strings.
  type: ({ params, data }) => {
    return ['TYPE', `must be ${toTypeWords([params['type']].flat() as string[])}, got ${toWords(data)}`];
  },
  // ajv hands the array of the schema over.
  enum: ({ params, data }) => ['ENUM', toEnumSentence(data, params['allowedValues'] as unknown[])],
  const: ({ params, data }) => ['CONST', toEnumSentence(data, [params['allowedValue']])],
  required: (error, listNames) => {
    return ['REQUIRED', `is required${describeMisspelling(error, listNames)}`, String(error.params['missingProperty'])];
  },
  dependentRequired: ({ params: { property, missingProperty } }) => {
    return ['DEPENDENT_REQUIRED', `is required when "${String(property)}" is present`, String(missingProperty)];
  },
  additionalProperties: (error) => forbid('ADDITIONAL_PROPERTY', error, String(error.params['additionalProperty'])),
  unevaluatedProperties: (error) => forbid('UNEVALUATED', error, String(error.params['unevaluatedProperty'])),
  unevaluatedItems: () => ['UNEVALUATED', 'has more items than its schema allows'],
  multipleOf: ({ params: { multipleOf }, data }) => {
    return ['MULTIPLE_OF', `must be a multiple of ${multipleOf}, got ${toWords(data)}`];
  },
  pattern: ({ params: { pattern }, data }) => {
    return ['PATTERN', `must match the pattern ${String(pattern)}, got ${toWords(data)}`];
  },
  format: ({ params, data }) => ['FORMAT', `must be ${toFormatWords(String(params['format']))}, got ${toWords(data)}`],
  uniqueItems: ({ params: { i, j } }) => {
    return ['UNIQUE', `must not have duplicate items, got the same at [${j}] and [${i}]`];
  },
  contains: ({ params: { minContains = 1, maxContains = ANY_NUMBER } }) => {
    const most = maxContains === ANY_NUMBER ? '' : ` and at most ${maxContains}`;
    return ['CONTAINS', `must contain at least ${countOf(Number(minContains), 'matching item')}${most}`];
  },
  propertyNames: ({ params }) => ['PROPERTY_NAME', 'is not an allowed property name', String(params['propertyName'])],
  not: ({ data }) => ['EXCLUDED', `must not match the schema of "not", got ${toWords(data)}`],
  'false schema': ({ data }) => ['EXCLUDED', `must not be present, got ${toWords(data)}`],
  [FORBIDDEN_KEYWORD]: () => ['WRITE_ONLY', 'is write-only and must not be in an answer'],
  // The errors of `then` and `else` say what is wrong.
  if: () => undefined,
};

/** Characters of a string (code points, as JSON Schema counts), items of an array or properties of an object. */
function readSize(data: unknown): number {
  if (typeof data === 'string') return countCodePoints(data);
  return Array.isArray(data) ? data.length : readEntries(data).length;
}

/** The most names that a missing property is compared with. */
const MAX_NAMES = 1000;

/** For a missing property: another name in the object that was probably meant. */
function describeMisspelling({ data, params, parentSchema }: ErrorObject, listNames: ListNames): string {
  const names = isObject(data) ? listNames(data) : [];
  if (names.length > MAX_NAMES) return '';
  const declared = isObject(parentSchema) ? parentSchema['properties'] : undefined;
  const unknown = names.filter((name) => !isObject(declared) || !Object.hasOwn(declared, name));
  const close = nearest(String(params['missingProperty']), unknown);
  return close === undefined ? '' : `; is "${close}" a misspelling of it?`;
}

function forbid(code: ViolationCode, { parentSchema }: ErrorObject, name: string): Sentence {
  return [code, `is not allowed${withHint(suggest(name, namesOf(parentSchema)))}`, name];
}

function namesOf(schema: unknown): readonly string[] {
  return isObject(schema) ? readEntries(schema['properties']).map(([name]) => name) : [];
}

/** The subject of a sentence: where the value is. */
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
  boolean: 'a boolean',
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

/** A pointer as a property path: `/messages/0/role` is `messages[0].role`. */
const toDotted = memoizeText((pointer) => {
  let text = '';
  for (const segment of readSegments(pointer)) {
    if (/^(0|[1-9]\d*)$/.test(segment)) text += `[${segment}]`;
    else if (/^[\w$-]+$/.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
});

/** A value in a sentence: short JSON, or only its type where that would be long. */
export function toWords(value: unknown): string {
  if (typeof value === 'string') return toQuoted(value);
  if (isBytes(value)) return `${value.length} bytes`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  // JSON.parse reads a number that is too large as Infinity, which JSON.stringify writes as null.
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing');
}

function toQuoted(text: string): string {
  const quoted = JSON.stringify(text.slice(0, 80));
  return quoted.length <= 80 && text.length < 80 ? quoted : `${quoted.slice(0, 60)}…" (${text.length} characters)`;
}

/** The words for JSON types: `a string or null`. */
export function toTypeWords(types: readonly string[]): string {
  const [first = '', second] = types;
  if (second === undefined) return TYPE_NAMES[first] ?? first;
  return toAlternatives(types.map((type) => TYPE_NAMES[type] ?? type));
}

/** Alternatives in a sentence: `a, b or c`; the rest is counted where there are more than twelve. */
export function toAlternatives(items: readonly string[]): string {
  return joinWords(shorten(items));
}

function shorten(items: readonly string[]): readonly string[] {
  return items.length > 12 ? [...items.slice(0, 11), `${items.length - 11} more`] : items;
}
