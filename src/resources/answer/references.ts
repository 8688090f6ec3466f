import { isIdValue } from '../../base/exact-number.js';
import { means } from '../../conventions/conventions.js';
import { SOURCE_FIELDS } from '../../conventions/forms.js';
import type { Item } from '../store/lists/item-list.js';
import {
  NO_MEMBERS,
  addTo,
  filterMembers,
  isObject,
  listExamples,
  mapAt,
  readMember,
  readPath,
  withPath,
} from '../../base/json.js';
import { findSuccessMedia } from '../../contract/operations/responses.js';
import type { Answer } from '../../http/answer.js';
import { memoize } from '../../base/memoize.js';
import {
  type PropertyView,
  type SchemaView,
  listBranches,
  listProperties,
} from '../../contract/schema-view/schema-view.js';
import { toSingular, toItemNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import { findInnerList } from '../list/envelope.js';
import { CREATES, isTopLevel, type Resource, TAKES_ITEM } from '../item/resource.js';
import { listEntries, toChildScope } from '../store/collection.js';
import type { Transaction } from '../store/store.js';
import type { Exchange } from '../../answer/chain.js';
import { locateItem } from './bodies.js';
import {
  chooseDeclared,
  type OperationContext,
  type References,
  type StateContext,
  type StateHandler,
  type Targets,
} from './context.js';
import { refuseUnknown } from './request.js';
import { readIdValue } from './write.js';

/** A property of a request body that names an item of another collection. */
interface Reference {
  /** The property names from the root of the body, the own one last; arrays in between have no step. */
  readonly path: readonly string[];
  /** The collections; one of them has the item. */
  readonly collections: readonly string[];
  /** Whether it is at the root and has the name of what it refers to; any other is checked once there are such items. */
  readonly isPlain: boolean;
  /** Values that the contract itself gives, such as the id of what exists from the beginning. */
  readonly given: readonly unknown[];
}

/** Refuses a request whose body names an item that does not exist, where the store knows which items exist. */
export function withReferences(context: OperationContext, handler: StateHandler): StateHandler {
  const { action, operation } = context.binding;
  const isRefused = operation.responses.some(({ status }) => /^(404|422|400|4XX|default)$/i.test(status));
  if (!TAKES_ITEM.has(action) || !isRefused) return handler;
  const references = findReferences(context);
  if (references.length === 0) return handler;
  return (exchange, transaction) =>
    findMissing(context, references, { exchange, transaction }) ?? handler(exchange, transaction);
}

function findMissing(
  context: OperationContext,
  references: readonly Reference[],
  { exchange, transaction }: { readonly exchange: Exchange; readonly transaction: Transaction },
): Answer | undefined {
  /** Whether a collection has or had items. */
  const isUsed = (name: string): boolean => {
    const { scopes, list } = transaction.collection(name);
    return scopes.some((scope) => list(scope).size + list(scope).removed.length > 0);
  };
  for (const { path, collections, given, isPlain } of references) {
    if (!isPlain && !collections.some(isUsed)) continue;
    const named = readIds(
      readAll(exchange.call.body, path),
      context.items.model(collections[0] ?? '').resource.idProperty,
    );
    const id = named.find(
      (each) => !given.includes(each) && isMissing(context, transaction, { collections, id: each }),
    );
    if (id === undefined) continue;
    const collection = collections[0] ?? '';
    const status = chooseDeclared(context, [404, 422, 400]);
    const { places } = context.binding;
    return refuseUnknown(context, exchange, { collection, id, status, param: path.join('.'), places });
  }
  return undefined;
}

/** Whether none of some collections has an item, and the store knows all items of each of them. */
function isMissing(
  { items }: OperationContext,
  transaction: Transaction,
  { collections, id }: { readonly collections: readonly string[]; readonly id: string },
): boolean {
  return collections.every((collection) => {
    const location = items.locate(transaction, collection);
    // Where unknown ids are created, every id is that of an item.
    if (items.unknownIds(location) === 'create') return false;
    if (items.findParents(transaction, [{ collection, id }]).missing === undefined) return false;
    // An item can be below any parent, and be named by its id where a path names it otherwise.
    return !listEntries(location.collection).some(([, entry]) => entry.id === id || String(entry.item['id']) === id);
  });
}

/** The value at a path, in each element where there are arrays on the way. */
function readAll(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => readAll(each, path));
  const [name, ...rest] = path;
  return name === undefined || !isObject(value) ? value : readAll(value[name], rest);
}

/** The ids that a value holds: the value itself, the id of an object that only refers, or the ids of the elements of an array. */
function readIds(value: unknown, key = 'id'): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => readIds(each, key));
  // An object with other properties is a new item inside of this one.
  const refers = isObject(value) && Object.keys(value).every((name) => name === key || means(name, 'ids.reference'));
  const id = refers ? (value[key] ?? value['id']) : value;
  return isIdValue(id) && id !== '' ? [String(id)] : [];
}

/** The references of an operation whose bodies create no other items. */
export const NO_REFERENCES: References = { create: () => NO_MEMBERS, adopt: (_, entry) => entry };

/** Creates the items of other collections that an operation is sent inside of an item; planned when it first creates an item. */
export function createReferences(context: OperationContext): References {
  const plan = memoize(planReferences);
  return {
    create: (transaction, body) => plan(context).create(transaction, body),
    adopt: (location, entry) => plan(context).adopt(location, entry),
  };
}

function planReferences(context: OperationContext): References {
  const { binding, items, model, read, bindingsOf } = context;
  const adopt = createAdoption(context);
  const { bySchema } = context.targets();
  const created = [...(binding.action === 'create' ? listProperties(model.schema) : [])].flatMap(
    ({ name, scalar, target }) => {
      const inner = scalar ? undefined : read(target);
      const object = inner?.type === 'array' ? read(inner.element) : inner;
      const collection = bySchema.get(object?.pointer ?? '');
      const canCreate = bindingsOf(collection ?? '').some(({ action }) => action === 'create');
      if (collection === undefined || collection === binding.collection || !canCreate) return [];
      return [{ name, collection, shown: [...(object?.members.keys() ?? [])] }];
    },
  );
  if (created.length === 0) return { ...NO_REFERENCES, adopt };
  return {
    adopt,
    create: (transaction, body) => {
      const parts: Record<string, unknown> = {};
      for (const { name, collection, shown } of created) {
        const location = items.locate(transaction, collection);
        const isNew = (value: unknown): value is Item =>
          isObject(value) && !Object.hasOwn(value, location.model.resource.idProperty ?? 'id');
        const create = (value: unknown): unknown => {
          if (!isNew(value)) return value;
          const made = items.create(location, { body: value, fixed: NO_MEMBERS, strict: false });
          if ('problems' in made) return value;
          const { item } = made.entry;
          return Object.fromEntries(shown.flatMap((each) => (Object.hasOwn(item, each) ? [[each, item[each]]] : [])));
        };
        const given = body[name];
        if (Array.isArray(given) ? given.some(isNew) : isNew(given))
          parts[name] = Array.isArray(given) ? given.map(create) : create(given);
      }
      return parts;
    },
  };
}

/** Plans how the elements of the lists of a new item become items of the collections below it, or of those with their schema. */
function createAdoption(context: OperationContext): References['adopt'] {
  const { items, model, read, resources, binding } = context;
  const { bySchema } = context.targets();
  const children = [...resources.collections.values()].filter(
    ({ parents, schema }) => parents.at(-1) === binding.collection && schema !== undefined,
  );
  const found = listProperties(model.schema).flatMap(({ name, target }) => {
    const list = findInnerList(read, read(target));
    if (list === undefined) return [];
    const child = children.find(({ schema = '' }) => read(schema)?.pointer === list.element.pointer);
    const other = list.path.length === 0 ? undefined : bySchema.get(list.element.pointer);
    const of = child?.name ?? (other === binding.collection ? undefined : other);
    const isBelow = child !== undefined;
    // Elements that no request creates below the item are only shown there, under their own ids.
    const isNew = isBelow && context.bindingsOf(child.name).some(({ action }) => CREATES.has(action));
    return of === undefined ? [] : [{ path: [name, ...list.path], of, isBelow, isNew }];
  });
  if (found.length === 0) return NO_REFERENCES.adopt;
  return ({ transaction, collection, scope }, entry) => {
    let item = entry.item;
    for (const { path, of, isBelow, isNew } of found) {
      const given = readPath(item, path);
      if (!Array.isArray(given) || given.length === 0 || !given.every(isObject)) continue;
      const location = items.locate(transaction, of, isBelow ? toChildScope(scope, entry.id) : '');
      const adopt = (body: Item): Item => {
        const id = isNew ? undefined : readIdValue(readMember(body, location.model.resource.idProperty ?? 'id'));
        // An existing item that is only referred to stays as it is.
        if (id !== undefined && location.collection.get(String(id), location.scope) !== undefined) return body;
        const created = items.create(location, { body, id, fixed: isNew ? NO_MEMBERS : body, strict: false });
        return 'problems' in created ? body : created.entry.item;
      };
      item = withPath(item, path, given.map(adopt));
    }
    if (item === entry.item) return entry;
    return collection.update(entry.id, { item }, scope) ?? entry;
  };
}

/** Reads what references in a contract can mean. */
export function readTargets({ read, resources }: Pick<StateContext, 'read' | 'resources'>): Targets {
  const byNoun = new Map<string, Resource[]>();
  const bySchema = new Map<string, string>();
  for (const resource of resources.collections.values()) {
    const { name, singleton, idProperty, schema, path } = resource;
    // `key_id` does not name one of `/user/keys`.
    if (
      singleton ||
      idProperty === undefined ||
      path
        .split('/')
        .slice(1, -1)
        .some((word) => means(word, 'people.own'))
    )
      continue;
    addTo(byNoun, toItemNoun(name), resource);
    const pointer = schema === undefined || !isTopLevel(resource) ? undefined : read(schema)?.pointer;
    if (pointer !== undefined && !bySchema.has(pointer)) bySchema.set(pointer, name);
  }
  return { byNoun, bySchema };
}

/** How deep references are looked for in a body. */
const MAX_DEPTH = 5;

/** A part of a body in which references are looked for, and the part of the item that shows it. */
interface BodyPart {
  readonly pointer: string;
  readonly path: readonly string[];
  readonly shown: SchemaView | undefined;
  /** Whether it is the whole body, or an element of it, apart from an envelope. */
  readonly isRoot: boolean;
}

function findReferences(context: OperationContext): readonly Reference[] {
  const { binding, model, read } = context;
  const targets = context.targets();
  const found = new Map<string, Reference>();
  const addReferences = ({ pointer, path, shown, isRoot }: BodyPart, depth = 0): void => {
    const schema = read(pointer);
    if (schema === undefined || depth > MAX_DEPTH) return;
    if (schema.element !== undefined) return addReferences({ pointer: schema.element, path, shown, isRoot }, depth + 1);
    for (const property of listProperties(schema)) {
      const own = [...path, property.name];
      const inItem = shown?.members.get(property.name);
      const { collections, isNamed } = findTargets(context, targets, { property, shown: inItem });
      if (collections.length === 0) {
        const inner = property.scalar ? undefined : { pointer: property.target, path: own };
        const showing = inItem && (findInnerList(read, read(inItem.target))?.element ?? read(inItem.target));
        if (inner !== undefined) addReferences({ ...inner, shown: showing, isRoot: false }, depth + 1);
      } else if (!collections.includes(binding.collection) && !isAddressed(context, own)) {
        const given = [property.schema.default, ...listExamples(property.schema)].flat().map(String);
        found.set(own.join('.'), { path: own, collections, isPlain: isRoot && isNamed, given });
      }
    }
  };
  for (const { schemaPointer } of binding.operation.body?.content ?? []) {
    const { path, schema } = locateItem(context, model, schemaPointer);
    const pointer = path.length === 0 ? schemaPointer : schema?.pointer;
    if (pointer !== undefined) addReferences({ pointer, path, shown: model.schema, isRoot: true });
  }
  return [...found.values()];
}

/** Whether a property of a body addresses an item as a parameter in a path does, or is the target of a membership: both are checked elsewhere. */
function isAddressed({ binding, model }: OperationContext, path: readonly string[]): boolean {
  const isPlace = Object.values(binding.places ?? {}).some(
    (place) => place.in === 'body' && place.path.join('.') === path.join('.'),
  );
  return isPlace || path.join('.') === model.resource.memberParameter;
}

/** The collections whose items a property of a body can name: by what the item shows in its place, or by its name (`owner`, `owner_id`). */
function findTargets(
  context: OperationContext,
  { byNoun, bySchema }: Targets,
  { property, shown }: { readonly property: PropertyView; readonly shown: PropertyView | undefined },
): Pick<Reference, 'collections'> & { readonly isNamed: boolean } {
  const { name, schema, target } = property;
  const { read } = context;
  const inner = read(target);
  const element = inner?.element === undefined ? inner : read(inner.element);
  if (
    schema.enum !== undefined ||
    'const' in schema ||
    element?.type === 'boolean' ||
    element?.schema.enum !== undefined
  )
    return NO_TARGETS;
  const isObjectOfId =
    element?.members.has('id') === true &&
    listProperties(element).every(({ name: each }) => means(each, 'ids.reference'));
  const isId = element?.members.size === 0 && ['string', 'integer'].includes(element.type ?? '');
  if (!isObjectOfId && !isId) return NO_TARGETS;
  const bare = toBareName(name);
  const stem = /^(.+?)ids?$/.exec(bare)?.[1];
  const ofNoun = byNoun.get(stem ?? toSingular(bare)) ?? [];
  const nouned = ofNoun.some(isTopLevel) ? ofNoun.map((each) => each.name) : [];
  const shownItems = isId && shown !== undefined ? readShownItems(context, shown) : [];
  // It can be an item of any of them, also of one that is not a collection.
  if (shownItems.length > 1) return NO_TARGETS;
  const [item] = shownItems;
  const only = item && bySchema.get(item.pointer);
  if (only !== undefined) return { collections: [only], isNamed: nouned.includes(only) };
  const isPlain = isObjectOfId || stem !== undefined || item?.members.has('id') === true;
  const isReference = isPlain || ofNoun.some((each) => isIdOf(context, each, element));
  return isReference ? { collections: nouned, isNamed: true } : NO_TARGETS;
}

const NO_TARGETS: ReturnType<typeof findTargets> = { collections: [], isNamed: false };

/** The objects that a property of the item can show in place of an id. */
function readShownItems({ contract, read }: StateContext, { pointer }: PropertyView): readonly SchemaView[] {
  const union = listBranches(contract, pointer);
  const branches = (union.length === 0 ? [pointer] : union).flatMap((branch) => read(branch) ?? []);
  // A branch for a removed item only says that it was removed.
  return branches.filter(({ members: properties }) => properties.size > 0 && !properties.has('deleted'));
}

/** Whether a schema is that of the ids of a collection: the same, or one with the same pattern or of the format `uuid`. */
function isIdOf({ items, read }: OperationContext, { name, idParameterSchema }: Resource, own: SchemaView): boolean {
  const { idProperty } = items.model(name);
  const ids = [idProperty?.target, idParameterSchema].flatMap((pointer) => (pointer && read(pointer)) || []);
  return ids.some(({ pointer, schema }) => {
    const isSameForm = schema.pattern !== undefined && schema.pattern === own.schema.pattern;
    return pointer === own.pointer || isSameForm || (schema.format === 'uuid' && own.schema.format === 'uuid');
  });
}

/** Expands and selects properties of the items in an answer, where the contract declares parameters for that. */
export function withSelection(context: OperationContext, handler: StateHandler): StateHandler {
  const { binding, read } = context;
  const { parameters, body } = binding.operation;
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const select = createSelection(context, query);
  const asking = query.filter((name) => means(name, 'queries.expand'));
  const listProperties = (pointer: string): readonly string[] => [...(read(pointer)?.members.keys() ?? [])];
  const sent = (body?.content ?? []).flatMap(({ schemaPointer }) => listProperties(schemaPointer));
  const inBody = sent.find((name) => means(name, 'queries.expand'));
  const include = createInclusion(context, query);
  if (asking.length === 0 && inBody === undefined && select === undefined && include === undefined) return handler;
  const expand = createExpansion(context);
  return (exchange, transaction) => {
    const answer = handler(exchange, transaction);
    if (answer?.schemaPointer === undefined || answer.status >= 400) return answer;
    const { call } = exchange;
    const named = inBody === undefined || !isObject(call.body) ? undefined : call.body[inBody];
    const paths = [...asking.flatMap((name) => readNames(call.query[name])), ...readNames(named)];
    const whole = include?.(transaction, answer.body, readNames(call.query['include'])) ?? answer.body;
    const selected = select?.(call.query, whole) ?? whole;
    if (paths.length === 0 && selected === answer.body) return answer;
    return { ...answer, body: expand(transaction, { body: selected, pointer: answer.schemaPointer, paths }) };
  };
}

/** The names in a list: an array, or a string that separates them by commas. */
function readNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(readNames);
  return typeof value === 'string' ? value.split(/\s*,\s*/).filter((name) => name !== '') : [];
}

/** Adds the items of relationships to the `included` of a JSON:API answer: `include=author,comments.author`. */
type Inclusion = (transaction: Transaction, body: unknown, paths: readonly string[]) => unknown;

/** Plans the inclusion of related items, where the operation declares the parameter and its answer has `included`. */
function createInclusion(context: OperationContext, query: readonly string[]): Inclusion | undefined {
  const { binding, items, read } = context;
  const answer = read(findSuccessMedia(binding.operation)?.schemaPointer);
  if (!query.includes('include') || answer?.members.get('included')?.schema.type !== 'array') return undefined;
  const { byNoun } = context.targets();
  const findRelated = (transaction: Transaction, named: unknown): readonly Item[] => {
    if (Array.isArray(named)) return named.flatMap((each) => findRelated(transaction, each));
    if (!isObject(named)) return [];
    const collection = byNoun.get(toBareName(toSingular(String(named['type']))))?.find(isTopLevel)?.name;
    if (collection === undefined) return [];
    return [items.find(items.locate(transaction, collection), String(named['id']))?.item ?? []].flat();
  };
  return (transaction, body, paths) => {
    if (!isObject(body) || paths.length === 0) return body;
    const included = new Map<string, Item>();
    for (const path of paths) {
      let current: readonly unknown[] = [body['data']].flat();
      for (const name of path.split('.')) {
        const found = current.flatMap((each) =>
          findRelated(transaction, readPath(each, ['relationships', name, 'data'])),
        );
        for (const item of found) included.set(JSON.stringify([item['type'], item['id']]), item);
        current = found;
      }
    }
    return { ...body, included: [...included.values()] };
  };
}

/** Plans the selection of properties: those that are named, the id and what the schema requires; or all but those that are named. */
function createSelection(
  context: OperationContext,
  query: readonly string[],
): ((values: Item, body: unknown) => unknown) | undefined {
  const { binding, model, read } = context;
  const isSelection = (name: string): boolean =>
    SOURCE_FIELDS.test(name) || (means(name, 'queries.fields') && model.schema?.members.has(name) !== true);
  const parameters = query.filter(isSelection);
  const media = findSuccessMedia(binding.operation);
  if (parameters.length === 0 || media === undefined) return undefined;
  const { list } = binding;
  const one = list === undefined ? locateItem(context, model, media.schemaPointer) : undefined;
  const path = list === undefined ? (one?.path ?? []) : [...list.path, ...list.element];
  const schema = list?.itemSchema === undefined ? one?.schema : read(list.itemSchema);
  if (schema === undefined) return undefined;
  const required = listProperties(schema)
    .filter((property) => property.required)
    .map(({ name }) => name);
  const always = new Set([...required, (model.resource.idProperty ?? 'id').split('.')[0]]);
  const select = (body: unknown, parameter: string, value: unknown): unknown => {
    const named = new Set(readNames(value).map((name) => name.split(/[./(]/)[0] ?? ''));
    if (![...named].some((name) => schema.members.has(name))) return body;
    const isShown = parameter.includes('exclude')
      ? (name: string): boolean => !named.has(name) || always.has(name)
      : (name: string): boolean => named.has(name) || always.has(name);
    return mapAt(body, path, (item) => (isObject(item) ? filterMembers(item, isShown) : item));
  };
  return (values, body) => parameters.reduce((shown, name) => select(shown, name, values[name]), body);
}

interface Expansion {
  readonly body: unknown;
  readonly pointer: string;
  readonly paths: readonly string[];
}

/** Creates the function that replaces ids by items where a schema allows a string and the item. */
function createExpansion(context: OperationContext): (transaction: Transaction, of: Expansion) => unknown {
  const { binding, contract, items, read } = context;
  const { bySchema } = context.targets();
  const findCollection = memoize((pointer: string): string | undefined => {
    const branches = listBranches(contract, pointer).map(read);
    if (!branches.some((branch) => branch?.type === 'string')) return undefined;
    return branches.flatMap((branch) => bySchema.get(branch?.pointer ?? '') ?? [])[0];
  });
  const expand = (
    transaction: Transaction,
    value: unknown,
    at: { pointer: string; path: readonly string[] },
  ): unknown => {
    const { pointer, path } = at;
    if (Array.isArray(value)) {
      const own = read(pointer)?.element;
      return own === undefined ? value : value.map((each) => expand(transaction, each, { pointer: own, path }));
    }
    if (!isObject(value)) {
      const collection = typeof value === 'string' ? findCollection(pointer) : undefined;
      const entry =
        collection === undefined ? undefined : items.find(items.locate(transaction, collection), String(value));
      const schema = collection === undefined ? undefined : items.model(collection).resource.schema;
      if (entry === undefined || schema === undefined) return value;
      const shown = context.declared.inside(schema)?.(entry.item) ?? entry.item;
      return expand(transaction, shown, { pointer: schema, path });
    }
    const [name, ...rest] = path;
    const property = name === undefined ? undefined : read(pointer)?.members.get(name);
    if (name === undefined || property === undefined || !Object.hasOwn(value, name)) return value;
    return { ...value, [name]: expand(transaction, value[name], { pointer: property.pointer, path: rest }) };
  };
  return (transaction, { body, pointer, paths }) => {
    const root = read(pointer);
    // In lists, a path begins at the body or at the item.
    const place = binding.list === undefined ? [] : [...binding.list.path, ...binding.list.element];
    return paths.reduce<unknown>((result, dotted) => {
      const path = dotted.split('.');
      const isAtRoot = root?.members.has(path[0] ?? '') === true;
      return expand(transaction, result, { pointer, path: isAtRoot ? path : [...place, ...path] });
    }, body);
  };
}
