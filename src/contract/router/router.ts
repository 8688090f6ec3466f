import { LimitError } from '../../base/errors.js';
import { UUID } from '../../base/names.js';
import { URLSearchParams } from 'node:url';
import type { Contract } from '../contract.js';
import { isObject, type SchemaObject } from '../../base/json.js';
import { memoize } from '../../base/memoize.js';
import { findMedia, listKin, toEssence } from '../media-type.js';
import type { Operation } from '../operations/operation.js';
import { decodeText, readStrings } from '../pointer.js';
import { findNearestPaths } from './nearest-path.js';
import type { GuardedPattern } from '../patterns/guarded-pattern.js';
import { readPattern } from '../upgrade/patterns.js';
import { matchMixed, type QueryPair, type TemplateSegment } from './path-template.js';
import { joinSpans } from './path-span.js';
import { buildBases, type Route, type TrieNode } from './path-trie.js';

/** The result of matching a method and a path against the contract. */
export type RouteMatch =
  | {
      readonly kind: 'operation';
      readonly operation: Operation;
      /** The base path it was found below; empty for none. */
      readonly basePath: string;
      /** Path parameters by name, still percent-encoded. */
      readonly pathText: Readonly<Record<string, string>>;
      /** Whether slashes were repeated before the path of the operation; they are ignored. */
      readonly repeatsSlash?: true;
      /** Whether the request sends a form by POST to an operation of GET; its fields are the query parameters. */
      readonly isFormOfGet?: true;
    }
  | {
      readonly kind: 'method';
      /** For the `Allow` header, sorted; HEAD (where GET is) and OPTIONS included. */
      readonly allow: readonly string[];
    }
  | {
      readonly kind: 'none';
      /** Up to three path keys that are most similar. Compares the path with all of them. */
      readonly nearest: () => readonly string[];
    };

/** Header fields by name in lower case. */
type Fields = Readonly<Record<string, string>>;

/** Finds the operation of a request. */
export interface Router {
  /**
   * @param method - As it was sent; HEAD matches GET if no HEAD is declared.
   * @param pathname - Percent-encoded, as WHATWG URL writes it.
   * @param search - The query with or without its `?`; only path keys with a fixed query use it.
   * @param fields - The header fields, with names in lower case; only path keys that differ after their `#` use them.
   */
  match(method: string, pathname: string, search: string, fields?: Fields): RouteMatch;
}

/**
 * Creates a router over a trie of segments: a literal segment has priority over a mixed one, and that over a parameter, whatever their
 * order in the document; a path whose literal template lacks the method falls back to the parameterized one. A longer base path is
 * tried before a shorter one. Of two path keys with the same structure the one whose parameter schemas the values fit wins, if `resolve` is
 * given, else the first; so does a path of another structure with as many literals, if the values do not fit the path with priority.
 */
export function createRouter(operations: readonly Operation[], resolve?: Contract['resolve']): Router {
  const formsOf = memoize((operation: Operation) => readTextForms(operation, resolve));
  const bases = buildBases(operations, (operation, name) => readStrings(formsOf(operation).get(name)?.schema.enum));
  const values: string[] = [];
  const fit = ({ operation, names }: Route): number => measureFit(formsOf(operation), names, values);
  const find = (request: Request, readStart = readBaseEnd): OperationMatch | undefined => {
    for (const base of bases) {
      const start = readStart(request.pathname, base.path);
      if (start < 0) continue;
      request.isForked = false;
      request.fitsOnly = false;
      const route = walk(base.root, start, 0, request);
      if (route === undefined) continue;
      const match = toMatch(route, base.basePath, values);
      if (!request.isForked || fit(route) !== MISFIT) return match;
      request.fitsOnly = true;
      const other = walk(base.root, start, 0, request);
      // `/users/{id}` with a wrong id does not mean `/{kind}/{name}`.
      if (other === undefined || other.literalCount < route.literalCount) return match;
      return toMatch(other, base.basePath, values);
    }
    return undefined;
  };
  const allow: string[] = [];
  // One object for every request: a match is one synchronous step.
  const blank = { method: '', pathname: '', search: '', fields: NO_FIELDS, isForked: false, fitsOnly: false };
  const request: Request = { ...blank, values, allow, fit };
  return {
    // oxlint-disable-next-line max-params -- an object for each request would cost more than the match
    match: (method, pathname, search, fields = NO_FIELDS) => {
      allow.length = 0;
      request.method = method;
      request.pathname = pathname;
      request.search = search;
      request.fields = fields;
      const found = find(request);
      if (found !== undefined) return found;
      if (pathname.includes('//')) {
        // A base URL that ends with a slash, joined to a path: `//pets`, `/v1//pets`.
        const joined = pathname.replace(/^\/{2,}/, '/');
        const skipped = find({ ...request, pathname: joined }, skipSlashes);
        if (skipped !== undefined) return { ...skipped, repeatsSlash: true };
      }
      if (allow.length > 0) {
        const allowed = readAllow(allow);
        if (method === 'POST' && allow.includes('GET') && isPlainForm(fields['content-type'])) {
          const read = find({ ...request, method: 'GET' });
          if (read !== undefined) return { ...read, isFormOfGet: true };
        }
        return { kind: 'method', allow: allowed };
      }
      return { kind: 'none', nearest: () => findNearestPaths(operations, pathname) };
    },
  };
}

/** The request to match, and the two lists that the search fills. */
interface Request {
  method: string;
  pathname: string;
  search: string;
  fields: Fields;
  /** Whether the search passed a node where another path could have matched, too. */
  isForked: boolean;
  /** Whether only routes count whose path parameters the values fit. */
  fitsOnly: boolean;
  readonly values: string[];
  readonly allow: string[];
  /** How well the values fit the schemas of a route's path parameters. */
  readonly fit: (route: Route) => number;
}

const NO_FIELDS: Fields = {};

/** The route below a node, depth first; `depth` counts the values captured so far. Visits each node of the trie at most once. */
// oxlint-disable-next-line max-params -- an object for each node would cost more than the node
function walk(node: TrieNode, start: number, depth: number, request: Request): Route | undefined {
  const { pathname, values } = request;
  const isEnd = start >= pathname.length || (start === pathname.length - 1 && pathname.charCodeAt(start) === SLASH);
  if (isEnd) return node.routes === undefined ? undefined : chooseRoute(node.routes, request);
  const next = pathname.indexOf('/', start + 1);
  const end = next < 0 ? pathname.length : next;
  const segment = pathname.slice(start + 1, end);
  const literal =
    node.literals?.get(segment) ?? (segment.includes('%') ? node.literals?.get(decodeText(segment)) : undefined);
  if (literal !== undefined) {
    const route = walk(literal, end, depth, request);
    if (route !== undefined) {
      request.isForked ||= node.mixed.length > 0 || node.parameter !== undefined;
      return route;
    }
  }
  // A parameter cannot be empty.
  if (segment === '') return undefined;
  for (const child of node.mixed) {
    const texts = matchEncoded(child.segment, segment);
    if (texts === undefined) continue;
    for (let i = 0; i < texts.length; i++) values[depth + i] = texts[i] ?? '';
    const route = walk(child.node, end, depth + texts.length, request);
    if (route !== undefined) {
      request.isForked = true;
      return route;
    }
  }
  if (node.parameter === undefined) return undefined;
  values[depth] = segment;
  return walk(node.parameter, end, depth + 1, request);
}

const SLASH = 47;

function isPlainForm(contentType: string | undefined): boolean {
  return contentType !== undefined && toEssence(contentType) === 'application/x-www-form-urlencoded';
}

/** Matches a mixed segment as it was sent or, if its literals were percent-encoded (`%3Acancel`), decoded with its values encoded again. */
function matchEncoded(template: TemplateSegment, segment: string): readonly string[] | undefined {
  const texts = matchMixed(template.literals, segment);
  if (texts !== undefined || !segment.includes('%')) return texts;
  return matchMixed(template.literals.map(decodeText), decodeText(segment))?.map(encodeURIComponent);
}

function chooseRoute(routes: readonly Route[], request: Request): Route | undefined {
  const { method, search } = request;
  const select = (wanted: string): readonly Route[] => routes.filter(({ operation }) => operation.method === wanted);
  let candidates = select(method);
  if (candidates.length === 0 && method === 'HEAD') candidates = select('GET');
  if (candidates.length === 0) candidates = select(method.toUpperCase());
  if (candidates.length === 0) {
    request.allow.push(...routes.map(({ operation }) => operation.method));
    return undefined;
  }
  const only = candidates[0];
  if (candidates.length === 1 && only !== undefined && only.query.length === 0)
    return request.fitsOnly && request.fit(only) === MISFIT ? undefined : only;
  const query = new URLSearchParams(search);
  let best: Route | undefined;
  let bestScore = -Infinity;
  for (const route of candidates) {
    const fit = request.fit(route);
    if (request.fitsOnly && fit === MISFIT) continue;
    const score = scoreRoute(route, request, query) + fit;
    if (score > bestScore) {
      best = route;
      bestScore = score;
    }
  }
  return best;
}

/** Values that do not fit a path: more than any number of query pairs, since the request is refused in any case. */
const MISFIT = -1000;

/** A body of another type than those that the operation takes: refused as well, but the path may still be the only one. */
const OTHER_BODY = -100;

/**
 * How well a route fits the query and header fields: each pair of its path key counts, a missing one excludes it, and the same trailing slash
 * breaks ties.
 */
function scoreRoute(route: Route, { pathname, fields }: Request, query: URLSearchParams): number {
  const has = ([name, value]: QueryPair): boolean =>
    value === undefined ? query.has(name) : query.getAll(name).includes(value);
  if (!route.query.every(has)) return -Infinity;
  const slash = route.trailingSlash === pathname.endsWith('/') ? 0.5 : 0;
  const type = fields['content-type'];
  const body = type === undefined ? 0 : scoreBody(route.operation, type);
  if (route.fragment.length === 0) return route.query.length + slash + Math.min(body, 0);
  const isNamed = route.fragment.every(
    (pair) => has(pair) || (pair[1] !== undefined && fields[pair[0].toLowerCase()] === pair[1]),
  );
  if (isNamed) return route.query.length + route.fragment.length + slash + Math.min(body, 0);
  // Without its pairs, only the type of a body can mean it.
  return slash - 1 + (type === undefined || body > 0 ? 0 : OTHER_BODY);
}

/** Whether an operation takes a body of a type: more than 0 where it declares the type or one of its kind, 0 where it declares no body. */
function scoreBody({ body }: Operation, contentType: string): number {
  if (body === undefined) return 0;
  const takes = findMedia(body.content, contentType) !== undefined || listKin(body.content, contentType).length > 0;
  return takes ? 1 : OTHER_BODY;
}

type OperationMatch = Extract<RouteMatch, { readonly kind: 'operation' }>;

function toMatch(route: Route, basePath: string, values: readonly string[]): OperationMatch {
  const pathText: Record<string, string> = { ...route.constants };
  for (let i = 0; i < route.names.length; i++) pathText[route.names[i] ?? ''] = values[i] ?? '';
  const { spanned } = route.operation;
  const text = spanned === undefined ? pathText : joinSpans(pathText, spanned.spans);
  return { kind: 'operation', operation: route.operation, basePath, pathText: text };
}

/** RFC 9110 9.3.2 and 9.3.7: HEAD is allowed wherever GET is, and OPTIONS everywhere. */
function readAllow(methods: readonly string[]): readonly string[] {
  const all = new Set([...methods, 'OPTIONS']);
  if (all.has('GET')) all.add('HEAD');
  return [...all].toSorted();
}

/** The index after a base path, or -1 if the path does not start with it. */
function readBaseEnd(pathname: string, base: string): number {
  if (base === '') return 0;
  if (!pathname.startsWith(base)) return -1;
  return pathname.length === base.length || pathname.charCodeAt(base.length) === SLASH ? base.length : -1;
}

/** The same, after the first of several slashes. */
function skipSlashes(pathname: string, base: string): number {
  let end = readBaseEnd(pathname, base);
  while (end >= 0 && pathname.charCodeAt(end) === SLASH && pathname.charCodeAt(end + 1) === SLASH) end += 1;
  return end;
}

/** The syntax of the values of a type or a format. */
const FORMS: Readonly<Record<string, RegExp>> = {
  integer: /^-?\d+$/,
  number: /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  boolean: /^(?:true|false)$/,
  uuid: UUID,
  date: /^\d{4}-\d\d-\d\d$/,
};

/** The checks of the text of a path parameter that need no decoding. */
interface TextForm {
  readonly schema: SchemaObject;
  readonly pattern: GuardedPattern | undefined;
}

/** The path parameters of an operation whose text can be compared with their schemas. */
function readTextForms(operation: Operation, resolve: Contract['resolve'] | undefined): ReadonlyMap<string, TextForm> {
  const forms = new Map<string, TextForm>();
  for (const parameter of operation.parameters) {
    if (resolve === undefined || parameter.in !== 'path' || parameter.style !== 'simple') continue;
    const { schema } = resolve(parameter.schema, parameter.schemaPointer);
    if (!isObject(schema)) continue;
    const pattern = typeof schema.pattern === 'string' ? readPattern(schema.pattern).pattern : undefined;
    forms.set(parameter.name, { schema, pattern });
  }
  return forms;
}

/**
 * Distinguishes path keys with the same structure (`/files/{id}` and `/files/{name}`): OpenAPI calls them identical, documents mean the one
 * whose parameters fit. `MISFIT` where a type, a format or an enum is broken, a little less than 0 for each length or pattern that is: no path of
 * another structure is taken because of it.
 */
function measureFit(forms: ReadonlyMap<string, TextForm>, names: readonly string[], texts: readonly string[]): number {
  let fit = 0;
  for (const [i, name] of names.entries()) {
    const form = forms.get(name);
    if (form === undefined) continue;
    const text = decodeText(texts[i] ?? '');
    if (!fitsType(text, form.schema)) return MISFIT;
    const { minLength = 0, maxLength = Infinity } = form.schema;
    if (text.length < minLength || text.length > maxLength) fit -= 1;
    if (form.pattern !== undefined && !matchesPattern(form.pattern, text)) fit -= 1;
  }
  return fit;
}

/** Whether the text of a parameter matches a pattern; so does one that takes too long, which the validation refuses. */
function matchesPattern(pattern: GuardedPattern, text: string): boolean {
  try {
    return pattern.test(text);
  } catch (error) {
    if (error instanceof LimitError) return true;
    throw error;
  }
}

function fitsType(text: string, schema: SchemaObject): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.some((value) => String(value) === text);
  return [schema.type, schema.format].every((name) => typeof name !== 'string' || (FORMS[name]?.test(text) ?? true));
}
