import { URLSearchParams } from 'node:url';
import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import { readSegments } from '../../contract/pointer.js';
import type { Operation } from '../../contract/operations/operation.js';
import { isUndocumented } from '../../contract/operations/undocumented.js';
import { joinRepeated } from '../../http/header-fields.js';
import { toEssence } from '../../contract/media-type.js';
import { readQueryValues, readTarget, removeSessionPrefix, splitBasePath } from '../../http/target.js';
import { isRandom } from '../../schema/secret-names.js';
import type { Call } from '../../http/request/call.js';
import type { RecordedBody } from '../cassette/exchange.js';
import type { MatchRules } from '../cassette/manifest.js';
import type { Mask } from '../redaction/redact.js';
import {
  ORDINARY_LOCATION,
  readBodyPointers,
  readParameterPointers,
  type SchemaPointers,
} from '../redaction/secret-walk.js';

/** The normal form of the parts of a request that are compared on replay. */
export interface RequestFacts {
  readonly method: string;
  readonly path: Readonly<Record<string, unknown>>;
  /** Typed according to the contract, with defaults. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The fields that the contract declares or the manifest lists, `Range`, and whether there are credentials. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The `Accept` header, which is compared by the media type that it selects; undefined without one and if it is ignored. */
  readonly accept: string | undefined;
}

/** The parts of a request that are compared by value. */
export const PARTS: readonly Exclude<keyof RequestFacts, 'accept'>[] = ['method', 'path', 'query', 'header', 'body'];

/** Reads the normal form of requests. */
export interface FactsReader {
  /** Whether the media type that a request asks for is compared. */
  readonly comparesAccept: boolean;
  /** A cheap cache key for the facts of a call; undefined for large bodies. */
  signature(call: Call): string | undefined;
  /** The facts of a decoded call with its body in recorded form. */
  read(call: Call, body: RecordedBody): RequestFacts;
  /**
   * The facts in which every secret of the call is also masked where other text quotes it, although it may be a plain word; undefined
   * if no other text quotes one.
   */
  readQuoted(call: Call, body: RecordedBody): RequestFacts | undefined;
}

/** How bodies and values are normalized. */
interface Masking extends Mask {
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
export function createFactsReader(contract: Contract, rules: MatchRules, own: Mask): FactsReader {
  const ordinary: Masking = { ...own, ignoredBody: rules.ignoreBody };
  const plans = new Map<Operation, OperationPlan>();
  const ignoredQuery = new Set(rules.ignoreQuery);
  const isAcceptIgnored = rules.ignoreHeaders.some((name) => name.toLowerCase() === 'accept');
  const planOf = (operation: Operation): OperationPlan => {
    const plan = plans.get(operation) ?? createPlan(operation, contract, rules);
    plans.set(operation, plan);
    return plan;
  };
  const readAll = (call: Call, body: RecordedBody, masking: Masking): RequestFacts => {
    const { defaults, headers, credentials } = planOf(call.operation);
    const { path, query: sent } = isUndocumented(call.operation) ? readTargetFacts(call) : call;
    const query = Object.entries({ ...defaults, ...sent }).filter(([name]) => !ignoredQuery.has(name));
    return {
      method: call.method,
      path: maskValues('path', Object.entries(path), { ...masking, call }),
      query: maskValues('query', query, { ...masking, call }),
      header: { ...readPresence(call, credentials), ...readHeaders(call, headers, masking) },
      body: readBodyFacts(body, call, masking),
      accept: isAcceptIgnored ? undefined : (call.headers.get('accept') ?? undefined),
    };
  };
  return {
    comparesAccept: !isAcceptIgnored,
    signature: (call) => {
      if (call.file !== undefined || (call.bytes?.byteLength ?? 0) > MAX_SIGNATURE_BYTES) return undefined;
      const body = call.bytes === undefined ? '' : Buffer.from(call.bytes).toString('latin1');
      const { headers, credentials } = planOf(call.operation);
      const fields = ['content-type', ...headers].map((name) => call.headers.get(name));
      const present = credentials.map((name) => isPresent(call, name));
      // A credential only matters if the rest of the request quotes it.
      const quoted = listCredentials(call, ordinary).filter((secret) => isQuoted(secret, call.url, body));
      return JSON.stringify([call.operation.id, call.method, call.url, fields, present, body, quoted]);
    },
    read: (call, body) => {
      const accepts = (secret: string): boolean => isRandom(secret) || own.isPlaceholder(secret);
      return readAll(call, body, maskQuoted(call, body, { masking: ordinary, accepts }) ?? ordinary);
    },
    readQuoted: (call, body) => {
      const accepts = ({ length }: string): boolean => length >= MIN_QUOTED_LENGTH;
      const masking = maskQuoted(call, body, { masking: ordinary, accepts });
      return masking && readAll(call, body, masking);
    },
  };
}

const MIN_QUOTED_LENGTH = 4;

/** The values of the headers of a call that are credentials. */
function listCredentials(call: Call, { walk }: Pick<Mask, 'walk'>): readonly string[] {
  const found: string[] = [];
  for (const [name, value] of call.headers) {
    walk.header({ name }, value, (text, { rule }) => {
      if (rule !== undefined && text !== '') found.push(text);
      return text;
    });
  }
  return found;
}

function isQuoted(secret: string, url: string, body: string): boolean {
  return secret.length >= MIN_QUOTED_LENGTH && (url.includes(encodeURIComponent(secret)) || body.includes(secret));
}

/** Masks secrets of a call, also where its texts quote them; undefined if it has no such secret. */
function maskQuoted(
  call: Call,
  body: RecordedBody,
  { masking, accepts }: { readonly masking: Masking; accepts(secret: string): boolean },
): Masking | undefined {
  const secrets = new Set(listCredentials(call, masking).filter(accepts));
  const collect: Mask['mask'] = (text, { rule }) => {
    if (rule !== undefined && accepts(text)) secrets.add(text);
    return text;
  };
  readBodyFacts(body, call, { ...masking, mask: collect });
  if (secrets.size === 0) return undefined;
  const sorted = [...secrets].toSorted((x, y) => y.length - x.length);
  const mask: Mask['mask'] = (text, location) => {
    if (location.rule !== undefined) return masking.mask(text, location);
    const clean = sorted.reduce((rest, secret) => rest.replaceAll(secret, masking.mark), text);
    return masking.mask(clean, location);
  };
  return { ...masking, mask };
}

interface OperationPlan {
  /** The defaults of query parameters. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly headers: readonly string[];
  /** Headers of which only the presence is compared, and cookies as `cookie name`. */
  readonly credentials: readonly string[];
}

/** Headers that carry a credential in any contract. */
const CREDENTIALS: readonly string[] = ['authorization', 'x-api-key'];

function createPlan({ parameters }: Operation, contract: Contract, rules: MatchRules): OperationPlan {
  const schemes = Object.values(contract.securitySchemes);
  const keysIn = (wanted: string): readonly string[] =>
    schemes.flatMap(({ in: place, key = '' }) => (place === wanted ? [key.toLowerCase()] : []));
  const secretHeaders = keysIn('header');
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
  const listed = rules.headers.map((name) => name.toLowerCase());
  const ignoredByRule = new Set(rules.ignoreHeaders.map((name) => name.toLowerCase()));
  const range = ignoredByRule.has('range') ? [] : ['range'];
  const headers = new Set([...declared, ...listed, ...range]);
  const cookies = ignoredByRule.has('cookie') ? [] : keysIn('cookie').map((key) => `cookie ${key}`);
  const credentials = new Set([...CREDENTIALS, ...secretHeaders].filter((name) => !ignoredByRule.has(name)));
  return { defaults: Object.fromEntries(defaults), headers: [...headers], credentials: [...credentials, ...cookies] };
}

/** The path below the base path, and the query as it was sent. */
function readTargetFacts({ url, operation }: Call): Pick<Call, 'path' | 'query'> {
  const { path, search } = readTarget(removeSessionPrefix(url, operation));
  return { path: { path: splitBasePath(operation, path).rest }, query: readQueryValues(search) };
}

/** Whether a call has a credential; its value is secret and another one in each run. */
function isPresent({ headers }: Call, name: string): boolean {
  if (!name.startsWith('cookie ')) return headers.has(name);
  const cookies = (headers.get('cookie') ?? '').toLowerCase().split(/; */);
  return cookies.some((cookie) => cookie.startsWith(`${name.slice('cookie '.length)}=`));
}

function readPresence(call: Call, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.filter((name) => isPresent(call, name)).map((name) => [name, 'present']));
}

function readHeaders(call: Call, names: readonly string[], { walk, mask }: Masking): Readonly<Record<string, unknown>> {
  const facts: Record<string, unknown> = {};
  for (const name of names) {
    const text = call.headers.get(name);
    // Typed values, so that `1` and `01` are the same number.
    const typed = Object.entries(call.header).find(([declared]) => declared.toLowerCase() === name)?.[1];
    const isTyped = typeof typed === 'number' || isObject(typed);
    if (text !== null) facts[name] = isTyped ? typed : walk.header({ name }, text, mask);
  }
  return facts;
}

function maskValues(
  kind: 'path' | 'query',
  values: readonly (readonly [name: string, value: unknown])[],
  { walk, mask, call }: Masking & { readonly call: Call },
): Readonly<Record<string, unknown>> {
  const path = readTarget(call.url).path;
  const maskValue = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => maskValue(name, item));
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const pointers = readParameterPointers(call.operation, kind, name);
    const text = String(value);
    const masked = walk.named(name, text, { kind, pointers, direction: 'request', visit: mask, path });
    return masked === text ? value : masked;
  };
  const masked = values.map(([name, value]) => [name, maskValue(name, value)] as const);
  return Object.fromEntries(masked);
}

function readBodyFacts(body: RecordedBody, call: Call, { walk, mask, ignoredBody }: Masking): unknown {
  const mediaType = call.mediaType ?? toEssence(call.headers.get('content-type') ?? '');
  const pointers = readBodyPointers(call.operation.body?.content ?? [], mediaType);
  const at = { pointers, direction: 'request', path: readTarget(call.url).path } as const;
  if (body.bodyDigest !== undefined) return body.bodyDigest;
  if (body.body !== undefined) return ignoreMembers(walk.json(body.body, at, mask), ignoredBody);
  if (body.bodyText !== undefined && mediaType === 'application/x-www-form-urlencoded') {
    // The fields by name; the order of different names does not matter.
    const fields = [...new URLSearchParams(body.bodyText)].map(([name, value]) => {
      return [name, walk.named(name, value, { ...at, kind: 'form', visit: mask })] as const;
    });
    return ignoreMembers(joinRepeated(fields), ignoredBody);
  }
  return toComparable(body, at, { walk, mask });
}

function toComparable(
  body: RecordedBody,
  at: { readonly pointers: SchemaPointers; readonly direction: 'request' },
  { walk, mask }: Pick<Mask, 'walk' | 'mask'>,
): unknown {
  if (body.parts !== undefined) {
    const parts = body.parts.toSorted((x, y) => (x.name < y.name ? -1 : 1));
    return parts.map((part) => {
      const { name, filename, mediaType: type } = part;
      // The part of a form is a secret by its name or by its schema in that of the form.
      const content =
        part.bodyText === undefined || part.events !== undefined
          ? toComparable(part, { ...at, pointers: [] }, { walk, mask })
          : walk.named(name, part.bodyText, { ...at, kind: 'form', visit: mask });
      return { name, filename, type, content };
    });
  }
  if (body.body !== undefined) return walk.json(body.body, at, mask);
  if (body.bodyText !== undefined && body.events === undefined) return mask(body.bodyText, ORDINARY_LOCATION);
  if (body.bytes !== undefined) return maskBytes(body.bytes, mask).toString('base64');
  return body.bodyBase64 ?? body.events?.map(({ data, event }) => ({ data, event }));
}

/** Bytes with their secrets masked; Latin-1 maps every byte to one character and back. */
function maskBytes(bytes: Uint8Array, mask: Mask['mask']): Buffer {
  const text = Buffer.from(bytes).toString('latin1');
  const clean = mask(text, ORDINARY_LOCATION);
  return clean === text ? Buffer.from(bytes) : Buffer.from(clean);
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
