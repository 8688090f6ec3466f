import type { MockError } from '../../../base/errors.js';
import { type Call, type HandlerCall, toHandlerCall } from '../../../http/request/call.js';
import { isUndocumented } from '../../../contract/operations/undocumented.js';
import { decodeContent, isLargeContent } from '../../../http/content-encoding.js';
import { readTarget, writeTarget } from '../../../http/target.js';
import { hideUrlSecrets } from '../../../conventions/secret-forms.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { type JsonDifference, listDifferences, toShortText } from '../cassette/canonical.js';
import type { RecordedBody, RecordedExchange } from '../cassette/exchange.js';
import { digestBody, readBody } from '../cassette/recorded-body.js';
import { createMask } from '../redaction/redact.js';
import type { RedactionOptions } from '../redaction/secret-rules.js';
import {
  type CallParts,
  createExchangeIndex,
  createGroup,
  type ExchangeIndex,
  listIgnored,
  type MatchedSequence,
  readAccept,
  toKey,
} from './exchange-index.js';
import { createFactsReader, type FactsReader, FACT_NAMES, type RequestFacts } from './request-facts.js';
import { createFindByKind, translateFacts } from './volatile.js';

/** Finds the recorded exchanges whose request equals a call. */
export interface Matcher {
  /**
   * The exchanges that the call matches, in order; undefined without any. By value; else by the kinds of values that differ in each
   * run; else by the function of the user.
   *
   * @param values - Recorded values by those that the client sent in their place before.
   */
  find(call: Call, values?: ReadonlyMap<string, string>): MatchedSequence | undefined;
  /** The three exchanges that are most similar to the call. */
  nearest(call: Call): readonly SimilarExchange[];
  /** The key of a recorded exchange; undefined if the contract no longer has the operation. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** Whether there are exchanges of requests outside of the contract. */
  hasUndocumented(): boolean;
  /** Adds an exchange that was recorded after the cassette was loaded. */
  add(exchange: StoredExchange): void;
}

/** Decides whether a recorded exchange answers a call. */
export type MatchExchange = (call: HandlerCall, exchange: RecordedExchange) => boolean;

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

/** The parts of a matcher. */
export interface MatcherParts extends CallParts {
  /** Redaction rules; default: the rules of the manifest. */
  readonly redaction?: RedactionOptions;
  /** Whether a string is a placeholder; default: whether it is one of the manifest. */
  isPlaceholder?(text: string): boolean;
  /** Decides about exchanges whose request differs from a call. */
  readonly decide?: MatchExchange | undefined;
}

const MAX_CACHED_KEYS = 1000;

/** Creates the matcher of a cassette; the exchanges of an operation are indexed when it is first called. */
export function createMatcher(cassette: Cassette, parts: MatcherParts): Matcher {
  const { match: rules, redact, redacted } = cassette.manifest;
  const { redaction: options = redact ?? {}, isPlaceholder = (text: string) => Object.hasOwn(redacted, text) } = parts;
  const facts = createFactsReader(parts.contract, rules, createMask({ ...parts, options }, isPlaceholder));
  const index = createExchangeIndex(cassette, parts, facts);
  const findByKind = createFindByKind(parts.contract, index.all);
  const ignored = listIgnored(cassette);
  const readFacts = (call: Call): RequestFacts => facts.read(call, readCallBody(call));
  const keyFor = createKeyReader(facts.signature, (call) => readKey(call, facts, index));

  /** The exchanges that the call matches although values in it differ. */
  const findOther = (call: Call, received: RequestFacts): MatchedSequence | undefined => {
    const recorded = index.of(call.operation.id);
    const matches = findByKind(received, recorded);
    const entries = recorded.filter(({ exchange }) => matches.some((match) => match.exchange === exchange));
    const accepted = new Set(createGroup('', entries, ignored).select(call)?.exchanges);
    const kept = matches.filter(({ exchange }) => accepted.has(exchange));
    if (kept.length > 0) {
      const exchanges = kept.map(({ exchange }) => exchange);
      const replaced = new Map(kept.map((match) => [match.exchange, match.replaced]));
      return { key: toSequenceKey('kind', exchanges), exchanges, replaced };
    }
    const { decide } = parts;
    if (decide === undefined) return undefined;
    const shown = toHandlerCall(call);
    const exchanges = recorded.map(({ exchange }) => exchange).filter((exchange) => decide(shown, exchange));
    return exchanges.length === 0 ? undefined : { key: toSequenceKey('matcher', exchanges), exchanges };
  };

  return {
    keyOf: index.keyOf,
    hasUndocumented: index.hasUndocumented,
    find: (call, values) => {
      const received = values === undefined ? undefined : translateFacts(readFacts(call), values);
      const key = received === undefined ? keyFor(call) : toKey(call, received);
      const found = index.find(call.operation.id, key)?.select(call);
      return found ?? findOther(call, received ?? readFacts(call));
    },
    nearest: (call) => {
      const received = readFacts(call);
      const own = index
        .of(call.operation.id)
        .map(({ exchange, call: own, facts }) => {
          const accepts = [readAccept(own, ignored), readAccept(call, ignored)] as const;
          return { exchange, differences: compareFacts([facts, received], accepts) };
        })
        .toSorted((x, y) => x.differences.length - y.differences.length || x.exchange.number - y.exchange.number);
      const others = index
        .all()
        .filter(({ call: { operation } }) => operation.id !== call.operation.id)
        .map(({ exchange }) => exchange)
        .toSorted((x, y) => toDistance(x, call) - toDistance(y, call) || x.number - y.number)
        .map((exchange) => ({ exchange, differences: [] }));
      return [...own, ...others].slice(0, 3);
    },
    add: index.add,
  };
}

function readCallBody({ headers, bytes, file }: Call): RecordedBody {
  if (file !== undefined) return { bodyDigest: file.digest };
  const fields = { 'content-type': headers.get('content-type') ?? '' };
  const encoding = headers.get('content-encoding') ?? undefined;
  if (bytes !== undefined && isLargeContent(bytes, encoding)) return { bodyDigest: digestBody(bytes) };
  const content = bytes && decodeContent(bytes, encoding);
  return readBody(content ?? bytes, fields);
}

/** The key of a call, if possible one that was recorded. */
function readKey(call: Call, facts: FactsReader, index: ExchangeIndex): string {
  const isRecorded = (key: string): boolean => index.find(call.operation.id, key) !== undefined;
  const key = toKey(call, facts.read(call, readCallBody(call)));
  if (isRecorded(key)) return key;
  // The client may send a plain word where the recording has the placeholder of a secret that other text quotes.
  const quoted = facts.readQuoted(call, readCallBody(call));
  const other = quoted === undefined ? key : toKey(call, quoted);
  return isRecorded(other) ? other : key;
}

function toSequenceKey(name: string, exchanges: readonly StoredExchange[]): string {
  return `${name}\n${exchanges.map(({ number }) => number).join(',')}`;
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
export function formatMiss(
  call: Call,
  { name, mistakes }: Pick<Cassette, 'mistakes' | 'name'>,
  similar: readonly SimilarExchange[],
): string {
  const about = isUndocumented(call.operation) ? 'not in the contract' : call.operation.id;
  const first = `no recording in cassette "${name}" matches ${call.method} ${hideUrlSecrets(call.url)} (${about})`;
  const invalid = formatMistakes(mistakes);
  if (similar.length === 0 && invalid.length === 0) return `${first}: the cassette is empty`;
  const lines = similar.flatMap(({ exchange, differences }) => [
    `  ${exchange.file}  ${exchange.request.method} ${writeTarget(exchange.request)}`,
    ...(exchange.operation === call.operation.id ? [] : [`    another operation: ${exchange.operation}`]),
    ...differences.map(({ part, pointer, one, other }) => {
      const [recorded = 'nothing', received = 'nothing'] = [toShortText(one), toShortText(other)];
      return `    ${part}${pointer === '' ? '' : ` ${pointer}`}: recorded ${recorded}, received ${received}`;
    }),
  ]);
  return [first, ...(lines.length === 0 ? [] : ['most similar:']), ...lines, ...invalid].join('\n');
}

/** How many mistakes a message names. */
const SHOWN_MISTAKES = 3;

/** Lists the mistakes in files of a cassette: one of the files may be the recording that a call misses. */
function formatMistakes(mistakes: readonly MockError[]): readonly string[] {
  if (mistakes.length === 0) return [];
  const shown = mistakes.slice(0, SHOWN_MISTAKES).map(String);
  const more = mistakes.length - shown.length;
  return [
    'these files of the cassette are not valid and are not used:',
    ...shown,
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function compareFacts(
  [recorded, received]: readonly [RequestFacts, RequestFacts],
  [accepted, accept]: readonly [accepted: string | undefined, accept: string | undefined],
): readonly RequestDifference[] {
  const differences: readonly RequestDifference[] = FACT_NAMES.flatMap((part) =>
    listDifferences(recorded[part], received[part]).map(({ pointer, one, other }) => ({ part, pointer, one, other })),
  );
  // The media type is compared between requests that are equal otherwise.
  if (differences.length > 0 || accepted === accept) return differences;
  return [{ part: 'header', pointer: '/accept', one: accepted, other: accept }];
}

/** How different an exchange of another operation is from a call: by path segments and method. */
function toDistance(exchange: StoredExchange, call: Call): number {
  const recorded = exchange.request.path.split('/');
  const received = readTarget(call.url).path.split('/');
  const longer = recorded.length > received.length ? recorded : received;
  const different = longer.filter((_, i) => recorded[i] !== received[i]).length;
  return different * 2 + (exchange.request.method === call.method ? 0 : 1);
}
