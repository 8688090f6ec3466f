import { isObject, readPath, mapAt, filterMembers } from '../../../../contract/json.js';
import { findSuccessMedia } from '../../../../contract/operations/responses.js';
import { memoize } from '../../../../memoize.js';
import { listBranches, listProperties } from '../../../../state/item-schema.js';
import { toSingular } from '../../../../state/names.js';
import { toBareName } from '../../../../contract/names.js';
import { isTopLevel } from '../../../../state/resource.js';
import type { Item } from '../../../../state/store/lists/item-list.js';
import type { Transaction } from '../../../../state/store/store.js';
import { locateItem } from '../bodies.js';
import type { OperationContext, StateHandler } from '../context.js';

/** The query parameters, and properties of request bodies, that name the ids to replace by the items that they identify. */
const EXPAND = /^\$?expand$/i;

/** The query parameters that name the properties to show. */
const SELECT = /^(\$?select|(opt_)?fields)$/i;

/** Expands and selects properties of the items in an answer, where the contract declares parameters for that. */
export function withSelection(context: OperationContext, handler: StateHandler): StateHandler {
  const { binding, read } = context;
  const { parameters, body } = binding.operation;
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const select = createSelection(context, query);
  const asking = query.filter((name) => EXPAND.test(name.replace(/\[\]$/, '')));
  const listProperties = (pointer: string): readonly string[] => [...(read(pointer)?.properties.keys() ?? [])];
  const sent = (body?.content ?? []).flatMap(({ schemaPointer }) => listProperties(schemaPointer));
  const inBody = sent.find((name) => EXPAND.test(name));
  const include = createInclusion(context, query);
  if (asking.length === 0 && inBody === undefined && select === undefined && include === undefined) return handler;
  const expand = createExpansion(context);
  return (exchange, transaction) => {
    const answer = handler(exchange, transaction);
    if (answer?.schemaPointer === undefined || answer.status >= 400) return answer;
    const { call } = exchange;
    const named = inBody === undefined || !isObject(call.body) ? undefined : call.body[inBody];
    const paths = [...asking.flatMap((name) => readNames(call.query[name])), ...readNames(named)];
    const whole = include?.(transaction, answer.body, readNames(call.query['include'])) ?? answer.body;
    const selected = select?.(call.query, whole) ?? whole;
    if (paths.length === 0 && selected === answer.body) return answer;
    return { ...answer, body: expand(transaction, { body: selected, pointer: answer.schemaPointer, paths }) };
  };
}

/** The names in a list: an array, or a string that separates them by commas. */
function readNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(readNames);
  return typeof value === 'string' ? value.split(/\s*,\s*/).filter((name) => name !== '') : [];
}

/** Adds the items of relationships to the `included` of a JSON:API answer: `include=author,comments.author`. */
type Inclusion = (transaction: Transaction, body: unknown, paths: readonly string[]) => unknown;

/** Plans the inclusion of related items, where the operation declares the parameter and its answer has `included`. */
function createInclusion(context: OperationContext, query: readonly string[]): Inclusion | undefined {
  const { binding, items, read } = context;
  const answer = read(findSuccessMedia(binding.operation)?.schemaPointer);
  if (!query.includes('include') || answer?.properties.get('included')?.schema.type !== 'array') return undefined;
  const { byNoun } = context.targets();
  const findRelated = (transaction: Transaction, named: unknown): readonly Item[] => {
    if (Array.isArray(named)) return named.flatMap((each) => findRelated(transaction, each));
    if (!isObject(named)) return [];
    const collection = byNoun.get(toBareName(toSingular(String(named['type']))))?.find(isTopLevel)?.name;
    if (collection === undefined) return [];
    return [items.find(items.locate(transaction, collection), String(named['id']))?.item ?? []].flat();
  };
  return (transaction, body, paths) => {
    if (!isObject(body) || paths.length === 0) return body;
    const included = new Map<string, Item>();
    for (const path of paths) {
      let current: readonly unknown[] = [body['data']].flat();
      for (const name of path.split('.')) {
        const found = current.flatMap((each) =>
          findRelated(transaction, readPath(each, ['relationships', name, 'data'])),
        );
        for (const item of found) included.set(JSON.stringify([item['type'], item['id']]), item);
        current = found;
      }
    }
    return { ...body, included: [...included.values()] };
  };
}

/** Plans the selection of properties: those that are named, the id and what the schema requires. */
function createSelection(
  context: OperationContext,
  query: readonly string[],
): ((values: Item, body: unknown) => unknown) | undefined {
  const { binding, model, read } = context;
  const parameter = query.find((name) => SELECT.test(name) && model.schema?.properties.has(name) !== true);
  const media = findSuccessMedia(binding.operation);
  if (parameter === undefined || media === undefined) return undefined;
  const { list } = binding;
  const one = list === undefined ? locateItem(context, model, media.schemaPointer) : undefined;
  const path = list === undefined ? (one?.path ?? []) : [...list.path, ...list.element];
  const schema = list?.itemSchema === undefined ? one?.schema : read(list.itemSchema);
  if (schema === undefined) return undefined;
  const required = listProperties(schema)
    .filter((property) => property.required)
    .map(({ name }) => name);
  const always = [...required, (model.resource.idProperty ?? 'id').split('.')[0]];
  return (values, body) => {
    const named = readNames(values[parameter]).map((name) => name.split(/[./(]/)[0] ?? '');
    if (!named.some((name) => schema.properties.has(name))) return body;
    const shown = new Set([...named, ...always]);
    return mapAt(body, path, (item) => (isObject(item) ? filterMembers(item, (name) => shown.has(name)) : item));
  };
}

/** What is expanded, and the dotted paths to it: `customer`, `data.customer`. */
interface Expansion {
  readonly body: unknown;
  readonly pointer: string;
  readonly paths: readonly string[];
}

/** Creates the function that replaces ids by items where a schema allows a string and the item. */
function createExpansion(context: OperationContext): (transaction: Transaction, of: Expansion) => unknown {
  const { binding, contract, items, read } = context;
  const { bySchema } = context.targets();
  const findCollection = memoize((pointer: string): string | undefined => {
    const branches = listBranches(contract, pointer).map(read);
    if (!branches.some((branch) => branch?.type === 'string')) return undefined;
    return branches.flatMap((branch) => bySchema.get(branch?.pointer ?? '') ?? [])[0];
  });
  const expand = (
    transaction: Transaction,
    value: unknown,
    at: { pointer: string; path: readonly string[] },
  ): unknown => {
    const { pointer, path } = at;
    if (Array.isArray(value)) {
      const own = read(pointer)?.items;
      return own === undefined ? value : value.map((each) => expand(transaction, each, { pointer: own, path }));
    }
    if (!isObject(value)) {
      const collection = typeof value === 'string' ? findCollection(pointer) : undefined;
      const entry =
        collection === undefined ? undefined : items.find(items.locate(transaction, collection), String(value));
      const schema = collection === undefined ? undefined : items.model(collection).resource.schema;
      if (entry === undefined || schema === undefined) return value;
      const shown = context.declared.inside(schema)?.(entry.item) ?? entry.item;
      return expand(transaction, shown, { pointer: schema, path });
    }
    const [name, ...rest] = path;
    const property = name === undefined ? undefined : read(pointer)?.properties.get(name);
    if (name === undefined || property === undefined || !Object.hasOwn(value, name)) return value;
    return { ...value, [name]: expand(transaction, value[name], { pointer: property.pointer, path: rest }) };
  };
  return (transaction, { body, pointer, paths }) => {
    const root = read(pointer);
    // In lists, a path begins at the body or at the item.
    const place = binding.list === undefined ? [] : [...binding.list.path, ...binding.list.element];
    return paths.reduce<unknown>((result, dotted) => {
      const path = dotted.split('.');
      const isAtRoot = root?.properties.has(path[0] ?? '') === true;
      return expand(transaction, result, { pointer, path: isAtRoot ? path : [...place, ...path] });
    }, body);
  };
}
