import { toPointer } from '../../contract/pointer.js';
import type { Binding, Resource } from '../item/resource.js';

/** A parameter as a hint names it: that of a path by its name. */
type Reference = string | Readonly<Record<string, string>>;

/** The hint for an operation that says what was inferred for it. */
export interface OperationHint {
  readonly collection: string;
  readonly action: string;
  readonly id?: Reference | readonly Reference[];
  readonly parents?: Readonly<Record<string, Reference | readonly Reference[]>>;
}

/** The hint for a collection that says what was inferred for it. */
export interface CollectionHint {
  readonly schema?: string;
  readonly id?: string;
  readonly parent?: string;
  readonly members?: string;
}

/** Writes what was inferred for an operation as its hint, which a person can correct; undefined where no hint says the same. */
export function writeOperationHint(binding: Binding): OperationHint | undefined {
  const { collection, action, id, parents, places, elements } = binding;
  // There is no hint for the elements of an array in an item.
  if (elements !== undefined) return undefined;
  const refer = (names: readonly string[]): Reference | readonly Reference[] | undefined => {
    const all = names.flatMap((name): Reference[] => {
      const { in: part, path } = places?.[name] ?? { in: 'path', path: [name] };
      if (part === 'path') return [name];
      if (part === 'own') return [];
      return [{ [part]: part === 'body' ? toPointer(...path) : (path[0] ?? name) }];
    });
    return all.length > 1 ? all : all[0];
  };
  const own = refer(id);
  const above = parents.flatMap((link) => {
    const parameters = refer(link.parameters);
    return parameters === undefined ? [] : [[link.collection, parameters] as const];
  });
  return {
    collection,
    action,
    ...(own !== undefined && { id: own }),
    ...(above.length > 0 && { parents: Object.fromEntries(above) }),
  };
}

/** Writes what was inferred for a collection as its hint. */
export function writeCollectionHint({ schema, idProperty, parents, members }: Resource): CollectionHint {
  // A hint has one parent; the paths say which are above it.
  const [parent, ...others] = parents;
  return {
    ...(schema !== undefined && { schema: `#${schema.replace(/^#/, '')}` }),
    ...(idProperty !== undefined && { id: idProperty }),
    ...(parent !== undefined && others.length === 0 && { parent }),
    ...(members !== undefined && { members }),
  };
}
