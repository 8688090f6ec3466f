import { isNumber, toNumber } from '../../base/exact-number.js';
import { SAYS_COMMAS } from '../../conventions/descriptions.js';
import { KEY_OF_OTHER } from '../../conventions/forms.js';
import { means, rankNames } from '../../conventions/conventions.js';
import { isObject, readPath, type SchemaObject, withPath, filterMembers } from '../../base/json.js';
import { findInnerList } from '../list/envelope.js';
import {
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  listProperties,
  readSchemaType,
} from '../../contract/schema-view/schema-view.js';
import { toSingular, toItemNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import type { Resources } from './resource.js';
import type { Item } from '../store/lists/item-list.js';
import { createTimestampWriter } from './server-values.js';

/** Where one value of an object is in another object. */
export interface PropertyLink {
  readonly from: readonly string[];
  readonly to: readonly string[];
  /**
   * Whether an object becomes its id, an id an object, a scalar one of another type, a value the only element of an array, an array the object
   * of a list, or the parts of an object are changed so; for an array each element is.
   */
  readonly change: 'to-array' | 'to-id' | 'to-list' | 'to-object' | 'to-parts' | 'to-type' | undefined;
  /** Makes the change; what cannot be changed stays as it is. */
  readonly convert?: ((value: unknown) => unknown) | undefined;
  /** The property of the object that holds its id. */
  readonly key: string;
}

/** Two schemas of one item. */
export interface SchemaPair {
  readonly from: SchemaView;
  readonly to: SchemaView;
  /** The name of the collection, which property names can begin with: `RecordingTrack` for the `track` of a recording. */
  readonly collection: string;
  /** The collections whose items the schemas can show. */
  readonly resources?: Resources | undefined;
}

/** The context in which the properties of two schemas are compared. */
interface LinkContext extends Pick<SchemaPair, 'resources'> {
  readonly read: ReadSchema;
  /** Whether the properties belong to an object inside of the item. */
  readonly isInside?: boolean;
}

/** Converts an object of one schema to an object of another. */
export type Projection = (value: Item) => Item;

/**
 * Plans the conversion between two schemas of one item, such as a request body and the item, or the item and a summary of it.
 *
 * A property corresponds to that of the same name, to one that differs only in case and separators, to the id of an object
 * (`role_id` and `role.id`), to one with the noun before it, or to one inside of an object such as `attributes`. Undefined where the schemas correspond name by name.
 */
export function createProjection(read: ReadSchema, pair: SchemaPair): Projection | undefined {
  const links = findLinks(read, pair);
  const isSame = ({ from, to, change }: PropertyLink): boolean =>
    change === undefined && from.join('\0') === to.join('\0');
  if (links.every(isSame)) return undefined;
  return (value) => {
    let result: Item = {};
    for (const link of links) {
      const found = readPath(value, link.from);
      if (found !== undefined)
        result = withPath(result, link.to, link.convert === undefined ? found : link.convert(found));
    }
    return result;
  };
}

/** Which properties of two schemas of one item correspond. */
export function findLinks(read: ReadSchema, { from, to, collection, resources }: SchemaPair): readonly PropertyLink[] {
  const context: LinkContext = { read, resources };
  const sources = findSources(read, from, to);
  const noun = toItemNoun(collection);
  const targets = new Set(listProperties(to).map(({ bare }) => bare));
  const others = sources.filter(({ property: { bare, scalar } }) => scalar && !targets.has(bare));
  const links: PropertyLink[] = [];
  const lengthened = findLengthened(from, to);
  const ids = findIdAfterNoun(context, sources, { to, noun });
  for (const property of listProperties(to)) {
    if (ids?.isOther(property) === true) continue;
    const link = findLink(context, sources, property) ?? ids?.links.get(property.name) ?? lengthened.get(property.name);
    if (link !== undefined) {
      links.push({ ...link, to: [property.name, ...link.to] });
      continue;
    }
    const prefixed = noun === '' ? undefined : findByNoun(others, noun, property);
    if (prefixed !== undefined) links.push({ ...toLink(context, prefixed, property), to: [property.name] });
    if (!means(property.known, 'envelopes.part')) continue;
    for (const inner of listProperties(read(property.target))) {
      const below = findLink(context, sources, inner);
      if (below !== undefined) links.push({ ...below, to: [property.name, inner.name, ...below.to] });
    }
  }
  const linked = new Set(links.map((link) => link.from.join('\0')));
  const left = sources.filter(({ path }) => !linked.has(path.join('\0')));
  return left.length === 0 ? links : [...links, ...findIdsInside(context, left, to)];
}

/** The ids of other items that an item shows inside of an object: `guest_id` as `guest_details.guest_id`. */
function findIdsInside(context: LinkContext, sources: readonly Source[], to: SchemaView): readonly PropertyLink[] {
  const ids = sources.filter(({ property: { known, bare, scalar } }) => {
    return scalar && bare.length > 2 && means(known, 'ids.ending') && !means(known, 'ids.id', 'ids.name');
  });
  const objects = ids.length === 0 ? [] : listProperties(to).filter(({ scalar }) => !scalar);
  return ids.flatMap((source): readonly PropertyLink[] => {
    const places = objects.flatMap((holder) => {
      const target = context.read(holder.target)?.members.get(source.property.name);
      return target?.scalar === true ? [{ holder, target }] : [];
    });
    const [only] = places;
    if (only === undefined || places.length > 1) return [];
    return [{ ...toLink(context, source, only.target), to: [only.holder.name, only.target.name] }];
  });
}

/** The id of an item that an answer names with the noun: `member_id` for `id`. An `id` of another type beside it is that of something else. */
function findIdAfterNoun(
  context: LinkContext,
  sources: readonly Source[],
  { to, noun }: { readonly to: SchemaView; readonly noun: string },
): { readonly links: ReadonlyMap<string, PropertyLink>; isOther(property: PropertyView): boolean } | undefined {
  const id = sources.find(({ path }) => path.length === 1 && means(path[0] ?? '', 'ids.id', 'ids.object'));
  const isOwn = ({ bare, scalar }: PropertyView): boolean => scalar && noun !== '' && bare === `${noun}id`;
  const own = listProperties(to).find(isOwn);
  if (id === undefined || own === undefined || sources.some(({ property }) => isOwn(property))) return undefined;
  const type = readSchemaType(id.property.schema);
  return {
    links: new Map([[own.name, toLink(context, id, own)]]),
    isOther: ({ name, schema }) =>
      name === id.property.name && readSchemaType(schema) !== type && readSchemaType(own.schema) === type,
  };
}

/** By property, what has its name with words before it: `callback_url` for the `url` that a request must send. */
function findLengthened(from: SchemaView, to: SchemaView): ReadonlyMap<string, PropertyLink> {
  const found = new Map<string, PropertyLink>();
  const bareNames = new Set(listProperties(from).map(({ bare }) => bare));
  for (const { name, bare, required, schema } of listProperties(from)) {
    if (!required || !means(bare, 'values.shortened')) continue;
    const longer = listProperties(to).filter((each) => each.bare.endsWith(bare));
    const [only] = longer;
    const isOther = only !== undefined && only.bare !== bare && !bareNames.has(only.bare);
    if (longer.length !== 1 || !isOther || only.readOnly || only.schema.format !== schema.format) continue;
    found.set(only.name, { from: [name], to: [], change: undefined, key: '' });
  }
  return found;
}

/** The source with the noun before the name of a property, or without it: `filename` for the `name` of a file, `arn` for `rackArn`. */
function findByNoun(sources: readonly Source[], noun: string, target: PropertyView): Source | undefined {
  const rest = target.bare.startsWith(noun) ? target.bare.slice(noun.length) : '';
  const names = target.scalar
    ? [noun + target.bare, ...(means(rest, 'ids.id', 'ids.name', 'links.plain') ? [rest] : [])]
    : [];
  const found = names.flatMap((name) => sources.find(({ property }) => property.bare === name) ?? []);
  return found.find(({ property }) => readSchemaType(property.schema) === readSchemaType(target.schema));
}

interface Source {
  readonly path: readonly string[];
  readonly property: PropertyView;
}

/** The properties of a schema, then the properties inside of its parts, where the other schema does not have the part. */
function findSources(read: ReadSchema, from: SchemaView, to: SchemaView): readonly Source[] {
  const own = listProperties(from).map((property): Source => ({ path: [property.name], property }));
  const nested = own.flatMap(({ property: { name, target } }): readonly Source[] => {
    if (!means(name, 'envelopes.part', 'envelopes.options') || to.members.has(name)) return [];
    const inner = listProperties(read(target));
    return inner.map((each) => ({ path: [name, each.name], property: each }));
  });
  return [...own, ...nested];
}

/** The source of a property; the `to` of the link is the path inside of that property. */
function findLink(context: LinkContext, sources: readonly Source[], property: PropertyView): PropertyLink | undefined {
  const { bare } = property;
  const same =
    sources.find(({ property: { name } }) => name === property.name) ??
    sources.find((each) => each.property.bare === bare);
  if (same !== undefined) return toLink(context, same, property);
  // `role` from `role_id`, and `role_id` from `role`.
  const [ofOne, ofMany] = [`${bare}id`, `${singular(bare)}ids`];
  const id = sources.find((each) => each.property.bare === ofOne || each.property.bare === ofMany);
  if (id !== undefined) return readKind(context.read, property).isObject ? toLink(context, id, property) : undefined;
  const isNamedId = /ids?$/.test(bare);
  const object = sources.find(
    ({ property: { bare: other } }) => isNamedId && (`${other}id` === bare || `${singular(other)}ids` === bare),
  );
  if (object !== undefined) {
    const kind = readKind(context.read, object.property);
    // An object without an id says nothing about the id of that name.
    return kind.isObject && kind.id === undefined && property.scalar ? undefined : toLink(context, object, property);
  }
  // `plan_slug` from a plain `plan`.
  const stem = KEY_OF_OTHER.exec(bare)?.[1];
  const plain = sources.find((each) => each.property.scalar && each.property.bare === stem);
  return plain && property.scalar ? toLink(context, plain, property) : undefined;
}

function singular(bare: string): string {
  return bare.replace(/s$/, '');
}

/** A link between properties of the same meaning, which may be an object in one and its id in the other. */
function toLink(context: LinkContext, { path, property: source }: Source, target: PropertyView): PropertyLink {
  const { read } = context;
  const plain: PropertyLink = { from: path, to: [], change: undefined, key: '' };
  const [a, b] = [readKind(read, source), readKind(read, target)];
  const list = a.isArray && !b.isArray ? findInnerList(read, b.of) : undefined;
  if (list === undefined)
    return {
      ...plain,
      ...(isOne(read, source) && b.isArray ? toElement(source, toChange(context, a, b)) : toChange(context, a, b)),
    };
  const element = toKind(list.element, { ...target, schema: list.element.schema });
  const { convert = (value: unknown) => value } = toChange(context, a, element);
  // A merge would remove what is null.
  const toList = (value: unknown): unknown =>
    Array.isArray(value) ? filterMembers(list.wrap(value.map(convert)), (_, each) => each !== null) : value;
  return { ...plain, change: 'to-list', convert: toList };
}

/** Whether a property can have a value that is not an array. */
function isOne(read: ReadSchema, { target }: PropertyView): boolean {
  const type = read(target)?.type;
  return type !== undefined && type !== 'array';
}

/** A value becomes the only element of an array, a string whose description says that it has commas the elements between them. */
function toElement(
  { schema: { description = '' } }: PropertyView,
  { change = 'to-array', convert = (value) => value, ...rest }: ReturnType<typeof toChange>,
): ReturnType<typeof toChange> {
  const isSplit = SAYS_COMMAS.test(description);
  const wrap = (value: unknown): unknown => {
    if (Array.isArray(value) || value === null) return value;
    return isSplit && typeof value === 'string' ? value.split(/\s*,\s*/).filter((part) => part !== '') : [value];
  };
  return { ...rest, change, convert: (value) => wrap(convert(value)) };
}

function toChange(
  context: LinkContext,
  source: ObjectKind,
  target: ObjectKind,
): Pick<PropertyLink, 'change' | 'convert' | 'key'> {
  if (source.isObject && target.isScalar && source.id !== undefined) {
    const key = source.id;
    return { change: 'to-id', key, convert: toEach((value) => (isObject(value) ? value[key] : value)) };
  }
  // A value that can be an object or its id does not change where it is an object.
  if ((source.isScalar || source.isEither) && target.of !== undefined && target.isObject && target.id !== undefined) {
    const { of, id } = target;
    // `role_id` is what the role calls `id`.
    const own = /ids?$/i.test(source.name) ? undefined : findKeyInCollection(context, target.name, of);
    const find = (type: string | undefined): string => findKeyOfType(of, type, own) ?? id;
    const keys: Readonly<Record<string, string>> = { string: find('string'), number: find('integer') };
    const convert = (value: unknown): unknown => {
      const key = keys[typeof value];
      return key === undefined ? value : { [key]: value };
    };
    return { change: 'to-object', key: find(readSchemaType(source.schema)), convert: toEach(convert) };
  }
  const convert = source.isScalar && target.isScalar ? createTypeChange(source.schema, target) : undefined;
  if (convert !== undefined) return { change: 'to-type', key: '', convert: toEach(convert) };
  const parts = createPartsChange(context, source.of, target.of);
  return { change: parts && 'to-parts', key: '', convert: parts && toEach(parts) };
}

/** Changes a value that is not null, or each element of an array. */
function toEach(change: (value: unknown) => unknown): (value: unknown) => unknown {
  return function convert(value): unknown {
    if (Array.isArray(value)) return value.map(convert);
    return value === null ? value : change(value);
  };
}

/** How an object inside of an item changes whose properties are ids in one schema and objects, or lists of them, in another one. */
function createPartsChange(
  context: LinkContext,
  from: SchemaView | undefined,
  to: SchemaView | undefined,
): PropertyLink['convert'] {
  if (from === undefined || to === undefined || from.pointer === to.pointer || context.isInside === true)
    return undefined;
  const links = listProperties(from).flatMap((property) => {
    const target = to.members.get(property.name);
    const link = target && toLink({ ...context, isInside: true }, { path: [], property }, target);
    return link?.convert !== undefined && /^to-(list|object)$/.test(link.change ?? '')
      ? [{ name: property.name, convert: link.convert }]
      : [];
  });
  if (links.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    const own = links.filter(({ name }) => Object.hasOwn(value, name));
    return { ...value, ...Object.fromEntries(own.map(({ name, convert }) => [name, convert(value[name])])) };
  };
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
]);

/** How a value of one scalar type is written in another one, also times; undefined where the types are the same. */
function createTypeChange(
  source: SchemaObject,
  target: Pick<PropertyView, 'name' | 'schema'>,
): PropertyLink['convert'] {
  const [from, to] = [readSchemaType(source), readSchemaType(target.schema)];
  if (from === to || from === undefined || to === undefined || (isNumeric(from) && isNumeric(to))) return undefined;
  if (isTime(target.schema) && isNumeric(from)) {
    const write = createTimestampWriter(target);
    // Seconds of any time in this century are smaller than milliseconds of one.
    return (value) => (typeof value === 'number' ? write(value > 100_000_000_000 ? value : value * 1000) : value);
  }
  if (isTime(source) && isNumeric(to)) {
    const write = createTimestampWriter(target);
    return (value) => (Number.isNaN(Date.parse(String(value))) ? value : write(Date.parse(String(value))));
  }
  if (to === 'string') return (value) => (isNumber(value) || typeof value === 'boolean' ? String(value) : value);
  if (to === 'boolean') return (value) => BOOLEANS.get(value) ?? value;
  if (from === 'boolean') return (value) => (typeof value === 'boolean' ? Number(value) : value);
  return (value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? toNumber(value) : value);
}

function isNumeric(type: string | undefined): boolean {
  return type === 'integer' || type === 'number';
}

function isTime({ format }: SchemaObject): boolean {
  return format === 'date-time' || format === 'date';
}

/** The kind of the value of a property, or of the elements of its array. */
interface ObjectKind extends Pick<PropertyView, 'name' | 'schema'> {
  readonly isArray: boolean;
  readonly isObject: boolean;
  readonly isScalar: boolean;
  /** Whether it is an object or its id. */
  readonly isEither: boolean;
  /** For objects: the property that holds their id. */
  readonly id?: string | undefined;
  /** For objects: their schema. */
  readonly of?: SchemaView | undefined;
}

function readKind(read: ReadSchema, property: PropertyView): ObjectKind {
  const inner = read(property.target);
  const one = inner?.type === 'array' && inner.element !== undefined ? read(inner.element) : inner;
  if (one === inner) return toKind(one, property);
  return { ...toKind(one, { ...property, schema: one?.schema ?? property.schema }), isArray: true };
}

function toKind(
  one: SchemaView | undefined,
  { name, schema, scalar }: Pick<PropertyView, 'name' | 'scalar' | 'schema'>,
): ObjectKind {
  const common = { name, schema, isArray: false, isScalar: false };
  // A value that can be an id or its object needs no conversion.
  if (one !== undefined && one.members.size > 0)
    return { ...common, isObject: !scalar, isEither: scalar, id: findId(one), of: one };
  const type = one?.type ?? (typeof schema.type === 'string' ? schema.type : undefined);
  const isScalar = type !== undefined && type !== 'object' && type !== 'array';
  return { ...common, isObject: false, isScalar, isEither: false };
}

function findId(schema: SchemaView): string | undefined {
  const names = [...schema.members.keys()];
  return (
    names.find((name) => means(name, 'ids.id', 'ids.object')) ??
    names.find((name) => means(name, 'ids.id', 'ids.name', 'ids.value'))
  );
}

/** The property for an id of a type: `value` of `{ name, value }` for a number; `own` identifies the items that such objects show. */
function findKeyOfType(schema: SchemaView, type: string | undefined, own: string | undefined): string | undefined {
  const isSame = (each: string | undefined): boolean =>
    (each !== undefined && each === type) || (isNumeric(each) && isNumeric(type));
  const all = listProperties(schema)
    .filter(({ schema: each }) => isSame(readSchemaType(each)))
    .map(({ name }) => name);
  return (
    all.find((name) => name === own) ??
    all.find((name) => means(name, 'ids.id', 'ids.object')) ??
    rankNames(all, 'ids.person')[0] ??
    all.find((name) => means(name, 'ids.id', 'ids.name', 'ids.value'))
  );
}

/** The property that identifies the items of the collection with the schema of some objects, else of that with their name. */
function findKeyInCollection(
  { read, resources }: LinkContext,
  name: string,
  { pointer, members: properties }: SchemaView,
): string | undefined {
  const noun = toSingular(toBareName(name));
  const all = [...(resources?.collections.values() ?? [])].filter(({ idProperty = '' }) => properties.has(idProperty));
  const same = all.find(({ schema }) => schema !== undefined && read(schema)?.pointer === pointer);
  const named = all.find((each) => toItemNoun(each.name) === noun);
  return (same ?? named)?.idProperty;
}
