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

/** One step of the trie: a path that has come this far. */
export interface Step {
  readonly literals: Map<string, Step>;
  readonly mixed: { readonly segment: TemplateSegment; readonly step: Step }[];
  parameter: Step | undefined;
  /** By method; undefined until an operation ends here. */
  routes: Map<string, readonly Route[]> | undefined;
}

/** A base path and the operations below it. */
interface Base {
  /** As the contract has it. */
  readonly basePath: string;
  /** As it is written in a URL, percent-encoded. */
  readonly path: string;
  readonly root: Step;
}

/** One trie per set of operations: base paths that serve the same ones share it. */
export function buildBases(operations: readonly Operation[]): readonly Base[] {
  const byPath = new Map<string, number[]>();
  operations.forEach((operation, index) => {
    for (const base of operation.basePaths) {
      const indices = byPath.get(base) ?? [];
      byPath.set(base, indices);
      indices.push(index);
    }
  });
  const tries = new Map<string, Step>();
  return [...byPath]
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([path, indices]) => {
      const key = indices.join(' ');
      const root = tries.get(key) ?? buildTrie(indices.flatMap((index) => operations[index] ?? []));
      tries.set(key, root);
      return { basePath: path, path: encodeBase(path), root };
    });
}

/** A base path the way WHATWG URL would write it, to be compared with what came. */
function encodeBase(path: string): string {
  return path === '' ? '' : new URL(`http://host${path}`).pathname;
}

function buildTrie(operations: readonly Operation[]): Step {
  const root = createStep();
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

function addRoute(root: Step, segments: readonly TemplateSegment[], route: Route): void {
  const { method } = route.operation;
  let step = root;
  for (const segment of segments) step = stepInto(step, segment);
  step.routes ??= new Map();
  const routes = step.routes.get(method) ?? [];
  step.routes.set(method, [...routes, route]);
}

function createStep(): Step {
  return { literals: new Map(), mixed: [], parameter: undefined, routes: undefined };
}

function stepInto(step: Step, segment: TemplateSegment): Step {
  if (segment.kind === 'parameter') {
    step.parameter ??= createStep();
    return step.parameter;
  }
  if (segment.kind === 'literal') {
    const next = step.literals.get(segment.text) ?? createStep();
    step.literals.set(segment.text, next);
    return next;
  }
  // Two mixed segments are one step only where their literals are the same: their parameters may be named differently.
  const key = segment.literals.join('{}');
  const known = step.mixed.find((child) => child.segment.literals.join('{}') === key);
  if (known !== undefined) return known.step;
  const next = createStep();
  step.mixed.push({ segment, step: next });
  step.mixed.sort((one, other) => readLiteralLength(other.segment) - readLiteralLength(one.segment));
  return next;
}

function readLiteralLength(segment: TemplateSegment): number {
  return segment.literals.join('').length;
}
