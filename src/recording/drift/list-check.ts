import { isObject } from '../../contract/json.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { loadBody } from '../cassette/recorded-body.js';
import type { CheckFinding } from './check.js';

/** One recorded page of a list. */
interface RecordedPage {
  readonly exchange: StoredExchange;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly envelope: Readonly<Record<string, unknown>>;
}

// The names under which a request says where its page begins.
const CURSORS: ReadonlySet<string> = new Set([
  'after',
  'starting_after',
  'cursor',
  'page_token',
  'pageToken',
  'next_token',
  'marker',
  'offset',
  'page',
]);

/** Whether what the pages of lists say of themselves is true of them. */
export function checkLists(cassette: Cassette): readonly CheckFinding[] {
  const pages = cassette.exchanges.flatMap((exchange) => readPage(cassette.folder, exchange) ?? []);
  return [...pages.flatMap(checkEnvelope), ...listWalks(pages).flatMap(checkWalk)];
}

/** The page in an exchange: a successful answer whose body is an array of items with ids, or has one. */
export function readPage(folder: string, exchange: StoredExchange): RecordedPage | undefined {
  const { response } = exchange;
  if (response === undefined || response.status >= 300 || exchange.request.method !== 'GET') return undefined;
  const { body } = loadBody(folder, response, response.headers);
  const envelope = isObject(body) ? body : {};
  const lists = (Array.isArray(body) ? [body] : Object.values(envelope)).filter((value) => Array.isArray(value));
  const items = lists.find((list) => list.every((item) => isObject(item) && item['id'] !== undefined));
  // `every` has looked at each item.
  return items === undefined ? undefined : { exchange, envelope, items: items as RecordedPage['items'] };
}

/** Pages that follow each other in one walk: same operation, path and filters, each one begun where the one before ended. */
export function listWalks(pages: readonly RecordedPage[]): readonly (readonly RecordedPage[])[] {
  const walks: RecordedPage[][] = [];
  for (const page of pages) {
    const cursor = readCursor(page.exchange);
    const walk = walks.findLast(
      (candidate) =>
        cursor !== undefined && isSameList(candidate[0], page) && readEnds(candidate.at(-1)).includes(cursor),
    );
    if (walk === undefined) walks.push([page]);
    else walk.push(page);
  }
  return walks;
}

/** The query parameters that only say where a page begins. */
export function isCursor(name: string): boolean {
  return CURSORS.has(name);
}

function checkEnvelope({ exchange, envelope, items }: RecordedPage): readonly CheckFinding[] {
  const report = (message: string): CheckFinding => ({
    file: exchange.file,
    severity: 'error',
    side: 'list',
    code: 'LIST_UNTRUE',
    message,
  });
  const findings: CheckFinding[] = [];
  for (const [name, item] of [
    ['first_id', items[0]],
    ['last_id', items.at(-1)],
  ] as const) {
    const given = envelope[name];
    const want = item?.['id'];
    if (given !== undefined && (given ?? undefined) !== want) {
      findings.push(
        report(`${name} is ${JSON.stringify(given)} and the item's id is ${JSON.stringify(want) ?? 'none'}`),
      );
    }
  }
  if (envelope['has_more'] === true && items.length === 0)
    findings.push(report('has_more is true and the page is empty'));
  return findings;
}

function checkWalk(walk: readonly RecordedPage[]): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const seen = new Map<unknown, string>();
  for (const [i, { exchange, envelope, items }] of walk.entries()) {
    const report = (code: string, message: string): void =>
      void findings.push({ file: exchange.file, severity: 'error', side: 'list', code, message });
    for (const { id } of items) {
      const other = seen.get(id);
      if (other !== undefined && other !== exchange.file)
        report('LIST_REPEATS', `${JSON.stringify(id)} was on the page of ${other} already`);
      seen.set(id, exchange.file);
    }
    const next = walk[i + 1];
    if (envelope['has_more'] === false && next !== undefined && next.items.length > 0) {
      report('LIST_UNTRUE', `has_more is false and ${next.exchange.file} has ${next.items.length} more`);
    }
  }
  return findings;
}

function readCursor({ request }: StoredExchange): string | undefined {
  const name = Object.keys(request.query).find(isCursor);
  const value = name === undefined ? undefined : request.query[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** What the next page could be asked with. */
function readEnds(page: RecordedPage | undefined): readonly string[] {
  if (page === undefined) return [];
  const named = ['last_id', 'next', 'next_cursor', 'next_page_token', 'nextPageToken', 'next_token', 'next_marker'];
  const texts = [page.items.at(-1)?.['id'], ...named.map((name) => page.envelope[name])];
  return texts.filter((text): text is string => typeof text === 'string');
}

function isSameList(one: RecordedPage | undefined, other: RecordedPage): boolean {
  if (one === undefined) return false;
  const toKey = ({ exchange: { request } }: RecordedPage): string =>
    JSON.stringify([
      request.method,
      request.path,
      Object.entries(request.query)
        .filter(([name]) => !isCursor(name) && name !== 'limit')
        .toSorted(([x], [y]) => (x < y ? -1 : 1)),
    ]);
  return toKey(one) === toKey(other);
}
