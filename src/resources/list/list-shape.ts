import { COUNT_OF, PAGE_TURN, PAGE_RELATIONS } from '../../conventions/forms.js';
import { type Idea, means } from '../../conventions/conventions.js';
import { OF_PAGE } from '../../conventions/descriptions.js';
import { isObject, isScalarType } from '../../base/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import {
  createProperty,
  findOnlyValue,
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  listProperties,
  isNumeric,
  readSchemaType,
  findPropertyAt,
} from '../../contract/schema-view/schema-view.js';
import { findSuccessMedia } from '../../contract/operations/responses.js';
import { toBareName } from '../../base/names.js';
import { toBareNoun } from '../../conventions/names.js';

/**
 * The meanings of an envelope property for the page, in the order in which a name is asked for them, and how far each is used:
 * in headers, whose other names belong to mechanisms such as rate limits; to find out whether there is another page; as
 * the way to one; or without a request, which the URLs of a list need.
 */
const ROLES = {
  hasMore: { isHeader: true, announces: true, isComputed: true, leads: true },
  hasPrevious: { isHeader: true, isComputed: true, isFlag: true, leads: true },
  firstId: {},
  lastId: {},
  total: { isHeader: true, announces: true, isComputed: true, isNumber: true },
  pages: { isHeader: true, announces: true, isComputed: true, isNumber: true, leads: true },
  remaining: { announces: true, isNumber: true },
  count: { isComputed: true, isNumber: true },
  page: { isHeader: true, isComputed: true, isNumber: true },
  limit: { isHeader: true, isNumber: true },
  offset: { isHeader: true, isNumber: true },
  end: { isNumber: true },
  next: { isHeader: true, announces: true, isComputed: true, isTurn: true, leads: true },
  previous: { isHeader: true, isComputed: true, isTurn: true, leads: true },
  last: { isTurn: true },
  self: {},
  list: {},
  first: {},
  empty: { isComputed: true, isFlag: true },
} as const;

/** The meaning of an envelope property for the page. */
export type EnvelopeRole = keyof typeof ROLES;

// The keys of the table are the roles.
const ENVELOPE_ROLES = Object.keys(ROLES) as readonly EnvelopeRole[];

/** How far a role is used. */
interface RoleUse {
  readonly announces?: true;
  readonly isComputed?: true;
  readonly isHeader?: true;
  readonly isTurn?: true;
  /** Whether an object is that of a page if it has this property and only others that describe pages. */
  readonly leads?: true;
  /** Whether no boolean has it. */
  readonly isNumber?: true;
  /** Whether only a boolean has it. */
  readonly isFlag?: true;
}

export function readRoleUse(role: EnvelopeRole): RoleUse {
  return ROLES[role];
}

/** How another page is written; `auto` is the value of a cursor and the URL of any other page. */
type TurnForm = 'auto' | 'path' | 'url' | 'value';

/** A property of an envelope whose value depends on the page. */
export interface EnvelopeField {
  readonly role: EnvelopeRole;
  readonly form: TurnForm;
  /** Its JSON type; `integer` for all numbers. */
  readonly type: string | undefined;
  /** Whether it is the position of an item among all, counted from 1: `from` and `to` beside the number of the page. */
  readonly isCounted?: boolean;
}

/** How one value of a response is built. */
export type Plan =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'field'; readonly field: EnvelopeField }
  | { readonly kind: 'items' }
  | { readonly kind: 'object'; readonly members: readonly Member[] };

export interface Member {
  readonly name: string;
  readonly plan: Plan;
  readonly nullable: boolean;
  readonly required: boolean;
}

/** Where the items of a list response stand. */
export interface ItemsPosition {
  /** The property names from the root to the array; empty where the response is the array. */
  readonly path: readonly string[];
  /** The property names from an element of the array to the item; usually none. */
  readonly element: readonly string[];
  /** Pointer to the schema of one item. */
  readonly itemSchema: string | undefined;
}

/** The shape of a list response: an array, or an envelope around one. */
export interface ListShape extends ItemsPosition {
  /** Pointer to the schema of the response. */
  readonly schema: string;
  readonly plan: Plan;
}

/** The list of an operation that declares no answer: an array. */
export const PLAIN_LIST: ListShape = {
  path: [],
  element: [],
  itemSchema: undefined,
  schema: '',
  plan: { kind: 'items' },
};

/** The shape of a list response with the items at a position; undefined where the operation declares no response, or there are none. */
export function planList(
  read: ReadSchema,
  operation: Operation,
  items: ItemsPosition | undefined,
): ListShape | undefined {
  const pointer = readAnswerPointer(operation) ?? '';
  const schema = read(pointer);
  const segments = operation.path.split(/[/.]/).filter((each) => !each.startsWith('{'));
  return (
    schema && items && { schema: pointer, plan: planAround(schema, { read, path: items.path, segments }), ...items }
  );
}

/** Pointer to the schema of the body of a success. */
export function readAnswerPointer(operation: Operation): string | undefined {
  const media = findSuccessMedia(operation);
  return media?.schema === undefined ? undefined : media.schemaPointer;
}

/** Plans a response with items, or the number of items, at a path. @param at.segments - Those of the path of the operation. */
function planAround(
  schema: SchemaView,
  at: { readonly read: ReadSchema; readonly path: readonly string[]; readonly segments?: readonly string[] },
): Plan {
  const { read, path, segments = [] } = at;
  if (path.length === 0) return { kind: 'items' };
  return planObject(schema, { read, items: path, above: [], nouns: [...path.slice(-1), ...segments].map(toBareNoun) });
}

/** The shape of a response that is the size of a list: a number, or an object that has it; undefined for any other. */
export function readCountShape(read: ReadSchema, operation: Operation): ListShape | undefined {
  const pointer = readAnswerPointer(operation) ?? '';
  const schema = read(pointer);
  const path = schema && findCount(schema, read);
  if (schema === undefined || path === undefined) return undefined;
  const { type } = schema;
  const toTotal = (plan: Plan): Plan => {
    if (plan.kind === 'items') return { kind: 'field', field: { role: 'total', form: 'value', type } };
    if (plan.kind !== 'object') return plan;
    return { ...plan, members: plan.members.map((member) => ({ ...member, plan: toTotal(member.plan) })) };
  };
  return { ...PLAIN_LIST, schema: pointer, plan: toTotal(planAround(schema, { read, path })) };
}

/** The path to the number that is the size of a list: by its name, else the only one. */
export function findCount(schema: SchemaView, read: ReadSchema): readonly string[] | undefined {
  if (isNumeric(schema.schema)) return [];
  const listNumbers = (of: SchemaView | undefined, above: readonly string[]): readonly (readonly string[])[] =>
    listProperties(of).flatMap(({ name, schema: own, target }) => {
      const path = [...above, name];
      if (isNumeric(own)) return [path];
      return above.length > 0 ? [] : listNumbers(read(target), path);
    });
  const numbers = listNumbers(schema, []);
  const isCount = (path: readonly string[]): boolean => {
    const role = findRole(path.at(-1) ?? '', path.slice(0, -1));
    return role === 'total' || role === 'count';
  };
  return numbers.find(isCount) ?? (numbers.length === 1 ? numbers[0] : undefined);
}

/** Whether a member of an envelope, or of an object in it, has a name of a meaning. */
export function hasMember(plan: Plan, idea: Idea): boolean {
  return plan.kind === 'object' && plan.members.some((each) => means(each.name, idea) || hasMember(each.plan, idea));
}

/** Whether a property of an envelope has a role of the page that passes a test. */
export function hasField(plan: Plan, test: (field: EnvelopeField) => boolean): boolean {
  if (plan.kind === 'object') return plan.members.some((member) => hasField(member.plan, test));
  return plan.kind === 'field' && test(plan.field);
}

interface PlanContext {
  readonly read: ReadSchema;
  /** The property names from here to the items; empty off that path. */
  readonly items: readonly string[];
  /** The names of the objects around, outermost first. */
  readonly above: readonly string[];
  /** What the items are called, as bare singulars. */
  readonly nouns?: readonly string[];
}

/** Plans an envelope: the properties that depend on the page, and those with one valid value, in the order of the schema. */
export function planObject(schema: SchemaView, context: PlanContext): Plan & { readonly kind: 'object' } {
  const all = listProperties(schema);
  const roles = new Set(all.map((property) => findOwnRole(property, context)));
  const members = all.flatMap((property): readonly Member[] => {
    const plan = planMember(property, context, roles);
    const { name, nullable, required } = property;
    return plan === undefined ? [] : [{ name, plan, nullable, required }];
  });
  return { kind: 'object', members };
}

/** @param roles - Those of all properties of the object. */
function planMember(property: PropertyView, context: PlanContext, roles: ReadonlySet<Role>): Plan | undefined {
  const { name, known, target, schema } = property;
  const { read, items, above } = context;
  const [next, ...rest] = items;
  const inner = name === items[0] ? read(target) : readWhole(property, read);
  const below = { ...context, items: name === next ? rest : [], above: [...above, known] };
  if (name === next) return rest.length === 0 || inner === undefined ? { kind: 'items' } : planObject(inner, below);
  if ('const' in schema) return { kind: 'constant', value: schema.const };
  if (inner !== undefined && inner.members.size > 0 && inner.type !== 'array') {
    if (above.length > 2 || !(means(known, 'pages.object') || isAllOfPage(inner, below))) return undefined;
    const plan = planObject(inner, below);
    return plan.members.some((member) => member.plan.kind !== 'constant') ? plan : undefined;
  }
  const role = inner?.type === 'array' ? undefined : findOwnRole(property, context);
  if (role === undefined) return planConstant(property, inner);
  const field = toField(property, chooseCount(property, role, roles), above);
  const isCounted = roles.has('page') && roles.has('offset') && roles.has('end');
  return { kind: 'field', field: isCounted ? { ...field, isCounted } : field };
}

type Role = EnvelopeRole | undefined;

/** The role of a count: that of all items, unless there is a total, or it says that it is that of the page. */
function chooseCount({ known, schema }: PropertyView, role: EnvelopeRole, roles: ReadonlySet<Role>): EnvelopeRole {
  if (role !== 'count') return role;
  // Beside the number of the page, the size is the one that was asked for.
  if (roles.has('page') && toBareName(known) === 'size') return 'limit';
  const isOfPage = means(known, 'pages.ofOnePage') || OF_PAGE.test(schema.description ?? '');
  return roles.has('total') || isOfPage ? 'count' : 'total';
}

/** Whether an object says where other pages are, and everything in it is about pages, whatever it is called. */
function isAllOfPage(schema: SchemaView, context: PlanContext): boolean {
  const roles = listProperties(schema).map((property) =>
    property.scalar ? findOwnRole(property, context) : undefined,
  );
  return !roles.includes(undefined) && roles.some((role) => role !== undefined && readRoleUse(role).leads === true);
}

/** The role of a property by its name and type: also that of `totalOrders` and `order_count` in a list of orders. */
function findOwnRole({ known, schema, bare }: PropertyView, { above, nouns = [] }: PlanContext): Role {
  const role = findRole(known, above);
  const type = readSchemaType(schema);
  if (role !== undefined) {
    const { isNumber, isFlag } = readRoleUse(role);
    return type === 'array' || (isNumber === true && type === 'boolean') || (isFlag === true && type !== 'boolean')
      ? undefined
      : role;
  }
  const { before, after } = (isNumeric(schema) ? COUNT_OF.exec(bare)?.groups : undefined) ?? {};
  const counted = before ?? after;
  if (counted === undefined || !nouns.includes(toBareNoun(counted))) return undefined;
  return bare.includes('total') ? 'total' : 'count';
}

const LINKS = /^_?links$/i;

/** A property that is an object, with the properties of all branches of its union, or with those that a map of links can have. */
function readWhole({ name, target, branches }: PropertyView, read: ReadSchema): SchemaView | undefined {
  const inner = read(target);
  if (inner === undefined || inner.type === 'array') return inner;
  const link = `${inner.pointer}/additionalProperties`;
  const schema = LINKS.test(name) && inner.members.size === 0 ? read(link) : undefined;
  if (schema !== undefined) {
    const scalar = schema.type === 'string';
    const { schema: own, pointer: target } = schema;
    const facts = { schema: own, pointer: link, target, required: false, scalar, nullable: false };
    return { ...inner, members: new Map(PAGE_RELATIONS.map((each) => [each, createProperty(each, facts)])) };
  }
  const all = branches.flatMap((branch) => listProperties(read(branch)));
  const others = all.filter(({ name }) => !inner.members.has(name));
  const optional = others.map((other) => [other.name, { ...other, required: false }] as const);
  return others.length === 0 ? inner : { ...inner, members: new Map([...inner.members, ...optional]) };
}

/** A value that does not depend on the page: the only valid one, a default, or what says that the request succeeded. */
function planConstant(property: PropertyView, inner: SchemaView | undefined): Plan | undefined {
  const { known, schema, required } = property;
  const only = findOnlyValue(property);
  if (only !== undefined) return { kind: 'constant', value: only };
  const { default: value } = schema;
  if (required && value !== undefined && !isObject(value)) return { kind: 'constant', value };
  return means(known, 'envelopes.reports') && inner?.type === 'array' ? { kind: 'constant', value: [] } : undefined;
}

/** The role of a property: by its name, or, in an object such as `next` or `cursors`, by the name of that object. */
export function findRole(name: string, above: readonly string[]): EnvelopeRole | undefined {
  const bare = toBareName(name.replace(/^@\w+\./, ''));
  if (name.startsWith('@') && bare === 'count') return 'total';
  const outer = toBareName(above.at(-1) ?? '');
  const turn = PAGE_TURN.exec(outer)?.[1];
  if (turn !== undefined && means(bare, 'pages.step')) {
    return turn === 'prev' ? 'previous' : (turn as EnvelopeRole);
  }
  if (outer === 'page' && bare === 'size') return 'limit';
  if (bare === 'current' && means(outer, 'pages.paging')) return 'page';
  return ENVELOPE_ROLES.find((role) => means(bare, `pages.${role}`));
}

function toField({ known: name, schema }: PropertyView, role: EnvelopeRole, above: readonly string[]): EnvelopeField {
  const { format, pattern, example = schema.examples?.[0] } = schema;
  const declared = readSchemaType(schema);
  // Numbers of a page are whole ones, whatever the schema allows.
  const type = declared === 'number' ? 'integer' : declared;
  return {
    // An offset that is not a number leads to the next page.
    role: role === 'offset' && type === 'string' ? 'next' : role,
    // The `url` of a list is its path, unless it says that it is a whole URL.
    form:
      findFormIn(example) ??
      (role === 'list' && format === undefined ? 'path' : findForm({ name, format, pattern }, above)),
    type,
  };
}

/** The form of an example; undefined where it can be any. */
function findFormIn(example: unknown): TurnForm | undefined {
  if (typeof example !== 'string') return undefined;
  if (/^https?:/.test(example)) return 'url';
  return example.startsWith('/') ? 'path' : undefined;
}

function findForm(
  of: { readonly name: string; readonly format: string | undefined; readonly pattern: string | undefined },
  above: readonly string[],
): TurnForm {
  const bare = toBareName(of.name);
  const isUrl =
    (of.format ?? '').startsWith('ur') || means(bare, 'links.name') || above.some((each) => /links?$/i.test(each));
  const isPath =
    of.pattern?.startsWith('^/') === true || bare === 'path' || (/(uri|path)$/.test(bare) && of.format === undefined);
  if (isPath || isUrl) return isPath ? 'path' : 'url';
  return means(bare, 'pages.turn') ? 'auto' : 'value';
}

/** Where the items are in the success response of an operation; undefined where it is not a list. @param noun - As in `findItems`. */
export function findListItems(read: ReadSchema, operation: Operation, noun?: string): ItemsPosition | undefined {
  const schema = read(readAnswerPointer(operation));
  return schema && findItems(schema, read, noun);
}

/** The array at a path in the success response of an operation; undefined where there is none. */
export function findItemsAt(
  read: ReadSchema,
  operation: Operation,
  path: readonly string[],
): ItemsPosition | undefined {
  const schema = read(readAnswerPointer(operation));
  const current = schema && read(findPropertyAt(read, schema, path.join('.'))?.target);
  return current?.type === 'array' ? { path, element: [], itemSchema: current.element } : undefined;
}

/** The array of a response that is a list, by the names of its properties. @param noun - The last static segment of the path. */
export function findItems(schema: SchemaView, read: ReadSchema, noun?: string): ItemsPosition | undefined {
  if (schema.type === 'array') return { path: [], element: [], itemSchema: schema.element };
  const found = findNamed(read.once(listArrays, schema), noun) ?? read.once(findUnnamed, schema);
  if (found !== undefined) return { path: [found.name], element: [], itemSchema: read(found.target)?.element };
  for (const { name, arrays, only } of read.once(listEmbedding, schema)) {
    const inner = findNamed(arrays, noun) ?? only;
    if (inner !== undefined) return { path: [name, inner.name], element: [], itemSchema: read(inner.target)?.element };
  }
  return undefined;
}

/** The shape of a list in another body than the usual one, such as that of another media type: the usual one where it has no other schema, or no list. */
export function findShapeAt(read: ReadSchema, usual: ListShape, pointer: string | undefined): ListShape {
  const schema = read(pointer);
  if (schema === undefined || pointer === undefined || usual.element.length > 0) return usual;
  if (schema.pointer === read(usual.schema)?.pointer) return usual;
  const items = findItems(schema, read, usual.path.at(-1));
  return items === undefined
    ? usual
    : { ...items, schema: pointer, plan: planAround(schema, { read, path: items.path }) };
}

function listArrays(read: ReadSchema, schema: SchemaView): readonly PropertyView[] {
  return listProperties(schema).filter(({ target }) => read(target)?.type === 'array');
}

function findNamed(arrays: readonly PropertyView[], noun: string | undefined): PropertyView | undefined {
  if (noun === undefined) return undefined;
  return arrays.find(({ name }) => name === noun) ?? arrays.find(({ bare }) => bare === toBareName(noun));
}

function findUsual(arrays: readonly PropertyView[]): PropertyView | undefined {
  return arrays.find(({ known }) => means(known, 'envelopes.items'));
}

/** The array with a usual name, else the only one, unless the object is an item with an id, or does not look like a page. */
function findUnnamed(read: ReadSchema, schema: SchemaView): PropertyView | undefined {
  const all = read.once(listArrays, schema);
  const usual = findUsual(all);
  const { members: properties } = schema;
  if (usual !== undefined || all.length === 0 || properties.has('id') || properties.has('sha')) return usual;
  const isOfItems = ({ known, target }: PropertyView): boolean =>
    !means(known, 'envelopes.reports') && !isScalarType(read(read(target)?.element)?.type);
  const arrays = all.length === properties.size ? all : all.filter(isOfItems);
  if (arrays.length !== 1) return undefined;
  const isOfPage = ({ known, scalar }: PropertyView): boolean =>
    (scalar && findRole(known, []) !== undefined) || means(known, 'pages.object');
  return properties.size === 1 || [...properties.values()].some(isOfPage) ? arrays[0] : undefined;
}

/** An object in a response that can hold a list. */
interface Embedding {
  readonly name: string;
  readonly arrays: readonly PropertyView[];
  /** The one of its arrays that is a list, whatever the path is called. */
  readonly only: PropertyView | undefined;
}

/** Objects with a list one level below: `_embedded.orders`, `data.items`. */
function listEmbedding(read: ReadSchema, schema: SchemaView): readonly Embedding[] {
  if (schema.members.has('id')) return [];
  return listProperties(schema).flatMap(({ name, known, target }): readonly Embedding[] => {
    const inner = means(known, 'envelopes.embedding') ? read(target) : undefined;
    if (inner === undefined || inner.members.has('id')) return [];
    const arrays = read.once(listArrays, inner);
    const isOnly = arrays.length === 1 && (name === '_embedded' || inner.members.size === 1);
    return [{ name, arrays, only: findUsual(arrays) ?? (isOnly ? arrays[0] : undefined) }];
  });
}
