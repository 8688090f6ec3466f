import { MAKES_ITEM, type Binding, listSentInQuery, type Resource, type Resources } from './resource.js';
import { means } from '../../conventions/conventions.js';
import type { Contract } from '../../contract/contract.js';
import { isObject, readMember, readPath, withPath } from '../../base/json.js';
import type { Generator } from '../../generate/generate.js';
import { createIdGenerator } from '../../generate/text/identifiers.js';
import { memoize } from '../../base/memoize.js';
import { createRandom } from '../../base/random.js';
import {
  findOnlyValue,
  type KindView,
  type PropertyView,
  type SchemaView,
  listBranches,
  readKinds,
  type ReadSchema,
  listProperties,
  isNumeric,
  readSchemaType,
} from '../../contract/schema-view/schema-view.js';
import { findInnerList } from '../list/envelope.js';
import { toSingular, toItemNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import type { Item } from '../store/lists/item-list.js';
import { chooseInitialStatus, createTimestampWriter, isInstant, isStatusName, isTimestamp } from './server-values.js';

/** The inputs of the values of a new item. */
export interface NewValueInput {
  readonly seed: number;
  /** The name of the item for the random generator. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The value of a property in a new item; undefined leaves the property out. */
type NewValue = (input: NewValueInput) => unknown;

/** Whether a request of a collection can set a property of its items. */
export type IsSettable = (name: string) => boolean;

/** How deep request bodies wrap the properties of an item. */
const MAX_DEPTH = 3;

type SettableNames = Readonly<Record<'all' | 'created', ReadonlySet<string> | undefined>>;

/** Finds for each collection what its requests can set: the names in the bodies of its operations, wherever they are nested. */
export function createSettableFinder(
  read: ReadSchema,
  { bindings, collections }: Resources,
): (collection: string) => IsSettable {
  const all = [...bindings.values()];
  const find = memoize((collection: string): SettableNames => {
    const own = all.filter((binding) => binding.collection === collection && binding.action !== 'elements');
    const creates = own.filter(({ action }) => MAKES_ITEM.has(action));
    const whole = new Set(listProperties(read(collections.get(collection)?.schema)).map(({ bare }) => bare));
    return { all: collectNames(read, own, whole), created: collectNames(read, creates, whole) };
  });
  return (collection) => (name) => {
    const bare = toBareName(name);
    // Actions take the secret of an item to identify it.
    const names = find(collection)[SECRET_NAME.test(bare) ? 'created' : 'all'];
    // `role` is shown for a `role_id` that was sent, and `role_ids` for `roles`.
    const others = [`${bare}id`, `${toSingular(bare)}ids`, bare.replace(/ids?$/, ''), bare.replace(/ids$/, 's')];
    return names === undefined || [bare, ...others].some((each) => names.has(each));
  };
}

const SECRET_NAME = /(secret|token)$/;

function collectNames(read: ReadSchema, bindings: readonly Binding[], whole: ReadonlySet<string>) {
  const names = new Set(bindings.flatMap(listSentInQuery).map(({ name }) => toBareName(name)));
  const to = { names, seen: new Map<string, number>(), whole };
  const isDeclared = bindings.flatMap(({ action, operation }) =>
    (operation.body?.content ?? [])
      .filter(({ schema }) => schema !== undefined)
      .map(({ schemaPointer }) => {
        // The messages that a client sends to get an answer are not a part of the answer.
        const isQuestion = MAKES_ITEM.has(action) && operation.streaming !== undefined;
        return addNames(read, to, { pointer: schemaPointer, depth: isQuestion ? MAX_DEPTH : 0 });
      }),
  );
  return isDeclared.includes(false) ? undefined : names;
}

/** Adds the bare names of all properties in a schema; false where it allows properties that it does not declare. */
function addNames(
  read: ReadSchema,
  // `seen` has the smallest depth of each nested schema, `whole` the properties of the item: what is in them is theirs.
  to: { readonly names: Set<string>; readonly seen: Map<string, number>; readonly whole: ReadonlySet<string> },
  { pointer, depth }: { readonly pointer: string; readonly depth: number },
): boolean {
  const schema = read(pointer);
  if (schema === undefined || depth > MAX_DEPTH || (depth > 0 && (to.seen.get(pointer) ?? Infinity) <= depth))
    return true;
  to.seen.set(pointer, depth);
  if (schema.element !== undefined) return addNames(read, to, { pointer: schema.element, depth: depth + 1 });
  for (const { name, target, branches, readOnly } of listProperties(schema)) {
    if (readOnly) continue;
    to.names.add(toBareName(name));
    if (to.whole.has(toBareName(name))) continue;
    for (const each of [target, ...branches]) addNames(read, to, { pointer: each, depth: depth + 1 });
  }
  const isScalar = schema.type !== undefined && schema.type !== 'object';
  return depth > 0 || isScalar || schema.members.size > 0 || schema.schema.properties !== undefined;
}

/** Names of properties that an item has only after an event: an error, the end, a next step. */
const LATER_NAME =
  /error|fail|cancel|delet|remov|archiv|ended|^last|previous|^prev|^next|parent|reason|declin|refund|disput|revok|suspend|reject|replac|supersed|merged|closed|locked|trash/;

const END_NAME = /expire(s|at|on|date|time)|expiry|expiration|due|end(s|sat|date|at|time|on)?$|until|renew|deadline/;

const PERIOD_MS = 30 * 24 * 60 * 60 * 1000;

/** Plans a property that no request can set: the default, zero, an empty list, nothing for what follows an event, else a generated value. */
export function createNewValue(
  property: PropertyView,
  parts: {
    readonly read: ReadSchema;
    readonly generator: Pick<Generator, 'complete'>;
    readonly resource: Resource;
    readonly resources: Resources;
  },
  isNullMeaningful: boolean,
): NewValue {
  const { read, generator, resource, resources } = parts;
  const { schema, name, nullable, required, target } = property;
  const bare = toBareName(name);
  const nothing = nullable ? null : undefined;
  const type = readSchemaType(schema);
  if (schema.default !== undefined && !isObject(schema.default)) return () => schema.default;
  if (type === 'boolean') return () => schema.enum === undefined && means(property.known, 'values.true');
  if (type === 'array' && !(required && isResult(target, read)))
    return schema.minItems === undefined || schema.minItems === 0 ? () => [] : () => nothing;
  const isOptionalNull = nullable && isNullMeaningful;
  if (isInstant(property)) return createInstant(property, isOptionalNull ? null : undefined);
  if (schema.enum !== undefined && isStatusName(name)) {
    const initial = chooseInitialStatus(schema.enum, schema.description);
    return () => initial;
  }
  if (LATER_NAME.test(bare)) return () => nothing;
  if (type === 'object') {
    const inner = read(target);
    if (inner?.members.size === 0 && (schema.minProperties ?? 0) === 0) return () => ({});
    const isInnerList = inner !== undefined && isList(inner, read);
    if (!required && inner !== undefined && (isInnerList || isItem(inner, read, resources))) return () => nothing;
    const list = isInnerList ? findInnerList(read, inner) : undefined;
    if (list !== undefined)
      return ({ seed, key, now }) =>
        generator.complete(target, list.wrap([]), { seed, key: `${key}\0${name}`, now, direction: 'response' });
  }
  if (means(property.known, 'values.zero') || isCountBelow(bare, resource, resources)) {
    const zero = toZero(property, read);
    if (zero !== undefined) return () => zero;
  }
  const isServerName =
    means(property.known, 'values.ofServer') || schema.pattern !== undefined || schema.format?.startsWith('uri');
  if (isOptionalNull && isServerName !== true) return () => null;
  // An id that can be expanded to its object names an item that does not exist.
  if (!required && property.scalar && property.branches.length > 1) return () => nothing;
  const newId = means(property.known, 'ids.id', 'ids.second') ? createNewId(property) : undefined;
  if (newId !== undefined) return newId;
  return ({ seed, key, now }) =>
    // Not kept: no other item has the key.
    generator.complete(target, undefined, { seed, key: `${key}\0${name}`, now, direction: 'response', name });
}

/** Whether an item is the answer to the request that creates it, which can also be streamed: its work is done. */
export function isAnswered(bindings: readonly Binding[]): boolean {
  return bindings.some(({ action, operation }) => MAKES_ITEM.has(action) && operation.streaming !== undefined);
}

/** The parts that build the elements of an answer. */
interface AnswerParts {
  readonly contract: Contract;
  readonly read: ReadSchema;
  readonly generator: Pick<Generator, 'complete'>;
}

/** Plans the list that an item has as the answer to a request: one element of the first kind, successful and with its first text. */
export function createAnswerValue({ name, target }: PropertyView, parts: AnswerParts): NewValue {
  const items = parts.read(target)?.element;
  const make = items === undefined ? undefined : createFirstKind(parts, { pointer: items, depth: 0 });
  return ({ key, ...input }) => (make === undefined ? [] : [make({ ...input, key: `${key}\0${name}` })]);
}

/** Plans an object of the first kind that a schema allows; undefined where the schema is not one of objects. */
function createFirstKind(
  parts: AnswerParts,
  { pointer, depth }: { readonly pointer: string; readonly depth: number },
): NewValue | undefined {
  const { contract, read, generator } = parts;
  const [first = pointer] = listBranches(contract, pointer);
  const properties = listProperties(read(first));
  if (properties.length === 0 || depth > MAX_DEPTH) return undefined;
  const isText = ({ schema }: PropertyView): boolean => schema.type === 'string' && schema.enum === undefined;
  const text = properties.find((property) => property.nullable && isText(property));
  const toValue = (property: PropertyView): NewValue | undefined => {
    const { name, schema, target, nullable } = property;
    const value = findOnlyValue(property) ?? readFinal(name, schema.enum);
    if (value !== undefined) return () => value;
    if (nullable) return property === text ? undefined : () => null;
    const items = read(target)?.element;
    const isList = items !== undefined || schema.type === 'array';
    if (isList && depth > 0) return (schema.minItems ?? 0) === 0 ? () => [] : undefined;
    const inner = createFirstKind(parts, { pointer: items ?? target, depth: depth + 1 });
    return inner && isList ? (input) => [inner(input)] : inner;
  };
  const members = properties
    .filter(({ required }) => required)
    .map((property) => ({ name: property.name, value: toValue(property) }));
  return (input) => {
    const key = `${input.key}\0${first}`;
    const made = members.map(({ name, value }) => [name, value?.({ ...input, key })] as const);
    const partial = Object.fromEntries(made.filter(([, value]) => value !== undefined));
    return generator.complete(first, partial, { ...input, key, direction: 'response' });
  };
}

/** The status or the reason of work that succeeded. */
function readFinal(name: string, values: readonly unknown[] | undefined): unknown {
  if (/reason$/i.test(name)) return values?.find((value) => typeof value === 'string');
  return isStatusName(name) ? values?.find((value) => means(String(value), 'statuses.done')) : undefined;
}

/** Plans the choice of the kind of a new item: its constants do not differ from given values, and it has most of the given properties. */
export function createKindChooser(
  contract: Contract,
  schema: SchemaView | undefined,
): ((given: Item) => KindView | undefined) | undefined {
  const kinds = schema === undefined ? [] : readKinds(contract, schema.pointer);
  if (kinds.length < 2) return undefined;
  return (given) => {
    const fits = ({ constants }: KindView): boolean =>
      [...constants].every(([name, value]) => !Object.hasOwn(given, name) || given[name] === value);
    const count = ({ names }: KindView): number => Object.keys(given).filter((name) => names.has(name)).length;
    return kinds.filter(fits).toSorted((a, b) => count(b) - count(a))[0];
  };
}

/** A new id, also where the schema has an example of one; undefined where the schema does not say how ids look. */
function createNewId({ schema }: PropertyView): NewValue | undefined {
  const isInteger = [schema.type].flat().includes('integer');
  const { minimum = 1, maximum = 2 ** 31 - 1 } = schema;
  if (isInteger) return ({ seed, key }) => createRandom(seed, `${key}\0id`).integer(minimum, maximum);
  const generate = createIdGenerator(schema);
  return generate && (({ seed, key }) => generate(createRandom(seed, `${key}\0id`)));
}

/** The inputs of the elements in the lists of an item. */
interface ElementInput extends NewValueInput {
  readonly id: unknown;
}

/**
 * Plans how the elements that a request sends inside of an item are completed: with an id, the time of their creation and the
 * id of the item, where the element shows them. Optional members are added only in an object with the list, whose counts are set, too.
 */
export function createElements(
  read: ReadSchema,
  resource: Resource,
  schema: SchemaView | undefined,
): (item: Item, input: NewValueInput) => Item {
  const noun = toItemNoun(resource.name);
  const plans = listProperties(schema).flatMap(({ name, target }) => {
    const list = findInnerList(read, read(target));
    const isObjectOfList = list !== undefined && list.path.length > 0;
    const values = listProperties(list?.element).flatMap((property) => {
      const value = isObjectOfList || property.required ? createElementValue(property, noun) : undefined;
      return value === undefined ? [] : [[property.name, value] as const];
    });
    return list === undefined || (!isObjectOfList && values.length === 0) ? [] : [{ name, list, values }];
  });
  const toElement = (values: (typeof plans)[number]['values'], each: unknown, input: ElementInput): unknown => {
    const missing = isObject(each) ? values.filter(([name]) => !Object.hasOwn(each, name)) : [];
    if (!isObject(each) || missing.length === 0) return each;
    const made = missing.map(([name, value]) => [name, value(input)] as const);
    return { ...each, ...Object.fromEntries(made.filter(([, value]) => value !== undefined)) };
  };
  return (item, input) => {
    let result = item;
    for (const { name, list, values } of plans) {
      const path = [name, ...list.path];
      const given = readPath(item, path);
      if (!Array.isArray(given)) continue;
      const id = readMember(item, resource.idProperty ?? 'id');
      const made = given.map((each: unknown, i) =>
        toElement(values, each, { ...input, id, key: [input.key, String(id), ...path, i].join('\0') }),
      );
      const whole = isObject(item[name]) ? { ...list.wrap(made), ...item[name] } : {};
      result = withPath({ ...result, [name]: whole }, path, made);
    }
    return result;
  };
}

/** The value of a property of a new element that no request sent. */
function createElementValue(property: PropertyView, noun: string): ((input: ElementInput) => unknown) | undefined {
  const bare = toBareName(property.name);
  if (means(bare, 'ids.id', 'ids.second')) return createNewId(property);
  if (isTimestamp(property)) {
    const write = createTimestampWriter(property);
    return ({ now }) => write(now);
  }
  const isParent = noun !== '' && property.scalar && (bare === noun || bare === `${noun}id`);
  return isParent ? ({ id }) => id : undefined;
}

/** Whether an array holds what the server computes: objects without an id. Objects with one are items that are added later. */
function isResult(pointer: string, read: ReadSchema): boolean {
  const properties = listProperties(read(read(pointer)?.element));
  return properties.length > 0 && properties.every(({ known }) => !means(known, 'ids.id', 'ids.second'));
}

/** Whether a property has the name of a collection below its item: `open_issues` of a repository. */
function isCountBelow(bare: string, { name }: Resource, { collections }: Resources): boolean {
  const below = [...collections.values()].filter(({ parents }) => parents.at(-1) === name);
  return below.some((each) => bare.endsWith(toBareName(each.name.split('.').at(-1) ?? '')));
}

/** Whether an object is an item of a collection, which a new item does not refer to unless a request says so. */
function isItem({ pointer, members: properties }: SchemaView, read: ReadSchema, { collections }: Resources): boolean {
  const isOf = ({ schema, idProperty }: Resource): boolean =>
    schema !== undefined && read(schema)?.pointer === pointer && properties.has(idProperty ?? '');
  return [...collections.values()].some(isOf);
}

function isList(schema: SchemaView, read: ReadSchema): boolean {
  const all = listProperties(schema);
  return (
    all.some(({ target }) => read(target)?.type === 'array') &&
    all.some(({ name }) => /^(has_?more|(total_?)?count|total|next.*|offset|limit)$/i.test(name))
  );
}

function createInstant(property: PropertyView, nothing: unknown): NewValue {
  const write = createTimestampWriter(property);
  const bare = toBareName(property.name);
  if (nothing === null) return () => null;
  if (END_NAME.test(bare)) return ({ now }) => write(now + PERIOD_MS);
  if (means(bare, 'times.start') || property.required) return ({ now }) => write(now);
  return () => undefined;
}

/** 0, or an object of zeros; undefined where the schema does not allow it. */
function toZero({ schema, target }: PropertyView, read: ReadSchema, depth = 0): unknown {
  const { minimum = 0, enum: values } = schema;
  if (isNumeric(schema)) return minimum <= 0 && values === undefined ? 0 : undefined;
  const inner = depth > 2 ? [] : listProperties(read(target));
  const zeros = inner.map((each) => [each.name, toZero(each, read, depth + 1)] as const);
  return zeros.length === 0 || zeros.some(([, zero]) => zero === undefined) ? undefined : Object.fromEntries(zeros);
}

/** The empty value of a required property that requests can set: null, an empty list or an empty map; undefined for any other. */
export function findEmptyValue({ nullable, required, schema, target }: PropertyView, read: ReadSchema): unknown {
  if (!required) return undefined;
  if (nullable) return null;
  if (schema.type === 'array' && (schema.minItems ?? 0) === 0) return [];
  const isMap = schema.type === 'object' && read(target)?.members.size === 0;
  return isMap && (schema.minProperties ?? 0) === 0 ? {} : undefined;
}

/** Whether null says something in the items of a resource: not where even their ids are declared as nullable. */
export function isNullMeaningful(id: PropertyView | undefined): boolean {
  return id?.nullable !== true;
}
