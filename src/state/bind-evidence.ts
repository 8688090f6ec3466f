import type { Operation } from '../contract/operations/operation.js';
import type { Draft, Survey } from './draft.js';
import { findSuccess } from './success.js';

/** How sure it is that what a POST answers is an item of the collection: 0 where it is not. */
export function measureKinship(survey: Survey, draft: Draft, operation: Operation): number {
  const answer = survey.answer(operation);
  if (draft.schema === undefined) return 0;
  if (answer === undefined || answer.properties.size === 0) {
    // Nothing comes back: what goes in has to be an item.
    if (findSuccess(operation)?.media !== undefined && answer === undefined) return 0.5;
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
  const media = findSuccess(operation)?.media;
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
export function isOpaque(operation: Operation): boolean {
  const success = findSuccess(operation);
  if (success === undefined) return false;
  if (/^3\d\d$/.test(success.response.status)) return true;
  const { media } = success;
  if (media === undefined) return operation.responses.some(({ status }) => status === '302');
  const type = typeof media.schema === 'object' ? media.schema.type : undefined;
  return !/json/.test(media.type) || type === 'string';
}

/** Whether a PUT takes a whole item: everything that a create demands, and there is another way to change a part. */
export function isWhole(survey: Survey, draft: Draft, operation: Operation): boolean {
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
