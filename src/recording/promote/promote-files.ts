import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { omitFields } from '../../http/header-fields.js';
import type { Validators } from '../../schema/validate.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles, writeCanonical } from '../cassette/exact-json.js';
import { loadBody, readText } from '../cassette/recorded-body.js';
import type { CheckResponse } from '../drift/check.js';
import type { Item, PromoteCollection, Promoted, PromotedItem } from './promote.js';

/** A file of promoted fixtures. */
interface FixtureFile {
  /** Relative to the fixtures folder. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** An item that is not in the fixtures because it is invalid. */
export interface SkippedItem {
  readonly collection: string;
  readonly id: string;
  readonly why: string;
}

/** The parts that fixtures are written with. */
interface FixtureParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly collections: ReadonlyMap<string, PromoteCollection>;
  /** Completes an item according to its schema. */
  complete(schemaPointer: string, partial: unknown): unknown;
}

/** The fixture files of a promoted state: a JSON file for each collection, and files for binary content. */
export function toFixtures(
  promoted: Promoted,
  parts: FixtureParts,
): { readonly files: readonly FixtureFile[]; readonly skipped: readonly SkippedItem[] } {
  const files: FixtureFile[] = [];
  const skipped: SkippedItem[] = [];
  for (const [name, items] of promoted.collections) {
    const written: unknown[] = [];
    for (const item of items) {
      const checked = checkItem(name, item, parts);
      if ('why' in checked) skipped.push({ collection: name, id: item.id, why: checked.why });
      else written.push({ ...checked.item, ...toParent(item), ...toContent(name, item, files) });
    }
    const defaults = readDefaults(promoted.created.get(name) ?? [], items);
    const fixture = { ...(Object.keys(defaults).length === 0 ? {} : { defaults }), items: written };
    files.push({ path: `${name}.json`, content: `${JSON.stringify(fixture, null, 2)}\n` });
  }
  return { files, skipped };
}

function checkItem(
  name: string,
  promoted: PromotedItem,
  parts: FixtureParts,
): { readonly item: Item } | { readonly why: string } {
  const schema = parts.collections.get(name)?.schema;
  if (schema === undefined) return { item: promoted.item };
  // Some items are only known by their id in a path.
  const whole = promoted.idOnly ? parts.complete(schema, promoted.item) : promoted.item;
  const [violation] = parts.validators.check(schema, 'response')(whole, 'body');
  if (violation !== undefined) return { why: violation.message };
  return { item: whole as Item };
}

function toParent({ parents }: PromotedItem): object {
  const ids = Object.values(parents);
  if (ids.length === 0) return {};
  return { $parent: ids.length === 1 ? ids[0] : parents };
}

const INLINE_LIMIT_BYTES = 1024;

function toContent(collection: string, { id, content }: PromotedItem, files: FixtureFile[]): object {
  if (content === undefined) return {};
  const type = content.mediaType === undefined ? {} : { $contentType: content.mediaType };
  const text = readText(content.bytes);
  if (text !== undefined) return { $content: text, ...type };
  if (content.bytes.byteLength <= INLINE_LIMIT_BYTES) {
    return { $content: { base64: Buffer.from(content.bytes).toString('base64') }, ...type };
  }
  const path = findFreePath(`content/${collection}/${id.replaceAll(/[^\w.-]/g, '_')}`, files);
  files.push({ path, content: content.bytes });
  return { $content: { path: `./${path}` }, ...type };
}

/** A free file name; different ids can have the same one, such as `a/1` and `a_1`. */
function findFreePath(base: string, files: readonly FixtureFile[]): string {
  const taken = new Set(files.map(({ path }) => path));
  let path = `${base}.bin`;
  for (let number = 2; taken.has(path); number++) path = `${base}-${number}.bin`;
  return path;
}

/**
 * The defaults of new items: members with the same value in every created and every existing item, although no request
 * contained them.
 */
function readDefaults(created: readonly Item[], items: readonly PromotedItem[]): Item {
  const [first, ...others] = created;
  if (first === undefined) return {};
  const agrees = (name: string, value: unknown, item: Item): boolean =>
    writeCanonical(item[name]) === writeCanonical(value);
  const witnesses = [...others, ...items.filter(({ idOnly }) => !idOnly).map(({ item }) => item)];
  return Object.fromEntries(
    Object.entries(first).filter(
      ([name, value]) => witnesses.length > 0 && witnesses.every((item) => agrees(name, value, item)),
    ),
  );
}

/** The parts of a scenario with recorded errors. */
interface ErrorScenarioParts {
  readonly check: CheckResponse;
  operation(id: string): Operation | undefined;
  /** The key of the request of an exchange. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** The query of an exchange, typed according to the contract. */
  queryOf(exchange: StoredExchange): Readonly<Record<string, unknown>>;
}

/** The scenario that replays recorded errors; undefined without any. */
export function toErrorScenario(
  cassette: Cassette,
  errors: readonly StoredExchange[],
  parts: ErrorScenarioParts,
): object | undefined {
  const operations: Record<string, object[]> = {};
  for (const exchange of errors) {
    const operation = parts.operation(exchange.operation);
    const { response } = exchange;
    if (operation === undefined || response === undefined) continue;
    operations[operation.id] = [...(operations[operation.id] ?? []), toRule(cassette, exchange, { operation, parts })];
  }
  if (Object.keys(operations).length === 0) return undefined;
  return { description: `Errors recorded in the cassette "${cassette.name}".`, operations };
}

function toRule(
  cassette: Cassette,
  exchange: StoredExchange,
  { operation, parts }: { readonly operation: Operation; readonly parts: ErrorScenarioParts },
): object {
  const { request, response } = exchange;
  const body = response === undefined ? {} : loadBody(cassette.folder, response, response.headers);
  const key = parts.keyOf(exchange);
  const same = cassette.exchanges.filter(
    (other) => other.operation === exchange.operation && parts.keyOf(other) === key,
  );
  const query = parts.queryOf(exchange);
  const status = response?.status ?? 500;
  const fields = omitFields(response?.headers ?? {}, ['content-type', 'date', 'connection', 'set-cookie']);
  const kept = Object.entries(fields).filter(
    ([name]) => name === 'retry-after' || name.startsWith('x-ratelimit') || name === 'www-authenticate',
  );
  const violations = response === undefined ? [] : parts.check(operation, { ...response, body: toDoubles(body.body) });
  const when = {
    ...(Object.keys(request.pathParams).length === 0 ? {} : { path: request.pathParams }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(request.body === undefined ? {} : { body: toDoubles(request.body) }),
    // If the same request was recorded several times, only this call of it is an error.
    ...(same.length === 1 ? {} : { call: same.indexOf(exchange) + 1 }),
  };
  return {
    when,
    respond: {
      status,
      ...(kept.length === 0 ? {} : { headers: Object.fromEntries(kept) }),
      ...(body.body === undefined ? {} : { body: toDoubles(body.body) }),
    },
    ...(violations.length === 0 ? {} : { violates: `as recorded: ${violations[0]?.message ?? ''}` }),
  };
}
