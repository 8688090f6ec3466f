import { isObject, mapValues } from '../base/json.js';
import { escapeSegment, readEntries, readSegments } from '../contract/pointer.js';
import { nearest, suggest, countOf, joinWords } from '../base/errors.js';
import { memoizeText } from '../base/memoize.js';
import { countCodePoints } from './checker/comparisons.js';
import type { SchemaError } from './checker/check.js';
import { toFormatWords } from './checker/formats.js';
import { ANY_NUMBER, FORBIDDEN_KEYWORD } from './schema-unit.js';
import type { ViolationCode, ViolationPlace } from './violation.js';
import { isBytes } from '../base/platform.js';

/** One violated keyword, before it is put into a sentence with its subject. */
export interface Finding {
  readonly code: ViolationCode;
  /** JSON pointer inside the value. */
  readonly path: string;
  /** The rest of the sentence after the subject. */
  readonly says: string;
  readonly schemaPointer: string | undefined;
  /** Whether the value matches several alternatives of a `oneOf` that was meant as a union. */
  readonly isAmbiguous?: boolean;
}

/** The names of an object, listed once for all its errors. */
export type ListNames = (data: object) => readonly string[];

/** One error of the checker as a finding. */
export function toFinding(error: SchemaError, schemaPointer: string | undefined, listNames: ListNames): Finding {
  const describe = SENTENCES[error.keyword] ?? (({ keyword }) => ['EXCLUDED', `violates the keyword "${keyword}"`]);
  const [code, says, below] = describe(error, listNames);
  const path = below === undefined ? error.path : `${error.path}/${escapeSegment(below)}`;
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

type Describe = (error: SchemaError, listNames: ListNames) => Sentence;

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
  ...mapValues(LIMITS, (words): Describe => ({ params, value }) => {
    return ['RANGE', `must be ${words} ${String(params['limit'])}, got ${toWords(value)}`];
  }),
  ...mapValues(SIZES, ([code, words, noun]): Describe => ({ params, value }) => {
    return [code, `must have ${words} ${countOf(Number(params['limit']), noun)}, got ${readSize(value)}`];
  }),
  // A string or an array of strings.
  type: ({ params, value }) => {
    return ['TYPE', `must be ${toTypeWords([params['type']].flat() as string[])}, got ${toWords(value)}`];
  },
  // The array of the schema.
  enum: ({ params, value }) => ['ENUM', toEnumSentence(value, params['allowedValues'] as unknown[])],
  const: ({ params, value }) => ['CONST', toEnumSentence(value, [params['allowedValue']])],
  required: (error, listNames) => {
    return ['REQUIRED', `is required${describeMisspelling(error, listNames)}`, String(error.params['missing'])];
  },
  dependentRequired: ({ params: { property, missing } }) => {
    return ['DEPENDENT_REQUIRED', `is required when "${String(property)}" is present`, String(missing)];
  },
  additionalProperties: (error) => forbid('ADDITIONAL_PROPERTY', error),
  unevaluatedProperties: (error) => forbid('UNEVALUATED', error),
  unevaluatedItems: () => ['UNEVALUATED', 'has more items than its schema allows'],
  multipleOf: ({ params: { multipleOf }, value }) => {
    return ['MULTIPLE_OF', `must be a multiple of ${String(multipleOf)}, got ${toWords(value)}`];
  },
  pattern: ({ params: { pattern }, value }) => {
    return ['PATTERN', `must match the pattern ${String(pattern)}, got ${toWords(value)}`];
  },
  format: ({ params, value }) => [
    'FORMAT',
    `must be ${toFormatWords(String(params['format']))}, got ${toWords(value)}`,
  ],
  uniqueItems: ({ params }) => {
    const [i, j] = params['equal'] as readonly [number, number];
    return ['UNIQUE', `must not have duplicate items, got the same at [${j}] and [${i}]`];
  },
  contains: ({ params: { minContains = 1, maxContains = ANY_NUMBER } }) => {
    const most = maxContains === ANY_NUMBER ? '' : ` and at most ${String(maxContains)}`;
    return ['CONTAINS', `must contain at least ${countOf(Number(minContains), 'matching item')}${most}`];
  },
  propertyNames: ({ params }) => ['PROPERTY_NAME', 'is not an allowed property name', String(params['propertyName'])],
  not: ({ value }) => ['EXCLUDED', `must not match the schema of "not", got ${toWords(value)}`],
  'false schema': ({ value }) => ['EXCLUDED', `must not be present, got ${toWords(value)}`],
  [FORBIDDEN_KEYWORD]: () => ['WRITE_ONLY', 'is write-only and must not be in an answer'],
};

/** Characters of a string (code points, as JSON Schema counts), items of an array or properties of an object. */
function readSize(data: unknown): number {
  if (typeof data === 'string') return countCodePoints(data);
  return Array.isArray(data) ? data.length : readEntries(data).length;
}

/** The most names that a missing property is compared with. */
const MAX_NAMES = 1000;

/** For a missing property: another name in the object that was probably meant. */
function describeMisspelling({ value, params, schema }: SchemaError, listNames: ListNames): string {
  const names = isObject(value) ? listNames(value) : [];
  if (names.length > MAX_NAMES) return '';
  const declared = isObject(schema) ? schema['properties'] : undefined;
  const unknown = names.filter((name) => !isObject(declared) || !Object.hasOwn(declared, name));
  const close = nearest(String(params['missing']), unknown);
  return close === undefined ? '' : `; is "${close}" a misspelling of it?`;
}

function forbid(code: ViolationCode, { schema, params }: SchemaError): Sentence {
  const name = String(params['name']);
  return [code, `is not allowed${withHint(suggest(name, namesOf(schema)))}`, name];
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
  return toAlternatives(types.map((type) => TYPE_NAMES[type] ?? type));
}

/** Alternatives in a sentence: `a, b or c`; the rest is counted where there are more than twelve. */
export function toAlternatives(items: readonly string[]): string {
  return joinWords(shorten(items));
}

function shorten(items: readonly string[]): readonly string[] {
  return items.length > 12 ? [...items.slice(0, 11), `${items.length - 11} more`] : items;
}
