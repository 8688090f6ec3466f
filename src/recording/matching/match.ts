import type { Contract } from '../../contract/contract.js';
import type { RouteMatch, Router } from '../../contract/router/router.js';
import type { Call, CallDecoder } from '../../http/request/call.js';
import { readTarget, writeTarget } from '../../http/target.js';
import { hideUrlSecrets } from '../../schema/secret-forms.js';
import type { Validators } from '../../schema/validate.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { type JsonDifference, listDifferences, toShortText, writeCanonical } from '../cassette/exact-json.js';
import type { RecordedBody, RecordedRequest } from '../cassette/exchange.js';
import { loadBody, readBody, toRequest } from '../cassette/recorded-body.js';
import { createMask } from '../redaction/redact.js';
import type { RedactionOptions } from '../redaction/secret-rules.js';
import { createFactsReader, type FactsReader, type RequestFacts } from './request-facts.js';

/** Finds the recorded exchanges whose request equals a call. */
export interface Matcher {
  /** The exchanges with the key of the call, in order; undefined without any. */
  find(call: Call): MatchedSequence | undefined;
  /** The three exchanges that are most similar to the call. */
  nearest(call: Call): readonly SimilarExchange[];
  /** The key of a call. */
  key(call: Call): string;
  /** The key of a recorded exchange; undefined if the contract no longer has the operation. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** Adds an exchange that was recorded after the cassette was loaded. */
  add(exchange: StoredExchange): void;
}

/** Exchanges with the same key, which are replayed in order; the last one is repeated. */
export interface MatchedSequence {
  readonly key: string;
  readonly exchanges: readonly StoredExchange[];
}

/** A recorded exchange whose request differs from a call. */
interface SimilarExchange {
  readonly exchange: StoredExchange;
  /** Empty for an exchange of another operation. */
  readonly differences: readonly RequestDifference[];
}

/** A difference between a recorded request and a call. */
interface RequestDifference extends JsonDifference {
  readonly part: keyof RequestFacts;
}

/** The parts of a mock that read recorded requests as calls. */
export interface CallParts {
  readonly contract: Contract;
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly validators: Validators;
}

/** The parts of a matcher. */
export interface MatcherParts extends CallParts {
  /** Redaction rules; default those of the manifest. */
  readonly redaction?: RedactionOptions;
  /** Whether a string is a placeholder; default one of the manifest. */
  isPlaceholder?(text: string): boolean;
}

const MAX_CACHED_KEYS = 1000;

/** Creates the matcher of a cassette; the exchanges of an operation are indexed when it is first called. */
export function createMatcher(cassette: Cassette, parts: MatcherParts): Matcher {
  const { match: rules, redact, redacted } = cassette.manifest;
  const { redaction: options = redact ?? {}, isPlaceholder = (text: string) => Object.hasOwn(redacted, text) } = parts;
  const facts = createFactsReader(parts.contract, rules, createMask({ ...parts, options }, isPlaceholder));
  // The exchanges that are not indexed yet, by operation.
  const waiting = new Map<string, StoredExchange[]>();
  for (const exchange of cassette.exchanges) append(waiting, exchange.operation, exchange);
  const indexed = new Map<string, { readonly exchange: StoredExchange; readonly facts: RequestFacts }[]>();
  const sequences = new Map<string, StoredExchange[]>();

  const readRecorded = ({ request }: StoredExchange): RequestFacts | undefined => {
    const call = readCall(request, parts);
    return call && facts.read(call, loadBody(cassette.folder, request));
  };
  const index = (exchange: StoredExchange): void => {
    const recorded = readRecorded(exchange);
    if (recorded === undefined) return;
    append(indexed, exchange.operation, { exchange, facts: recorded });
    append(sequences, toKey(exchange.operation, recorded), exchange);
  };
  const prepare = (operation: string): void => {
    const exchanges = waiting.get(operation);
    if (exchanges === undefined) return;
    waiting.delete(operation);
    for (const exchange of exchanges) index(exchange);
  };
  const readFacts = (call: Call): RequestFacts => facts.read(call, readCallBody(call));
  const keyFor = createKeyReader(facts.signature, (call) => readKey(call, facts, sequences));

  return {
    keyOf: (exchange) => {
      const recorded = readRecorded(exchange);
      return recorded && toKey(exchange.operation, recorded);
    },
    key: keyFor,
    find: (call) => {
      prepare(call.operation.id);
      const key = keyFor(call);
      const exchanges = sequences.get(key);
      return exchanges === undefined ? undefined : { key, exchanges };
    },
    nearest: (call) => {
      // Deleting the current key does not affect the iteration.
      for (const operation of waiting.keys()) prepare(operation);
      const received = readFacts(call);
      const own = (indexed.get(call.operation.id) ?? [])
        .map(({ exchange, facts }) => ({ exchange, differences: compareFacts(facts, received) }))
        .toSorted((x, y) => x.differences.length - y.differences.length || x.exchange.number - y.exchange.number);
      const others = cassette.exchanges
        .filter(({ operation }) => operation !== call.operation.id)
        .toSorted((x, y) => toDistance(x, call) - toDistance(y, call) || x.number - y.number)
        .map((exchange) => ({ exchange, differences: [] }));
      return [...own, ...others].slice(0, 3);
    },
    add: (exchange) => {
      // Exchanges that are not indexed yet come first, so that a sequence stays in order.
      prepare(exchange.operation);
      index(exchange);
    },
  };
}

function readCallBody({ headers, bytes, file }: Call): RecordedBody {
  const fields = { 'content-type': headers.get('content-type') ?? '' };
  return file === undefined ? readBody(bytes, fields) : { bodyDigest: file.digest };
}

/** The key of a call, if possible one that was recorded. */
function readKey(call: Call, facts: FactsReader, recorded: ReadonlyMap<string, unknown>): string {
  const key = toKey(call.operation.id, facts.read(call, readCallBody(call)));
  if (recorded.has(key)) return key;
  // The client may send a plain word where the recording has the placeholder of a secret that other text quotes.
  const quoted = facts.readQuoted(call, readCallBody(call));
  const other = quoted === undefined ? key : toKey(call.operation.id, quoted);
  return recorded.has(other) ? other : key;
}

/** Caches the keys of calls with a signature, because a test suite repeats the same few calls. */
function createKeyReader(
  sign: (call: Call) => string | undefined,
  readKey: (call: Call) => string,
): (call: Call) => string {
  const keys = new Map<string, string>();
  return (call) => {
    const signature = sign(call);
    if (signature === undefined) return readKey(call);
    const known = keys.get(signature);
    if (known !== undefined) return known;
    const key = readKey(call);
    if (keys.size >= MAX_CACHED_KEYS) keys.clear();
    keys.set(signature, key);
    return key;
  };
}

/** The message for a call without a recording: the call, and the most similar exchanges with their differences. */
export function formatMiss(call: Call, cassette: string, similar: readonly SimilarExchange[]): string {
  const first = `no recording in cassette "${cassette}" matches ${call.method} ${hideUrlSecrets(call.url)} (${call.operation.id})`;
  if (similar.length === 0) return `${first}: the cassette is empty`;
  const lines = similar.flatMap(({ exchange, differences }) => [
    `  ${exchange.file}  ${exchange.request.method} ${writeTarget(exchange.request)}`,
    ...(exchange.operation === call.operation.id ? [] : [`    another operation: ${exchange.operation}`]),
    ...differences.map(({ part, pointer, one, other }) => {
      const [recorded = 'nothing', received = 'nothing'] = [toShortText(one), toShortText(other)];
      return `    ${part}${pointer === '' ? '' : ` ${pointer}`}: recorded ${recorded}, received ${received}`;
    }),
  ]);
  return [first, 'most similar:', ...lines].join('\n');
}

/** The call that a recorded request is; undefined if the contract no longer has the operation. */
export function readCall(
  request: RecordedRequest,
  { router, decoder }: Pick<CallParts, 'router' | 'decoder'>,
): Call | undefined {
  const wire = toRequest(request, writeTarget(request), undefined);
  const match = matchRequest(wire, router);
  // A request without a body is decoded synchronously; the recorded body is compared separately.
  const call = match.kind === 'operation' ? decoder.decode({ ...match, request: wire }) : undefined;
  return call instanceof Promise ? undefined : call;
}

/** The operation of a request. */
export function matchRequest({ method, url }: Request, router: Router): RouteMatch {
  const { path, search } = readTarget(url);
  return router.match(method, path, search);
}

function compareFacts(recorded: RequestFacts, received: RequestFacts): readonly RequestDifference[] {
  return PARTS.flatMap((part) =>
    listDifferences(recorded[part], received[part]).map(({ pointer, one, other }) => ({ part, pointer, one, other })),
  );
}

const PARTS: readonly (keyof RequestFacts)[] = ['method', 'path', 'query', 'header', 'body'];

function toKey(operation: string, facts: RequestFacts): string {
  return `${operation}\n${writeCanonical(facts)}`;
}

/** How different an exchange of another operation is from a call: by path segments and method. */
function toDistance(exchange: StoredExchange, call: Call): number {
  const recorded = exchange.request.path.split('/');
  const received = readTarget(call.url).path.split('/');
  const longer = recorded.length > received.length ? recorded : received;
  const different = longer.filter((_, i) => recorded[i] !== received[i]).length;
  return different * 2 + (exchange.request.method === call.method ? 0 : 1);
}

function append<T>(map: Map<string, T[]>, key: string, entry: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [entry]);
  else list.push(entry);
}
