import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { ItemSchema, ReadItemSchema } from '../item-schema.js';
import { type ListShape, readListShape } from '../pages/list-response.js';
import { findJsonMedia, findSuccessMedia } from '../../contract/operations/responses.js';

/** A path that may be a collection, before its name and parents are known. */
export interface CollectionCandidate {
  /** The key of the collection's path. */
  readonly key: string;
  /** The key of an item's path; undefined where no path names one item. */
  readonly itemKey: string | undefined;
  /** The groups of the path, this collection's last. */
  readonly groups: readonly PathGroup[];
  /** Pointer to the schema of an item. */
  readonly schema: string | undefined;
  /** Whether an operation addresses the collection itself or one of its items. */
  readonly hasOperations: boolean;
  /** One object instead of a list: `/me`, `/customers/{id}/discount`. */
  readonly singleton: boolean;
}

/** A contract with the lookups that inference needs, each computed once. */
export interface ContractIndex {
  readonly contract: Contract;
  readonly read: ReadItemSchema;
  /** The operations of a path key, by method. */
  operationsAt(key: string): ReadonlyMap<string, Operation>;
  shape(operation: Operation): PathShape | undefined;
  /** The list in the success response of an operation. */
  list(operation: Operation): ListShape | undefined;
  /** The schema of the success response. */
  answer(operation: Operation): ItemSchema | undefined;
  /** The schema of the request body. */
  body(operation: Operation): ItemSchema | undefined;
}

/** Indexes the operations of a contract by path. */
export function createContractIndex(contract: Contract, read: ReadItemSchema): ContractIndex {
  const shapes = new Map(contract.operations.map((operation) => [operation, readPathShape(operation)]));
  const byKey = new Map<string, Map<string, Operation>>();
  for (const [operation, shape] of shapes) {
    if (shape === undefined) continue;
    const methods = byKey.get(shape.key) ?? new Map<string, Operation>();
    byKey.set(shape.key, methods);
    // A path key with a query or a fragment is a variant of the plain path, which takes precedence.
    if (!methods.has(operation.method) || operation.path === shape.template) methods.set(operation.method, operation);
  }
  const lists = new Map<Operation, ListShape | undefined>();
  const none: ReadonlyMap<string, Operation> = new Map();
  const list = (operation: Operation): ListShape | undefined => {
    if (lists.has(operation)) return lists.get(operation);
    const noun = shapes.get(operation)?.groups.at(-1)?.words.at(-1);
    const found = readListShape({ contract, read, operation, noun });
    lists.set(operation, found);
    return found;
  };
  return {
    contract,
    read,
    operationsAt: (key) => byKey.get(key) ?? none,
    shape: (operation) => shapes.get(operation),
    list,
    answer: (operation) => {
      const media = findSuccessMedia(operation);
      return media?.schema === undefined ? undefined : read(media.schemaPointer);
    },
    body: (operation) => {
      const content = operation.body?.content ?? [];
      const media = findJsonMedia(content) ?? content.find(({ schema }) => schema !== undefined);
      return media === undefined ? undefined : read(media.schemaPointer);
    },
  };
}

/** The candidates for collections in the paths of a contract, parents before children. */
export function findCandidates(index: ContractIndex): ReadonlyMap<string, CollectionCandidate> {
  const candidates = new Map<string, CollectionCandidate>();
  for (const operation of index.contract.operations) {
    const shape = index.shape(operation);
    for (const groups of shape === undefined ? [] : readItemGroups(shape)) addItemDraft(index, candidates, groups);
  }
  for (const operation of index.contract.operations) addListDraft(index, candidates, operation);
  for (const operation of index.contract.operations) addSingletonDraft(index, candidates, operation);
  return new Map([...candidates].toSorted(([, a], [, b]) => a.groups.length - b.groups.length));
}

/** The beginnings of a path that end in parameters: each identifies an item. */
function readItemGroups(shape: PathShape): readonly (readonly PathGroup[])[] {
  return shape.groups.flatMap(({ parameters }, i) => (parameters.length > 0 ? [shape.groups.slice(0, i + 1)] : []));
}

function addItemDraft(
  index: ContractIndex,
  candidates: Map<string, CollectionCandidate>,
  groups: readonly PathGroup[],
): void {
  const key = toGroupKey(groups, 'collection');
  const known = candidates.get(key);
  const itemKey = toGroupKey(groups, 'item');
  if (known !== undefined && !isBetterItem(index, { known, groups, itemKey })) return;
  const hasOperations = index.operationsAt(key).size + index.operationsAt(itemKey).size > 0;
  candidates.set(key, {
    key,
    itemKey,
    groups,
    hasOperations,
    singleton: false,
    schema: findSchema(index, key, itemKey),
  });
}

const CHANGES = ['DELETE', 'PATCH', 'PUT'];

/**
 * Whether another path identifies the items of a collection better: the one with more parameters, unless the shorter one is changed.
 * Of `/gists/{id}`, which is edited and removed, and `/gists/{id}/{version}`, the shorter is the item.
 */
function isBetterItem(
  index: ContractIndex,
  of: { readonly known: CollectionCandidate; readonly groups: readonly PathGroup[]; readonly itemKey: string },
): boolean {
  const count = (groups: readonly PathGroup[]): number => groups.at(-1)?.parameters.length ?? 0;
  const more = count(of.groups) - count(of.known.groups);
  if (more === 0) return false;
  const methods = index.operationsAt(more > 0 ? (of.known.itemKey ?? '') : of.itemKey);
  const isShorter = CHANGES.some((method) => methods.has(method));
  return more > 0 ? !isShorter : isShorter;
}

/** A path whose response is a list is a collection, even if no path identifies one of its items. */
function addListDraft(index: ContractIndex, candidates: Map<string, CollectionCandidate>, operation: Operation): void {
  const shape = index.shape(operation);
  if (shape === undefined || operation.method !== 'GET' || candidates.has(shape.key)) return;
  if (shape.groups.at(-1)?.parameters.length !== 0) return;
  const list = index.list(operation);
  const items = list?.itemSchema === undefined ? undefined : index.read(list.itemSchema);
  if (items === undefined || items.properties.size === 0 || isSearchOf(candidates, shape, items.pointer)) return;
  const schema = findSchema(index, shape.key, undefined) ?? items.pointer;
  candidates.set(shape.key, {
    key: shape.key,
    itemKey: undefined,
    groups: shape.groups,
    hasOperations: true,
    singleton: false,
    schema,
  });
}

/** Whether a list shows the collection of its parent path: `/customers/search`, `/pet/findByStatus`. */
function isSearchOf(candidates: ReadonlyMap<string, CollectionCandidate>, shape: PathShape, schema: string): boolean {
  const parent = candidates.get(shape.key.slice(0, shape.key.lastIndexOf('/')));
  return parent !== undefined && parent.schema === schema && (shape.groups.at(-1)?.words.length ?? 0) > 1;
}

const SELF = /^(me|self|current|whoami|profile|account|settings|config|configuration|preferences|balance)$/i;

/** A path without a parameter at its end whose response is one object, and that is written as well or has the name of a singleton. */
function addSingletonDraft(
  index: ContractIndex,
  candidates: Map<string, CollectionCandidate>,
  operation: Operation,
): void {
  const shape = index.shape(operation);
  const last = shape?.groups.at(-1);
  if (shape === undefined || last === undefined || last.parameters.length > 0) return;
  if (operation.method !== 'GET' || candidates.has(shape.key) || index.list(operation) !== undefined) return;
  const answer = index.answer(operation);
  if (answer === undefined || answer.type !== 'object' || answer.properties.size === 0) return;
  const methods = index.operationsAt(shape.key);
  const written = ['PUT', 'PATCH', 'DELETE'].some((method) => methods.has(method));
  const post = methods.get('POST');
  const posted = post !== undefined && index.answer(post)?.pointer === answer.pointer;
  if (!written && !posted && !SELF.test(last.words.at(-1) ?? '')) return;
  const { key, groups } = shape;
  candidates.set(key, { key, itemKey: key, groups, hasOperations: true, singleton: true, schema: answer.pointer });
}

/** The schema of an item: that of the read response, else of the create response, the list items, or an update response. */
function findSchema(index: ContractIndex, key: string, itemKey: string | undefined): string | undefined {
  const collection = index.operationsAt(key);
  const item = itemKey === undefined ? new Map<string, Operation>() : index.operationsAt(itemKey);
  const list = collection.get('GET');
  const listed = list === undefined ? undefined : index.list(list)?.itemSchema;
  const common = listed === undefined ? undefined : findCommon(index, item.get('GET'), listed);
  if (common !== undefined) return common;
  const schemas = [
    toObject(index, item.get('GET')),
    toObject(index, collection.get('POST')),
    listed === undefined ? undefined : index.read(listed),
    ...['PATCH', 'POST', 'PUT'].map((method) => toObject(index, item.get(method))),
  ];
  return schemas.find((schema) => schema !== undefined && schema.properties.size > 0)?.pointer;
}

/** Where read and list both respond with one of several schemas: the first that they share. */
function findCommon(index: ContractIndex, reading: Operation | undefined, listed: string): string | undefined {
  const media = reading === undefined ? undefined : findSuccessMedia(reading);
  const shown = new Set(readBranches(index, listed));
  if (media?.schema === undefined || shown.size < 2) return undefined;
  return readBranches(index, media.schemaPointer).find((branch) => shown.has(branch));
}

function readBranches(index: ContractIndex, pointer: string): readonly string[] {
  const schema = index.contract.at(pointer);
  if (!isObject(schema)) return [];
  const target = index.contract.resolve(schema, pointer);
  if (!isObject(target.schema)) return [];
  const keyword = target.schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  const branches = target.schema[keyword];
  if (branches === undefined) return [target.pointer];
  return branches.map((branch, i) => index.contract.resolve(branch, `${target.pointer}/${keyword}/${i}`).pointer);
}

function toObject(index: ContractIndex, operation: Operation | undefined): ItemSchema | undefined {
  if (operation === undefined || index.list(operation) !== undefined) return undefined;
  return index.answer(operation);
}

/** One group of a path: static segments and the parameters after them, which identify one item. */
export interface PathGroup {
  /** The static segments before the parameters: `['organization', 'projects']`. */
  readonly words: readonly string[];
  /** Empty where the path ends in words. */
  readonly parameters: readonly string[];
}

/** A path template as groups: `/v1/customers/{customer}/cards` has two. */
interface PathShape {
  readonly groups: readonly PathGroup[];
  /** The template without query and fragment. */
  readonly template: string;
  /** Parameters replaced by `{}`: two paths that differ only in the names of parameters have the same. */
  readonly key: string;
}

/** Reads the path of an operation; undefined where a segment mixes text and parameters. */
function readPathShape({ path }: Operation): PathShape | undefined {
  const template = path.replace(/[?#].*$/, '').replace(/(?<=.)\/$/, '');
  const segments = template.split('/').filter((segment) => segment !== '');
  const groups: { words: string[]; parameters: string[] }[] = [];
  for (const segment of segments) {
    const read = readSegment(segment);
    if (read === undefined) return undefined;
    const last = groups.at(-1);
    if (read.parameter === undefined) {
      if (last === undefined || last.parameters.length > 0) groups.push({ words: [segment], parameters: [] });
      else last.words.push(segment);
      continue;
    }
    // A path that begins with a parameter belongs to no collection.
    if (last === undefined) return undefined;
    last.parameters.push(read.parameter);
    if (read.verb !== undefined) groups.push({ words: [read.verb], parameters: [] });
  }
  return { groups, template, key: template.replaceAll(/\{[^}]*\}/g, '{}') };
}

/** The key of a path, with or without the parameters of its last group. */
export function toGroupKey(groups: readonly PathGroup[], part: 'collection' | 'item'): string {
  return groups
    .map(({ words, parameters }, i) => {
      const named = part === 'item' || i < groups.length - 1 ? parameters.map(() => '/{}').join('') : '';
      return `/${words.join('/')}${named}`;
    })
    .join('');
}

function readSegment(
  segment: string,
): { readonly parameter?: string | undefined; readonly verb?: string | undefined } | undefined {
  if (!segment.includes('{')) return {};
  // `{id}` identifies an item; `{id}:cancel` an item and an action.
  const match = /^\{([^{}]+)\}(?::([\w-]+))?$/.exec(segment);
  return match === null ? undefined : { parameter: match[1], verb: match[2] };
}
