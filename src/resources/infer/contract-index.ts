import { CHANGING_METHODS, type Operation, type Parameter } from '../../contract/operations/operation.js';
import { means } from '../../conventions/conventions.js';
import type { Contract } from '../../contract/contract.js';
import { memoize } from '../../base/memoize.js';
import { findBodyMedia } from '../../contract/operations/responses.js';
import { type SchemaView, listProperties, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import { findListItems, type ItemsPosition, readAnswerPointer } from '../list/list-shape.js';
import { isOwnIdName, toBareNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import {
  findItemPlace,
  findItemPosition,
  findItemPositions,
  findListPositions,
  findSamePosition,
  isSameItem,
  isUnlike,
  openEnvelope,
} from '../item/positions.js';
import { isSearchWord, type KeyedGroup, type PathGroup, type PathShape, readPathShapes } from './path-shape.js';
import { addTo, isObject, isScalarType } from '../../base/json.js';

/** A contract with the lookups that inference needs, each computed once. */
export interface ContractIndex {
  readonly contract: Contract;
  readonly read: ReadSchema;
  /** The operations of a path key, by method; none without a key. */
  operationsAt(key: string | undefined): ReadonlyMap<string, Operation>;
  /** The last path parameter of an item, as each operation on it or below it declares it. */
  idParameters(itemKey: string | undefined): readonly Parameter[];
  /** All operations of some path keys, variants of a path included. */
  operationsOn(keys: ReadonlySet<string>): readonly Operation[];
  shape(operation: Operation | undefined): PathShape | undefined;
  /** The last word of a path: `search` of `/customers/search`; empty where it has none. */
  word(operation: Operation): string;
  /** What may list the items of a collection: its GET, else a POST whose name or summary says that it lists. */
  listing(key: string | undefined): Operation | undefined;
  /** What reads one item of a collection: the GET of its path, else of a word behind the collection where the query has to name the item. */
  reading(key: string, itemKey: string | undefined): Operation | undefined;
  /** What creates the items of a collection: its POST, else a PUT whose name or summary says that it creates. */
  creating(key: string | undefined): Operation | undefined;
  /** Where the items of the list in the success response of an operation are. */
  list(operation: Operation | undefined): ItemsPosition | undefined;
  /** The schema of the item in the success response, without the envelope around it; the whole response where it has no item. */
  answer(operation: Operation | undefined): SchemaView | undefined;
  /** Whether the answer of an operation reports on a task that another path reads, and does not show the item of the collection. */
  isReceipt(operation: Operation | undefined): boolean;
  /** Whether the answer of an operation is an item that the path of another collection reads. */
  isTask(operation: Operation): boolean;
  /** The schema of the item in the request body, without the envelope around it; the whole body where it has no item. */
  body(operation: Operation | undefined): SchemaView | undefined;
}

/** Indexes the operations of a contract by path. */
export function createContractIndex(contract: Contract, read: ReadSchema): ContractIndex {
  const isList = (operation: Operation, noun: string | undefined): boolean =>
    findListItems(read, operation, noun) !== undefined;
  const readShown = (operation: Operation): SchemaView | undefined => {
    const list = findListItems(read, operation);
    return read(list === undefined ? readAnswerPointer(operation) : list.itemSchema);
  };
  const isSame = (...operations: readonly [Operation, Operation]): boolean => {
    const [one, other] = operations.map(readShown);
    return one !== undefined && other !== undefined && isSameItem(read, one, other);
  };
  const shapes = readPathShapes(contract.operations, isList, isSame);
  const byKey = new Map<string, Map<string, Operation>>();
  const allByKey = new Map<string, Operation[]>();
  const idParameters = new Map<string, Parameter[]>();
  for (const [operation, shape] of shapes) {
    if (shape === undefined) continue;
    for (const { itemKey, parameters } of shape.groups) {
      const last = operation.parameters.find((each) => each.in === 'path' && each.name === parameters.at(-1));
      if (last !== undefined) addTo(idParameters, itemKey, last);
    }
    addTo(allByKey, shape.key, operation);
    const methods = byKey.get(shape.key) ?? new Map<string, Operation>();
    byKey.set(shape.key, methods);
    // A path key with a query or a fragment is a variant of the plain path, which takes precedence.
    if (!methods.has(operation.method) || operation.path === shape.template) methods.set(operation.method, operation);
  }
  const none: ReadonlyMap<string, Operation> = new Map();
  const byQuery = indexReads(shapes, byKey, (operation) => isList(operation, undefined));
  const lookups = { read, shapes, byKey, byQuery, ...createReceiptChecks({ read, shapes, byKey }) };
  const findItem = createItemFinder(lookups);
  const unwrap = (operation: Operation, pointer = ''): SchemaView | undefined => {
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
    ...createUsual(byKey),
    reading: (key, itemKey = '') => byKey.get(itemKey)?.get('GET') ?? byQuery.get(key),
    idParameters: (itemKey = '') => idParameters.get(itemKey) ?? [],
    operationsOn: (keys) => [...keys].flatMap((key) => allByKey.get(key) ?? []),
    shape: (operation) => operation && shapes.get(operation),
    word: (operation) => shapes.get(operation)?.groups.at(-1)?.words.at(-1) ?? '',
    list: memoize((operation) => operation && readList(lookups, operation, findItem)),
    isReceipt: lookups.isReceipt,
    isTask: lookups.isTask,
    answer: memoize((operation) => operation && unwrap(operation, readAnswerPointer(operation))),
    body: memoize((operation) => operation && unwrap(operation, readBodyPointer(operation))),
  };
}

/** The operations that read the item which their query has to name, by the key of the collection before their last word: `/rooms/info?room_id=`. */
function indexReads(
  shapes: Lookups['shapes'],
  byKey: Lookups['byKey'],
  isList: (operation: Operation) => boolean,
): ReadonlyMap<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [operation, shape] of shapes) {
    const last = shape?.groups.at(-1);
    if (operation.method !== 'GET' || last === undefined || last.parameters.length > 0 || last.words.length < 2)
      continue;
    const key = last.key.slice(0, last.key.lastIndexOf('/'));
    const [beside] = byKey.get(`${key}/{}`)?.values() ?? [];
    const words = last.words.slice(0, -1);
    const parameters = (beside && shapes.get(beside)?.groups.at(-1)?.parameters) ?? [];
    const isNamed = findQueryId({ words, parameters }, operation.parameters.filter(isOneScalar)) !== undefined;
    if (byKey.has(key) && isNamed && !isList(operation) && !found.has(key)) found.set(key, operation);
  }
  return found;
}

/** The query parameter with the id of an item: `linkId`, as the path of an item calls it, or `id`. */
export function findQueryId(
  { parameters: own, words }: PathGroup,
  parameters: readonly Parameter[],
): string | undefined {
  const wanted = new Set([own.at(-1) ?? 'id', `${toBareNoun(words.at(-1))}id`, 'id'].map(toBareName));
  const isId = ({ name }: Parameter): boolean => wanted.has(toBareName(name)) || means(name, 'ids.id');
  return parameters.find((each) => each.in === 'query' && isId(each))?.name;
}

/** Whether each request names one value of a parameter. */
export function isOneScalar({ required, schema }: Parameter): boolean {
  return required && isObject(schema) && schema.type !== undefined && isScalarType(schema.type);
}

/** Finds the operations that list and create the items of a collection. */
function createUsual(byKey: Lookups['byKey']): Pick<ContractIndex, 'creating' | 'listing'> {
  const listing = (key = ''): Operation | undefined => {
    const post = byKey.get(key)?.get('POST');
    return byKey.get(key)?.get('GET') ?? (post !== undefined && isNamedAs(post, LISTING) ? post : undefined);
  };
  return {
    listing,
    creating: (key = '') => {
      const [post, put] = ['POST', 'PUT'].map((method) => byKey.get(key)?.get(method));
      if (post !== undefined && post !== listing(key)) return post;
      return put !== undefined && isNamedAs(put, CREATING) ? put : undefined;
    },
  };
}

/** Words of an operation that lists items. */
const LISTING = /^\W*([Ll]ist|[Ss]earch|[Qq]uery|[Ff]ind)(?![a-z])/;

/** Words of an operation that creates items. */
export const CREATING: RegExp = /^\W*([Cc]reate|[Aa]dd|[Nn]ew|[Ii]nsert)s?(?![a-z])/;

/** Whether the name or the summary of an operation begins with one of some words. */
export function isNamedAs({ id, summary = '' }: Operation, words: RegExp): boolean {
  return words.test(id) || words.test(summary);
}

/** Pointer to the schema of the request body, JSON first. */
export function readBodyPointer(operation: Operation): string | undefined {
  return findBodyMedia(operation)?.schemaPointer;
}

interface Lookups extends Pick<ContractIndex, 'isReceipt' | 'isTask' | 'read'> {
  readonly byQuery: ReadonlyMap<string, Operation>;
  readonly shapes: ReadonlyMap<Operation, PathShape | undefined>;
  readonly byKey: ReadonlyMap<string, ReadonlyMap<string, Operation>>;
}

/** The items that the bodies of an operation may hold: that of its own path, then that of the path above it. */
type FindItem = (operation: Operation) => readonly SchemaView[];

function createItemFinder(lookups: Lookups): FindItem {
  const { shapes, byKey, byQuery } = lookups;
  const byCollection = new Map<string, Operation[]>();
  for (const [operation, shape] of shapes) {
    if (shape === undefined) continue;
    const isUsual = byKey.get(shape.key)?.get(operation.method) === operation;
    if (isUsual) addTo(byCollection, shape.groups.at(-1)?.key ?? '', operation);
  }
  const findAt = memoize((key: string) => {
    const operations = byCollection.get(key);
    const reading = byQuery.get(key);
    return operations && findItemOf(lookups, reading === undefined ? operations : [...operations, reading]);
  });
  return memoize((operation) => {
    const groups = shapes.get(operation)?.groups ?? [];
    const keys = toItemKeys(groups);
    const collection = keys.find((key) => byQuery.get(key) === operation);
    return [...(collection === undefined ? [] : [collection]), ...keys].flatMap((key) => findAt(key) ?? []);
  });
}

/** The keys of the collections that an operation may belong to, the most likely first. */
function toItemKeys(groups: readonly KeyedGroup[]): readonly string[] {
  const last = groups.at(-1);
  if (last === undefined) return [];
  const above = groups.at(-2);
  const keys = [last.key];
  if (last.words.length > 1) {
    const key = last.key.slice(0, last.key.lastIndexOf('/'));
    // `/customers/search` shows what `/customers` holds.
    if (isSearchWord(last.words.at(-1) ?? '')) keys.unshift(key);
    else keys.push(key);
  }
  if (last.parameters.length > 0 || above === undefined) return keys;
  keys.push(above.key);
  // `/crews/{id}/sailors` can show what `/sailors` holds.
  if (groups.length === 2 && last.words.length === 1)
    keys.push(['', ...above.words.slice(0, -1), ...last.words].join('/'));
  return keys;
}

/** The schema of the item that the operations of one collection show and take. */
function findItemOf(lookups: Lookups, operations: readonly Operation[]): SchemaView | undefined {
  const { read, shapes, byQuery } = lookups;
  const byOwnQuery = new Set(byQuery.values());
  const onItem = operations.filter((operation) => isOnItem(shapes.get(operation)) || byOwnQuery.has(operation));
  const onList = operations.filter((operation) => !onItem.includes(operation));
  const creates = select(onList, 'POST');
  const changes = select(onItem, 'PATCH', 'PUT', 'POST');
  const sent = [...creates, ...changes].flatMap((operation) => read(readBodyPointer(operation)) ?? []);
  // An object with an id that requests send is an item, also if it has an array with a usual name: `{ id, label, nodes }`.
  const isSent = (shown: SchemaView | undefined): boolean =>
    [...(shown?.members.keys() ?? [])].some((name) => means(name, 'ids.id')) &&
    sent.some(({ members }) => [...(shown?.members.keys() ?? [])].every((name) => members.has(name)));
  const isList = (operation: Operation): boolean =>
    findListItems(read, operation) !== undefined && !isSent(read(readAnswerPointer(operation)));
  const itemGets = select(onItem, 'GET');
  const reads = itemGets.filter((operation) => !isList(operation));
  const gets = select(onList, 'GET');
  const element = read(gets.map((operation) => findListItems(read, operation)?.itemSchema).find(Boolean));
  // A change that is answered with a long-running operation does not show the item of the list.
  const isShown = (operation: Operation): boolean =>
    !lookups.isReceipt(operation) &&
    (element === undefined || isLongRunning(element) || !isLongRunning(read(readAnswerPointer(operation))));
  const single = findSingleElement(lookups, { gets, shown: [...itemGets, ...changes, ...creates] });
  if (single !== undefined) return single;
  // Without items below the path, a GET that is not a list reads a singleton.
  const singles = reads.length + changes.length > 0 ? [] : gets.filter((operation) => !isList(operation));
  const shown = [
    ...reads,
    ...creates.filter(isShown),
    ...changes.filter(isShown),
    ...singles,
    ...(singles.length > 0 ? select(onList, 'PUT', 'PATCH') : []),
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

/**
 * Finds out which changes are answered with a receipt: an object of the schema that another path reads, or with the id by which it does
 * (`taskUid` for `/tasks/{taskUid}`, or for `/tasks/{uid}` where requests create no tasks), while the paths of the collection itself show, and the request sends, something else.
 */
function createReceiptChecks({
  byKey,
  read,
  shapes,
}: Pick<Lookups, 'byKey' | 'read' | 'shapes'>): Pick<ContractIndex, 'isReceipt' | 'isTask'> {
  let found: ReturnType<typeof indexGets> | undefined;
  const readGets = (): ReturnType<typeof indexGets> => (found ??= indexGets());
  const indexGets = () => {
    const gets = new Map<string, Operation[]>();
    const byAnswer = new Map<string, string>();
    const byParameter = new Map<string, string>();
    for (const [operation, shape] of shapes) {
      const group = shape?.groups.at(-1);
      if (operation.method !== 'GET' || group === undefined) continue;
      addTo(gets, group.key, operation);
      const answer = isOnItem(shape) ? openEnvelope(read, read(readAnswerPointer(operation))) : undefined;
      if (answer !== undefined && answer.members.size > 0) byAnswer.set(answer.pointer, group.key);
      const parameter = group.parameters.at(-1) ?? '';
      if (isOwnIdName(parameter)) byParameter.set(toBareName(parameter), group.key);
      else if (means(parameter, 'ids.id') && byKey.get(group.key)?.has('POST') !== true)
        byParameter.set(toBareNoun(group.words.at(-1)) + toBareName(parameter), group.key);
    }
    return { gets, byAnswer, byParameter };
  };
  const check = memoize((operation: Operation): boolean => {
    const answer = openEnvelope(read, read(readAnswerPointer(operation)));
    const key = shapes.get(operation)?.groups.at(-1)?.key;
    if (answer === undefined || key === undefined) return false;
    const { gets, byAnswer, byParameter } = readGets();
    const named = listProperties(answer).flatMap(({ bare, scalar }) => (scalar ? (byParameter.get(bare) ?? []) : []));
    const reader = byAnswer.get(answer.pointer) ?? named[0];
    // A word behind a collection, such as `/lamps/from-template`, shows what the collection shows.
    const own = gets.get(key) ?? gets.get(key.slice(0, key.lastIndexOf('/')));
    if (reader === undefined || reader === key || own === undefined) return false;
    const shown = own.map((get) => read(findListItems(read, get)?.itemSchema ?? readAnswerPointer(get)));
    const others = [...shown, read(readBodyPointer(operation))].filter((each) => each !== undefined);
    return others.every((each) => isUnlike(read, answer, each));
  });
  return {
    isReceipt: (operation) => operation !== undefined && operation.method !== 'GET' && check(operation),
    isTask: (operation) => {
      const answer = openEnvelope(read, read(readAnswerPointer(operation)));
      const reader = readGets().byAnswer.get(answer?.pointer ?? '');
      return reader !== undefined && reader !== shapes.get(operation)?.groups.at(-1)?.key;
    },
  };
}

function select(operations: readonly Operation[], ...methods: readonly string[]): readonly Operation[] {
  return methods.flatMap((method) => operations.filter((operation) => operation.method === method));
}

/** The item of a list, where the first operation that shows one item shows it in an array as well: `{ "contacts": [{ … }] }`. */
function findSingleElement(
  lookups: Lookups,
  { gets, shown }: { readonly gets: readonly Operation[]; readonly shown: readonly Operation[] },
): SchemaView | undefined {
  const { read, shapes } = lookups;
  const [first] = gets;
  const pointer = first && shown.map(readAnswerPointer).find((each) => each !== undefined);
  if (first === undefined || pointer === undefined) return undefined;
  const noun = shapes.get(first)?.groups.at(-1)?.words.at(-1);
  for (const operation of gets) {
    const element = read(findListItems(read, operation, noun)?.itemSchema);
    if (element === undefined || element.members.size === 0) continue;
    if (findItemPlace(read, element, pointer)?.isInArray === true) return element;
  }
  return undefined;
}

/** The bare names that the id of an item can have: `dropletid` and `id` for `/droplets/{droplet_id}`. */
function toIdNames(group: PathGroup | undefined): readonly string[] {
  if (group === undefined || group.parameters.length === 0) return [];
  const noun = toBareNoun(group.words.at(-1));
  return group.parameters.flatMap((parameter) => {
    const name = toBareName(parameter);
    return noun !== '' && name.startsWith(noun) && name !== noun ? [name, name.slice(noun.length)] : [name];
  });
}

/** The list in an answer: where its items are like those that the other operations of the resource show, else by its names. */
function readList(lookups: Lookups, operation: Operation, findItem: FindItem): ItemsPosition | undefined {
  const { read, shapes } = lookups;
  const shape = shapes.get(operation);
  const last = shape?.groups.at(-1);
  const named = findListItems(read, operation, last?.words.at(-1));
  const pointer = readAnswerPointer(operation);
  if (last === undefined || pointer === undefined) return named;
  if (isOnItem(shape)) {
    if (named === undefined) return undefined;
    // An item can have a single array, too.
    const whole = read(pointer);
    const isSingle = findItem(operation).some(
      (item) =>
        findItemPlace(read, item, pointer)?.isInArray === true ||
        (operation.method === 'GET' && whole?.type === 'object' && isSameItem(read, item, whole)),
    );
    return isSingle ? undefined : named;
  }
  const methods = lookups.byKey.get(shape?.key ?? '');
  const isChanged = CHANGING_METHODS.some((method) => methods?.has(method));
  // What other methods change or remove is a singleton, unless it has items with paths of their own.
  if (named === undefined && isChanged && !lookups.byKey.has(`${last.key}/{}`)) return undefined;
  const positions = findListPositions(read, pointer);
  if (positions.length === 0) return named;
  const whole = read(pointer);
  for (const item of findItem(operation)) {
    const same = findSamePosition(read, item, positions);
    // An object that is the item itself can have a list of similar objects.
    if (same === undefined || whole?.pointer === item.pointer) continue;
    return { path: same.path, element: same.element, itemSchema: same.pointer };
  }
  return named;
}

/** Whether a path ends in the parameters that identify an item. */
function isOnItem(shape: PathShape | undefined): boolean {
  return (shape?.groups.at(-1)?.parameters.length ?? 0) > 0;
}

/** Whether a schema is that of a long-running operation: it has a flag that says that it is done, and its result. */
export function isLongRunning(schema: SchemaView | undefined): boolean {
  const all = listProperties(schema);
  return (
    all.some(({ known, schema: own }) => means(known, 'statuses.doneFlag') && own.type === 'boolean') &&
    all.some(({ known, scalar }) => means(known, 'statuses.response') && !scalar)
  );
}
