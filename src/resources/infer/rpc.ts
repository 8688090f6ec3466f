import { PREFIX } from '../../conventions/forms.js';
import { means, type Idea } from '../../conventions/conventions.js';
import { type SchemaView, listProperties, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import { toBareName, readWords } from '../../base/names.js';
import { type ItemsPosition, planList, findListItems, readAnswerPointer } from '../list/list-shape.js';
import { toBareNoun, toSingular } from '../../conventions/names.js';
import type { Operation } from '../../contract/operations/operation.js';
import {
  type BodyPosition,
  compareSchemas,
  findItemPosition,
  findItemPositions,
  findListPositions,
  findSamePosition,
  isEnvelope,
} from '../item/positions.js';
import {
  createResource,
  type Action,
  type Binding,
  type ParameterPlace,
  type ParentLink,
  type Resource,
  type SecretKey,
} from '../item/resource.js';
import type { Item } from '../store/lists/item-list.js';
import { findEffect } from '../item/effects.js';
import { type ContractIndex, readBodyPointer } from './contract-index.js';
import { addTo } from '../../base/json.js';

/** What the methods of a contract in RPC style work on. */
interface RpcResources {
  readonly collections: ReadonlyMap<string, Resource>;
  readonly bindings: readonly Binding[];
}

/** The methods of one resource, and how they name its items. */
interface RpcGroup {
  readonly key: string;
  readonly name: string;
  readonly nouns: readonly string[];
  readonly methods: readonly RpcMethod[];
  readonly item: SchemaView;
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
  const methods = index.contract.operations.flatMap((operation) =>
    index.shape(operation)?.hasVerb === true ? [] : (readRpcMethod(index, operation) ?? []),
  );
  const groups = findGroups(index, methods);
  if (groups.length === 0) return { collections: new Map(), bindings: [] };
  const resources = groups.map((group): RpcResource => ({ ...group, parents: findParents(group, groups) }));
  const bindings = methods.flatMap((method) => bindMethod(index, resources, method) ?? []);
  const collections = new Map(resources.map((resource) => [resource.name, describe(resource)]));
  return { collections, bindings };
}

function findGroups(index: ContractIndex, methods: readonly RpcMethod[]): readonly RpcGroup[] {
  const withItems = index.contract.operations.flatMap(({ path }) => /^(.*?)\/\{/.exec(path)?.[1] ?? []);
  const byKey = new Map<string, RpcMethod[]>();
  for (const method of methods) addTo(byKey, method.key, method);
  return [...byKey].flatMap(([key, own]) => {
    const actions = own.map(({ action }) => action);
    const isWhole = actions.includes('create') && actions.some((action) => action !== undefined && action !== 'create');
    const nouns = own[0]?.nouns ?? [];
    const name = nouns.join('.');
    if (!isWhole || withItems.some((path) => path.endsWith(`/${nouns.join('/')}`))) return [];
    return readGroup(index, { key, name, nouns, methods: own }) ?? [];
  });
}

/** Finds the item of a group of methods, and the property that is its id. */
function readGroup(
  index: ContractIndex,
  group: Pick<RpcGroup, 'key' | 'methods' | 'name' | 'nouns'>,
): RpcGroup | undefined {
  const { read } = index;
  const { methods } = group;
  const lists = select(methods, 'list').map(({ operation }) => findListPositions(read, readAnswerPointer(operation)));
  const own = toBareNouns(group.nouns.toReversed());
  const onItem = select(methods, 'read', 'delete');
  const ids = onItem.flatMap(({ inputs }) => inputs.filter(({ name }) => means(name, 'ids.ending')));
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
  const names = [...new Set([...toBareNouns(shown), ...own, ...findShortNouns(group)])];
  const chosen = chooseItem(found, listed, methods);
  const ofChosen = findIdProperty(chosen, names, methods);
  // A read that does not repeat the id shows less than a list.
  const isIdless = ofChosen === undefined && listed !== undefined;
  const item = isIdless ? listed.schema : chosen;
  const idProperty = isIdless ? findIdProperty(item, names, methods) : ofChosen;
  if (idProperty === undefined) return undefined;
  const named = { ...group, item, names, idProperty, secretKey: undefined };
  return { ...named, secretKey: findSecretKey(index, named) };
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
    ({ name, schema }) => schema.type === 'string' && !item.members.has(name) && isRequiredOnItem(methods, name),
  );
  return key && { name: key.name, schema: key.target };
}

/** The positions in an answer, without a root that repeats what the request sends; behind a verb only a root with an id or a name of its own. */
function findAnswerPositions(
  read: ReadSchema,
  { operation, inputs, isVerbFirst, nouns }: RpcMethod,
): readonly BodyPosition[] {
  const positions = findItemPositions(read, readAnswerPointer(operation));
  const [root] = positions;
  if (root === undefined) return positions;
  const [noun = ''] = toBareNouns(nouns);
  const isOwnKey = (bare: string): boolean =>
    means(bare.startsWith(noun) ? bare.slice(noun.length) : bare, 'ids.id', 'ids.name');
  if (isVerbFirst && listProperties(root.schema).some(({ bare, scalar }) => scalar && isOwnKey(bare))) return [root];
  const sent = new Set(inputs.map(({ name }) => name));
  const properties = new Map([...root.schema.members].filter(([name]) => !sent.has(name)));
  return isEnvelope(read, { ...root.schema, members: properties }) ? positions.slice(1) : positions;
}

/** The item of a read; where that is the whole answer beside members such as `ok`, the item of the list, which has none of them. */
function chooseItem(found: BodyPosition, listed: BodyPosition | undefined, methods: readonly RpcMethod[]): SchemaView {
  if (found.path.length > 0 || listed === undefined || methods.some(({ isVerbFirst }) => isVerbFirst))
    return found.schema;
  const isPart = [...listed.schema.members.keys()].every((name) => found.schema.members.has(name));
  // What requests set and lists leave out is of the item.
  const sent = select(methods, 'create', 'update').flatMap(({ inputs }) => inputs);
  const isSummary = sent.some(({ name }) => found.schema.members.has(name) && !listed.schema.members.has(name));
  return isPart && !isSummary ? listed.schema : found.schema;
}

function findIdInput({ names, idProperty, secretKey }: RpcGroup, inputs: readonly RpcInput[]): RpcInput | undefined {
  return (
    findNamed(inputs, listIdNames(names, idProperty)) ??
    (secretKey && inputs.find(({ name }) => name === secretKey.name))
  );
}

/** The input with the id of a parent: it has the noun of the parent, not only `id`. */
function findParentInput(parent: RpcGroup, inputs: readonly RpcInput[]): RpcInput | undefined {
  const isNamed = ({ name }: RpcInput): boolean =>
    parent.names.some((noun) => toBareName(name) === noun || toBareName(name) === `${noun}id`) ||
    // `roomname` for the `name` or the `roomName` of a room
    (parent.names.some((noun) => toBareName(name).startsWith(noun)) &&
      listIdNames(parent.names, parent.idProperty).includes(toBareName(name)));
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

function describe({ name, names, parents, item, idProperty, methods, secretKey }: RpcResource): Resource {
  const isVerbFirst = methods.some((method) => method.isVerbFirst);
  const otherKeys = isVerbFirst ? listOtherKeys(names, item, idProperty) : [];
  return {
    ...createResource(name),
    path: methods.find(({ action }) => action === 'list' || action === 'create')?.operation.path ?? '',
    parents: parents.map((parent) => parent.name),
    schema: item.pointer,
    idProperty,
    secretKey,
    alternateKeys: secretKey === undefined ? otherKeys : [idProperty],
  };
}

/** What a method does to which resource; undefined where it is not plain. */
function bindMethod(index: ContractIndex, resources: readonly RpcResource[], method: RpcMethod): Binding | undefined {
  const own = resources.find((resource) => resource.key === method.key);
  const isOther = own === undefined || method.action === undefined;
  const bound =
    (own && bindOwn(index, own, method)) ?? (isOther ? bindForeignList(index, resources, method) : undefined);
  if (bound !== undefined) return bound;
  if (method.isVerbFirst) return undefined;
  // `/connection/webhook/update` changes a property of a connection.
  const above = resources.find((resource) => resource.name === method.nouns.slice(0, -1).join('.'));
  const property = method.nouns.at(-1) ?? '';
  const isPart = method.action === 'update' && above?.item.members.has(property) === true;
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
  const creates = select(resource.methods, 'create');
  const first = creates.find(({ verb }) => /^create$/i.test(verb)) ?? creates[0];
  if (first?.operation === operation) return true;
  const id = findIdInput(resource, inputs);
  return id === undefined || !id.required;
}

function bindList(index: ContractIndex, resource: RpcResource, method: RpcMethod): Binding | undefined {
  const { read } = index;
  const { operation, verb } = method;
  const positions = findListPositions(read, readAnswerPointer(operation));
  const same = findSamePosition(read, resource.item, positions) ?? positions.find((each) => isOfOwn(resource, each));
  const items = same && { path: same.path, element: same.element, itemSchema: same.pointer };
  const list = planList(read, operation, items ?? findIds(index, resource, operation));
  if (list === undefined) return undefined;
  const why = `"${verb}"; the answer is a list of ${resource.name} in "${list.path.join('.')}"`;
  const bound = toBinding(resource, method, { action: 'list', id: undefined, set: {}, confidence: 0.9, why });
  return bound && { ...bound, list };
}

/** Whether an array has the noun of a resource, and elements with its id: `keys: [{ keyId, keyArn }]`. */
function isOfOwn({ names, idProperty }: RpcResource, { path, element, schema }: BodyPosition): boolean {
  return element.length === 0 && names.includes(toBareNoun(path.at(-1))) && schema.members.has(idProperty);
}

/** The array of an answer that has the ids of the items: `RoomIds`, `RoomArns`. */
function findIds(
  { read }: ContractIndex,
  { names, idProperty }: RpcResource,
  operation: Operation,
): ItemsPosition | undefined {
  const wanted = listIdNames(names, idProperty);
  for (const { name, target } of listProperties(read(readAnswerPointer(operation)))) {
    const array = read(target);
    const isOfIds =
      array?.type === 'array' && read(array.element)?.type === 'string' && wanted.includes(toBareNoun(name));
    if (isOfIds) return { path: [name], element: [], itemSchema: array.element };
  }
  return undefined;
}

/** A list of the items of another resource: exactly of these, as `/rooms.history` shows posts, or by its noun: `/sites.listRooms`. */
function bindForeignList(
  index: ContractIndex,
  resources: readonly RpcResource[],
  method: RpcMethod,
): Binding | undefined {
  const { action, isVerbFirst, nouns } = method;
  if (action !== 'list' && (action !== undefined || isVerbFirst)) return undefined;
  const positions = findListPositions(index.read, readAnswerPointer(method.operation));
  const isNamed = ({ names }: RpcResource): boolean => isVerbFirst && names.includes(toBareNoun(nouns.at(-1)));
  const resource = resources.find((each) =>
    positions.some(
      ({ schema, element }) =>
        element.length === 0 &&
        (schema.pointer === each.item.pointer ||
          (isNamed(each) && compareSchemas(index.read, each.item, schema) >= 0.6)),
    ),
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
    places[input.name] = { in: input.in, path: input.path };
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
    list: undefined,
    ...effect,
  };
}

/** An operation whose path ends in a verb, or in a verb and a noun: `/rooms.create`, `/item/get`, `/createRoom`, `/#Action=DescribeRoom`. */
interface RpcMethod {
  readonly operation: Operation;
  /** What the methods on the same items have in common. */
  readonly key: string;
  /** The words before the verb, without version prefixes, or the noun behind it. */
  readonly nouns: readonly string[];
  /** The last word without a noun behind it: `setTopic`, and `create` of `createRoom`. */
  readonly verb: string;
  /** Whether the noun is behind the verb. */
  readonly isVerbFirst: boolean;
  /** What the verb means; undefined for one that is not plain. */
  readonly action: Action | undefined;
  readonly inputs: readonly RpcInput[];
}

/** A parameter of a query, or a property of a body. */
interface RpcInput {
  readonly name: string;
  /** The property names from the root of the body, or the name in the query. */
  readonly path: readonly string[];
  readonly in: 'body' | 'query';
  readonly required: boolean;
}

/** What plain verbs do; of several creates of one resource the first verb is the create. */
const VERBS: readonly (readonly [Action, Idea])[] = [
  ['create', 'verbs.create'],
  ['list', 'verbs.list'],
  ['read', 'verbs.read'],
  ['update', 'verbs.update'],
  ['delete', 'verbs.remove'],
];

/** Verbs that, before a noun, mean the same as others, and verbs that create only where a noun has no plain create. */
const VERBS_BEFORE_NOUN: typeof VERBS = [
  ...VERBS,
  ['create', 'verbs.createNoun'],
  ['read', 'verbs.readNoun'],
  ['delete', 'verbs.removeNoun'],
];

function findAction(verb: string, verbs: typeof VERBS): Action | undefined {
  return verbs.find(([, idea]) => means(verb, idea))?.[0];
}

/** Reads an operation as a method; undefined where its path has a parameter, or its method is not one of GET and POST. */
function readRpcMethod(index: ContractIndex, operation: Operation): RpcMethod | undefined {
  const { method } = operation;
  if (method !== 'GET' && method !== 'POST') return undefined;
  const words = readPathWords(operation.path);
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const isNamed = words.length < 2 || operation.path.includes('#') || isVerbAndNoun(words);
  // `#method=rooms.create` is `/rooms.create`.
  const isDotted = /#.*[./:]/.test(operation.path);
  const verbFirst = isNamed ? readVerbFirst(index, operation, words) : undefined;
  const found = verbFirst ?? (isNamed && !isDotted ? undefined : readVerbLast(words));
  if (found === undefined) return undefined;
  const { action } = found;
  // A GET changes nothing.
  if (method === 'GET' && action !== 'list' && action !== 'read' && action !== undefined) return undefined;
  return { operation, ...found, inputs: readInputs(index, operation) };
}

/** The words of a path, or of the value after its `#` that names the method: none for other paths. */
function readPathWords(path: string): readonly string[] {
  const [base = '', fragment] = path.split('#');
  // `#Action=DescribeRoom` names a method, `#tagging` a part of the item.
  const target = fragment === undefined ? '' : /^[^=&]+=([^=&]+)/.exec(fragment)?.[1];
  if (target === undefined || /[{?]/.test(path)) return [];
  return `${base}/${toSeparated(target)}`.split(/[/.:]/).filter((word) => word !== '' && !PREFIX.test(word));
}

/** The name of a method with its verb apart: `room.get` for `room-get`, and `getRoom` for `get_room`. */
function toSeparated(target: string): string {
  const [first = '', ...words] = target.split(/[_-]/);
  const last = words.at(-1);
  if (last === undefined || /[/.:]/.test(target)) return target;
  if (findAction(first, VERBS_BEFORE_NOUN) !== undefined)
    return [first, ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
  return toAction(last) === undefined ? target : `${[first, ...words.slice(0, -1)].join('_')}.${last}`;
}

/** A verb and the noun behind it, whose first letter is a capital one. */
const VERB_AND_NOUN = /^([A-Z]?[a-z]+)([A-Z]\w*)$/;

/**
 * Whether the last word is a verb and a noun: any verb where the noun repeats the word before, as in `/rooms.lockRoom`, else one with a known
 * meaning. `setTopic` of `/rooms.setTopic` changes a property, `setRoom` a room.
 */
function isVerbAndNoun(words: readonly string[]): boolean {
  const [before, word = ''] = words.slice(-2);
  const [, verb, noun] = VERB_AND_NOUN.exec(word) ?? [];
  if (verb === undefined) return false;
  if (toBareNoun(noun) === toBareNoun(before)) return true;
  return findAction(verb, VERBS_BEFORE_NOUN) !== undefined && toAction(word) === undefined;
}

type PathReading = Pick<RpcMethod, 'action' | 'isVerbFirst' | 'key' | 'nouns' | 'verb'>;

function readVerbLast(words: readonly string[]): PathReading {
  const [nouns, verb = ''] = [words.slice(0, -1), words.at(-1)];
  return { key: nouns.join('.'), nouns, verb, isVerbFirst: false, action: toAction(verb) };
}

function readVerbFirst(index: ContractIndex, operation: Operation, words: readonly string[]): PathReading | undefined {
  const [, verb = '', noun = ''] = VERB_AND_NOUN.exec(words.at(-1) ?? '') ?? [];
  if (noun === '') return undefined;
  const own = findAction(verb, VERBS_BEFORE_NOUN);
  const action = own === 'read' && isListOf(index, operation, noun) ? 'list' : own;
  const key = [...words.slice(0, -1), '', toBareNoun(noun)].join('.');
  return { key, nouns: [toSingular(noun)], verb, isVerbFirst: true, action };
}

/** Whether a method that reads, with a noun in the plural, answers with a list: `DescribeRooms`. */
function isListOf({ read }: ContractIndex, operation: Operation, noun: string): boolean {
  if (toSingular(noun) === noun) return false;
  const properties = listProperties(read(readAnswerPointer(operation)));
  const isOwn = properties.some(
    ({ name, target }) => toBareNoun(name) === toBareNoun(noun) && read(target)?.type === 'array',
  );
  return isOwn || findListItems(read, operation) !== undefined;
}

function toAction(word: string): Action | undefined {
  const own = findAction(word, VERBS);
  if (own !== undefined) return own;
  // `setTopic` changes a property.
  return means(readWords(word)[0] ?? '', 'verbs.set') ? 'update' : undefined;
}

function readInputs({ read }: ContractIndex, operation: Operation): readonly RpcInput[] {
  const properties = listProperties(read(readBodyPointer(operation)));
  // Beside the name of the method, an object has its parameters.
  const inner = operation.path.includes('#')
    ? properties.flatMap(({ name, target }) =>
        listProperties(read(target)).map((each) => ({ ...each, path: [name, each.name] })),
      )
    : [];
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const inputs = [
    ...query.map(({ name, required }): RpcInput => ({ name, path: [name], required, in: 'query' })),
    ...inner.map(({ name, path, required }): RpcInput => ({ name, path, required, in: 'body' })),
    ...properties.map(({ name, required }): RpcInput => ({ name, path: [name], required, in: 'body' })),
  ];
  return inputs.toSorted((a, b) => Number(b.required) - Number(a.required));
}

function toBareNouns(words: readonly string[]): readonly string[] {
  return [...new Set(words.map(toBareNoun).filter((word) => word !== ''))];
}

function select(methods: readonly RpcMethod[], ...actions: readonly Action[]): readonly RpcMethod[] {
  return actions.flatMap((wanted) => methods.filter(({ action }) => action === wanted));
}

/** Whether there are methods on one item, and all of them require an input. */
function isRequiredOnItem(methods: readonly RpcMethod[], name: string): boolean {
  return isTakenOnItem(methods, (inputs) => inputs.some((each) => each.required && each.name === name));
}

/** Whether there are methods on one item, and the inputs of all of them pass a test. */
function isTakenOnItem(methods: readonly RpcMethod[], test: (inputs: readonly RpcInput[]) => boolean): boolean {
  const onItem = select(methods, 'read', 'delete');
  return onItem.length > 0 && onItem.every(({ inputs }) => test(inputs));
}

/** The property of the id: one that the methods on one item take, else `id`, one with the noun, or one that these methods require. */
function findIdProperty(
  { members: properties }: SchemaView,
  names: readonly string[],
  methods: readonly RpcMethod[],
): string | undefined {
  const all = [...properties.keys()];
  const isTaken = (name: string): boolean =>
    isTakenOnItem(methods, (inputs) => findNamed(inputs, listIdNames(names, name)) !== undefined);
  const bareKinds = ['id', ...names.flatMap((noun) => [`${noun}id`, noun]), 'arn', 'name', 'key'];
  const kinds = [...bareKinds, ...names.flatMap((noun) => [`${noun}arn`, `${noun}name`, `${noun}key`])];
  const plain = [
    ...kinds.flatMap((kind) => all.find((name) => toBareName(name) === kind) ?? []),
    ...all.filter((name) => means(name, 'ids.id')),
  ];
  const taken = plain.find(isTaken);
  if (taken !== undefined) return taken;
  if (all.includes('id')) return 'id';
  const wanted = new Set(names.flatMap((name) => [`${name}id`, name]));
  const named = all.find((name) => /id$/i.test(name) && wanted.has(toBareName(name)));
  return named ?? all.find((name) => isRequiredOnItem(methods, name));
}

/** The bare names that an input with the id can have, the most exact first: `roomarn`, `arn`, `roomid` and `room` for `RoomArn`. */
function listIdNames(names: readonly string[], idProperty: string): readonly string[] {
  const own = toBareName(idProperty);
  const short = names.flatMap((noun) => (own.startsWith(noun) && own !== noun ? [own.slice(noun.length)] : []));
  const kinds = short.length > 0 ? short : means(own, 'ids.id', 'ids.name') ? names.map((noun) => `${noun}${own}`) : [];
  // Methods can call a `uuid` plainly `id`.
  const plain = means(own, 'ids.id') ? ['id'] : [];
  return [own, ...kinds, ...plain, ...names.flatMap((name) => [`${name}id`, name]), 'identifier'];
}

/** The input with the first of some bare names that there is. */
function findNamed(inputs: readonly RpcInput[], names: readonly string[]): RpcInput | undefined {
  return names.flatMap((name) => inputs.find((input) => toBareName(input.name) === name) ?? [])[0];
}

/** The last word of a noun, where the methods on one item require it: `application` for `robotApplication`. */
function findShortNouns({ methods, nouns }: Pick<RpcGroup, 'methods' | 'nouns'>): readonly string[] {
  const last = readWords(nouns.at(-1) ?? '').at(-1);
  return last !== undefined && isRequiredOnItem(methods, last) ? [last] : [];
}

/** The other properties by which methods may name an item, behind a verb: its ARN and its name. */
function listOtherKeys(
  names: readonly string[],
  { members: properties }: SchemaView,
  idProperty: string,
): readonly string[] {
  const keys = new Set(['arn', 'name', ...names.flatMap((noun) => [`${noun}arn`, `${noun}name`, `${noun}id`])]);
  return [...properties.keys()].filter((name) => name !== idProperty && keys.has(toBareName(name)));
}
