import { UUID } from '../names.js';
import { URLSearchParams } from 'node:url';
import type { Contract } from '../contract.js';
import { isObject, type SchemaObject } from '../json.js';
import { memoize } from '../../memoize.js';
import type { Operation } from '../operations/operation.js';
import { decodeText } from '../pointer.js';
import { createNearestPaths } from './nearest-path.js';
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
    }
  | {
      readonly kind: 'method';
      /** For the `Allow` header, sorted; HEAD (where GET is) and OPTIONS included. */
      readonly allow: readonly string[];
    }
  | {
      readonly kind: 'none';
      /** Up to three path keys that are most similar. */
      readonly nearest: readonly string[];
    };

/** Finds the operation of a request. */
export interface Router {
  /**
   * @param method - As it was sent; HEAD matches GET if no HEAD is declared.
   * @param pathname - Percent-encoded, as WHATWG URL writes it.
   * @param search - The query with or without its `?`; only path keys with a fixed query use it.
   */
  match(method: string, pathname: string, search: string): RouteMatch;
}

/**
 * Creates a router over a trie of segments: a literal segment has priority over a mixed one, and that over a parameter, whatever their
 * order in the document; a path whose literal template lacks the method falls back to the parameterized one. A longer base path is
 * tried before a shorter one. Of two path keys with the same structure the one whose parameter schemas the values fit wins, if `resolve` is
 * given, else the first.
 */
export function createRouter(operations: readonly Operation[], resolve?: Contract['resolve']): Router {
  const bases = buildBases(operations);
  const nearest = createNearestPaths(operations);
  const values: string[] = [];
  const fitOf = memoize((operation: Operation) => createPathFit(operation, resolve));
  const fit = ({ operation, names }: Route): boolean => fitOf(operation)(names, values);
  const find = (request: Request, readStart = readBaseEnd): OperationMatch | undefined => {
    for (const base of bases) {
      const start = readStart(request.pathname, base.path);
      if (start < 0) continue;
      const route = walk(base.root, start, 0, request);
      if (route !== undefined) return toMatch(route, base.basePath, values);
    }
    return undefined;
  };
  const allow: string[] = [];
  // One object for every request: a match is one synchronous step.
  const request: Request = { method: '', pathname: '', search: '', values, allow, fit };
  return {
    match: (method, pathname, search) => {
      allow.length = 0;
      request.method = method;
      request.pathname = pathname;
      request.search = search;
      const found = find(request);
      if (found !== undefined) return found;
      if (pathname.includes('//')) {
        // A base URL that ends with a slash, joined to a path: `//pets`, `/v1//pets`.
        const joined = pathname.replace(/^\/{2,}/, '/');
        const skipped = find({ ...request, pathname: joined }, skipSlashes);
        if (skipped !== undefined) return { ...skipped, repeatsSlash: true };
      }
      if (allow.length > 0) return { kind: 'method', allow: readAllow(allow) };
      return { kind: 'none', nearest: nearest(pathname) };
    },
  };
}

/** The request to match, and the two lists that the search fills. */
interface Request {
  method: string;
  pathname: string;
  search: string;
  readonly values: string[];
  readonly allow: string[];
  /** Whether the values fit the schemas of a route's path parameters. */
  readonly fit: (route: Route) => boolean;
}

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
    node.literals.get(segment) ?? (segment.includes('%') ? node.literals.get(decodeText(segment)) : undefined);
  if (literal !== undefined) {
    const route = walk(literal, end, depth, request);
    if (route !== undefined) return route;
  }
  // A parameter cannot be empty.
  if (segment === '') return undefined;
  for (const child of node.mixed) {
    const texts = matchEncoded(child.segment, segment);
    if (texts === undefined) continue;
    for (let i = 0; i < texts.length; i++) values[depth + i] = texts[i] ?? '';
    const route = walk(child.node, end, depth + texts.length, request);
    if (route !== undefined) return route;
  }
  if (node.parameter === undefined) return undefined;
  values[depth] = segment;
  return walk(node.parameter, end, depth + 1, request);
}

const SLASH = 47;

/** Matches a mixed segment as it was sent or, if its literals were percent-encoded (`%3Acancel`), decoded with its values encoded again. */
function matchEncoded(template: TemplateSegment, segment: string): readonly string[] | undefined {
  const texts = matchMixed(template.literals, segment);
  if (texts !== undefined || !segment.includes('%')) return texts;
  return matchMixed(template.literals.map(decodeText), decodeText(segment))?.map(encodeURIComponent);
}

function chooseRoute(routes: ReadonlyMap<string, readonly Route[]>, request: Request): Route | undefined {
  const { method, pathname, search } = request;
  const candidates =
    routes.get(method) ?? (method === 'HEAD' ? routes.get('GET') : undefined) ?? routes.get(method.toUpperCase());
  if (candidates === undefined) {
    request.allow.push(...routes.keys());
    return undefined;
  }
  const only = candidates[0];
  if (candidates.length === 1 && only !== undefined && only.query.length === 0) return only;
  const query = new URLSearchParams(search);
  let best: Route | undefined;
  let bestScore = -Infinity;
  for (const route of candidates) {
    const score = scoreRoute(route, query, pathname.endsWith('/')) - (request.fit(route) ? 0 : MISFIT);
    if (score > bestScore) {
      best = route;
      bestScore = score;
    }
  }
  return best;
}

/** More than any number of query pairs: a path that does not fit is refused in any case. */
const MISFIT = 1000;

/** How well a route fits the query: each pair of its path key counts, a missing one excludes it, and the same trailing slash breaks ties. */
function scoreRoute(route: Route, query: URLSearchParams, trailingSlash: boolean): number {
  const has = ([name, value]: QueryPair): boolean => query.getAll(name).includes(value);
  if (!route.query.every(has)) return -Infinity;
  const slash = route.trailingSlash === trailingSlash ? 0.5 : 0;
  if (route.fragment.length === 0) return route.query.length + slash;
  return (route.fragment.every(has) ? route.query.length + route.fragment.length : -1) + slash;
}

type OperationMatch = Extract<RouteMatch, { readonly kind: 'operation' }>;

function toMatch(route: Route, basePath: string, values: readonly string[]): OperationMatch {
  const pathText: Record<string, string> = {};
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

/** Whether the values of a path fit the schemas of the parameters, in the order of the names. */
type PathFit = (names: readonly string[], texts: readonly string[]) => boolean;

/** The syntax of the values of a type or a format. */
const FORMS: Readonly<Record<string, RegExp>> = {
  integer: /^-?\d+$/,
  number: /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  boolean: /^(?:true|false)$/,
  uuid: UUID,
  date: /^\d{4}-\d\d-\d\d$/,
};

/**
 * Distinguishes path keys with the same structure (`/files/{id}` and `/files/{name}`): OpenAPI calls them identical, documents mean the one
 * whose parameters fit. Only types, formats and enums count; the rest of a schema is left to the validation of the request.
 */
function createPathFit(operation: Operation, resolve: Contract['resolve'] | undefined): PathFit {
  const schemas = new Map<string, SchemaObject>();
  for (const parameter of operation.parameters) {
    if (resolve === undefined || parameter.in !== 'path' || parameter.style !== 'simple') continue;
    const { schema } = resolve(parameter.schema, parameter.schemaPointer);
    if (isObject(schema)) schemas.set(parameter.name, schema);
  }
  return (names, texts) => names.every((name, i) => fitsSchema(decodeText(texts[i] ?? ''), schemas.get(name)));
}

function fitsSchema(text: string, schema: SchemaObject | undefined): boolean {
  if (schema === undefined) return true;
  if (Array.isArray(schema.enum)) return schema.enum.some((value) => String(value) === text);
  return [schema.type, schema.format].every((name) => typeof name !== 'string' || (FORMS[name]?.test(text) ?? true));
}
