import { means } from '../../../conventions/conventions.js';
import { isObject } from '../../../base/json.js';
import { readField } from '../../../http/header-fields.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { loadBody } from '../cassette/recorded-body.js';

/** One recorded page of a list. */
interface RecordedPage {
  readonly exchange: StoredExchange;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly envelope: Readonly<Record<string, unknown>>;
}

/** A contradiction in a recorded page, or between the pages of one list. */
interface ListError {
  readonly file: string;
  readonly code: 'LIST_INCONSISTENT' | 'LIST_REPEATS';
  readonly message: string;
}

/** Whether a query parameter selects a page. */
export function isCursor(name: string): boolean {
  return means(name, 'queries.token', 'queries.after', 'queries.startingAfter', 'queries.page', 'queries.offset');
}

/** Checks that `first_id`, `last_id` and `has_more` agree with the items, and that no item is on two pages of a list. */
export function checkLists(cassette: Cassette): readonly ListError[] {
  const pages = readPages(cassette);
  return [...pages.flatMap(checkEnvelope), ...groupPages(pages).flatMap(checkPages)];
}

/** The pages of a cassette: successful answers to GET with an array of items that have ids. */
export function readPages({ folder, exchanges }: Cassette): readonly RecordedPage[] {
  return exchanges.flatMap((exchange) => {
    const { response } = exchange;
    if (response === undefined || response.status >= 300 || exchange.request.method !== 'GET') return [];
    const { body } = loadBody(folder, response);
    const envelope = isObject(body) ? body : {};
    const lists = (Array.isArray(body) ? [body] : Object.values(envelope)).filter((value) => Array.isArray(value));
    const items = lists.find((list) => list.every((item) => isObject(item) && item['id'] !== undefined));
    // `every` has verified the items.
    return items === undefined ? [] : [{ exchange, envelope, items: items as RecordedPage['items'] }];
  });
}

/** Groups consecutive pages of one list: the same path and filters, each page beginning where the previous one ended. */
export function groupPages(pages: readonly RecordedPage[]): readonly (readonly RecordedPage[])[] {
  const groups: [RecordedPage, ...RecordedPage[]][] = [];
  for (const page of pages) {
    const { query } = page.exchange.request;
    const cursor = readField(query, Object.keys(query).find(isCursor) ?? '');
    const isNext = (last: RecordedPage | undefined): boolean =>
      cursor !== undefined && readNextCursors(last).includes(cursor);
    const group = groups.findLast((known) => isNext(known.at(-1)) && toListKey(known[0]) === toListKey(page));
    if (group === undefined) groups.push([page]);
    else group.push(page);
  }
  return groups;
}

function checkEnvelope({ exchange: { file }, envelope, items }: RecordedPage): readonly ListError[] {
  const errors: ListError[] = [];
  const ends = { first_id: items[0]?.['id'], last_id: items.at(-1)?.['id'] };
  for (const [name, id] of Object.entries(ends)) {
    const given = envelope[name];
    if (given === undefined || (given ?? undefined) === id) continue;
    const message = `${name} is ${JSON.stringify(given)}, but the id of the item is ${JSON.stringify(id) ?? 'missing'}`;
    errors.push({ file, code: 'LIST_INCONSISTENT', message });
  }
  if (envelope['has_more'] === true && items.length === 0) {
    errors.push({ file, code: 'LIST_INCONSISTENT', message: 'has_more is true, but the page is empty' });
  }
  return errors;
}

function checkPages(pages: readonly RecordedPage[]): readonly ListError[] {
  const errors: ListError[] = [];
  const seen = new Map<unknown, string>();
  for (const [i, { exchange, envelope, items }] of pages.entries()) {
    const { file } = exchange;
    for (const { id } of items) {
      const other = seen.get(id);
      if (other !== undefined && other !== file) {
        const message = `${JSON.stringify(id)} is already on the page in ${other}`;
        errors.push({ file, code: 'LIST_REPEATS', message });
      }
      seen.set(id, file);
    }
    const next = pages[i + 1];
    if (envelope['has_more'] === false && next !== undefined && next.items.length > 0) {
      const message = `has_more is false, but ${next.exchange.file} has ${next.items.length} more`;
      errors.push({ file, code: 'LIST_INCONSISTENT', message });
    }
  }
  return errors;
}

function readNextCursors(page: RecordedPage | undefined): readonly string[] {
  if (page === undefined) return [];
  const next = Object.entries(page.envelope).filter(([name]) => means(name, 'pages.next', 'pages.lastId'));
  const values = [page.items.at(-1)?.['id'], ...next.map(([, value]) => value)];
  return values.filter((value): value is string => typeof value === 'string');
}

function toListKey({ exchange: { request } }: RecordedPage): string {
  const filters = Object.entries(request.query)
    .filter(([name]) => !isCursor(name) && !means(name, 'queries.limit'))
    .toSorted(([x], [y]) => (x < y ? -1 : 1));
  return JSON.stringify([request.method, request.path, filters]);
}
