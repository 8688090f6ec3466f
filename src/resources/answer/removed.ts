import { SAYS_REMOVED, KEEPS_ITEM, REMOVES_ITEM, OTHER_ITEM } from '../../conventions/descriptions.js';
import { means } from '../../conventions/conventions.js';
import { deepMerge, isObject } from '../../base/json.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { type Operation, readText } from '../../contract/operations/operation.js';
import { findSuccessMedia } from '../../contract/operations/responses.js';
import { listBranches, type ReadSchema, listProperties } from '../../contract/schema-view/schema-view.js';
import { findItemPlace } from '../item/positions.js';
import type { Binding, RemovedHint } from '../item/resource.js';
import type { StoredItem, Item, ItemList } from '../store/lists/item-list.js';
import { isStatus } from '../item/server-values.js';
import type { Exchange } from '../../answer/chain.js';
import { answerItem, type OperationContext, type StateContext, toAnswer } from './context.js';
import { escapePattern } from '../../base/text.js';

/** How a removed item differs from others. */
interface RemovedMark {
  readonly property: string;
  readonly value: unknown;
  /** The query parameter of the operation that asks for removed items instead of others, by true or by their status. */
  readonly parameter: string | undefined;
  /** The status of a removed item, where it has a flag as well. */
  readonly status?: { readonly property: string; readonly value: unknown };
  /** The query parameter of a list that asks for removed items beside others. */
  readonly included?: string;
  /** The hint that replaces the mark. */
  readonly hint?: RemovedHint;
}

/** Answers the read of a removed item; undefined where it is not found. */
export type ReadRemoved = (exchange: Exchange, entry: StoredItem) => Answer | undefined;

/** Plans how removed items are read: as the branch of the response for them, or with the property that marks them. */
export function createRemovedReader(context: OperationContext): ReadRemoved {
  const mark = findMark(context);
  return (exchange, entry) => {
    if (mark !== undefined) {
      return isHidden(mark, exchange.call) ? undefined : answerItem(context, exchange, withMark(entry, mark));
    }
    const choice = context.choose(exchange.call);
    const pointer = choice?.media?.schemaPointer;
    const write = pointer === undefined ? undefined : context.bodies.removed(pointer);
    return choice === undefined || write === undefined ? undefined : toAnswer(choice, write(entry, exchange));
  };
}

/** Plans which list a call means: that of the removed items where a parameter asks for them. */
export function createListChooser(context: OperationContext): (list: ItemList, call: Call) => ItemList {
  const mark = findMark(context);
  const { parameter, included, hint } = mark ?? {};
  const isListed = hint?.listed === true;
  if (mark === undefined || (parameter === undefined && included === undefined && !isListed)) return (list) => list;
  return (list, call) => {
    if (!isListed && (included === undefined ? isHidden(mark, call) : !isAsked(call, included, mark))) return list;
    const removed = list.removed.map((entry) => withMark(entry, mark));
    const both = included === undefined && !isListed ? removed : [...list.entries, ...removed];
    const entries = both.toSorted((a, b) => a.sequence - b.sequence);
    const get = (id: string): StoredItem | undefined => entries.find((entry) => entry.id === id);
    return { size: entries.length, entries, removed: [], get, recall: list.recall };
  };
}

function isHidden(mark: RemovedMark, call: Call): boolean {
  return mark.parameter !== undefined && !isAsked(call, mark.parameter, mark);
}

function isAsked({ query }: Call, parameter: string, { value, status }: RemovedMark): boolean {
  const own = status?.value ?? value;
  return [query[parameter]].flat().some((given) => given === true || given === 'true' || given === own);
}

/** An entry as it is shown after its removal. */
export function withMark(entry: StoredItem, { property, value, status, hint }: RemovedMark): StoredItem {
  // Two objects make an object.
  if (hint !== undefined)
    return { ...entry, item: deepMerge(entry.item, hint.show ?? {}) as Item, isDeclared: undefined };
  const shown = status === undefined ? {} : { [status.property]: status.value };
  return { ...entry, item: { ...entry.item, ...shown, [property]: value }, isDeclared: undefined };
}

/** How removed items differ from others; undefined where they are not found. */
export function findMark(context: OperationContext): RemovedMark | undefined {
  const { bindingsOf, binding } = context;
  const hint = context.model.resource.removed;
  if (hint !== undefined) return { property: '', value: undefined, parameter: undefined, hint };
  const flag = findFlag(context);
  const lists = bindingsOf(binding.collection).filter(({ action }) => action === 'list');
  const [status] = lists.flatMap(({ operation }) => findListedStatus(context, operation));
  if (status === undefined || flag?.included !== undefined) return flag;
  const { parameters } = binding.operation;
  const isRead = parameters.some(({ in: place, name }) => place === 'query' && name === status.property);
  const parameter = flag?.parameter ?? (isRead ? status.property : undefined);
  if (flag?.property === status.property) return { ...flag, parameter };
  if (flag !== undefined) return { ...flag, status, parameter };
  return isRead ? { ...status, parameter } : undefined;
}

/** The status of removed items that a list can be asked for: `status=trashed`. */
function findListedStatus(
  { contract, model }: OperationContext,
  { parameters }: Binding['operation'],
): NonNullable<RemovedMark['status']>[] {
  return parameters.flatMap(({ in: place, name, schema, schemaPointer }) => {
    if (place !== 'query' || !isStatus(name) || model.schema?.members.has(name) !== true) return [];
    const { schema: own, pointer } = contract.resolve(schema, schemaPointer);
    const isArray = isObject(own) && own.items !== undefined;
    const element = isArray ? contract.resolve(own.items ?? true, `${pointer}/items`).schema : own;
    const values = isObject(element) ? (element.enum ?? []) : [];
    const value = values.find((each) => means(String(each), 'statuses.removed'));
    return value === undefined ? [] : [{ property: name, value }];
  });
}

/** The flag that an item has in the answer to its removal. */
export function findRemovalFlag({ model }: OperationContext): RemovedMark | undefined {
  const flag = listProperties(model.schema).find(
    ({ known, schema }) => means(known, 'removed.report') && schema.type === 'boolean',
  );
  return flag && { property: flag.name, value: true, parameter: undefined };
}

/** The property that marks removed items, where a query parameter or the description of the DELETE says that they are kept. */
function findFlag(context: OperationContext): RemovedMark | undefined {
  const { bindingsOf, binding, model } = context;
  const bindings = bindingsOf(binding.collection);
  const removal = bindings.find(({ action }) => action === 'delete')?.operation;
  if (removal === undefined) return undefined;
  const told = readText(removal);
  const isKept = KEEPS_ITEM.test(told) && !REMOVES_ITEM.test(told);
  const asks = (name: string, { parameters }: typeof removal): boolean =>
    parameters.some((parameter) => parameter.in === 'query' && parameter.name === name);
  for (const { name, known, schema } of listProperties(model.schema)) {
    if (means(known, 'removed.flag') && schema.type === 'boolean') {
      const parameter = asks(name, binding.operation) ? name : undefined;
      const isRead = bindings.some(({ action, operation }) => action === 'read' && asks(name, operation));
      if (isRead || isKept || readDescribedValues(told, name).includes('true'))
        return { property: name, value: true, parameter };
    }
    if (means(known, 'values.active') && schema.type === 'boolean') {
      const isDescribed =
        readDescribedValues(told, name).includes('false') || (isKept && SAYS_REMOVED.test(schema.description ?? ''));
      if (isDescribed) return { property: name, value: false, parameter: undefined };
    }
    const values = isStatus(name) ? (schema.enum ?? []) : [];
    if (values.length === 0) continue;
    const named = readDescribedValues(told, name);
    const ended = showsStatus(context, removal, name) ? readEnding(removal.summary ?? '') : undefined;
    const value = values.find(
      (each) =>
        named.includes(each) || (isKept && /^deleted$/i.test(String(each))) || ended?.test(String(each)) === true,
    );
    if (value !== undefined) return { property: name, value, parameter: undefined };
  }
  return REMOVES_ITEM.test(told) ? undefined : findIncluded(context, bindings);
}

/** Whether the answer to a DELETE shows the item with its status, which nothing would read if the item were gone. */
function showsStatus({ read, model }: OperationContext, removal: Operation, name: string): boolean {
  const media = findSuccessMedia(removal);
  if (media?.schema === undefined || model.schema === undefined) return false;
  return findItemPlace(read, model.schema, media.schemaPointer)?.schema?.members.has(name) === true;
}

/** The statuses that a DELETE gives which is called otherwise: `canceled` for "Cancel a subscription". */
function readEnding(summary: string): RegExp | undefined {
  const verb = /^\W*([a-z]{3,}?)(?:e?s)?\b/i.exec(summary)?.[1]?.replace(/e$/i, '');
  return verb === undefined || means(verb, 'verbs.removalStem') ? undefined : new RegExp(`^${verb}l?ed$`, 'i');
}

/** How the removed items differ that a list shows beside others: by a flag, or by a status that the parameter names. */
function findIncluded({ model }: OperationContext, bindings: readonly Binding[]): RemovedMark | undefined {
  const parameters = bindings.flatMap(({ action, operation }) => (action === 'list' ? operation.parameters : []));
  const asking = parameters.find(({ in: place, name }) => place === 'query' && means(name, 'queries.removed'));
  if (asking === undefined) return undefined;
  for (const { name: property, schema } of listProperties(model.schema)) {
    const mark = { property, parameter: undefined, included: asking.name };
    if (means(property, 'removed.flag') && schema.type === 'boolean') return { ...mark, value: true };
    if (!isStatus(property)) continue;
    const named = readDescribedValues(asking.description ?? '', property);
    const value = (schema.enum ?? named).find(
      (each) => named.includes(each) || means(String(each), 'statuses.removed', 'statuses.canceled'),
    );
    if (value !== undefined) return { ...mark, value };
  }
  return undefined;
}

/** The values that a description says a property gets: `archived: true`, "their `active` is false", "the status becomes `CLOSED`". */
function readDescribedValues(text: string, name: string): readonly unknown[] {
  // Most names are not in it, and the pattern costs more than to look.
  if (!text.toLowerCase().includes(name.toLowerCase())) return [];
  const change = `becomes?|equals?(?: to)?|(?:is |are )?(?:set|changed) to|changes to|will be${isStatus(name) ? '' : '|is|are'}`;
  const quote = String.raw`[\`"'*]*`;
  const pattern = String.raw`(?<![\w-])${escapePattern(name)}\b${quote}(?:\s+(?:${change})\s+|\s*[:=]\s*)${quote}([\w-]+)`;
  const found = [...text.matchAll(new RegExp(pattern, 'gi'))];
  return found.filter(({ index }) => !OTHER_ITEM.test(text.slice(0, index))).map(([, value]) => value);
}

/** The branch of a union at a path of a body that describes a removed item: it requires a property such as `deleted`. */
export function findRemovedBranch(
  { contract, read }: Pick<StateContext, 'contract' | 'read'>,
  at: { readonly pointer: string; readonly path: readonly string[] },
): ReturnType<ReadSchema> {
  let { pointer } = at;
  for (const name of at.path) pointer = read(pointer)?.members.get(name)?.pointer ?? pointer;
  const branches = listBranches(contract, pointer).map(read);
  return branches.find((branch) =>
    listProperties(branch).some(({ known, required }) => required && means(known, 'removed.flag')),
  );
}
