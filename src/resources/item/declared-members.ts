import { DESCRIBING } from '../../contract/schema-view/keywords.js';
import type { Contract } from '../../contract/contract.js';
import { isObject, readOwn, type Schema, type SchemaObject } from '../../base/json.js';
import { toPointer } from '../../contract/pointer.js';
import { memoize } from '../../base/memoize.js';
import type { Item } from '../store/lists/item-list.js';
import { listParts, MAX_DEPTH, resolvePart, type SchemaPart } from '../../contract/schema-view/parts.js';

/** Leaves out members of an item; one that has nothing else is returned as it is. */
type Filter = (item: Item) => Item;

/** The filters of the values that answers show, by the pointer to their schema. */
export interface DeclaredMembers {
  /** Leaves out every member that the schema does not declare, at any depth. */
  whole(pointer: string): Filter;
  /** As `whole`, for an item whose own members all stay; undefined where none of them can have undeclared members. */
  inside(pointer: string): Filter | undefined;
}

/** The alternatives of one schema; a value fits some of them. */
interface Union {
  readonly pointer: string;
  readonly branches: readonly SchemaPart[];
  /** The property of a discriminator, and the branches that its values name. */
  readonly property: string | undefined;
  readonly mapping: ReadonlyMap<string, SchemaPart>;
}

/** All schemas of one position, combined. */
interface Position {
  readonly parts: readonly SchemaPart[];
  readonly unions: readonly Union[];
  /** Whether it keeps members that are not declared. */
  readonly isOpen: boolean;
  /** Where undeclared members are, if a schema describes them. */
  readonly others: Position | undefined;
  member(name: string): Position | undefined;
  item(index: number): Position | undefined;
}

/**
 * Creates filters that leave out undeclared members.
 *
 * A member is declared if `properties` or `required` name it. All members stay where no schema has `properties`, and where one asks for
 * others (`additionalProperties` that is true or a schema, `patternProperties`). In a union those branches count that the value fits;
 * all of them where it fits none.
 */
export function createDeclaredMembers(contract: Contract): DeclaredMembers {
  const { open, choose } = createPositions(contract);
  const filter = (value: unknown, position: Position): unknown => {
    if (Array.isArray(value)) return filterItems(value, choose(value, position));
    return isObject(value) ? filterMembers(value, choose(value, position), false) : value;
  };
  const filterItems = (values: readonly unknown[], position: Position): readonly unknown[] => {
    let changed: unknown[] | undefined;
    for (const [i, value] of values.entries()) {
      const inner = typeof value === 'object' ? position.item(i) : undefined;
      const left = inner === undefined ? value : filter(value, inner);
      if (left !== value) (changed ??= [...values])[i] = left;
    }
    return changed ?? values;
  };
  const filterMembers = (value: Item, position: Position, keepsAll: boolean): Item => {
    let changed: Record<string, unknown> | undefined;
    for (const name in value) {
      const own = value[name];
      // Most members of most items: nothing to look up.
      if (keepsAll && (typeof own !== 'object' || own === null)) continue;
      const declared = position.member(name);
      if (declared === undefined && !position.isOpen && !keepsAll) {
        changed ??= { ...value };
        delete changed[name];
        continue;
      }
      const inner = typeof own === 'object' ? (declared ?? position.others) : undefined;
      const left = inner === undefined ? own : filter(own, inner);
      if (left !== own) (changed ??= { ...value })[name] = left;
    }
    return changed ?? value;
  };
  return {
    whole: memoize((pointer) => remember((item) => filterMembers(item, choose(item, open(pointer)), false))),
    inside: memoize((pointer) => {
      const position = open(pointer);
      return hasStructure(position) ? remember((item) => filterMembers(item, choose(item, position), true)) : undefined;
    }),
  };
}

/** Keeps the result for each item that is changed: those that are stored do not change. To keep others costs more than to look again. */
function remember(filter: Filter): Filter {
  const known = new WeakMap<Item, Item>();
  return (item) => {
    const before = known.get(item);
    if (before !== undefined) return before;
    const left = filter(item);
    if (left !== item) known.set(item, left);
    return left;
  };
}

/** Whether a member of the values at a position can be an array, or an object. */
function hasStructure({ parts, unions, others }: Position): boolean {
  if (unions.length > 0 || others !== undefined) return true;
  return parts.some(({ schema }) =>
    Object.values(schema.properties ?? {}).some((own) => {
      const { type } = typeof own === 'boolean' ? {} : own;
      return typeof own === 'object' && [type].flat().some((each) => each === undefined || STRUCTURED.has(each));
    }),
  );
}

const STRUCTURED: ReadonlySet<string> = new Set(['array', 'object']);

/** Reads positions; each set of schemas is read once. */
function createPositions(contract: Contract): {
  open(pointer: string): Position;
  choose(value: unknown, position: Position): Position;
} {
  const known = new Map<string, Position>();
  const join = (parts: readonly SchemaPart[], unions: readonly Union[]): Position => {
    const key = [unions.length, ...parts.map(({ pointer }) => pointer)].join('\n');
    const existing = known.get(key);
    if (existing !== undefined) return existing;
    const created = createPosition({ parts, unions }, openAll);
    known.set(key, created);
    return created;
  };
  const openAll: OpenAll = (places) => {
    const parts = places.flatMap((place) => flatten(contract, place, 0));
    return parts.length === 0 ? undefined : join(parts, listUnions(contract, parts));
  };
  const chooseBranches = (value: unknown, union: Union): readonly SchemaPart[] => {
    const tag = isObject(value) && union.property !== undefined ? value[union.property] : undefined;
    const named = typeof tag === 'string' ? union.mapping.get(tag) : undefined;
    if (named !== undefined) return [named];
    const usable = union.branches.filter(({ schema }) => canHold(schema, value));
    const fitting = usable.length < 2 ? usable : usable.filter((branch) => fits(contract, value, branch));
    return fitting.length === 0 ? usable : fitting;
  };
  /** The position of a value: with the branches of unions that it fits. */
  const choose = (value: unknown, position: Position): Position => {
    const { parts, unions } = position;
    if (unions.length === 0) return position;
    const isBare = !parts.some(({ schema }) => schema.properties !== undefined);
    const chosen = new Map(parts.map((part) => [part.pointer, part]));
    const seen = new Set<string>();
    const left = [...unions];
    for (let union = left.shift(); union !== undefined; union = left.shift()) {
      if (seen.has(union.pointer)) continue;
      seen.add(union.pointer);
      const branches = chooseBranches(value, union);
      if (isBare && branches.some(isFree)) return ANYTHING;
      const added = branches.flatMap((branch) => flatten(contract, branch, 0));
      for (const part of added) chosen.set(part.pointer, part);
      left.push(...listUnions(contract, added));
    }
    return join([...chosen.values()], []);
  };
  return {
    open: (pointer) => {
      const schema = contract.at(pointer);
      return openAll([{ schema: isObject(schema) ? schema : true, pointer }]) ?? ANYTHING;
    },
    choose,
  };
}

/** A schema that can be a reference. */
interface MemberPlace {
  readonly schema: Schema;
  readonly pointer: string;
}

/** The position of some schemas; undefined without any. */
type OpenAll = (places: readonly MemberPlace[]) => Position | undefined;

const ANYTHING: Position = {
  parts: [],
  unions: [],
  isOpen: true,
  others: undefined,
  member: () => undefined,
  item: () => undefined,
};

function createPosition({ parts, unions }: Pick<Position, 'parts' | 'unions'>, openAll: OpenAll): Position {
  const others = parts
    .flatMap((part) => [...listAt(part, 'additionalProperties'), ...listAt(part, 'unevaluatedProperties')])
    .filter(({ schema }) => isObject(schema));
  const asksForOthers = ({ schema }: SchemaPart): boolean =>
    schema.patternProperties !== undefined ||
    [schema.additionalProperties, schema.unevaluatedProperties].some((own) => own !== undefined && own !== false);
  const isOpen = parts.some(asksForOthers) || !parts.some(({ schema }) => schema.properties);
  return {
    parts,
    unions,
    isOpen,
    // Opened on first use: a schema may contain itself.
    get others() {
      return openAll(others);
    },
    member: memoize((name) => {
      const places = parts.flatMap(({ schema, pointer }) => {
        const own = readOwn(schema.properties ?? {}, name);
        return own === undefined ? [] : [{ schema: own, pointer: pointer + toPointer('properties', name) }];
      });
      const isRequired = parts.some(({ schema }) => schema.required?.includes(name));
      return openAll(places) ?? (isRequired ? ANYTHING : undefined);
    }),
    item: (index) =>
      openAll(
        parts.flatMap((part) => {
          const own = part.schema.prefixItems?.[index];
          if (own === undefined) return listAt(part, 'items');
          return [{ schema: own, pointer: `${part.pointer}/prefixItems/${index}` }];
        }),
      ),
  };
}

/** A schema with its references resolved, and the schemas that its `allOf` and its conditions add. */
function flatten(contract: Contract, { schema, pointer }: MemberPlace, depth: number): readonly SchemaPart[] {
  if (depth > MAX_DEPTH) return [];
  const part = resolvePart(contract, schema, pointer);
  // Keywords beside a `$ref` count as well.
  const beside = part.pointer === pointer || !isObject(schema) ? [] : [{ schema, pointer }];
  return [part, ...beside].flatMap((own) => {
    const all = (own.schema.allOf ?? []).map((each, i) => ({ schema: each, pointer: `${own.pointer}/allOf/${i}` }));
    const added = [...all, ...listAt(own, 'then'), ...listAt(own, 'else')];
    return [own, ...added.flatMap((each) => flatten(contract, each, depth + 1))];
  });
}

function listAt(
  { schema, pointer }: SchemaPart,
  keyword: 'additionalProperties' | 'else' | 'items' | 'then' | 'unevaluatedProperties',
): readonly MemberPlace[] {
  const own = schema[keyword];
  return own === undefined ? [] : [{ schema: own, pointer: `${pointer}/${keyword}` }];
}

function listUnions(contract: Contract, parts: readonly SchemaPart[]): readonly Union[] {
  return parts.flatMap((part) => {
    const { discriminator } = part.schema;
    const mapped = Object.entries(discriminator?.mapping ?? {});
    const mapping = new Map(mapped.map(([tag, $ref]) => [tag, resolvePart(contract, { $ref }, part.pointer)]));
    return (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
      const branches = listParts(contract, part, keyword);
      const pointer = `${part.pointer}/${keyword}`;
      return branches.length === 0 ? [] : [{ pointer, branches, property: discriminator?.propertyName, mapping }];
    });
  });
}

/** Whether a value can be one of a branch: it has what is required, and its members have the types and the values that are declared. */
function fits(contract: Contract, value: unknown, branch: SchemaPart): boolean {
  if (!isObject(value)) return true;
  return flatten(contract, branch, 0).every(
    ({ schema: { required = [], properties = {} }, pointer }) =>
      required.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, own]) => {
        const declared = readOwn(properties, name);
        const at = pointer + toPointer('properties', name);
        return declared === undefined || canHold(resolvePart(contract, declared, at).schema, own);
      }),
  );
}

/** Whether a value can have the type of a schema; a scalar is also compared with its constant and its enum. */
export function canHold({ type, enum: values, const: only }: SchemaObject, value: unknown): boolean {
  const allowed = only === undefined ? values : [only];
  const isValue = typeof value !== 'object' || value === null;
  if (allowed !== undefined && (isValue || type === undefined)) return allowed.includes(value);
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const types = new Set<unknown>([type ?? own].flat());
  return types.has(own) || (own === 'number' && types.has('integer'));
}

/** Whether a schema asks for objects without saying anything about their members. */
function isFree({ schema }: SchemaPart): boolean {
  return DESCRIBING.every((keyword) => schema[keyword] === undefined);
}
