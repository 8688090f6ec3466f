import type { Operation } from '../../contract/operations/operation.js';
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

interface FixtureParts {
  readonly validators: Validators;
  readonly collections: ReadonlyMap<string, PromoteCollection>;
  /** An item without the properties that its schema does not have: the recorded service is newer than the contract. */
  omitUnknown(collection: PromoteCollection, item: Item): Item;
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
    const collection = parts.collections.get(name);
    const schema = collection?.schema;
    const check = schema === undefined ? () => [] : parts.validators.check(schema, 'response');
    for (const promoted of items) {
      const { id, item, idOnly, parents } = promoted;
      // Some items are only known by their id in a path.
      const known = collection === undefined ? item : parts.omitUnknown(collection, item);
      const whole = idOnly && schema !== undefined ? (parts.complete(schema, known) as Item) : known;
      const [violation] = check(whole, 'body');
      const ids = Object.values(parents);
      const parent = ids.length === 0 ? {} : { $parent: ids.length === 1 ? ids[0] : parents };
      if (violation !== undefined) skipped.push({ collection: name, id, why: violation.message });
      else written.push({ ...whole, ...parent, ...toContent(name, promoted, files) });
    }
    const shared = readDefaults(promoted.created.get(name) ?? [], items);
    const defaults = collection === undefined ? shared : parts.omitUnknown(collection, shared);
    const fixture = { ...(Object.keys(defaults).length === 0 ? {} : { defaults }), items: written };
    files.push({ path: `${name}.json`, content: `${JSON.stringify(fixture, null, 2)}\n` });
  }
  return { files, skipped };
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
  const base = `content/${collection}/${id.replaceAll(/[^\w.-]/g, '_')}`;
  // Different ids can have the same file name, such as `a/1` and `a_1`.
  const taken = new Set(files.map((file) => file.path));
  let path = `${base}.bin`;
  for (let number = 2; taken.has(path); number++) path = `${base}-${number}.bin`;
  files.push({ path, content: content.bytes });
  return { $content: { path: `./${path}` }, ...type };
}

/**
 * The defaults of new items: members with the same value in every created and every existing item, although no request
 * contained them.
 */
function readDefaults(created: readonly Item[], items: readonly PromotedItem[]): Item {
  const [first, ...others] = created;
  if (first === undefined) return {};
  const witnesses = [...others, ...items.filter(({ idOnly }) => !idOnly).map(({ item }) => item)];
  if (witnesses.length === 0) return {};
  const shared = Object.entries(first).filter(([name, value]) =>
    witnesses.every((item) => writeCanonical(item[name]) === writeCanonical(value)),
  );
  return Object.fromEntries(shared);
}

interface ErrorScenarioParts {
  readonly check: CheckResponse;
  operation(id: string): Operation | undefined;
  /** The key of the request of an exchange. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** The query of an exchange, typed according to the contract. */
  queryOf(exchange: StoredExchange): Readonly<Record<string, unknown>>;
}

// The header fields that tell a client how to react to an error.
const KEPT_HEADERS = /^(?:retry-after|www-authenticate|x-ratelimit.*)$/;

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
    const body = toDoubles(loadBody(cassette.folder, response).body);
    const [violation] = parts.check(operation, { ...response, body });
    const kept = Object.entries(response.headers).filter(([name]) => KEPT_HEADERS.test(name));
    const headers = kept.length > 0 && { headers: Object.fromEntries(kept) };
    const rule = {
      when: toCondition(cassette, exchange, parts),
      respond: { status: response.status, ...headers, ...(body !== undefined && { body }) },
      ...(violation !== undefined && { violates: `as recorded: ${violation.message}` }),
    };
    operations[operation.id] = [...(operations[operation.id] ?? []), rule];
  }
  if (Object.keys(operations).length === 0) return undefined;
  return { description: `Errors recorded in the cassette "${cassette.name}".`, operations };
}

/** The requests that a rule applies to: those that are recorded with the error. */
function toCondition(cassette: Cassette, exchange: StoredExchange, parts: ErrorScenarioParts): object {
  const { pathParams, body } = exchange.request;
  const query = parts.queryOf(exchange);
  const key = parts.keyOf(exchange);
  const same = cassette.exchanges.filter(
    (other) => other.operation === exchange.operation && parts.keyOf(other) === key,
  );
  return {
    ...(Object.keys(pathParams).length > 0 && { path: pathParams }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== undefined && { body: toDoubles(body) }),
    // If the same request was recorded several times, only this call of it is an error.
    ...(same.length > 1 && { call: same.indexOf(exchange) + 1 }),
  };
}
