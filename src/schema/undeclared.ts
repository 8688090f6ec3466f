import type { Contract } from '../contract/contract.js';
import { isObject } from '../base/json.js';
import { memoize } from '../base/memoize.js';
import { toPointer } from '../contract/pointer.js';
import { NO_VIOLATIONS, toNote, toStrictError, type Violation } from './violation.js';
import { isFlagged, listMapped, type ValueShape } from '../contract/schema-view/shape.js';
import { suggest } from '../base/errors.js';
import { type PlaceWords, toSubject, withHint } from './sentence.js';

/** Finds properties of a valid body that are not declared or that only the server may set. */
export type UndeclaredFinder = (value: unknown, schemaPointer: string) => readonly Violation[];

/** The properties of one schema with its alternatives. */
interface Declared {
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly readOnly: ReadonlySet<string>;
  readonly rest: readonly string[];
  readonly elements: readonly string[];
  readonly open: boolean;
}

const MAX_FOUND = 20;
const MAX_DEPTH = 32;

/** Creates the search for undeclared properties; in strict mode they are errors. */
export function createUndeclaredFinder(
  contract: Contract,
  shapes: (pointer: string) => ValueShape,
  strict: boolean,
): UndeclaredFinder {
  const read = memoize((key: string) => readDeclared(key.split('\n'), contract, shapes));
  // The same arrays come with every body: joining their pointers each time would cost more than the rest.
  const declaredAt = memoize((pointers: readonly string[]) => read(pointers.join('\n')));
  const listOf = memoize((schemaPointer: string): readonly string[] => [schemaPointer]);

  return (root, schemaPointer) => {
    let found: Violation[] | undefined;
    const visit = (value: unknown, pointers: readonly string[], path: readonly string[]): void => {
      if (typeof value !== 'object' || value === null || pointers.length === 0 || path.length > MAX_DEPTH) return;
      if (found !== undefined && found.length >= MAX_FOUND) return;
      const declared = declaredAt(pointers);
      if (Array.isArray(value)) {
        if (declared.elements.length > 0) {
          value.forEach((item, i) => {
            if (typeof item === 'object') visit(item, declared.elements, [...path, String(i)]);
          });
        }
        return;
      }
      if (!isObject(value)) return;
      for (const name of Object.keys(value)) {
        if (found !== undefined && found.length >= MAX_FOUND) return;
        const below = declared.members.get(name);
        if (below === undefined) {
          if (!declared.open) (found ??= []).push(toUndeclared([...path, name], declared, strict));
          const child = value[name];
          if (typeof child === 'object') visit(child, declared.rest, [...path, name]);
          continue;
        }
        if (declared.readOnly.has(name)) (found ??= []).push(toReadOnly([...path, name]));
        const child = value[name];
        if (typeof child === 'object') visit(child, below, [...path, name]);
      }
    };
    visit(root, listOf(schemaPointer), []);
    return found ?? NO_VIOLATIONS;
  };
}

function readDeclared(
  pointers: readonly string[],
  contract: Contract,
  shapes: (pointer: string) => ValueShape,
): Declared {
  const properties = new Map<string, string[]>();
  const readOnly = new Set<string>();
  const rest: string[] = [];
  const items: string[] = [];
  let open = pointers.length === 0;
  const seen = new Set<string>();
  const gather = (pointer: string): void => {
    if (seen.has(pointer)) return;
    seen.add(pointer);
    const shape = shapes(pointer);
    const isPlain = shape.members.size === 0 && shape.alternatives.length > 0;
    if (shape.open && !isPlain && (shape.types.size === 0 || shape.types.has('object'))) open = true;
    for (const [name, at] of shape.members) {
      properties.set(name, [...(properties.get(name) ?? []), at]);
      if (isFlagged(contract, contract.at(at), 'readOnly')) readOnly.add(name);
    }
    if (shape.rest !== undefined) rest.push(shape.rest);
    if (shape.element !== undefined) items.push(shape.element);
    shape.alternatives.forEach(gather);
    listMapped(contract.at(shape.pointer)).forEach(gather);
  };
  pointers.forEach(gather);
  return { members: properties, readOnly, rest, elements: items, open };
}

function toUndeclared(path: readonly string[], declared: Declared, strict: boolean): Violation {
  const hint = withHint(suggest(path.at(-1) ?? '', declared.members.keys()));
  const pointer = toPointer(...path);
  const message = `${toSubject(BODY, pointer)} is not declared by the schema${hint}`;
  return toStrictError({ code: 'PROPERTY_UNDECLARED', in: 'body', pointer, message }, strict);
}

function toReadOnly(path: readonly string[]): Violation {
  const pointer = toPointer(...path);
  const message = `${toSubject(BODY, pointer)} is read-only`;
  return toNote({ code: 'READ_ONLY', in: 'body', pointer, message });
}

const BODY: PlaceWords = { in: 'body', name: undefined, answered: false };
