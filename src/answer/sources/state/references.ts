import { isObject, readPath } from '../../../contract/json.js';
import { findSuccessMedia } from '../../../contract/operations/responses.js';
import type { Answer } from '../../../http/answer.js';
import { memoize } from '../../../memoize.js';
import { type ItemProperty, listBranches } from '../../../state/item-schema.js';
import { toBareName, toSingular } from '../../../state/names.js';
import type { Resource } from '../../../state/resource.js';
import { type Item, toChildScope } from '../../../state/store/collection.js';
import type { Transaction } from '../../../state/store/store.js';
import type { Exchange } from '../../chain.js';
import { locateItem } from './bodies.js';
import { chooseDeclared, type OperationContext, type References, type StateHandler } from './context.js';
import { refuseUnknown } from './request.js';

/** A property of a request body that names an item of another collection. */
interface Reference {
  /** The property of the body: `customer`, `customer_id`, `project`. */
  readonly name: string;
  readonly collection: string;
  /** Where the item shows the other item: `role` for `role_id`; its property names. */
  readonly shown: { readonly name: string; readonly names: readonly string[] } | undefined;
  /** Whether a request can send a whole item of the collection, which is created. */
  readonly isCreated: boolean;
  /** Whether its name says that it holds an id, so that an unknown one is refused. */
  readonly isChecked: boolean;
}

const NO_PROPERTIES: Item = Object.freeze({});

/** Of an operation whose bodies name no other items. */
export const NO_REFERENCES: References = { embed: () => NO_PROPERTIES, adopt: (_, entry) => entry };

/** Plans the references in the bodies of an operation. */
export function createReferences(context: OperationContext): References {
  const references = findReferences(context).filter(({ shown }) => shown !== undefined);
  const adopt = createAdoption(context);
  if (references.length === 0) return { ...NO_REFERENCES, adopt };
  return {
    adopt,
    embed: (transaction, body) => {
      const embedded: Record<string, unknown> = {};
      for (const reference of references) {
        const { name, shown } = reference;
        const given = shown === undefined || !isWhole(body[shown.name]) ? body[name] : body[shown.name];
        if (given === undefined || shown === undefined) continue;
        const show = (value: unknown): unknown => showReferenced(context, transaction, { reference, value });
        const value = Array.isArray(given) ? given.map(show) : show(given);
        const isShown = Array.isArray(given)
          ? given.some((each, i) => each !== (value as typeof given)[i])
          : value !== given;
        if (isShown) embedded[shown.name] = value;
      }
      return embedded;
    },
  };
}

/** What an item shows for a value of a request: the item that an id names, a new one for the properties of one, else the value. */
function showReferenced(
  { items }: OperationContext,
  transaction: Transaction,
  { reference, value }: { readonly reference: Reference; readonly value: unknown },
): unknown {
  const { collection, shown, isCreated } = reference;
  const location = items.locate(transaction, collection);
  const [id] = readIds(value, location.model.resource.idProperty);
  const pick = (item: Item): Item =>
    Object.fromEntries((shown?.names ?? []).flatMap((name) => (Object.hasOwn(item, name) ? [[name, item[name]]] : [])));
  if (id !== undefined) {
    const entry = location.collection.get(id, location.scope);
    return entry === undefined ? value : pick(entry.item);
  }
  if (!isCreated || !isObject(value) || Object.hasOwn(value, location.model.resource.idProperty ?? 'id')) return value;
  const created = items.create(location, { body: value, fixed: NO_PROPERTIES, strict: false });
  return 'problems' in created ? value : pick(created.entry.item);
}

/** Plans how the elements of the arrays of a new item become items of the collections below it. */
function createAdoption({ items, model, read, resources, binding }: OperationContext): References['adopt'] {
  const children = [...resources.collections.values()].filter(
    ({ parents, schema }) => parents.at(-1) === binding.collection && schema !== undefined,
  );
  const found = [...(model.schema?.properties.values() ?? [])].flatMap(({ name, target }) => {
    const element = read(target)?.type === 'array' ? read(read(target)?.items ?? '') : undefined;
    const child = children.find(
      ({ schema = '' }) => element !== undefined && read(schema)?.pointer === element.pointer,
    );
    return child === undefined ? [] : [{ name, collection: child.name }];
  });
  if (found.length === 0) return NO_REFERENCES.adopt;
  return ({ transaction, collection, scope }, entry) => {
    const adopted: Record<string, unknown> = {};
    for (const { name, collection: child } of found) {
      const given = entry.item[name];
      if (!Array.isArray(given) || given.length === 0 || !given.every(isObject)) continue;
      const location = items.locate(transaction, child, toChildScope(scope, entry.id));
      const created = given.map((body) => items.create(location, { body, fixed: NO_PROPERTIES, strict: false }));
      adopted[name] = created.map((each, i) => ('problems' in each ? (given[i] as unknown) : each.entry.item));
    }
    if (Object.keys(adopted).length === 0) return entry;
    return collection.update(entry.id, { item: { ...entry.item, ...adopted } }, scope) ?? entry;
  };
}

/** Whether a request sends an object itself instead of its id. */
function isWhole(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 1;
}

/** Refuses a request whose body names an item that does not exist, where the store knows which items exist. */
export function withReferences(context: OperationContext, handler: StateHandler): StateHandler {
  const { action } = context.binding;
  if (!['act', 'create', 'replace', 'update'].includes(action) || !declaresRefusal(context)) return handler;
  const references = findReferences(context).filter(({ isChecked }) => isChecked);
  if (references.length === 0) return handler;
  return (exchange, transaction) =>
    findMissing(context, references, { exchange, transaction }) ?? handler(exchange, transaction);
}

/** Whether the contract declares a status for a request that cannot be carried out. */
function declaresRefusal({ binding }: OperationContext): boolean {
  return binding.operation.responses.some(({ status }) => /^(404|422|400|4XX|default)$/i.test(status));
}

function findMissing(
  context: OperationContext,
  references: readonly Reference[],
  { exchange, transaction }: { readonly exchange: Exchange; readonly transaction: Transaction },
): Answer | undefined {
  const { items, reader } = context;
  const body = reader.one(exchange.call);
  for (const { name, collection } of references) {
    const location = items.locate(transaction, collection);
    const ids = readIds(body[name], location.model.resource.idProperty);
    // Where unknown ids are created, every id is that of an item.
    if (ids.length === 0 || items.unknownIds(location) === 'create') continue;
    const parents = ids.map((id) => ({ collection, id }));
    const missing = parents.find((each) => items.findParents(transaction, [each]).missing !== undefined);
    if (missing === undefined) continue;
    const status = chooseDeclared(context, [404, 422, 400]);
    return refuseUnknown(context, exchange, { ...missing, status, param: name });
  }
  return undefined;
}

/** The ids that a value holds: itself, that of an object that only refers, or those of the elements of an array. */
function readIds(value: unknown, key = 'id'): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => readIds(each, key));
  // An object with other properties is a new item inside of this one.
  const refers =
    isObject(value) && Object.keys(value).every((name) => name === key || /^(id|_?type|object)$/.test(name));
  const id = refers ? (value[key] ?? value['id']) : value;
  return (typeof id === 'string' && id !== '') || typeof id === 'number' ? [String(id)] : [];
}

function findReferences(context: OperationContext): readonly Reference[] {
  const { binding, read, resources, model } = context;
  const nouns = readNouns([...resources.collections.values()]);
  const readProperties = (pointer: string): readonly ItemProperty[] => [...(read(pointer)?.properties.values() ?? [])];
  const roots = (binding.operation.body?.content ?? []).flatMap(({ schemaPointer }) => readProperties(schemaPointer));
  const nested = roots.flatMap(({ target }) => readProperties(target));
  const found = new Map<string, Reference>();
  for (const property of [...roots, ...nested]) {
    const { name } = property;
    const exact = findShownItem(context, property);
    const named = nouns.get(toNounOf(context, property));
    const collection = named ?? exact?.collection;
    // The target of a membership is checked when it is created.
    const isOwn = collection === binding.collection || name === model.resource.memberParameter;
    if (collection === undefined || isOwn || found.has(name)) continue;
    const own = exact?.collection === collection ? exact : undefined;
    const shown = own?.shown ?? findShown(context, name);
    found.set(name, { name, collection, shown, isCreated: own?.isCreated === true, isChecked: named !== undefined });
  }
  return [...found.values()];
}

/** The collection at the top level whose items a property of the item shows: `address_from: { $ref: Address }`, alone or in an array. */
function findShownItem(
  { binding, model, read, resources, bindingsOf }: OperationContext,
  { name }: ItemProperty,
): Pick<Reference, 'collection' | 'isCreated' | 'shown'> | undefined {
  const bare = toBareName(name);
  const property = [...(model.schema?.properties.values() ?? [])].find((each) => toBareName(each.name) === bare);
  const inner = property === undefined || property.scalar ? undefined : read(property.target);
  const object = inner?.type === 'array' ? read(inner.items ?? '') : inner;
  if (property === undefined || object === undefined || object.properties.size === 0) return undefined;
  const other = [...resources.collections.values()].find(
    ({ schema, parents, singleton }) =>
      schema !== undefined && parents.length === 0 && !singleton && read(schema)?.pointer === object.pointer,
  );
  if (other === undefined || other.name === binding.collection) return undefined;
  const isCreated = binding.action === 'create' && bindingsOf(other.name).some(({ action }) => action === 'create');
  return { collection: other.name, isCreated, shown: { name: property.name, names: [...object.properties.keys()] } };
}

/** Paths of what only the user of a request has. */
const OWN_ITEMS = /\/(me|user|self|current|viewer)\//;

/** The collections at the top level by the bare noun of their items; a noun of two collections names none. */
function readNouns(resources: readonly Resource[]): ReadonlyMap<string, string> {
  const nouns = new Map<string, string>();
  const twice = new Set<string>();
  for (const { name, parents, singleton, idProperty, path } of resources) {
    // `key_id` does not name one of `/user/keys`.
    if (parents.length > 0 || singleton || idProperty === undefined || OWN_ITEMS.test(path)) continue;
    const noun = toBareName(toSingular(name.split('.').at(-1) ?? ''));
    if (nouns.has(noun)) twice.add(noun);
    nouns.set(noun, name);
  }
  return new Map([...nouns].filter(([noun]) => !twice.has(noun)));
}

/** The bare noun that a property of a body names an item of: of `customer_id`, of an expandable `customer`, and of `project: { id }`. */
function toNounOf({ read, model }: OperationContext, { name, schema, target }: ItemProperty): string {
  const bare = toBareName(name);
  if (schema.enum !== undefined || schema.type === 'boolean') return '';
  const stem = /^(.+?)ids?$/.exec(bare)?.[1];
  if (stem !== undefined) return stem;
  const inner = read(target);
  const isReference =
    inner !== undefined &&
    inner.properties.has('id') &&
    [...inner.properties.values()].every(({ name: each }) => /^(id|type)$/.test(each));
  const shown = model.schema?.properties.get(name);
  const isExpandable = shown?.scalar === true && shown.branches.length > 1;
  const isId = schema.type === 'string' && /\b(ids?|identifier)\b/i.test(schema.description ?? '');
  return isReference || isExpandable || isId ? bare : '';
}

/** The object of an item that shows what a property of a request names by its id. */
function findShown({ model, read }: OperationContext, name: string): Reference['shown'] {
  const stem = toBareName(name).replace(/id$/, '');
  const property = [...(model.schema?.properties.values() ?? [])].find((each) => toBareName(each.name) === stem);
  const names = property === undefined || property.scalar ? [] : [...(read(property.target)?.properties.keys() ?? [])];
  return property === undefined || names.length === 0 ? undefined : { name: property.name, names };
}

/** The query parameters, and properties of request bodies, that name the ids to replace by the items that they identify. */
const EXPAND = /^\$?expand$/i;

/** The query parameters that name the properties to show. */
const SELECT = /^(\$?select|(opt_)?fields)$/i;

/** Expands and selects properties of the items in an answer, where the contract declares parameters for that. */
export function withSelection(context: OperationContext, handler: StateHandler): StateHandler {
  const { binding, read } = context;
  const { parameters, body } = binding.operation;
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const select = createSelection(context, query);
  const asking = query.filter((name) => EXPAND.test(name.replace(/\[\]$/, '')));
  const listProperties = (pointer: string): readonly string[] => [...(read(pointer)?.properties.keys() ?? [])];
  const sent = (body?.content ?? []).flatMap(({ schemaPointer }) => listProperties(schemaPointer));
  const inBody = sent.find((name) => EXPAND.test(name));
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
  const { binding, items, read, resources } = context;
  const answer = read(findSuccessMedia(binding.operation)?.schemaPointer ?? '');
  if (!query.includes('include') || answer?.properties.get('included')?.schema.type !== 'array') return undefined;
  const nouns = readNouns([...resources.collections.values()]);
  const findRelated = (transaction: Transaction, named: unknown): readonly Item[] => {
    if (Array.isArray(named)) return named.flatMap((each) => findRelated(transaction, each));
    if (!isObject(named)) return [];
    const collection = nouns.get(toBareName(toSingular(String(named['type']))));
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

/** Plans the selection of properties: those that are named, the id and what the schema requires. */
function createSelection(
  context: OperationContext,
  query: readonly string[],
): ((values: Item, body: unknown) => unknown) | undefined {
  const { binding, model, read } = context;
  const parameter = query.find((name) => SELECT.test(name) && model.schema?.properties.has(name) !== true);
  const media = findSuccessMedia(binding.operation);
  if (parameter === undefined || media === undefined) return undefined;
  const { list } = binding;
  const one = list === undefined ? locateItem(context, model, media.schemaPointer) : undefined;
  const path = list === undefined ? (one?.path ?? []) : [...list.path, ...list.element];
  const schema = list?.itemSchema === undefined ? one?.schema : read(list.itemSchema);
  if (schema === undefined) return undefined;
  const required = [...schema.properties.values()].filter((property) => property.required).map(({ name }) => name);
  const always = [...required, (model.resource.idProperty ?? 'id').split('.')[0]];
  return (values, body) => {
    const named = readNames(values[parameter]).map((name) => name.split(/[./(]/)[0] ?? '');
    if (!named.some((name) => schema.properties.has(name))) return body;
    const shown = new Set([...named, ...always]);
    return changeAt(body, path, (item) => Object.fromEntries(Object.entries(item).filter(([name]) => shown.has(name))));
  };
}

/** A value with the objects at a path changed, also those in arrays. */
function changeAt(value: unknown, path: readonly string[], change: (item: Item) => Item): unknown {
  if (Array.isArray(value)) return value.map((each) => changeAt(each, path, change));
  if (!isObject(value)) return value;
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  return Object.hasOwn(value, name) ? { ...value, [name]: changeAt(value[name], rest, change) } : value;
}

/** What is expanded, and the dotted paths to it: `customer`, `data.customer`. */
interface Expansion {
  readonly body: unknown;
  readonly pointer: string;
  readonly paths: readonly string[];
}

/** Creates the function that replaces ids by items where a schema allows a string and the item. */
function createExpansion(context: OperationContext): (transaction: Transaction, of: Expansion) => unknown {
  const { binding, contract, items, read, resources } = context;
  const collections = new Map<string, string>();
  for (const { name, schema, parents, singleton } of resources.collections.values()) {
    const pointer = schema === undefined || singleton || parents.length > 0 ? undefined : read(schema)?.pointer;
    if (pointer !== undefined && !collections.has(pointer)) collections.set(pointer, name);
  }
  const findCollection = memoize((pointer: string): string | undefined => {
    const branches = listBranches(contract, pointer).map(read);
    if (!branches.some((branch) => branch?.type === 'string')) return undefined;
    return branches.flatMap((branch) => collections.get(branch?.pointer ?? '') ?? [])[0];
  });
  const expand = (
    transaction: Transaction,
    value: unknown,
    at: { pointer: string; path: readonly string[] },
  ): unknown => {
    const { pointer, path } = at;
    if (Array.isArray(value)) {
      const own = read(pointer)?.items;
      return own === undefined ? value : value.map((each) => expand(transaction, each, { pointer: own, path }));
    }
    if (!isObject(value)) {
      const collection = typeof value === 'string' ? findCollection(pointer) : undefined;
      const entry = collection && items.find(items.locate(transaction, collection), String(value));
      const schema = collection && items.model(collection).resource.schema;
      return entry && schema ? expand(transaction, entry.item, { pointer: schema, path }) : value;
    }
    const [name, ...rest] = path;
    const property = name === undefined ? undefined : read(pointer)?.properties.get(name);
    if (name === undefined || property === undefined || !Object.hasOwn(value, name)) return value;
    return { ...value, [name]: expand(transaction, value[name], { pointer: property.pointer, path: rest }) };
  };
  return (transaction, { body, pointer, paths }) => {
    const root = read(pointer);
    // In lists, a path begins at the body or at the item.
    const place = binding.list === undefined ? [] : [...binding.list.path, ...binding.list.element];
    return paths.reduce<unknown>((result, dotted) => {
      const path = dotted.split('.');
      const isAtRoot = root?.properties.has(path[0] ?? '') === true;
      return expand(transaction, result, { pointer, path: isAtRoot ? path : [...place, ...path] });
    }, body);
  };
}
