import type { Operation } from '../contract/operations/operation.js';
import type { Draft, Survey } from './draft.js';
import { isOpaque, isWhole, measureKinship } from './bind-evidence.js';
import { createFind, type Finding } from './finding.js';
import { findStatusFor } from './status.js';

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
