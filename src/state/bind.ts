import type { Operation } from '../contract/operation.js';
import type { Draft, Survey } from './draft.js';
import { findStatusFor } from './status.js';
import type { Item } from './item-list.js';
import type { Action } from './resource.js';
import { findSuccess } from './success.js';

/** What an operation was found to do, before names and hints are settled. */
export interface Finding {
  readonly draft: Draft;
  readonly action: Action;
  readonly set: Item;
  readonly confidence: number;
  readonly why: string;
}

const NO_SET: Item = Object.freeze({});

/** What an operation on the path of one item does. */
export function bindItemOperation(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const found = (action: Action, confidence: number, why: string): Finding => ({
    draft,
    action,
    set: NO_SET,
    confidence,
    why,
  });
  switch (operation.method) {
    case 'GET':
      if (survey.list(operation) !== undefined && survey.list(operation)?.items === undefined) {
        return 'a path that ends in a parameter answers with a list';
      }
      if (isOpaque(operation)) return found('content', 0.7, 'reads one item and answers with bytes');
      return found('read', 0.95, 'GET on the path of one item');
    case 'DELETE':
      return found('delete', 0.95, 'DELETE on the path of one item');
    case 'PATCH':
      return found('update', 0.95, 'PATCH on the path of one item');
    case 'PUT':
      return isWhole(survey, draft, operation)
        ? found('replace', 0.85, 'PUT on the path of one item, with a body that is a whole item')
        : found('update', 0.8, 'PUT on the path of one item, with a body that demands no whole item');
    case 'POST':
      return operation.body === undefined
        ? found('act', 0.5, 'POST without a body on the path of one item')
        : found('update', 0.8, 'POST with a body on the path of one item changes it');
    default:
      return `${operation.method} on the path of one item has no meaning here`;
  }
}

/** What an operation on the path of a collection does. */
export function bindCollectionOperation(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const found = (action: Action, confidence: number, why: string): Finding => ({
    draft,
    action,
    set: NO_SET,
    confidence,
    why,
  });
  if (operation.method === 'GET') {
    const list = survey.list(operation);
    if (list === undefined) return 'GET on a collection, but its answer is no list';
    return found('list', 0.95, `GET answers with a list${list.items === undefined ? '' : ` in "${list.items}"`}`);
  }
  const body = survey.body(operation);
  if (operation.method === 'POST') {
    if (body?.type === 'array') return found('batch', 0.7, 'POST on a collection with an array of items');
    const kinship = measureKinship(survey, draft, operation);
    if (kinship === 0) return 'POST on a collection, but its answer is no item of it';
    return found('create', kinship, 'POST on a collection answers with one item of it');
  }
  // Some documents name the item in the body: `PUT /pet` with `{ "id": 10 }`.
  if ((operation.method === 'PUT' || operation.method === 'PATCH') && body?.pointer === draft.schema) {
    const action = operation.method === 'PUT' ? 'replace' : 'update';
    return found(action, 0.7, `${operation.method} on a collection with a whole item as its body, which names itself`);
  }
  return `${operation.method} on a whole collection is not something the store does`;
}

const CONTENT_WORDS = /^(contents?|download|raw|file|body|pdf|data|media|blob|bytes)$/i;

/** What an operation on a word behind one item does: `/jobs/{id}/cancel`, `/files/{id}/content`. */
export function bindItemWord(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const word = survey.shape(operation)?.groups.at(-1)?.words.at(-1) ?? '';
  if (operation.method === 'GET') {
    if (CONTENT_WORDS.test(word) && isOpaque(operation)) {
      return {
        draft,
        action: 'content',
        set: NO_SET,
        confidence: 0.9,
        why: `"${word}" of one item answers with bytes`,
      };
    }
    return `"${word}" is neither a list, nor the content of an item, nor a thing that can be changed`;
  }
  if (operation.method !== 'POST' && operation.method !== 'PUT' && operation.method !== 'PATCH') {
    return `${operation.method} "${word}" on an item has no meaning the store knows`;
  }
  const answer = survey.answer(operation);
  if (answer === undefined || draft.schema === undefined || answer.pointer !== draft.schema) {
    return `"${word}" acts on an item, but its answer is not that item`;
  }
  const status = findStatusFor(word, answer);
  if (status === undefined) {
    const why = `"${word}" on an item answers with that item; no status is named after it`;
    return { draft, action: 'act', set: NO_SET, confidence: 0.6, why };
  }
  const set = { [status.property]: status.value };
  const why = `"${word}" on an item answers with that item; ${status.property} becomes "${status.value}"`;
  return { draft, action: 'act', set, confidence: 0.85, why };
}

/** What an operation on a word behind a collection does: `/customers/search`, `/user/createWithList`. */
export function bindCollectionWord(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const word = survey.shape(operation)?.groups.at(-1)?.words.at(-1) ?? '';
  const list = survey.list(operation);
  const listed = list?.itemSchema === undefined ? undefined : survey.read(list.itemSchema);
  if (operation.method === 'GET' && listed !== undefined && listed.pointer === draft.schema) {
    return {
      draft,
      action: 'search',
      set: NO_SET,
      confidence: 0.8,
      why: `"${word}" answers with items of the collection`,
    };
  }
  const body = survey.body(operation);
  if (operation.method === 'POST' && body?.type === 'array' && body.items !== undefined) {
    if (survey.read(body.items)?.pointer === draft.schema) {
      return { draft, action: 'batch', set: NO_SET, confidence: 0.8, why: `"${word}" takes an array of items` };
    }
  }
  return `"${word}" is no list of the collection it stands below`;
}

/** How sure it is that what a POST answers is an item of the collection: 0 where it is not. */
function measureKinship(survey: Survey, draft: Draft, operation: Operation): number {
  const answer = survey.answer(operation);
  if (answer === undefined || answer.properties.size === 0) {
    // Nothing comes back: what goes in has to be an item.
    if (findSuccess(operation)?.media !== undefined && answer === undefined) return 0.5;
    return survey.body(operation) === undefined ? 0 : 0.6;
  }
  if (answer.pointer === draft.schema) return 0.95;
  const item = draft.schema === undefined ? undefined : survey.read(draft.schema);
  if (item === undefined) return 0.5;
  const names = [...item.properties.keys()];
  const shared = names.filter((name) => answer.properties.has(name)).length;
  const required = names.filter((name) => item.properties.get(name)?.required === true);
  if (names.length > 0 && shared / names.length >= 0.6) return 0.8;
  if (required.length > 0 && required.every((name) => answer.properties.has(name))) return 0.7;
  return 0;
}

/** Whether the answer is text or bytes and no JSON object or list. */
function isOpaque(operation: Operation): boolean {
  const success = findSuccess(operation);
  if (success === undefined) return false;
  if (/^3\d\d$/.test(success.response.status)) return true;
  const { media } = success;
  if (media === undefined) return operation.responses.some(({ status }) => status === '302');
  const type = typeof media.schema === 'object' ? media.schema.type : undefined;
  return !/json/.test(media.type) || type === 'string';
}

/** Whether a PUT takes a whole item: everything that a create demands, and there is another way to change a part. */
function isWhole(survey: Survey, draft: Draft, operation: Operation): boolean {
  const body = survey.body(operation);
  if (body === undefined) return false;
  const methods = survey.operationsAt(draft.itemKey ?? '');
  if (methods.has('PATCH') || body.pointer === draft.schema) return true;
  if (findSuccess(operation)?.response.status === '201' || operation.responses.some((r) => r.status === '201'))
    return true;
  const create = survey.operationsAt(draft.key).get('POST');
  const whole = create === undefined ? undefined : survey.body(create);
  const demanded = [...(whole?.properties.values() ?? [])].filter(({ required }) => required);
  return demanded.length > 0 && demanded.every(({ name }) => body.properties.get(name)?.required === true);
}
