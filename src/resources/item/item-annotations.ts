import { isIdValue } from '../../base/exact-number.js';
import { TextDecoder, TextEncoder } from 'node:util';
import { isObject, readMember, withPath, filterMembers } from '../../base/json.js';
import type { Resource } from './resource.js';
import { readScope, toScope, type WritableCollection } from '../store/collection.js';
import type { Item, ItemContent, NewEntry } from '../store/lists/item-list.js';
import { readItemKey } from './identity.js';
import type { ItemModel } from './item-model.js';
import { listParameters } from '../../conventions/names.js';

// Fixtures, tests and the control API write beside the properties of an item what the store knows about it: `$id`, `$parent`,
// `$content` and `$contentType`.

const ANNOTATIONS: ReadonlySet<string> = new Set(['$content', '$contentType', '$id', '$parent']);

/** An item without its annotations. */
export function omitAnnotations(given: Item, resource: Resource): Item {
  const isAnnotation = (name: string): boolean => ANNOTATIONS.has(name) && !(name === '$id' && isIdProperty(resource));
  return filterMembers(given, (name) => !isAnnotation(name));
}

/** The id that `$id` gives to an item. */
export function readIdAnnotation(given: Item, resource: Resource): string | undefined {
  const id = given['$id'];
  return isIdValue(id) && !isIdProperty(resource) ? String(id) : undefined;
}

/** Some services have a property named `$id`; a singleton has no id. */
function isIdProperty({ idProperty, singleton }: Resource): boolean {
  return singleton || idProperty === '$id';
}

/** The scope of an item, by `$parent` or properties named like the path parameters of the parents; undefined where it names none. */
export function readParentScope(given: Item, resource: Resource): string | undefined {
  const { parents, path } = resource;
  if (parents.length === 0) return '';
  const parent = given['$parent'];
  if (isIdValue(parent)) return toParentScope(resource, String(parent));
  if (Array.isArray(parent) && parent.length === parents.length) return toScope(...parent.map(String));
  const ids = isObject(parent) ? parents.map((name) => parent[name]) : listParameters(path).map((name) => given[name]);
  return ids.length > 0 && ids.every(isIdValue) ? toScope(...ids.map(String)) : undefined;
}

/** The scope of one parent id, or of several ids joined by `/`: `thread_1/run_2`. */
export function toParentScope({ parents }: Resource, parent: string): string {
  return parents.length > 1 ? toScope(...parent.split('/')) : toScope(parent);
}

/** The content that `$content` gives as a string or as `{ base64 }`; undefined for anything else. */
export function readInlineContent(given: Item): ItemContent | undefined {
  const content = given['$content'];
  const type = given['$contentType'];
  const mediaType = typeof type === 'string' ? type : undefined;
  if (typeof content === 'string') return { bytes: new TextEncoder().encode(content), mediaType };
  if (!isObject(content) || typeof content['base64'] !== 'string') return undefined;
  return { bytes: new Uint8Array(Buffer.from(content['base64'], 'base64')), mediaType };
}

/** An item of a scope with `$parent`. */
export function annotateParent(scope: string, item: Item): Item {
  if (scope === '') return item;
  const ids = readScope(scope);
  const [only] = ids;
  const $parent = ids.length === 1 ? only : ids.some((id) => id.includes('/')) ? ids : ids.join('/');
  return { $parent, ...item };
}

/** Content as annotations: a string where the bytes are valid UTF-8. */
export function toContentAnnotations({ bytes, mediaType }: ItemContent): Item {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const same = Buffer.from(text, 'utf8').equals(bytes);
  const $content = same ? text : { base64: Buffer.from(bytes).toString('base64') };
  return mediaType === undefined ? { $content } : { $content, $contentType: mediaType };
}

/** The id of an item in its collection, from `$id` or its properties; undefined where it has none. */
export function readKey({ resource }: Pick<ItemModel, 'resource'>, given: Item): string | undefined {
  if (resource.singleton) return '';
  const annotated = readIdAnnotation(given, resource);
  const id = readMember(given, resource.idProperty ?? 'id');
  if (annotated !== undefined) return annotated;
  return id === undefined && resource.keyProperties.length === 0 ? undefined : readItemKey(resource, given, id);
}

interface EntryPlace {
  readonly collection: WritableCollection;
  readonly model: ItemModel;
  readonly scope: string;
  readonly seed: number;
}

/** The entry of an item in the form of a fixture: as it is given, with a generated id where it has none. */
export function toEntry({ collection, model, scope, seed }: EntryPlace, given: Item): NewEntry {
  const { resource, identity } = model;
  const { idProperty } = resource;
  const item = omitAnnotations(given, resource);
  const content = readInlineContent(given);
  const key = readKey(model, given);
  const isIdentified =
    resource.singleton || (idProperty === undefined ? key : readMember(item, idProperty)) !== undefined;
  if (isIdentified && key !== undefined) return { id: key, item, content };
  const id = identity.generateId(collection, scope, { seed, number: collection.nextNumber() });
  const identified =
    idProperty === undefined
      ? item
      : withPath(
          item,
          model.idProperty?.isNested === true ? idProperty.split('.') : [idProperty],
          identity.toValue(id, scope),
        );
  return { id: key ?? readItemKey(resource, identified, id), item: identified, content };
}
