import { KEY_OF_OTHER } from '../../conventions/forms.js';
import { means } from '../../conventions/conventions.js';
import { toItemNoun } from '../../conventions/names.js';
import { listProperties, type PropertyView, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import type { Resource, Resources } from '../item/resource.js';
import { isTime } from '../item/server-values.js';
import type { Item } from './lists/item-list.js';

/** What an item that no client created does not have, although its schema has an example or a value for it. */
export interface InitialValues {
  /** Values that it has where its schema allows them. */
  readonly preferred: Item;
  /** Properties that it does not have where its schema allows that. */
  readonly hidden: readonly string[];
  /** Properties that name an item of the same collection and must have a value. */
  readonly own: readonly string[];
}

/** Plans what the initial items of a resource do not have: a removal, and a parent among themselves. */
export function planInitialValues(read: ReadSchema, resource: Resource, { collections }: Resources): InitialValues {
  const preferred: Record<string, unknown> = {};
  const hidden: string[] = [];
  const own: string[] = [];
  const nouns = new Set([...collections.keys()].map(toItemNoun));
  for (const property of listProperties(read(resource.schema))) {
    const { name, known, nullable, required, schema } = property;
    const isOfOwn = isParent(property, resource, nouns) || isOwnObject(read, property, resource);
    if (means(known, 'removed.flag') && schema.type === 'boolean') preferred[name] = false;
    else if (!isOfOwn && !(means(known, 'removed.moment') && isTime(property))) continue;
    else if (nullable) preferred[name] = null;
    else if (!required) hidden.push(name);
    else if (isOfOwn && property.scalar) own.push(name);
  }
  return { preferred, hidden, own };
}

/** Whether a property holds the id of another item of its collection: `parent_id`, `previous_version_id` of versions. */
function isParent({ bare, scalar }: PropertyView, { name, idProperty }: Resource, nouns: ReadonlySet<string>): boolean {
  const [, stem = ''] = KEY_OF_OTHER.exec(bare) ?? [];
  if (!scalar || stem === '' || bare === idProperty) return false;
  const noun = toItemNoun(name);
  return means(stem, 'ids.parent') || (stem.endsWith(noun) && stem !== noun && !nouns.has(stem));
}

/** Whether a property shows an item of its own collection. */
function isOwnObject(read: ReadSchema, { target, scalar }: PropertyView, { schema }: Resource): boolean {
  return !scalar && schema !== undefined && read(target)?.pointer === read(schema)?.pointer;
}
