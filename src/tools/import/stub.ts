import { isObject, mapValues } from '../../base/json.js';
import { type HeaderFields, joinRepeated, lowerNames } from '../../http/header-fields.js';

/** The mock servers and file formats that can be imported. */
export const FORMATS = ['har', 'wiremock', 'mockoon', 'postman', 'msw', 'json-server'] as const;
/** One of them. */
export type Format = (typeof FORMATS)[number];

/** How messages name each format. */
export const FORMAT_NAMES: Readonly<Record<Format, string>> = {
  har: 'HAR',
  wiremock: 'WireMock',
  mockoon: 'Mockoon',
  postman: 'Postman',
  msw: 'a list of handlers',
  'json-server': 'json-server',
};

/** The paths that a stub answers: one path, a template with parameters in braces, or a regular expression of a whole path. */
export interface PathText {
  readonly kind: 'path' | 'template' | 'pattern';
  readonly text: string;
}

/** A condition as scenario files write it: a value or a matcher. */
export type Condition = unknown;
/** Conditions by name. */
export type Conditions = Readonly<Record<string, Condition>>;

/** The body of a stub's answer. */
export type StubBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  /** A template that has no counterpart: the mock generates the body from the schema. */
  | { readonly kind: 'generated' };

/** One answer of a stub. */
export interface StubAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HeaderFields;
  readonly body: StubBody;
  /** Whether the body has expressions: its values are not known before a request. */
  readonly isTemplate: boolean;
  /** Whether the body lacks parts, which the schema supplies. */
  readonly isPartial?: boolean;
  /** A fault as scenario files write it. */
  readonly fault?: unknown;
}

/** A static answer of another mock server, and the requests that get it. */
export interface Stub {
  /** Where it was read: a file and a JSON pointer. */
  readonly at: string;
  /** How the other mock server calls it, or its request. */
  readonly name: string;
  /** Upper case; undefined for any method. */
  readonly method: string | undefined;
  readonly path: PathText;
  /** By the name of the parameter in a template. */
  readonly parameters: Conditions;
  readonly query: Conditions;
  /** Whether a request with other query parameters does not match. */
  readonly isQueryExact: boolean;
  /** Names in lower case. */
  readonly header: Conditions;
  readonly cookie: Conditions;
  readonly body: Condition;
  /** Whether a body with other properties does not match. */
  readonly isBodyExact: boolean;
  /** Which calls match: `when.call`. */
  readonly call?: number | string;
  /** Values of variables that it needs, and those that it sets. */
  readonly needs?: Conditions;
  readonly sets?: Conditions;
  /** The share of calls that it answers, from 0 to 1. */
  readonly probability?: number;
  /** A delay as scenario files write it. */
  readonly delay?: unknown;
  /** Several for answers that follow each other, call by call. */
  readonly answers: readonly StubAnswer[];
  /** Whether the first answer follows the last one. */
  readonly isCycle?: boolean;
}

/** Something of the old mock that is not carried over, or not exactly. */
export interface Remark {
  readonly at: string;
  /** The name of the stub or part. */
  readonly what: string;
  readonly why: string;
  readonly hint?: string;
}

/** Why a part of an old mock is not carried over. */
export class NotCarried extends Error {
  readonly hint: string | undefined;

  constructor(why: string, hint?: string) {
    super(why);
    this.hint = hint;
  }
}

/** Returns what `read` returns; nothing where it throws `NotCarried`, which is passed to `note`. */
export function carry<Read>(read: () => Read, note: (remark: Omit<Remark, 'at' | 'what'>) => void): readonly Read[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof NotCarried)) throw error;
    note({ why: error.message, ...(error.hint !== undefined && { hint: error.hint }) });
    return [];
  }
}

/** Items of a collection that are written down in the old mock. */
export interface ItemList {
  readonly at: string;
  /** The path of the list, or a name. */
  readonly path: string;
  readonly items: readonly unknown[];
}

/** The content of the files of another mock server. */
export interface OldMock {
  /** In the order in which they are asked for an answer. */
  readonly stubs: readonly Stub[];
  readonly lists: readonly ItemList[];
  readonly remarks: readonly Remark[];
}

/** A stub without conditions, for readers to complete. */
export const ANY_REQUEST: Omit<Stub, 'at' | 'name' | 'path' | 'answers'> = {
  method: undefined,
  parameters: {},
  query: {},
  isQueryExact: false,
  header: {},
  cookie: {},
  body: undefined,
  isBodyExact: false,
};

/** The parts of an answer as other mock servers store them. */
interface RawAnswer {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly text: string | undefined;
}

/** The body of an answer: JSON where it is, else text. */
export function readBody({ status, headers, text }: RawAnswer): StubBody {
  // RFC 9110 6.4.1: these have no content.
  if (text === undefined || text === '' || status === 204 || status === 304) return { kind: 'none' };
  const type = headers['content-type'];
  const isOther = typeof type === 'string' && !/json/i.test(type);
  if (isOther) return { kind: 'text', text };
  try {
    const value: unknown = JSON.parse(text);
    return { kind: 'json', value };
  } catch {
    return { kind: 'text', text };
  }
}

/** A condition for a value that is compared as text: numbers and booleans of a body too. */
export function toTextValue(text: string): Condition {
  const isScalar = /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text);
  return isScalar ? { matches: `^${text.replaceAll('.', String.raw`\.`)}$` } : text;
}

/** The members of an object, or nothing. */
export function readObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** The names of the members that a reader does not know; those without content are left out. */
export function listOthers(value: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(value).filter((name) => !known.has(name) && hasContent(value[name]));
}

function hasContent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** The header fields of an object: a list is repeated, line by line. */
export function readHeaders(value: unknown): HeaderFields {
  return mapValues(lowerNames(readObject(value)), (field) => {
    return Array.isArray(field) ? field.map(String) : (readText(field) ?? '');
  });
}

/** The parameters of a query. @throws NotCarried if one is repeated: a condition is on one value. */
export function readSearch(pairs: Iterable<readonly [name: string, value: string]>): Conditions {
  const query = joinRepeated(pairs);
  const repeated = Object.keys(query).find((name) => typeof query[name] !== 'string');
  if (repeated === undefined) return query;
  throw new NotCarried(`the query parameter ${repeated} is repeated, and a condition is on one value`);
}

/** The members of an object with conditions. @throws NotCarried for anything else, which would be no condition. */
export function readConditionMembers(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null || isObject(value)) return value ?? {};
  throw new NotCarried(`${name} is not an object`);
}

/** The items of an array that are objects. */
export function readObjects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(readObject) : [];
}

/** A string, number or boolean as text; undefined for anything else. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
