import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import { readSegments } from '../../contract/pointer.js';
import type { Operation } from '../../contract/operations/operation.js';
import { joinRepeated } from '../../http/header-fields.js';
import { toEssence } from '../../http/media-type.js';
import type { Call } from '../../http/request/call.js';
import type { RecordedBody } from '../cassette/exchange.js';
import type { MatchRules } from '../cassette/manifest.js';
import {
  ORDINARY_LOCATION,
  readBodyPointers,
  readParameterPointers,
  type SecretWalk,
  type VisitText,
} from '../redaction/secret-walk.js';

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

/** How bodies and values are normalized. */
interface Masking {
  readonly walk: SecretWalk;
  readonly mask: VisitText;
  readonly ignoredBody: readonly string[];
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
export function createFactsReader(
  contract: Contract,
  rules: MatchRules,
  { walk, mask }: Pick<Masking, 'walk' | 'mask'>,
): FactsReader {
  const masking = { walk, mask, ignoredBody: rules.ignoreBody };
  const plans = new Map<Operation, OperationPlan>();
  const ignoredQuery = new Set(rules.ignoreQuery);
  const planOf = (operation: Operation): OperationPlan => {
    const plan = plans.get(operation) ?? createPlan(operation, contract, rules);
    plans.set(operation, plan);
    return plan;
  };
  return {
    signature: (call) => {
      if (call.file !== undefined || (call.bytes?.byteLength ?? 0) > MAX_SIGNATURE_BYTES) return undefined;
      const body = call.bytes === undefined ? '' : Buffer.from(call.bytes).toString('latin1');
      const fields = ['content-type', ...planOf(call.operation).headers].map((name) => call.headers.get(name));
      return JSON.stringify([call.operation.id, call.method, call.url, fields, body]);
    },
    read: (call, body) => {
      const { defaults, headers } = planOf(call.operation);
      const query = Object.entries({ ...defaults, ...call.query }).filter(([name]) => !ignoredQuery.has(name));
      return {
        method: call.method,
        path: maskValues('path', Object.entries(call.path), { ...masking, operation: call.operation }),
        query: maskValues('query', query, { ...masking, operation: call.operation }),
        header: readHeaders(call, headers, masking),
        body: readBodyFacts(body, call, masking),
      };
    },
  };
}

interface OperationPlan {
  /** The defaults of query parameters. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly headers: readonly string[];
}

function createPlan({ parameters }: Operation, contract: Contract, rules: MatchRules): OperationPlan {
  const secretHeaders = Object.values(contract.securitySchemes).flatMap(({ in: place, key = '' }) =>
    place === 'header' ? [key] : [],
  );
  const ignored = new Set([...rules.ignoreHeaders, ...secretHeaders].map((name) => name.toLowerCase()));
  const declared = parameters
    .filter((parameter) => parameter.in === 'header')
    .map((parameter) => parameter.name.toLowerCase())
    .filter((name) => !UNIQUE_HEADERS.has(name) && !ignored.has(name));
  const defaults = parameters.flatMap((parameter): (readonly [string, unknown])[] => {
    const { schema } = contract.resolve(parameter.schema, parameter.schemaPointer);
    const hasDefault = parameter.in === 'query' && isObject(schema) && schema.default !== undefined;
    return hasDefault ? [[parameter.name, schema.default]] : [];
  });
  const headers = new Set([...declared, ...rules.headers.map((name) => name.toLowerCase())]);
  return { defaults: Object.fromEntries(defaults), headers: [...headers] };
}

function readHeaders(call: Call, names: readonly string[], { walk, mask }: Masking): Readonly<Record<string, unknown>> {
  const facts: Record<string, unknown> = {};
  for (const name of names) {
    const text = call.headers.get(name);
    // Typed values, so that `1` and `01` are the same number.
    const typed = Object.entries(call.header).find(([declared]) => declared.toLowerCase() === name)?.[1];
    const isTyped = typeof typed === 'number' || isObject(typed);
    if (text !== null) facts[name] = isTyped ? typed : walk.header(name, text, mask);
  }
  return facts;
}

function maskValues(
  kind: 'path' | 'query',
  values: readonly (readonly [name: string, value: unknown])[],
  { walk, mask, operation }: Masking & { readonly operation: Operation },
): Readonly<Record<string, unknown>> {
  const masked = values.map(([name, value]) => {
    if (typeof value !== 'string') return [name, value] as const;
    const pointers = readParameterPointers(operation, kind, name);
    return [name, walk.named(name, value, { kind, pointers, direction: 'request', visit: mask })] as const;
  });
  return Object.fromEntries(masked);
}

function readBodyFacts(body: RecordedBody, call: Call, { walk, mask, ignoredBody }: Masking): unknown {
  const mediaType = call.mediaType ?? toEssence(call.headers.get('content-type') ?? '');
  const pointers = readBodyPointers(call.operation.body?.content ?? [], mediaType);
  const at = { pointers, direction: 'request' } as const;
  if (body.bodyDigest !== undefined) return body.bodyDigest;
  if (body.body !== undefined) return ignoreMembers(walk.json(body.body, at, mask), ignoredBody);
  if (body.bodyText !== undefined && mediaType === 'application/x-www-form-urlencoded') {
    // The fields by name; the order of different names does not matter.
    const fields = [...new URLSearchParams(body.bodyText)].map(([name, value]) => {
      return [name, walk.named(name, value, { ...at, kind: 'form', visit: mask })] as const;
    });
    return ignoreMembers(joinRepeated(fields), ignoredBody);
  }
  return toComparable(body, (text) => mask(text, ORDINARY_LOCATION));
}

function toComparable(body: RecordedBody, mask: (text: string) => string): unknown {
  if (body.parts !== undefined) {
    const parts = body.parts.toSorted((x, y) => (x.name < y.name ? -1 : 1));
    return parts.map((part) => {
      const { name, filename, mediaType: type } = part;
      return { name, filename, type, content: toComparable(part, mask) };
    });
  }
  if (body.bodyText !== undefined) return mask(body.bodyText);
  if (body.bytes !== undefined) return Buffer.from(body.bytes).toString('base64');
  if (body.body !== undefined) return body.body;
  return body.bodyBase64 ?? body.events?.map(({ data, event }) => ({ data, event }));
}

/** A JSON value without the members at these pointers; `*` matches any one segment. */
function ignoreMembers(value: unknown, pointers: readonly string[]): unknown {
  return pointers.reduce((clean, pointer) => ignoreMember(clean, readSegments(pointer)), value);
}

function ignoreMember(value: unknown, steps: readonly string[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const isMatch = (name: string): boolean => step === '*' || name === step;
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
