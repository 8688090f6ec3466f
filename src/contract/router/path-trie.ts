import { URL } from 'node:url';
import { NO_MEMBERS, addTo } from '../../base/json.js';
import { memoize } from '../../base/memoize.js';
import type { Operation } from '../operations/operation.js';
import { type QueryPair, readTemplate, type TemplateSegment } from './path-template.js';

/** One operation at the end of a path. */
export interface Route {
  readonly operation: Operation;
  readonly names: readonly string[];
  /** How many segments have no parameter. */
  readonly literalCount: number;
  /** Parameters whose value is written into the template of this route, percent-encoded. */
  readonly constants: Readonly<Record<string, string>>;
  readonly query: readonly QueryPair[];
  readonly fragment: readonly QueryPair[];
  readonly trailingSlash: boolean;
}

/** The strings that a path parameter is limited to. */
type ReadValues = (operation: Operation, name: string) => readonly string[];

/** A node of the trie: the paths that start with the segments above it. */
export interface TrieNode {
  /** Undefined if no literal follows: most nodes are at the end of a path. */
  literals: Map<string, TrieNode> | undefined;
  readonly mixed: { readonly segment: TemplateSegment; readonly node: TrieNode }[];
  parameter: TrieNode | undefined;
  /** Undefined if no path ends here. */
  routes: Route[] | undefined;
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
export function buildBases(operations: readonly Operation[], readValues: ReadValues): readonly Base[] {
  const byPath = new Map<string, number[]>();
  operations.forEach((operation, index) => {
    for (const base of operation.basePaths) addTo(byPath, base, index);
  });
  const trieOf = memoize((key: string) =>
    buildTrie(
      key.split(' ').flatMap((index) => operations[Number(index)] ?? []),
      readValues,
    ),
  );
  return [...byPath]
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([basePath, indices]) => {
      const path = basePath === '' ? '' : new URL(`http://host${basePath}`).pathname;
      return { basePath, path, root: trieOf(indices.join(' ')) };
    });
}

function buildTrie(operations: readonly Operation[], readValues: ReadValues): TrieNode {
  const root = createNode();
  for (const operation of operations) {
    const { segments, encodedSegments, query, fragment, trailingSlash } = readTemplate(operation.path);
    const route = { operation, constants: NO_MEMBERS, query, fragment, trailingSlash };
    addRoute(root, segments, route);
    // A parameter with several segments may also be sent with its slashes encoded, as one segment.
    if (operation.spanned !== undefined) addRoute(root, readTemplate(operation.spanned.path).segments, route);
    if (encodedSegments !== undefined) addRoute(root, encodedSegments, { ...route, fragment: [] });
    for (const written of writeConstants(segments, (name) => readValues(operation, name)))
      addRoute(root, written.segments, { ...route, constants: written.constants });
  }
  return root;
}

function addRoute(
  root: TrieNode,
  segments: readonly TemplateSegment[],
  route: Omit<Route, 'names' | 'literalCount'>,
): void {
  let node = root;
  for (const segment of segments) node = descend(node, segment);
  const names = segments.flatMap((segment) => segment.names);
  const literalCount = segments.filter(({ kind }) => kind === 'literal').length;
  node.routes = [...(node.routes ?? []), { names, literalCount, ...route }];
}

/** A template with the values of some parameters written into it. */
interface WrittenTemplate {
  readonly segments: readonly TemplateSegment[];
  readonly constants: Readonly<Record<string, string>>;
}

/** Values of a parameter that are written out at most. */
const MAX_VALUES = 32;

/**
 * Where a parameter follows another one without a character between them (`{id}{extension}`), only its values say where it starts: a template
 * with each value that it is limited to.
 */
function writeConstants(
  segments: readonly TemplateSegment[],
  readValues: (name: string) => readonly string[],
): readonly WrittenTemplate[] {
  for (const [at, segment] of segments.entries()) {
    const index = segment.literals.findIndex((literal, i) => i > 0 && i < segment.names.length && literal === '');
    const name = segment.names[index];
    if (index < 0 || name === undefined) continue;
    return readValues(name)
      .slice(0, MAX_VALUES)
      .map((value) => ({
        segments: segments.with(at, withLiteral(segment, index, value)),
        constants: { [name]: encodeURIComponent(value) },
      }));
  }
  return [];
}

/** A segment with a literal instead of one of its parameters. */
function withLiteral({ names, literals, text }: TemplateSegment, index: number, value: string): TemplateSegment {
  const joined = `${literals[index] ?? ''}${value}${literals[index + 1] ?? ''}`;
  const left = names.filter((_, i) => i !== index);
  const own = [...literals.slice(0, index), joined, ...literals.slice(index + 2)];
  const isBare = left.length === 1 && own.every((literal) => literal === '');
  return { kind: isBare ? 'parameter' : 'mixed', text, names: left, literals: own };
}

function createNode(): TrieNode {
  return { literals: undefined, mixed: [], parameter: undefined, routes: undefined };
}

function descend(node: TrieNode, segment: TemplateSegment): TrieNode {
  if (segment.kind === 'parameter') {
    node.parameter ??= createNode();
    return node.parameter;
  }
  if (segment.kind === 'literal') {
    node.literals ??= new Map();
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
