import { isObject } from '../json.js';
import { escapeSegment, findObject, type Located } from '../pointer.js';

/** An object of a document, references resolved. */
export interface FoundObject extends Located {
  /** Whether a reference led to it, as others may. */
  readonly isShared: boolean;
}

/** Finds the objects of one document. What a reference leads to is looked for once, and can be read once. */
export interface DocumentObjects {
  readonly document: unknown;
  /** The object at the end of a chain of references; undefined where it cannot be resolved. */
  find(value: unknown, pointer: string): FoundObject | undefined;
  /** The objects of a map in a field by name. */
  list(parent: Located, field: string): readonly (readonly [name: string, object: FoundObject])[];
  /** What is read of an object; the same value for each reference to it. @param as - What it is read as. */
  read<Value>(as: string, object: FoundObject, read: () => Value): Value;
}

/** Creates the finder of a document, which does not change. */
export function createDocumentObjects(document: unknown): DocumentObjects {
  const targets = new Map<string, FoundObject | undefined>();
  const known = new Map<string, unknown>();
  const find: DocumentObjects['find'] = (value, pointer) => {
    if (!isObject(value)) return undefined;
    const reference = value['$ref'];
    if (typeof reference !== 'string') return { value, pointer, isShared: false };
    const before = targets.get(reference);
    if (before !== undefined || targets.has(reference)) return before;
    const found = findObject(document, value, pointer);
    const target = found && { ...found, isShared: true };
    targets.set(reference, target);
    return target;
  };
  return {
    document,
    find,
    list: ({ value: parent, pointer }, field) => {
      const members = parent[field];
      const found: (readonly [string, FoundObject])[] = [];
      if (!isObject(members)) return found;
      const start = `${pointer}/${escapeSegment(field)}/`;
      // A plain object: what a loop finds are its own members.
      for (const name in members) {
        const object = find(members[name], start + escapeSegment(name));
        if (object !== undefined) found.push([name, object]);
      }
      return found;
    },
    read: <Value>(as: string, { isShared, pointer }: FoundObject, read: () => Value): Value => {
      if (!isShared) return read();
      const key = `${as} ${pointer}`;
      const before = known.get(key);
      // What was read of the same object as the same thing.
      if (before !== undefined || known.has(key)) return before as Value;
      const value = read();
      known.set(key, value);
      return value;
    },
  };
}
