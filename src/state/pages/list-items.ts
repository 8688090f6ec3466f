import type { Operation } from '../../contract/operations/operation.js';
import { toBareName } from '../../contract/names.js';
import {
  type ItemProperty,
  type ItemSchema,
  type ReadItemSchema,
  findPropertyAt,
  listProperties,
} from '../item-schema.js';
import {
  findRole,
  type ItemsPosition,
  type ListShape,
  NESTED,
  planAround,
  readSuccessPointer,
  REPORTS,
} from './list-shape.js';

const ITEM_NAMES =
  /^(data|items|results?|entries|values?|records|rows|list|content|elements|objects|resources|collection|edges|nodes|hits)$/i;

/**
 * Where the items are in the success response of an operation; undefined where it is not a list.
 */
export function findListItems(read: ReadItemSchema, operation: Operation): ItemsPosition | undefined {
  const schema = read(readSuccessPointer(operation));
  return schema && findItems(schema, read);
}

/** The array at a path in the success response of an operation; undefined where there is none. */
export function findItemsAt(
  read: ReadItemSchema,
  operation: Operation,
  path: readonly string[],
): ItemsPosition | undefined {
  const schema = read(readSuccessPointer(operation));
  const current = schema && read(findPropertyAt(read, schema, path.join('.'))?.target);
  return current?.type === 'array' ? { path, element: [], itemSchema: current.items } : undefined;
}

/**
 * The array of a response that is a list, by the names of its properties.
 *
 * @param noun - The last static segment of the path: the name of the array in some envelopes.
 */
export function findItems(schema: ItemSchema, read: ReadItemSchema, noun?: string): ItemsPosition | undefined {
  if (schema.type === 'array') return { path: [], element: [], itemSchema: schema.items };
  const found = findNamed(read.once(listArrays, schema), noun) ?? read.once(findUnnamed, schema);
  if (found !== undefined) return { path: [found.name], element: [], itemSchema: read(found.target)?.items };
  for (const { name, arrays, only } of read.once(listEmbedding, schema)) {
    const inner = findNamed(arrays, noun) ?? only;
    if (inner !== undefined) return { path: [name, inner.name], element: [], itemSchema: read(inner.target)?.items };
  }
  return undefined;
}

/** The shape of a list in another body than the usual one, such as that of another media type: the usual one where it has no other schema, or no list. */
export function findShapeAt(read: ReadItemSchema, usual: ListShape, pointer: string | undefined): ListShape {
  const schema = read(pointer);
  if (schema === undefined || pointer === undefined || usual.element.length > 0) return usual;
  if (schema.pointer === read(usual.schema)?.pointer) return usual;
  const items = findItems(schema, read, usual.path.at(-1));
  return items === undefined ? usual : { ...items, schema: pointer, plan: planAround(schema, read, items.path) };
}

function listArrays(read: ReadItemSchema, schema: ItemSchema): readonly ItemProperty[] {
  return listProperties(schema).filter(({ target }) => read(target)?.type === 'array');
}

function findNamed(arrays: readonly ItemProperty[], noun: string | undefined): ItemProperty | undefined {
  if (noun === undefined) return undefined;
  return arrays.find(({ name }) => name === noun) ?? arrays.find(({ bare }) => bare === toBareName(noun));
}

function findUsual(arrays: readonly ItemProperty[]): ItemProperty | undefined {
  return arrays.find(({ name }) => ITEM_NAMES.test(name));
}

/** The array with a usual name, else the only one, unless the object is an item with an id, or does not look like a page. */
function findUnnamed(read: ReadItemSchema, schema: ItemSchema): ItemProperty | undefined {
  const all = read.once(listArrays, schema);
  const usual = findUsual(all);
  const { properties } = schema;
  if (usual !== undefined || all.length === 0 || properties.has('id') || properties.has('sha')) return usual;
  const isOfItems = ({ name, target }: ItemProperty): boolean =>
    !REPORTS.test(name) && !SCALAR.test(read(read(target)?.items)?.type ?? '');
  const arrays = all.length === properties.size ? all : all.filter(isOfItems);
  if (arrays.length !== 1) return undefined;
  const isOfPage = (name: string): boolean => findRole(name, []) !== undefined || NESTED.test(name);
  return properties.size === 1 || [...properties.keys()].some(isOfPage) ? arrays[0] : undefined;
}

const SCALAR = /^(string|integer|number|boolean)$/;

/** An object in a response that can hold a list. */
interface Embedding {
  readonly name: string;
  readonly arrays: readonly ItemProperty[];
  /** The one of its arrays that is a list, whatever the path is called. */
  readonly only: ItemProperty | undefined;
}

/** Objects with a list one level below: `_embedded.orders`, `data.items`. */
function listEmbedding(read: ReadItemSchema, schema: ItemSchema): readonly Embedding[] {
  if (schema.properties.has('id')) return [];
  return listProperties(schema).flatMap(({ name, target }): readonly Embedding[] => {
    const inner = EMBEDDING.test(name) ? read(target) : undefined;
    if (inner === undefined || inner.properties.has('id')) return [];
    const arrays = read.once(listArrays, inner);
    const isOnly = arrays.length === 1 && (name === '_embedded' || inner.properties.size === 1);
    return [{ name, arrays, only: findUsual(arrays) ?? (isOnly ? arrays[0] : undefined) }];
  });
}

const EMBEDDING = /^(_embedded|data|result|response|body|payload)$/i;
