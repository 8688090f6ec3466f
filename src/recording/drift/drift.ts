import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { readPointer } from '../../contract/pointer.js';
import { toPointer } from '../../contract/pointer.js';
import { formatPlace } from '../../errors.js';
import { decodeContent } from '../../http/content-encoding.js';
import { type HeaderFields, readContentType, readField } from '../../http/header-fields.js';
import { findMedia } from '../../http/media-type.js';
import { toUpstreamTarget, writeTarget } from '../../http/target.js';
import type { Violation } from '../../schema/violation.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles, writeJson } from '../cassette/exact-json.js';
import { ExactNumber } from '../cassette/exact-json.js';
import { type RecordedBody } from '../cassette/exchange.js';
import { loadBody, readBody, writeBody } from '../cassette/recorded-body.js';
import { createSchemaWalk, type SchemaPointers } from '../redaction/secret-walk.js';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.js';
import type { CheckResponse } from './check.js';

/** The result of a comparison: what is wrong, if anything. */
export type DriftVerdict =
  | 'in-sync'
  | 'recording-old'
  | 'api-left-contract'
  | 'recording-stale'
  | 'contract-wrong'
  | 'both-off-contract'
  | 'unreachable'
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

/** The parts of a comparison. */
interface DriftParts {
  readonly contract: Contract;
  readonly cassette: Cassette;
  readonly upstream: Upstream;
  /** Sent with every request, because a recording contains no credentials. */
  readonly headers: HeaderFields;
  /** Operations to call although their method is not safe. */
  readonly operations: readonly string[];
  readonly check: CheckResponse;
}

interface Comparison extends DriftParts {
  readonly readShape: ReadShape;
}

// RFC 9110 9.2.1, and QUERY.
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

/** Sends the recorded requests again, one at a time, and compares the structure of the answers, not their values. */
export async function findDrift(parts: DriftParts): Promise<readonly DriftResult[]> {
  const groups = new Map<string, StoredExchange[]>();
  for (const exchange of parts.cassette.exchanges) {
    const key = `${exchange.request.method} ${writeTarget(exchange.request)} ${JSON.stringify(exchange.request.body ?? exchange.request.bodyText)}`;
    groups.set(key, [...(groups.get(key) ?? []), exchange]);
  }
  const readShape = createShapeReader(parts.contract);
  const results: DriftResult[] = [];
  for (const exchanges of groups.values()) results.push(await compareGroup(exchanges, { ...parts, readShape }));
  return results;
}

/** Sends a request once that was recorded several times; it is in sync if one of its recordings is. */
async function compareGroup(exchanges: readonly StoredExchange[], parts: Comparison): Promise<DriftResult> {
  // A group has at least one exchange.
  const last = exchanges.at(-1) as StoredExchange;
  const operation = parts.contract.operation(last.operation);
  const reason = readSkipReason(last, operation, parts);
  if (operation === undefined || reason !== undefined) return toResult(last, { verdict: 'skipped', reason });
  const live = await askLive(last, operation, parts);
  if ('failure' in live) return toResult(last, { verdict: 'unreachable', reason: live.failure.message });
  // Without credentials there is nothing to compare.
  if (
    (live.status === 401 || live.status === 403) &&
    exchanges.every(({ response }) => response?.status !== live.status)
  ) {
    const answer = `the API answered ${live.status}: pass credentials with --header "authorization: …"`;
    return toResult(last, { verdict: 'unreachable', reason: answer });
  }
  const results = exchanges.map((exchange) => compare(exchange, operation, { live, parts }));
  return results.find(({ verdict }) => verdict === 'in-sync') ?? (results.at(-1) as DriftResult);
}

function readSkipReason(
  exchange: StoredExchange,
  operation: Operation | undefined,
  parts: DriftParts,
): string | undefined {
  const { request, response } = exchange;
  if (operation === undefined) return `operation "${exchange.operation}" is not in the contract`;
  if (response === undefined) return 'a failed connection was recorded';
  if (!SAFE.has(request.method) && !parts.operations.includes(operation.id)) {
    return `${request.method} is not a safe method: send it with --operation ${operation.id}`;
  }
  const placeholders = Object.keys(parts.cassette.manifest.redacted);
  const sent = `${writeTarget(request)}\n${JSON.stringify(request.body ?? request.bodyText ?? '')}`;
  if (placeholders.some((placeholder) => sent.includes(placeholder)))
    return 'the request contains the placeholder of a secret';
  return undefined;
}

interface LiveResponse extends RecordedBody {
  readonly status: number;
  readonly headers: HeaderFields;
}

async function askLive(
  exchange: StoredExchange,
  operation: Operation,
  { upstream, cassette, headers }: DriftParts,
): Promise<LiveResponse | { readonly failure: { readonly message: string } }> {
  const { request } = exchange;
  const placeholders = Object.keys(cassette.manifest.redacted);
  const kept = Object.entries(request.headers).filter(
    ([, value]) => !placeholders.some((placeholder) => String(value).includes(placeholder)),
  );
  const sent: UpstreamRequest = {
    method: request.method,
    target: toUpstreamTarget(upstream.url, operation, writeTarget(request)),
    headers: { ...Object.fromEntries(kept), ...headers },
    body: writeBody(cassette.folder, request, request.headers),
  };
  const response = await upstream.send(sent);
  if ('failure' in response) return response;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch (error) {
    return { failure: { message: error instanceof Error ? error.message : String(error) } };
  }
  const bytes = decodeContent(Buffer.concat(chunks), readField(response.headers, 'content-encoding'));
  return { status: response.status, headers: response.headers, ...readBody(bytes, response.headers) };
}

function compare(
  exchange: StoredExchange,
  operation: Operation,
  { live, parts }: { readonly live: LiveResponse; readonly parts: Comparison },
): DriftResult {
  // `readSkipReason` has excluded exchanges without a response.
  const stored = exchange.response as LiveResponse;
  const recorded = { ...stored, ...loadBody(parts.cassette.folder, stored, stored.headers) };
  const violations = {
    recorded: parts.check(operation, { ...recorded, body: toDoubles(recorded.body) }),
    live: parts.check(operation, { ...live, body: toDoubles(live.body) }),
  };
  const differences = compareResponses(recorded, live, { operation, readShape: parts.readShape });
  const verdict = judge(violations, differences.length === 0);
  const suggestions =
    verdict === 'contract-wrong'
      ? suggestChanges(parts.contract, operation, { violations: violations.live, body: live.body })
      : [];
  return toResult(exchange, { verdict, differences, ...violations, suggestions });
}

/** The table of docs/recordings.md. */
function judge(
  violations: { readonly recorded: readonly Violation[]; readonly live: readonly Violation[] },
  same: boolean,
): DriftVerdict {
  const recordedFits = violations.recorded.length === 0;
  const liveFits = violations.live.length === 0;
  if (recordedFits && liveFits) return same ? 'in-sync' : 'recording-old';
  if (recordedFits) return 'api-left-contract';
  if (liveFits) return 'recording-stale';
  return same && toSignature(violations.recorded) === toSignature(violations.live)
    ? 'contract-wrong'
    : 'both-off-contract';
}

/** The violations without array indices, because a longer list has the same violation more often. */
function toSignature(violations: readonly Violation[]): string {
  const lines = violations.map(({ code, pointer }) => `${code} ${pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')}`);
  return [...new Set(lines)].sort().join('\n');
}

function compareResponses(
  recorded: LiveResponse,
  live: LiveResponse,
  { operation, readShape }: { readonly operation: Operation; readonly readShape: ReadShape },
): readonly ShapeDifference[] {
  if (recorded.status !== live.status) {
    return [{ kind: 'status', pointer: '', message: `the status was ${recorded.status} and is ${live.status}` }];
  }
  const [was, is] = [readContentType(recorded.headers), readContentType(live.headers)];
  if (was !== is) {
    return [{ kind: 'media-type', pointer: '', message: `the media type was ${was ?? 'none'} and is ${is ?? 'none'}` }];
  }
  if (recorded.body === undefined || live.body === undefined) return [];
  const media = is === undefined ? undefined : findMedia(findResponse(operation, live.status)?.content ?? [], is);
  const pointers = media?.schema === undefined ? [] : [media.schemaPointer];
  return compareShapes(readShape(recorded.body, pointers), readShape(live.body, pointers));
}

function toResult(
  { file, operation, request }: StoredExchange,
  found: Pick<DriftResult, 'verdict'> & Partial<DriftResult>,
): DriftResult {
  const nothing = { reason: undefined, differences: [], recorded: [], live: [], suggestions: [] };
  return { file, operation, method: request.method, target: writeTarget(request), ...nothing, ...found };
}

/** The parts of a suggestion. */
interface SuggestionParts {
  readonly violations: readonly Violation[];
  /** The body that violates the contract. */
  readonly body: unknown;
}

/** The changes to the contract that would resolve these violations, each with its position in the document. */
function suggestChanges(contract: Contract, operation: Operation, parts: SuggestionParts): readonly string[] {
  const lines = parts.violations.map((violation) => {
    const pointer = violation.schemaPointer ?? operation.pointer;
    return `${formatPlace(contract.locate(pointer))}: ${toChange(violation, parts.body)}`;
  });
  return [...new Set(lines)];
}

function toChange(violation: Violation, body: unknown): string {
  const { code, pointer, message } = violation;
  const name = JSON.stringify(pointer.split('/').at(-1) ?? '');
  const value = readPointer(body, pointer);
  switch (code) {
    case 'REQUIRED':
      return `remove ${name} from "required"`;
    case 'TYPE':
      return `also allow the type ${JSON.stringify(toType(value))}`;
    case 'ENUM':
    case 'CONST':
      return `also allow the value ${writeJson(value)}`;
    case 'ADDITIONAL_PROPERTY':
    case 'UNEVALUATED':
      return `declare the property ${name} with the type ${JSON.stringify(toType(value))}`;
    case 'STATUS_UNDECLARED':
    case 'MEDIA_TYPE_UNDECLARED':
      return `declare it, because ${message}`;
    case 'HEADER_REQUIRED':
      return `make it optional, because ${message}`;
    default:
      return `relax the constraint, because ${message}`;
  }
}

function toType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** The structure of a JSON value: its types and members without the values. */
interface ValueShape {
  /** The JSON types; none for `null`, which says nothing about other values. */
  readonly kinds: ReadonlySet<string>;
  /** The members of objects; undefined for maps. */
  readonly members: ReadonlyMap<string, ValueShape> | undefined;
  /** The joined shape of the items of an array or the values of a map. */
  readonly items: ValueShape | undefined;
}

/** A difference between two shapes. */
export interface ShapeDifference {
  readonly kind: 'status' | 'media-type' | 'removed' | 'added' | 'type';
  /** Into the body; `*` stands for every item. */
  readonly pointer: string;
  readonly message: string;
}

/** Reads the shape of a value; the schemas distinguish maps from objects. */
type ReadShape = (value: unknown, pointers: SchemaPointers) => ValueShape;

/** Creates the reader of shapes for a contract. */
function createShapeReader(contract: Contract): ReadShape {
  const schemas = createSchemaWalk(contract);
  const isMap = (pointers: SchemaPointers): boolean => {
    const shapes = schemas.shapes(pointers);
    const named = shapes.some(({ properties }) => properties !== undefined && Object.keys(properties).length > 0);
    return !named && shapes.some(({ additionalProperties: rest }) => rest === true || isObject(rest));
  };
  const read: ReadShape = (value, pointers) => {
    if (value === null || value === undefined) return EMPTY_SHAPE;
    if (typeof value === 'number' || value instanceof ExactNumber) return toScalar('number');
    if (Array.isArray(value)) {
      const items = value.map((item, i) => read(item, schemas.item(pointers, i)));
      return {
        kinds: new Set(['array']),
        members: undefined,
        items: items.reduce<ValueShape | undefined>(join, undefined),
      };
    }
    if (!isObject(value)) return toScalar(typeof value);
    const members = Object.entries(value).map(
      ([name, member]) => [name, read(member, schemas.member(pointers, name))] as const,
    );
    if (!isMap(pointers)) return { kinds: new Set(['object']), members: new Map(members), items: undefined };
    const items = members.map(([, shape]) => shape).reduce<ValueShape | undefined>(join, undefined);
    return { kinds: new Set(['object']), members: undefined, items };
  };
  return read;
}

/** The differences between two shapes; an empty value has the same shape as any other. */
function compareShapes(recorded: ValueShape, live: ValueShape, pointer = ''): readonly ShapeDifference[] {
  const place = pointer === '' ? 'the body' : pointer;
  const added = [...live.kinds].filter((kind) => !recorded.kinds.has(kind));
  if (added.length > 0 && recorded.kinds.size > 0) {
    const was = [...recorded.kinds].join(' or ');
    return [{ kind: 'type', pointer, message: `${place} was ${was} and is ${added.join(' or ')}` }];
  }
  return [...compareMembers(recorded, live, pointer), ...compareItems(recorded, live, pointer)];
}

const EMPTY_SHAPE: ValueShape = { kinds: new Set(), members: undefined, items: undefined };

function toScalar(kind: string): ValueShape {
  return { kinds: new Set([kind]), members: undefined, items: undefined };
}

function compareMembers(recorded: ValueShape, live: ValueShape, pointer: string): readonly ShapeDifference[] {
  if (recorded.members === undefined || live.members === undefined) return [];
  const differences: ShapeDifference[] = [];
  for (const [name, shape] of recorded.members) {
    const below = pointer + toPointer(name);
    const other = live.members.get(name);
    if (other === undefined) differences.push({ kind: 'removed', pointer: below, message: `${below} is missing` });
    else differences.push(...compareShapes(shape, other, below));
  }
  for (const name of live.members.keys()) {
    const below = pointer + toPointer(name);
    if (!recorded.members.has(name)) differences.push({ kind: 'added', pointer: below, message: `${below} is new` });
  }
  return differences;
}

function compareItems(recorded: ValueShape, live: ValueShape, pointer: string): readonly ShapeDifference[] {
  // An empty array says nothing about its items.
  if (recorded.items === undefined || live.items === undefined) return [];
  return compareShapes(recorded.items, live.items, `${pointer}/*`);
}

/** The shape of values of either shape. */
function join(one: ValueShape | undefined, other: ValueShape): ValueShape {
  if (one === undefined) return other;
  const members =
    one.members === undefined || other.members === undefined ? (one.members ?? other.members) : new Map(one.members);
  if (members instanceof Map && one.members !== undefined) {
    for (const [name, shape] of other.members ?? []) members.set(name, join(members.get(name), shape));
  }
  const items = other.items === undefined ? one.items : join(one.items, other.items);
  return { kinds: new Set([...one.kinds, ...other.kinds]), members, items };
}
