import { INCLUDING_VERB } from '../../conventions/forms.js';
import { TAKES_NEXT, FIRST_NUMBERS, EXCLUDES } from '../../conventions/descriptions.js';
import { means, type Idea } from '../../conventions/conventions.js';
import type { Contract } from '../../contract/contract.js';
import { isObject, type SchemaObject } from '../../base/json.js';
import { type Operation, readText } from '../../contract/operations/operation.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import {
  type SchemaView,
  type ReadSchema,
  type PropertyView,
  listProperties,
} from '../../contract/schema-view/schema-view.js';
import { toBareName } from '../../base/names.js';
import { CURSOR_PARAMETER } from '../../http/request/parameters.js';
import {
  createValueReader,
  findIdFilter,
  findPageInputs,
  type IdFilter,
  type ItemKeys,
  type PageInput,
} from './inputs.js';
import { type EnvelopeField, hasField, hasMember, type Plan } from './list-shape.js';
import { PAGE_STYLES, type PageFacts, type PageRole, type PageStyle, type PageStyleName } from './pagination.js';
import { findBound, findFilter, findRangeBound, isTimeBound } from './filters.js';
import type { Filter } from './view.js';
import { listStatuses, toFlagName } from '../../conventions/names.js';
import { isInactiveTime, isInstant, isStatus } from '../item/server-values.js';
import type { StoredItem } from '../store/lists/item-list.js';

/** How a list is paginated, sorted and filtered: the roles of its query parameters. */
export interface PagePlan extends PageFacts {
  readonly style: PageStyle;
  /** Role -> the name of its query parameter. */
  readonly names: Readonly<Partial<Record<PageRole, string>>>;
  readonly defaultLimit: number;
  /** The parameters that can limit a page: some lists have `limit` beside `pageSize`. */
  readonly limits: readonly string[];
  /** Whether a negative limit asks for all items, as its description says. */
  readonly isUnlimited: boolean;
  /** Larger limits are reduced to this; Infinity where the contract declares none. */
  readonly maximumLimit: number;
  /** The parameter that reverses the order. */
  readonly order: string | undefined;
  /** The parameter that names the property to sort by. */
  readonly sort: string | undefined;
  /** Whether the list is newest first by default. */
  readonly descending: boolean;
  /** The parameter with words or clauses (`name:"Ada"`) to search for. */
  readonly search: string | undefined;
  /** The parameter with an expression that selects items: `$filter=startswith(name,'A')`. */
  readonly expression: string | undefined;
  /** The parameters that can have conditions as JSON: `filter: { email: { exact } }`. */
  readonly structured: readonly string[];
  /** Query parameters with the name of a property of the items. */
  readonly filters: readonly Filter[];
  /** The parameter that names the items to list. */
  readonly ids: IdFilter | undefined;
  readonly item: SchemaView | undefined;
  /** Items that are listed only where a query parameter asks for them, if at all. */
  readonly hidden: readonly HiddenItems[];
  /** Reads the values of the parameters from a request, by their names. */
  readonly readValues: ReturnType<typeof createValueReader>;
  /** The parameters that the list itself does not read. */
  readonly unused: readonly PageInput[];
  /** Plans for the other styles that the parameters allow: `page_number` beside `next_page_token`. */
  readonly others: readonly PagePlan[];
}

const NEWEST_FIRST = /(newest|most recent(ly \w+)?)( \w+){0,3} first|descending|reverse chronological/i;

/** The number of items on a page where the document declares none. */
const PAGE_SIZE = 20;

/** The facts about the items of a list. */
interface PageKnowledge {
  readonly item: SchemaView | undefined;
  readonly style?: PageStyleName | undefined;
  /** The shape of the response. */
  readonly shape?: Plan | undefined;
  /** Reads the schemas of objects in items. */
  readonly read?: ReadSchema | undefined;
  readonly resource?: ItemKeys | undefined;
}

/** A parameter with what every style asks of it. */
interface Candidate extends PageInput {
  /** Its bare name, without a leading `x-`. */
  readonly bare: string;
  /** Its schema, without a reference. */
  readonly own: SchemaObject;
}

/** Reads the parameters of a list operation. */
export function createPagePlan(contract: Contract, operation: Operation, known: PageKnowledge): PagePlan {
  const query = findPageInputs(contract, operation).map((input): Candidate => {
    const { schema } = contract.resolve(input.schema, input.schemaPointer);
    return { bare: toBareName(input.known.replace(/^x-/i, '')), own: isObject(schema) ? schema : {}, ...input };
  });
  return planPages(operation, known, query);
}

function planPages(operation: Operation, known: PageKnowledge, query: readonly Candidate[]): PagePlan {
  const { style, names } = withCursor(findStyle(query, known.style), known);
  const same = findOtherSpellings(query, Object.values(names));
  const limits = findLimits(query, names.limit);
  const taken = new Set<string>([...Object.values(names), ...limits, ...same.map(([other]) => other)]);
  const order = query.find(({ known, schema }) => means(known, 'queries.order') && hasDirections(schema));
  const sort = query.find(
    ({ name, known }) => means(known, 'queries.sort') && !taken.has(name) && name !== order?.name,
  );
  const search = query.find(({ known }) => means(known, 'queries.search'));
  const named = (role: PageRole): Candidate | undefined => query.find(({ name }) => name === names[role]);
  const limit = named('limit');
  const isNumbered =
    known.shape !== undefined &&
    hasField(known.shape, ({ role, type }) => role === 'next' && /^(integer|number)$/.test(type ?? ''));
  const isNewestFirst = style.name === 'starting-after' || NEWEST_FIRST.test(readText(operation));
  const isWhole = style.signs.length === 0 || style.name === 'range';
  const free = query.filter(({ name }) => !taken.has(name));
  const ids = known.resource && findIdFilter(free, known.resource);
  for (const parameter of [order, sort, search, ids]) if (parameter !== undefined) taken.add(parameter.name);
  const selection = planSelection(query, { taken, known });
  const others =
    known.style === undefined
      ? findOtherStyles(query, style).map((each) => planPages(operation, { ...known, style: each }, query))
      : [];
  const read = new Set([...selection.read, ...others.flatMap((each) => Object.values(each.names))]);
  return {
    style,
    names,
    firstPage: readFirst(named('page'), known.shape !== undefined && hasMember(known.shape, 'pages.fromZero') ? 0 : 1),
    firstOffset: readFirst(named('offset'), known.shape !== undefined && isFromOne(known.shape) ? 1 : 0),
    numbers: readNumbers(names.token),
    limits,
    isUnlimited: UNLIMITED.test(limit?.description ?? limit?.own.description ?? ''),
    isAlwaysGiven: named('token')?.required === true,
    fits: createFit(named('token'), isNumbered),
    defaultLimit: limit === undefined ? (isWhole ? Infinity : PAGE_SIZE) : readDefault(limit),
    maximumLimit: limit?.own.maximum ?? Infinity,
    order: order?.name,
    sort: sort?.name,
    descending: order === undefined ? isNewestFirst : isDescending(order.own.default),
    search: search?.name,
    ids,
    item: known.item,
    expression: selection.expression,
    structured: selection.structured,
    filters: selection.filters,
    hidden: [...selection.hidden, ...findExcludedItems(operation, query, known.item)],
    readValues: withOtherSpellings(createValueReader(query), same),
    unused: query.filter(({ name }) => !read.has(name)),
    others,
  };
}

/** The names of the parameters that limit a page. */
function findLimits(query: readonly Candidate[], usual: string | undefined): readonly string[] {
  const isLimit = (each: Candidate): boolean => means(each.bare, 'queries.plainLimit') && fitsRole(each, 'limit');
  return query.flatMap((each) => (each.name === usual || isLimit(each) ? [each.name] : []));
}

/** What selects items of a list, and the names of all parameters that have an effect on it. */
interface PlannedSelection extends Pick<PagePlan, 'expression' | 'filters' | 'hidden' | 'structured'> {
  readonly read: ReadonlySet<string>;
}

/** Plans which parameters select items. @param of - `taken`: those with another role. */
function planSelection(
  query: readonly Candidate[],
  of: { readonly taken: ReadonlySet<string>; readonly known: PageKnowledge },
): PlannedSelection {
  const { taken, known } = of;
  const filters = query.flatMap((input) => (taken.has(input.name) ? [] : (findListFilter(input, query, known) ?? [])));
  const filtering = new Set(filters.map(({ parameter }) => parameter));
  const isText = ({ own }: Candidate): boolean => [own.type ?? 'string'].flat().includes('string');
  const expressions = query.filter((input) => means(input.known, 'queries.expression') && isText(input));
  const expression = expressions.find(({ name }) => known.item?.members.has(name) !== true)?.name;
  const structured = query
    .filter((input) => !filtering.has(input.name) && canBeStructured(input))
    .map(({ name }) => name);
  const flags = query.flatMap((input) => {
    const items = findHiddenItems(input, input.own, known.item);
    return items === undefined ? [] : [{ name: input.name, items }];
  });
  const read = new Set([...taken, ...filtering, ...structured, ...flags.map(({ name }) => name)]);
  if (expression !== undefined) read.add(expression);
  return { filters, expression, structured, hidden: flags.map(({ items }) => items), read };
}

/** The filter that a parameter is: by a range of time, the name of a property, or a bound of one. */
function findListFilter(input: Candidate, query: readonly Candidate[], known: PageKnowledge): Filter | undefined {
  const { own: schema } = input;
  return (
    findRangeBound(input, query, { schema, item: known.item }) ??
    findFilter(input, schema, known) ??
    findBound(input, schema, known.item)
  );
}

/** Whether a parameter can have conditions as JSON, by its name, and its schema does not say that it is a string or a number. */
function canBeStructured({ name, own }: Candidate): boolean {
  const types = [own.type ?? 'object'].flat();
  return (
    types.some((type) => type === 'object' || type === 'array') &&
    means(name, 'queries.expression', 'operators.conditions', 'operators.all', 'operators.any')
  );
}

/** The plan for a request: that of the style whose parameters it names. */
export function choosePlan(plan: PagePlan, input: Readonly<Record<string, unknown>>): PagePlan {
  if (plan.others.length === 0 || isNamed(plan, input)) return plan;
  return plan.others.find((each) => isNamed(each, input)) ?? plan;
}

function isNamed({ style, names }: PagePlan, input: Readonly<Record<string, unknown>>): boolean {
  return style.signs.some((role) => input[names[role] ?? ''] !== undefined);
}

/** Whether a value of an order parameter means newest or largest first. */
export function isDescending(value: unknown): boolean {
  return typeof value === 'string' && /^(desc|descending|-|newest|reverse|down)/i.test(value);
}

function findStyle(query: readonly Candidate[], hinted: PageStyleName | undefined): Pick<PagePlan, 'style' | 'names'> {
  let last: ReturnType<typeof findStyle> | undefined;
  for (const style of PAGE_STYLES) {
    if (hinted !== undefined && style.name !== hinted) continue;
    const names = findNames(query, style);
    last = { style, names };
    if (style.signs.some((role) => names[role] !== undefined)) return last;
  }
  const token =
    hinted === undefined ? query.find(({ description = '' }) => TAKES_NEXT.test(description))?.name : undefined;
  const byToken = PAGE_STYLES.find(({ name }) => name === 'token');
  if (token !== undefined && byToken !== undefined)
    return { style: byToken, names: { ...findNames(query, byToken), token } };
  // The last style has only the limit.
  return last ?? { style: PAGE_STYLES[PAGE_STYLES.length - 1] as PageStyle, names: {} };
}

/** A style with a limit alone, with a cursor of its own where the response has the URL of the next page: services choose what is in that URL. */
function withCursor(found: ReturnType<typeof findStyle>, { shape, style: hinted }: PageKnowledge): typeof found {
  const isAlone = found.style.name === 'none' && found.names.limit !== undefined && hinted === undefined;
  const style = PAGE_STYLES.find(({ name }) => name === 'token');
  const isUrl = ({ role, form }: EnvelopeField): boolean => role === 'next' && (form === 'url' || form === 'path');
  if (!isAlone || style === undefined || shape === undefined || !hasField(shape, isUrl)) return found;
  return { style, names: { ...found.names, token: CURSOR_PARAMETER } };
}

function findNames(query: readonly Candidate[], style: PageStyle): PagePlan['names'] {
  const names: Partial<Record<PageRole, string>> = {};
  // The roles of a style are the keys of its own table.
  for (const [role, idea] of Object.entries(style.parameters) as [PageRole, Idea][]) {
    const name = query.find((each) => means(each.bare, idea) && fitsRole(each, role))?.name;
    if (name !== undefined) names[role] = name;
  }
  return names;
}

/** Parameters with the name of one of a page in another spelling, each with that name: `MaxResults` beside `max-results`. */
function findOtherSpellings(
  query: readonly PageInput[],
  names: readonly string[],
): readonly (readonly [string, string])[] {
  return names.flatMap((own) =>
    query.flatMap(({ name }) => (name !== own && toBareName(name) === toBareName(own) ? [[name, own] as const] : [])),
  );
}

function withOtherSpellings(
  read: PagePlan['readValues'],
  same: ReturnType<typeof findOtherSpellings>,
): PagePlan['readValues'] {
  if (same.length === 0) return read;
  return (request) => {
    const values = read(request);
    const given = same.flatMap(([other, own]) => (values[other] === undefined ? [] : [[own, values[other]] as const]));
    return given.length === 0 ? values : { ...Object.fromEntries(given), ...values };
  };
}

/** The styles besides one that have a parameter of their own. */
function findOtherStyles(query: readonly Candidate[], own: PageStyle): readonly PageStyleName[] {
  const taken = new Set(Object.values(findNames(query, own)));
  return PAGE_STYLES.filter((style) => {
    const names = findNames(query, style);
    return style.signs.some((role) => names[role] !== undefined && !taken.has(names[role]));
  }).map(({ name }) => name);
}

/** Whether the type of a parameter fits a role: `page` is a number, or a token where it is a string; a limit is a number. */
function fitsRole(parameter: Candidate, role: PageRole): boolean {
  if (role === 'range') return parameter.in === 'header';
  const { own: schema } = parameter;
  // A time leaves out items, it does not name one.
  if ((role === 'after' || role === 'before') && isTimeBound(parameter, schema)) return false;
  const types = [schema.type ?? []].flat();
  const isText = types.includes('string') && schema.enum === undefined;
  const isNumberInText = isText && [schema.default, ...(schema.examples ?? [])].some(isShortNumber);
  const { description = '' } = parameter;
  const isPageNumber = isText && PAGE_NUMBER.test(description);
  if (role === 'token' && NUMBERED.test(parameter.known)) {
    const isCount = isText && /offset/i.test(parameter.known) && COUNTS.test(description);
    return types.includes('string') && !isNumberInText && !isCount && !isPageNumber;
  }
  if (role === 'page' && isPageNumber) return true;
  const isNumber = types.length === 0 || types.includes('integer') || types.includes('number') || isNumberInText;
  if (role === 'limit' && isText && means(parameter.known, 'queries.plainLimit')) return true;
  if ((role === 'limit' || role === 'offset') && isText && COUNTS.test(description)) return true;
  const needsNumber = role === 'page' || role === 'offset' || role === 'limit';
  return isNumber || (!needsNumber && types.includes('string'));
}

function readNumbers(token: string | undefined): PageFacts['numbers'] {
  const [, , kind] = NUMBERED.exec(token ?? '') ?? [];
  if (kind === undefined) return undefined;
  return kind.toLowerCase() === 'page' ? 'page' : 'offset';
}

/** Names of parameters whose strings can be numbers as well as cursors. */
const NUMBERED = /^(x-|[_$])?(page|offset)$/i;

/** Words in the description of a page that is a string that say that it is a number. */
const PAGE_NUMBER =
  /\bpage (number|index)\b|\bnumber of (the )?page\b|\b(zero|one|0|1)[- ]based\b|\bpages? (begins?|starts?) (at|with)\b/i;

/** Whether a value is that of a page or an offset, as a string: longer ones can be tokens and years. */
function isShortNumber(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,3}$/.test(value);
}

/** Words in the description of a parameter that say that its string is a number of items. */
const COUNTS =
  /\b(number of|how many|maximum|max|zero[- ]based|(starting|start) (index|position))\b|\blimit (the|of)\b/i;

function hasDirections(schema: PageInput['schema']): boolean {
  const values = isObject(schema) ? schema.enum : undefined;
  return values === undefined || values.some((value) => /^(asc|desc)/i.test(String(value)));
}

/** The number of the first page or item, 0 or 1: not the usual one where the default, minimum or description of its parameter says so. */
function readFirst(parameter: Candidate | undefined, usual: 0 | 1): number {
  if (parameter === undefined) return usual;
  const other = 1 - usual;
  const { own: schema, description = '' } = parameter;
  if (typeof schema.default === 'number' || isShortNumber(schema.default))
    return Number(schema.default) === other ? other : usual;
  const text = `${description} ${schema.description ?? ''}`;
  if (FIRST_NUMBERS[other]?.test(text) === true) return other;
  return schema.minimum === other && !FIRST_NUMBERS[usual].test(text) ? other : usual;
}

/** Whether the schema of a parameter allows a value: its type, pattern and lengths. */
function createFit(parameter: Candidate | undefined, isNumbered: boolean): (value: string) => boolean {
  if (parameter === undefined) return () => true;
  const { type, pattern, minLength = 0, maxLength = Infinity } = parameter.own;
  const isNumber = isNumbered || !(type === undefined || [type].flat().includes('string'));
  const expression = pattern === undefined ? undefined : readPattern(pattern).pattern;
  return (value) =>
    value.length >= minLength &&
    value.length <= maxLength &&
    // A number has no leading zeros, and no more digits than JSON keeps.
    (!isNumber || /^(0|[1-9]\d{0,14})$/.test(value)) &&
    (expression?.test(value) ?? true);
}

/** Whether an envelope is that of OpenSearch and SCIM (RFC 7644 3.4.2.4), whose first item has the index 1. */
function isFromOne(shape: Plan): boolean {
  return hasMember(shape, 'pages.fromOne') && hasMember(shape, 'pages.itemsPerPage');
}

/** How a description says that -1 means no limit: "Use -1 for all." */
const UNLIMITED = /(?<![\w.])-1(?![\w.])/;

/** The default of a limit: that of its schema, else the one in its description. */
function readDefault(parameter: Candidate): number {
  const { own: schema } = parameter;
  // Some services write -1 or 0 for no limit.
  if (typeof schema.default === 'number') return schema.default > 0 ? schema.default : Infinity;
  if (typeof schema.default === 'string' && /^\d+$/.test(schema.default)) return Number(schema.default) || Infinity;
  const text = parameter.description ?? schema.description ?? '';
  const told = /defaults?(?: value)?(?: is| to|:| of)?\s*(?:is\s*)?`?(\d+)/i.exec(text)?.[1];
  if (told === undefined) return Math.min(PAGE_SIZE, schema.maximum ?? PAGE_SIZE);
  return Number(told) || Infinity;
}

/** Items that a list leaves out unless a parameter such as `include_disabled` asks for them. */
interface HiddenItems {
  /** The name, in the trace, of the condition that leaves them out. */
  readonly name: string;
  /** Whether the values of the parameters ask for them. */
  isShown(values: Readonly<Record<string, unknown>>): boolean;
  isHidden(entry: StoredItem): boolean;
}

/** How a description gives the default of a flag: "The default is True." */
const SHOWN_BY_DEFAULT = /\bdefaults?\b(?:(?!\bfalse\b)[^.]){0,20}\btrue\b/i;

/** The items that a flag of a list adds: `include_disabled` those with `enabled: false`; undefined for other parameters. */
function findHiddenItems(
  { name, description = '' }: PageInput,
  { type, default: declared }: SchemaObject,
  item: SchemaView | undefined,
): HiddenItems | undefined {
  const value = declared ?? SHOWN_BY_DEFAULT.test(description);
  const word = toBareName(name.replace(INCLUDING_VERB, ''));
  if (!INCLUDING_VERB.test(name) || type !== 'boolean' || word === '') return undefined;
  for (const property of listProperties(item)) {
    const isHiddenValue = findHiddenValue(property, word);
    if (isHiddenValue === undefined) continue;
    return {
      name: `without ${name}`,
      isShown: (values) => {
        const given = values[name] ?? value;
        return given === true || given === 'true';
      },
      isHidden: (entry) => isHiddenValue(entry.item[property.name]),
    };
  }
  return undefined;
}

/** The items that the description of a list excludes by their status or a flag, unless a parameter for that status asks for them. */
function findExcludedItems(
  operation: Operation,
  inputs: readonly PageInput[],
  item: SchemaView | undefined,
): readonly HiddenItems[] {
  const word = toBareName(EXCLUDES.exec(readText(operation))?.[1] ?? '').replace('cancelled', 'canceled');
  const forms = word === 'canceled' ? [word, 'cancelled'] : [word];
  const named = (name: string): boolean => forms.some((form) => toBareName(name).includes(form));
  return listProperties(item).flatMap((property) => {
    const { name, schema } = property;
    if (word === '' || (schema.type !== 'boolean' && !isStatus(name))) return [];
    const isHiddenValue = forms.map((form) => findHiddenValue(property, form)).find((each) => each !== undefined);
    if (isHiddenValue === undefined) return [];
    const asking = inputs.filter((each) => each.name === name || named(each.name));
    return {
      name: `not ${forms[0]}`,
      isShown: (values) => asking.some((each) => values[each.name] !== undefined),
      isHidden: (entry) => isHiddenValue(entry.item[name]),
    };
  });
}

/** Whether a value of a property says that an item is what a word names; undefined where the property says nothing about it. */
function findHiddenValue(property: PropertyView, word: string): ((value: unknown) => boolean) | undefined {
  const { type } = property.schema;
  const bare = toFlagName(property.bare);
  if (type === 'boolean') {
    if (bare === word) return (value) => value === true;
    return means(word, 'statuses.inactive') && means(bare, 'values.active') ? (value) => value === false : undefined;
  }
  if (isStatus(property.name)) {
    const status = listStatuses(property.schema).find((each) => toBareName(each) === word);
    if (status !== undefined) return (value) => value === status;
  }
  if (means(word, 'statuses.inactive') && isInactiveTime(property))
    return (value) => value !== undefined && value !== null && value !== 0;
  const isTime = (bare === word || bare === `${word}at`) && isInstant(property);
  return isTime ? (value) => value !== undefined && value !== null : undefined;
}
