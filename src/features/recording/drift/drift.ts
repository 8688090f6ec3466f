import { SAFE_METHODS, type Operation } from '../../../contract/operations/operation.js';
import type { Contract } from '../../../contract/contract.js';
import { isObject, readJsonType, type SchemaObject } from '../../../base/json.js';
import { findResponse } from '../../../contract/operations/responses.js';
import { readPointer, toPointer } from '../../../contract/pointer.js';
import { formatPlace } from '../../../base/errors.js';
import { decodeContent } from '../../../http/content-encoding.js';
import { MAX_DECODED_BYTES } from '../../../http/json-size.js';
import { type HeaderFields, readContentType, readField } from '../../../http/header-fields.js';
import { toUpstreamTarget, writeTarget } from '../../../http/target.js';
import { EMPTY_STATUSES } from '../../../http/response/encode.js';
import type { Violation } from '../../../schema/violation.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles, writeJson } from '../../../base/exact-json.js';
import { ExactNumber } from '../../../base/exact-number.js';
import type { RecordedRequest, RecordedResponse } from '../cassette/exchange.js';
import { hasBody, loadBody, readBody, writeBody } from '../cassette/recorded-body.js';
import { readBodyPointers } from '../redaction/secret-walk.js';
import { createSchemaWalk, type SchemaPointers } from '../../../contract/schema-view/walk.js';
import type { Upstream } from '../upstream/upstream.js';
import type { CheckResponse } from '../../../http/response/response-check.js';
import { isError } from '../../../base/platform.js';

/** The result of a comparison: what is wrong, if anything. */
export type DriftVerdict =
  | 'in-sync'
  | 'recording-old'
  | 'api-left-contract'
  | 'recording-stale'
  | 'contract-wrong'
  | 'both-off-contract'
  | 'unreachable'
  | 'gone'
  | 'list-empty'
  | 'recorded-list-empty'
  | 'skipped';

/** The result for one request. */
export interface DriftResult {
  /** The file of the exchange. */
  readonly file: string;
  readonly operation: string;
  readonly method: string;
  readonly target: string;
  readonly verdict: DriftVerdict;
  /** Why it was skipped or could not be compared. */
  readonly reason: string | undefined;
  readonly differences: readonly ShapeDifference[];
  readonly recorded: readonly Violation[];
  readonly live: readonly Violation[];
  /** If the contract is wrong: the changes that would make it right. */
  readonly suggestions: readonly string[];
}

/** A difference between a recorded response and that of the API. */
interface ShapeDifference {
  readonly kind: 'status' | 'media-type' | 'removed' | 'added' | 'type';
  /** Into the body; `*` means every item. */
  readonly pointer: string;
  readonly message: string;
}

interface ComparedParts {
  readonly contract: Contract;
  readonly cassette: Cassette;
  /** Sent with every request, because a recording contains no credentials. */
  readonly headers: HeaderFields;
  readonly check: CheckResponse;
}

interface DriftParts extends ComparedParts {
  readonly upstream: Upstream;
  /** Operations to call although their method is not safe. */
  readonly operations: readonly string[];
}

interface Comparison extends ComparedParts {
  /** Reads the shape of a value; the schemas distinguish maps from objects. */
  readShape(value: unknown, pointers: SchemaPointers): TypesByPointer;
  /** Whether a string contains a placeholder of the cassette. */
  hasPlaceholder(text: string): boolean;
}

/** Sends the recorded requests again, one at a time, and compares the structure of the answers, not their values. */
export async function findDrift(parts: DriftParts): Promise<readonly DriftResult[]> {
  const groups = new Map<string, StoredExchange[]>();
  for (const exchange of parts.cassette.exchanges) {
    const key = `${exchange.request.method} ${toSentText(exchange.request)}`;
    groups.set(key, [...(groups.get(key) ?? []), exchange]);
  }
  const comparison = { ...parts, ...createComparison(parts) };
  const results: DriftResult[] = [];
  for (const exchanges of groups.values()) results.push(await compareGroup(exchanges, comparison));
  return results;
}

/** A recorded exchange, and the answer that its request got later, or why there was none. */
export type ComparedPair = readonly [recorded: StoredExchange, live: RecordedResponse | string];

/** Compares each recorded answer with the one that the same request got later. */
export function compareAnswers(pairs: readonly ComparedPair[], parts: ComparedParts): readonly DriftResult[] {
  const comparison = createComparison(parts);
  return pairs.map(([recorded, live]) => {
    if (typeof live === 'string') return toResult(recorded, { verdict: 'unreachable', reason: live });
    return compareLive([recorded], live, comparison);
  });
}

function createComparison(parts: ComparedParts): Comparison {
  const placeholders = Object.keys(parts.cassette.manifest.redacted);
  const hasPlaceholder = (text: string): boolean => placeholders.some((placeholder) => text.includes(placeholder));
  return { ...parts, hasPlaceholder, readShape: createShapeReader(parts.contract) };
}

/** The target and the body of a request. */
function toSentText(request: RecordedRequest): string {
  return `${writeTarget(request)}\n${JSON.stringify(request.body ?? request.bodyText ?? '')}`;
}

/** Sends a request once that was recorded several times; it is in sync if one of its recordings is. */
async function compareGroup(
  exchanges: readonly StoredExchange[],
  parts: Comparison & DriftParts,
): Promise<DriftResult> {
  // A group has at least one exchange.
  const last = exchanges.at(-1) as StoredExchange;
  const operation = parts.contract.operation(last.operation);
  const isSent = SAFE_METHODS.includes(last.request.method) || parts.operations.includes(last.operation);
  const unsafe = `${last.request.method} is not a safe method: send it with --operation ${last.operation}`;
  const reason =
    operation === undefined
      ? `operation "${last.operation}" is not in the contract`
      : (readSkipReason(last, parts.cassette) ?? (isSent ? undefined : unsafe));
  if (operation === undefined || reason !== undefined) return toResult(last, { verdict: 'skipped', reason });
  const live = await askLive(last.request, operation, parts);
  if (typeof live === 'string') return toResult(last, { verdict: 'unreachable', reason: live });
  return compareLive(exchanges, live, parts);
}

/** Compares an answer with those that were recorded for its request. */
function compareLive(exchanges: readonly StoredExchange[], live: RecordedResponse, parts: Comparison): DriftResult {
  const last = exchanges.at(-1) as StoredExchange;
  const wasRecorded = exchanges.some(({ response }) => response?.status === live.status);
  const isExpected = wasRecorded && !isLoginPage(live, last.response);
  const obstacle = isExpected ? undefined : (readObstacle(live, last.response) ?? readOmitted(last, live, parts));
  if (obstacle !== undefined) {
    const verdict = GONE.has(live.status) ? 'gone' : 'unreachable';
    return toResult(last, { verdict, reason: obstacle });
  }
  const results = exchanges.map((exchange) => compare(exchange, live, parts));
  return results.find(({ verdict }) => verdict === 'in-sync') ?? (results.at(-1) as DriftResult);
}

/** Why the request of an exchange cannot be sent again, or its answer not be compared; undefined if both are possible. */
export function readSkipReason(
  { request, response }: StoredExchange,
  { manifest }: Pick<Cassette, 'manifest'>,
): string | undefined {
  if (response === undefined) return 'a failed connection was recorded';
  if (response.cut !== undefined) return 'the recorded response is not complete';
  const text = toSentText(request);
  const hasPlaceholder = Object.keys(manifest.redacted).some((placeholder) => text.includes(placeholder));
  return hasPlaceholder ? 'the request contains the placeholder of a secret' : undefined;
}

/** Why a response says nothing about the operation, such as an outage or a login page; undefined for any other response. */
function readObstacle(live: RecordedResponse, recorded: RecordedResponse | undefined): string | undefined {
  const { status, headers } = live;
  const location = readField(headers, 'location') ?? '';
  const answer = `the API answered ${status}`;
  if (status === 401 || status === 403 || status === 407) {
    return `${answer}: pass credentials with --header "authorization: …"`;
  }
  if (status === 408 || status === 425 || status === 429) return `${answer}: send fewer requests, or try again later`;
  if (status >= 500) return `${answer}: try again when it is available`;
  if (GONE.has(status)) return `${answer}: the recorded item may not exist there`;
  if (status >= 300 && status < 400 && LOGIN_URL.test(location))
    return `${answer} and redirects to a login, ${location}`;
  return isLoginPage(live, recorded) ? 'the API answered with a login page: pass credentials with --header' : undefined;
}

/** Why an error says nothing about the operation if a secret in a header field was not sent, such as the id of a session. */
function readOmitted(
  { request }: StoredExchange,
  { status }: RecordedResponse,
  { headers, hasPlaceholder }: Comparison,
): string | undefined {
  const omitted = Object.entries(request.headers).filter(([name, value]) => {
    return hasPlaceholder(String(value)) && readField(headers, name) === undefined;
  });
  if (status < 400 || omitted.length === 0) return undefined;
  return `the API answered ${status}: pass the secrets of ${omitted.map(([name]) => name).join(', ')} with --header`;
}

// A host or segment of a path of the usual login services.
const LOGIN_URL =
  /(?:^|[/.?&_-])(?:log-?[io]n|sign-?[io]n|sso|saml2?|oauth2?|oidc|authorize|authenticate|auth|accounts|sessions?\/new)(?=[/.?&_=-]|$)/i;

function isLoginPage(
  { headers, body, bodyText, bytes }: RecordedResponse,
  recorded: RecordedResponse | undefined,
): boolean {
  const isHtml = (type: string | undefined): boolean =>
    type !== undefined && /^(?:text\/html|application\/xhtml)/i.test(type);
  if (!isHtml(readContentType(headers)) || body !== undefined || isHtml(readContentType(recorded?.headers ?? {}))) {
    return false;
  }
  const page = bodyText ?? Buffer.from(bytes ?? []).toString('latin1');
  return /<input\b[^>]*\btype\s*=\s*["']?password|<title>[^<]*\b(?:log|sign)[ -]?[io]n\b/i.test(page);
}

/** The response of the API, or why there is none. */
async function askLive(
  request: RecordedRequest,
  operation: Operation,
  { upstream, cassette, headers }: DriftParts,
): Promise<RecordedResponse | string> {
  const response = await upstream.send({
    method: request.method,
    target: toUpstreamTarget(upstream.url, operation, writeTarget(request)),
    headers: { ...omitSecrets(request, cassette), ...headers },
    body: writeBody(cassette.folder, request),
  });
  if ('failure' in response) return response.failure.message;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch (error) {
    return isError(error) ? error.message : String(error);
  }
  const limitBytes = MAX_DECODED_BYTES;
  const bytes = decodeContent(Buffer.concat(chunks), readField(response.headers, 'content-encoding'), { limitBytes });
  if (bytes === undefined) return `its body cannot be decoded, or has more than ${limitBytes} bytes then`;
  return { status: response.status, headers: response.headers, ...readBody(bytes, response.headers) };
}

/** The header fields of a recorded request that have no placeholder. */
export function omitSecrets({ headers }: RecordedRequest, { manifest }: Pick<Cassette, 'manifest'>): HeaderFields {
  const placeholders = Object.keys(manifest.redacted);
  const isKept = (value: unknown): boolean => !placeholders.some((each) => String(value).includes(each));
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => isKept(value)));
}

function compare(exchange: StoredExchange, live: RecordedResponse, parts: Comparison): DriftResult {
  const { contract, cassette } = parts;
  // Without an operation the request is outside of the contract.
  const operation = contract.operation(exchange.operation);
  const check = (body: Parameters<CheckResponse>[1]): readonly Violation[] =>
    operation === undefined ? [] : parts.check(operation, body);
  // `readSkipReason` has excluded exchanges without a response.
  const stored = exchange.response as RecordedResponse;
  const recorded = { ...stored, ...loadBody(cassette.folder, stored) };
  const violations = {
    recorded: check({ ...recorded, body: toDoubles(recorded.body) }),
    live: check({ ...live, body: toDoubles(live.body) }),
  };
  const { differences, empty } = compareResponses(recorded, live, { operation, readShape: parts.readShape });
  // The API may still have the items that violated the contract.
  const isProven = ({ pointer }: Violation): boolean => !empty.live.some((list) => pointer.startsWith(`${list}/`));
  const proven = { ...violations, recorded: violations.recorded.filter(isProven) };
  const verdict = judge(proven, differences.length === 0);
  const [list] = [...empty.live, ...empty.recorded];
  if (verdict === 'in-sync' && list !== undefined) {
    const isLive = empty.live.length > 0;
    const reason = `the list ${isLive ? 'of the API' : 'in the recording'} is empty, so that its items cannot be compared`;
    return toResult(exchange, { verdict: isLive ? 'list-empty' : 'recorded-list-empty', reason, ...violations });
  }
  if (live.status < 300 && violations.live.length === 0 && PASSING.has(recorded.status)) {
    const reason = `the recorded ${recorded.status} does not happen now`;
    return toResult(exchange, { verdict: 'unreachable', reason, ...violations });
  }
  const changes = verdict === 'contract-wrong' ? violations.live : [];
  const suggestions = changes.map((violation) => {
    const place = formatPlace(contract.locate(violation.schemaPointer ?? operation?.pointer ?? ''));
    return `${place}: ${toChange(violation, live.body)}`;
  });
  return toResult(exchange, { verdict, differences, ...violations, suggestions: [...new Set(suggestions)] });
}

/** Statuses of what does not exist. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

// Statuses that depend on the data and the load of a server.
const PASSING: ReadonlySet<number> = new Set([404, 408, 410, 425, 429, 500, 502, 503, 504]);

/** The table of docs/recordings.md. */
function judge({ recorded, live }: Pick<DriftResult, 'recorded' | 'live'>, same: boolean): DriftVerdict {
  if (recorded.length === 0 && live.length === 0) return same ? 'in-sync' : 'recording-old';
  if (recorded.length === 0) return 'api-left-contract';
  if (live.length === 0) return 'recording-stale';
  return same && toSignature(recorded) === toSignature(live) ? 'contract-wrong' : 'both-off-contract';
}

/** The violations without array indices, because a longer list has the same violation more often. */
function toSignature(violations: readonly Violation[]): string {
  const lines = violations.map(({ code, pointer }) => `${code} ${pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')}`);
  return [...new Set(lines)].sort().join('\n');
}

function compareResponses(
  recorded: RecordedResponse,
  live: RecordedResponse,
  { operation, readShape }: Pick<Comparison, 'readShape'> & { readonly operation: Operation | undefined },
): { readonly differences: readonly ShapeDifference[]; readonly empty: EmptyLists } {
  const change = compareHeads(recorded, live);
  if (change !== undefined) return { differences: [change], empty: NO_EMPTY_LISTS };
  if (recorded.body === undefined || live.body === undefined) return { differences: [], empty: NO_EMPTY_LISTS };
  const { content = [] } = (operation && findResponse(operation, live.status)) ?? {};
  const pointers = readBodyPointers(content, readContentType(live.headers));
  const shapes = [readShape(recorded.body, pointers), readShape(live.body, pointers)] as const;
  const empty = { recorded: listEmpty(...shapes), live: listEmpty(shapes[1], shapes[0]) };
  return { differences: compareShapes(...shapes), empty };
}

/** The pointers of lists that are empty on one side only. */
type EmptyLists = Readonly<Record<'recorded' | 'live', readonly string[]>>;

const NO_EMPTY_LISTS: EmptyLists = { recorded: [], live: [] };

/** The lists of objects, not below items of another list, that are empty in one shape and not in the other. */
function listEmpty(shape: TypesByPointer, other: TypesByPointer): readonly string[] {
  return [...shape].flatMap(([pointer, kinds]) => {
    const isList = kinds.has('array') && !pointer.includes('/*') && other.get(`${pointer}/*`)?.has('object') === true;
    return isList && !shape.has(`${pointer}/*`) ? [pointer] : [];
  });
}

/** The difference between the statuses or the media types of two responses; undefined without one. */
export function compareHeads(recorded: RecordedResponse, received: RecordedResponse): ShapeDifference | undefined {
  if (recorded.status !== received.status) {
    const message = `the status was ${recorded.status} and is ${received.status}`;
    return { kind: 'status', pointer: '', message };
  }
  const [was, is] = [readContentType(recorded.headers), readContentType(received.headers)];
  // Some servers send a media type although there is no content.
  const isEmpty = EMPTY_STATUSES.has(recorded.status) || [recorded, received].every((each) => !hasBody(each));
  if (was === is || isEmpty) return undefined;
  return { kind: 'media-type', pointer: '', message: `the media type was ${was ?? 'none'} and is ${is ?? 'none'}` };
}

function toResult(
  { file, operation, request }: StoredExchange,
  found: Pick<DriftResult, 'verdict'> & Partial<DriftResult>,
): DriftResult {
  const nothing = { reason: undefined, differences: [], recorded: [], live: [], suggestions: [] };
  return { file, operation, method: request.method, target: writeTarget(request), ...nothing, ...found };
}

/** The change of the contract that a violation asks for, as a sentence. */
export function toChange(violation: Violation, body: unknown): string {
  const { code, pointer, message } = violation;
  const name = JSON.stringify(pointer.split('/').at(-1) ?? '');
  const value = readPointer(body, pointer);
  switch (code) {
    case 'REQUIRED':
      return `remove ${name} from "required"`;
    case 'TYPE':
      return `also allow the type ${JSON.stringify(readJsonType(value))}`;
    case 'ENUM':
    case 'CONST':
      return `also allow the value ${writeJson(value)}`;
    case 'ADDITIONAL_PROPERTY':
    case 'UNEVALUATED':
      return `declare the property ${name} with the type ${JSON.stringify(readJsonType(value))}`;
    case 'STATUS_UNDECLARED':
    case 'MEDIA_TYPE_UNDECLARED':
      return `declare it, because ${message}`;
    case 'HEADER_REQUIRED':
      return `make it optional, because ${message}`;
    default:
      return `relax the constraint, because ${message}`;
  }
}

/** The JSON types of the values at each pointer, without types for `null`; `*` means every item or value of a map. */
type TypesByPointer = ReadonlyMap<string, ReadonlySet<string>>;

function isMapSchema({ additionalProperties: rest }: SchemaObject): boolean {
  return rest === true || isObject(rest);
}

/** Creates the reader of shapes for a contract. */
function createShapeReader(contract: Contract): Comparison['readShape'] {
  const schemas = createSchemaWalk(contract);
  const isMap = (pointers: SchemaPointers): boolean => {
    const all = schemas.all(pointers);
    const named = all.some(({ properties = {} }) => Object.keys(properties).length > 0);
    return !named && all.some((schema) => isMapSchema(schema));
  };
  return (root, rootPointers) => {
    const shape = new Map<string, Set<string>>();
    const read = (value: unknown, pointers: SchemaPointers, at: string): void => {
      const kinds = shape.get(at) ?? new Set();
      shape.set(at, kinds);
      if (value === null || value === undefined) return;
      if (Array.isArray(value)) {
        kinds.add('array');
        for (const [i, item] of value.entries()) read(item, schemas.element(pointers, i), `${at}/*`);
      } else if (isObject(value) && !(value instanceof ExactNumber)) {
        kinds.add('object');
        const isJoined = isMap(pointers);
        for (const [name, member] of Object.entries(value)) {
          read(member, schemas.member(pointers, name), isJoined ? `${at}/*` : at + toPointer(name));
        }
      } else kinds.add(value instanceof ExactNumber ? 'number' : typeof value);
    };
    read(root, rootPointers, '');
    return shape;
  };
}

/** The differences between two shapes; `null` and an empty array have the same shape as any other value. */
function compareShapes(recorded: TypesByPointer, live: TypesByPointer): readonly ShapeDifference[] {
  const differences: ShapeDifference[] = [];
  for (const pointer of new Set([...recorded.keys(), ...live.keys()])) {
    const [was, is] = [recorded.get(pointer), live.get(pointer)];
    const isInside = differences.some(({ kind, pointer: above }) => kind === 'type' && pointer.startsWith(`${above}/`));
    if (isInside) continue;
    if (was !== undefined && is !== undefined) {
      const added = [...is].filter((kind) => !was.has(kind));
      if (added.length === 0 || was.size === 0) continue;
      const message = `${pointer || 'the body'} was ${[...was].join(' or ')} and is ${added.join(' or ')}`;
      differences.push({ kind: 'type', pointer, message });
    } else if (!pointer.endsWith('/*')) {
      const [kind, other, text] =
        is === undefined ? (['removed', live, 'missing'] as const) : (['added', recorded, 'new'] as const);
      const isComparable = other.get(pointer.slice(0, pointer.lastIndexOf('/')))?.has('object') === true;
      if (isComparable) differences.push({ kind, pointer, message: `${pointer} is ${text}` });
    }
  }
  return differences;
}
