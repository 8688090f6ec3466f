import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { ItemProperty, ItemSchema, ReadItemSchema } from '../item-schema.js';
import { findSuccessMedia } from '../../contract/operations/responses.js';
import type { Entry } from '../store/collection.js';
import type { Page, PageTurn } from './pagination.js';

/** One property of an envelope whose value depends on the page. */
interface EnvelopeField {
  /** Its names in the envelope: `['has_more']`, `['links', 'next']`. */
  readonly path: readonly string[];
  readonly read: ReadRole;
  readonly nullable: boolean;
  readonly required: boolean;
  /** Its JSON type. */
  readonly type: string | undefined;
  /** Whether it is a URL according to its schema or name. */
  readonly url: boolean;
  /** Whether the URL is absolute: not where its pattern begins with a slash. */
  readonly absolute: boolean;
}

/** The shape of a list response: an array, or an envelope around one. */
export interface ListShape {
  /** The property that holds the items; undefined for an array. */
  readonly items: string | undefined;
  /** Pointer to the schema of one item. */
  readonly itemSchema: string | undefined;
  /** Pointer to the schema of the response. */
  readonly schema: string;
  readonly fields: readonly EnvelopeField[];
  /** Properties with one valid value, or with a default. */
  readonly constants: Readonly<Record<string, unknown>>;
}

const ITEM_NAMES =
  /^(data|items|results|entries|values?|records|rows|list|content|elements|objects|resources|collection)$/i;

/** The value of the page for one property; undefined where it has none. */
type ReadRole = (facts: EnvelopeFacts, field: EnvelopeField) => unknown;

const readSelf: ReadRole = ({ url }, { absolute }) => url(undefined, absolute);

/** What a property means for the page, by its name. */
const ROLES: readonly (readonly [names: RegExp, read: ReadRole])[] = [
  [/^(has_?(more|next(_?page)?)|more|is_?truncated|next_?page_?exists)$/i, ({ page }) => page.more],
  [/^(first_?id)$/i, ({ entries, id }) => readId(entries[0], id)],
  [/^(last_?id)$/i, ({ entries, id }) => readId(entries.at(-1), id)],
  [/^(total|total_?(count|items|results|entries|records|elements|size|objects)|count_?total)$/i, ({ total }) => total],
  [
    /^(pages|page_?count|total_?pages|last_?page|num_?pages)$/i,
    ({ total, limit }) => Math.ceil(total / Math.max(1, limit)),
  ],
  [/^(count|size|num_?results|result_?count|number_?of_?elements)$/i, ({ entries }) => entries.length],
  [
    /^(page|current_?page|page_?(number|index)|number)$/i,
    ({ page, limit }) => Math.floor(page.from / Math.max(1, limit)) + 1,
  ],
  [/^(limit|per_?page|page_?size|max_?results)$/i, ({ limit, total }) => (Number.isFinite(limit) ? limit : total)],
  [/^(offset|skip|start|start_?index)$/i, ({ page }) => page.from],
  [
    /^(next|next_?(page|cursor|token|page_?token|marker|url|page_?url|link|href|continuation)|cursor|continuation)$/i,
    (facts, field) => readTurn(field, facts.page.next, facts),
  ],
  [
    /^(prev(ious)?|(prev(ious)?)_?(page|cursor|token|marker|url|page_?url|link))$/i,
    (facts, field) => readTurn(field, facts.page.previous, facts),
  ],
  [/^(self|url|href)$/i, readSelf],
];

const NESTED = /^(_?links|meta|_?metadata|pagination|paging|page_?info|page|response_?metadata)$/i;

/** The list in the success response of an operation; undefined where it is not a list. */
export function readListShape(parts: {
  readonly contract: Contract;
  readonly read: ReadItemSchema;
  readonly operation: Operation;
  /** The last static segment of the path: the name of the array in some envelopes. */
  readonly noun: string | undefined;
}): ListShape | undefined {
  const { read, operation, noun } = parts;
  const pointer = findSuccessMedia(operation)?.schemaPointer;
  const schema = pointer === undefined ? undefined : read(pointer);
  if (schema === undefined || pointer === undefined) return undefined;
  if (schema.type === 'array') {
    return { items: undefined, itemSchema: schema.items, schema: pointer, fields: [], constants: {} };
  }
  const items = findItems(schema, read, noun);
  if (items === undefined) return undefined;
  return {
    items: items.name,
    itemSchema: read(items.target)?.items,
    schema: pointer,
    fields: readFields(schema, read, items.name),
    constants: readConstants(schema),
  };
}

/** The property of an envelope that holds the items. */
function findItems(schema: ItemSchema, read: ReadItemSchema, noun: string | undefined): ItemProperty | undefined {
  const arrays = [...schema.properties.values()].filter((property) => read(property.target)?.type === 'array');
  const named = arrays.find((property) => property.name === noun) ?? arrays.find(({ name }) => ITEM_NAMES.test(name));
  if (named !== undefined) return named;
  // An object with an id is an item that has an array, not a list of items.
  if (schema.properties.has('id') || arrays.length !== 1) return undefined;
  const paged = [...schema.properties.keys()].some((name) => findRole(name) !== undefined || NESTED.test(name));
  return paged || schema.properties.size === 1 ? arrays[0] : undefined;
}

/** The properties of an envelope that depend on the page, also nested ones (`links.next`). */
function readFields(schema: ItemSchema, read: ReadItemSchema, items: string): readonly EnvelopeField[] {
  const fields: EnvelopeField[] = [];
  for (const property of schema.properties.values()) {
    if (property.name === items) continue;
    const inner = NESTED.test(property.name) ? read(property.target) : undefined;
    if (inner !== undefined && inner.properties.size > 0) {
      for (const each of inner.properties.values()) addField(fields, [property.name, each.name], each);
    } else {
      addField(fields, [property.name], property);
    }
  }
  return fields;
}

function addField(fields: EnvelopeField[], path: readonly string[], property: ItemProperty): void {
  const read = findRole(property.name);
  if (read === undefined || 'const' in property.schema) return;
  const { type, format, pattern } = property.schema;
  fields.push({
    path,
    read,
    nullable: property.nullable,
    required: property.required,
    type: typeof type === 'string' ? type : type?.find((each) => each !== 'null'),
    url: (format ?? '').startsWith('ur') || /(url|link|href)$/i.test(property.name) || path.length > 1,
    absolute:
      pattern === undefined ? read !== readSelf || format !== undefined || path.length > 1 : !pattern.startsWith('^/'),
  });
}

function findRole(name: string): ReadRole | undefined {
  return ROLES.find(([pattern]) => pattern.test(name))?.[1];
}

function readConstants(schema: ItemSchema): Readonly<Record<string, unknown>> {
  const constants: Record<string, unknown> = {};
  for (const { name, schema: own, required } of schema.properties.values()) {
    if ('const' in own) constants[name] = own.const;
    else if (Array.isArray(own.enum) && own.enum.length === 1) constants[name] = own.enum[0];
    else if (required && own.default !== undefined && !isObject(own.default)) constants[name] = own.default;
  }
  return constants;
}

/** What an envelope is filled from. */
interface EnvelopeFacts {
  readonly page: Page;
  /** The number of items on all pages. */
  readonly total: number;
  readonly limit: number;
  /** The entries of the page, in order. */
  readonly entries: readonly Entry[];
  /** The items in the form of the response. */
  readonly items: readonly unknown[];
  /** The id of an entry in the form of the item. */
  id(entry: Entry): unknown;
  /** The URL of another page of this list; of the current page for undefined. */
  url(turn: PageTurn | undefined, absolute: boolean): string;
}

/** Builds the body of a list response. */
export type Envelope = (facts: EnvelopeFacts) => unknown;

/** Generates the properties that depend neither on the page nor on a constant. */
interface EnvelopeMaker {
  /** The names of the invalid properties of a body. */
  findWrong(body: Readonly<Record<string, unknown>>): readonly string[];
  /** A complete envelope from its known part. */
  complete(known: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** The value of one property of an envelope; undefined leaves it out. */
type Filler = (facts: EnvelopeFacts) => unknown;

/**
 * Plans the body of a list response: constants, values of the page, and generated values for the other required properties.
 * Properties are in the order of the schema.
 */
export function createEnvelope(shape: ListShape, schema: ItemSchema | undefined, maker: EnvelopeMaker): Envelope {
  const { items, constants } = shape;
  if (items === undefined) return (facts) => facts.items;
  const names = [...(schema?.properties.keys() ?? [items])];
  let steps = names.map((name) => [name, createFiller(shape, name)] as const);
  const build = (facts: EnvelopeFacts): Readonly<Record<string, unknown>> => {
    const body: Record<string, unknown> = {};
    for (const [name, fill] of steps) {
      const value = fill?.(facts);
      if (value !== undefined) body[name] = value;
    }
    return body;
  };
  /** Generates the missing and invalid properties once, for an empty page. */
  const repair = (first: Readonly<Record<string, unknown>>): void => {
    const body = { ...constants, ...first, [items]: [] };
    const wrong = new Set(maker.findWrong(body).filter((name) => name !== items));
    if (wrong.size === 0) return;
    const rest = maker.complete(Object.fromEntries(Object.entries(body).filter(([name]) => !wrong.has(name))));
    const fromRest = (name: string): Filler | undefined => (Object.hasOwn(rest, name) ? () => rest[name] : undefined);
    steps = steps.map(([name, fill]) => [name, wrong.has(name) ? fromRest(name) : fill] as const);
  };
  let isChecked = false;
  return (facts) => {
    if (!isChecked) repair(build(facts));
    isChecked = true;
    return build(facts);
  };
}

function createFiller(shape: ListShape, name: string): Filler | undefined {
  if (name === shape.items) return (facts) => facts.items;
  const fields = shape.fields.filter(({ path }) => path[0] === name);
  const [first] = fields;
  if (first !== undefined && first.path.length === 1) return (facts) => fillField(first, facts);
  if (first !== undefined) return (facts) => fillNested(fields, facts);
  return Object.hasOwn(shape.constants, name) ? () => shape.constants[name] : undefined;
}

function fillNested(fields: readonly EnvelopeField[], facts: EnvelopeFacts): unknown {
  const inner: Record<string, unknown> = {};
  for (const field of fields) {
    const value = fillField(field, facts);
    if (value !== undefined) inner[field.path[1] ?? ''] = value;
  }
  return inner;
}

/** The value of the page; without one null where it is nullable, and an empty value where it is required. */
function fillField(field: EnvelopeField, facts: EnvelopeFacts): unknown {
  const value = field.read(facts, field);
  if (typeof value === 'number' && field.type === 'string') return String(value);
  if (value !== undefined) return value;
  if (field.nullable) return null;
  if (!field.required) return undefined;
  return field.type === 'string' ? '' : field.type === 'boolean' ? false : 0;
}

function readId(entry: Entry | undefined, id: EnvelopeFacts['id']): unknown {
  return entry && id(entry);
}

function readTurn(field: EnvelopeField, turn: PageTurn | undefined, facts: EnvelopeFacts): unknown {
  if (turn === undefined) return undefined;
  const isValue = field.type !== 'object' && !field.url && (turn.role === 'token' || field.type === 'integer');
  return isValue ? turn.value : facts.url(turn, field.absolute);
}
