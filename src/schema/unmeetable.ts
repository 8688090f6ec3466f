import { means } from '../conventions/conventions.js';
import type { Contract } from '../contract/contract.js';
import { readSegments } from '../contract/pointer.js';
import { declaresOthers, listParts } from '../contract/upgrade/closed-parts.js';
import { isFlagged, type ValueShape } from '../contract/schema-view/shape.js';
import { isObject } from '../base/json.js';
import type { Violation, ViolationCode, ViolationPlace } from './violation.js';

/** A constraint of a document that no client made from it can meet. */
export interface Unmeetable {
  /** A clause without full stop, for a report. */
  readonly reason: string;
  /** The pointer of the keyword. */
  readonly pointer: string;
}

interface UnmeetableParts {
  readonly contract: Contract;
  readonly shapes: (pointer: string) => ValueShape;
  /** The check of a sent value against the schema at a pointer. */
  readonly check: (pointer: string) => Check;
}

type Check = (value: unknown, place: ViolationPlace, name?: string) => readonly Violation[];

/** Creates the function with which a check of sent values notes the constraints that cannot be meant, instead of refusing the values. */
export function createExcuse(parts: UnmeetableParts): (check: Check, root: string) => Check {
  return (check, root) => (value, place, name) => {
    const found = check(value, place, name);
    if (found.length === 0) return found;
    return found.map((violation): Violation => {
      const path = readSegments(violation.pointer).slice(name === undefined ? 0 : 1);
      const reason = findUnmeetable(parts, violation, { root, path })?.reason;
      if (reason === undefined) return violation;
      return { ...violation, severity: 'note', message: `${violation.message}; accepted, since ${reason}` };
    });
  };
}

/**
 * The constraint of a violation if it cannot be meant: a required name that nothing declares, a required id beside properties that the server
 * sets, or a constraint that every example of its own schema breaks, or that contradicts the format beside it.
 */
function findUnmeetable(
  parts: UnmeetableParts,
  { code, schemaPointer }: Violation,
  { root, path }: { readonly root: string; readonly path: readonly string[] },
): Unmeetable | undefined {
  const pointer = schemaPointer ?? root;
  const isValue = VALUE_CODES.has(code);
  if (!isValue && code !== 'REQUIRED') return undefined;
  const reason = isValue ? explainValue(parts, code, pointer) : explainName(parts, root, path);
  return reason === undefined ? undefined : { reason, pointer };
}

/** The violations of constraints on one text or number. */
const VALUE_CODES: ReadonlySet<ViolationCode> = new Set(['FORMAT', 'LENGTH', 'MULTIPLE_OF', 'PATTERN', 'RANGE']);

function explainName(parts: UnmeetableParts, root: string, path: readonly string[]): string | undefined {
  const name = path.at(-1) ?? '';
  let around = expand(parts, root);
  let isItem = true;
  for (const segment of path.slice(0, -1)) {
    const next = around.flatMap(({ members, element, rest }) => members.get(segment) ?? element ?? rest ?? []);
    // The only member of a body is its envelope.
    isItem &&= around.every(({ members }) => members.size <= 1);
    around = next.flatMap((pointer) => expand(parts, pointer));
  }
  const members = around.flatMap((shape) => [...shape.members]);
  if (members.length === 0 || around.some((shape) => declaresMore(parts.contract, shape))) return undefined;
  if (!members.some(([declared]) => declared === name)) return `no property declares the required "${name}"`;
  if (!isItem || !means(name, 'ids.id')) return undefined;
  const isOfServer = members.some(([, pointer]) => isFlagged(parts.contract, parts.contract.at(pointer), 'readOnly'));
  return isOfServer ? `"${name}" is required beside properties that the server sets` : undefined;
}

/** A shape and those of its alternatives, each once. */
function expand({ shapes }: UnmeetableParts, root: string): readonly ValueShape[] {
  const found = new Map<string, ValueShape>();
  const add = (pointer: string): void => {
    const shape = shapes(pointer);
    if (found.has(shape.pointer)) return;
    found.set(shape.pointer, shape);
    shape.alternatives.forEach(add);
  };
  add(root);
  return [...found.values()];
}

/** Whether a schema, or a part of it, describes properties without naming them, or in some cases only. */
function declaresMore({ document, at }: Contract, { pointer, rest }: ValueShape): boolean {
  const schema = at(pointer);
  const parts = isObject(schema) ? listParts(document, { schema, pointer }) : [];
  return rest !== undefined || parts.some((part) => declaresOthers(part.schema));
}

/** The number of characters of every value of a format. */
const LENGTHS: Readonly<Record<string, number>> = { uuid: 36, date: 10 };

function explainValue({ contract, check }: UnmeetableParts, code: ViolationCode, keyword: string): string | undefined {
  const at = readParent(keyword);
  const schema = contract.at(at);
  if (!isObject(schema)) return undefined;
  const { format, minLength = 0, maxLength = Infinity } = schema;
  const length = LENGTHS[String(format)];
  const isOfLength = code === 'FORMAT' || code === 'LENGTH';
  if (isOfLength && length !== undefined && (length < Number(minLength) || length > Number(maxLength))) {
    return `no value has both the format "${String(format)}" and the length`;
  }
  const examples: unknown = schema['examples'];
  if (!Array.isArray(examples) || examples.length === 0) return undefined;
  const breaks = (example: unknown): boolean =>
    check(at)(example, 'body').some(({ schemaPointer }) => schemaPointer === keyword);
  const name = readSegments(keyword).at(-1);
  return examples.every(breaks) ? `every example breaks its "${name}"` : undefined;
}

/** The constraints that cannot be meant among those of the schemas at some pointers, and of the schemas of their members and elements; each once. */
export function listUnmeetable(parts: UnmeetableParts, roots: readonly string[]): readonly Unmeetable[] {
  const { contract, check, shapes } = parts;
  const seen = new Set<string>();
  const found = new Map<string, Unmeetable>();
  const visit = (pointer: string, root: string, path: readonly string[]): void => {
    const shape = shapes(pointer);
    if (seen.has(shape.pointer)) return;
    seen.add(shape.pointer);
    for (const value of listSamples(contract, shape)) {
      for (const violation of check(shape.pointer)(value, 'body')) {
        const at = { root, path: [...path, ...readSegments(violation.pointer)] };
        const one = findUnmeetable(parts, violation, at);
        if (one !== undefined) found.set(`${readParent(one.pointer)} ${one.reason}`, one);
      }
    }
    for (const [name, at] of shape.members) visit(at, root, [...path, name]);
    for (const at of [shape.element ?? [], shape.rest ?? []].flat()) visit(at, at, []);
    for (const at of shape.alternatives) visit(at, root, path);
  };
  for (const root of roots) visit(root, root, []);
  return [...found.values()];
}

/** Values that show what a schema requires of them. */
function listSamples(contract: Contract, { pointer, members }: ValueShape): readonly unknown[] {
  const schema = contract.at(pointer);
  const examples: unknown = isObject(schema) ? schema['examples'] : undefined;
  return [
    ...(members.size > 0 ? [{}] : []),
    ...(isObject(schema) && schema['format'] !== undefined ? [''] : []),
    ...(Array.isArray(examples) ? (examples as unknown[]) : []),
  ];
}

/** The pointer of the schema that has the keyword at a pointer. */
function readParent(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}
