import { URL } from 'node:url';
import type { Contract } from '../contract/contract.js';
import type { Operation } from '../contract/operations/operation.js';
import { createRouter, type Router } from '../contract/router/router.js';
import { addTo } from '../contract/json.js';
import { MockError } from '../errors.js';
import { readTarget } from '../http/target.js';
import { readPrefix } from '../session/choice.js';

/** One document of several that are served together. */
export interface ServedDocument {
  readonly name: string;
  /** The host whose requests it gets; undefined for those of every host that no document has. */
  readonly host: string | undefined;
  /** What the paths of its control API begin with; undefined if that is switched off. */
  readonly control: string | undefined;
  /** The contract that it has now. */
  readonly contract: () => Contract;
}

/** Finds the document that a request belongs to; undefined for none. */
export type Dispatch<Document> = (request: { readonly method: string; readonly url: string }) => Document | undefined;

/**
 * Creates the function that finds the document of a request: by the path of a control API, then by the host, then by the longest base path, and where
 * documents share that, by the paths of their operations.
 *
 * @throws MockError `DOCUMENTS_CONFLICT` where two documents have the same paths.
 */
export function createDispatch<Document extends ServedDocument>(documents: readonly Document[]): Dispatch<Document> {
  const hosts = new Set(documents.map(({ host }) => host));
  const scopes = new Map([...hosts].map((host) => [host, createScope(documents.filter((each) => each.host === host))]));
  for (const scope of scopes.values()) scope.check();
  const roots = documents.flatMap(({ control }) => control?.replace(/\/[^/]*$/, '') ?? []);
  const isHosted = [...hosts].some((host) => host !== undefined);
  const readScope = (url: string): Scope<Document> | undefined => {
    if (!isHosted) return scopes.get(undefined);
    const { host, hostname } = new URL(url);
    return scopes.get(host) ?? scopes.get(hostname) ?? scopes.get(undefined);
  };
  return ({ method, url }) => {
    const { path, search } = readTarget(url);
    const session = readPrefix(path);
    const own = session?.path ?? path;
    const controlled = documents.find(({ control }) => control !== undefined && isBelow(own, control));
    if (controlled !== undefined || roots.some((root) => isBelow(own, root))) return controlled;
    const scope = readScope(url);
    const found = scope?.find({ method, path, search });
    // A contract may have paths that begin like the prefix of a session.
    if (session === undefined || found?.isOperation === true) return found?.document;
    return scope?.find({ method, path: session.path, search })?.document;
  };
}

/** Whether a path is another one or below it. */
export function isBelow(path: string, base: string): boolean {
  return path.startsWith(base) && (path.length === base.length || path[base.length] === '/');
}

/** The paths that the operations of a document are served below: the root only where an operation has no other. */
export function listBasePaths({ operations }: Contract): readonly string[] {
  return [...new Set(operations.flatMap(listOwnPaths))];
}

function listOwnPaths({ basePaths }: Operation): readonly string[] {
  const named = basePaths.filter((path) => path !== '');
  return named.length === 0 ? [''] : named;
}

interface Target {
  readonly method: string;
  readonly path: string;
  readonly search: string;
}

interface Found<Document> {
  readonly document: Document;
  readonly isOperation: boolean;
}

/** The documents of one host. */
interface Scope<Document> {
  find(target: Target): Found<Document> | undefined;
  /** @throws MockError `DOCUMENTS_CONFLICT`. */
  check(): void;
}

interface Base<Document> {
  /** Percent-encoded, as in a URL. */
  readonly path: string;
  readonly documents: readonly Document[];
}

function createScope<Document extends ServedDocument>(documents: readonly Document[]): Scope<Document> {
  const readBases = createBases(documents);
  const routerOf = createRouters();
  const findBase = (path: string): Base<Document> | undefined => readBases().find((base) => isBelow(path, base.path));
  const describe = (document: Document, path: string): readonly [Document, string][] => {
    const others = documents.filter((other) => other !== document);
    const base = findBase(path);
    if (base?.documents.includes(document) !== true) return [[base?.documents[0] ?? document, path]];
    const also = others.filter(
      (other) => base.documents.includes(other) && routerOf(other).match('', path, '').kind !== 'none',
    );
    return also.map((other) => [other, path]);
  };
  return {
    find: ({ method, path, search }) => {
      const base = findBase(path);
      const [only, ...others] = base?.documents ?? [];
      if (only === undefined) return undefined;
      const isPlain = others.length === 0 && path !== '/' && !path.startsWith('/~') && !path.startsWith('/%');
      if (isPlain) return { document: only, isOperation: false };
      // The one that has the operation, else the path, else a similar path.
      const matches = [only, ...others].map((document) => ({
        document,
        match: routerOf(document).match(method, path, search),
      }));
      const best =
        matches.find(({ match }) => match.kind === 'operation') ??
        matches.find(({ match }) => match.kind === 'method') ??
        matches.find(({ match }) => match.kind === 'none' && match.nearest().length > 0) ??
        matches[0];
      // Where nothing is served, browsers get the list of the documents.
      if (best === undefined || (path === '/' && best.match.kind === 'none')) return undefined;
      return { document: best.document, isOperation: best.match.kind === 'operation' };
    },
    check: () => {
      for (const document of documents) {
        const paths = new Set(document.contract().operations.flatMap(listSamplePaths));
        const clashes = [...paths].flatMap((path) => describe(document, path));
        const [first] = clashes;
        if (first !== undefined) refuseClash(document, first[0], [...new Set(clashes.map(([, path]) => path))]);
      }
    },
  };
}

/** The base paths of some documents, the longest first; they are updated when a document is reloaded. */
function createBases<Document extends ServedDocument>(documents: readonly Document[]): () => readonly Base<Document>[] {
  let known: readonly Contract[] = [];
  let bases: readonly Base<Document>[] = [];
  return () => {
    if (documents.every((document, i) => document.contract() === known[i]) && known.length > 0) return bases;
    known = documents.map((document) => document.contract());
    const byPath = new Map<string, Document[]>();
    for (const document of documents)
      for (const path of listBasePaths(document.contract())) addTo(byPath, toUrlPath(path), document);
    bases = [...byPath]
      .map(([path, owners]) => ({ path, documents: owners }))
      .toSorted((one, other) => other.path.length - one.path.length);
    return bases;
  };
}

/** The routers of contracts, for documents that share a base path. */
function createRouters(): (document: ServedDocument) => Router {
  const routers = new WeakMap<Contract, Router>();
  return (document) => {
    const contract = document.contract();
    const router = routers.get(contract) ?? createRouter(contract.operations, contract.resolve);
    routers.set(contract, router);
    return router;
  };
}

function toUrlPath(path: string): string {
  return path === '' ? '' : new URL(`http://host${path}`).pathname;
}

/** A path of an operation below each of its base paths. */
function listSamplePaths(operation: Operation): readonly string[] {
  const path = operation.path.split(/[?#]/)[0] ?? '';
  return listOwnPaths(operation).map((base) => toUrlPath(base + path.replaceAll(/\{[^{}]*\}/g, 'x')));
}

/** Paths that a message lists. */
const MAX_LISTED = 3;

function refuseClash(one: ServedDocument, other: ServedDocument, paths: readonly string[]): never {
  const rest = paths.length - MAX_LISTED;
  const list = paths.slice(0, MAX_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  const reason = `the documents "${one.name}" and "${other.name}" both have the path ${list}`;
  const hint = `give one of them a path or a host of its own in vouch.config.yaml: documents: [{ spec: …, prefix: /${one.name} }]`;
  throw new MockError('DOCUMENTS_CONFLICT', reason, { hint });
}
