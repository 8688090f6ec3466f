import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import { toPointer } from '../../contract/pointer.js';
import { ExactNumber } from '../cassette/exact-json.js';
import { createSchemaWalk, type SchemaPointers } from '../redaction/secret-walk.js';

/** What kinds of values stand where, whatever the values are. */
interface ValueShape {
  /** JSON types seen; `null` counts as none, because it says nothing of what else may stand there. */
  readonly kinds: ReadonlySet<string>;
  /** Members of the objects seen; undefined for an object that is a map of names. */
  readonly members: ReadonlyMap<string, ValueShape> | undefined;
  /** The items of arrays, or the values of a map, taken together. */
  readonly items: ValueShape | undefined;
}

/** One way in which two shapes differ. */
export interface ShapeDifference {
  readonly kind: 'status' | 'media-type' | 'removed' | 'added' | 'type';
  /** Into the body; `*` stands for any item. */
  readonly pointer: string;
  /** A sentence without its full stop. */
  readonly message: string;
}

/** Reads shapes of values along the schemas of one contract, which tell maps of names from objects. */
export type ReadShape = (value: unknown, pointers: SchemaPointers) => ValueShape;

/** A reader of shapes. */
export function createShapeReader(contract: Contract): ReadShape {
  const schemas = createSchemaWalk(contract);
  const isMap = (pointers: SchemaPointers): boolean => {
    const shapes = schemas.shapes(pointers);
    const named = shapes.some(({ properties }) => properties !== undefined && Object.keys(properties).length > 0);
    return !named && shapes.some(({ additionalProperties: rest }) => rest === true || isObject(rest));
  };
  const read: ReadShape = (value, pointers) => {
    if (value === null || value === undefined) return NOTHING;
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

/** The ways in which a shape differs from the recorded one; emptiness differs from nothing. */
export function compareShapes(recorded: ValueShape, live: ValueShape, pointer = ''): readonly ShapeDifference[] {
  const place = pointer === '' ? 'the body' : pointer;
  const fresh = [...live.kinds].filter((kind) => !recorded.kinds.has(kind));
  if (fresh.length > 0 && recorded.kinds.size > 0) {
    const was = [...recorded.kinds].join(' or ');
    return [{ kind: 'type', pointer, message: `${place} was ${was} and is ${fresh.join(' or ')}` }];
  }
  return [...compareMembers(recorded, live, pointer), ...compareItems(recorded, live, pointer)];
}

const NOTHING: ValueShape = { kinds: new Set(), members: undefined, items: undefined };

function toScalar(kind: string): ValueShape {
  return { kinds: new Set([kind]), members: undefined, items: undefined };
}

function compareMembers(recorded: ValueShape, live: ValueShape, pointer: string): readonly ShapeDifference[] {
  if (recorded.members === undefined || live.members === undefined) return [];
  const differences: ShapeDifference[] = [];
  for (const [name, shape] of recorded.members) {
    const below = pointer + toPointer(name);
    const other = live.members.get(name);
    if (other === undefined) differences.push({ kind: 'removed', pointer: below, message: `${below} is gone` });
    else differences.push(...compareShapes(shape, other, below));
  }
  for (const name of live.members.keys()) {
    const below = pointer + toPointer(name);
    if (!recorded.members.has(name)) differences.push({ kind: 'added', pointer: below, message: `${below} is new` });
  }
  return differences;
}

function compareItems(recorded: ValueShape, live: ValueShape, pointer: string): readonly ShapeDifference[] {
  // An empty list says nothing of what its items would be.
  if (recorded.items === undefined || live.items === undefined) return [];
  return compareShapes(recorded.items, live.items, `${pointer}/*`);
}

/** Two shapes taken together: whatever stands in either of them. */
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
