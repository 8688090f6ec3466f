import type { Operation } from '../../contract/operations/operation.js';
import { findJsonMedia, findSuccessMedia } from '../../contract/operations/responses.js';
import { findValueArray, type ItemSchema, listBranches, listProperties } from '../item-schema.js';
import { findIdsInput } from '../pages/inputs.js';
import { readCountShape } from '../pages/list-shape.js';
import { compareSchemas, isSameItem } from '../positions.js';
import type { Within } from '../resource.js';
import { inferFor, type InferredAction, type Bind } from './bind.js';
import type { CollectionCandidate } from './candidates.js';
import { type ContractIndex, isNamedAs } from './contract-index.js';
import { isSearchWord } from './path-shape.js';

/** What an operation on the path of a collection does, or why the store does not handle it. */
export const bindCollectionOperation: Bind = (index, candidate, operation) => {
  const found = inferFor(candidate);
  if (operation.method === 'GET') {
    const list = index.list(operation);
    if (list === undefined && isUndeclared(candidate, operation))
      return found('list', 0.6, 'GET on a collection; the contract does not declare the response');
    if (list === undefined) return 'GET on a collection, but the response is not a list';
    return found(
      'list',
      0.95,
      `GET; the response is a list${list.path.length === 0 ? '' : ` in "${list.path.join('.')}"`}`,
    );
  }
  if (operation.method === 'DELETE') {
    const listing = index.operationsAt(index.shape(operation)?.key).get('GET');
    const isPlain = operation.body === undefined && listing !== undefined && index.list(listing) !== undefined;
    return bindRemoval(index, candidate, { operation, isPlain });
  }
  const body = index.body(operation);
  const last = index.word(operation);
  if (operation.method === 'POST' && isSearchWord(last) && isListOf(index, candidate, operation))
    return found('search', 0.85, `"${last}" by POST; the response is a list of items of the collection`);
  if (isListingPost(index, candidate, operation))
    return found(
      'search',
      0.8,
      'POST on a collection; its name says that it lists, and the response is a list of items',
    );
  const { method } = operation;
  const array = findItemArray(index, candidate, { operation, isNamed: false });
  if (array !== undefined) return found('batch', 0.8, `${method} on a collection; ${array}`);
  if (method === 'POST' || isCreatingPut(index, candidate, operation)) {
    if (body?.type === 'array') return found('batch', 0.7, `${method} on a collection; its body is an array`);
    const values = isListOf(index, candidate, operation)
      ? findValueArray(index.read, body, index.read(candidate.schema))
      : undefined;
    if (values !== undefined) return found('batch', 0.8, `POST on a collection; one item for each of "${values.name}"`);
    const confidence = measureConfidence(index, candidate, operation);
    if (confidence === 0) return `${method} on a collection, but the response is not an item of it`;
    return found('create', confidence, `${method} on a collection; the response is an item of it`);
  }
  // Some documents name the item in the body: `PUT /pet` with `{ "id": 10 }`.
  if ((method === 'PUT' || method === 'PATCH') && body !== undefined && hasItemWithId(index, candidate, body)) {
    const action = method === 'PUT' ? 'replace' : 'update';
    return found(action, 0.7, `${method} on a collection; its body is an item with its id`);
  }
  return `${operation.method} on a whole collection is not supported`;
};

/** Whether neither an operation nor the others of its collection declare what their answers show. */
function isUndeclared({ schema, itemKey }: CollectionCandidate, operation: Operation): boolean {
  return schema === undefined && itemKey !== undefined && findSuccessMedia(operation)?.schema === undefined;
}

/** Whether a body is an item with the property that identifies it. */
function hasItemWithId(index: ContractIndex, { schema, groups }: CollectionCandidate, body: ItemSchema): boolean {
  const item = index.read(schema);
  if (item === undefined || body.pointer === item.pointer) return item !== undefined;
  const ids = ['id', '_id', 'pk', 'uuid', groups.at(-1)?.parameters.at(-1) ?? 'id'];
  const hasId = ids.some((name) => item.properties.has(name) && body.properties.has(name));
  return hasId && compareSchemas(index.read, item, body) >= 0.6;
}

/** Words of an operation that creates items. */
const CREATING = /^\W*([Cc]reate|[Aa]dd|[Nn]ew|[Ii]nsert)s?(?![a-z])/;

/** Whether a PUT on a collection creates items: nothing else does, and its name or its summary says so. */
function isCreatingPut(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const post = index.operationsAt(candidate.key).get('POST');
  if (operation.method !== 'PUT' || (post !== undefined && !isListingPost(index, candidate, post))) return false;
  return isNamedAs(operation, CREATING);
}

/** Whether a POST on a collection lists its items: its name or its summary says so, and no GET does it. */
function isListingPost(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const isListing = operation.method === 'POST' && index.listing(index.shape(operation)?.key) === operation;
  return isListing && isListOf(index, candidate, operation);
}

function isListOf(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const listed = index.list(operation)?.itemSchema;
  const item = index.read(listed);
  return item !== undefined && isListed(index, candidate, item);
}

/** Where the items in the body of a request are: the body itself, or an array in it; undefined without several items. */
function findItemArray(
  index: ContractIndex,
  candidate: CollectionCandidate,
  { operation, isNamed }: { readonly operation: Operation; readonly isNamed: boolean },
): string | undefined {
  const item = index.read(candidate.schema);
  const media = findJsonMedia(operation.body?.content ?? []);
  const body = media?.schema === undefined ? undefined : index.read(media.schemaPointer);
  if (body === undefined || operation.method === 'GET' || operation.method === 'DELETE') return undefined;
  const isItem = (pointer: string | undefined): boolean => {
    const element = index.read(pointer);
    return item !== undefined && element !== undefined && compareSchemas(index.read, item, element) >= 0.4;
  };
  if (body.type === 'array') return isItem(body.items) ? 'its body is an array of items' : undefined;
  const arrays = listProperties(body).filter(({ target }) => isItem(index.read(target)?.items));
  const [only] = arrays;
  if (only === undefined || arrays.length > 1) return undefined;
  const hasId = index.read(index.read(only.target)?.items)?.properties.has('id') === true;
  // A create can have other items in it, with which it is not confused where its response lists the items, or its path says so.
  const isCreate = operation.method === 'POST' && !isNamed;
  const isListed = only.required || index.list(operation)?.path.at(-1) === only.name;
  const isPlain = isListed && !hasId && isListOf(index, candidate, operation);
  return isPlain || (!isCreate && !body.properties.has('id'))
    ? `the items are in "${only.name}" of its body`
    : undefined;
}

/** A DELETE of a collection, or a POST that removes several items, removes those that the request names, else all. */
function bindRemoval(
  index: ContractIndex,
  candidate: CollectionCandidate,
  { operation, isPlain }: { readonly operation: Operation; readonly isPlain: boolean },
): InferredAction | string {
  const input = findIdsInput(index.contract, operation, candidate.groups.at(-1)?.words.at(-1) ?? '');
  // A path that shows items of another collection does not remove them.
  const isOwn = index.shape(operation)?.key.startsWith(candidate.key) === true;
  if (!isOwn || (input === undefined && !isPlain)) return `${operation.method} on a whole collection is not supported`;
  const which = input === undefined ? 'it removes all items that match' : `the ids of the items are in "${input.name}"`;
  return inferFor(candidate)('batch-delete', 0.8, `${operation.method} on a collection; ${which}`);
}

/** What an operation on a segment after a collection does: `/customers/search`, `/user/createWithList`. */
export const bindCollectionWord: Bind = (index, candidate, operation) => {
  const found = inferFor(candidate);
  const word = index.word(operation);
  const list = index.list(operation);
  const listed = index.read(list?.itemSchema);
  if (operation.method === 'GET' && COUNT_WORD.test(word) && readCountShape(index.read, operation) !== undefined)
    return found('count', 0.85, `"${word}"; the response is the number of items of the collection`);
  if (operation.method === 'GET' && LATEST_WORD.test(word) && isItemOf(index, candidate, operation))
    return found('latest', 0.85, `"${word}"; the response is an item of the collection`);
  const searches = operation.method === 'GET' || (operation.method === 'POST' && isSearchWord(word));
  if (searches && listed !== undefined && isListed(index, candidate, listed)) {
    return found('search', 0.8, `"${word}"; the response is a list of items of the collection`);
  }
  const isNamedRemoval = operation.method === 'DELETE' && BATCH_WORD.test(word);
  if (isNamedRemoval || (operation.method !== 'GET' && REMOVAL_WORD.test(word))) {
    const removal = bindRemoval(index, candidate, { operation, isPlain: false });
    if (typeof removal !== 'string') return removal;
  }
  const isUpload = operation.method === 'POST' && UPLOAD_WORD.test(word) && hasFile(index, operation);
  const confidence = isUpload ? measureConfidence(index, candidate, operation) : 0;
  if (confidence > 0) return found('create', confidence, `"${word}" with a file; the response is an item`);
  const elements = index.body(operation)?.items;
  const isNamed =
    BATCH_WORD.test(word) || (elements !== undefined && index.read(elements)?.pointer === candidate.schema);
  const array = isNamed ? findItemArray(index, candidate, { operation, isNamed }) : undefined;
  if (array !== undefined) return found('batch', 0.8, `"${word}"; ${array}`);
  return `"${word}" of a collection, but the response is not a list of its items`;
};

const BATCH_WORD = /bulk|batch|man(y|ies)|multiple|import|create|add|insert|upsert|update|replace|list/i;

const UPLOAD_WORD = /^(contents?|uploads?|files?)$/i;

/** Whether a request has a file beside the properties of an item. */
function hasFile(index: ContractIndex, { body }: Operation): boolean {
  const schemas = (body?.content ?? []).flatMap(({ schema, schemaPointer }) =>
    schema === undefined ? [] : (index.read(schemaPointer) ?? []),
  );
  return schemas.some((each) => listProperties(each).some(({ schema }) => schema.format === 'binary'));
}

const REMOVAL_WORD = /delete|remove|destroy/i;

const COUNT_WORD = /^[_$]?(count|total|size)$/i;

const LATEST_WORD = /^(latest|newest|last|(most[-_]?)?recent)$/i;

function isItemOf(index: ContractIndex, { schema }: CollectionCandidate, operation: Operation): boolean {
  const item = index.read(schema);
  const answer = index.answer(operation);
  return item !== undefined && answer !== undefined && isSameItem(index.read, item, answer);
}

/** How likely the response of a POST is an item of the collection; 0 where it is not. */
function measureConfidence(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): number {
  const answer = index.answer(operation);
  if (candidate.schema === undefined)
    return isUndeclared(candidate, operation) && operation.body !== undefined ? 0.6 : 0;
  if (answer === undefined || answer.properties.size === 0) {
    // Without a response body, the request body must be an item.
    if (findSuccessMedia(operation) !== undefined && answer === undefined) return 0.5;
    return index.body(operation) === undefined ? 0 : 0.6;
  }
  // An item that has `items` of its own is not a list.
  if (index.read(index.answerPointer(operation))?.pointer === candidate.schema) return 0.95;
  const item = index.read(candidate.schema);
  const body = index.body(operation);
  const isSent = body !== undefined && item !== undefined && compareSchemas(index.read, item, body) >= 0.4;
  // What is not like an item can create several: `{ "project_ids": [] }`.
  if (index.list(operation) !== undefined && !isSent && !hasFile(index, operation)) return 0;
  if (answer.pointer === candidate.schema) return 0.95;
  if (hasBranch(index, operation, candidate.schema)) return 0.85;
  const chosen = candidate.groups.at(-1)?.parameters.at(-1);
  if (chosen !== undefined && candidate.groups.length > 1 && body?.properties.get(chosen)?.required === true) {
    return 0.7;
  }
  if (item === undefined) return 0.5;
  const similarity = compareSchemas(index.read, item, answer);
  if (similarity >= 0.4) return similarity >= 0.6 ? 0.8 : 0.7;
  // The answer may show only the id, or a message; then the request has to be like an item.
  return isSent ? 0.6 : 0;
}

/** Whether one branch of the success schema is the schema of the item. */
function hasBranch(index: ContractIndex, operation: Operation, schema: string | undefined): boolean {
  const media = findSuccessMedia(operation);
  return (
    media?.schema !== undefined && listBranches(index.contract, media.schemaPointer).some((each) => each === schema)
  );
}

/** What an operation on a path does that names the value of a property of several items: `/pets/by-status/{status}`. */
export function bindPart(
  candidate: CollectionCandidate,
  { method }: Operation,
  { property, parameter }: Within,
): InferredAction | string {
  if (method !== 'GET') return `${method} on the items that have one value of a property is not supported`;
  return inferFor(candidate)(
    'list',
    0.85,
    `GET; the response is a list of items whose "${property}" is {${parameter}}`,
  );
}

/** Whether the items of a list are those of a collection, or have most properties in common with them. */
function isListed(index: ContractIndex, candidate: CollectionCandidate, listed: ItemSchema): boolean {
  const item = index.read(candidate.schema);
  return item !== undefined && (listed.pointer === item.pointer || compareSchemas(index.read, item, listed) >= 0.6);
}
