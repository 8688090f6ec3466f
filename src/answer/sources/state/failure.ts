import { isObject } from '../../../contract/json.js';
import type { MediaType, Operation } from '../../../contract/operations/operation.js';
import { findJsonMedia, findSuccessWithBody } from '../../../contract/operations/responses.js';
import type { Answer } from '../../../http/answer.js';
import { memoize } from '../../../memoize.js';
import { NO_VIOLATIONS } from '../../../schema/violation.js';
import { isSuccessFlag, type ReadItemSchema } from '../../../state/item-schema.js';
import type { SourceParts } from '../../chain.js';

/** Strings that say why a request failed. */
const REASON = /^(error|error_?code|error_?message|reason)$/i;

/** How a success status reports a failure: `{ "ok": false, "error": "not_found" }`. */
interface FailureShape {
  readonly status: number;
  readonly media: MediaType;
  /** The names of the boolean and of the string. */
  readonly flag: string;
  readonly reason: string;
  /** The reasons that the schema allows; empty where it allows any. */
  readonly reasons: readonly string[];
}

/** The answer that reports an unknown item with a success status, where the contract of an operation reports failures so. */
export type AnswerFailure = (operation: Operation, noun: string) => Answer | undefined;

/** What the shapes of failures are found with. */
interface FailureParts extends Pick<SourceParts, 'contract' | 'validators'> {
  readonly read: ReadItemSchema;
}

/** Creates the answers that report a failure with a success status; shapes are chosen once per operation. */
export function createFailureAnswers(parts: FailureParts): AnswerFailure {
  const find = memoize((operation: Operation) => findShape(parts, operation));
  return (operation, noun) => {
    const shape = find(operation);
    if (shape === undefined) return undefined;
    const { status, media, flag, reason, reasons } = shape;
    const body = { [flag]: false, [reason]: chooseReason(reasons, noun) };
    const { schemaPointer, type: mediaType } = media;
    return { status, headers: {}, body, mediaType, schemaPointer, from: 'state', violations: NO_VIOLATIONS };
  };
}

function findShape({ contract, read, validators }: FailureParts, operation: Operation): FailureShape | undefined {
  const response = findSuccessWithBody(operation);
  const media = response && findJsonMedia(response.content);
  if (response === undefined || media?.schema === undefined) return undefined;
  const { schema, pointer } = contract.resolve(media.schema, media.schemaPointer);
  const union = isObject(schema) ? (schema.oneOf === undefined ? 'anyOf' : 'oneOf') : 'oneOf';
  const branches = (isObject(schema) ? schema[union] : undefined)?.map((_, i) => `${pointer}/${union}/${i}`);
  for (const each of branches ?? [pointer]) {
    const properties = [...(read(each)?.properties.values() ?? [])];
    const flag = properties.find(({ name, schema: own }) => isSuccessFlag(name) && own.type === 'boolean')?.name;
    const text = properties.find(({ name, schema: own }) => REASON.test(name) && own.type === 'string');
    if (flag === undefined || text === undefined) continue;
    const reasons = (text.schema.enum ?? []).filter((value) => typeof value === 'string');
    const sample = { [flag]: false, [text.name]: reasons[0] ?? 'not_found' };
    if (validators.check(media.schemaPointer, 'response')(sample, 'body').length > 0) continue;
    return { status: Number(response.status) || 200, media, flag, reason: text.name, reasons };
  }
  return undefined;
}

/** The reason that says most exactly that an item was not found. */
function chooseReason(reasons: readonly string[], noun: string): string {
  const unknown = reasons.filter((each) => /not_?found|no_?such|unknown|does_?not_?exist|missing/i.test(each));
  const invalid = reasons.find((each) => /invalid/i.test(each) && !/auth|name|arg/i.test(each));
  const word = noun.replaceAll(' ', '_');
  return unknown.find((each) => each.includes(word)) ?? unknown[0] ?? invalid ?? reasons[0] ?? 'not_found';
}
