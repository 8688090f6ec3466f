import type { Contract } from '../../contract/contract.js';
import { isObject, type SchemaObject } from '../../contract/json.js';
import { createRandom, type Random } from '../../random.js';
import { toSingular } from '../inference/resource-names.js';
import type { ItemSchema } from '../item-schema.js';
import type { Resource } from '../resource.js';
import type { Collection } from './collection.js';

/** What an id is made from. */
interface IdSource {
  readonly seed: number;
  readonly number: number;
  /** Tells apart lists that show parts of one collection. */
  readonly part?: string;
}

/** Makes the ids of one collection. */
export interface Identity {
  /** The id of create number `number`: a function of the seed, the collection and that number, and free in this scope. */
  make(collection: Collection, scope: string, by: IdSource): string | number;
  /** An id as the store keeps it. */
  toKey(id: unknown): string;
  /** An id as an item shows it: a number where the schema wants one. */
  toValue(id: string | number): string | number;
}

/** How ids of a resource look: by its pattern, its format, its examples, else by a prefix made from its name. */
export function createIdentity(contract: Contract, resource: Resource, schema: ItemSchema | undefined): Identity {
  const property = schema?.properties.get(resource.idProperty ?? '');
  const shown = property?.schema ?? readSchema(contract, resource.idParameterSchema) ?? {};
  const whole = isInteger(shown);
  const idProperty = resource.idProperty ?? '';
  const pattern = Object.hasOwn(resource.patterns, idProperty) ? resource.patterns[idProperty] : undefined;
  const form = whole ? undefined : findForm(contract, { resource, schema, shown, pattern });
  return {
    toKey: (id) => (typeof id === 'string' ? id : String(id)),
    toValue: (id) => (whole && /^-?\d+$/.test(String(id)) ? Number(id) : whole ? id : String(id)),
    make: (collection, scope, { seed, number, part = '' }) => {
      const list = collection.list(scope);
      if (form === undefined) {
        // Counted on from what is there, so that numbers stay small; `number` leads past those that were removed.
        let next = Math.max(list.size + 1, number);
        while (list.recall(String(next)) !== undefined) next += 1;
        return next;
      }
      for (let attempt = 0; ; attempt++) {
        const key = `${collection.name}\0${scope}${part}\0${number}${attempt === 0 ? '' : `\0${attempt}`}`;
        const id = form(createRandom(seed, key));
        // A form with room for few ids runs out: then the number itself makes the difference.
        if (list.recall(id) === undefined) return id;
        if (attempt > 20) return `${id}${number}`;
      }
    },
  };
}

/** The form of the values that a property shows, or undefined where it shows none. */
export function findTextForm(schema: SchemaObject, pattern: string | undefined): TextForm | undefined {
  const wanted = pattern ?? schema.pattern;
  if (wanted !== undefined) {
    const form = readPattern(wanted);
    if (form !== undefined) return form;
  }
  if (schema.format === 'uuid') return makeUuid;
  for (const example of [schema.example, ...(Array.isArray(schema.examples) ? schema.examples : [])]) {
    const form = typeof example === 'string' ? readExample(example) : undefined;
    if (form !== undefined) return form;
  }
  return undefined;
}

function findForm(
  contract: Contract,
  known: {
    readonly resource: Resource;
    readonly schema: ItemSchema | undefined;
    readonly shown: SchemaObject;
    readonly pattern: string | undefined;
  },
): TextForm {
  const { resource, schema, shown, pattern } = known;
  const own = findTextForm(shown, pattern);
  if (own !== undefined) return own;
  const id = resource.idProperty ?? 'id';
  const examples = [schema?.schema.example, ...(Array.isArray(schema?.schema.examples) ? schema.schema.examples : [])];
  for (const example of examples) {
    const form = isObject(example) && typeof example[id] === 'string' ? readExample(example[id]) : undefined;
    if (form !== undefined) return form;
  }
  const parameter = readSchema(contract, resource.idParameterSchema);
  const named = parameter === undefined ? undefined : findTextForm(parameter, undefined);
  return named ?? createPrefixForm(`${toSingular(resource.name.split('.').at(-1) ?? 'item')}_`);
}

function readSchema(contract: Contract, pointer: string | undefined): SchemaObject | undefined {
  const schema = pointer === undefined ? undefined : contract.at(pointer);
  if (!isObject(schema) || pointer === undefined) return undefined;
  const resolved = contract.resolve(schema, pointer).schema;
  return isObject(resolved) ? resolved : undefined;
}

function isInteger(schema: SchemaObject): boolean {
  return (
    schema.type === 'integer' ||
    schema.type === 'number' ||
    (Array.isArray(schema.type) && schema.type.includes('integer'))
  );
}

/** A way to make texts of one form: `key_` and 24 letters or digits. */
export type TextForm = (random: Random) => string;

interface Piece {
  readonly alphabet: string;
  readonly minimum: number;
  readonly maximum: number;
}

const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const BASE62: string = DIGITS + UPPER + LOWER;

/** How many more than its minimum an open repetition (`+`, `*`, `{8,}`) gives. */
const OPEN_LENGTH = 16;

/** How many characters behind its prefix an id has that nobody has shown in full. */
const ID_LENGTH = 24;

/**
 * The form a regular expression describes, for the ones that ids and keys use: literals, classes, `\d`, `\w` and counts, one
 * after the other. Undefined for anything with groups, alternatives or look-around.
 */
export function readPattern(pattern: string): TextForm | undefined {
  const pieces: Piece[] = [];
  let rest = pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
  while (rest !== '') {
    const token = /^(\[(?:\\.|[^\]\\^])(?:\\.|[^\]\\])*\]|\\[dwDWsSbB.\-_/+]|[^\\()|^$*+?{}[\].])/.exec(rest)?.[0];
    const alphabet = token === undefined ? undefined : readAlphabet(token);
    if (token === undefined || alphabet === undefined) return undefined;
    rest = rest.slice(token.length);
    const count = /^(?:\{(\d+)(,?)(\d*)\}|([*+?]))/.exec(rest);
    pieces.push({ alphabet, ...readCount(count) });
    rest = rest.slice(count?.[0].length ?? 0);
  }
  return toForm(pieces);
}

/** The form of an example: its prefix stays, what follows keeps its length and its kinds of characters. */
export function readExample(example: string): TextForm | undefined {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(example)) return makeUuid;
  const match = /^((?:[A-Za-z][A-Za-z0-9]*[_-])*)([A-Za-z0-9]+)$/.exec(example);
  if (match === null) return undefined;
  const [, prefix = '', tail = ''] = match;
  if (prefix === '' && !/\d/.test(tail)) return undefined;
  // A short or speaking tail (`file-abc123`, `sa_456`) shows the prefix; ids need more room than it has.
  const full = tail.length >= 14;
  const alphabet = full || /^\d+$/.test(tail) ? readKinds(tail) : BASE62;
  const length = full ? tail.length : prefix === '' ? Math.max(tail.length, 10) : ID_LENGTH;
  const literal: Piece[] = Array.from(prefix, (character) => ({ alphabet: character, minimum: 1, maximum: 1 }));
  return toForm([...literal, { alphabet, minimum: length, maximum: length }]);
}

/** A prefix and 24 letters or digits. */
function createPrefixForm(prefix: string): TextForm {
  return (random) => prefix + random.text(BASE62, ID_LENGTH);
}

/** A version 4 UUID (RFC 9562 section 5.4). */
export function makeUuid(random: Random): string {
  const hex = random.text('0123456789abcdef', 30);
  const variant = random.text('89ab', 1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18)}`;
}

function toForm(given: readonly Piece[]): TextForm {
  // Literals that follow each other are one text: one character at a time they would make a rope.
  const pieces: (Piece | string)[] = [];
  for (const piece of given) {
    const { alphabet, minimum, maximum } = piece;
    const before = pieces.at(-1);
    if (alphabet.length !== 1 || minimum !== maximum) pieces.push(piece);
    else if (typeof before === 'string') pieces[pieces.length - 1] = before + alphabet.repeat(minimum);
    else pieces.push(alphabet.repeat(minimum));
  }
  return (random) => {
    let text = '';
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        text += piece;
        continue;
      }
      const { alphabet, minimum, maximum } = piece;
      const length = minimum === maximum ? minimum : random.integer(minimum, maximum);
      text += alphabet.length === 1 ? alphabet.repeat(length) : random.text(alphabet, length);
    }
    return text;
  };
}

function readCount(match: RegExpExecArray | null): { readonly minimum: number; readonly maximum: number } {
  if (match === null) return { minimum: 1, maximum: 1 };
  const [, low, comma, high, sign] = match;
  if (sign !== undefined)
    return sign === '?' ? { minimum: 0, maximum: 1 } : { minimum: OPEN_LENGTH, maximum: OPEN_LENGTH };
  const minimum = Number(low);
  if (comma === '') return { minimum, maximum: minimum };
  return { minimum, maximum: high === '' ? minimum + OPEN_LENGTH : Number(high) };
}

function readAlphabet(token: string): string | undefined {
  if (token === String.raw`\d`) return DIGITS;
  if (token === String.raw`\w`) return `${BASE62}_`;
  if (token.startsWith('\\')) return /^\\[A-Za-z]/.test(token) ? undefined : token.slice(1);
  if (!token.startsWith('[')) return token;
  const inner = token
    .slice(1, -1)
    .replaceAll(String.raw`\d`, '0-9')
    .replaceAll(String.raw`\w`, '0-9A-Za-z_');
  let alphabet = '';
  for (let i = 0; i < inner.length; i++) {
    const first = inner[i] === '\\' ? (inner[++i] ?? '') : (inner[i] ?? '');
    const last = inner[i + 1] === '-' && i + 2 < inner.length ? (inner[(i += 2)] ?? first) : first;
    for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++) alphabet += String.fromCharCode(code);
  }
  return alphabet === '' ? undefined : alphabet;
}

function readKinds(text: string): string {
  const hex = /^[0-9a-f]+$/.test(text) && /\d/.test(text) && text.length >= 16;
  if (hex) return '0123456789abcdef';
  return (/\d/.test(text) ? DIGITS : '') + (/[A-Z]/.test(text) ? UPPER : '') + (/[a-z]/.test(text) ? LOWER : '');
}
