import { URL } from 'node:url';
import { addTo } from '../json.js';
import { memoize } from '../../memoize.js';
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
  routes: Map<string, Route[]> | undefined;
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
    for (const base of operation.basePaths) addTo(byPath, base, index);
  });
  const trieOf = memoize((key: string) =>
    buildTrie(key.split(' ').flatMap((index) => operations[Number(index)] ?? [])),
  );
  return [...byPath]
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([basePath, indices]) => {
      const path = basePath === '' ? '' : new URL(`http://host${basePath}`).pathname;
      return { basePath, path, root: trieOf(indices.join(' ')) };
    });
}

function buildTrie(operations: readonly Operation[]): TrieNode {
  const root = createNode();
  for (const operation of operations) {
    const { segments, encodedSegments, query, fragment, trailingSlash } = readTemplate(operation.path);
    addRoute(root, segments, { operation, query, fragment, trailingSlash });
    // A parameter with several segments may also be sent with its slashes encoded, as one segment.
    if (operation.spanned !== undefined)
      addRoute(root, readTemplate(operation.spanned.path).segments, { operation, query, fragment, trailingSlash });
    if (encodedSegments !== undefined)
      addRoute(root, encodedSegments, { operation, query, fragment: [], trailingSlash });
  }
  return root;
}

function addRoute(root: TrieNode, segments: readonly TemplateSegment[], route: Omit<Route, 'names'>): void {
  let node = root;
  for (const segment of segments) node = descend(node, segment);
  node.routes ??= new Map();
  addTo(node.routes, route.operation.method, { ...route, names: segments.flatMap(({ names }) => names) });
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
  const measure = ({ literals }: TemplateSegment): number => literals.join('').length;
  node.mixed.sort((one, other) => measure(other.segment) - measure(one.segment));
  return next;
}
