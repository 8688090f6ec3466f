import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import { toPointer } from '../../contract/pointer.js';
import { ExactNumber } from '../cassette/exact-json.js';
import { createSchemaWalk, type SchemaPointers } from '../redaction/secret-walk.js';

/** The structure of a JSON value: its types and members without the values. */
interface ValueShape {
  /** The JSON types; none for `null`, which says nothing about other values. */
  readonly kinds: ReadonlySet<string>;
  /** The members of objects; undefined for maps. */
  readonly members: ReadonlyMap<string, ValueShape> | undefined;
  /** The joined shape of the items of an array or the values of a map. */
  readonly items: ValueShape | undefined;
}

/** A difference between two shapes. */
export interface ShapeDifference {
  readonly kind: 'status' | 'media-type' | 'removed' | 'added' | 'type';
  /** Into the body; `*` stands for every item. */
  readonly pointer: string;
  readonly message: string;
}

/** Reads the shape of a value; the schemas distinguish maps from objects. */
export type ReadShape = (value: unknown, pointers: SchemaPointers) => ValueShape;

/** Creates the reader of shapes for a contract. */
export function createShapeReader(contract: Contract): ReadShape {
  const schemas = createSchemaWalk(contract);
  const isMap = (pointers: SchemaPointers): boolean => {
    const shapes = schemas.shapes(pointers);
    const named = shapes.some(({ properties }) => properties !== undefined && Object.keys(properties).length > 0);
    return !named && shapes.some(({ additionalProperties: rest }) => rest === true || isObject(rest));
  };
  const read: ReadShape = (value, pointers) => {
    if (value === null || value === undefined) return EMPTY_SHAPE;
    if (typeof value === 'number' || value instanceof ExactNumber) return toScalar('number');
    if (Array.isArray(value)) {
      const items = value.map((item, i) => read(item, schemas.item(pointers, i)));
      return {
        kinds: new Set(['array']),
        members: undefined,
        items: items.reduce<ValueShape | undefined>(join, undefined),
      };
    }
    if (!isObject(value)) return toScalar(typeof value);
    const members = Object.entries(value).map(
      ([name, member]) => [name, read(member, schemas.member(pointers, name))] as const,
    );
    if (!isMap(pointers)) return { kinds: new Set(['object']), members: new Map(members), items: undefined };
    const items = members.map(([, shape]) => shape).reduce<ValueShape | undefined>(join, undefined);
    return { kinds: new Set(['object']), members: undefined, items };
  };
  return read;
}

/** The differences between two shapes; an empty value has the same shape as any other. */
export function compareShapes(recorded: ValueShape, live: ValueShape, pointer = ''): readonly ShapeDifference[] {
  const place = pointer === '' ? 'the body' : pointer;
  const added = [...live.kinds].filter((kind) => !recorded.kinds.has(kind));
  if (added.length > 0 && recorded.kinds.size > 0) {
    const was = [...recorded.kinds].join(' or ');
    return [{ kind: 'type', pointer, message: `${place} was ${was} and is ${added.join(' or ')}` }];
  }
  return [...compareMembers(recorded, live, pointer), ...compareItems(recorded, live, pointer)];
}

const EMPTY_SHAPE: ValueShape = { kinds: new Set(), members: undefined, items: undefined };

function toScalar(kind: string): ValueShape {
  return { kinds: new Set([kind]), members: undefined, items: undefined };
}

function compareMembers(recorded: ValueShape, live: ValueShape, pointer: string): readonly ShapeDifference[] {
  if (recorded.members === undefined || live.members === undefined) return [];
  const differences: ShapeDifference[] = [];
  for (const [name, shape] of recorded.members) {
    const below = pointer + toPointer(name);
    const other = live.members.get(name);
    if (other === undefined) differences.push({ kind: 'removed', pointer: below, message: `${below} is missing` });
    else differences.push(...compareShapes(shape, other, below));
  }
  for (const name of live.members.keys()) {
    const below = pointer + toPointer(name);
    if (!recorded.members.has(name)) differences.push({ kind: 'added', pointer: below, message: `${below} is new` });
  }
  return differences;
}

function compareItems(recorded: ValueShape, live: ValueShape, pointer: string): readonly ShapeDifference[] {
  // An empty array says nothing about its items.
  if (recorded.items === undefined || live.items === undefined) return [];
  return compareShapes(recorded.items, live.items, `${pointer}/*`);
}

/** The shape of values of either shape. */
function join(one: ValueShape | undefined, other: ValueShape): ValueShape {
  if (one === undefined) return other;
  const members =
    one.members === undefined || other.members === undefined ? (one.members ?? other.members) : new Map(one.members);
  if (members instanceof Map && one.members !== undefined) {
    for (const [name, shape] of other.members ?? []) members.set(name, join(members.get(name), shape));
  }
  const items = other.items === undefined ? one.items : join(one.items, other.items);
  return { kinds: new Set([...one.kinds, ...other.kinds]), members, items };
}
