import type { Operation } from '../operations/operation.js';
import { type QueryPair, readTemplate, type TemplateSegment } from './path-template.js';

/** One operation at the end of a path. */
export interface Route {
  readonly operation: Operation;
  readonly names: readonly string[];
  readonly query: readonly QueryPair[];
  readonly fragment: readonly QueryPair[];
  readonly trailingSlash: boolean;
}

/** A node of the trie: the paths that start with the segments above it. */
export interface TrieNode {
  readonly literals: Map<string, TrieNode>;
  readonly mixed: { readonly segment: TemplateSegment; readonly node: TrieNode }[];
  parameter: TrieNode | undefined;
  /** By method; undefined if no path ends here. */
  routes: Map<string, readonly Route[]> | undefined;
}

/** A base path and the operations below it. */
interface Base {
  /** As the contract has it. */
  readonly basePath: string;
  /** As it is written in a URL, percent-encoded. */
  readonly path: string;
  readonly root: TrieNode;
}

/** Builds one trie per set of operations: base paths of the same operations share it. */
export function buildBases(operations: readonly Operation[]): readonly Base[] {
  const byPath = new Map<string, number[]>();
  operations.forEach((operation, index) => {
    for (const base of operation.basePaths) {
      const indices = byPath.get(base) ?? [];
      byPath.set(base, indices);
      indices.push(index);
    }
  });
  const tries = new Map<string, TrieNode>();
  return [...byPath]
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([path, indices]) => {
      const key = indices.join(' ');
      const root = tries.get(key) ?? buildTrie(indices.flatMap((index) => operations[index] ?? []));
      tries.set(key, root);
      return { basePath: path, path: encodeBase(path), root };
    });
}

/** A base path as WHATWG URL writes it, to be compared with the path of a request. */
function encodeBase(path: string): string {
  return path === '' ? '' : new URL(`http://host${path}`).pathname;
}

function buildTrie(operations: readonly Operation[]): TrieNode {
  const root = createNode();
  for (const operation of operations) {
    const { segments, encodedSegments, query, fragment, trailingSlash } = readTemplate(operation.path);
    addRoute(root, segments, { operation, names: readNames(segments), query, fragment, trailingSlash });
    if (encodedSegments === undefined) continue;
    const names = readNames(encodedSegments);
    addRoute(root, encodedSegments, { operation, names, query, fragment: [], trailingSlash });
  }
  return root;
}

function readNames(segments: readonly TemplateSegment[]): readonly string[] {
  return segments.flatMap((segment) => segment.names);
}

function addRoute(root: TrieNode, segments: readonly TemplateSegment[], route: Route): void {
  const { method } = route.operation;
  let node = root;
  for (const segment of segments) node = descend(node, segment);
  node.routes ??= new Map();
  const routes = node.routes.get(method) ?? [];
  node.routes.set(method, [...routes, route]);
}

function createNode(): TrieNode {
  return { literals: new Map(), mixed: [], parameter: undefined, routes: undefined };
}

function descend(node: TrieNode, segment: TemplateSegment): TrieNode {
  if (segment.kind === 'parameter') {
    node.parameter ??= createNode();
    return node.parameter;
  }
  if (segment.kind === 'literal') {
    const next = node.literals.get(segment.text) ?? createNode();
    node.literals.set(segment.text, next);
    return next;
  }
  // Two mixed segments share a node only if their literals are equal; the names of their parameters may differ.
  const key = segment.literals.join('{}');
  const known = node.mixed.find((child) => child.segment.literals.join('{}') === key);
  if (known !== undefined) return known.node;
  const next = createNode();
  node.mixed.push({ segment, node: next });
  node.mixed.sort((one, other) => readLiteralLength(other.segment) - readLiteralLength(one.segment));
  return next;
}

function readLiteralLength(segment: TemplateSegment): number {
  return segment.literals.join('').length;
}
