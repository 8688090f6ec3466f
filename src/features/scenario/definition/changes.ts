import { closedObject } from '../../../base/json-schema.js';
import { type CollectionChanges, isObject, type ItemReference, type PatchWithNulls } from '../../../base/json.js';
import { child, readMembers, reject, report, type SourceNode } from '../../../contract/load/source-node.js';
import { suggest, suggestId } from '../../../base/errors.js';
import { findExpressions } from '../../../http/request/expression.js';
import type { ByCollection, Changes } from '../rules/rule.js';
import {
  checkExpressions,
  checkPartial,
  checkParts,
  checkVariable,
  findNulls,
  type SchemaTarget,
} from './check-value.js';
import {
  ANY_KIND,
  type CheckContext,
  checked,
  type CollectionShape,
  convert,
  FLAG_KIND,
  integer,
  type Kind,
  list,
  map,
  object,
  type ObjectKind,
  optional,
} from './kinds.js';

const MAX_GENERATED_ITEMS = 100_000;

/** The id of an item. */
export const ID_KIND: Kind<string | number> = {
  type: 'string | number',
  read: (node) =>
    typeof node.value === 'string' || typeof node.value === 'number'
      ? node.value
      : reject(node, 'must be a string or a number'),
  schema: () => ({ type: ['string', 'number'] }),
};

function itemKind(
  part: 'partial' | 'patch',
  check: (node: SourceNode, target: SchemaTarget) => void,
): Kind<Readonly<Record<string, unknown>>> {
  return {
    type: 'Readonly<Record<string, unknown>>',
    read: (node, context) => {
      if (!isObject(node.value)) return reject(node, 'must be an object');
      if (!context.violates) check(node, toItemTarget(context));
      return node.value;
    },
    schema: ({ collection, use }) => (collection?.schema === undefined ? {} : use(collection.schema, part)),
  };
}

/** A whole or partial item of a collection. */
const ITEM: Kind<Readonly<Record<string, unknown>>> = itemKind('partial', checkPartial);

/** A merge patch of an item. */
const ITEM_PATCH: Kind<Readonly<Record<string, unknown>>> = itemKind('patch', checkParts);

/** The schema that items of the collection are checked against. */
function toItemTarget(context: CheckContext): SchemaTarget {
  const { name = '', schema } = context.collection ?? {};
  const pointers = schema === undefined ? [] : [schema];
  return { context, pointers, direction: 'response', what: `an item of ${name}` };
}

/** The id of an item that exists. */
const REMOVED: Kind<ItemReference> = convert(ID_KIND, (id, node, context) => {
  checkItemId(node, String(id), context);
  return { id, locate: () => node.source.locate(node.pointer) };
});

/** Merge patches by the id of an item that exists. */
const UPDATED: Kind<readonly (ItemReference & PatchWithNulls)[]> = {
  ...map(ITEM_PATCH),
  read: (node, context) => {
    const updates: (ItemReference & PatchWithNulls)[] = [];
    for (const [id, member] of readMembers(node)) {
      checkItemId(member, id, context);
      checkExpressions({ ...member, value: id }, context);
      const patch = ITEM_PATCH.read(member, context);
      if (patch === undefined) continue;
      const nulls = findNulls(patch, toItemTarget(context));
      updates.push({ id, patch, nulls, locate: () => member.source.locate(member.pointer) });
    }
    return updates;
  },
};

/** Reports the id of an item that does not exist and that neither a request nor a scenario adds. */
function checkItemId(node: SourceNode, id: string, context: CheckContext): void {
  if (findExpressions(id).length > 0) return;
  const { name = '', ids } = context.collection ?? {};
  const added = context.added.get(name);
  if (ids === undefined || ids.has(id) || added === 'any' || added?.has(id) === true) return;
  const message = `${JSON.stringify(name)} has no item ${JSON.stringify(id)}, and neither a request nor a scenario adds it`;
  report(node, message, suggestId(id, [...ids]));
}

/** The kind of values by collection. @param type - The name of its TypeScript type, and of its JSON Schema. */
export function byCollection<Value>(
  type: string,
  item: ObjectKind<Value>,
  variables: Kind<Readonly<Record<string, unknown>>>,
): Kind<ByCollection<Value>> {
  return {
    type,
    read: (node, context) => {
      const vars = child(node, 'vars');
      const collections: (Value & { readonly name: string })[] = [];
      for (const [name, member] of readMembers(node)) {
        if (name === 'vars') continue;
        const collection = findCollection(member, name, context);
        const value = item.read(member, { ...context, collection });
        if (value !== undefined) collections.push({ name, ...value });
      }
      return { collections, vars: (vars.value === undefined ? undefined : variables.read(vars, context)) ?? {} };
    },
    schema: (context) =>
      context.share(type, () =>
        closedObject({
          ...Object.fromEntries(
            context.collections.map((collection) => [collection.name, item.schema({ ...context, collection })]),
          ),
          vars: variables.schema(context),
        }),
      ),
  };
}

/** Finds a collection by name. */
function findCollection(node: SourceNode, name: string, context: CheckContext): CollectionShape | undefined {
  const found = context.collections.find((collection) => collection.name === name);
  if (found !== undefined) return found;
  const names = context.collections.map((collection) => collection.name);
  const known = names.length === 0 ? 'the contract has no collections' : `collections: ${names.join(', ')}`;
  report(node, `unknown collection ${JSON.stringify(name)}`, suggest(name, names) ?? known);
  return undefined;
}

/** Values of variables, which may be runtime expressions. */
export const VARIABLES: Kind<Readonly<Record<string, unknown>>> = checked(map(ANY_KIND), checkExpressions);

/** Values of variables that something sets. */
export const KNOWN_VARIABLES: Kind<Readonly<Record<string, unknown>>> = checked(map(ANY_KIND), (node, context) => {
  for (const [name, member] of readMembers(node)) checkVariable(member, name, context);
});

/** One change of a collection. */
export const COLLECTION_CHANGE: ObjectKind<Omit<CollectionChanges, 'name'>> = object({
  label: 'a collection change',
  type: 'CollectionChange',
  fields: {
    clear: optional(FLAG_KIND, 'Removes every item before anything else.', false),
    generate: optional(integer(0, MAX_GENERATED_ITEMS), 'The number of items to generate from the schema.', 0),
    add: optional(
      list(ITEM),
      'Whole or partial items; missing fields are generated, `$parent` is the id of the parent item.',
      [],
    ),
    update: optional(
      UPDATED,
      'Merge patches (RFC 7386) by item id; an id can be an expression such as `$request.path.id`.',
      [],
    ),
    remove: optional(list(REMOVED), 'Ids of items to remove.', []),
  },
  // Expressions are in the items, patches and ids.
  check: (_change, node, context) => {
    for (const [, member] of readMembers(node)) checkExpressions(member, context);
  },
});

/** The kind of `state` and `then`. */
export const CHANGES: Kind<Changes> = byCollection('StateChange', COLLECTION_CHANGE, VARIABLES);
