import { isObject } from '../../base/json.js';
import { host } from '../../base/platform.js';
import { readPointer } from '../../contract/pointer.js';
import { readField } from '../../http/header-fields.js';
import type { OperationReport } from '../../resources/answer/report.js';
import { operationOf, placeIds, readItemId, type VerifiedCollection } from './context.js';
import type { Found, Judged } from './judge.js';
import { askFor, type VerifyRun } from './run.js';
import type { Exchange } from './target.js';

type Query = Readonly<Record<string, unknown>>;

/** One page of a list. */
interface Page {
  readonly judged: Judged;
  /** The ids of the items; items without an id are not in it. */
  readonly ids: readonly string[];
  readonly items: readonly unknown[];
  /** The query of the next page; undefined on the last one. */
  readonly next: Query | undefined;
  readonly total: number | undefined;
}

interface ListOf {
  readonly report: OperationReport;
  readonly collection: VerifiedCollection;
  /** The ids of the parents. */
  readonly parents: readonly string[];
}

/** Asks for a page; undefined if the answer has no list. */
async function askPage(
  run: VerifyRun,
  { report, collection, parents }: ListOf,
  { case: name, query }: { readonly case: string; readonly query: Query },
): Promise<Page | undefined> {
  const judged = await askFor(run, report, { case: name, path: placeIds(report, parents), query });
  const { status, body } = judged.exchange;
  const items = status === undefined || status >= 300 ? undefined : readPointer(body, report.list?.items ?? '');
  if (!Array.isArray(items)) return undefined;
  const ids = (items as readonly unknown[]).flatMap((each) => {
    const element = readPointer(each, report.list?.element?.item ?? '');
    const own = isObject(element) ? readItemId(collection.resource, element) : undefined;
    return own === undefined ? [] : [own.join('/')];
  });
  const total = readEnvelope(report, body, 'total');
  return {
    judged,
    ids,
    items,
    next: readNext(report, judged.exchange, { items, query }),
    total: typeof total === 'number' ? total : undefined,
  };
}

function readEnvelope({ list }: OperationReport, body: unknown, role: string): unknown {
  const [pointer] = Object.entries(list?.envelope ?? {}).find(([, each]) => each === role) ?? [];
  return pointer === undefined ? undefined : readPointer(body, pointer);
}

function readNext(
  report: OperationReport,
  { body, headers }: Exchange,
  { items, query }: { readonly items: readonly unknown[]; readonly query: Query },
): Query | undefined {
  const { list } = report;
  const { limit, page, offset, token, after } = list?.parameters ?? {};
  const cursor = token ?? after;
  const link = /<([^>]+)>\s*;[^,]*\brel="?next"?/.exec(readField(headers, 'link') ?? '')?.[1];
  const next = link ?? readEnvelope(report, body, 'next');
  if (next === null) return undefined;
  if (typeof next === 'string' && /[?&]/.test(next) && host.URL.canParse(next, 'http://list'))
    return Object.fromEntries(new host.URL(next, 'http://list').searchParams);
  if (typeof next === 'string' && next !== '' && cursor !== undefined) return { ...query, [cursor]: next };
  const hasMore = readEnvelope(report, body, 'hasMore');
  if (typeof hasMore === 'boolean' && cursor !== undefined) {
    const last = readEnvelope(report, body, 'lastId') ?? readPointer(items.at(-1), '/id');
    return hasMore && last !== undefined ? { ...query, [cursor]: last } : undefined;
  }
  const size = limit === undefined ? 0 : Number(query[limit]);
  if (!(size > 0) || items.length < size) return undefined;
  if (list?.style === 'page' && page !== undefined)
    return { ...query, [page]: Number(query[page] ?? list.firstPage) + 1 };
  if (list?.style === 'offset' && offset !== undefined)
    return { ...query, [offset]: Number(query[offset] ?? list.firstOffset) + size };
  return undefined;
}

/** How many items a page has when the pages of a list are walked, and how many pages are. */
const PAGE_SIZE = 2;
const MAX_PAGES = 30;

/** Asks for a list twice, and for all its pages. @returns its items, those of the first page first. */
export async function walkList(run: VerifyRun, of: ListOf): Promise<readonly unknown[]> {
  const { report, collection } = of;
  const first = await askPage(run, of, { case: 'list', query: {} });
  if (first === undefined) return [];
  // Items below several parents can have the same id.
  if (report.parents.length !== collection.resource.parents.length) return first.items;
  const again = await askPage(run, of, { case: 'the same list again', query: {} });
  const isSameSet = again !== undefined && sortIds(again.ids) === sortIds(first.ids);
  if (isSameSet && again.ids.join('\0') !== first.ids.join('\0')) {
    const message = `the items ${first.ids.slice(0, 5).join(', ')} are ${again.ids.slice(0, 5).join(', ')} in the next request`;
    run.report(again.judged, { code: 'ORDER_CHANGED', message });
    // Pages of a list in another order repeat items.
    return first.items;
  }
  const { limit } = report.list?.parameters ?? {};
  const size = toLimit(run, report, PAGE_SIZE);
  if (limit !== undefined && first.ids.length > size) await walkPages(run, of, { limit, size });
  // Without a limit it can be the first of several pages.
  else if (first.next === undefined && (limit !== undefined || (first.total ?? Infinity) < first.items.length))
    checkTotal(run, first, first.items.length);
  return first.items;
}

function sortIds(ids: readonly string[]): string {
  return [...new Set(ids)].toSorted().join('\0');
}

/** A number of items that a page can have: not less than the document allows. */
function toLimit({ context }: VerifyRun, report: OperationReport, wanted: number): number {
  const { limit } = report.list?.parameters ?? {};
  const parameter = operationOf(context, report).parameters.find((each) => each.in === 'query' && each.name === limit);
  const schema = parameter && context.contract.resolve(parameter.schema, parameter.schemaPointer).schema;
  return isObject(schema) && typeof schema['minimum'] === 'number' ? Math.max(wanted, schema['minimum']) : wanted;
}

async function walkPages(
  run: VerifyRun,
  of: ListOf,
  { limit, size }: { readonly limit: string; readonly size: number },
): Promise<void> {
  const seen = new Set<string>();
  let count = 0;
  for await (const page of listPages(run, of, { [limit]: size })) {
    const { judged, ids, items, next } = page;
    const found = findPageFault(page, size, seen);
    if (found !== undefined) return run.report(judged, found);
    for (const id of ids) seen.add(id);
    count += items.length;
    if (next === undefined) checkTotal(run, page, count);
  }
}

function findPageFault({ judged, ids, items, next }: Page, size: number, seen: ReadonlySet<string>): Found | undefined {
  const { case: name } = judged;
  if (items.length > size) return { code: 'PAGE_TOO_LARGE', message: `a page of ${size} has ${items.length} items` };
  const repeated = ids.filter((id) => seen.has(id));
  if (repeated.length === 0) return undefined;
  if (repeated.length < ids.length)
    return { code: 'PAGES_REPEAT', message: `${repeated.join(', ')} is on ${name} and on an earlier one` };
  const message = `${name} has only items of earlier pages: ${repeated.join(', ')}`;
  return { code: next === undefined ? 'PAGES_REPEAT' : 'PAGES_ENDLESS', message };
}

/** Asks for the pages of a list, as long as there is a next one. */
async function* listPages(run: VerifyRun, of: ListOf, first: Query): AsyncGenerator<Page, void> {
  let query: Query | undefined = first;
  for (let i = 1; query !== undefined && i <= MAX_PAGES; i++) {
    const page: Page | undefined = await askPage(run, of, { case: `page ${i}`, query });
    if (page === undefined) return;
    yield page;
    query = page.next;
  }
}

/** Compares the total that a list shows with the number of its items. */
function checkTotal(run: VerifyRun, { judged, total }: Page, count: number): void {
  if (total === undefined || total === count) return;
  const message = `the total is ${total}, and the list has ${count} items`;
  run.report(judged, { code: 'TOTAL_WRONG', message });
}

/** Whether a list shows an item on one of its pages; undefined if that cannot be said. */
export async function isListed(
  run: VerifyRun,
  of: ListOf,
  id: string,
): Promise<{ readonly page: Page; readonly isShown: boolean } | undefined> {
  const { limit } = of.report.list?.parameters ?? {};
  // A service may answer with fewer items than a large limit asks for, which would look like the last page.
  const size = toLimit(run, of.report, Math.min(100, of.report.list?.maximumLimit ?? 10));
  for await (const page of listPages(run, of, limit === undefined ? {} : { [limit]: size })) {
    if (page.ids.includes(id)) return { page, isShown: true };
    if (page.next === undefined) return { page, isShown: false };
  }
  return undefined;
}
