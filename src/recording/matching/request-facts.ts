import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { joinRepeated, readContentType } from '../../http/header-fields.js';
import { findMedia } from '../../http/media-type.js';
import type { Call } from '../../http/request/call.js';
import { type RecordedBody, type RecordedEvent, type RecordedPart } from '../cassette/exchange.js';
import type { MatchRules } from '../cassette/manifest.js';
import { ORDINARY_LOCATION, readParameterPointers, type SecretWalk, type VisitText } from '../redaction/secret-walk.js';

/** The normal form of the parts of a request that are compared on replay. */
export interface RequestFacts {
  readonly method: string;
  readonly path: Readonly<Record<string, unknown>>;
  /** Typed according to the contract, with defaults. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The fields that the contract declares or the manifest lists. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Reads the normal form of requests. */
interface FactsReader {
  /** A cheap cache key for the facts of a call; undefined for large bodies. */
  signature(call: Call): string | undefined;
  /** The facts of a decoded call with its body in recorded form. */
  read(call: Call, body: RecordedBody): RequestFacts;
}

/** The parts of a facts reader. */
interface FactsParts {
  readonly contract: Contract;
  readonly rules: MatchRules;
  readonly walk: SecretWalk;
  /** Masks every secret and placeholder. */
  readonly mask: VisitText;
}

// These differ in every request.
const UNIQUE_HEADERS: ReadonlySet<string> = new Set([
  'idempotency-key',
  'traceparent',
  'tracestate',
  'x-correlation-id',
  'x-request-id',
]);

const MAX_SIGNATURE_BYTES = 4096;

/** Creates the reader for one cassette; each operation is prepared once. */
export function createFactsReader(parts: FactsParts): FactsReader {
  const plans = new Map<Operation, OperationPlan>();
  const planOf = (operation: Operation): OperationPlan => {
    const plan = plans.get(operation) ?? createPlan(operation, parts);
    plans.set(operation, plan);
    return plan;
  };
  return {
    signature: (call) => {
      if (call.bytes !== undefined && call.bytes.byteLength > MAX_SIGNATURE_BYTES) return undefined;
      const body = call.bytes === undefined ? '' : Buffer.from(call.bytes).toString('latin1');
      const fields = ['content-type', ...planOf(call.operation).headers].map((name) => call.headers.get(name));
      return JSON.stringify([call.operation.id, call.method, call.url, fields, body]);
    },
    read: (call, body) => {
      const plan = planOf(call.operation);
      const query = { ...plan.defaults, ...omit(call.query, plan.ignoredQuery) };
      return {
        method: call.method,
        path: maskValues({ kind: 'path', values: call.path }, call.operation, parts),
        query: maskValues({ kind: 'query', values: query }, call.operation, parts),
        header: readHeaders(call, plan, parts),
        body: readBodyFacts(body, call, parts),
      };
    },
  };
}

interface OperationPlan {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly ignoredQuery: ReadonlySet<string>;
  readonly headers: readonly string[];
  readonly secretHeaders: ReadonlySet<string>;
}

function createPlan(operation: Operation, { contract, rules }: FactsParts): OperationPlan {
  const ignoredHeaders = new Set(rules.ignoreHeaders.map((name) => name.toLowerCase()));
  const secretHeaders = new Set(
    Object.values(contract.securitySchemes)
      .filter((scheme) => scheme.in === 'header')
      .map((scheme) => (scheme.key ?? '').toLowerCase()),
  );
  const declared = operation.parameters
    .filter((parameter) => parameter.in === 'header')
    .map((parameter) => parameter.name.toLowerCase())
    .filter((name) => !UNIQUE_HEADERS.has(name) && !ignoredHeaders.has(name) && !secretHeaders.has(name));
  const defaults: Record<string, unknown> = {};
  for (const parameter of operation.parameters) {
    const { schema } = contract.resolve(parameter.schema, parameter.schemaPointer);
    if (parameter.in === 'query' && isObject(schema) && schema.default !== undefined)
      defaults[parameter.name] = schema.default;
  }
  return {
    defaults: omit(defaults, new Set(rules.ignoreQuery)),
    ignoredQuery: new Set(rules.ignoreQuery),
    headers: [...new Set([...declared, ...rules.headers.map((name) => name.toLowerCase())])],
    secretHeaders,
  };
}

function readHeaders(call: Call, plan: OperationPlan, { walk, mask }: FactsParts): Readonly<Record<string, unknown>> {
  const facts: Record<string, unknown> = {};
  for (const name of plan.headers) {
    const text = call.headers.get(name);
    // Typed values, so that `1` and `01` are the same number.
    const typed = Object.entries(call.header).find(([declared]) => declared.toLowerCase() === name)?.[1];
    if (text !== null)
      facts[name] = typeof typed === 'number' || isObject(typed) ? typed : walk.header(name, text, mask);
  }
  return facts;
}

function maskValues(
  of: { readonly kind: 'path' | 'query'; readonly values: Readonly<Record<string, unknown>> },
  operation: Operation,
  { walk, mask }: FactsParts,
): Readonly<Record<string, unknown>> {
  const { kind } = of;
  return Object.fromEntries(
    Object.entries(of.values).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      const pointers = readParameterPointers(operation, kind, name);
      return [name, walk.named(name, value, { kind, pointers, direction: 'request', visit: mask })];
    }),
  );
}

function readBodyFacts(body: RecordedBody, call: Call, parts: FactsParts): unknown {
  const { walk, mask, rules } = parts;
  const mediaType = call.mediaType ?? readContentType({ 'content-type': call.headers.get('content-type') ?? '' });
  const media = mediaType === undefined ? undefined : findMedia(call.operation.body?.content ?? [], mediaType);
  const pointers = media?.schema === undefined ? [] : [media.schemaPointer];
  if (body.body !== undefined) {
    return ignoreMembers(walk.json(body.body, { pointers, direction: 'request' }, mask), rules.ignoreBody);
  }
  if (body.bodyText !== undefined && mediaType === 'application/x-www-form-urlencoded') {
    return ignoreMembers(readForm(body.bodyText, pointers, parts), rules.ignoreBody);
  }
  return toComparable(body, (text) => mask(text, ORDINARY_LOCATION));
}

/** The fields of a form by name; the order of different names does not matter. */
function readForm(
  text: string,
  pointers: readonly string[],
  { walk, mask }: FactsParts,
): Readonly<Record<string, string | readonly string[]>> {
  const fields = [...new URLSearchParams(text)].map(([name, value]) => {
    const clean = walk.named(name, value, { kind: 'form', pointers, direction: 'request', visit: mask });
    return [name, clean] as const;
  });
  return joinRepeated(fields);
}

function toComparable(body: RecordedBody | RecordedPart | RecordedEvent, mask: (text: string) => string): unknown {
  if ('parts' in body && body.parts !== undefined) {
    return body.parts
      .toSorted((x, y) => (x.name < y.name ? -1 : 1))
      .map((part) => ({
        name: part.name,
        filename: part.filename,
        type: part.mediaType,
        content: toComparable(part, mask),
      }));
  }
  if ('bodyText' in body && body.bodyText !== undefined) return mask(body.bodyText);
  if ('body' in body && body.body !== undefined) return body.body;
  if ('bodyBase64' in body && body.bodyBase64 !== undefined) return body.bodyBase64;
  if ('bytes' in body && body.bytes !== undefined) return Buffer.from(body.bytes).toString('base64');
  if ('events' in body && body.events !== undefined) return body.events.map(({ data, event }) => ({ data, event }));
  return undefined;
}

/** A JSON value without the members at these pointers; `*` matches any one segment. */
function ignoreMembers(value: unknown, pointers: readonly string[]): unknown {
  return pointers.reduce((clean, pointer) => ignoreMember(clean, pointer.split('/').slice(1)), value);
}

function ignoreMember(value: unknown, steps: readonly string[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const isMatch = (name: string): boolean => step === '*' || name === step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.filter((_, i) => !isMatch(String(i)));
    return value.map((item, i) => (isMatch(String(i)) ? ignoreMember(item, rest) : (item as unknown)));
  }
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (!isMatch(name)) return [[name, member]];
    return rest.length === 0 ? [] : [[name, ignoreMember(member, rest)]];
  });
  return Object.fromEntries(members);
}

function omit(
  values: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  if (names.size === 0) return values;
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}
