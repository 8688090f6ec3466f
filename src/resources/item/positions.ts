import { means } from '../../conventions/conventions.js';
import { addTo } from '../../base/json.js';
import { memoize } from '../../base/memoize.js';
import {
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  listProperties,
  readSchemaType,
} from '../../contract/schema-view/schema-view.js';

/** A place in a body where an item, or the items of a list, can be. */
export interface BodyPosition {
  /** The property names from the root of the body to the item, or to the array of items. */
  readonly path: readonly string[];
  /** In a list: the property names from an element of the array to the item; usually none. */
  readonly element: readonly string[];
  /** Pointer to the schema where it is used: that of a union, for example, where `schema` is one of its branches. */
  readonly pointer: string;
  readonly schema: SchemaView;
}

/** Where one item is in a body. */
export interface ItemPlace {
  readonly path: readonly string[];
  /** The schema of the item at that place; undefined where the body declares no properties. */
  readonly schema: SchemaView | undefined;
  /** Whether it is the only element of an array at the path. */
  readonly isInArray: boolean;
}

/** The bodies of the operations of one resource, each with its positions. */
interface ResourceBodies {
  /** Answers that show one item: of the read, then of the create, then of changes. */
  readonly answers: readonly (readonly BodyPosition[])[];
  readonly lists: readonly (readonly BodyPosition[])[];
  readonly requests: readonly (readonly BodyPosition[])[];
  /** Bare names of the path parameters that identify an item. */
  readonly idNames: readonly string[];
}

/** A position and how well it fits the other bodies of its resource. */
interface ScoredPosition {
  readonly position: BodyPosition;
  readonly score: number;
}

/** How deep an item can be nested in envelopes. */
const MAX_DEPTH = 3;

/** The positions where one item can be in a body: its root and the objects in it, except those inside of an object with an id. */
export function findItemPositions(read: ReadSchema, pointer: string | undefined): readonly BodyPosition[] {
  const schema = read(pointer);
  if (pointer === undefined || schema === undefined) return [];
  const places = read.once(walk, schema);
  const [root] = places;
  // Many bodies refer to one schema.
  return root === undefined || root.pointer === pointer ? places : places.with(0, { ...root, pointer });
}

/** The positions where the items of a list can be: the elements of the arrays in a body, and the objects in these elements. */
export function findListPositions(read: ReadSchema, pointer: string | undefined): readonly BodyPosition[] {
  const schema = read(pointer);
  return schema === undefined ? [] : read.once(findListElements, schema);
}

function findListElements(read: ReadSchema, schema: SchemaView): readonly BodyPosition[] {
  // The arrays of an item are its own.
  return findElements(read, schema, (each) => read.once(hasId, each));
}

function findAllElements(read: ReadSchema, schema: SchemaView): readonly BodyPosition[] {
  return findElements(read, schema, () => false);
}

function findElements(
  read: ReadSchema,
  root: SchemaView,
  isItem: (schema: SchemaView) => boolean,
): readonly BodyPosition[] {
  const found: BodyPosition[] = [];
  const add = (path: readonly string[], items: string): void => {
    for (const { path: element, pointer, schema } of findItemPositions(read, items))
      if (element.length < 2) found.push({ path, element, pointer, schema });
  };
  if (root.type === 'array' && root.element !== undefined) add([], root.element);
  for (const { path, schema } of read.once(walk, root)) {
    if (isItem(schema)) continue;
    for (const { name, target } of schema.members.values()) {
      const inner = read(target);
      if (inner?.type === 'array' && inner.element !== undefined) add([...path, name], inner.element);
    }
  }
  return found;
}

/** The positions in one body: schemas whose properties refer to them have a number that grows with each level. */
const MAX_PLACES = 250;

/** The objects with properties in a schema, from the outside to the inside. */
function walk(read: ReadSchema, root: SchemaView): readonly BodyPosition[] {
  const places: BodyPosition[] = [];
  const visit = (pointer: string, path: readonly string[], schema: SchemaView | undefined): void => {
    if (schema === undefined || schema.type === 'array' || schema.members.size === 0) return;
    places.push({ path, element: [], pointer, schema });
    if (path.length >= MAX_DEPTH || read.once(hasId, schema)) return;
    const isWrapper = hasWrapped(schema);
    for (const { name, known, target } of schema.members.values()) {
      if (places.length >= MAX_PLACES) return;
      // Beside `data`, an object such as `meta` is about the request.
      if (isWrapper && means(known, 'envelopes.member')) continue;
      visit(target, [...path, name], read(target));
    }
  };
  visit(root.pointer, [], root);
  return places;
}

function hasId(_: ReadSchema, { members: properties }: SchemaView): boolean {
  for (const { name, schema } of properties.values()) {
    // Without a schema it is that of an envelope, such as the `id` of a call.
    if (means(name, 'ids.id') && Object.keys(schema).length > 0) return true;
  }
  return false;
}

/**
 * Finds the position of the item in the answers of one resource by comparing its bodies with each other.
 *
 * The item is the object that has the id, that lists show as well, and whose properties requests send; an envelope around it has only
 * members that describe the answer. The root is preferred.
 */
export function findItemPosition(read: ReadSchema, bodies: ResourceBodies): ScoredPosition | undefined {
  const all = [...bodies.answers, ...bodies.lists, ...bodies.requests];
  const own = bodies.answers.find((positions) => positions.length > 0);
  if (own === undefined) return undefined;
  const isOwned = (position: BodyPosition, positions: readonly BodyPosition[]): boolean =>
    isPartOfItem(read, { position, positions, idNames: bodies.idNames });
  const pointers = new Set(own.flatMap(({ path, schema }) => (path.length === 0 ? [] : [schema.pointer])));
  const values = new Set(
    [...bodies.answers, ...bodies.requests].flatMap((positions) => listValues(read, positions, pointers)),
  );
  const places = own.filter(({ path, schema }) => path.length === 0 || !values.has(schema.pointer));
  const scored = (places.length > 0 ? places : own).map((position): ScoredPosition => {
    const isPart = isOwned(position, own);
    const similar = all.reduce((sum, positions) => {
      const best = positions === own ? undefined : findBest(read, position.schema, positions);
      if (best === undefined) return sum;
      // The same part of two bodies shows that what it is a part of is the same.
      const isSamePart =
        isPart && readHolder(position) === readHolder(best.position) && isOwned(best.position, positions);
      return isSamePart ? sum : sum + best.score;
    }, 0);
    return {
      position,
      score:
        similar +
        rateId(read, position.schema, bodies.idNames) +
        ratePlace(read, position, own) +
        (isListedAlone(read, position, { root: own[0], lists: bodies.lists }) ? 1 : 0),
    };
  });
  return scored.toSorted((a, b) => b.score - a.score)[0];
}

/** Whether a list shows what an object in a body is, and nothing of what is around it: `{ "gate": {…}, "load": 2 }` beside a list of gates. */
function isListedAlone(
  read: ReadSchema,
  { path, schema }: BodyPosition,
  { root, lists }: { readonly root: BodyPosition | undefined; readonly lists: ResourceBodies['lists'] },
): boolean {
  if (path.length === 0 || root === undefined) return false;
  return lists.flat().some(({ element, schema: listed }) => {
    const isSame = listed.pointer === schema.pointer || isSummary(read, listed, schema);
    return element.length === 0 && isSame && sharesNothing(listed, root.schema);
  });
}

/**
 * Those of the given schemas that describe values: a body has them in several places, such as the `amount` and the `fee` of a payment.
 * In an envelope the places must be beside each other in one object: different objects can all hold the item.
 */
function listValues(
  read: ReadSchema,
  positions: readonly BodyPosition[],
  pointers: ReadonlySet<string>,
): readonly string[] {
  const byPointer = new Map<string, (readonly string[])[]>();
  for (const { path, element, schema } of positions)
    if (element.length === 0 && pointers.has(schema.pointer)) addTo(byPointer, schema.pointer, path);
  const isPlain = memoize((at: string): boolean => {
    const depth = at === '' ? 0 : at.split('\0').length;
    const around = positions.find(
      ({ path, element }) => element.length === 0 && path.length === depth && toKey(path) === at,
    );
    return around !== undefined && !isEnvelope(read, around.schema);
  });
  return [...byPointer].flatMap(([pointer, all]) => {
    if (all.length < 2) return [];
    const keys = new Set(all.map(toKey));
    // A message can have the message that it answers.
    const paths = all.filter((path) => !path.some((_, depth) => keys.has(toKey(path.slice(0, depth)))));
    const around = paths.map((path) => toKey(path.slice(0, -1)));
    const isBeside = (at: string, i: number): boolean => around.indexOf(at) < i && isPlain(at);
    return paths.length > 1 && (isPlain('') || around.some(isBeside)) ? [pointer] : [];
  });
}

function toKey(path: readonly string[]): string {
  return path.join('\0');
}

/** Whether the object around a position is not an envelope, and has an id or a name of its own. */
function isPartOfItem(
  read: ReadSchema,
  of: {
    readonly position: BodyPosition;
    readonly positions: readonly BodyPosition[];
    readonly idNames: readonly string[];
  },
): boolean {
  const { path, element } = of.position;
  if (path.length + element.length === 0) return false;
  const [at, inside] = element.length > 0 ? [path, element.slice(0, -1)] : [path.slice(0, -1), element];
  const around = of.positions.find((each) => toKey(each.path) === toKey(at) && toKey(each.element) === toKey(inside));
  return around !== undefined && !isEnvelope(read, around.schema) && rateId(read, around.schema, of.idNames) > 0;
}

/** The property that holds what is at a position. */
function readHolder({ path, element }: BodyPosition): string | undefined {
  return element.at(-1) ?? path.at(-1);
}

/** The position in another body of the resource that is most like the item; undefined where none is. */
export function findSamePosition(
  read: ReadSchema,
  item: SchemaView,
  positions: readonly BodyPosition[],
): BodyPosition | undefined {
  return findBest(read, item, positions)?.position;
}

/**
 * Where a body shows one item: as an object, or as the only element of an array, `{ "data": [{ "id": 1 }] }`; undefined where it does not.
 *
 * An envelope with an id of its own, such as that of the request, holds the item in an array of exactly its schema.
 */
export function findItemPlace(read: ReadSchema, item: SchemaView, pointer: string): ItemPlace | undefined {
  const whole = read(pointer);
  if (whole?.pointer === item.pointer) return { path: [], schema: whole, isInArray: false };
  const same = findSamePosition(read, item, findItemPositions(read, pointer));
  if (same !== undefined) return { path: same.path, schema: same.schema, isInArray: false };
  const isExact = ({ element, schema }: BodyPosition): boolean =>
    element.length === 0 && schema.pointer === item.pointer;
  const listed =
    (whole && read.once(findAllElements, whole).find(isExact)) ??
    findListPositions(read, pointer).find(
      ({ element, schema }) =>
        element.length === 0 && (isSameItem(read, item, schema) || isSummary(read, item, schema)),
    );
  return listed && { path: listed.path, schema: listed.schema, isInArray: true };
}

/** Less similar objects are not the same item. */
const MIN_SIMILARITY = 0.25;

/** The position with the most in common: a small part of an item can be wholly like it, but shares fewer properties. */
function findBest(read: ReadSchema, item: SchemaView, positions: readonly BodyPosition[]): ScoredPosition | undefined {
  let best: ScoredPosition | undefined;
  const root = positions.find(({ path }) => path.length === 0);
  const isWrapped = root === undefined || isEnvelope(read, root.schema) || isAround(item, root.schema, positions);
  const whole = isWrapped ? findContent(read, root, positions) : root;
  for (const position of positions) {
    if (isReference(position, isWrapped)) continue;
    const path = position.path.slice(whole?.path.length);
    // What looks like an envelope can be the item itself: `{ status, service: { id } }`.
    if (isPart(read, item, position) || isPart(read, item, { ...position, path })) continue;
    const isInside = whole !== undefined && position !== whole && position.path.length >= whole.path.length;
    if (isInside && lacksNames(read, item, { whole: whole.schema, inner: position.schema })) continue;
    const { shared, least, most } = countNames(read, item, position.schema);
    if (toSimilarity(shared, least) < MIN_SIMILARITY) continue;
    const depth = position.path.length + 2 * position.element.length;
    const same = item.pointer === position.schema.pointer ? 0.1 : 0;
    const score =
      shared / Math.sqrt(least * most) + same - 0.03 * depth - (isEnvelope(read, position.schema) ? 0.5 : 0);
    if (best === undefined || score > best.score) best = { position, score };
  }
  return best;
}

/** The object in the envelope of a body. */
function findContent(
  read: ReadSchema,
  root: BodyPosition | undefined,
  positions: readonly BodyPosition[],
): BodyPosition | undefined {
  const content = root && openEnvelope(read, root.schema);
  return positions.find(({ path, schema }) => path.length > 0 && schema === content);
}

/** Whether a body has one object, and beside it nothing that an item has: `{ "gate": { "id": 1 }, "load": 2 }`. */
function isAround(item: SchemaView, root: SchemaView, positions: readonly BodyPosition[]): boolean {
  const inside = positions.filter(({ path, element }) => path.length === 1 && element.length === 0);
  return inside.length === 1 && sharesNothing(item, root);
}

/** Whether an item has none of the names of what may be around it. */
function sharesNothing(item: SchemaView, { members }: SchemaView): boolean {
  return [...members.keys()].every((name) => !item.members.has(name));
}

/** Whether what a body holds under a name is what the item has under that name, such as the `service` of an alarm: then the body is the item. */
export function isPart(read: ReadSchema, item: SchemaView, { path, schema }: BodyPosition): boolean {
  const [name = '', ...others] = path;
  const part = others.length > 0 ? undefined : read(item.members.get(name)?.target);
  return part !== undefined && part.pointer !== item.pointer && isSameItem(read, part, schema);
}

/** Whether an object inside of another one lacks several properties of the item that the outer one has: it is a part of the item then. */
function lacksNames(
  read: ReadSchema,
  item: SchemaView,
  { whole, inner }: { readonly whole: SchemaView; readonly inner: SchemaView },
): boolean {
  const [own, all, part] = [whole, item, inner].map((schema) => read.once(readNames, schema));
  let lacking = 0;
  for (const name of own ?? []) if (all?.has(name) === true && part?.has(name) === false) lacking++;
  return lacking > 1;
}

/** Whether an object inside of a body only names another item: `assign_to: { type, id }`, or `voice: { id }` beside other properties. */
function isReference({ path, schema: { members: properties } }: BodyPosition, isWrapped: boolean): boolean {
  if (path.length === 0 || properties.size > 2 || !properties.has('id')) return false;
  return properties.size === 1 ? !isWrapped : properties.has('type');
}

/** How likely two schemas describe the same item, from 0 to 1. */
export function compareSchemas(read: ReadSchema, one: SchemaView, other: SchemaView): number {
  const { shared, least } = countNames(read, one, other);
  return toSimilarity(shared, least);
}

/** Whether two schemas have so little in common that they describe different items. */
export function isUnlike(read: ReadSchema, one: SchemaView, other: SchemaView): boolean {
  return compareSchemas(read, one, other) < 0.4;
}

/** Whether two schemas have nearly all properties in common. */
export function isSameItem(read: ReadSchema, one: SchemaView, other: SchemaView): boolean {
  const { shared, most } = countNames(read, one, other);
  return most > 0 && shared / most >= 0.8;
}

/** Whether a schema has no more properties than an item, and shares most of them. */
export function isSummary(read: ReadSchema, schema: SchemaView, item: SchemaView): boolean {
  return schema.members.size <= item.members.size && compareSchemas(read, item, schema) >= 0.7;
}

function toSimilarity(shared: number, least: number): number {
  if (least === 0 || shared === 0) return 0;
  return shared === 1 && least > 1 ? 0.2 : least === 1 ? 0.4 : shared / least;
}

function countNames(
  read: ReadSchema,
  one: SchemaView,
  other: SchemaView,
): { readonly shared: number; readonly least: number; readonly most: number } {
  if (one.pointer === other.pointer)
    return { shared: one.members.size, least: one.members.size, most: one.members.size };
  const a = read.once(readNames, one);
  const b = read.once(readNames, other);
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const name of few) if (many.has(name)) shared++;
  return { shared, least: Math.min(a.size, b.size), most: Math.max(a.size, b.size) };
}

/** The bare names of the properties of an item, and of those in its parts (`attributes`, `options`). */
function readNames(read: ReadSchema, schema: SchemaView): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name, bare, target } of schema.members.values()) {
    names.add(bare);
    if (!means(name, 'envelopes.part', 'envelopes.options')) continue;
    for (const inner of listProperties(read(target))) names.add(inner.bare);
  }
  return names;
}

/** An item usually has its own id. */
function rateId(read: ReadSchema, schema: SchemaView, idNames: readonly string[]): number {
  if (read.once(hasId, schema)) return 0.5;
  const properties = listProperties(schema);
  if (properties.some(({ bare }) => idNames.includes(bare))) return 0.5;
  return properties.some(({ known }) => means(known, 'ids.name')) ? 0.2 : 0;
}

/** An envelope is not an item, and the object in it is one; of other objects the outer one is the item. */
function ratePlace(read: ReadSchema, { path, schema }: BodyPosition, all: readonly BodyPosition[]): number {
  if (isEnvelope(read, schema)) return -1;
  if (path.length === 0) return 0.3;
  const around = all.filter(
    (other) => other.path.length < path.length && other.path.every((name, i) => name === path[i]),
  );
  return around.every((other) => isEnvelope(read, other.schema)) ? 0.3 : -0.3 * path.length;
}

/** The object in an envelope, also in several; any other schema is itself. */
export function openEnvelope(read: ReadSchema, schema: SchemaView | undefined): SchemaView | undefined {
  if (schema === undefined || !isEnvelope(read, schema)) return schema;
  const inner = listProperties(schema).flatMap(({ target }) => read(target) ?? []);
  const content = inner.find(({ type, members }) => type !== 'array' && members.size > 0);
  return content === undefined ? schema : openEnvelope(read, content);
}

/** Whether an object only wraps another one: apart from one object or array it has only members that describe the answer. */
export function isEnvelope(read: ReadSchema, schema: SchemaView): boolean {
  return read.once(wrapsOne, schema);
}

function wrapsOne(read: ReadSchema, schema: SchemaView): boolean {
  let content: PropertyView | undefined;
  const isWrapped = hasWrapped(schema);
  for (const property of schema.members.values()) {
    if (means(property.known, 'envelopes.member') || (isWrapped && isFigure(property))) continue;
    if (content !== undefined) return false;
    content = property;
  }
  const inner = read(content?.target);
  return inner !== undefined && (inner.type === 'array' ? inner.element !== undefined : inner.members.size > 0);
}

/** Whether a property is a number or a boolean that identifies nothing: beside `result` it is about the answer, whatever it is called. */
function isFigure({ schema, known }: PropertyView): boolean {
  const type = readSchemaType(schema);
  return (type === 'boolean' || type === 'number' || type === 'integer') && !means(known, 'ids.id', 'ids.ending');
}

/** Whether an object has a member that holds another object in answers of many services: `data`, `result`. */
function hasWrapped({ members }: SchemaView): boolean {
  for (const name of members.keys()) if (means(name, 'envelopes.wrapper')) return true;
  return false;
}
