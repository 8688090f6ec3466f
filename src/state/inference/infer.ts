import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { createItemSchemaReader } from '../item-schema.js';
import { describeResource, findMembers } from './describe.js';
import { toBareName, toSingular } from '../names.js';
import { isSameItem } from '../positions.js';
import type { Binding, ParentLink, Resources, Unbound, Within } from '../resource.js';
import {
  bindCollectionOperation,
  bindCollectionWord,
  bindItemOperation,
  bindItemWord,
  bindSingletonOperation,
  type InferredAction,
} from './bind.js';
import { type CollectionCandidate, findCandidates } from './candidates.js';
import { type ContractIndex, createContractIndex } from './contract-index.js';
import { type PathGroup, toGroupKey } from './path-shape.js';
import { applyHints } from './hints.js';
import { inferRpcResources } from './rpc.js';

/**
 * Infers which operations of a contract belong to one resource, from paths, methods and schemas.
 *
 * `x-mock` hints in the document take precedence; see docs/state.md.
 *
 * @throws MockError `HINT_INVALID` for an invalid hint.
 */
export function inferResources(contract: Contract): Resources {
  const index = createContractIndex(contract, createItemSchemaReader(contract));
  const rpc = inferRpcResources(index);
  const called = new Map(rpc.bindings.map((binding) => [binding.operation, binding]));
  const candidates = withoutMethods(index, findCandidates(index), called);
  const tree = createCollectionTree(index, candidates);
  const bindings = new Map<string, Binding>();
  const unbound: Unbound[] = [];
  for (const operation of contract.operations) {
    const method = called.get(operation);
    if (method !== undefined) {
      bindings.set(operation.id, method);
      continue;
    }
    const inferred = findBinding(index, tree, operation);
    if (typeof inferred === 'string') unbound.push({ operation, why: inferred });
    else bindings.set(operation.id, toBinding(index, tree, { operation, inferred }));
  }
  const collections = new Map(rpc.collections);
  for (const candidate of candidates.values()) {
    if (tree.at(candidate.key) !== candidate) continue;
    const name = tree.name(candidate);
    if (collections.has(name)) continue;
    collections.set(
      name,
      describeResource(index, candidate, { name, parents: tree.parents(candidate).map(tree.name) }),
    );
  }
  for (const [name, members] of findMembers(collections, bindings, index)) {
    const resource = collections.get(name);
    if (resource !== undefined) collections.set(name, { ...resource, ...members });
  }
  return applyHints(index, { collections, bindings, unbound, unknownIds: undefined });
}

/** The candidates without those that are methods in RPC style: `/rooms.list`. */
function withoutMethods(
  index: ContractIndex,
  candidates: ReadonlyMap<string, CollectionCandidate>,
  called: ReadonlyMap<Operation, Binding>,
): ReadonlyMap<string, CollectionCandidate> {
  const keys = new Set([...called.keys()].map((operation) => index.shape(operation)?.key));
  return new Map([...candidates].filter(([key]) => !keys.has(key)));
}

/** The candidates by path; a path that is an alias of a collection leads to that collection. */
interface CollectionTree {
  /** The candidate of a path key, or the collection that the path is an alias of. */
  at(key: string): CollectionCandidate | undefined;
  name(candidate: CollectionCandidate): string;
  parents(candidate: CollectionCandidate): readonly CollectionCandidate[];
  /** For a path below a parent that shows part of a collection: which part. */
  within(key: string): Within | undefined;
}

function createCollectionTree(
  index: ContractIndex,
  candidates: ReadonlyMap<string, CollectionCandidate>,
): CollectionTree {
  const within = new Map<string, Within>();
  const aliases = new Map<string, CollectionCandidate>();
  const all = [...candidates.values()];
  const tops = all.filter((candidate) => candidate.groups.length === 1 && candidate.hasOperations);
  for (const candidate of all) {
    // Two aliases do not lead to each other.
    const other = isAlias(index, candidate)
      ? all.find((each) => !isAlias(index, each) && isSameResource(each, candidate))
      : undefined;
    if (other !== undefined) aliases.set(candidate.key, other);
    const below = findBelow(index, all, candidate);
    if (below !== undefined) aliases.set(candidate.key, below);
    const whole = candidate.groups.length > 1 ? findWhole(index, tops, candidate) : undefined;
    const found = whole ?? findItemsElsewhere(index, all, candidate);
    if (found === undefined) continue;
    aliases.set(candidate.key, found.candidate);
    if (found.within !== undefined) within.set(candidate.key, found.within);
  }
  const own = all.filter((candidate) => !aliases.has(candidate.key));
  const names = nameCollections(new Map(own.map((candidate) => [candidate.key, candidate.groups])));
  const at = (key: string): CollectionCandidate | undefined => aliases.get(key) ?? candidates.get(key);
  return {
    at,
    name: (candidate) => names.get(at(candidate.key)?.key ?? candidate.key) ?? candidate.key,
    parents: (candidate) =>
      candidate.groups
        .slice(0, -1)
        .flatMap((_, i) => at(toGroupKey(candidate.groups.slice(0, i + 1), 'collection')) ?? []),
    within: (key) => within.get(key),
  };
}

/** Whether a path can be an alias of another one: no operation reads or lists its items. */
function isAlias(index: ContractIndex, candidate: CollectionCandidate): boolean {
  if (!candidate.hasOperations) return true;
  return !index.operationsAt(candidate.key).has('GET') && !index.operationsAt(candidate.itemKey ?? '').has('GET');
}

/**
 * The collection below a parent that a list shows the items of, of every parent: `/v1/namespaces/{namespace}/widgets` for
 * `/v1/widgets`, which has no path for one item and only reads.
 */
function findBelow(
  index: ContractIndex,
  all: readonly CollectionCandidate[],
  candidate: CollectionCandidate,
): CollectionCandidate | undefined {
  const [own] = candidate.groups;
  const noun = own?.words.at(-1);
  if (own === undefined || candidate.groups.length > 1 || candidate.itemKey !== undefined) return undefined;
  const methods = index.operationsAt(candidate.key);
  if (candidate.schema === undefined || methods.size !== 1 || !methods.has('GET')) return undefined;
  return all.find(
    ({ groups, schema, itemKey }) =>
      groups.length > 1 &&
      itemKey !== undefined &&
      index.operationsAt(itemKey).size > 0 &&
      schema === candidate.schema &&
      groups.at(-1)?.words.join('/') === noun &&
      own.words.slice(0, -1).every((word, i) => groups[0]?.words[i] === word),
  );
}

/** Whether two paths have the same nouns: `/customers/{customer}` and `/test_helpers/customers/{id}`. */
function isSameResource(other: CollectionCandidate, candidate: CollectionCandidate): boolean {
  if (
    !other.hasOperations ||
    other.key === candidate.key ||
    other.groups.length !== candidate.groups.length ||
    other.singleton
  )
    return false;
  if (candidate.schema !== undefined && candidate.schema !== other.schema) return false;
  return other.groups.every(({ words, parameters }, i) => {
    const group = candidate.groups[i];
    return group?.words.at(-1) === words.at(-1) && group?.parameters.length === parameters.length;
  });
}

/** A collection that a path shows, or a part of it. */
interface Whole {
  readonly candidate: CollectionCandidate;
  readonly within: Within | undefined;
}

/** The top-level collection that a list below a parent shows part of: same schema, and a property that holds the parent's id. */
function findWhole(
  index: ContractIndex,
  tops: readonly CollectionCandidate[],
  candidate: CollectionCandidate,
): Whole | undefined {
  const top = tops.find((each) => each.schema === candidate.schema && each.itemKey !== undefined);
  const property = candidate.schema === undefined ? undefined : findParentProperty(index, candidate);
  const parameter = candidate.groups.at(-2)?.parameters.at(-1);
  if (top === undefined || parameter === undefined || property === undefined) return undefined;
  return { candidate: top, within: { property, parameter } };
}

/** The property of an item that holds the id of the parent in its path. */
function findParentProperty(index: ContractIndex, candidate: CollectionCandidate): string | undefined {
  const parent = candidate.groups.at(-2);
  const parameter = parent?.parameters.at(-1);
  if (parent === undefined || parameter === undefined) return undefined;
  const noun = toSingular(parent.words.at(-1) ?? '');
  const wanted = new Set([parameter, noun, `${noun}_id`, `${noun}Id`].map(toBareName));
  const names = [...(index.read(candidate.schema ?? '')?.properties.keys() ?? [])];
  return names.find((name) => wanted.has(toBareName(name)));
}

/**
 * The collection whose items are created at another path: `POST /users/{user_id}/playlists` creates what `/playlists/{id}` reads, and
 * `POST /user/repos` what `/repos/{owner}/{repo}` reads.
 */
function findItemsElsewhere(
  index: ContractIndex,
  all: readonly CollectionCandidate[],
  candidate: CollectionCandidate,
): Whole | undefined {
  const create = index.operationsAt(candidate.key).get('POST');
  const hasItems = index.operationsAt(candidate.itemKey ?? '').size > 0;
  const item = candidate.schema === undefined ? undefined : index.read(candidate.schema);
  if (create === undefined || hasItems || item === undefined || candidate.singleton) return undefined;
  const other = all.find((each) => {
    const schema = each.schema === undefined ? undefined : index.read(each.schema);
    const last = each.groups.at(-1);
    const above = each.groups.slice(0, -1);
    // A create that names an existing item makes a membership.
    const isMembership = last?.parameters.some((name) => index.body(create)?.properties.has(name)) === true;
    return (
      each !== candidate &&
      !isMembership &&
      schema !== undefined &&
      last?.words.at(-1) === candidate.groups.at(-1)?.words.at(-1) &&
      index.operationsAt(each.itemKey ?? '').has('GET') &&
      above.length < candidate.groups.length &&
      toGroupKey(above, 'item') === toGroupKey(candidate.groups.slice(0, above.length), 'item') &&
      isSameItem(index.read, schema, item)
    );
  });
  if (other === undefined) return undefined;
  const parameter = candidate.groups
    .slice(other.groups.length - 1, -1)
    .at(-1)
    ?.parameters.at(-1);
  const property = findParentProperty(index, candidate);
  return { candidate: other, within: parameter === undefined ? undefined : { property, parameter } };
}

/** What an operation does, or why the store does not handle it. */
function findBinding(index: ContractIndex, tree: CollectionTree, operation: Operation): InferredAction | string {
  const shape = index.shape(operation);
  if (shape === undefined) return 'a segment of the path mixes text and parameters';
  if (operation.method === 'OPTIONS' || operation.method === 'TRACE')
    return `${operation.method} does not address a resource`;
  if (!declaresSuccess(operation)) return 'the contract declares no success response';
  const last = shape.groups.at(-1);
  if (last === undefined) return 'the path has no static segment';
  const key = toGroupKey(shape.groups, 'collection');
  const candidate = tree.at(key);
  if (last.parameters.length > 0) {
    if (candidate === undefined || (candidate.groups.at(-1)?.parameters.length ?? 0) !== last.parameters.length) {
      return 'the path has only some of the parameters that identify an item';
    }
    return bindItemOperation(index, candidate, operation);
  }
  if (candidate?.singleton === true) return bindSingletonOperation(index, candidate, operation);
  if (candidate !== undefined) return bindCollectionOperation(index, candidate, operation);
  return bindWord(index, tree, operation);
}

/** Whether a success response is declared; an operation without any responses can have any. */
function declaresSuccess({ responses }: Operation): boolean {
  return responses.length === 0 || responses.some(({ status }) => /^[23]|^default$/.test(status));
}

/** What an operation does on a path whose last segment is not a collection. */
function bindWord(index: ContractIndex, tree: CollectionTree, operation: Operation): InferredAction | string {
  const groups = index.shape(operation)?.groups ?? [];
  const last = groups.at(-1);
  const above = groups.slice(0, -1);
  if (above.length > 0 && last?.words.length === 1) {
    const item = tree.at(toGroupKey(above, 'collection'));
    if (item !== undefined) return bindItemWord(index, item, operation);
  }
  const shorter = [...above, { words: last?.words.slice(0, -1) ?? [], parameters: [] }];
  const collection = (last?.words.length ?? 0) > 1 ? tree.at(toGroupKey(shorter, 'collection')) : undefined;
  if (collection !== undefined) return bindCollectionWord(index, collection, operation);
  return 'the path is not a collection and not below one';
}

function toBinding(
  index: ContractIndex,
  tree: CollectionTree,
  found: { readonly operation: Operation; readonly inferred: InferredAction },
): Binding {
  const { operation, inferred } = found;
  const groups = index.shape(operation)?.groups ?? [];
  const itemIndex = findItemIndex(groups, inferred);
  const links: readonly ParentLink[] = groups.slice(0, itemIndex).flatMap(({ parameters }, i) => {
    const parent = tree.at(toGroupKey(groups.slice(0, i + 1), 'collection'));
    return parent === undefined ? [] : [{ collection: tree.name(parent), parameters }];
  });
  return {
    operation,
    collection: tree.name(inferred.candidate),
    action: inferred.action,
    id: groups[itemIndex]?.parameters ?? [],
    parents: links,
    within: tree.within(toGroupKey(groups.slice(0, itemIndex + 1), 'collection')),
    set: inferred.set,
    list: inferred.action === 'list' || inferred.action === 'search' ? index.list(operation) : undefined,
    page: undefined,
    confidence: inferred.confidence,
    why: inferred.why,
  };
}

/** The group of the path that is the item or the collection: the last one, or the one before an action. */
function findItemIndex(groups: readonly PathGroup[], inferred: InferredAction): number {
  const behindItem = inferred.action === 'act' || inferred.action === 'content' || inferred.action === 'copy';
  const last = groups.at(-1);
  return behindItem && last?.parameters.length === 0 ? groups.length - 2 : groups.length - 1;
}

/**
 * Names of collections by the key of their path: the last static segment of each group, `parent.child` below an item
 * (`folders.files`). Where two paths would have the same name, both get more of their segments (`checkout.sessions`).
 */
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
  for (const [key, name] of names) byName.set(name, [...(byName.get(name) ?? []), key]);
  const clashes = [...byName.values()].filter((keys) => keys.length > 1);
  return new Set(clashes.flatMap((keys) => withoutShortest(keys)));
}

function withoutShortest(keys: readonly string[]): readonly string[] {
  const lengths = keys.map((key) => key.split('/').length);
  const least = Math.min(...lengths);
  if (lengths.filter((length) => length === least).length > 1) return keys;
  return keys.filter((_, i) => lengths[i] !== least);
}
