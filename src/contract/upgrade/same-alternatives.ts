import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../base/json.js';
import { type Node, omit, type RepairContext, SCHEMA_MAPS } from './node.js';

/** Keywords that describe a schema instead of its values. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  'title description default example examples deprecated readOnly writeOnly xml externalDocs $comment'.split(' '),
);

/**
 * A `oneOf` with two alternatives that accept the same values: a value that fits one of them fits both, and is refused. Documents list such
 * alternatives to describe each of them, and mean `anyOf`.
 */
export function repairOneOf(node: Node, context: RepairContext): Node {
  const branches = node['oneOf'];
  if (node['anyOf'] !== undefined || !areSomeTheSame(branches)) return node;
  context.report('"oneOf" has alternatives that accept the same values', 'it means "anyOf"', { inside: ['oneOf'] });
  context.recordMove(['anyOf'], ['oneOf']);
  return { ...omit(node, 'oneOf'), anyOf: branches };
}

/** Whether two of some schemas differ only in what describes them. */
function areSomeTheSame(branches: unknown): boolean {
  if (!Array.isArray(branches)) return false;
  const known = new Map<string, unknown[]>();
  for (const branch of branches as readonly unknown[]) {
    const key = readOutline(branch);
    const others = known.get(key) ?? [];
    // Most differ in their outline.
    if (others.length > 0) {
      const own = omitAnnotations(branch);
      if (others.some((other) => isDeepStrictEqual(omitAnnotations(other), own))) return true;
    }
    known.set(key, [...others, branch]);
  }
  return false;
}

function readOutline(branch: unknown): string {
  if (!isObject(branch)) return String(branch);
  const { $ref: reference, type, properties } = branch;
  const names = isObject(properties) ? Object.keys(properties).toSorted() : [];
  return JSON.stringify([reference, type, names]);
}

/** A schema without what describes it, at any depth. @param isMap - Whether the keys are names instead of keywords. */
function omitAnnotations(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => omitAnnotations(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => isMap || !describesOnly(key));
  return Object.fromEntries(
    kept.map(([key, inner]) => [
      key,
      // The members of a value are not keywords.
      !isMap && (key === 'const' || key === 'enum')
        ? inner
        : omitAnnotations(inner, !isMap && SCHEMA_MAPS.some((name) => name === key)),
    ]),
  );
}

/** Whether a keyword has no effect on the values of requests and answers. */
function describesOnly(keyword: string): boolean {
  if (keyword === 'readOnly' || keyword === 'writeOnly') return false;
  return ANNOTATIONS.has(keyword) || keyword.startsWith('x-');
}
