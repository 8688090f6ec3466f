import type { Operation } from '../contract/operations/operation.js';
import { isOpaque } from './bind-evidence.js';
import type { Draft, Survey } from './draft.js';
import { createFind, type Finding } from './finding.js';
import { findStatusFor } from './status.js';

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
