import { CHANGING_METHODS, type Operation } from '../../contract/operations/operation.js';
import { means } from '../../conventions/conventions.js';
import { type SchemaView, listBranches, listProperties } from '../../contract/schema-view/schema-view.js';
import { readAnswerPointer } from '../list/list-shape.js';
import { isSummary, isUnlike } from '../item/positions.js';
import { type ContractIndex, isLongRunning } from './contract-index.js';
import { isSearchWord, type KeyedGroup, type PathShape } from './path-shape.js';

/** A path that may be a collection, before its name and parents are known. */
export interface CollectionCandidate {
  /** The key of the collection's path. */
  readonly key: string;
  /** The key of an item's path; undefined where no path names one item. */
  readonly itemKey: string | undefined;
  /** The groups of the path, this collection's last. */
  readonly groups: readonly KeyedGroup[];
  /** Pointer to the schema of an item. */
  readonly schema: string | undefined;
  /** Whether an operation addresses the collection itself or one of its items. */
  readonly hasOperations: boolean;
  /** One object instead of a list: `/me`, `/customers/{id}/discount`. */
  readonly singleton: boolean;
  /** The key of the path that lists its items, where that is another one: `/crews/{id}/members` for `/crews/{id}/sailors/{sailor_id}`. */
  readonly listedAt?: string | undefined;
}

/** The last word of the path of a collection: `refunds` of `/charges/{id}/refunds`. */
export function readLastWord({ groups }: CollectionCandidate): string | undefined {
  return groups.at(-1)?.words.at(-1);
}

/** Those of some candidates whose path has a word as its last one. */
export function listNamed(all: Candidates, word: string | undefined): Candidates {
  return all.filter((each) => readLastWord(each) === word);
}

/** Candidates in an order that is kept. */
export type Candidates = readonly CollectionCandidate[];

/** The candidates for collections in the paths of a contract, parents before children. */
export function findCandidates(index: ContractIndex): ReadonlyMap<string, CollectionCandidate> {
  const candidates = new Map<string, CollectionCandidate>();
  for (const operation of index.contract.operations) {
    const groups = index.shape(operation)?.groups ?? [];
    // The beginnings of a path that end in parameters: each identifies an item.
    for (const [i, group] of groups.entries())
      if (group.parameters.length > 0) addItemDraft(index, candidates, { groups, count: i + 1, group });
  }
  for (const kind of PLAIN_KINDS) {
    const before = [...candidates.values()];
    for (const operation of index.contract.operations)
      if (operation.method === kind.method) addPlainDraft(index, candidates, { operation, kind, before });
  }
  return new Map([...candidates].toSorted(([, a], [, b]) => a.groups.length - b.groups.length));
}

function addItemDraft(
  index: ContractIndex,
  candidates: Map<string, CollectionCandidate>,
  of: { readonly groups: readonly KeyedGroup[]; readonly count: number; readonly group: KeyedGroup },
): void {
  const { key, itemKey } = of.group;
  const known = candidates.get(key);
  if (known !== undefined && !isBetterItem(index, known, of.group)) return;
  const own = index.operationsAt(itemKey);
  const hasOperations = index.operationsAt(key).size + own.size > 0;
  // A path below an item can have another name for its parameter: `/lists/{from_list_id}/contacts`.
  const [first] = own.values();
  const named = index.shape(own.get('GET') ?? first)?.groups.at(-1);
  const groups = [...of.groups.slice(0, of.count - 1), named?.itemKey === itemKey ? named : of.group];
  const schema = findSchema(index, key, itemKey);
  candidates.set(key, { key, itemKey, groups, hasOperations, singleton: false, schema });
}

/**
 * Whether another path identifies the items of a collection better: the one with more parameters, unless the shorter one is changed or
 * is the only one that shows what the collection creates. Of `/gists/{id}`, which is edited and removed, and `/gists/{id}/{version}`, the
 * shorter is the item; of `/revisions/{id}` and `/revisions/{id}/{format}`, too.
 */
function isBetterItem(index: ContractIndex, known: CollectionCandidate, group: KeyedGroup): boolean {
  const more = group.parameters.length - (known.groups.at(-1)?.parameters.length ?? 0);
  if (more === 0) return false;
  const [shorter, longer] = more > 0 ? [known.itemKey, group.itemKey] : [group.itemKey, known.itemKey];
  const created = index.answer(index.operationsAt(group.key).get('POST'));
  const isCreated = (itemKey: string | undefined): boolean =>
    created !== undefined &&
    created.members.size > 0 &&
    toObject(index, index.operationsAt(itemKey).get('GET')) === created;
  const methods = index.operationsAt(shorter);
  const isShorter =
    CHANGING_METHODS.some((method) => methods.has(method)) || (isCreated(shorter) && !isCreated(longer));
  return more > 0 ? !isShorter : isShorter;
}

/** A kind of paths without a parameter at their end that are collections, recognised by one of their operations. */
interface PlainKind {
  readonly method: string;
  readonly singleton: boolean;
  /** Pointer to the schema of an item; undefined where the path is not of this kind. */
  find(plain: PlainPath): string | undefined;
}

interface PlainPath {
  readonly index: ContractIndex;
  /** Those that were found before. */
  readonly candidates: ReadonlyMap<string, CollectionCandidate>;
  /** Those of other kinds that were found before. */
  readonly before: Candidates;
  readonly operation: Operation;
  readonly shape: PathShape;
  /** The words of its last group. */
  readonly words: readonly string[];
}

/** In this order: a path is of the first kind that fits. */
const PLAIN_KINDS: readonly PlainKind[] = [
  { method: 'GET', singleton: false, find: findListed },
  { method: 'POST', singleton: false, find: findQueried },
  { method: 'GET', singleton: true, find: findSingleton },
  { method: 'POST', singleton: false, find: findCreated },
  { method: 'PUT', singleton: false, find: findCreated },
];

function addPlainDraft(
  index: ContractIndex,
  candidates: Map<string, CollectionCandidate>,
  of: Pick<PlainPath, 'before' | 'operation'> & { readonly kind: PlainKind },
): void {
  const { operation, kind, before } = of;
  const shape = index.shape(operation);
  const last = shape?.groups.at(-1);
  if (shape === undefined || last === undefined || last.parameters.length > 0 || candidates.has(shape.key)) return;
  const schema = kind.find({ index, candidates, before, operation, shape, words: last.words });
  if (schema === undefined) return;
  const { key, groups } = shape;
  const { singleton } = kind;
  candidates.set(key, { key, itemKey: singleton ? key : undefined, groups, hasOperations: true, singleton, schema });
}

/** A path whose response is a list is a collection, even if no path identifies one of its items. */
function findListed({ index, candidates, operation, shape }: PlainPath): string | undefined {
  const items = index.read(index.list(operation)?.itemSchema);
  if (items === undefined || items.members.size === 0 || isSearchOf(candidates, shape, items.pointer)) return undefined;
  return findSchema(index, shape.key, undefined) ?? items.pointer;
}

/** A POST below an item that lists items of a top-level collection: `/databases/{id}/query` shows items of `/pages/{id}`. */
function findQueried({ index, before, operation, shape, words }: PlainPath): string | undefined {
  if (shape.groups.length !== 2 || words.length !== 1 || !isSearchWord(words[0] ?? '')) return undefined;
  const schema = index.read(index.list(operation)?.itemSchema)?.pointer;
  const isTop = ({ groups, itemKey, singleton }: CollectionCandidate): boolean =>
    groups.length === 1 && !singleton && index.operationsAt(itemKey).has('GET');
  // Its own parent searches in its items in another way.
  const above = before.find(({ key }) => key === shape.groups[0]?.key);
  return above?.schema !== schema && before.some((each) => each.schema === schema && isTop(each)) ? schema : undefined;
}

/** A path that only creates what another path with the same last segment reads: `/test_helpers/credits` and `/treasury/credits/{id}`. */
function findCreated({ index, before, operation, shape, words }: PlainPath): string | undefined {
  const isCreate = index.creating(shape.key) === operation && operation.body !== undefined;
  if (!isCreate) return undefined;
  const isShown = (shown: SchemaView | undefined, { schema, groups }: CollectionCandidate): boolean => {
    const item = index.read(schema);
    if (shown === undefined || item === undefined || shown === item) return shown === item;
    // Below a parent, the answer can be a summary.
    return groups.length < shape.groups.length && isSummary(index.read, shown, item);
  };
  const readable = listNamed(before, words.at(-1)).filter(
    (candidate) =>
      !candidate.singleton && candidate.groups.length <= shape.groups.length && isReadable(index, candidate),
  );
  const [answer, body] = [index.answer(operation), index.body(operation)];
  if (answer !== undefined && readable.some((candidate) => isShown(answer, candidate))) return answer.pointer;
  // An id or a task says less than the request.
  const isReport =
    answer === undefined || answer.members.size === 1 || (body !== undefined && isUnlike(index.read, answer, body));
  const isOther = !isReport || body === undefined || index.list(operation) !== undefined;
  return isOther ? undefined : readable.find((candidate) => isShown(body, candidate))?.schema;
}

/** Whether a path reads the items of a collection, or lists those that others change or remove. */
export function isReadable(index: ContractIndex, { key, itemKey }: CollectionCandidate): boolean {
  const [own, all] = [index.operationsAt(itemKey), index.operationsAt(key)];
  if (own.has('GET')) return true;
  const isChanged = CHANGING_METHODS.some((method) => own.has(method) || all.has(method));
  return isChanged && index.list(all.get('GET')) !== undefined;
}

/** Whether a list shows the collection of its parent path: `/customers/search`, `/pet/findByStatus`. */
function isSearchOf(candidates: ReadonlyMap<string, CollectionCandidate>, shape: PathShape, schema: string): boolean {
  const parent = candidates.get(shape.key.slice(0, shape.key.lastIndexOf('/')));
  return parent !== undefined && parent.schema === schema && (shape.groups.at(-1)?.words.length ?? 0) > 1;
}

/** A path whose response is one object, and that is written as well or has the name of a singleton. */
function findSingleton({ index, operation, shape, words }: PlainPath): string | undefined {
  const answer = toObject(index, operation);
  if (answer?.type !== 'object' || answer.members.size === 0) return undefined;
  const methods = index.operationsAt(shape.key);
  const post = methods.get('POST');
  const isWritten =
    CHANGING_METHODS.some((method) => methods.has(method)) || index.answer(post)?.pointer === answer.pointer;
  return isWritten || means(words.at(-1) ?? '', 'segments.singleton') ? answer.pointer : undefined;
}

/** The schema of an item: that of the read response, else of the create response, the list items, or an update response. */
function findSchema(index: ContractIndex, key: string, itemKey: string | undefined): string | undefined {
  const item = index.operationsAt(itemKey);
  const listing = index.listing(key);
  const reading = index.reading(key, itemKey);
  const listed = index.list(listing)?.itemSchema;
  const element = withProperties(index.read(listed));
  const show = (operation: Operation | undefined): string | undefined =>
    withProperties(toObject(index, operation))?.pointer;
  const created = index.creating(key);
  // A create that is answered with a long-running operation does not show the item of the list.
  const isReport =
    index.isReceipt(created) ||
    (element !== undefined && !isLongRunning(element) && isLongRunning(toObject(index, created)));
  // Nor does one that only shows its id.
  const shown = toObject(index, created);
  const isPart =
    shown !== undefined &&
    element !== undefined &&
    shown.members.size < element.members.size &&
    listProperties(shown).every(({ name }) => element.members.has(name));
  return (
    (listed && findCommon(index, reading, listed)) ??
    show(reading) ??
    (isReport || isPart ? undefined : show(created)) ??
    element?.pointer ??
    show(item.get('PATCH')) ??
    show(item.get('POST')) ??
    show(item.get('PUT'))
  );
}

function withProperties(schema: SchemaView | undefined): SchemaView | undefined {
  return schema === undefined || schema.members.size === 0 ? undefined : schema;
}

/** Where read and list both respond with one of several schemas: the first that they share. */
function findCommon(index: ContractIndex, reading: Operation | undefined, listed: string): string | undefined {
  const whole = index.read(listed)?.pointer;
  if (whole !== undefined && whole === toObject(index, reading)?.pointer) return whole;
  const pointer = reading && readAnswerPointer(reading);
  const shown = pointer === undefined ? [] : readBranches(index, listed);
  if (pointer === undefined || new Set(shown).size < 2) return undefined;
  return readBranches(index, pointer).find((branch) => shown.includes(branch));
}

function readBranches({ contract, read }: ContractIndex, pointer: string): readonly string[] {
  const branches = listBranches(contract, pointer);
  return branches.length > 0 ? branches : [read(pointer)?.pointer ?? pointer];
}

function toObject(index: ContractIndex, operation: Operation | undefined): SchemaView | undefined {
  return index.list(operation) === undefined ? index.answer(operation) : undefined;
}
