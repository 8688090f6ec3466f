import { isObject } from '../../base/json.js';
import { means } from '../../conventions/conventions.js';
import {
  findOnlyValue,
  listProperties,
  type PropertyView,
  type ReadSchema,
  readSchemaType,
  type SchemaView,
} from '../../contract/schema-view/schema-view.js';
import type { StoredItem, Item } from '../store/lists/item-list.js';
import {
  type EnvelopeField,
  type ListShape,
  type Member,
  planObject,
  findRole,
  findItems,
  readRoleUse,
} from './list-shape.js';
import { countPages, type Page, type PageFacts, type PageTurn } from './pagination.js';
import type { DeclaredHeader, Operation } from '../../contract/operations/operation.js';

/** Plans the envelope around one item: a function that puts the item at its place, and the properties with one valid value. */
export function createItemEnvelope(
  read: ReadSchema,
  schema: SchemaView,
  path: readonly string[],
): (item: unknown) => Item {
  const plan = planObject(schema, { read, items: path, above: [] });
  const members = keepFixed(plan.members);
  return (item) => buildObject(members, item, undefined);
}

/** An optional member of an envelope that depends neither on the page nor on what failed: `took`, `request_id`. */
interface OptionalMember {
  readonly path: readonly string[];
  readonly property: PropertyView;
}

/** The optional numbers and texts of the envelope around an item or a list; those that only some alternatives have are left out. */
export function listOptionalMembers(
  read: ReadSchema,
  schema: SchemaView | undefined,
  path: readonly string[],
): readonly OptionalMember[] {
  const [name, ...rest] = path;
  if (schema === undefined || name === undefined) return [];
  const own = listProperties(schema).filter((property) => property.name !== name && isOptional(property));
  const inner = listOptionalMembers(read, read(schema.members.get(name)?.target), rest);
  return [
    ...own.map((property) => ({ path: [property.name], property })),
    ...inner.map((member) => ({ ...member, path: [name, ...member.path] })),
  ];
}

function isOptional(property: PropertyView): boolean {
  const { known, required, variant, scalar, schema } = property;
  if (required || variant || !scalar || schema.enum !== undefined || readSchemaType(schema) === 'boolean') return false;
  const isOther = means(known, 'envelopes.failure', 'envelopes.reports') || findRole(known, []) !== undefined;
  return !isOther && findOnlyValue(property) === undefined;
}

/** The members that do not depend on a page. */
function keepFixed(members: readonly Member[]): readonly Member[] {
  return members.flatMap((member): readonly Member[] => {
    if (member.plan.kind === 'field') return [];
    if (member.plan.kind !== 'object') return [member];
    const inner = keepFixed(member.plan.members);
    return inner.length === 0 ? [] : [{ ...member, plan: { kind: 'object', members: inner } }];
  });
}

/** A list inside of an item: an array, or an object around one such as `{ "object": "list", "data": [], "has_more": false }`. */
interface InnerList {
  /** The property names from the list to its array; empty where it is the array. */
  readonly path: readonly string[];
  readonly element: SchemaView;
  /** The object around some elements, which are all that there are; an empty one where the list is an array. */
  wrap(elements: readonly unknown[]): Item;
}

/** Plans a list inside of an item; undefined where the schema is another one. */
export function findInnerList(read: ReadSchema, schema: SchemaView | undefined): InnerList | undefined {
  const found = schema === undefined || schema.members.has('id') ? undefined : findItems(schema, read);
  const element = read(found?.itemSchema);
  if (schema === undefined || found === undefined || element === undefined) return undefined;
  const { path } = found;
  const members = path.length === 0 ? [] : planObject(schema, { read, items: path, above: [] }).members;
  const computed = members.filter(isComputed);
  return { path, element, wrap: (items) => buildObject(computed, items, toOnlyPage(items)) };
}

/** Whether a member is known without a request; URLs of the list are not. */
function isComputed({ plan }: Member): boolean {
  if (plan.kind === 'object') return plan.members.every(isComputed);
  return plan.kind !== 'field' || readRoleUse(plan.field.role).isComputed === true;
}

/** The facts of a list whose items are all on one page. */
function toOnlyPage(items: readonly unknown[]): EnvelopeFacts {
  const total = items.length;
  const page = { from: 0, to: total, more: false, next: undefined, previous: undefined, last: undefined };
  const common = { plan: { firstPage: 1, firstOffset: 0 }, entries: [], id: () => undefined, url: () => '' };
  return { ...common, page, total, limit: total, items };
}

/** The facts that fill the envelope and the headers of a list. */
export interface EnvelopeFacts {
  readonly plan: Pick<PageFacts, 'firstOffset' | 'firstPage'>;
  readonly page: Page;
  /** The number of items on all pages. */
  readonly total: number;
  readonly limit: number;
  /** The entries of the page, in order. */
  readonly entries: readonly StoredItem[];
  /** The items in the form of the response. */
  readonly items: readonly unknown[];
  /** The id of an entry in the form of the item. */
  id(entry: StoredItem): unknown;
  /** The URL of another page of this list, of the current page for undefined; with or without the origin. */
  url(turn: PageTurn | 'first' | undefined, absolute: boolean): string;
}

/** Builds the body of a list response. */
export type Envelope = (facts: EnvelopeFacts) => unknown;

/**
 * Plans the body of a list response, in the order of its schema: constants, values of the page, and generated ones.
 *
 * @param generate - Makes what a body without items lacks; called once.
 */
export function createEnvelope(
  shape: ListShape,
  schema: SchemaView | undefined,
  generate: (first: Item) => Item,
): Envelope {
  const { plan, element } = shape;
  if (plan.kind === 'field') return (facts) => readField(plan.field, facts);
  if (plan.kind !== 'object') return (facts) => wrapElements(facts.items, element);
  let generated: Item | undefined;
  return (facts) => {
    const built = buildObject(plan.members, wrapElements(facts.items, element), facts);
    generated ??= generate(buildObject(plan.members, [], facts));
    if (Object.keys(generated).length === 0) return built;
    const body: Record<string, unknown> = {};
    for (const name of new Set([...(schema?.members.keys() ?? []), ...Object.keys(built)])) {
      const [made, own] = [generated[name], built[name]];
      const value = isObject(made) && isObject(own) ? { ...made, ...own } : (made ?? own);
      if (value !== undefined) body[name] = value;
    }
    return body;
  };
}

function wrapElements(items: readonly unknown[], element: readonly string[]): readonly unknown[] {
  if (element.length === 0) return items;
  return items.map((item) => element.reduceRight<unknown>((inner, name) => ({ [name]: inner }), item));
}

function buildObject(members: readonly Member[], content: unknown, facts: EnvelopeFacts | undefined): Item {
  const body: Record<string, unknown> = {};
  for (const member of members) {
    const value = buildMember(member, content, facts);
    if (value !== undefined) body[member.name] = value;
  }
  return body;
}

/** The value of a member; without one null where it is nullable, an empty value where it is required, else undefined. */
function buildMember(
  { plan, nullable, required }: Member,
  content: unknown,
  facts: EnvelopeFacts | undefined,
): unknown {
  if (plan.kind === 'items') return content;
  if (plan.kind === 'constant') return plan.value;
  if (plan.kind === 'object') {
    // The link to a page that does not exist is absent as a whole.
    const isNeeded = required && !nullable;
    if (!isNeeded && facts !== undefined && lacksPage(plan.members, facts)) return nullable ? null : undefined;
    const inner = buildObject(plan.members, content, facts);
    if (Object.keys(inner).length > 0 || isNeeded) return inner;
    return nullable ? null : undefined;
  }
  const value = facts && readField(plan.field, facts);
  if (typeof value === 'number' && plan.field.type === 'string') return String(value);
  if (plan.field.type === 'integer' && typeof value === 'string' && /^\d+$/.test(value)) return Number(value);
  if (value !== undefined) return value;
  if (nullable) return null;
  if (!required) return undefined;
  return plan.field.type === 'string' ? '' : plan.field.type === 'boolean' ? false : 0;
}

/** Whether an object is only about another page, requires its URL or cursor, and this page does not exist. */
function lacksPage(members: readonly Member[], facts: EnvelopeFacts): boolean {
  if (
    members.some(
      ({ plan }) => plan.kind === 'object' || (plan.kind === 'field' && readRoleUse(plan.field.role).isTurn !== true),
    )
  )
    return false;
  return members.some(
    ({ plan, required, nullable }) =>
      required && !nullable && plan.kind === 'field' && readField(plan.field, facts) === undefined,
  );
}

/** The value of the page for one property; undefined where it has none. */
function readField(field: EnvelopeField, facts: EnvelopeFacts): unknown {
  const { page, entries, total, limit } = facts;
  const { firstPage, firstOffset } = facts.plan;
  const pages = countPages(total, limit);
  switch (field.role) {
    case 'hasMore':
      return page.more;
    case 'hasPrevious':
      return page.from > 0;
    case 'empty':
      return facts.items.length === 0;
    case 'firstId':
      return entries[0] === undefined ? undefined : facts.id(entries[0]);
    case 'lastId': {
      const last = entries.at(-1);
      return last === undefined ? undefined : facts.id(last);
    }
    case 'total':
      return total;
    case 'count':
      return facts.items.length;
    case 'limit':
      return Number.isFinite(limit) ? limit : total;
    case 'offset':
      if (field.isCounted === true) return page.to > page.from ? page.from + 1 : undefined;
      return page.from + firstOffset;
    case 'end':
      if (field.isCounted === true) return page.to > page.from ? page.to : undefined;
      return Math.max(page.from, page.to - 1);
    case 'remaining':
      return page.to < total ? total - page.to : undefined;
    case 'page':
      return page.number ?? Math.floor(page.from / Math.max(1, limit)) + firstPage;
    case 'pages':
      return pages;
    case 'list':
      return facts.url(undefined, field.form !== 'path').split('?')[0];
    case 'self':
      return facts.url(undefined, field.form !== 'path');
    case 'first':
      if (field.type === 'boolean') return page.from === 0;
      return field.type === 'integer' ? firstPage : facts.url('first', field.form !== 'path');
    case 'last':
      if (field.type === 'boolean') return page.to >= total;
      return field.type === 'integer' ? Math.max(firstPage, pages - 1 + firstPage) : readTurn(field, page.last, facts);
    case 'next':
      return field.type === 'boolean' ? page.more : readTurn(field, page.next, facts);
    default:
      return field.type === 'boolean' ? page.from > 0 : readTurn(field, page.previous, facts);
  }
}

/** Another page: the value of its parameter, or a URL where the property is one or the parameter is an id. */
function readTurn(field: EnvelopeField, turn: PageTurn | undefined, facts: EnvelopeFacts): unknown {
  if (turn === undefined) return undefined;
  const isCursor = turn.role === 'token' || turn.role === 'after' || turn.role === 'before' || field.type === 'integer';
  const isValue = field.form === 'value' || (field.form === 'auto' && isCursor);
  return isValue ? turn.value : facts.url(turn, field.form !== 'path');
}

/** Plans the headers that describe a page: `Link`, `Content-Range`, `X-Total-Count`. @param links - Whether links are sent without a declaration. */
export function createPageHeaders(
  { responses }: Operation,
  links: boolean,
): (facts: EnvelopeFacts) => Readonly<Record<string, string>> {
  const declared = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ headers }) => headers);
  const fields = declared.flatMap((header) => {
    const field = toField(header);
    return field === undefined ? [] : [{ name: header.name.toLowerCase(), field }];
  });
  const linked = links || declared.some(({ name }) => /^link$/i.test(name));
  const ranged = declared.some(({ name }) => /^content-range$/i.test(name));
  if (!linked && !ranged && fields.length === 0) return () => NO_HEADERS;
  return (facts) => {
    const headers: Record<string, string> = {};
    for (const { name, field } of fields) {
      const value = readField(field, facts);
      if (value !== undefined) headers[name] = typeof value === 'string' ? value : JSON.stringify(value);
    }
    if (ranged) headers['content-range'] = toContentRange(facts);
    const link = linked ? toLinks(facts) : '';
    if (link !== '') headers['link'] = link;
    return headers;
  };
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

function toField({ name }: DeclaredHeader): EnvelopeField | undefined {
  const role = findRole(name.replace(/^x-/i, '').replace(/^pagination-/i, ''), []);
  return role !== undefined && readRoleUse(role).isHeader === true
    ? { role, form: 'value', type: 'string' }
    : undefined;
}

/** RFC 9110 14.4, with the unit of the request, else items. */
function toContentRange({ page: { from, to, unit = 'items' }, total }: EnvelopeFacts): string {
  return `${unit === '' ? '' : `${unit} `}${to > from ? `${from}-${to - 1}` : '*'}/${total}`;
}

/** RFC 8288: links to the other pages. */
function toLinks({ page, url }: EnvelopeFacts): string {
  const { previous, next, last } = page;
  const links: string[] = [];
  if (previous !== undefined && last !== undefined) links.push(`<${url('first', true)}>; rel="first"`);
  if (previous !== undefined) links.push(`<${url(previous, true)}>; rel="prev"`);
  if (next !== undefined) links.push(`<${url(next, true)}>; rel="next"`);
  if (next !== undefined && last !== undefined) links.push(`<${url(last, true)}>; rel="last"`);
  return links.join(', ');
}
