import { SHOWS_ITEM, type Binding, ON_ITEM, TAKES_ITEM } from '../item/resource.js';
import { toPointer } from '../../contract/pointer.js';
import { findBodyMedia, findSuccessMedia } from '../../contract/operations/responses.js';
import { listProperties } from '../../contract/schema-view/schema-view.js';
import type { Plan } from '../list/list-shape.js';
import type { PageStyleName } from '../list/pagination.js';
import { createPagePlan, type PagePlan } from '../list/plan.js';
import { findLinks, type PropertyLink } from '../item/projection.js';
import type { ItemModel } from '../item/item-model.js';
import { findQueryLinks, locateItem } from './bodies.js';
import type { StateContext } from './context.js';

/** How state handles one operation: docs/resources.schema.json describes each property. */
export interface OperationReport extends Pick<Binding, 'action' | 'confidence' | 'set' | 'why' | 'within'> {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly id: readonly ParameterReport[];
  readonly parents: readonly { readonly collection: string; readonly parameters: readonly ParameterReport[] }[];
  readonly request: RequestReport | undefined;
  /** Query parameters that become properties of the item; undefined for none. */
  readonly query: readonly string[] | undefined;
  readonly answer: AnswerReport | undefined;
  readonly list: ListReport | undefined;
}

/** A parameter that identifies an item. */
interface ParameterReport {
  readonly in: 'body' | 'own' | 'path' | 'query';
  /** The name of the parameter, or the JSON pointer to the property of the body. */
  readonly name: string;
}

/** A property that a body and the item have under different names or in different forms, as JSON pointers. */
type RenameReport = Readonly<Record<'body' | 'item', string>>;

interface RequestReport {
  readonly item: string;
  readonly stored: readonly string[];
  /** Properties of the item that only the server sets. */
  readonly serverSet: readonly string[];
  /** Properties that the item does not have. */
  readonly notStored: readonly string[];
  readonly renamed: readonly RenameReport[];
}

interface AnswerReport {
  readonly item: string;
  readonly shown: readonly string[];
  /** Properties that are not of the item: generated where they are required. */
  readonly generated: readonly string[];
  readonly renamed: readonly RenameReport[];
}

interface ListReport extends Pick<PagePlan, 'firstOffset' | 'firstPage' | 'order' | 'search' | 'sort'> {
  /** The JSON pointer to the array of items in the body; undefined for their number. */
  readonly items: string | undefined;
  readonly element: AnswerReport | undefined;
  readonly style: PageStyleName;
  /** The parameters of the page by their role. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly defaultLimit: number | undefined;
  readonly maximumLimit: number | undefined;
  readonly newestFirst: boolean;
  /** JSON pointer to a property of the envelope -> what it says about the page. */
  readonly envelope: Readonly<Record<string, string>>;
  readonly filters: readonly string[];
}

type ReportContext = Pick<StateContext, 'contract' | 'items' | 'read'>;

/** Reports how state handles an operation, from the same plans that answer its requests. */
export function describeBinding(context: ReportContext, binding: Binding): OperationReport {
  const { operation, action, confidence, why, within, set } = binding;
  const model = context.items.model(binding.collection);
  return {
    operation: operation.id,
    method: operation.method,
    path: operation.path,
    action,
    confidence,
    why,
    id: describeId(binding, model),
    parents: binding.parents.map(({ collection, parameters }) => ({
      collection,
      parameters: parameters.map((name) => toParameter(binding, name)),
    })),
    within,
    set,
    request: TAKES_ITEM.has(action) ? describeRequest(context, binding, model) : undefined,
    query: describeQuery(context, binding, model),
    answer: SHOWS_ITEM.has(action)
      ? describeAnswer(context, model, findSuccessMedia(operation)?.schemaPointer)
      : undefined,
    list: describeList(context, binding, model),
  };
}

function toParameter({ places }: Binding, name: string): ParameterReport {
  const { in: part, path } = places?.[name] ?? { in: 'path', path: [] };
  return { in: part, name: part === 'body' ? toPointer(...path) : (path[0] ?? name) };
}

function describeId(binding: Binding, { resource }: ItemModel): readonly ParameterReport[] {
  if (binding.id.length > 0) return binding.id.map((name) => toParameter(binding, name));
  if (!ON_ITEM.has(binding.action) || resource.singleton || binding.operation.body === undefined) return [];
  return [{ in: 'body', name: toPointer(...(resource.idProperty ?? 'id').split('.')) }];
}

function describeRequest(context: ReportContext, binding: Binding, model: ItemModel): RequestReport | undefined {
  const media = findBodyMedia(binding.operation);
  if (media === undefined) return undefined;
  const { path, schema } = locateItem(context, model, media.schemaPointer);
  const sent = schema?.type === 'array' ? context.read(schema.element) : schema;
  if (sent === undefined) return undefined;
  const { collection } = binding;
  const links = model.schema === undefined ? [] : findLinks(context.read, { from: sent, to: model.schema, collection });
  const identifying = new Set([...binding.id, ...binding.parents.flatMap(({ parameters }) => parameters)]);
  const names = listProperties(sent).flatMap(({ name, schema: own }) => {
    // The bytes of a file are the content of the item.
    if (own.format === 'binary') return [{ name, fate: 'stored' as const }];
    if (identifying.has(name)) return [];
    const targets = [name, ...links.flatMap(({ from, to }) => (from[0] === name ? (to[0] ?? []) : []))];
    const fates = new Set(targets.map((target) => findFate(model, target)));
    const fate = (['stored', 'serverSet'] as const).find((each) => fates.has(each)) ?? 'notStored';
    return [{ name, fate }];
  });
  const select = (fate: Fate): readonly string[] => names.flatMap((each) => (each.fate === fate ? each.name : []));
  return {
    item: toPointer(...path),
    stored: select('stored'),
    serverSet: select('serverSet'),
    notStored: select('notStored'),
    renamed: links.filter(isRename).map((link) => ({ body: toSourcePointer(link), item: toTargetPointer(link) })),
  };
}

function describeQuery(context: ReportContext, binding: Binding, model: ItemModel): readonly string[] | undefined {
  const links = findQueryLinks(context, binding, model.schema)?.links ?? [];
  const names = links.flatMap(({ from: [name = ''], to }) => (findFate(model, to[0] ?? '') === 'stored' ? name : []));
  return names.length === 0 ? undefined : [...new Set(names)];
}

/** The use of a property that a request sends. */
type Fate = 'notStored' | 'serverSet' | 'stored';

function findFate({ accepts, resource, schema, idProperty }: ItemModel, name: string): Fate {
  if (accepts(name)) return 'stored';
  const property = schema?.members.get(name);
  if (property === undefined) return 'notStored';
  // A client can choose an id that is not read-only, and a constant has the value that is sent.
  const isId = name === resource.idProperty && idProperty?.readOnly !== true;
  const isConstant = 'const' in property.schema || property.schema.enum?.length === 1;
  return isId || isConstant ? 'stored' : 'serverSet';
}

function describeAnswer(
  context: ReportContext,
  model: ItemModel,
  pointer: string | undefined,
): AnswerReport | undefined {
  if (pointer === undefined) return undefined;
  const { path, schema, isInArray } = locateItem(context, model, pointer);
  if (schema === undefined) return undefined;
  const from = model.schema;
  const collection = model.resource.name;
  const links = from === undefined ? [] : findLinks(context.read, { from, to: schema, collection });
  const linked = new Set(links.map(({ to: [name] }) => name));
  const isShown = (name: string): boolean =>
    from === undefined || from.members.size === 0 || from.members.has(name) || linked.has(name);
  const names = [...schema.members.keys()];
  return {
    item: toPointer(...path, ...(isInArray ? ['0'] : [])),
    shown: names.filter(isShown),
    generated: names.filter((name) => !isShown(name)),
    renamed: links.filter(isRename).map((link) => ({ body: toTargetPointer(link), item: toSourcePointer(link) })),
  };
}

function isRename({ from, to, change }: PropertyLink): boolean {
  return change === 'to-id' || change === 'to-object' || from.join('\0') !== to.join('\0');
}

function toSourcePointer({ from, key, change }: PropertyLink): string {
  return toPointer(...from, ...(change === 'to-id' ? [key] : []));
}

function toTargetPointer({ to, key, change }: PropertyLink): string {
  return toPointer(...to, ...(change === 'to-object' ? [key] : []));
}

function describeList(context: ReportContext, binding: Binding, model: ItemModel): ListReport | undefined {
  const { list, operation, page } = binding;
  if (list === undefined) return undefined;
  const plan = createPagePlan(context.contract, operation, {
    item: model.schema,
    style: page,
    shape: list.plan,
    read: context.read,
    resource: model.resource,
  });
  const toLimit = (limit: number): number | undefined => (Number.isFinite(limit) ? limit : undefined);
  const element = binding.elements === undefined ? describeAnswer(context, model, list.itemSchema) : undefined;
  return {
    items: binding.action === 'count' ? undefined : toPointer(...list.path),
    element: element && { ...element, item: toPointer(...list.element) + element.item },
    style: plan.style.name,
    parameters: plan.names,
    defaultLimit: toLimit(plan.defaultLimit),
    maximumLimit: toLimit(plan.maximumLimit),
    firstPage: plan.firstPage,
    firstOffset: plan.firstOffset,
    newestFirst: plan.descending,
    envelope: Object.fromEntries(listMembers(list.plan, [])),
    filters: [
      ...(plan.ids === undefined ? [] : [plan.ids.name]),
      ...plan.filters.map(({ parameter }) => parameter),
      ...(plan.expression === undefined ? [] : [plan.expression]),
    ],
    sort: plan.sort,
    order: plan.order,
    search: plan.search,
  };
}

function listMembers(plan: Plan, path: readonly string[]): readonly (readonly [pointer: string, value: string])[] {
  if (plan.kind === 'field') return [[toPointer(...path), plan.field.role]];
  if (plan.kind === 'constant') return [[toPointer(...path), 'constant']];
  if (plan.kind === 'items') return [];
  return plan.members.flatMap((member) => listMembers(member.plan, [...path, member.name]));
}
