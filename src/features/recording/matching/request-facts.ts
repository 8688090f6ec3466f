import { URLSearchParams } from 'node:url';
import type { Contract } from '../../../contract/contract.js';
import { filterMembers, isObject } from '../../../base/json.js';
import { readSegments } from '../../../contract/pointer.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { isUndocumented } from '../../../contract/operations/undocumented.js';
import { type HeaderFields, joinRepeated, readContentType, readField } from '../../../http/header-fields.js';
import { readQueryValues, readTarget, removeSessionPrefix, splitBasePath } from '../../../http/target.js';
import { memoize } from '../../../base/memoize.js';
import { isRandom } from '../../../conventions/secret-names.js';
import type { Call } from '../../../http/request/call.js';
import type { RecordedBody } from '../cassette/exchange.js';
import type { MatchRules } from '../cassette/manifest.js';
import { visitRequest } from '../redaction/redact-exchange.js';
import type { Mask } from '../redaction/redact.js';
import type { VisitText } from '../redaction/secret-walk.js';

/** The normal form of the parts of a request that are compared on replay. */
export interface RequestFacts {
  readonly method: string;
  readonly path: Readonly<Record<string, unknown>>;
  /** Typed according to the contract, with defaults. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The fields that the contract declares or the manifest lists, `Range`, and whether there are credentials. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The parts of a request that are compared by value. */
export const FACT_NAMES: readonly (keyof RequestFacts)[] = ['method', 'path', 'query', 'header', 'body'];

/** Reads the normal form of requests. */
export interface FactsReader {
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
  const { walk } = own;
  const planOf = memoize((operation: Operation) => createPlan(operation, contract, rules));
  const ignoredQuery = new Set(rules.ignoreQuery);
  /** Visits the parts of a call that are compared. */
  const visitCall = (call: Call, body: RecordedBody, visit: VisitText): ReturnType<typeof toVisited> => {
    const { operation, url } = call;
    const { defaults } = planOf(operation);
    return visitRequest(toVisited(call, body, defaults), readTarget(url).path, { operation, walk, visit });
  };
  const readAll = (call: Call, body: RecordedBody, mask: VisitText): RequestFacts => {
    const { headers, credentials } = planOf(call.operation);
    const visited = visitCall(call, body, mask);
    return {
      method: call.method,
      path: visited.pathParams,
      query: filterMembers(visited.query, (name) => !ignoredQuery.has(name)),
      header: { ...readPresence(call, credentials), ...readHeaders(call, headers, visited.headers) },
      body: toComparable(visited, rules.ignoreBody, readContentType(visited.headers)),
    };
  };
  /** Masks the secrets of a call, also where its other texts quote them; undefined if it has no such secret. */
  const maskQuoted = (call: Call, body: RecordedBody, accepts: (secret: string) => boolean): VisitText | undefined => {
    const secrets = new Set<string>();
    visitCall(call, body, (text, { rule }) => {
      if (rule !== undefined && accepts(text)) secrets.add(text);
      return text;
    });
    if (secrets.size === 0) return undefined;
    const sorted = [...secrets].toSorted((x, y) => y.length - x.length);
    return (text, location) => {
      if (location.rule !== undefined) return own.mask(text, location);
      const clean = sorted.reduce((rest, secret) => rest.replaceAll(secret, own.mark), text);
      return own.mask(clean, location);
    };
  };
  return {
    signature: (call) => {
      if (call.file !== undefined || (call.bytes?.byteLength ?? 0) > MAX_SIGNATURE_BYTES) return undefined;
      const body = call.bytes === undefined ? '' : Buffer.from(call.bytes).toString('latin1');
      const { headers, credentials } = planOf(call.operation);
      const fields = ['content-type', ...headers].map((name) => call.headers.get(name));
      const present = credentials.map((name) => isPresent(call, name));
      // A credential only matters if the rest of the request quotes it.
      const quoted = listCredentials(call, own).filter((secret) => isQuoted(secret, call.url, body));
      return JSON.stringify([call.operation.id, call.method, call.url, fields, present, body, quoted]);
    },
    read: (call, body) => {
      const accepts = (secret: string): boolean => isRandom(secret) || own.isPlaceholder(secret);
      return readAll(call, body, maskQuoted(call, body, accepts) ?? own.mask);
    },
    readQuoted: (call, body) => {
      const mask = maskQuoted(call, body, ({ length }) => length >= MIN_QUOTED_LENGTH);
      return mask && readAll(call, body, mask);
    },
  };
}

/** A call with its body in recorded form. The exact text beside a JSON value is not compared. */
function toVisited(call: Call, body: RecordedBody, defaults: OperationPlan['defaults']) {
  const { path, query } = isUndocumented(call.operation) ? readTargetFacts(call) : call;
  const compared = body.body === undefined ? body : { body: body.body };
  return { ...compared, pathParams: path, query: { ...defaults, ...query }, headers: call.headers.fields };
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

interface OperationPlan {
  /** The defaults of query parameters. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly headers: readonly string[];
  /** Headers that are compared by presence only, and cookies as `cookie name`. */
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

function readHeaders(call: Call, names: readonly string[], fields: HeaderFields): Readonly<Record<string, unknown>> {
  const facts: Record<string, unknown> = {};
  for (const name of names) {
    const text = readField(fields, name);
    // Typed values, so that `1` and `01` are the same number.
    const typed = Object.entries(call.header).find(([declared]) => declared.toLowerCase() === name)?.[1];
    const isTyped = typeof typed === 'number' || isObject(typed);
    if (text !== undefined) facts[name] = isTyped ? typed : text;
  }
  return facts;
}

/** A body as it is compared: the parts of a form by name, the fields of one in any order. */
function toComparable(body: RecordedBody, ignored: readonly string[], mediaType?: string): unknown {
  if (body.bodyDigest !== undefined) return body.bodyDigest;
  if (body.body !== undefined) return ignoreMembers(body.body, ignored);
  if (body.parts !== undefined) {
    const parts = body.parts.toSorted((x, y) => (x.name < y.name ? -1 : 1));
    return parts.map((part) => {
      const { name, filename, mediaType: type } = part;
      return { name, filename, type, content: toComparable(part, []) };
    });
  }
  if (body.events !== undefined) return body.events.map(({ data, event }) => ({ data, event }));
  if (body.bodyText !== undefined && mediaType === 'application/x-www-form-urlencoded')
    return ignoreMembers(joinRepeated(new URLSearchParams(body.bodyText)), ignored);
  return body.bodyText ?? body.bodyBase64 ?? (body.bytes && Buffer.from(body.bytes).toString('base64'));
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
