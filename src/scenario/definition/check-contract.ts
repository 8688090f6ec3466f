import type { Schema } from '../../contract/json.js';
import type { MediaType, Operation, ParameterPlace } from '../../contract/operations/operation.js';
import { findResponse, findUsualResponse } from '../../contract/operations/responses.js';
import { joinWords, nearest, suggest, suggestId } from '../../errors.js';
import { isSequenceType, isCovered, toEssence } from '../../contract/media-type.js';
import { findExpressions } from '../rules/expression.js';
import type { Respond } from '../rules/rule.js';
import { checkExpressions, checkPartial, reportParameter, type SchemaTarget } from './check-value.js';
import type { CheckContext, CollectionShape, ValueTarget } from './kinds.js';
import { child, report, type SourceNode } from '../../contract/load/source-node.js';

/** The only operation that a rule is for; undefined for a rule of `*`. */
function onlyOperation({ operations }: CheckContext): Operation | undefined {
  return operations.length === 1 ? operations[0] : undefined;
}

/** Finds the operation of a key: an operationId, `"GET /path"`, or `"*"` for all of them. */
export function findOperations(node: SourceNode, key: string, context: CheckContext): readonly Operation[] | undefined {
  const { operations } = context.contract;
  if (key === '*') return operations;
  const [method = '', ...path] = key.trim().split(/\s+/);
  const route = `${method.toUpperCase()} ${path.join(' ')}`;
  const toRoute = (operation: Operation): string => `${operation.method} ${operation.path}`;
  const found = context.contract.operation(key) ?? operations.find((operation) => toRoute(operation) === route);
  if (found !== undefined) return [found];
  const names = operations.map((operation) => (/^\S+\s+\//.test(key) ? toRoute(operation) : operation.id));
  const hint = suggest(key, names) ?? `"vouch operations" lists all ${names.length}`;
  report(node, `operation ${JSON.stringify(key)} is not in the contract`, hint);
  return undefined;
}

/** Finds a collection by name. */
export function findCollection(node: SourceNode, name: string, context: CheckContext): CollectionShape | undefined {
  const found = context.collections.find((collection) => collection.name === name);
  if (found !== undefined) return found;
  const names = context.collections.map((collection) => collection.name);
  const known = names.length === 0 ? 'the contract has no collections' : `collections: ${names.join(', ')}`;
  report(node, `unknown collection ${JSON.stringify(name)}`, suggest(name, names) ?? known);
  return undefined;
}

/** The schema that items of the collection are checked against. */
export function toItemTarget(context: CheckContext): SchemaTarget {
  const { name = '', schema } = context.collection ?? {};
  const pointers = schema === undefined ? [] : [schema];
  return { context, pointers, direction: 'response', what: `an item of ${name}` };
}

/** What a parameter of `when` is checked against; reports one that is not declared. */
export function toParameterTarget(
  node: SourceNode,
  { name, place }: { readonly name: string; readonly place: ParameterPlace },
  context: CheckContext,
): ValueTarget {
  const what = `${place} parameter ${JSON.stringify(name)}`;
  const unknown = { pointers: undefined, what, whole: what, isText: true };
  // A rule of `*` does not apply to operations without the parameter.
  const operation = onlyOperation(context);
  if (operation === undefined) return unknown;
  const declared = operation.parameters.filter((parameter) => parameter.in === place);
  const toKey = (text: string): string => (place === 'header' ? text.toLowerCase() : text);
  const found = declared.find((parameter) => toKey(parameter.name) === toKey(name));
  if (found !== undefined) {
    const own = `${place} parameter ${JSON.stringify(found.name)}`;
    return { ...unknown, pointers: context.violates ? undefined : [found.schemaPointer], what: own, whole: own };
  }
  const names = [...declared.map((parameter) => parameter.name), ...listCredentials(operation, place, context)];
  // Any header and cookie can be matched, unless its name looks like a misspelled declared one.
  const isFree = (place === 'header' || place === 'cookie') && nearest(name, names) === undefined;
  if (!isFree && !names.includes(name)) reportParameter(node, { name, in: place, operation: operation.id }, names);
  return unknown;
}

/** Names of credentials that an operation takes in one place. */
function listCredentials(operation: Operation, place: ParameterPlace, context: CheckContext): readonly string[] {
  const schemes = operation.security.flatMap((requirement) => Object.keys(requirement));
  return schemes.flatMap((scheme) => {
    const declared = context.contract.securitySchemes[scheme];
    return declared?.in === place && declared.key !== undefined ? [declared.key] : [];
  });
}

/** What the body of `when` is checked against; reports that the operation has none. */
export function toRequestTarget(node: SourceNode, context: CheckContext): ValueTarget {
  const operation = onlyOperation(context);
  const what = operation === undefined ? 'the body' : `the body of ${operation.id}`;
  if (operation !== undefined && operation.body === undefined) {
    report(node, `${JSON.stringify(operation.id)} has no request body`);
  }
  const media = operation?.body?.content.filter(({ schema }) => schema !== undefined) ?? [];
  const isKnown = media.length > 0 && !context.violates;
  const pointers = isKnown ? media.map(({ schemaPointer }) => schemaPointer) : undefined;
  return { pointers, what, whole: what, isText: false };
}

/** Reports a status that an operation does not document. */
export function checkStatus(node: SourceNode, context: CheckContext, status: number): void {
  if (context.violates) return;
  const lacking = context.operations.filter((operation) => findResponse(operation, status) === undefined);
  const [first, ...others] = lacking;
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const documented = first.responses.map((response) => response.status);
  const known = documented.length === 0 ? 'it documents none' : `it documents ${joinWords(documented)}`;
  const hint = `${known}; to answer ${status} anyway, add violates: "why"`;
  report(node, `status ${status} is not documented for ${JSON.stringify(first.id)}${more}`, hint);
}

/** Checks the example, the body and the media type of an answer. */
export function checkRespond(respond: Respond, node: SourceNode, context: CheckContext): void {
  const { example, mediaType } = respond;
  const body = child(node, 'body');
  if (example !== undefined && body.value !== undefined) {
    const hint = 'keep one of the two, or change the example with "patch"';
    report(child(node, 'example'), `${node.label} has both example and body`, hint);
  } else if (example !== undefined) {
    checkExample(child(node, 'example'), respond, context);
  } else if (body.value !== undefined) {
    checkExpressions(body, context);
    if (!context.violates) checkResponseBody(body, respond, context);
  }
  if (mediaType !== undefined && !context.violates) checkMediaType(child(node, 'mediaType'), respond, context);
}

function checkExample(node: SourceNode, { example = '', status }: Respond, context: CheckContext): void {
  for (const operation of context.operations) {
    const names = listMedia(operation, status).flatMap(({ examples }) => examples.map((each) => each.name));
    if (names.includes(example)) continue;
    const known = [...new Set(names)].filter((name) => name !== '');
    const hint = suggest(example, known) ?? (known.length === 0 ? 'it has none' : `it has ${joinWords(known)}`);
    const where = status === undefined ? '' : ` for status ${status}`;
    return report(node, `${JSON.stringify(operation.id)} has no example ${JSON.stringify(example)}${where}`, hint);
  }
}

/** The media types of the response that a status selects, or of all of them if there is none. */
function listMedia(operation: Operation, status: number | undefined): readonly MediaType[] {
  const responses = status === undefined ? operation.responses : [findResponse(operation, status)];
  return responses.flatMap((response) => response?.content ?? []);
}

/** Checks a body against the schema of each operation for that status; reports the first operation that it does not match. */
function checkResponseBody(node: SourceNode, respond: Respond, context: CheckContext): void {
  const { contract } = context;
  const { mistakes } = node.source;
  const before = mistakes.length;
  const seen = new Set<string>();
  for (const operation of context.operations) {
    const target = toBodyTarget(operation, respond, context);
    if (target === undefined || findExpressions(node.value).some(({ pointer }) => pointer === '')) continue;
    // Operations that refer to one schema are checked once; the pointers are those of schemas of the contract.
    const key = target.pointers
      .map((pointer) => contract.resolve(contract.at(pointer) as Schema, pointer).pointer)
      .join();
    if (seen.has(key)) continue;
    seen.add(key);
    checkPartial(node, target);
    if (mistakes.length > before) return;
  }
}

/** The schema of the first media type that the body can be written in; undefined if any body is allowed. */
function toBodyTarget(operation: Operation, respond: Respond, context: CheckContext): SchemaTarget | undefined {
  const { status, mediaType } = respond;
  const response = status === undefined ? findUsualResponse(operation) : findResponse(operation, status);
  const essence = mediaType === undefined ? undefined : toEssence(mediaType);
  const media = response?.content.find((each) => essence === undefined || toEssence(each.type) === essence);
  if (response === undefined || media?.schema === undefined) return undefined;
  // The text of a stream is sent byte for byte.
  if (typeof respond.body === 'string' && isSequenceType(toEssence(media.type))) return undefined;
  const owner = context.operations.length > 1 ? ` of ${operation.id}` : '';
  const what = `the body of ${status ?? response.status}${owner}`;
  return { context, pointers: [media.schemaPointer], direction: 'response', what };
}

/** What the body of a patch is checked against: the responses that it can change; undefined if any body is allowed. */
export function toPatchTarget(status: number | undefined, context: CheckContext): SchemaTarget | undefined {
  const operation = onlyOperation(context);
  if (operation === undefined || context.violates) return undefined;
  const successes = operation.responses.filter((response) => response.status.startsWith('2'));
  const changed = status === undefined ? successes.flatMap(({ content }) => content) : listMedia(operation, status);
  const pointers = changed.flatMap((each) => (each.schema === undefined ? [] : [each.schemaPointer]));
  if (pointers.length === 0) return undefined;
  return { context, pointers, direction: 'response', what: `the response of ${operation.id}` };
}

/** Reports the id of an item that does not exist and that neither a request nor a scenario adds. */
export function checkItemId(node: SourceNode, id: string, context: CheckContext): void {
  if (findExpressions(id).length > 0) return;
  const { name = '', ids } = context.collection ?? {};
  const added = context.added.get(name);
  if (ids === undefined || ids.has(id) || added === 'any' || added?.has(id) === true) return;
  const message = `${JSON.stringify(name)} has no item ${JSON.stringify(id)}, and neither a request nor a scenario adds it`;
  report(node, message, suggestId(id, [...ids]));
}

function checkMediaType(node: SourceNode, { mediaType = '', status }: Respond, context: CheckContext): void {
  const essence = toEssence(mediaType);
  for (const operation of context.operations) {
    const types = [...new Set(listMedia(operation, status).map((media) => media.type))];
    if (types.some((type) => isCovered(essence, toEssence(type)))) continue;
    const known = types.length === 0 ? 'it has no body' : `it documents ${joinWords(types)}`;
    const message = `media type ${JSON.stringify(essence)} is not documented for ${JSON.stringify(operation.id)}`;
    return report(node, message, suggest(essence, types) ?? known);
  }
}
