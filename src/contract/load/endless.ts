import type { Finding } from '../contract.js';
import { isObject, setOwn } from '../json.js';
import { fromReference, readPointer, readSegments, toPointer } from '../pointer.js';
import { omit } from '../upgrade/site.js';

/** A document without endless schemas, and those that were found. */
interface CheckedDocument {
  readonly document: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
}

/** Keywords that apply a schema to the same value; the others apply theirs to a part of it, which is smaller and so has an end. */
const SAME_VALUE = ['not', 'if', 'then', 'else'];
const SAME_VALUE_LISTS = ['allOf', 'anyOf', 'oneOf'];

/** A reference that is applied to the value its own schema is applied to. */
interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Cuts references that lead a schema back to itself without looking at a part of the value: JSON Schema 2020-12 core section 9.4.1 forbids
 * them, and a validator that follows one never comes back.
 */
export function breakEndless(document: Readonly<Record<string, unknown>>): CheckedDocument {
  const findings: Finding[] = [];
  let current: unknown = document;
  for (const pointer of findEndless(document)) {
    const reference = readPointer(document, `${pointer}/$ref`);
    findings.push({
      code: 'SCHEMA_ENDLESS',
      severity: 'error',
      message: `the reference "${String(reference)}" leads back to itself`,
      pointer: `${pointer}/$ref`,
      assumed: 'anything is accepted there',
    });
    current = cutReference(current, readSegments(pointer));
  }
  // Only members of the document were changed, never the document itself.
  return { document: current as Readonly<Record<string, unknown>>, findings };
}

/** Pointers of the references that close a circle. */
function findEndless(document: Readonly<Record<string, unknown>>): readonly string[] {
  const done = new Set<string>();
  const open = new Set<string>();
  const found: string[] = [];
  const visit = (pointer: string): void => {
    if (done.has(pointer)) return;
    open.add(pointer);
    for (const edge of readEdges(readPointer(document, pointer), pointer)) {
      if (open.has(edge.to)) found.push(edge.from);
      else visit(edge.to);
    }
    open.delete(pointer);
    done.add(pointer);
  };
  for (const pointer of readTargets(document)) visit(pointer);
  return found;
}

/** Everything a reference of the inner document can lead to: shared schemas, and copies of others. */
function readTargets(document: Readonly<Record<string, unknown>>): readonly string[] {
  const parents = [toPointer('components', 'schemas')];
  const copies = document['x-vouch-files'];
  if (isObject(copies)) parents.push(...Object.keys(copies).map((file) => toPointer('x-vouch-files', file)));
  return parents.flatMap((parent) => {
    const map = readPointer(document, parent);
    return isObject(map) ? Object.keys(map).map((name) => parent + toPointer(name)) : [];
  });
}

function readEdges(schema: unknown, pointer: string): readonly Edge[] {
  if (!isObject(schema)) return [];
  const target = fromReference(schema['$ref']);
  const own = target === undefined ? [] : [{ from: pointer, to: target }];
  const single = SAME_VALUE.flatMap((keyword) =>
    schema[keyword] === undefined ? [] : readEdges(schema[keyword], `${pointer}/${keyword}`),
  );
  const listed = SAME_VALUE_LISTS.flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list.flatMap((item: unknown, i) => readEdges(item, `${pointer}/${keyword}/${i}`)) : [];
  });
  return [...own, ...single, ...listed];
}

function cutReference(node: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return isObject(node) ? { ...omit(node, '$ref'), 'x-vouch-unresolved': node['$ref'] } : node;
  if (Array.isArray(node)) return node.with(Number(step), cutReference(node[Number(step)], rest));
  if (!isObject(node)) return node;
  const copy: Record<string, unknown> = { ...node };
  setOwn(copy, step, cutReference(node[step], rest));
  return copy;
}
