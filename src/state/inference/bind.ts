import type { Operation } from '../../contract/operations/operation.js';
import { findSuccessMedia, findSuccessWithBody } from '../../contract/operations/responses.js';
import { findStatusFor } from '../store/server-values.js';
import type { Draft, Survey } from './draft.js';
import { createFind, type Finding } from './finding.js';

/** What an operation on the path of one item does. */
export function bindItemOperation(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const found = createFind(draft);
  switch (operation.method) {
    case 'GET':
      if (survey.list(operation) !== undefined && survey.list(operation)?.items === undefined) {
        return 'a path that ends in a parameter answers with a list';
      }
      if (isOpaque(operation)) return found('content', 0.7, 'reads one item and answers with bytes');
      return found('read', 0.95, 'GET on the path of one item');
    case 'DELETE':
      return bindDelete(survey, draft, operation);
    case 'PATCH':
      return found('update', 0.95, 'PATCH on the path of one item');
    case 'PUT':
      return isWhole(survey, draft, operation)
        ? found('replace', 0.85, 'PUT on the path of one item, with a body that is a whole item')
        : found('update', 0.8, 'PUT on the path of one item, with a body that demands no whole item');
    case 'POST':
      return operation.body === undefined
        ? bindNamedAct(survey, draft, operation)
        : found('update', 0.8, 'POST with a body on the path of one item changes it');
    default:
      return `${operation.method} on the path of one item has no meaning here`;
  }
}

/** A DELETE removes, but for one that says it cancels and answers with the item: that stays and has a status for it. */
function bindDelete(survey: Survey, draft: Draft, operation: Operation): Finding {
  const answer = survey.answer(operation);
  const description = survey.contract.at(`${operation.pointer}/description`);
  const told = `${operation.summary ?? ''} ${typeof description === 'string' ? description : ''}`;
  if (answer !== undefined && answer.pointer === draft.schema && /^\W*(p>)?\W*cancel/i.test(told)) {
    const status = findStatusFor('cancel', answer);
    if (status !== undefined) {
      const why = `DELETE that is told to cancel, and answers with the item; ${status.property} becomes "${status.value}"`;
      return { draft, action: 'act', set: { [status.property]: status.value }, confidence: 0.75, why };
    }
  }
  return createFind(draft)('delete', 0.95, 'DELETE on the path of one item');
}

/** A POST without a body on an item: what it does is told by the first word of its id (`cancelRun`). */
function bindNamedAct(survey: Survey, draft: Draft, operation: Operation): Finding {
  const verb = /^[a-z]+/.exec(operation.id)?.[0] ?? '';
  const item = draft.schema === undefined ? undefined : survey.read(draft.schema);
  const status = item === undefined ? undefined : findStatusFor(verb, item);
  if (status === undefined) {
    return createFind(draft)('act', 0.5, 'POST without a body on the path of one item; nothing says what it changes');
  }
  const why = `POST without a body on the path of one item; "${verb}" makes ${status.property} "${status.value}"`;
  return { draft, action: 'act', set: { [status.property]: status.value }, confidence: 0.7, why };
}

/** What an operation on the path of a collection does. */
export function bindCollectionOperation(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const found = createFind(draft);
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

/** What an operation on the path of a thing there is one of does: `/me`, `/organization/settings`. */
export function bindSingletonOperation(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const found = createFind(draft);
  const methods = survey.operationsAt(draft.key);
  switch (operation.method) {
    case 'GET':
      return methods.size > 1
        ? found('read', 0.85, 'GET answers with one object that other methods of the path change')
        : found('read', 0.5, 'GET answers with one object; shown where a fixture says what it is');
    case 'DELETE':
      return found('delete', 0.85, 'DELETE of a thing there is one of');
    case 'PATCH':
      return found('update', 0.85, 'PATCH of a thing there is one of');
    case 'PUT':
      return found('replace', 0.8, 'PUT of a thing there is one of');
    case 'POST':
      return methods.has('PUT') || methods.has('PATCH')
        ? found('replace', 0.7, 'POST makes a thing there is one of')
        : found('update', 0.75, 'POST changes a thing there is one of');
    default:
      return `${operation.method} of a thing there is one of has no meaning here`;
  }
}

const CONTENT_WORDS = /^(contents?|download|raw|file|body|pdf|data|media|blob|bytes)$/i;

const COPY_WORDS = /^(copy|clone|duplicate|fork|remix)$/i;

/** What an operation on a word behind one item does: `/jobs/{id}/cancel`, `/files/{id}/content`. */
export function bindItemWord(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const found = createFind(draft);
  const word = survey.shape(operation)?.groups.at(-1)?.words.at(-1) ?? '';
  if (operation.method === 'GET') {
    if (CONTENT_WORDS.test(word) && isOpaque(operation)) {
      return found('content', 0.9, `"${word}" of one item answers with bytes`);
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
  if (COPY_WORDS.test(word)) {
    return found('copy', 0.8, `"${word}" of an item answers with another item of its kind`);
  }
  const status = findStatusFor(word, answer);
  if (status === undefined) {
    return found('act', 0.6, `"${word}" on an item answers with that item; no status is named after it`);
  }
  const set = { [status.property]: status.value };
  const why = `"${word}" on an item answers with that item; ${status.property} becomes "${status.value}"`;
  return { draft, action: 'act', set, confidence: 0.85, why };
}

/** What an operation on a word behind a collection does: `/customers/search`, `/user/createWithList`. */
export function bindCollectionWord(survey: Survey, draft: Draft, operation: Operation): Finding | string {
  const found = createFind(draft);
  const word = survey.shape(operation)?.groups.at(-1)?.words.at(-1) ?? '';
  const list = survey.list(operation);
  const listed = list?.itemSchema === undefined ? undefined : survey.read(list.itemSchema);
  if (operation.method === 'GET' && listed !== undefined && listed.pointer === draft.schema) {
    return found('search', 0.8, `"${word}" answers with items of the collection`);
  }
  const body = survey.body(operation);
  if (operation.method === 'POST' && body?.type === 'array' && body.items !== undefined) {
    if (survey.read(body.items)?.pointer === draft.schema) {
      return found('batch', 0.8, `"${word}" takes an array of items`);
    }
  }
  return `"${word}" is no list of the collection it stands below`;
}

/** How sure it is that what a POST answers is an item of the collection: 0 where it is not. */
function measureKinship(survey: Survey, draft: Draft, operation: Operation): number {
  const answer = survey.answer(operation);
  if (draft.schema === undefined) return 0;
  if (answer === undefined || answer.properties.size === 0) {
    // Nothing comes back: what goes in has to be an item.
    if (findSuccessMedia(operation) !== undefined && answer === undefined) return 0.5;
    return survey.body(operation) === undefined ? 0 : 0.6;
  }
  if (answer.pointer === draft.schema) return 0.95;
  if (hasBranch(survey, operation, draft.schema)) return 0.85;
  const chosen = draft.groups.at(-1)?.parameters.at(-1);
  if (
    chosen !== undefined &&
    draft.groups.length > 1 &&
    survey.body(operation)?.properties.get(chosen)?.required === true
  ) {
    return 0.7;
  }
  const item = draft.schema === undefined ? undefined : survey.read(draft.schema);
  if (item === undefined) return 0.5;
  const names = [...item.properties.keys()];
  const shared = names.filter((name) => answer.properties.has(name)).length;
  const required = names.filter((name) => item.properties.get(name)?.required === true);
  if (names.length > 0 && shared / names.length >= 0.6) return 0.8;
  if (required.length > 0 && required.every((name) => answer.properties.has(name))) return 0.7;
  return 0;
}

/** Whether one branch of what a success answers is the schema of the item. */
function hasBranch(survey: Survey, operation: Operation, schema: string | undefined): boolean {
  const media = findSuccessMedia(operation);
  if (media?.schema === undefined || schema === undefined) return false;
  const { schema: target, pointer } = survey.contract.resolve(media.schema, media.schemaPointer);
  if (typeof target !== 'object') return false;
  return (['anyOf', 'oneOf'] as const).some((keyword) =>
    (target[keyword] ?? []).some(
      (branch, i) => survey.contract.resolve(branch, `${pointer}/${keyword}/${i}`).pointer === schema,
    ),
  );
}

/** Whether the answer is text or bytes and no JSON object or list. */
function isOpaque(operation: Operation): boolean {
  if (findSuccessWithBody(operation) === undefined) return false;
  const media = findSuccessMedia(operation);
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
  if (operation.responses.some(({ status }) => status === '201')) return true;
  const create = survey.operationsAt(draft.key).get('POST');
  const whole = create === undefined ? undefined : survey.body(create);
  const demanded = [...(whole?.properties.values() ?? [])].filter(({ required }) => required);
  return demanded.length > 0 && demanded.every(({ name }) => body.properties.get(name)?.required === true);
}
