import { type ItemSchema, listProperties, type ReadItemSchema } from '../item-schema.js';
import { toBareName } from '../../contract/names.js';
import { planList } from '../pages/list-shape.js';
import {
  type BodyPosition,
  findItemPosition,
  findItemPositions,
  findListPositions,
  findSamePosition,
  isEnvelope,
} from '../positions.js';
import {
  createResource,
  type Action,
  type Binding,
  type ParameterPlace,
  type ParentLink,
  type Resource,
  type SecretKey,
} from '../resource.js';
import type { Item } from '../store/lists/item-list.js';
import { findEffect } from '../store/server-values.js';
import { type ContractIndex, readAnswerPointer, readBodyPointer } from './contract-index.js';
import { type RpcInput, type RpcMethod, readRpcMethod, toBareNouns } from './rpc-methods.js';
import { addTo } from '../../contract/json.js';

/** What the methods of a contract in RPC style work on. */
interface RpcResources {
  readonly collections: ReadonlyMap<string, Resource>;
  readonly bindings: readonly Binding[];
}

/** The methods of one resource, and how they name its items. */
interface RpcGroup {
  readonly name: string;
  readonly nouns: readonly string[];
  readonly methods: readonly RpcMethod[];
  readonly item: ItemSchema;
  /** Bare names that a parameter with the id can have, without `id`: `room` of `room_id`. */
  readonly names: readonly string[];
  readonly idProperty: string;
  /** Where the methods on one item do not take its id. */
  readonly secretKey: SecretKey | undefined;
}

/** A group whose parents are known. */
interface RpcResource extends RpcGroup {
  readonly parents: readonly RpcGroup[];
}

/**
 * Infers resources from paths whose last word is a verb: `POST /rooms.create`, `GET /rooms.info?room=R1`, `POST /item/get`.
 *
 * The ids are parameters of the query or properties of the body with the name of the noun, the noun and `_id`, or of the id itself.
 * Nouns that have a path with a parameter (`/users/create` beside `/users/{id}`) are left to the inference from paths.
 */
export function inferRpcResources(index: ContractIndex): RpcResources {
  const methods = index.contract.operations.flatMap((operation) => readRpcMethod(index, operation) ?? []);
  const groups = findGroups(index, methods);
  if (groups.length === 0) return { collections: new Map(), bindings: [] };
  const resources = groups.map((group): RpcResource => ({ ...group, parents: findParents(group, groups) }));
  const bindings = methods.flatMap((method) => bindMethod(index, resources, method) ?? []);
  const collections = new Map(resources.map((resource) => [resource.name, describe(resource)]));
  return { collections, bindings };
}

function findGroups(index: ContractIndex, methods: readonly RpcMethod[]): readonly RpcGroup[] {
  const withItems = index.contract.operations.flatMap(({ path }) => /^(.*?)\/\{/.exec(path)?.[1] ?? []);
  const byNouns = new Map<string, RpcMethod[]>();
  for (const method of methods) addTo(byNouns, method.nouns.join('.'), method);
  return [...byNouns].flatMap(([name, own]) => {
    const actions = own.map(({ action }) => action);
    const isWhole = actions.includes('create') && actions.some((action) => action !== undefined && action !== 'create');
    const nouns = own[0]?.nouns ?? [];
    if (!isWhole || withItems.some((path) => path.endsWith(`/${nouns.join('/')}`))) return [];
    return readGroup(index, { name, nouns, methods: own }) ?? [];
  });
}

/** Finds the item of a group of methods, and the property that is its id. */
function readGroup(index: ContractIndex, group: Pick<RpcGroup, 'methods' | 'name' | 'nouns'>): RpcGroup | undefined {
  const { read } = index;
  const { methods } = group;
  const lists = select(methods, 'list').map(({ operation }) => findListPositions(read, readAnswerPointer(operation)));
  const own = toBareNouns(group.nouns.toReversed());
  const inputs = select(methods, 'read', 'delete').flatMap((method) => method.inputs);
  const ids = inputs.filter(({ name }) => /id$/i.test(name));
  const found = findItemPosition(read, {
    answers: select(methods, 'read', 'create', 'update').map((method) => findAnswerPositions(read, method)),
    lists,
    requests: select(methods, 'create', 'update').map(({ operation }) =>
      findItemPositions(read, readBodyPointer(operation)),
    ),
    idNames: [...own.flatMap((noun) => [noun, `${noun}id`]), ...ids.map(({ name }) => toBareName(name))],
  })?.position;
  if (found === undefined) return undefined;
  const listed = lists.flatMap((positions) => findSamePosition(read, found.schema, positions) ?? [])[0];
  const shown = [found.path.at(-1), listed?.path.at(-1)].filter((name) => name !== undefined);
  const names = [...new Set([...toBareNouns(shown), ...own])];
  const item = chooseItem(found, listed);
  const idProperty = findIdProperty(item, names, methods);
  if (idProperty === undefined) return undefined;
  const named = { ...group, item, names, idProperty, secretKey: undefined };
  return { ...named, secretKey: findSecretKey(index, named) };
}

/** The methods that do one of some actions. */
function select(methods: readonly RpcMethod[], ...actions: readonly Action[]): readonly RpcMethod[] {
  return actions.flatMap((wanted) => methods.filter(({ action }) => action === wanted));
}

/** Whether there are methods on one item, and all of them require an input. */
function isRequiredOnItem(methods: readonly RpcMethod[], name: string): boolean {
  const onItem = select(methods, 'read', 'delete');
  const isRequired = ({ inputs }: RpcMethod): boolean => inputs.some((each) => each.required && each.name === name);
  return onItem.length > 0 && onItem.every(isRequired);
}

/** The string that the create shows and that every method on one item requires, where none of them takes the id. */
function findSecretKey(index: ContractIndex, group: RpcGroup): SecretKey | undefined {
  const { methods, item } = group;
  if (select(methods, 'read', 'delete').some(({ inputs }) => findIdInput(group, inputs) !== undefined))
    return undefined;
  const shown = select(methods, 'create').flatMap(({ operation }) =>
    listProperties(index.read(readAnswerPointer(operation))),
  );
  const key = shown.find(
    ({ name, schema }) => schema.type === 'string' && !item.properties.has(name) && isRequiredOnItem(methods, name),
  );
  return key && { name: key.name, schema: key.target };
}

/** The positions in an answer, without its root where that repeats what the request sends beside one object. */
function findAnswerPositions(read: ReadItemSchema, { operation, inputs }: RpcMethod): readonly BodyPosition[] {
  const positions = findItemPositions(read, readAnswerPointer(operation));
  const [root] = positions;
  if (root === undefined) return positions;
  const sent = new Set(inputs.map(({ name }) => name));
  const properties = new Map([...root.schema.properties].filter(([name]) => !sent.has(name)));
  return isEnvelope(read, { ...root.schema, properties }) ? positions.slice(1) : positions;
}

/** The item of a read; where that is the whole answer, the item of the list, which has no members of the answer. */
function chooseItem(found: BodyPosition, listed: BodyPosition | undefined): ItemSchema {
  if (found.path.length > 0 || listed === undefined) return found.schema;
  const isPart = [...listed.schema.properties.keys()].every((name) => found.schema.properties.has(name));
  return isPart ? listed.schema : found.schema;
}

/** The property of the id: `id`, one with the noun, else the one that the methods on one item require. */
function findIdProperty(
  { properties }: ItemSchema,
  names: readonly string[],
  methods: readonly RpcMethod[],
): string | undefined {
  const all = [...properties.keys()];
  if (all.includes('id')) return 'id';
  const wanted = new Set(names.flatMap((name) => [`${name}id`, name]));
  const named = all.find((name) => /id$/i.test(name) && wanted.has(toBareName(name)));
  return named ?? all.find((name) => isRequiredOnItem(methods, name));
}

/** The input that names an item of a group. */
function findIdInput({ names, idProperty, secretKey }: RpcGroup, inputs: readonly RpcInput[]): RpcInput | undefined {
  const wanted = [toBareName(idProperty), ...names.flatMap((name) => [`${name}id`, name])];
  for (const name of wanted) {
    const found = inputs.find((input) => toBareName(input.name) === name);
    if (found !== undefined) return found;
  }
  return secretKey && inputs.find(({ name }) => name === secretKey.name);
}

/** The input with the id of a parent: it has the noun of the parent, not only `id`. */
function findParentInput(parent: RpcGroup, inputs: readonly RpcInput[]): RpcInput | undefined {
  const isNamed = ({ name }: RpcInput): boolean =>
    parent.names.some((noun) => toBareName(name) === noun || toBareName(name) === `${noun}id`);
  return inputs.find((input) => input.required && isNamed(input));
}

/** The resources whose ids every method on an item requires: the items are found below them. */
function findParents(group: RpcGroup, groups: readonly RpcGroup[]): readonly RpcGroup[] {
  const own = group.methods.filter(({ action, inputs }) =>
    action === 'create' || action === 'list' ? true : action !== undefined && findIdInput(group, inputs) !== undefined,
  );
  return groups
    .filter(
      (other) =>
        other !== group &&
        own.every(({ action, inputs }) => {
          const input = findParentInput(other, inputs);
          return input !== undefined && (action === 'create' || input !== findIdInput(group, inputs));
        }),
    )
    .slice(0, 1);
}

function describe({ name, parents, item, idProperty, methods, secretKey }: RpcResource): Resource {
  return {
    ...createResource(name),
    path: methods.find(({ action }) => action === 'list' || action === 'create')?.operation.path ?? '',
    parents: parents.map((parent) => parent.name),
    schema: item.pointer,
    idProperty,
    secretKey,
    alternateKeys: secretKey === undefined ? [] : [idProperty],
  };
}

/** What a method does to which resource; undefined where it is not plain. */
function bindMethod(index: ContractIndex, resources: readonly RpcResource[], method: RpcMethod): Binding | undefined {
  const name = method.nouns.join('.');
  const own = resources.find((resource) => resource.name === name);
  if (own !== undefined) {
    const bound = bindOwn(index, own, method);
    if (bound !== undefined) return bound;
  }
  const listed =
    own === undefined || method.action === undefined ? bindForeignList(index, resources, method) : undefined;
  if (listed !== undefined) return listed;
  // `/connection/webhook/update` changes a property of a connection.
  const above = resources.find((resource) => resource.name === method.nouns.slice(0, -1).join('.'));
  const property = method.nouns.at(-1) ?? '';
  const isPart = method.action === 'update' && above?.item.properties.has(property) === true;
  return isPart ? bindOwn(index, above, method) : undefined;
}

function bindOwn(index: ContractIndex, resource: RpcResource, method: RpcMethod): Binding | undefined {
  const { action, verb, inputs } = method;
  const why = `"${verb}" of ${resource.name}`;
  if (action === 'list') return bindList(index, resource, method);
  const id = findIdInput(resource, inputs);
  if (action === 'create' && isCreate(resource, method)) {
    return toBinding(resource, method, { action, id: undefined, set: {}, confidence: 0.9, why });
  }
  if (id === undefined) return undefined;
  const place = `; the id is "${id.name}" in the ${id.in}`;
  if (action !== undefined && action !== 'create') {
    return toBinding(resource, method, { action, id, set: {}, confidence: 0.85, why: why + place });
  }
  if (method.operation.method === 'GET') return undefined;
  const set = findEffect(verb, resource.item);
  const effect = set === undefined ? '; its effect is unknown' : `; sets ${Object.keys(set).join(', ')}`;
  return toBinding(resource, method, {
    action: 'act',
    id,
    set: set ?? {},
    confidence: set === undefined ? 0.5 : 0.75,
    why: why + place + effect,
  });
}

/** Whether a method is the create of its resource: one that takes the id of an item is not. */
function isCreate(resource: RpcResource, { operation, inputs }: RpcMethod): boolean {
  const first = resource.methods.find(({ action }) => action === 'create');
  if (first?.operation === operation) return true;
  const id = findIdInput(resource, inputs);
  return id === undefined || !id.required;
}

function bindList(index: ContractIndex, resource: RpcResource, method: RpcMethod): Binding | undefined {
  const { read } = index;
  const { operation, verb } = method;
  const positions = findListPositions(read, readAnswerPointer(operation));
  const same = findSamePosition(read, resource.item, positions);
  if (same === undefined) return undefined;
  const items = { path: same.path, element: same.element, itemSchema: same.pointer };
  const list = planList(read, operation, items);
  if (list === undefined) return undefined;
  const why = `"${verb}"; the answer is a list of ${resource.name} in "${same.path.join('.')}"`;
  const bound = toBinding(resource, method, { action: 'list', id: undefined, set: {}, confidence: 0.9, why });
  return bound && { ...bound, list };
}

/** A list of exactly the items of another resource: `/rooms.history` shows posts. */
function bindForeignList(
  index: ContractIndex,
  resources: readonly RpcResource[],
  method: RpcMethod,
): Binding | undefined {
  if (method.action !== undefined && method.action !== 'list') return undefined;
  const positions = findListPositions(index.read, readAnswerPointer(method.operation));
  const resource = resources.find(({ item }) =>
    positions.some(({ schema, element }) => element.length === 0 && schema.pointer === item.pointer),
  );
  return resource && bindList(index, resource, method);
}

interface Effect {
  readonly action: Action;
  readonly id: RpcInput | undefined;
  readonly set: Item;
  readonly confidence: number;
  readonly why: string;
}

/** The binding of a method; undefined where it does not name the parent. */
function toBinding(
  resource: RpcResource,
  { operation, inputs }: RpcMethod,
  { id, ...effect }: Effect,
): Binding | undefined {
  const parents: ParentLink[] = [];
  const places: Record<string, ParameterPlace> = {};
  const place = (input: RpcInput): void => {
    places[input.name] = { in: input.in, path: [input.name] };
  };
  for (const parent of resource.parents) {
    const input = findParentInput(parent, inputs);
    if (input === undefined) return undefined;
    place(input);
    parents.push({ collection: parent.name, parameters: [input.name] });
  }
  if (id !== undefined) place(id);
  return {
    operation,
    collection: resource.name,
    id: id === undefined ? [] : [id.name],
    places,
    parents,
    within: undefined,
    list: undefined,
    page: undefined,
    ...effect,
  };
}
