import type { Contract } from '../../../contract/contract.js';
import { addTo } from '../../../base/json.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { createUndocumentedOperation, UNDOCUMENTED } from '../../../contract/operations/undocumented.js';
import type { RouteMatch, Router } from '../../../contract/router/router.js';
import { readContentType } from '../../../http/header-fields.js';
import { isFormType } from '../../../contract/media-type.js';
import type { BodyBytes } from '../../../http/request/body-bytes.js';
import type { Call, CallDecoder, MatchedRequest } from '../../../http/request/call.js';
import { negotiate } from '../../../http/response/negotiate.js';
import { readTarget, writeTarget } from '../../../http/target.js';
import { memoize } from '../../../base/memoize.js';
import type { Validators } from '../../../schema/validate.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { writeCanonical } from '../cassette/canonical.js';
import type { RecordedRequest } from '../cassette/exchange.js';
import { loadBody, toRequest } from '../cassette/recorded-body.js';
import type { FactsReader, RequestFacts } from './request-facts.js';
import type { RecordedFacts, ReplacedValue } from './volatile.js';
import { isPromise } from '../../../base/platform.js';

/** The parts of a mock that read recorded requests as calls. */
export interface CallParts {
  readonly contract: Contract;
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly validators: Validators;
}

/** Exchanges with the same key, which are replayed in order; the last one is repeated. */
export interface MatchedSequence {
  readonly key: string;
  readonly exchanges: readonly StoredExchange[];
  /** The values that differ, of exchanges that were found by the kinds of values. */
  readonly replaced?: ReadonlyMap<StoredExchange, readonly ReplacedValue[]>;
}

/** The exchanges of a cassette by the normal form of their requests; exchanges of an operation are read when it is first called. */
export interface ExchangeIndex {
  /** The exchanges whose requests have a key. */
  find(operation: string, key: string): Group | undefined;
  /** The exchanges of an operation. */
  of(operation: string): readonly RecordedFacts[];
  /** All exchanges. */
  all(): readonly RecordedFacts[];
  /** The key of a recorded exchange; undefined if the contract no longer has the operation. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** Whether there are exchanges of requests outside of the contract. */
  hasUndocumented(): boolean;
  add(exchange: StoredExchange): void;
}

/** Creates the index of a cassette. */
export function createExchangeIndex(cassette: Cassette, parts: CallParts, facts: FactsReader): ExchangeIndex {
  const ignored = listIgnored(cassette);
  // The exchanges that are not indexed yet, by operation.
  const waiting = new Map<string, StoredExchange[]>();
  for (const exchange of cassette.exchanges) addTo(waiting, exchange.operation, exchange);
  const indexed = new Map<string, RecordedFacts[]>();
  const groups = createGroups(ignored);
  let hasUndocumented = waiting.has(UNDOCUMENTED);

  const undocumented = createUndocumentedOperation(parts.contract.operations);
  const readRecorded = (exchange: StoredExchange): RecordedFacts | undefined => {
    const { request, operation } = exchange;
    // An exchange outside of the contract may be one of an operation that was added since.
    const call =
      readCall(request, parts) ?? (operation === UNDOCUMENTED ? decodeAs(undocumented, request, parts) : undefined);
    return call && { exchange, call, facts: facts.read(call, loadBody(cassette.folder, request)) };
  };
  const index = (exchange: StoredExchange): void => {
    const recorded = readRecorded(exchange);
    if (recorded === undefined) return;
    addTo(indexed, recorded.call.operation.id, recorded);
    groups.add(toKey(recorded.call, recorded.facts), recorded);
  };
  const prepare = (operation: string): void => {
    if (operation !== UNDOCUMENTED && waiting.has(UNDOCUMENTED)) prepare(UNDOCUMENTED);
    const exchanges = waiting.get(operation);
    if (exchanges === undefined) return;
    waiting.delete(operation);
    for (const exchange of exchanges) index(exchange);
  };
  return {
    find: (operation, key) => {
      prepare(operation);
      return groups.find(key);
    },
    of: (operation) => {
      prepare(operation);
      return indexed.get(operation) ?? [];
    },
    all: () => {
      // Deleting the current key does not affect the iteration.
      for (const operation of waiting.keys()) prepare(operation);
      return [...indexed.values()].flat();
    },
    keyOf: (exchange) => {
      prepare(exchange.operation);
      const recorded = readRecorded(exchange);
      if (recorded === undefined) return undefined;
      const key = toKey(recorded.call, recorded.facts);
      return groups.find(key)?.select(recorded.call)?.key ?? key;
    },
    hasUndocumented: () => hasUndocumented,
    add: (exchange) => {
      hasUndocumented ||= exchange.operation === UNDOCUMENTED;
      addTo(waiting, exchange.operation, exchange);
    },
  };
}

/** Creates the groups of exchanges with equal requests. */
function createGroups(ignored: ReadonlySet<string>) {
  // Groups are created when they are first asked for: exchanges with equal requests can be many.
  const groups = new Map<string, { readonly entries: RecordedFacts[]; group: Group | undefined }>();
  return {
    add: (key: string, recorded: RecordedFacts): void => {
      const known = groups.get(key) ?? { entries: [], group: undefined };
      groups.set(key, known);
      known.entries.push(recorded);
      known.group = undefined;
    },
    find: (key: string): Group | undefined => {
      const known = groups.get(key);
      return known && (known.group ??= createGroup(key, known.entries, ignored));
    },
  };
}

/** The header fields that do not select among the exchanges of a cassette. */
export function listIgnored({ manifest }: Cassette): ReadonlySet<string> {
  return new Set(manifest.match.ignoreHeaders.map((name) => name.toLowerCase()));
}

/** The `Accept` header of a call; undefined without one and if it is ignored. */
export function readAccept({ headers }: Call, ignored: ReadonlySet<string>): string | undefined {
  return ignored.has('accept') ? undefined : (headers.get('accept') ?? undefined);
}

/** The exchanges whose requests are equal except for what selects among them. */
interface Group {
  /** The exchanges whose `Accept` header selects the same media type; if possible, only the ones with the same selecting fields. */
  select(call: Call): MatchedSequence | undefined;
}

/** `Accept` headers are chosen by clients. */
const MAX_SELECTIONS = 32;

/** Creates the group of exchanges with the same key. */
export function createGroup(key: string, entries: readonly RecordedFacts[], ignored: ReadonlySet<string>): Group {
  const types = [...new Set(entries.map(({ exchange }) => readContentType(exchange.response?.headers ?? {}) ?? ''))];
  const offered = types.filter((type) => type !== '');
  const selectType = (accept: string | undefined): string => {
    if (offered.length === 0) return '';
    return negotiate(accept ?? null, offered) ?? (accept ?? '').toLowerCase();
  };
  const selectByType = memoize((accept: string | undefined) => {
    const type = selectType(accept);
    const found = entries.filter((entry) => selectType(readAccept(entry.call, ignored)) === type);
    return { key: `${key}\n${type}`, found, exchanges: found.map(({ exchange }) => exchange) };
  }, MAX_SELECTIONS);
  let readers: readonly ReadSelecting[] | undefined;
  return {
    select: (call) => {
      const { key: typed, found, exchanges: all } = selectByType(readAccept(call, ignored));
      const [first] = found;
      if (first === undefined) return undefined;
      if (found.length > 1) readers ??= listSelecting(entries, ignored);
      if (readers === undefined || readers.length === 0) return { key: typed, exchanges: all };
      // The exchanges with the same selecting parts as the call, as far as there are any.
      const same = readers.reduce((left, read) => {
        const equal = left.filter((entry) => read(entry.call) === read(call));
        return equal.length === 0 ? left : equal;
      }, found);
      const exchanges = same.map(({ exchange }) => exchange);
      // The key of the first exchange stays the same when later ones differ from it.
      return { key: same[0] === first ? typed : `${typed}\n${exchanges[0]?.number}`, exchanges };
    },
  };
}

/** Reads a part of a request that can select among exchanges. */
type ReadSelecting = (call: Call) => string | null;

/**
 * Fields that change what is answered to a request: preconditions (RFC 9110 13.1), a part of the content (14.4), the language (12.5.4), fields of
 * WebDAV (RFC 4918 10) and preferences (RFC 7240). A client may send others than were recorded, so that they only select.
 */
export const SELECTING: readonly string[] = (
  'accept-language content-range depth destination if-match if-modified-since if-none-match if-range if-unmodified-since ' +
  'overwrite prefer x-http-method-override'
).split(' ');

/** Fields of `Vary` that are compared in another way, or that name the client. */
const NOT_SELECTING: ReadonlySet<string> = new Set(
  '* accept accept-encoding authorization cookie host origin range user-agent'.split(' '),
);

/** The parts that differ between exchanges: selecting fields, those that responses name in `Vary`, and a slash at the end of the path. */
function listSelecting(entries: readonly RecordedFacts[], ignored: ReadonlySet<string>): readonly ReadSelecting[] {
  const vary = entries.flatMap(({ exchange }) => [exchange.response?.headers['vary'] ?? []].flat());
  const listed = vary.flatMap((line) => line.toLowerCase().split(',')).map((name) => name.trim());
  const names = new Set([...SELECTING, ...listed.filter((name) => name !== '' && !NOT_SELECTING.has(name))]);
  const fields = [...names].filter((name) => !ignored.has(name));
  const readers: readonly ReadSelecting[] = [
    ({ url }) => String(readTarget(url).path.endsWith('/')),
    ...fields.map((name) => (call: Call) => call.headers.get(name)),
  ];
  return readers.filter((read) => new Set(entries.map(({ call }) => read(call))).size > 1);
}

/** The key of a call: its operation and what is compared of it by value. */
export function toKey({ operation }: Pick<Call, 'operation'>, facts: RequestFacts): string {
  return `${operation.id}\n${writeCanonical(facts)}`;
}

/** The call that a recorded request is; undefined if the contract no longer has the operation. */
export function readCall(
  request: RecordedRequest,
  { router, decoder }: Pick<CallParts, 'router' | 'decoder'>,
): Call | undefined {
  const match = matchRequest(toRequest(request, writeTarget(request), undefined), router);
  if (match.kind !== 'operation') return undefined;
  const { pathText, isFormOfGet } = match;
  return decodeAs(match.operation, request, { decoder, pathText, isFormOfGet });
}

/** A recorded request as a call of an operation. */
function decodeAs(
  operation: Operation,
  request: RecordedRequest,
  { decoder, pathText = {}, isFormOfGet }: Pick<CallParts, 'decoder'> & Partial<MatchedRequest>,
): Call | undefined {
  const isForm = request.bodyText !== undefined && isFormType(readContentType(request.headers) ?? '');
  // Nothing is read asynchronously. The fields of a form may be query parameters; any other recorded body is compared separately.
  const body: BodyBytes = isForm ? { kind: 'bytes', bytes: Buffer.from(request.bodyText) } : { kind: 'none' };
  const wire = toRequest(request, writeTarget(request), undefined);
  const call = decoder.decode({ operation, pathText, isFormOfGet, request: wire, ...(isForm && { body }) });
  return isPromise(call) ? undefined : call;
}

/** The operation of a request. */
export function matchRequest({ method, url, headers }: Request, router: Router): RouteMatch {
  const { path, search } = readTarget(url);
  return router.match(method, path, search, Object.fromEntries(headers));
}
