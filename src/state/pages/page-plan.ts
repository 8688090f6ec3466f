import type { Contract } from '../../contract/contract.js';
import { isObject, type SchemaObject } from '../../contract/json.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import type { ItemSchema } from '../item-schema.js';
import { PAGE_STYLES, type PageRole, type PageStyle, type PageStyleName } from './page.js';
import type { Filter } from './view.js';

/** How a list is paginated, sorted and filtered: the roles of its query parameters. */
export interface PagePlan {
  readonly style: PageStyle;
  /** Role -> the name of its query parameter. */
  readonly names: Readonly<Partial<Record<PageRole, string>>>;
  readonly defaultLimit: number;
  /** Larger limits are reduced to this; Infinity where the contract declares none. */
  readonly maximumLimit: number;
  /** The parameter that reverses the order, and the order without it. */
  readonly order: { readonly name: string; readonly initial: 'ascending' | 'descending' } | undefined;
  /** The parameter that names the property to sort by. */
  readonly sort: string | undefined;
  /** Whether the list is newest first by default. */
  readonly descending: boolean;
  /** The parameter with words or clauses (`name:"Ada"`) to search for. */
  readonly search: string | undefined;
  /** Query parameters with the name of a property of the items. */
  readonly filters: readonly Filter[];
}

const ORDER = /^(order|direction|sort_?(order|dir(ection)?)|order_?dir(ection)?)$/i;
const SORT = /^(sort|sort_?by|order_?by)$/i;

const SEARCH = /^(query|q|search|search_?(query|term|text)|term|keywords?|filter_?term)$/i;

/** The number of items on a page where the document declares none. */
const PAGE_SIZE = 20;

/** Reads the query parameters of a list operation. */
export function createPagePlan(
  contract: Contract,
  operation: Operation,
  known: { readonly item: ItemSchema | undefined; readonly style?: PageStyleName | undefined },
): PagePlan {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const { style, names } = findStyle(contract, query, known.style);
  const taken = new Set<string>(Object.values(names));
  const order = query.find(({ name, schema }) => ORDER.test(name) && hasDirections(schema));
  const sort = query.find(({ name }) => SORT.test(name) && !taken.has(name) && name !== order?.name);
  const search = query.find(({ name }) => SEARCH.test(name));
  const text = readDescription(contract, operation);
  const limit = query.find(({ name }) => name === names.limit);
  const descending =
    order === undefined
      ? style.name === 'starting-after' ||
        /(newest|most recent(ly \w+)?)( \w+){0,3} first|descending|reverse chronological/i.test(text)
      : isDescending(readSchema(contract, order).default);
  for (const parameter of [order, sort, search]) if (parameter !== undefined) taken.add(parameter.name);
  return {
    style,
    names,
    defaultLimit: limit === undefined ? (style.name === 'none' ? Infinity : PAGE_SIZE) : readDefault(contract, limit),
    maximumLimit: limit === undefined ? Infinity : (readSchema(contract, limit).maximum ?? Infinity),
    order: order === undefined ? undefined : { name: order.name, initial: descending ? 'descending' : 'ascending' },
    sort: sort?.name,
    descending,
    search: search?.name,
    filters: query.flatMap(({ name }) => {
      const property = taken.has(name) ? undefined : findFilter(name, known.item);
      return property === undefined ? [] : [{ parameter: name, property }];
    }),
  };
}

/** Whether a value of an order parameter means newest or largest first. */
export function isDescending(value: unknown): boolean {
  return typeof value === 'string' && /^(desc|descending|-|newest|reverse|down)/i.test(value);
}

function findStyle(
  contract: Contract,
  query: readonly Parameter[],
  hinted: PageStyleName | undefined,
): { readonly style: PageStyle; readonly names: PagePlan['names'] } {
  let last: { readonly style: PageStyle; readonly names: PagePlan['names'] } | undefined;
  for (const style of PAGE_STYLES) {
    if (hinted !== undefined && style.name !== hinted) continue;
    const names: Partial<Record<PageRole, string>> = {};
    // The roles of a style are the keys of its own table.
    for (const [role, pattern] of Object.entries(style.parameters) as [PageRole, RegExp][]) {
      const name = query.find((parameter) => pattern.test(parameter.name) && fitsRole(contract, parameter, role))?.name;
      if (name !== undefined) names[role] = name;
    }
    last = { style, names };
    if (style.signs.some((role) => names[role] !== undefined)) return last;
  }
  // The last style has only the limit.
  return last ?? { style: PAGE_STYLES[PAGE_STYLES.length - 1] as PageStyle, names: {} };
}

/** Whether the type of a parameter fits a role: `page` is a number, or a token where it is a string; a limit is a number. */
function fitsRole(contract: Contract, parameter: Parameter, role: PageRole): boolean {
  const { type } = readSchema(contract, parameter);
  const types = typeof type === 'string' ? [type] : (type ?? []);
  if (role === 'token' && /^page$/i.test(parameter.name)) return types.includes('string');
  if (role === 'page' || role === 'offset' || role === 'limit') return types.length === 0 || types.some(isNumeric);
  return types.length === 0 || types.includes('string') || types.some(isNumeric);
}

function isNumeric(type: string): boolean {
  return type === 'integer' || type === 'number';
}

function hasDirections(schema: Parameter['schema']): boolean {
  const values = isObject(schema) ? schema.enum : undefined;
  return values === undefined || values.some((value) => /^(asc|desc)/i.test(String(value)));
}

function findFilter(name: string, item: ItemSchema | undefined): string | undefined {
  return (item?.properties.get(name) ?? item?.properties.get(name.replace(/\[\]$/, '')))?.name;
}

/** The default of a limit: that of its schema, else the one in its description. */
function readDefault(contract: Contract, parameter: Parameter): number {
  const schema = readSchema(contract, parameter);
  if (typeof schema.default === 'number') return schema.default;
  const text = parameter.description ?? schema.description ?? '';
  const told = /defaults?(?: value)?(?: is| to|:| of)?\s*(?:is\s*)?`?(\d+)/i.exec(text)?.[1];
  return told === undefined ? Math.min(PAGE_SIZE, schema.maximum ?? PAGE_SIZE) : Number(told);
}

function readSchema(contract: Contract, parameter: Parameter): SchemaObject {
  const { schema } = contract.resolve(parameter.schema, parameter.schemaPointer);
  return isObject(schema) ? schema : {};
}

function readDescription(contract: Contract, operation: Operation): string {
  const value = contract.at(`${operation.pointer}/description`);
  return `${operation.summary ?? ''} ${typeof value === 'string' ? value : ''}`;
}
