import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { memoize } from '../../memoize.js';
import { findBodyMedia, findSuccessMedia } from '../../contract/operations/responses.js';
import type { ItemSchema, ReadItemSchema } from '../item-schema.js';
import { type ListShape, readListShape } from '../pages/list-shape.js';
import { toBareName, toBareNoun } from '../names.js';
import {
  findItemPlace,
  findItemPosition,
  findItemPositions,
  findListPositions,
  findSamePosition,
  isSameItem,
} from '../positions.js';
import { isSearchWord, type PathGroup, type PathShape, readPathShapes, toGroupKey } from './path-shape.js';
import { addTo } from '../../contract/json.js';

/** A contract with the lookups that inference needs, each computed once. */
export interface ContractIndex {
  readonly contract: Contract;
  readonly read: ReadItemSchema;
  /** The operations of a path key, by method; none without a key. */
  operationsAt(key: string | undefined): ReadonlyMap<string, Operation>;
  /** All operations of some path keys, variants of a path included. */
  operationsOn(keys: ReadonlySet<string>): readonly Operation[];
  shape(operation: Operation): PathShape | undefined;
  /** The last word of a path: `search` of `/customers/search`; empty where it has none. */
  word(operation: Operation): string;
  /** The list in the success response of an operation. */
  list(operation: Operation | undefined): ListShape | undefined;
  /** The schema of the item in the success response, without the envelope around it; the whole response where it has no item. */
  answer(operation: Operation | undefined): ItemSchema | undefined;
  /** The schema of the item in the request body, without the envelope around it; the whole body where it has no item. */
  body(operation: Operation | undefined): ItemSchema | undefined;
}

/** Indexes the operations of a contract by path. */
export function createContractIndex(contract: Contract, read: ReadItemSchema): ContractIndex {
  const isList = (operation: Operation, noun: string | undefined): boolean =>
    readListShape({ contract, read, operation, noun }) !== undefined;
  const isSame = (...operations: readonly [Operation, Operation]): boolean => {
    const [one, other] = operations.map((operation) => {
      const list = readListShape({ contract, read, operation });
      return read(list === undefined ? readAnswerPointer(operation) : list.itemSchema);
    });
    return one !== undefined && other !== undefined && isSameItem(read, one, other);
  };
  const shapes = readPathShapes(contract.operations, isList, isSame);
  const byKey = new Map<string, Map<string, Operation>>();
  const allByKey = new Map<string, Operation[]>();
  for (const [operation, shape] of shapes) {
    if (shape === undefined) continue;
    addTo(allByKey, shape.key, operation);
    const methods = byKey.get(shape.key) ?? new Map<string, Operation>();
    byKey.set(shape.key, methods);
    // A path key with a query or a fragment is a variant of the plain path, which takes precedence.
    if (!methods.has(operation.method) || operation.path === shape.template) methods.set(operation.method, operation);
  }
  const none: ReadonlyMap<string, Operation> = new Map();
  const findItem = createItemFinder(contract, read, { shapes, byKey });
  const unwrap = (operation: Operation, pointer = ''): ItemSchema | undefined => {
    const whole = read(pointer);
    // An array that is sent to a collection creates each of its elements.
    if (whole === undefined || (whole.type === 'array' && !isOnItem(shapes.get(operation)))) return whole;
    for (const item of findItem(operation)) {
      const place = findItemPlace(read, item, pointer);
      if (place !== undefined) return place.schema;
    }
    return whole;
  };
  return {
    contract,
    read,
    operationsAt: (key = '') => byKey.get(key) ?? none,
    operationsOn: (keys) => [...keys].flatMap((key) => allByKey.get(key) ?? []),
    shape: (operation) => shapes.get(operation),
    word: (operation) => shapes.get(operation)?.groups.at(-1)?.words.at(-1) ?? '',
    list: memoize((operation) => operation && readList(contract, read, { operation, shapes, byKey, findItem })),
    answer: memoize((operation) => operation && unwrap(operation, readAnswerPointer(operation))),
    body: memoize((operation) => operation && unwrap(operation, readBodyPointer(operation))),
  };
}

/** Pointer to the schema of the body of a success. */
export function readAnswerPointer(operation: Operation): string | undefined {
  const media = findSuccessMedia(operation);
  return media?.schema === undefined ? undefined : media.schemaPointer;
}

/** Pointer to the schema of the request body, JSON first. */
export function readBodyPointer(operation: Operation): string | undefined {
  return findBodyMedia(operation)?.schemaPointer;
}

interface PathIndex {
  readonly shapes: ReadonlyMap<Operation, PathShape | undefined>;
  readonly byKey: ReadonlyMap<string, ReadonlyMap<string, Operation>>;
}

/** The items that the bodies of an operation may hold: that of its own path, then that of the path above it. */
type FindItem = (operation: Operation) => readonly ItemSchema[];

function createItemFinder(contract: Contract, read: ReadItemSchema, { shapes, byKey }: PathIndex): FindItem {
  const byCollection = new Map<string, Operation[]>();
  for (const [operation, shape] of shapes) {
    if (shape === undefined) continue;
    const isUsual = byKey.get(shape.key)?.get(operation.method) === operation;
    if (isUsual) addTo(byCollection, toGroupKey(shape.groups, 'collection'), operation);
  }
  const findAt = memoize((key: string) =>
    findItemOf(contract, read, { operations: byCollection.get(key) ?? [], shapes }),
  );
  return memoize((operation) => {
    const groups = shapes.get(operation)?.groups ?? [];
    return toItemKeys(groups).flatMap((key) => findAt(key) ?? []);
  });
}

/** The keys of the collections that an operation may belong to, the most likely first. */
function toItemKeys(groups: readonly PathGroup[]): readonly string[] {
  const last = groups.at(-1);
  if (last === undefined) return [];
  const above = groups.slice(0, -1);
  const keys = [toGroupKey(groups, 'collection')];
  if (last.words.length > 1) {
    const key = toGroupKey([...above, { words: last.words.slice(0, -1), parameters: [] }], 'collection');
    // `/customers/search` shows what `/customers` holds.
    if (isSearchWord(last.words.at(-1) ?? '')) keys.unshift(key);
    else keys.push(key);
  }
  if (last.parameters.length === 0 && above.length > 0) keys.push(toGroupKey(above, 'collection'));
  return keys;
}

/** The schema of the item that the operations of one collection show and take. */
function findItemOf(
  contract: Contract,
  read: ReadItemSchema,
  of: { readonly operations: readonly Operation[]; readonly shapes: PathIndex['shapes'] },
): ItemSchema | undefined {
  const { operations, shapes } = of;
  const select = (isItem: boolean, ...methods: readonly string[]): readonly Operation[] =>
    methods.flatMap((method) =>
      operations.filter((operation) => operation.method === method && isOnItem(shapes.get(operation)) === isItem),
    );
  const isList = (operation: Operation): boolean => readListShape({ contract, read, operation }) !== undefined;
  const reads = select(true, 'GET').filter((operation) => !isList(operation));
  const creates = select(false, 'POST');
  const changes = select(true, 'PATCH', 'PUT', 'POST');
  const gets = select(false, 'GET');
  const shownOne = [...select(true, 'GET'), ...changes, ...creates];
  const noun = gets.map((operation) => shapes.get(operation)?.groups.at(-1)?.words.at(-1))[0];
  const single = findSingleElement(contract, read, { gets, shown: shownOne, noun });
  if (single !== undefined) return single;
  // Without items below the path, a GET that is not a list reads a singleton.
  const singles = reads.length + changes.length > 0 ? [] : gets.filter((operation) => !isList(operation));
  const shown = [
    ...reads,
    ...creates,
    ...changes,
    ...singles,
    ...(singles.length > 0 ? select(false, 'PUT', 'PATCH') : []),
  ];
  const found = findItemPosition(read, {
    answers: shown.map((operation) => findItemPositions(read, readAnswerPointer(operation))),
    lists: gets
      .filter((operation) => !singles.includes(operation))
      .map((operation) => findListPositions(read, readAnswerPointer(operation))),
    requests: [...creates, ...changes].map((operation) => findItemPositions(read, readBodyPointer(operation))),
    idNames: operations.flatMap((operation) => toIdNames(shapes.get(operation)?.groups.at(-1))),
  });
  return found?.position.schema;
}

/** The item of a list, where the first operation that shows one item shows it in an array as well: `{ "contacts": [{ … }] }`. */
function findSingleElement(
  contract: Contract,
  read: ReadItemSchema,
  of: {
    readonly gets: readonly Operation[];
    readonly shown: readonly Operation[];
    readonly noun: string | undefined;
  },
): ItemSchema | undefined {
  const pointer = of.shown.map(readAnswerPointer).find((each) => each !== undefined);
  const lists = of.gets.map((operation) => readListShape({ contract, read, operation, noun: of.noun }));
  const elements = lists.flatMap((list) => (list?.itemSchema === undefined ? [] : (read(list.itemSchema) ?? [])));
  return elements.find(
    (element) =>
      element.properties.size > 0 && pointer !== undefined && findItemPlace(read, element, pointer)?.isInArray === true,
  );
}

/** The bare names that the id of an item can have: `dropletid` and `id` for `/droplets/{droplet_id}`. */
function toIdNames(group: PathGroup | undefined): readonly string[] {
  const noun = toBareNoun(group?.words.at(-1));
  return (group?.parameters ?? []).flatMap((parameter) => {
    const name = toBareName(parameter);
    return noun !== '' && name.startsWith(noun) && name !== noun ? [name, name.slice(noun.length)] : [name];
  });
}

/** The list in an answer: where its items are like those that the other operations of the resource show, else by its names. */
function readList(
  contract: Contract,
  read: ReadItemSchema,
  of: PathIndex & { readonly operation: Operation; readonly findItem: FindItem },
): ListShape | undefined {
  const { operation, shapes, findItem } = of;
  const shape = shapes.get(operation);
  const last = shape?.groups.at(-1);
  const named = readListShape({ contract, read, operation, noun: last?.words.at(-1) });
  const pointer = readAnswerPointer(operation);
  if (last === undefined || pointer === undefined) return named;
  if (isOnItem(shape)) {
    // An item can have a single array, too.
    const whole = read(pointer);
    const isSingle = findItem(operation).some(
      (item) =>
        findItemPlace(read, item, pointer)?.isInArray === true ||
        (operation.method === 'GET' && whole?.type === 'object' && isSameItem(read, item, whole)),
    );
    return isSingle ? undefined : named;
  }
  if (named === undefined && isSingleton(of.byKey.get(shapes.get(operation)?.key ?? ''))) return undefined;
  const positions = findListPositions(read, pointer);
  for (const item of findItem(operation)) {
    const same = findSamePosition(read, item, positions);
    // An object that is the item itself can have a list of similar objects.
    if (same === undefined || read(pointer)?.pointer === item.pointer) continue;
    const { path, element } = same;
    return readListShape({ contract, read, operation, items: { path, element, itemSchema: same.pointer } });
  }
  return named;
}

/** Whether a path ends in the parameters that identify an item. */
function isOnItem(shape: PathShape | undefined): boolean {
  return (shape?.groups.at(-1)?.parameters.length ?? 0) > 0;
}

/** Whether other methods of a path change or remove what its GET reads. */
function isSingleton(methods: ReadonlyMap<string, Operation> | undefined): boolean {
  return ['DELETE', 'PATCH', 'PUT'].some((method) => methods?.has(method));
}
