import type { Operation } from '../../contract/operations/operation.js';
import { findJsonMedia, findSuccessMedia, findSuccessWithBody } from '../../contract/operations/responses.js';
import { findEffect, isStatus } from '../store/server-values.js';
import { readCountShape } from '../pages/list-shape.js';
import type { Action, Within } from '../resource.js';
import { compareSchemas, isSameItem } from '../positions.js';
import type { Item } from '../store/collection.js';
import type { CollectionCandidate } from './candidates.js';
import { type ItemSchema, listBranches } from '../item-schema.js';
import { toBareName } from '../names.js';
import { type ContractIndex, readBodyPointer } from './contract-index.js';
import { isSearchWord } from './path-shape.js';

/** What one operation does, before collections have names and hints are applied. */
export interface InferredAction {
  readonly candidate: CollectionCandidate;
  readonly action: Action;
  /** Properties that it sets, whatever the request says. */
  readonly set: Item;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly why: string;
}

/** The result for an operation of one candidate that sets no properties itself. */
type Infer = (action: Action, confidence: number, why: string) => InferredAction;

function inferFor(candidate: CollectionCandidate): Infer {
  return (action, confidence, why) => ({ candidate, action, set: NO_PROPERTIES, confidence, why });
}

const NO_PROPERTIES: Item = Object.freeze({});

/** What an operation on the path of one item does, or why the store does not handle it. */
export function bindItemOperation(
  index: ContractIndex,
  candidate: CollectionCandidate,
  operation: Operation,
): InferredAction | string {
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
      return operation.body === undefined
        ? bindNamedAct(index, candidate, operation)
        : found('update', 0.8, 'POST with a body on the path of one item');
    default:
      return `${operation.method} on the path of one item is not supported`;
  }
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

/** Verbs of a DELETE after which the item still exists, where its schema shows what happened to it. */
const ENDING = /^\W*(p>)?\W*(cancel|archive|deactivate|disable|void)l?[sd]?\b/i;

/** A DELETE removes the item, unless its description says that it cancels or archives it and the item shows that. */
function bindDelete(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): InferredAction {
  const item = candidate.schema === undefined ? undefined : index.read(candidate.schema);
  const verb = ENDING.exec(readText(index, operation))?.[2]?.toLowerCase();
  const set = verb === undefined || item === undefined ? undefined : findEffect(verb, item);
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
  const item = candidate.schema === undefined ? undefined : index.read(candidate.schema);
  const set = item === undefined ? undefined : findEffect(verb, item);
  if (set === undefined) {
    return inferFor(candidate)('act', 0.5, 'POST without a body on the path of one item; its effect is unknown');
  }
  const why = `POST without a body on the path of one item; "${verb}" ${describeEffect(set)}`;
  return { candidate, action: 'act', set, confidence: 0.7, why };
}

/** What an operation on the path of a collection does, or why the store does not handle it. */
export function bindCollectionOperation(
  index: ContractIndex,
  candidate: CollectionCandidate,
  operation: Operation,
): InferredAction | string {
  const found = inferFor(candidate);
  if (operation.method === 'GET') {
    const list = index.list(operation);
    if (list === undefined) return 'GET on a collection, but the response is not a list';
    return found(
      'list',
      0.95,
      `GET; the response is a list${list.path.length === 0 ? '' : ` in "${list.path.join('.')}"`}`,
    );
  }
  const body = index.body(operation);
  const creates = operation.method === 'POST' || isCreatingPut(index, candidate, operation);
  if (creates || operation.method === 'PATCH') {
    const last = index.shape(operation)?.groups.at(-1)?.words.at(-1) ?? '';
    if (operation.method === 'POST' && isSearchWord(last) && isListOf(index, candidate, operation))
      return found('search', 0.85, `"${last}" by POST; the response is a list of items of the collection`);
    const array = findItemArray(index, candidate, operation);
    if (array !== undefined) {
      const why = `${operation.method} on a collection; the items to create are in "${array}", the response lists them`;
      return found('batch', 0.8, why);
    }
  }
  if (creates) {
    const { method } = operation;
    if (body?.type === 'array') return found('batch', 0.7, `${method} on a collection; its body is an array of items`);
    const confidence = measureConfidence(index, candidate, operation);
    if (confidence === 0) return `${method} on a collection, but the response is not an item of it`;
    return found('create', confidence, `${method} on a collection; the response is an item of it`);
  }
  // Some documents name the item in the body: `PUT /pet` with `{ "id": 10 }`.
  if ((operation.method === 'PUT' || operation.method === 'PATCH') && body?.pointer === candidate.schema) {
    const action = operation.method === 'PUT' ? 'replace' : 'update';
    return found(action, 0.7, `${operation.method} on a collection; its body is a whole item with its id`);
  }
  return `${operation.method} on a whole collection is not supported`;
}

/** Words of an operation that creates items. */
const CREATING = /^\W*(create|add|new|insert)s?(?![a-z])/;

/** Whether a PUT on a collection creates items: nothing else does, and its name or its summary says so. */
function isCreatingPut(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  if (operation.method !== 'PUT' || index.operationsAt(candidate.key).has('POST')) return false;
  return CREATING.test(operation.id) || CREATING.test((operation.summary ?? '').toLowerCase());
}

function isListOf(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const listed = index.list(operation)?.itemSchema;
  const item = listed === undefined ? undefined : index.read(listed);
  return item !== undefined && isListed(index, candidate, item);
}

/** The property of a request body that holds the items to create, where the response lists them: `children: [{ … }]`. */
function findItemArray(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): string | undefined {
  const item = candidate.schema === undefined ? undefined : index.read(candidate.schema);
  const media = findJsonMedia(operation.body?.content ?? []);
  if (item === undefined || media?.schema === undefined || !isListOf(index, candidate, operation)) return undefined;
  const properties = [...(index.read(media.schemaPointer)?.properties.values() ?? [])];
  const arrays = properties.filter(({ target }) => {
    const items = index.read(target)?.items;
    const element = items === undefined ? undefined : index.read(items);
    // Elements with an id are existing items.
    return element !== undefined && !element.properties.has('id') && compareSchemas(index.read, item, element) >= 0.4;
  });
  const [only] = arrays;
  const isListed = only !== undefined && index.list(operation)?.path.at(-1) === only.name;
  return arrays.length === 1 && (only?.required === true || isListed) ? only?.name : undefined;
}

/** What an operation on a singleton does: `/me`, `/organization/settings`. */
export function bindSingletonOperation(
  index: ContractIndex,
  candidate: CollectionCandidate,
  operation: Operation,
): InferredAction | string {
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
}

const CONTENT_WORDS = /^(contents?|download|raw|file|body|pdf|data|media|blob|bytes)$/i;

const COPY_WORDS = /^(copy|clone|duplicate|fork|remix)$/i;

/** What an operation on a segment after an item does: `/jobs/{id}/cancel`, `/files/{id}/content`. */
export function bindItemWord(
  index: ContractIndex,
  candidate: CollectionCandidate,
  operation: Operation,
): InferredAction | string {
  const found = inferFor(candidate);
  const word = index.shape(operation)?.groups.at(-1)?.words.at(-1) ?? '';
  if (operation.method === 'GET') {
    if (CONTENT_WORDS.test(word) && isOpaque(operation)) {
      return found('content', 0.9, `"${word}" of one item; the response is not JSON`);
    }
    return `"${word}" is not a list, the content of an item or a singleton`;
  }
  if (operation.method !== 'POST' && operation.method !== 'PUT' && operation.method !== 'PATCH') {
    return `${operation.method} "${word}" on an item is not supported`;
  }
  const answer = index.answer(operation);
  const item = candidate.schema === undefined ? undefined : index.read(candidate.schema);
  const set = item === undefined ? undefined : findEffect(word, item);
  const isItem =
    answer !== undefined &&
    item !== undefined &&
    (answer.pointer === item.pointer || (isSameItem(index.read, item, answer) && set !== undefined));
  if (!isItem) {
    if (set === undefined || !isReport(answer)) return `"${word}" of an item, but the response is not that item`;
    const why = `"${word}" of an item; the response only reports it; ${describeEffect(set)}`;
    return { candidate, action: 'act', set, confidence: 0.7, why };
  }
  if (COPY_WORDS.test(word)) {
    return found('copy', 0.8, `"${word}" of an item; the response is an item`);
  }
  if (set === undefined) {
    return found('act', 0.6, `"${word}" of an item; the response is the item; no status matches`);
  }
  const why = `"${word}" of an item; the response is the item; ${describeEffect(set)}`;
  return { candidate, action: 'act', set, confidence: 0.85, why };
}

/** Whether the items of a list are those of a collection, or have most properties in common with them. */
function isListed(index: ContractIndex, candidate: CollectionCandidate, listed: ItemSchema): boolean {
  const item = candidate.schema === undefined ? undefined : index.read(candidate.schema);
  return item !== undefined && (listed.pointer === item.pointer || compareSchemas(index.read, item, listed) >= 0.6);
}

/** Whether an answer says no more than that a request was carried out: nothing, or a few scalars. */
function isReport(answer: ItemSchema | undefined): boolean {
  if (answer === undefined) return true;
  const properties = [...answer.properties.values()];
  return properties.length <= 4 && properties.every(({ name, scalar }) => scalar && !/^_?id$/i.test(name));
}

/** What an operation on a segment after a collection does: `/customers/search`, `/user/createWithList`. */
export function bindCollectionWord(
  index: ContractIndex,
  candidate: CollectionCandidate,
  operation: Operation,
): InferredAction | string {
  const found = inferFor(candidate);
  const word = index.shape(operation)?.groups.at(-1)?.words.at(-1) ?? '';
  const list = index.list(operation);
  const listed = list?.itemSchema === undefined ? undefined : index.read(list.itemSchema);
  if (operation.method === 'GET' && COUNT_WORD.test(word) && readCountShape(index.read, operation) !== undefined)
    return found('count', 0.85, `"${word}"; the response is the number of items of the collection`);
  if (operation.method === 'GET' && LATEST_WORD.test(word) && isItemOf(index, candidate, operation))
    return found('latest', 0.85, `"${word}"; the response is an item of the collection`);
  const searches = operation.method === 'GET' || (operation.method === 'POST' && isSearchWord(word));
  if (searches && listed !== undefined && isListed(index, candidate, listed)) {
    return found('search', 0.8, `"${word}"; the response is a list of items of the collection`);
  }
  const body = index.body(operation);
  if (operation.method === 'POST' && body?.type === 'array' && body.items !== undefined) {
    if (index.read(body.items)?.pointer === candidate.schema) {
      return found('batch', 0.8, `"${word}"; its body is an array of items`);
    }
  }
  return `"${word}" of a collection, but the response is not a list of its items`;
}

const COUNT_WORD = /^[_$]?(count|total|size)$/i;

const LATEST_WORD = /^(latest|newest|last|(most[-_]?)?recent)$/i;

function isItemOf(index: ContractIndex, { schema }: CollectionCandidate, operation: Operation): boolean {
  const item = schema === undefined ? undefined : index.read(schema);
  const answer = index.answer(operation);
  return item !== undefined && answer !== undefined && isSameItem(index.read, item, answer);
}

/** How likely the response of a POST is an item of the collection; 0 where it is not. */
function measureConfidence(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): number {
  const answer = index.answer(operation);
  if (candidate.schema === undefined) return 0;
  if (answer === undefined || answer.properties.size === 0) {
    // Without a response body, the request body must be an item.
    if (findSuccessMedia(operation) !== undefined && answer === undefined) return 0.5;
    return index.body(operation) === undefined ? 0 : 0.6;
  }
  const item = index.read(candidate.schema);
  const body = index.body(operation);
  const isFile = [...(body?.properties.values() ?? [])].some(({ schema }) => schema.format === 'binary');
  const isSent = body !== undefined && item !== undefined && compareSchemas(index.read, item, body) >= 0.4;
  // What is not like an item can create several: `{ "project_ids": [] }`.
  if (index.list(operation) !== undefined && !isSent && !isFile) return 0;
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

/** Whether the response is not JSON, or a JSON string. */
function isOpaque(operation: Operation): boolean {
  if (findSuccessWithBody(operation) === undefined) return false;
  const media = findSuccessMedia(operation);
  if (media === undefined) return operation.responses.some(({ status }) => status === '302');
  const type = typeof media.schema === 'object' ? media.schema.type : undefined;
  return !/json/.test(media.type) || type === 'string';
}

/** Words of a description that say that a PUT changes only what it sends. */
const KEEPS =
  /\b(partial(ly)?|merge[sd]?|sparse|like a patch)\b|\bonly (the )?([\w`]+ )?(fields|properties|members|attributes|parameters|values) (that|which|you|are|given|sent|provided)|\b(fields|properties|members|attributes|parameters|values)\b[^.;]*\b(sent|given|provided|included|passed|missing|omitted|left out|leave out)\b[^.;]*\b(not? change|keep|kept|unchanged|changed|stay|untouched|preserved|retained)|\b(leave out|omit|left out|omitted|not (sent|provided|given|included))\b[^.;]*\b(stays?|keeps?|unchanged|do(es)? not change|not be changed|untouched|left as|remains?)|\b(changes|updates) (only )?the (fields|properties|members|attributes|parameters)\b[^.;]*\b(sent|given|provided|passed|included)/i;

/** Words of a description that say that a PUT replaces the whole item. */
const REPLACES =
  /\b(replac(e|es|ing|ement)|overwrit(e|es|ing|ten))\b|\b(full|complete|entire|whole) (representation|object|resource|item|body|set of|definition|document)\b|\b(not (sent|provided|given|included)|left out|omitted|missing)\b[^.;]*\b(removed|reset|default|deleted|cleared|lost|unset)/i;

/** Verbs of a PUT that changes an item; others, such as "set" or "store", say nothing about what it keeps. */
const CHANGES = /^\W*(update|edit|modif(y|ies)|change)s?\b/i;

/** Properties that apply to new items only, such as `status_if_new`: what exists keeps its own. */
const IF_NEW = /^(if(new|created?|missing)|oncreate|oninsert)|(ifnew|ifcreated?|ifmissing|oncreate|oninsert)$/;

/**
 * Whether the body of a PUT is a whole item: its description says so, PATCH changes a part, or it requires what a create requires.
 *
 * A body with an object around the item, such as `{ "user": { … } }`, changes what it names, and so does an update without any
 * required properties, unless the description says otherwise.
 */
function isWhole(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const body = index.body(operation);
  const isCreated = operation.responses.some(({ status }) => status === '201');
  if (body === undefined) return isCreated;
  const told = readText(index, operation);
  if (KEEPS.test(told) || [...body.properties.keys()].some((name) => IF_NEW.test(toBareName(name)))) return false;
  const methods = index.operationsAt(candidate.itemKey ?? '');
  if (methods.has('PATCH') || REPLACES.test(told) || isCreated) return true;
  const create = index.operationsAt(candidate.key).get('POST');
  const whole = create === undefined ? undefined : index.body(create);
  if (whole === undefined) return body.pointer === candidate.schema;
  if (index.read(readBodyPointer(operation) ?? '')?.pointer !== body.pointer) return false;
  const required = [...whole.properties.values()].filter((property) => property.required);
  // What requires less than a create does is part of an item, also where both have the schema of the item.
  if (required.length > 0) return required.every(({ name }) => body.properties.get(name)?.required === true);
  // A schema that says what only the server sets would say what a request has to set.
  const isPrecise = [...body.properties.values()].some(({ readOnly }) => readOnly);
  return body.pointer === candidate.schema && !(isPrecise && CHANGES.test(operation.summary ?? operation.id));
}

/** The summary and the description of an operation. */
function readText({ contract }: ContractIndex, operation: Operation): string {
  const description = contract.at(`${operation.pointer}/description`);
  return `${operation.summary ?? ''}\n${typeof description === 'string' ? description : ''}`;
}
