import { ENDS_ITEM, KEEPS_OTHERS, REPLACES_ITEM, CHANGES_ITEM } from '../../conventions/descriptions.js';
import { means } from '../../conventions/conventions.js';
import { NO_MEMBERS } from '../../base/json.js';
import type { Item } from '../store/lists/item-list.js';
import { type Operation, readText } from '../../contract/operations/operation.js';
import {
  findSuccessMedia,
  findSuccessWithBody,
  declaresStatus,
  findJsonMedia,
} from '../../contract/operations/responses.js';
import { findEffect, findSentEffects } from '../item/effects.js';
import { isStatus } from '../item/server-values.js';
import type { Action, Binding, ParameterPlace, Within } from '../item/resource.js';
import { findItemPlace, isSameItem, isSummary, compareSchemas } from '../item/positions.js';
import type { CollectionCandidate } from './candidates.js';
import {
  type PropertyView,
  type SchemaView,
  listProperties,
  findValueArray,
  listBranches,
} from '../../contract/schema-view/schema-view.js';
import {
  CREATING,
  type ContractIndex,
  findQueryId,
  isNamedAs,
  isOneScalar,
  readBodyPointer,
} from './contract-index.js';
import { findIdsInput } from '../list/inputs.js';
import { readAnswerPointer, readCountShape } from '../list/list-shape.js';
import { isSearchWord, type PathGroup } from './path-shape.js';
import { toBareNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';

/** What one operation does, before collections have names and hints are applied. */
export interface InferredAction {
  readonly candidate: CollectionCandidate;
  readonly action: Action;
  /** Properties that it sets, whatever the request says. */
  readonly set: Item;
  readonly elements?: Binding['elements'];
  /** The collection of the items that it shows in place of the identifiers of elements. */
  readonly related?: CollectionCandidate | undefined;
  /** What identifies the item, where the path does not. */
  readonly key?: ParameterPlace | undefined;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly why: string;
}

/** Finds what an operation does on a path of one candidate, or why the store does not handle it. */
type Bind = (index: ContractIndex, candidate: CollectionCandidate, operation: Operation) => InferredAction | string;

/** The result for an operation of one candidate that sets no properties itself. */
type Infer = (action: Action, confidence: number, why: string) => InferredAction;

/** Infers the actions of the operations of one candidate that set no properties themselves. */
function inferFor(candidate: CollectionCandidate): Infer {
  return (action, confidence, why) => ({ candidate, action, set: NO_MEMBERS, confidence, why });
}

/** What an operation on the path of one item does, or why the store does not handle it. */
export const bindItemOperation: Bind = (index, candidate, operation) => {
  const found = inferFor(candidate);
  switch (operation.method) {
    case 'GET':
      if (index.list(operation)?.path.length === 0) {
        return 'the path of one item, but the response is a list';
      }
      if (isOpaque(operation)) return found('content', 0.7, 'reads one item; the response is not JSON');
      return found('read', 0.95, 'GET on the path of one item');
    case 'DELETE':
      return bindDelete(index, candidate, operation);
    case 'PATCH':
      return found('update', 0.95, 'PATCH on the path of one item');
    case 'PUT':
      return isWhole(index, candidate, operation)
        ? found('replace', 0.85, 'PUT on the path of one item; it writes a whole item')
        : found('update', 0.8, 'PUT on the path of one item; its body can be part of an item');
    case 'POST':
      if (index.shape(operation)?.groups.at(-1)?.key !== candidate.key && isNamedAs(operation, CREATING))
        return found('create', 0.8, 'POST that creates an item for what the path names');
      return operation.body === undefined
        ? bindNamedAct(index, candidate, operation)
        : found('update', 0.8, 'POST with a body on the path of one item');
    default:
      return `${operation.method} on the path of one item is not supported`;
  }
};

/** Verbs of a create that such a DELETE undoes. */
const ENABLING = /^\W*(p>)?\W*(enable|activate)s?\b/im;

/** A DELETE removes the item, unless its description says that it cancels or archives it and the item shows that. */
function bindDelete(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): InferredAction {
  const verb = ENDS_ITEM.exec(readText(operation))?.[2]?.toLowerCase();
  const create = index.operationsAt(candidate.key).get('POST');
  // What its create enables is gone once it is disabled.
  const isUndone = /^(disable|deactivate)$/.test(verb ?? '') && create !== undefined && ENABLING.test(readText(create));
  const set = verb === undefined || isUndone ? undefined : findEffect(verb, index.read(candidate.schema));
  // An item that only has a flag is read with it after its removal, but no longer listed.
  if (verb === undefined || set === undefined || (verb === 'archive' && !Object.keys(set).some(isStatus)))
    return inferFor(candidate)('delete', 0.95, 'DELETE on the path of one item');
  const why = `DELETE that does "${verb}" according to its description; ${describeEffect(set)}`;
  return { candidate, action: 'act', set, confidence: 0.75, why };
}

function describeEffect(set: Item): string {
  const values = Object.entries(set).map(([name, value]) => `${name} to ${JSON.stringify(value)}`);
  return `sets ${values.join(' and ')}`;
}

/** A POST without a body on an item: the first word of its operation id names the action (`cancelRun`). */
function bindNamedAct(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): InferredAction {
  const verb = /^[a-z]+/.exec(operation.id)?.[0] ?? '';
  const set = findEffect(verb, index.read(candidate.schema));
  if (set === undefined)
    return inferFor(candidate)('act', 0.5, 'POST without a body on the path of one item; its effect is unknown');
  const why = `POST without a body on the path of one item; "${verb}" ${describeEffect(set)}`;
  return { candidate, action: 'act', set, confidence: 0.7, why };
}

/** What an operation on a singleton does: `/me`, `/organization/settings`. */
export const bindSingletonOperation: Bind = (index, candidate, operation) => {
  const found = inferFor(candidate);
  const methods = index.operationsAt(candidate.key);
  switch (operation.method) {
    case 'GET':
      return methods.size > 1
        ? found('read', 0.85, 'GET of a singleton; other methods of the path change it')
        : found('read', 0.5, 'GET of a singleton; used where a fixture defines it');
    case 'DELETE':
      return found('delete', 0.85, 'DELETE of a singleton');
    case 'PATCH':
      return found('update', 0.85, 'PATCH of a singleton');
    case 'PUT':
      return found('replace', 0.8, 'PUT of a singleton');
    case 'POST':
      return methods.has('PUT') || methods.has('PATCH')
        ? found('replace', 0.7, 'POST of a singleton that other methods change')
        : found('update', 0.75, 'POST of a singleton');
    default:
      return `${operation.method} of a singleton is not supported`;
  }
};

/** What an operation on a segment after an item does: `/jobs/{id}/cancel`, `/files/{id}/content`. */
export const bindItemWord: Bind = (index, candidate, operation) => {
  const found = inferFor(candidate);
  const word = index.word(operation);
  if (operation.method === 'GET') {
    if (means(word, 'segments.content') && isOpaque(operation)) {
      return found('content', 0.9, `"${word}" of one item; the response is not JSON`);
    }
    return `"${word}" is not a list, the content of an item or a singleton`;
  }
  const { method } = operation;
  if (method === 'DELETE') return bindUndoing(index, candidate, operation);
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH')
    return `${method} "${word}" on an item is not supported`;
  const item = index.read(candidate.schema);
  const answer = findShown(index, candidate, operation);
  const set = findEffect(word, item);
  const sent = set === undefined && means(word, 'segments.actions') && findSentEffects(index.body(operation), item);
  if (sent) return found('act', 0.7, `"${word}" of an item; "${sent.name}" of the request names the action`);
  const restores = means(word, 'verbs.restore') && hasRemoval(index, candidate);
  const isItem =
    answer !== undefined &&
    item !== undefined &&
    (answer.pointer === item.pointer || (isSameItem(index.read, item, answer) && (set !== undefined || restores)));
  if (!isItem) {
    const isReported =
      isReport(index, answer, item) ||
      // `/servers/{id}/actions/poweroff`
      means(index.shape(operation)?.groups.at(-1)?.words.at(-2) ?? '', 'segments.actions') ||
      (index.isTask(operation) && item?.pointer !== answer?.pointer);
    if ((set === undefined && !restores) || !isReported)
      return `"${word}" of an item, but the response is not that item`;
    const effect = set === undefined ? 'brings back what was removed' : describeEffect(set);
    const why = `"${word}" of an item; the response only reports it; ${effect}`;
    return { candidate, action: 'act', set: set ?? NO_MEMBERS, confidence: 0.7, why };
  }
  if (means(word, 'segments.copy')) {
    return found('copy', 0.8, `"${word}" of an item; the response is an item`);
  }
  if (set === undefined) {
    return found('act', 0.6, `"${word}" of an item; the response is the item; no status matches`);
  }
  const why = `"${word}" of an item; the response is the item; ${describeEffect(set)}`;
  return { candidate, action: 'act', set, confidence: 0.85, why };
};

/** A DELETE of a word that a PUT or a POST sets undoes it: `/notes/{id}/star`. */
const bindUndoing: Bind = (index, candidate, operation) => {
  const word = index.word(operation);
  const methods = index.operationsAt(index.shape(operation)?.key);
  const item = index.read(candidate.schema);
  const isSet = (methods.has('PUT') || methods.has('POST')) && findEffect(word, item) !== undefined;
  const set = isSet ? findEffect(`un${word}`, item) : undefined;
  if (set === undefined) return `DELETE "${word}" on an item is not supported`;
  return { candidate, action: 'act', set, confidence: 0.8, why: `DELETE "${word}" of an item; ${describeEffect(set)}` };
};

/** Whether a DELETE removes items: of their path, or of that of the collection. */
function hasRemoval(index: ContractIndex, { key, itemKey }: CollectionCandidate): boolean {
  return [key, itemKey].some((path) => index.operationsAt(path).has('DELETE'));
}

/**
 * Whether an answer says no more than that a request was carried out: nothing, a few scalars, or objects without properties.
 *
 * One with an id is about the item where all else in it is a flag or a property of the item.
 */
function isReport({ read }: ContractIndex, answer: SchemaView | undefined, item: SchemaView | undefined): boolean {
  if (answer === undefined) return true;
  const properties = listProperties(answer);
  const isEmpty = (of: SchemaView | undefined): boolean => of?.type === 'object' && of.members.size === 0;
  const isPlain = properties.length <= 4 && properties.every(({ scalar, target }) => scalar || isEmpty(read(target)));
  const isOwn = ({ name, schema }: PropertyView): boolean =>
    schema.type === 'boolean' || item?.members.has(name) === true;
  return isPlain && (!properties.some(({ name }) => /^_?id$/i.test(name)) || properties.every(isOwn));
}

/** Whether the response cannot show an item: bytes, plain text, or a JSON string. */
function isOpaque(operation: Operation): boolean {
  if (findSuccessWithBody(operation) === undefined) return false;
  const media = findSuccessMedia(operation);
  if (media === undefined) return declaresStatus(operation, 302);
  if (media.isJson === true) return false;
  const type = typeof media.schema === 'object' ? media.schema.type : undefined;
  // A range such as `*/*`, which generators of documents write, covers JSON.
  return !/json|xml|yaml|^(application|\*)\/\*/.test(media.type) || type === 'string';
}

/**
 * Whether the body of a PUT is a whole item: its description says so, PATCH changes a part, or it requires what a create requires.
 *
 * A body with an object around the item, such as `{ "user": { … } }`, changes what it names, as does an update without any
 * required properties, unless the description says otherwise.
 */
function isWhole(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const body = index.body(operation);
  const isCreated = declaresStatus(operation, 201);
  if (body === undefined) return isCreated;
  const told = readText(operation);
  if ([...body.members.keys()].some((name) => means(name, 'queries.ifNew'))) return false;
  if (index.operationsAt(candidate.itemKey).has('PATCH')) return true;
  if (KEEPS_OTHERS.test(told)) return false;
  if (REPLACES_ITEM.test(told) || isCreated) return true;
  const create = index.operationsAt(candidate.key).get('POST');
  const whole = index.body(create);
  if (whole === undefined) return body.pointer === candidate.schema;
  if (index.read(readBodyPointer(operation))?.pointer !== body.pointer) return false;
  const required = listProperties(whole).filter((property) => property.required);
  // What requires less than a create does is part of an item, also where both have the schema of the item.
  if (required.length > 0) return required.every(({ name }) => body.members.get(name)?.required === true);
  // A schema that says what only the server sets would say what a request has to set.
  const isPrecise = listProperties(body).some(({ readOnly }) => readOnly);
  return body.pointer === candidate.schema && !(isPrecise && CHANGES_ITEM.test(operation.summary ?? operation.id));
}

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
    const queryId = findQueryId(lastGroup(candidate), operation.parameters.filter(isOneScalar));
    if (queryId !== undefined && index.list(operation) === undefined)
      return {
        ...found('delete', 0.85, `DELETE; it removes the item that "${queryId}" in the query names`),
        key: inQuery(queryId),
      };
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
  if (method === 'POST' || index.creating(index.shape(operation)?.key) === operation) {
    if (body?.type === 'array') return found('batch', 0.7, `${method} on a collection; its body is an array`);
    const values = isListOf(index, candidate, operation)
      ? findValueArray(index.read, body, { item: index.read(candidate.schema) })
      : undefined;
    const several = values ?? findMemberArray(index, candidate, body);
    if (several !== undefined)
      return found('batch', 0.8, `POST on a collection; one item for each of "${several.name}"`);
    const confidence = measureConfidence(index, candidate, operation);
    if (confidence === 0) return `${method} on a collection, but the response is not an item of it`;
    return found('create', confidence, `${method} on a collection; the response is an item of it`);
  }
  // Some documents name the item in the body: `PUT /pet` with `{ "id": 10 }`.
  if ((method === 'PUT' || method === 'PATCH') && body !== undefined) {
    const isPlain = hasItemWithId(index, candidate, body);
    const key = isPlain ? undefined : findBodyId(index, candidate, operation);
    const action = method === 'PUT' ? 'replace' : 'update';
    if (isPlain || key !== undefined)
      return { ...found(action, 0.7, `${method} on a collection; its body is an item with its id`), key };
  }
  return `${operation.method} on a whole collection is not supported`;
};

/** The array with the ids of items that a request makes members of a parent: `lamp_ids` for `/rooms/{id}/lamps/{lamp_id}`. */
function findMemberArray(
  index: ContractIndex,
  { groups }: CollectionCandidate,
  body: SchemaView | undefined,
): ReturnType<typeof findValueArray> {
  return groups.length < 2
    ? undefined
    : findValueArray(index.read, body, { parameter: groups.at(-1)?.parameters.at(-1) });
}

/** Whether neither an operation nor the others of its collection declare what their answers show. */
function isUndeclared({ schema, itemKey }: CollectionCandidate, operation: Operation): boolean {
  return schema === undefined && itemKey !== undefined && findSuccessMedia(operation)?.schema === undefined;
}

/** Whether a schema is that of any object. */
function isFreeForm(schema: SchemaView | undefined): boolean {
  return schema !== undefined && (schema.type ?? 'object') === 'object' && schema.members.size === 0;
}

/** The names by which a body can identify an item. */
function listIdNames({ groups }: CollectionCandidate): readonly string[] {
  return ['id', '_id', 'pk', 'uuid', groups.at(-1)?.parameters.at(-1) ?? 'id'];
}

/** Whether a body is an item with the property that identifies it. */
function hasItemWithId(index: ContractIndex, candidate: CollectionCandidate, body: SchemaView): boolean {
  const item = index.read(candidate.schema);
  if (item === undefined || body.pointer === item.pointer) return item !== undefined;
  const hasId = listIdNames(candidate).some((name) => item.members.has(name) && body.members.has(name));
  return hasId && compareSchemas(index.read, item, body) >= 0.6;
}

/** Where the body of a request identifies an item under another name than the item has: `gateId` for the `id` of a gate. */
function findBodyId(
  index: ContractIndex,
  { schema, groups }: CollectionCandidate,
  operation: Operation,
): InferredAction['key'] {
  const body = index.body(operation);
  const item = index.read(schema);
  const noun = toBareNoun(groups.at(-1)?.words.at(-1));
  const parameter = toBareName(groups.at(-1)?.parameters.at(-1) ?? 'id');
  const [own, behind] = [`${noun}id`, parameter.replace(noun, '')];
  // What a path calls `external_gate_id` is the `external_id` of a gate.
  const names = new Set(behind.endsWith('id') ? [own, parameter, behind] : [own, parameter]);
  const isId = ({ bare, name, scalar }: PropertyView): boolean => scalar && (names.has(bare) || means(name, 'ids.id'));
  const id = listProperties(body).find(isId);
  const isNamed = id !== undefined && listProperties(item).some(isId);
  if (item === undefined || body === undefined || !isNamed || compareSchemas(index.read, item, body) < 0.6)
    return undefined;
  const above = findItemPlace(index.read, item, readBodyPointer(operation) ?? '')?.path ?? [];
  return { in: 'body', path: [...above, id.name] };
}

/** Whether a POST on a collection lists its items: its name or its summary says so, and no GET does it. */
function isListingPost(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const isListing = operation.method === 'POST' && index.listing(index.shape(operation)?.key) === operation;
  return isListing && isListOf(index, candidate, operation);
}

/** Whether the items of a list are those of a collection, or have most properties in common with them. */
function isListOf(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const listed = index.read(index.list(operation)?.itemSchema);
  const item = index.read(candidate.schema);
  if (listed === undefined || item === undefined) return false;
  return listed.pointer === item.pointer || compareSchemas(index.read, item, listed) >= 0.6;
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
  if (body.type === 'array') return isItem(body.element) ? 'its body is an array of items' : undefined;
  const arrays = listProperties(body).filter(({ target }) => isItem(index.read(target)?.element));
  const [only] = arrays;
  if (only === undefined || arrays.length > 1) return undefined;
  // An id that only the server sets names no item that exists.
  const hasId = index.read(index.read(only.target)?.element)?.members.get('id')?.readOnly === false;
  // A create can have other items in it, with which it is not confused where its response lists the items, or its path says so.
  const isCreate = operation.method === 'POST' && !isNamed;
  const isListed = only.required || index.list(operation)?.path.at(-1) === only.name;
  const isPlain = isListed && !hasId && isListOf(index, candidate, operation);
  return isPlain || (!isCreate && !body.members.has('id')) ? `the items are in "${only.name}" of its body` : undefined;
}

/** A DELETE of a collection, or a POST that removes several items, removes those that the request names, else all. */
function bindRemoval(
  index: ContractIndex,
  candidate: CollectionCandidate,
  { operation, isPlain }: { readonly operation: Operation; readonly isPlain: boolean },
): InferredAction | string {
  const input = findIdsInput(index.contract, operation, {
    collection: candidate.groups.at(-1)?.words.at(-1) ?? '',
    idNames: candidate.groups.at(-1)?.parameters ?? [],
  });
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
  if (
    operation.method === 'GET' &&
    means(word, 'segments.count') &&
    readCountShape(index.read, operation) !== undefined
  )
    return found('count', 0.85, `"${word}"; the response is the number of items of the collection`);
  const isItem = operation.method === 'GET' && isItemOf(index, candidate, operation);
  if (isItem && means(word, 'segments.latest'))
    return found('latest', 0.85, `"${word}"; the response is an item of the collection`);
  const queryId = isItem ? findQueryId(lastGroup(candidate), operation.parameters) : undefined;
  if (queryId !== undefined)
    return {
      ...found('read', 0.8, `"${word}"; the response is the item that "${queryId}" in the query names`),
      key: inQuery(queryId),
    };
  const searches = operation.method === 'GET' || (operation.method === 'POST' && isSearchWord(word));
  if (searches && isListOf(index, candidate, operation))
    return found('search', 0.8, `"${word}"; the response is a list of items of the collection`);
  const isNamedRemoval = operation.method === 'DELETE' && means(word, 'segments.batch');
  if (isNamedRemoval || (operation.method !== 'GET' && means(word, 'segments.remove'))) {
    const removal = bindRemoval(index, candidate, { operation, isPlain: false });
    if (typeof removal !== 'string') return removal;
  }
  const isUpload = means(word, 'segments.upload') && hasFile(index, operation);
  const isCreate = operation.method === 'POST' && (isUpload || isNamedCreate(index, candidate, operation));
  const confidence = isCreate ? measureConfidence(index, candidate, operation) : 0;
  const elements = index.body(operation)?.element;
  const isNamed =
    means(word, 'segments.batch') || (elements !== undefined && index.read(elements)?.pointer === candidate.schema);
  const array = isNamed ? findItemArray(index, candidate, { operation, isNamed }) : undefined;
  if (array !== undefined) return found('batch', 0.8, `"${word}"; ${array}`);
  if (confidence > 0) return found('create', confidence, `"${word}" creates; the response is an item`);
  return `"${word}" of a collection, but the response is not a list of its items`;
};

/**
 * Whether an operation says that it creates, does not name an item that exists, and shows an item of the collection or its id; one that sends
 * most of an item can show nothing, or a task. The path `/volumes/create`, with a body that has a property of the
 * item, says it plainly enough.
 */
function isNamedCreate(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const [answer, item, body] = [index.answer(operation), index.read(candidate.schema), index.body(operation)];
  if (item === undefined || body === undefined) return false;
  const word = index.word(operation);
  if (CREATING.exec(word)?.[0] === word && compareSchemas(index.read, item, body) > 0) return true;
  const isItem = answer !== undefined && (isSameItem(index.read, item, answer) || isSummary(index.read, answer, item));
  // RFC 9110 15.3.2: the status 201 with an item says so, too.
  if (!isNamedAs(operation, CREATING) && !(isItem && declaresStatus(operation, 201))) return false;
  if (hasItemWithId(index, candidate, body) && !hasOwnId(candidate, body)) return false;
  if ((answer === undefined && findSuccessMedia(operation) === undefined) || index.isReceipt(operation))
    return compareSchemas(index.read, item, body) >= 0.6;
  return isItem || (answer !== undefined && showsId(candidate, { answer, item }));
}

/** Whether only the server sets the id of what a body describes, so that the body does not name an item. */
function hasOwnId(candidate: CollectionCandidate, body: SchemaView): boolean {
  const ids = listIdNames(candidate).flatMap((name) => body.members.get(name) ?? []);
  return ids.every(({ readOnly }) => readOnly);
}

/** Whether a request has a file beside the properties of an item. */
function hasFile(index: ContractIndex, { body }: Operation): boolean {
  const schemas = (body?.content ?? []).flatMap(({ schema, schemaPointer }) =>
    schema === undefined ? [] : (index.read(schemaPointer) ?? []),
  );
  return schemas.some((each) => listProperties(each).some(({ schema }) => schema.format === 'binary'));
}

const inQuery = (name: string): ParameterPlace => ({ in: 'query', path: [name] });

const lastGroup = ({ groups }: CollectionCandidate): PathGroup => groups.at(-1) ?? { words: [], parameters: [] };

/** What an answer shows: the item of a collection, whatever is around it, else what bodies of its path have in common. */
function findShown(
  index: ContractIndex,
  { schema }: CollectionCandidate,
  operation: Operation,
): SchemaView | undefined {
  const item = index.read(schema);
  const place = item && findItemPlace(index.read, item, readAnswerPointer(operation) ?? '');
  return place?.isInArray === false ? place.schema : index.answer(operation);
}

function isItemOf(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const item = index.read(candidate.schema);
  const answer = findShown(index, candidate, operation);
  return item !== undefined && answer !== undefined && isSameItem(index.read, item, answer);
}

/** How likely the response of a POST is an item of the collection; 0 where it is not. */
function measureConfidence(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): number {
  const answer = index.answer(operation);
  if (candidate.schema === undefined) {
    const isShown = answer === undefined || isFreeForm(answer) || index.isReceipt(operation);
    const isFree = candidate.itemKey !== undefined && isShown && isFreeForm(index.body(operation));
    return operation.body !== undefined && (isFree || isUndeclared(candidate, operation)) ? 0.6 : 0;
  }
  if (answer === undefined || answer.members.size === 0) {
    // Without a response body, the request body must be an item.
    if (findSuccessMedia(operation) !== undefined && answer === undefined) return 0.5;
    return index.body(operation) === undefined ? 0 : 0.6;
  }
  // An item that has `items` of its own is not a list.
  if (index.read(readAnswerPointer(operation))?.pointer === candidate.schema) return 0.95;
  const item = index.read(candidate.schema);
  const body = index.body(operation);
  const isSent = body !== undefined && item !== undefined && compareSchemas(index.read, item, body) >= 0.4;
  // What is not like an item can create several: `{ "project_ids": [] }`.
  if (index.list(operation) !== undefined && !isSent && !hasFile(index, operation)) return 0;
  if (answer.pointer === candidate.schema) return 0.95;
  if (hasBranch(index, operation, candidate.schema)) return 0.85;
  const chosen = candidate.groups.at(-1)?.parameters.at(-1);
  if (chosen !== undefined && candidate.groups.length > 1 && body?.members.get(chosen)?.required === true) {
    return 0.7;
  }
  if (item === undefined) return 0.5;
  const similarity = compareSchemas(index.read, item, answer);
  if (similarity >= 0.4) return similarity >= 0.6 ? 0.8 : 0.7;
  // The answer may show only the id, or a message; then the request has to be like an item.
  return isSent || (body !== undefined && showsId(candidate, { answer, item })) ? 0.6 : 0;
}

/** Whether an answer shows the id of an item and little more, which is all that some creates answer. */
function showsId(
  { groups }: CollectionCandidate,
  { answer, item }: { readonly answer: SchemaView; readonly item: SchemaView },
): boolean {
  const parameter = groups.at(-1)?.parameters.at(-1) ?? 'id';
  const shown = listProperties(answer).filter(({ scalar, known }) => scalar && !means(known, 'envelopes.member'));
  const isId = ({ name }: PropertyView): boolean =>
    name === parameter || means(name, 'ids.id') || (shown.length === 1 && means(name, 'ids.ending'));
  return shown.some(isId) && shown.every(({ name }) => item.members.has(name));
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
