import { NO_PROPERTIES, type Item } from '../store/lists/item-list.js';
import { type Operation, readText } from '../../contract/operations/operation.js';
import { findSuccessMedia, findSuccessWithBody, declaresStatus } from '../../contract/operations/responses.js';
import { findEffect, isStatus } from '../store/server-values.js';
import type { Action, Binding } from '../resource.js';
import { isSameItem } from '../positions.js';
import type { CollectionCandidate } from './candidates.js';
import { type ItemSchema, listProperties } from '../item-schema.js';
import { toBareName } from '../../contract/names.js';
import { type ContractIndex, readBodyPointer } from './contract-index.js';

/** What one operation does, before collections have names and hints are applied. */
export interface InferredAction {
  readonly candidate: CollectionCandidate;
  readonly action: Action;
  /** Properties that it sets, whatever the request says. */
  readonly set: Item;
  readonly elements?: Binding['elements'];
  /** The collection of the items that it shows in place of the identifiers of elements. */
  readonly related?: CollectionCandidate | undefined;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly why: string;
}

/** Finds what an operation does on a path of one candidate, or why the store does not handle it. */
export type Bind = (
  index: ContractIndex,
  candidate: CollectionCandidate,
  operation: Operation,
) => InferredAction | string;

/** The result for an operation of one candidate that sets no properties itself. */
type Infer = (action: Action, confidence: number, why: string) => InferredAction;

/** Infers the actions of the operations of one candidate that set no properties themselves. */
export function inferFor(candidate: CollectionCandidate): Infer {
  return (action, confidence, why) => ({ candidate, action, set: NO_PROPERTIES, confidence, why });
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
      return operation.body === undefined
        ? bindNamedAct(index, candidate, operation)
        : found('update', 0.8, 'POST with a body on the path of one item');
    default:
      return `${operation.method} on the path of one item is not supported`;
  }
};

/** Verbs of a DELETE after which the item still exists, where its schema shows what happened to it. */
const ENDING = /^\W*(p>)?\W*(cancel|archive|deactivate|disable|void)l?[sd]?\b/i;

/** Verbs of a create that such a DELETE undoes. */
const ENABLING = /^\W*(p>)?\W*(enable|activate)s?\b/im;

/** A DELETE removes the item, unless its description says that it cancels or archives it and the item shows that. */
function bindDelete(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): InferredAction {
  const verb = ENDING.exec(readText(operation))?.[2]?.toLowerCase();
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

const CONTENT_WORDS = /^(contents?|download|raw|file|body|pdf|data|media|blob|bytes)$/i;

const COPY_WORDS = /^(copy|clone|duplicate|fork|remix)$/i;

/** What an operation on a segment after an item does: `/jobs/{id}/cancel`, `/files/{id}/content`. */
export const bindItemWord: Bind = (index, candidate, operation) => {
  const found = inferFor(candidate);
  const word = index.word(operation);
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
  const item = index.read(candidate.schema);
  const set = findEffect(word, item);
  const isItem =
    answer !== undefined &&
    item !== undefined &&
    (answer.pointer === item.pointer || (isSameItem(index.read, item, answer) && set !== undefined));
  if (!isItem) {
    if (set === undefined || !isReport(index, answer)) return `"${word}" of an item, but the response is not that item`;
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
};

/** Whether an answer says no more than that a request was carried out: nothing, a few scalars, or objects without properties. */
function isReport({ read }: ContractIndex, answer: ItemSchema | undefined): boolean {
  if (answer === undefined) return true;
  const properties = listProperties(answer);
  const isEmpty = (of: ItemSchema | undefined): boolean => of?.type === 'object' && of.properties.size === 0;
  return (
    properties.length <= 4 &&
    properties.every(({ name, scalar, target }) => (scalar || isEmpty(read(target))) && !/^_?id$/i.test(name))
  );
}

/** Whether the response cannot show an item: bytes, plain text, or a JSON string. */
function isOpaque(operation: Operation): boolean {
  if (findSuccessWithBody(operation) === undefined) return false;
  const media = findSuccessMedia(operation);
  if (media === undefined) return declaresStatus(operation, 302);
  const type = typeof media.schema === 'object' ? media.schema.type : undefined;
  // A range such as `*/*`, which generators of documents write, covers JSON.
  return !/json|xml|yaml|^(application|\*)\/\*/.test(media.type) || type === 'string';
}

/** Words of a description that say that a PUT changes only what it sends. */
const KEEPS =
  /\b(partial(ly)?|merge[sd]?|sparse|like a patch)\b|\bonly (the )?([\w`]+ )?(fields|properties|members|attributes|parameters|values) (that|which|you|are|given|sent|provided)|\b(fields|properties|members|attributes|parameters|values)\b[^.;]*\b(sent|given|provided|included|passed|missing|omitted|left out|leave out|absent|not in the (request|body))\b[^.;]*\b(not? change|keep|kept|unchanged|changed|stay|untouched|preserved|retained)|\b(leave out|omit|left out|omitted|not (sent|provided|given|included))\b[^.;]*\b(stays?|keeps?|unchanged|do(es)? not change|not be changed|untouched|left as|remains?)|\b(changes|updates) (only )?the (fields|properties|members|attributes|parameters)\b[^.;]*\b(sent|given|provided|passed|included)/i;

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
 * A body with an object around the item, such as `{ "user": { … } }`, changes what it names, as does an update without any
 * required properties, unless the description says otherwise.
 */
function isWhole(index: ContractIndex, candidate: CollectionCandidate, operation: Operation): boolean {
  const body = index.body(operation);
  const isCreated = declaresStatus(operation, 201);
  if (body === undefined) return isCreated;
  const told = readText(operation);
  if ([...body.properties.keys()].some((name) => IF_NEW.test(toBareName(name)))) return false;
  if (index.operationsAt(candidate.itemKey).has('PATCH')) return true;
  if (KEEPS.test(told)) return false;
  if (REPLACES.test(told) || isCreated) return true;
  const create = index.operationsAt(candidate.key).get('POST');
  const whole = index.body(create);
  if (whole === undefined) return body.pointer === candidate.schema;
  if (index.read(readBodyPointer(operation))?.pointer !== body.pointer) return false;
  const required = listProperties(whole).filter((property) => property.required);
  // What requires less than a create does is part of an item, also where both have the schema of the item.
  if (required.length > 0) return required.every(({ name }) => body.properties.get(name)?.required === true);
  // A schema that says what only the server sets would say what a request has to set.
  const isPrecise = listProperties(body).some(({ readOnly }) => readOnly);
  return body.pointer === candidate.schema && !(isPrecise && CHANGES.test(operation.summary ?? operation.id));
}
