import { URL } from 'node:url';
import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { createRouter, type RouteMatch } from '../../contract/router/router.js';
import { MockError } from '../../base/errors.js';
import { readTarget } from '../../http/target.js';
import { memoizeOf } from '../../base/memoize.js';
import { readPrefix } from '../../session/choice.js';

/** One document of several that are served together. */
export interface ServedDocument {
  readonly name: string;
  /** The host whose requests it gets; undefined for the requests of every host that no document has. */
  readonly host: string | undefined;
  /** The prefix of the paths of its control API; undefined if that is switched off. */
  readonly control: string | undefined;
  /** The contract that it has now. */
  readonly contract: () => Contract;
}

/** Finds the document that a request belongs to; undefined for none. */
type Dispatch<Document> = (request: { readonly method: string; readonly url: string }) => Document | undefined;

/**
 * Creates the function that finds the document of a request: by the path of a control API, then by the host, then by the longest base path, and where
 * documents share that, by the paths of their operations.
 *
 * @throws MockError `DOCUMENTS_CONFLICT` where two documents have the same paths.
 */
export function createDispatch<Document extends ServedDocument>(documents: readonly Document[]): Dispatch<Document> {
  const hosts = [...new Set(documents.map(({ host }) => host))];
  const finders = new Map(
    hosts.map((host) => [host, createFinder(documents.filter((document) => document.host === host))]),
  );
  const roots = documents.flatMap(({ control }) => control?.replace(/\/[^/]*$/, '') ?? []);
  const isHosted = hosts.some((host) => host !== undefined);
  const finderOf = (url: string): Find<Document> | undefined => {
    if (!isHosted) return finders.get(undefined);
    const { host, hostname } = new URL(url);
    return finders.get(host) ?? finders.get(hostname) ?? finders.get(undefined);
  };
  return ({ method, url }) => {
    const { path, search } = readTarget(url);
    const session = readPrefix(path);
    const own = session?.path ?? path;
    const controlled = documents.find(({ control }) => control !== undefined && isBelow(own, control));
    if (controlled !== undefined || roots.some((root) => isBelow(own, root))) return controlled;
    const find = finderOf(url);
    const found = find?.({ method, path, search });
    // A contract may have paths that begin like the prefix of a session.
    if (session === undefined || found?.isOperation === true) return found?.document;
    return find?.({ method, path: session.path, search })?.document;
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

/** Finds the document of a request to one host. */
type Find<Document> = (target: Target) => Found<Document> | undefined;

function createFinder<Document extends ServedDocument>(documents: readonly Document[]): Find<Document> {
  // By contract: that of a document changes when it is reloaded.
  const basesOf = memoizeOf((contract: Contract) => listBasePaths(contract).map(toUrlPath));
  const routerOf = memoizeOf((contract: Contract) => createRouter(contract.operations, contract.resolve));
  /** The documents with the longest base path that a path is below. */
  const findOwners = (path: string): readonly Document[] => {
    const lengths = documents.map((document) => {
      const bases = basesOf(document.contract()).filter((base) => isBelow(path, base));
      return Math.max(-1, ...bases.map((base) => base.length));
    });
    const longest = Math.max(0, ...lengths);
    return documents.filter((_, i) => lengths[i] === longest);
  };
  const match = (document: Document, { method, path, search }: Target): RouteMatch =>
    routerOf(document.contract()).match(method, path, search);
  for (const document of documents) {
    const paths = [...new Set(document.contract().operations.flatMap(listSamplePaths))];
    const clashes = paths.flatMap((path) => {
      const owners = findOwners(path);
      const isTaken = (other: Document): boolean =>
        !owners.includes(document) || match(other, { method: '', path, search: '' }).kind !== 'none';
      const other = owners.find((owner) => owner !== document && isTaken(owner));
      return other === undefined ? [] : [{ other, path }];
    });
    const [clash] = clashes;
    const taken = clashes.map(({ path }) => path);
    if (clash !== undefined) refuseClash(document, clash.other, taken);
  }
  return (target) => {
    const { path } = target;
    const [only, ...others] = findOwners(path);
    if (only === undefined) return undefined;
    const isPlain = others.length === 0 && path !== '/' && !path.startsWith('/~') && !path.startsWith('/%');
    if (isPlain) return { document: only, isOperation: false };
    const matches = [only, ...others].map((document) => ({ document, match: match(document, target) }));
    // The one that has the operation, else the path, else a similar path.
    const best =
      matches.find((each) => each.match.kind === 'operation') ??
      matches.find((each) => each.match.kind === 'method') ??
      matches.find((each) => each.match.kind === 'none' && each.match.nearest().length > 0) ??
      matches[0];
    // Where nothing is served, browsers get the list of the documents.
    if (best === undefined || (path === '/' && best.match.kind === 'none')) return undefined;
    return { document: best.document, isOperation: best.match.kind === 'operation' };
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
