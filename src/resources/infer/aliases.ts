import { BODY_METHODS, type Operation } from '../../contract/operations/operation.js';
import { means } from '../../conventions/conventions.js';
import {
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  listProperties,
  listBranches,
} from '../../contract/schema-view/schema-view.js';
import { findJsonMedia, findSuccessMedia } from '../../contract/operations/responses.js';
import { isNamedAfter, toSingular } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import { findListItems } from '../list/list-shape.js';
import { compareSchemas, isSameItem, isSummary } from '../item/positions.js';
import type { Within } from '../item/resource.js';
import { type Candidates, type CollectionCandidate, isReadable, listNamed, readLastWord } from './candidates.js';
import { type ContractIndex, CREATING, isNamedAs } from './contract-index.js';
import { listShorterKeys } from './path-shape.js';

/** Whether a path can be an alias of another one: no operation reads or lists its items. */
export function isAlias(index: ContractIndex, candidate: CollectionCandidate): boolean {
  if (!candidate.hasOperations) return true;
  return !index.operationsAt(candidate.key).has('GET') && !index.operationsAt(candidate.itemKey).has('GET');
}

/** The collection below a parent whose items a list shows of every parent: `/v1/namespaces/{namespace}/widgets` for `/v1/widgets`. */
export function findBelow(
  index: ContractIndex,
  nested: Candidates,
  candidate: CollectionCandidate,
): CollectionCandidate | undefined {
  const [own] = candidate.groups;
  const noun = own?.words.at(-1);
  if (own === undefined || candidate.groups.length > 1 || candidate.itemKey !== undefined) return undefined;
  const methods = index.operationsAt(candidate.key);
  if (candidate.schema === undefined || methods.size !== 1 || !methods.has('GET')) return undefined;
  return listNamed(nested, noun).find(
    ({ groups, schema, itemKey }) =>
      itemKey !== undefined &&
      index.operationsAt(itemKey).size > 0 &&
      groups.at(-1)?.words.length === 1 &&
      isLike(index, [candidate.schema, schema], 0.8) &&
      own.words.slice(0, -1).every((word, i) => groups[0]?.words[i] === word),
  );
}

/** The first candidate with the same nouns: `/customers/{customer}` for `/test_helpers/customers/{id}`. */
export function findSameResource(all: Candidates, candidate: CollectionCandidate): CollectionCandidate | undefined {
  const { groups: own, schema, key } = candidate;
  return listNamed(all, readLastWord(candidate)).find(
    (other) =>
      other.hasOperations &&
      other.key !== key &&
      !other.singleton &&
      (schema === undefined || schema === other.schema) &&
      other.groups.length === own.length &&
      other.groups.every(
        ({ words, parameters }, i) =>
          own[i]?.words.at(-1) === words.at(-1) && own[i]?.parameters.length === parameters.length,
      ),
  );
}

/** A collection that a path shows, or a part of it. */
interface Whole {
  readonly candidate: CollectionCandidate;
  readonly within: Within | undefined;
}

type FindWhole = (index: ContractIndex, all: Candidates, candidate: CollectionCandidate) => Whole | undefined;

/** The top-level collection that a list below a parent shows part of: same schema, and a property that holds the parent's id. */
export const findWhole: FindWhole = (index, all, candidate) => {
  const top =
    all.find((each) => each.schema === candidate.schema && each.itemKey !== undefined) ??
    listNamed(all, readLastWord(candidate)).find(
      (each) => each.itemKey !== undefined && isSamePath(index, each, candidate),
    );
  const property = candidate.schema === undefined ? undefined : findParentProperty(index, candidate);
  const parameter = candidate.groups.at(-2)?.parameters.at(-1);
  if (top === undefined || parameter === undefined || property === undefined) return undefined;
  return { candidate: top, within: { property, parameter } };
};

/** Whether two paths with the same last word have the same parameters and show the same item, in a document without references. */
function isSamePath({ read }: ContractIndex, one: CollectionCandidate, other: CollectionCandidate): boolean {
  const [a, b] = [one.groups.at(-1), other.groups.at(-1)];
  const isEqual = b?.parameters.length === 0 || a?.parameters.join('/') === b?.parameters.join('/');
  const [schema, item] = isEqual ? [read(one.schema), read(other.schema)] : [];
  return schema !== undefined && item !== undefined && isSameItem(read, schema, item);
}

/** The property of an item that holds the id of the parent in its path. */
function findParentProperty(index: ContractIndex, candidate: CollectionCandidate): string | undefined {
  const parent = candidate.groups.at(-2);
  const parameter = parent?.parameters.at(-1);
  if (parent === undefined || parameter === undefined) return undefined;
  const noun = toSingular(parent.words.at(-1) ?? '');
  // The `id` of an item is not that of its parent.
  const named = means(parameter, 'ids.id', 'ids.name') ? [] : [parameter];
  const wanted = new Set([...named, noun, `${noun}_id`, `${noun}Id`].map(toBareName));
  const properties = listProperties(index.read(candidate.schema));
  const own = properties.find(({ bare }) => wanted.has(bare));
  if (own !== undefined) return own.name;
  // `parent: { database_id }`
  for (const { name, target } of properties.filter((each) => means(each.name, 'ids.parent'))) {
    const inner = listProperties(index.read(target)).find(({ bare }) => wanted.has(bare));
    if (inner !== undefined) return `${name}.${inner.name}`;
  }
  return undefined;
}

/** The collection whose items are created and listed only below a parent, and read at the top: `/blocks/{id}/children` for `/blocks/{id}`. */
export const findItemsBelow: FindWhole = (index, all, candidate) => {
  if (candidate.groups.length !== 2 || candidate.schema === undefined || candidate.singleton) return undefined;
  const methods = index.operationsAt(candidate.key);
  const isItemPath = index.operationsAt(candidate.itemKey).size > 0;
  const creates = BODY_METHODS.some((method) => index.list(methods.get(method))?.itemSchema !== undefined);
  if (isItemPath || !creates || !methods.has('GET')) return undefined;
  const other = all.find(
    ({ schema, itemKey, key }) =>
      schema === candidate.schema && index.operationsAt(itemKey).has('GET') && index.operationsAt(key).size === 0,
  );
  const parameter = candidate.groups[0]?.parameters.at(-1);
  return other === undefined || parameter === undefined
    ? undefined
    : { candidate: other, within: { property: undefined, parameter } };
};

/** The collection whose items are created at another path: `POST /users/{user_id}/playlists` creates what `/playlists/{id}` reads. */
export const findItemsElsewhere: FindWhole = (index, all, candidate) => {
  const create = index.creating(candidate.key);
  const hasItems = index.operationsAt(candidate.itemKey).size > 0;
  const item = index.read(candidate.schema);
  if (create === undefined || hasItems || item === undefined || candidate.singleton) return undefined;
  const others = listNamed(all, readLastWord(candidate)).filter((each) => {
    if (each === candidate) return false;
    const last = each.groups.at(-1);
    const schema = index.read(each.schema);
    const above = each.groups.slice(0, -1);
    // A create that names an existing item makes a membership.
    const isMembership =
      last?.parameters.some((name) => index.body(create)?.members.get(name)?.readOnly === false) === true;
    return (
      !isMembership &&
      schema !== undefined &&
      isReadable(index, each) &&
      above.length < candidate.groups.length &&
      above.at(-1)?.itemKey === candidate.groups[above.length - 1]?.itemKey &&
      (isSameItem(index.read, schema, item) ||
        (index.list(create) === undefined && isSummary(index.read, item, schema)))
    );
  });
  // Comments of an issue are not those of a commit, which have similar properties.
  const other = others.find(({ schema }) => schema === candidate.schema) ?? others[0];
  if (other === undefined) return undefined;
  const [above] = candidate.groups.slice(other.groups.length - 1, -1).toReversed();
  const parameter = above?.parameters.at(-1);
  const property = findParentProperty(index, { ...candidate, schema: other.schema });
  return { candidate: other, within: parameter === undefined ? undefined : { property, parameter } };
};

/** The collection that a path shows by the value of a property: `/users` for `/users/by-email/{email}` and `/users/role/{role}`. */
export const findItemsByKey: FindWhole = (index, all, candidate) => {
  const last = candidate.groups.at(-1);
  const [parameter = ''] = last?.parameters ?? [];
  if (last?.parameters.length !== 1 || last.words.length < 2 || index.operationsAt(candidate.key).size > 0)
    return undefined;
  const keys = listShorterKeys(candidate.groups);
  const other = keys.map((key) => all.find((each) => each.key === key)).find((each) => each?.singleton === false);
  const schema = index.read(other?.schema);
  if (other === undefined || schema === undefined) return undefined;
  const isOwn = (pointer: string | undefined): boolean => {
    const item = index.read(pointer);
    return item !== undefined && isSameItem(index.read, schema, item);
  };
  const properties = listProperties(schema).filter(({ name }) => isNamedAfter(name, parameter));
  const showsList = (path: string | undefined): boolean => {
    const operation = index.operationsAt(path).get('GET');
    return operation !== undefined && isOwn(findListItems(index.read, operation)?.itemSchema);
  };
  // Some services show each item as the only element of an array.
  if (showsList(candidate.itemKey) && !showsList(other.itemKey)) {
    const property = properties.find(({ scalar, schema: own }) => scalar || own.type === 'array')?.name;
    return toKey(other, { property, parameter });
  }
  if (isOwn(candidate.schema) && isCreateFor(index, candidate)) return { candidate: other, within: undefined };
  if (!isOwn(candidate.schema) || other.groups.at(-1)?.parameters.length !== 1) return undefined;
  return toKey(other, { property: properties.find(({ scalar }) => scalar)?.name, parameter, isKey: true });
};

/** Whether a path only creates, for what its parameter names: `POST /projects/user/{user_id}`. */
function isCreateFor(index: ContractIndex, { itemKey }: CollectionCandidate): boolean {
  const methods = index.operationsAt(itemKey);
  const create = methods.size === 1 ? methods.get('POST') : undefined;
  return create?.body !== undefined && isNamedAs(create, CREATING);
}

/**
 * The candidates with the schemas of memberships that only another path below the same parent lists: `PUT /crews/{id}/sailors/{sailor_id}`
 * beside `GET /crews/{id}/members`, whose elements are, or have, items of `/sailors`.
 */
export function withListedMembers(
  index: ContractIndex,
  candidates: ReadonlyMap<string, CollectionCandidate>,
): ReadonlyMap<string, CollectionCandidate> {
  const all = [...candidates.values()];
  const found = all.flatMap((candidate) => {
    const listing = findMemberList(index, all, candidate);
    return listing === undefined ? [] : [{ ...candidate, ...listing }];
  });
  // A path that could list several of them lists none.
  const isOnly = ({ listedAt }: CollectionCandidate): boolean =>
    found.filter((each) => each.listedAt === listedAt).length === 1;
  return found.length === 0
    ? candidates
    : new Map([...candidates, ...found.filter(isOnly).map((each) => [each.key, each] as const)]);
}

function findMemberList(
  index: ContractIndex,
  all: Candidates,
  candidate: CollectionCandidate,
): Pick<CollectionCandidate, 'listedAt' | 'schema'> | undefined {
  const parent = candidate.groups.at(-2)?.itemKey;
  const isWritten = index.operationsAt(candidate.itemKey).has('PUT') || index.operationsAt(candidate.key).has('POST');
  if (candidate.schema !== undefined || parent === undefined || !isWritten || !isAlias(index, candidate))
    return undefined;
  const top = listNamed(all, readLastWord(candidate)).find(({ groups }) => groups.length === 1);
  const item = index.read(top?.schema);
  const lists = all.flatMap(({ key, groups }) => {
    const methods = index.operationsAt(key);
    const listing = methods.size === 1 ? methods.get('GET') : undefined;
    const isBeside = groups.at(-2)?.itemKey === parent && groups.length === candidate.groups.length;
    const element =
      isBeside && listing !== undefined ? index.read(findListItems(index.read, listing)?.itemSchema) : undefined;
    const shown = [element, ...listProperties(element).map(({ target }) => index.read(target))];
    const isShown = item !== undefined && shown.some((each) => each?.pointer === item.pointer);
    return isShown && element !== undefined ? [{ listedAt: key, schema: element.pointer }] : [];
  });
  return lists.length === 1 ? lists[0] : undefined;
}

/** A part of items that paths below them read and change: `labels` for `/issues/{id}/labels`. */
export interface Sublist {
  readonly owner: CollectionCandidate;
  /** An array, or the identifiers of other items: a path with dots, `relationships.tags.data`. */
  readonly property: string;
  /** Whether it is one identifier instead of an array. */
  readonly isOne: boolean;
  /** The collection whose items are shown in place of their identifiers: `/articles/{id}/tags`. */
  readonly related: CollectionCandidate | undefined;
}

/** The arrays of items that have paths of their own, whose elements no path reads, by the key of the path. */
export function findSublists(
  index: ContractIndex,
  candidates: ReadonlyMap<string, CollectionCandidate>,
): ReadonlyMap<string, Sublist> {
  const found = new Map<string, Sublist>();
  for (const operation of index.contract.operations) {
    const { groups = [] } = index.shape(operation) ?? {};
    const [above, last] = groups.slice(-2);
    if (above === undefined || last === undefined || found.has(last.key)) continue;
    const { key, words } = last;
    const owner = candidates.get(above.key);
    if (owner?.itemKey !== above.itemKey) continue;
    const relation = findRelation(index, owner, words);
    const related = relation?.isNamed === false ? findRelated(index, candidates, key) : undefined;
    if (relation !== undefined && (relation.isNamed || related !== undefined)) {
      found.set(key, { owner, ...relation, related });
      continue;
    }
    const own = owner.singleton ? [] : listProperties(index.read(owner.schema));
    const word = toBareName(words.join('/'));
    const property = own.find(({ bare, target }) => bare === word && index.read(target)?.type === 'array');
    const isSublist = property !== undefined && hasOnlyElements(index, key, property);
    if (isSublist) found.set(key, { owner, property: property.name, isOne: false, related: undefined });
  }
  return found;
}

/** The identifiers in `{ data: [{ type, id }] }` that words name: `relationships/tags`, or `tags` alone, which is not the path of the identifiers. */
function findRelation(
  { read }: ContractIndex,
  owner: CollectionCandidate,
  words: readonly string[],
): (Pick<Sublist, 'isOne' | 'property'> & { readonly isNamed: boolean }) | undefined {
  const schema = words.length > 2 ? undefined : read(owner.schema);
  const relations = schema === undefined ? [] : read.once(listRelations, schema);
  if (relations.length === 0) return undefined;
  const [first, last = first] = words.map(toBareName);
  const isNamed = words.length === 2;
  const found = relations.find(({ name, holder }) => name === last && (!isNamed || holder === first));
  return found && { property: found.property, isOne: found.isOne, isNamed };
}

/** Identifiers of other items in an item, with the bare names of their property and of the object around it. */
interface Relation extends Pick<Sublist, 'isOne' | 'property'> {
  readonly holder: string;
  readonly name: string;
}

function listRelations(read: ReadSchema, schema: SchemaView): readonly Relation[] {
  return listProperties(schema).flatMap((holder) => {
    const seen = new Set<string>();
    return listProperties(read(holder.target)).flatMap(({ name, bare, target }): readonly Relation[] => {
      if (seen.has(bare)) return [];
      seen.add(bare);
      const data = read(read(target)?.members.get('data')?.target);
      const one = data?.type === 'array' ? read(data.element) : data;
      const isIdentifier = one?.members.has('id') === true && one.members.has('type') && one.members.size <= 3;
      const property = `${holder.name}.${name}.data`;
      return isIdentifier ? [{ holder: holder.bare, name: bare, property, isOne: one === data }] : [];
    });
  });
}

/** The collection whose items a path only shows. */
function findRelated(
  index: ContractIndex,
  candidates: ReadonlyMap<string, CollectionCandidate>,
  key: string,
): CollectionCandidate | undefined {
  const methods = index.operationsAt(key);
  const operation = methods.size === 1 && index.operationsAt(`${key}/{}`).size === 0 ? methods.get('GET') : undefined;
  const shown = index.read(index.list(operation)?.itemSchema) ?? index.answer(operation);
  const isShown = ({ groups, schema }: CollectionCandidate): boolean =>
    groups.length === 1 && schema !== undefined && schema === shown?.pointer;
  return [...candidates.values()].find((each) => isShown(each) && index.operationsAt(each.itemKey).has('GET'));
}

/** Whether the operations below an item list, add, set and remove elements of an array, and none reads or changes one of them. */
function hasOnlyElements(index: ContractIndex, key: string, { name, target }: PropertyView): boolean {
  const methods = index.operationsAt(key);
  const others = index.operationsAt(`${key}/{}`);
  const element = index.read(index.read(target)?.element);
  const reading = others.get('GET');
  if (element === undefined || others.has('PATCH') || methods.has('PATCH')) return false;
  if (reading !== undefined && findSuccessMedia(reading) !== undefined) return false;
  const listing = methods.get('GET');
  const listed = index.read(index.list(listing)?.itemSchema);
  const isSame = element.pointer === listed?.pointer || element.type === listed?.type;
  const isOwn = element.members.size === 0 || listed === undefined || isSameItem(index.read, element, listed);
  const writes = ['POST', 'PUT'].flatMap((method) => methods.get(method) ?? []);
  if ((listing !== undefined && !(isSame && isOwn)) || !writes.every((each) => hasArrayBody(index, each, name)))
    return false;
  const isRemoved = others.has('DELETE') && others.get('PUT')?.body === undefined;
  return writes.length > 0 || (isRemoved && (listing !== undefined || others.has('PUT')));
}

/** Whether the body of a request is an array, or an object with one of this name or with nothing else. */
function hasArrayBody({ contract, read }: ContractIndex, { body }: Operation, name: string): boolean {
  const pointer = findJsonMedia(body?.content ?? [])?.schemaPointer;
  const pointers = pointer === undefined ? [] : [pointer, ...listBranches(contract, pointer)];
  return pointers.some((each) => {
    const own = read(each);
    const arrays = listProperties(own).filter(({ target }) => read(target)?.type === 'array');
    const isNamed = arrays.some((array) => array.bare === toBareName(name));
    return own?.type === 'array' || isNamed || (arrays.length === 1 && own?.members.size === 1);
  });
}

function toKey(candidate: CollectionCandidate, within: Within): Whole | undefined {
  return within.property === undefined ? undefined : { candidate, within };
}

/** The collection that a path without a create lists: `/catalog/list` for `/catalog/object/{id}`, `/me/playlists` for `/playlists/{id}`. */
export const findListed: FindWhole = (index, readable, candidate) => {
  const { groups, itemKey, key, schema } = candidate;
  const methods = [...index.operationsAt(key).keys(), ...index.operationsAt(itemKey).keys()];
  const listing = index.operationsAt(key).get('GET');
  const creates = index.operationsAt(key).has('POST');
  // What creates items beside another path has a collection of its own, unless nothing else creates those: `/silences`, `/silence/{id}`.
  if (listing === undefined || (creates && itemKey !== undefined)) return undefined;
  if (methods.some((method) => method !== 'GET' && method !== 'POST')) return undefined;
  const listed = index.list(listing)?.itemSchema;
  const last = groups.at(-1);
  const isOwn = isOwnPath(candidate);
  const isList = itemKey === undefined && means(last?.words.at(-1) ?? '', 'verbs.list');
  const folder = toFolder(candidate);
  const singular = toSingular(last?.words.at(-1) ?? '');
  const others = readable.filter((each) => {
    if (each === candidate || (creates && index.operationsAt(each.key).size > 0)) return false;
    const other = each.groups.at(-1);
    const hasList = index.operationsAt(each.key).has('GET');
    const isBeside = !hasList && toFolder(each) === folder;
    if (isBeside && isList && each.schema === schema) return true;
    // `GET /books` beside `POST /book`
    const isPlural = isBeside && toSingular(other?.words.at(-1) ?? '') === singular;
    if (isPlural && isLike(index, [creates ? listed : schema, each.schema], 0.8)) return true;
    if (creates || groups.length > 1 || each.groups.length > 1) return false;
    // A noun without a list of its own is listed by a summary.
    const isNamed = isOwn && !hasList && other?.words.at(-1) === last?.words.at(-1);
    const least = isNamed ? 0.4 : 0.8;
    const [own = ''] = last?.parameters ?? [];
    const isSameId = other?.parameters.length === 1 && own === other.parameters[0] && !means(own, 'ids.id', 'ids.name');
    const isListed = (isOwn && other?.words.at(-1) === last?.words.at(-1)) || (isSameId && !hasList);
    return isListed && isLike(index, [schema, each.schema], least);
  });
  const [other] = others;
  return other === undefined || others.length > 1 ? undefined : { candidate: other, within: undefined };
};

/** Whether a path is below a word for the user of the request: `/me/playlists`. */
export function isOwnPath({ groups }: CollectionCandidate): boolean {
  return groups.length === 1 && means(groups[0]?.words.at(-2) ?? '', 'people.own');
}

/** The path of a collection without its last word. */
function toFolder({ groups }: CollectionCandidate): string {
  const { key = '', words = [] } = groups.at(-1) ?? {};
  const end = key.lastIndexOf('/');
  return key.slice(0, words.length > 1 ? end : end + 1);
}

/** Whether two schemas are those of one item, or one is a summary of the other. */
function isLike(
  { read }: ContractIndex,
  [one = '', other = '']: readonly [string | undefined, string | undefined],
  least: number,
): boolean {
  const [a, b] = [read(one), read(other)];
  return a !== undefined && b !== undefined && (a === b || compareSchemas(read, a, b) >= least);
}
