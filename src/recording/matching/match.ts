import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import { toPointer } from '../../contract/pointer.js';
import type { Router } from '../../contract/router/router.js';
import { listFields } from '../../http/header-fields.js';
import type { Call, CallDecoder } from '../../http/request/call.js';
import { writeTarget } from '../../http/target.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { ExactNumber, writeCanonical, writeJson } from '../cassette/exact-json.js';
import type { RecordedRequest } from '../cassette/exchange.js';
import { loadBody, readBody } from '../cassette/recorded-body.js';
import type { SecretWalk, VisitText } from '../redaction/secret-walk.js';
import { createFactsReader, type RequestFacts } from './request-facts.js';

/** Finds the recorded exchanges that a call is the request of. */
export interface Matcher {
  /** The exchanges with the call's key, in order; undefined where there are none. */
  find(call: Call): MatchedSequence | undefined;
  /** The three exchanges that are most like the call. */
  nearest(call: Call): readonly NearExchange[];
  /** The key of a call. */
  key(call: Call): string;
  /** The key of a recorded exchange; undefined where the contract has no such operation any more. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** Takes in an exchange that was recorded after the cassette was loaded. */
  add(exchange: StoredExchange): void;
}

/** Several exchanges with the same key: they are replayed one after the other, then the last one is held. */
export interface MatchedSequence {
  readonly key: string;
  readonly exchanges: readonly StoredExchange[];
}

/** A recorded exchange that is not quite what came. */
interface NearExchange {
  readonly exchange: StoredExchange;
  /** Empty where the exchange belongs to another operation. */
  readonly differences: readonly Difference[];
}

/** What a matcher is made of. */
export interface MatcherParts {
  readonly contract: Contract;
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly walk: SecretWalk;
  readonly mask: VisitText;
}

interface Indexed {
  readonly exchange: StoredExchange;
  readonly facts: RequestFacts;
}

const REMEMBERED_KEYS = 1000;

/** A matcher over a cassette. The exchanges of an operation are brought into normal form when it is first asked for. */
export function createMatcher(cassette: Cassette, parts: MatcherParts): Matcher {
  const facts = createFactsReader({ ...parts, rules: cassette.manifest.match });
  const waiting = new Map<string, StoredExchange[]>();
  for (const exchange of cassette.exchanges) append(waiting, exchange.operation, exchange);
  const indexed = new Map<string, Indexed[]>();
  const sequences = new Map<string, StoredExchange[]>();

  const readRecorded = (exchange: StoredExchange): RequestFacts | undefined => {
    const call = readCall(exchange.request, parts);
    if (call === undefined) return undefined;
    return facts.read(call, loadBody(cassette.folder, exchange.request, exchange.request.headers));
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
  const readFacts = (call: Call): RequestFacts =>
    facts.read(call, readBody(call.bytes, { 'content-type': call.headers.get('content-type') ?? '' }));
  const keyFor = createKeyReader(facts.signature, (call) => toKey(call.operation.id, readFacts(call)));

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
      // Deleting the key at hand does not disturb the walk.
      for (const operation of waiting.keys()) prepare(operation);
      const came = readFacts(call);
      const own = (indexed.get(call.operation.id) ?? [])
        .map(({ exchange, facts }) => ({ exchange, differences: listDifferences(facts, came) }))
        .toSorted((x, y) => x.differences.length - y.differences.length || x.exchange.number - y.exchange.number);
      const others = cassette.exchanges
        .filter(({ operation }) => operation !== call.operation.id)
        .toSorted((x, y) => toDistance(x, call) - toDistance(y, call) || x.number - y.number)
        .map((exchange) => ({ exchange, differences: [] }));
      return [...own, ...others].slice(0, 3);
    },
    add: (exchange) => {
      // Those that still wait come first, so that a sequence stays in order.
      prepare(exchange.operation);
      index(exchange);
    },
  };
}

/** A reader of keys that remembers those of small calls: a test suite asks the same few things again and again. */
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
    if (keys.size >= REMEMBERED_KEYS) keys.clear();
    keys.set(signature, key);
    return key;
  };
}

/** A miss as text: what came, and the nearest exchanges field by field. */
export function formatMiss(call: Call, cassette: string, near: readonly NearExchange[]): string {
  const lines = [`no recording in cassette "${cassette}" fits ${call.method} ${call.url} (${call.operation.id})`];
  if (near.length === 0) return `${lines[0]}: it is empty`;
  lines.push('nearest:');
  for (const { exchange, differences } of near) {
    const target = writeTarget(exchange.request);
    lines.push(`  ${exchange.file}  ${exchange.request.method} ${target}`);
    if (exchange.operation !== call.operation.id) lines.push(`    another operation: ${exchange.operation}`);
    for (const difference of differences) lines.push(`    ${formatDifference(difference)}`);
  }
  return lines.join('\n');
}

/** A recorded request as the call it would be today; undefined where the contract has no such operation any more. */
export function readCall(request: RecordedRequest, parts: Pick<MatcherParts, 'router' | 'decoder'>): Call | undefined {
  const target = writeTarget(request);
  const url = new URL(target, 'http://recording');
  const match = parts.router.match(request.method, url.pathname, url.search);
  if (match.kind !== 'operation') return undefined;
  const headers = new Headers(listFields(request.headers));
  const call = parts.decoder.decode(
    match.operation,
    match.pathText,
    new Request(url, { method: request.method, headers }),
  );
  // A request without a body is decoded at once; the recorded body is compared in recorded form.
  return call instanceof Promise ? undefined : call;
}

function toKey(operation: string, facts: RequestFacts): string {
  return `${operation}\n${writeCanonical(facts)}`;
}

/** How unlike a call an exchange of another operation is: path segments that differ, and the method. */
function toDistance(exchange: StoredExchange, call: Call): number {
  const recorded = exchange.request.path.split('/');
  const came = (call.url.split('?')[0] ?? '').split('/');
  const length = Math.max(recorded.length, came.length);
  const different = Array.from({ length }, (_, i) => recorded[i] === came[i]).filter((same) => !same).length;
  return different * 2 + (exchange.request.method === call.method ? 0 : 1);
}

function append<T>(map: Map<string, T[]>, key: string, entry: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [entry]);
  else list.push(entry);
}

/** One place in which a request differs from a recorded one. */
interface Difference {
  readonly in: 'method' | 'path' | 'query' | 'header' | 'body';
  readonly pointer: string;
  /** What was recorded; undefined: nothing. */
  readonly recorded: unknown;
  /** What came; undefined: nothing. */
  readonly came: unknown;
}

/** The places in which two requests of one operation differ. */
function listDifferences(recorded: RequestFacts, came: RequestFacts): readonly Difference[] {
  const differences: Difference[] = [];
  for (const place of ['method', 'path', 'query', 'header', 'body'] as const) {
    compare(recorded[place], came[place], { place, pointer: '', differences });
  }
  return differences;
}

/** A difference as a line of text: `body /name: recorded "ci", came "cd"`. */
function formatDifference({ in: place, pointer, recorded, came }: Difference): string {
  return `${place}${pointer === '' ? '' : ` ${pointer}`}: recorded ${toWords(recorded)}, came ${toWords(came)}`;
}

interface Walk {
  readonly place: Difference['in'];
  readonly pointer: string;
  readonly differences: Difference[];
}

function compare(recorded: unknown, came: unknown, walk: Walk): void {
  if (isPlain(recorded) && isPlain(came)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(came)])) {
      compare(recorded[name], came[name], { ...walk, pointer: walk.pointer + toPointer(name) });
    }
    return;
  }
  if (Array.isArray(recorded) && Array.isArray(came)) {
    for (let i = 0; i < Math.max(recorded.length, came.length); i++) {
      compare(recorded[i], came[i], { ...walk, pointer: walk.pointer + toPointer(i) });
    }
    return;
  }
  if (recorded === undefined && came === undefined) return;
  if (recorded !== undefined && came !== undefined && writeCanonical(recorded) === writeCanonical(came)) return;
  walk.differences.push({ in: walk.place, pointer: walk.pointer, recorded, came });
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof ExactNumber);
}

const SHOWN_CHARACTERS = 60;

function toWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = writeJson(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text;
}
