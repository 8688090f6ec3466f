import { means } from '../../conventions/conventions.js';
import {
  BEHIND_ITEM,
  type Binding,
  type ParameterPlace,
  type ParentLink,
  type Resource,
  type Resources,
  type Unbound,
  type Within,
  ANSWERS_LIST,
} from '../item/resource.js';
import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { createSchemaReader } from '../../contract/schema-view/schema-view.js';
import { describeResource, findMembers, findSharedIds } from './describe.js';
import { toBareNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import {
  bindItemOperation,
  bindItemWord,
  bindSingletonOperation,
  type InferredAction,
  bindCollectionOperation,
  bindCollectionWord,
  bindPart,
} from './bind.js';
import {
  findBelow,
  findItemsBelow,
  findItemsByKey,
  findItemsElsewhere,
  findListed,
  findSameResource,
  findSublists,
  findWhole,
  isAlias,
  isOwnPath,
  type Sublist,
  withListedMembers,
} from './aliases.js';
import { type Candidates, type CollectionCandidate, findCandidates } from './candidates.js';
import { type ContractIndex, createContractIndex } from './contract-index.js';
import { type KeyedGroup, listShorterKeys, type PathGroup } from './path-shape.js';
import { findListItems, PLAIN_LIST, planList, readCountShape } from '../list/list-shape.js';
import { applyHints } from './hints.js';
import { inferRpcResources } from './rpc.js';
import { addTo } from '../../base/json.js';

/**
 * Infers which operations of a contract belong to one resource, from paths, methods and schemas. In these steps; each uses those before:
 *
 * 1. `contract-index.ts`, `path-shape.ts`: what each path identifies, and which schema each body shows.
 * 2. `rpc.ts`: methods in RPC style, whose paths identify nothing.
 * 3. `candidates.ts`: the paths that are collections, by their methods and answers.
 * 4. `aliases.ts`: the paths that show other collections, or arrays of their items.
 * 5. `bind.ts`: what each operation does on its collection.
 * 6. `describe.ts`: what identifies the items of each collection, and its memberships.
 * 7. `hints.ts`: `x-mock` hints in the document, which take precedence; see docs/state.md.
 *
 * Paths, methods and schemas decide first; names are asked for by `conventions/` where these leave a choice.
 *
 * @throws MockError `HINT_INVALID` for an invalid hint.
 */
export function inferResources(contract: Contract): Resources {
  const index = createContractIndex(contract, createSchemaReader(contract));
  const rpc = inferRpcResources(index);
  const isCalled = readCalledPaths(index, rpc.bindings);
  const found = new Map([...findCandidates(index)].filter(([key]) => !isCalled(key)));
  const sublists = findSublists(index, found);
  const candidates = withListedMembers(index, new Map([...found].filter(([key]) => !sublists.has(key))));
  const tree = createCollectionTree(index, candidates);
  const { bindings, unbound } = bindOperations(index, tree, { sublists, called: rpc.bindings });
  const collections = describeCollections(index, tree, { candidates, called: rpc.collections });
  for (const [name, idProperty] of findSharedIds(collections, index)) {
    const resource = collections.get(name);
    if (resource !== undefined) collections.set(name, { ...resource, idProperty, selfUrl: undefined });
  }
  for (const [name, members] of findMembers(collections, bindings, index)) {
    const resource = collections.get(name);
    if (resource !== undefined) collections.set(name, { ...resource, ...members });
  }
  return applyHints(index, { collections, bindings, unbound, unknownIds: undefined });
}

/** Whether methods in RPC style have a path. */
function readCalledPaths(index: ContractIndex, called: readonly Binding[]): (key: string) => boolean {
  const keys = new Set(called.map(({ operation }) => index.shape(operation)?.key));
  return (key) => keys.has(key);
}

/** Binds each operation to its collection, or says why it has none. */
function bindOperations(
  index: ContractIndex,
  tree: CollectionTree,
  of: { readonly sublists: ReadonlyMap<string, Sublist>; readonly called: readonly Binding[] },
): { readonly bindings: ReadonlyMap<string, Binding>; readonly unbound: readonly Unbound[] } {
  const called = new Map(of.called.map((binding) => [binding.operation, binding]));
  const bindings = new Map<string, Binding>();
  const unbound: Unbound[] = [];
  for (const operation of index.contract.operations) {
    const method = called.get(operation);
    if (method !== undefined) {
      bindings.set(operation.id, method);
      continue;
    }
    const inferred = bindSublist(index, of.sublists, operation) ?? findBinding(index, tree, operation);
    if (typeof inferred === 'string') unbound.push({ operation, why: inferred });
    else bindings.set(operation.id, toBinding(index, tree, { operation, inferred }));
  }
  return { bindings, unbound };
}

/** Describes each collection with its name, its parents and the paths that show it, too. */
function describeCollections(
  index: ContractIndex,
  tree: CollectionTree,
  of: {
    readonly candidates: ReadonlyMap<string, CollectionCandidate>;
    readonly called: ReadonlyMap<string, Resource>;
  },
): Map<string, Resource> {
  const all = [...of.candidates.values()];
  const aliases = new Map<CollectionCandidate | undefined, CollectionCandidate[]>();
  for (const each of all) {
    const target = tree.at(each.key);
    if (target !== each && !isValuePath(tree, each)) addTo(aliases, target, each);
  }
  const collections = new Map(of.called);
  for (const candidate of all.filter((each) => tree.at(each.key) === each)) {
    const name = tree.name(candidate);
    if (collections.has(name)) continue;
    const parents = tree.parents(candidate).map(tree.name);
    const known = { name, parents, aliases: aliases.get(candidate) ?? [] };
    collections.set(name, describeResource(index, candidate, known));
  }
  return collections;
}

/** Resources without their contract. */
interface PackedResources extends Pick<Resources, 'collections' | 'unknownIds'> {
  readonly bindings: readonly (Omit<Binding, 'operation'> & { readonly operation: string })[];
  readonly unbound: readonly { readonly operation: string; readonly why: string }[];
}

/** The resources with ids in place of operations: plain data and maps. */
export function packResources({ collections, bindings, unbound, unknownIds }: Resources): PackedResources {
  const pack = <Part extends Unbound>(part: Part) => ({ ...part, operation: part.operation.id });
  return { collections, bindings: [...bindings.values()].map(pack), unbound: unbound.map(pack), unknownIds };
}

/** The resources of a contract from what `packResources` returned for it. */
export function unpackResources(contract: Contract, packed: unknown): Resources {
  // The cache proves that this build wrote it for this contract.
  const { bindings, unbound, ...rest } = packed as PackedResources;
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const unpack = <Part extends { readonly operation: string }>(part: Part) => {
    const operation = operations.get(part.operation);
    if (operation === undefined) throw new Error(`the contract has no operation ${part.operation}`);
    return { ...part, operation };
  };
  const found = bindings.map((binding) => [binding.operation, unpack(binding)] as const);
  return { ...rest, bindings: new Map(found), unbound: unbound.map(unpack) };
}

/** The candidates by path; a path that is an alias of a collection leads to that collection. */
interface CollectionTree {
  /** The candidate of a path key, or the collection that the path is an alias of. */
  at(key: string): CollectionCandidate | undefined;
  name(candidate: CollectionCandidate): string;
  parents(candidate: CollectionCandidate): readonly CollectionCandidate[];
  /** For a path below a parent that shows part of a collection: which part. */
  within(key: string): Within | undefined;
  /** The parts of a path, with the parameters of the operation that was read first. */
  groups(key: string): CollectionCandidate['groups'];
}

function createCollectionTree(
  index: ContractIndex,
  candidates: ReadonlyMap<string, CollectionCandidate>,
): CollectionTree {
  const within = new Map<string, Within>();
  const aliases = new Map<string, CollectionCandidate>();
  const all: Candidates = [...candidates.values()];
  const isReadable = ({ singleton, itemKey }: CollectionCandidate): boolean =>
    !singleton && index.operationsAt(itemKey).has('GET');
  const tops = all.filter(({ groups, hasOperations }) => groups.length === 1 && hasOperations);
  const nested = all.filter(({ groups }) => groups.length > 1);
  const readable = all.filter(isReadable);
  const unlisted = all.filter((each) => isReadable(each) && !index.operationsAt(each.key).has('GET'));
  const shown = all.filter((each) => !isAlias(index, each));
  /** The collection itself: the target of an alias may be an alias, too. */
  const follow = (candidate: CollectionCandidate): CollectionCandidate => {
    const next = aliases.get(candidate.key);
    return next === undefined ? candidate : follow(next);
  };
  // Two paths that each look like an alias of the other are one collection, at the later of them.
  const addAlias = (candidate: CollectionCandidate, target: CollectionCandidate): boolean => {
    for (let each: CollectionCandidate | undefined = target; each !== undefined; each = aliases.get(each.key)) {
      if (each === candidate) return false;
    }
    aliases.set(candidate.key, target);
    return true;
  };
  for (const { key, listedAt = '' } of all) {
    const [lists, members] = [candidates.get(listedAt), candidates.get(key)];
    if (lists !== undefined && members !== undefined) addAlias(lists, members);
  }
  for (const candidate of all.filter((each) => !aliases.has(each.key))) {
    const other = isAlias(index, candidate) ? findSameResource(shown, candidate) : undefined;
    if (other !== undefined) addAlias(candidate, other);
    const below = findBelow(index, nested, candidate);
    if (below !== undefined) addAlias(candidate, below);
    const whole = candidate.groups.length > 1 ? findWhole(index, tops, candidate) : undefined;
    const found =
      whole ??
      findItemsBelow(index, tops, candidate) ??
      findItemsElsewhere(index, all, candidate) ??
      findItemsByKey(index, all, candidate) ??
      findListed(index, isOwnPath(candidate) ? readable : unlisted, candidate);
    if (found === undefined || !addAlias(candidate, found.candidate)) continue;
    if (found.within !== undefined) within.set(candidate.key, found.within);
  }
  const own = all.filter((candidate) => !aliases.has(candidate.key));
  const names = nameCollections(new Map(own.map((candidate) => [candidate.key, candidate.groups])));
  const at = (key: string): CollectionCandidate | undefined => {
    const candidate = candidates.get(key);
    return candidate && follow(candidate);
  };
  return {
    at,
    name: (candidate) => names.get(at(candidate.key)?.key ?? candidate.key) ?? candidate.key,
    parents: (candidate) => candidate.groups.slice(0, -1).flatMap(({ key }) => at(key) ?? []),
    within: (key) => within.get(key),
    groups: (key) => candidates.get(key)?.groups ?? [],
  };
}

const ELEMENT_CHANGES: Readonly<Record<string, string>> = {
  DELETE: 'removes from',
  GET: 'lists',
  PATCH: 'sets',
  POST: 'adds to',
  PUT: 'sets',
};

/** What an operation does on an array of an item; undefined for any other path. */
function bindSublist(
  index: ContractIndex,
  sublists: ReadonlyMap<string, Sublist>,
  operation: Operation,
): InferredAction | string | undefined {
  const { groups = [] } = index.shape(operation) ?? {};
  const sublist = sublists.get(groups.at(-1)?.key ?? '');
  if (sublist === undefined) return undefined;
  const { owner: candidate, property, isOne, related } = sublist;
  const [parameter] = groups.at(-1)?.parameters ?? [];
  const verb = operation.method === 'PUT' && parameter !== undefined ? 'adds to' : ELEMENT_CHANGES[operation.method];
  if (verb === undefined || (verb === 'lists' && parameter !== undefined))
    return `${operation.method} of elements of "${property}" is not supported`;
  const why = `${operation.method}; it ${verb} "${property}" of the item`;
  const elements = { property, parameter, isOne };
  return { candidate, action: 'elements', elements, related, set: {}, confidence: 0.8, why };
}

/** What an operation does, or why the store does not handle it. */
function findBinding(index: ContractIndex, tree: CollectionTree, operation: Operation): InferredAction | string {
  const shape = index.shape(operation);
  if (shape === undefined) return 'a segment of the path mixes text and parameters';
  if (operation.method === 'OPTIONS' || operation.method === 'TRACE')
    return `${operation.method} does not address a resource`;
  const last = shape.groups.at(-1);
  if (last === undefined) return 'the path has no static segment';
  const { key } = last;
  const candidate = tree.at(key);
  if (last.parameters.length > 0) {
    const within = tree.within(key);
    if (candidate !== undefined && within !== undefined && isValuePath(tree, shape))
      return bindPart(candidate, operation, within);
    if (candidate === undefined || (candidate.groups.at(-1)?.parameters.length ?? 0) !== last.parameters.length) {
      return 'the path has only some of the parameters that identify an item';
    }
    return bindItemOperation(index, candidate, operation);
  }
  if (candidate?.singleton === true) return bindSingletonOperation(index, candidate, operation);
  if (candidate !== undefined) return bindCollectionOperation(index, candidate, operation);
  return bindWord(index, tree, operation);
}

/** Whether the last parameter of a path is the value of a property of several items. */
function isValuePath(tree: CollectionTree, { groups }: Pick<CollectionCandidate, 'groups'>): boolean {
  const within = tree.within(groups.at(-1)?.key ?? '');
  return within !== undefined && within.isKey !== true && within.parameter === groups.at(-1)?.parameters[0];
}

/** What an operation does on a path whose last segment is not a collection. */
function bindWord(index: ContractIndex, tree: CollectionTree, operation: Operation): InferredAction | string {
  const groups = index.shape(operation)?.groups ?? [];
  const last = groups.at(-1);
  const above = groups.at(-2);
  const item = above === undefined ? undefined : tree.at(above.key);
  if (item !== undefined && last?.words.length === 1) return bindItemWord(index, item, operation);
  if (item !== undefined && last?.words.length === 2 && means(last.words[0] ?? '', 'segments.actions')) {
    const bound = bindItemWord(index, item, operation);
    if (typeof bound !== 'string') return bound;
  }
  const keys = (last?.words.length ?? 0) > 1 ? listShorterKeys(groups) : [];
  const [near, far] = keys.map((key) => tree.at(key));
  const collection = near ?? (far?.singleton === true ? undefined : far);
  if (collection !== undefined) return bindCollectionWord(index, collection, operation);
  return 'the path is not a collection and not below one';
}

function toBinding(
  index: ContractIndex,
  tree: CollectionTree,
  found: { readonly operation: Operation; readonly inferred: InferredAction },
): Binding {
  const { operation, inferred } = found;
  const { groups = [], own: left } = index.shape(operation) ?? {};
  const itemIndex = findItemIndex(groups, inferred);
  const own = findOwnKey(tree, groups.slice(0, itemIndex + 1));
  const links: readonly ParentLink[] = groups.slice(0, itemIndex).flatMap(({ parameters, key }) => {
    const parent = tree.at(key);
    // An item that is only created below another one of its collection begins below something else.
    const isAny = parent === inferred.candidate && tree.within(own)?.property === undefined;
    return parent === undefined ? [] : [{ collection: tree.name(parent), parameters, ...(isAny && { isAny }) }];
  });
  return {
    operation,
    collection: tree.name(inferred.candidate),
    action: inferred.action,
    id: readItemParameters(inferred, groups[itemIndex]),
    places: readPlaces(groups, { own: left, key: inferred.key }),
    elements: inferred.elements && { ...inferred.elements, of: inferred.related && tree.name(inferred.related) },
    chosenId: inferred.action === 'create' ? findChosenId(operation, groups[itemIndex]) : undefined,
    parents: links,
    within: findPart(tree, own, groups),
    set: inferred.set,
    list: findAnswerList(index, operation, inferred),
    confidence: inferred.confidence,
    why: inferred.why,
  };
}

/** The parameters that identify the item of an operation. */
function readItemParameters({ action, key }: InferredAction, group: PathGroup | undefined): readonly string[] {
  if (key !== undefined) return key.path.slice(-1);
  return action === 'create' || ANSWERS_LIST.has(action) ? [] : (group?.parameters ?? []);
}

/** Where the parameters are that are not whole segments of the path. */
function readPlaces(
  groups: readonly PathGroup[],
  { own, key }: { readonly own: string | undefined; readonly key: ParameterPlace | undefined },
): Binding['places'] {
  const places: Record<string, ParameterPlace> = {};
  for (const name of groups.flatMap(({ parameters }) => parameters)) {
    // One of the segments of a parameter: `name#3`.
    const [whole = name, segment] = name.split('#');
    if (segment !== undefined) places[name] = { in: 'path', path: [whole], segment: Number(segment) };
  }
  if (own !== undefined) places[own] = { in: 'own', path: [] };
  if (key !== undefined) places[key.path.at(-1) ?? ''] = key;
  return Object.keys(places).length === 0 ? undefined : places;
}

/** The key of the collection that a path belongs to: its own, or that before a word such as `search`. */
function findOwnKey(tree: CollectionTree, groups: readonly KeyedGroup[]): string {
  const { key = '' } = groups.at(-1) ?? {};
  if (tree.at(key) !== undefined) return key;
  return listShorterKeys(groups).find((each) => tree.at(each) !== undefined) ?? key;
}

/** The part of a collection that a path shows, with the parameter as this path calls it: `{id}` beside `{map_id}` of `/maps/{map_id}/places/{id}`. */
function findPart(tree: CollectionTree, key: string, groups: readonly KeyedGroup[]): Within | undefined {
  const within = tree.within(key);
  if (within === undefined) return undefined;
  for (const [i, { parameters }] of tree.groups(key).entries()) {
    const parameter = groups[i]?.parameters[parameters.indexOf(within.parameter)];
    if (parameter !== undefined) return parameter === within.parameter ? within : { ...within, parameter };
  }
  return within;
}

/** The list, or the size of one, in the answer of an operation. */
function findAnswerList(
  index: ContractIndex,
  operation: Operation,
  { action, candidate }: InferredAction,
): Binding['list'] {
  if (action === 'count') return readCountShape(index.read, operation);
  // An item that shows its own array is not a list.
  const isItem = action === 'elements' && index.answer(operation)?.pointer === candidate.schema;
  // A path that ends in a parameter can show a list as well.
  const isAny = action === 'elements' || action === 'list';
  if (isItem || !(isAny || ANSWERS_LIST.has(action))) return undefined;
  const listed = index.list(operation) ?? (isAny ? findListItems(index.read, operation) : undefined);
  // The elements of a list of memberships are the memberships, not the items in them.
  const isInside = listed !== undefined && listed.element.length > 0 && candidate.listedAt !== undefined;
  const items = isInside ? findListItems(index.read, operation) : listed;
  return planList(index.read, operation, items) ?? (action === 'list' ? PLAIN_LIST : undefined);
}

/** The query parameter of a create that names the new item: `topicId` for `/topics`. */
function findChosenId({ parameters }: Operation, group: PathGroup | undefined): string | undefined {
  const noun = toBareNoun(group?.words.at(-1));
  return parameters.find((each) => each.in === 'query' && noun !== '' && toBareName(each.name) === `${noun}id`)?.name;
}

/** The group of the path that is the item or the collection: the last one, or the one before an action. */
function findItemIndex(groups: readonly PathGroup[], inferred: InferredAction): number {
  const { action } = inferred;
  const isWord = groups.at(-1)?.parameters.length === 0 && BEHIND_ITEM.has(action);
  return groups.length - (isWord || action === 'elements' ? 2 : 1);
}

/** Names of collections by key: the last segment of each group, `folders.files`; more of them where two would be equal (`checkout.sessions`). */
function nameCollections(paths: ReadonlyMap<string, readonly PathGroup[]>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const depths = new Map([...paths.keys()].map((key) => [key, 1]));
  const longest = Math.max(1, ...[...paths.values()].map((groups) => Math.max(...groups.map((g) => g.words.length))));
  for (let round = 1; round <= longest; round++) {
    for (const [key, groups] of paths) names.set(key, toName(groups, depths.get(key) ?? 1));
    const clashes = findClashes(names);
    if (clashes.size === 0) return names;
    for (const key of clashes) depths.set(key, (depths.get(key) ?? 1) + 1);
  }
  // Names that are still equal (`/a/{x}/b` and `/a/b`) get a number, in the order of the document.
  const seen = new Map<string, number>();
  for (const [key, name] of names) {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    if (count > 1) names.set(key, `${name}.${count}`);
  }
  return names;
}

function toName(groups: readonly PathGroup[], words: number): string {
  return groups
    .map((group, i) => group.words.slice(i === groups.length - 1 ? -words : -1).join('.'))
    .join('.')
    .replaceAll(/[^\w.-]+/g, '_');
}

/** The paths that need a longer name: of those with the same name all but the shortest, or all if two are shortest. */
function findClashes(names: ReadonlyMap<string, string>): ReadonlySet<string> {
  const byName = new Map<string, string[]>();
  for (const [key, name] of names) addTo(byName, name, key);
  const clashes = [...byName.values()].filter((keys) => keys.length > 1);
  return new Set(clashes.flatMap((keys) => withoutShortest(keys)));
}

function withoutShortest(keys: readonly string[]): readonly string[] {
  const lengths = keys.map((key) => key.split('/').length);
  const least = Math.min(...lengths);
  if (lengths.filter((length) => length === least).length > 1) return keys;
  return keys.filter((_, i) => lengths[i] !== least);
}
