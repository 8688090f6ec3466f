import { isObject, filterMembers } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { findResponse, findUsualResponse } from '../../contract/operations/responses.js';
import { joinWords } from '../../errors.js';
import { toEssence } from '../../contract/media-type.js';
import { findStreamMedia, isMarker, planItems } from '../../http/stream-items.js';
import type { Respond, ScriptedEvent } from '../rules/rule.js';
import { checkExpressions, checkPartial } from './check-value.js';
import { ANY, type CheckContext, integer, type Kind, object, type ObjectKind, optional, TEXT } from './kinds.js';
import { DELAY, ID } from './rule-kinds.js';
import { child, report, type SourceNode } from '../../contract/load/source-node.js';

interface EventFields extends Pick<ScriptedEvent, 'delay'> {
  readonly event?: string;
  readonly id?: string | number;
  readonly retry?: number;
  readonly data?: unknown;
}

/** One event of a stream with its fields. */
export const EVENT: ObjectKind<EventFields> = object({
  label: 'an event',
  type: 'EventDefinition',
  share: 'event',
  fields: {
    event: optional(TEXT, 'The type of a server-sent event.'),
    id: optional(ID, 'The id of a server-sent event.'),
    retry: optional(integer(0), 'After how many milliseconds the client of server-sent events connects again.'),
    data: optional(ANY, 'A JSON value, or a string that is sent as it is: `"[DONE]"`.'),
    delay: optional(DELAY, 'How long to wait before it.'),
  },
});

/** The data of an event or a line, or an event with its fields: an object of these alone, with `data` or `delay`. */
export const EVENT_OR_DATA: Kind<ScriptedEvent> = {
  type: 'EventDefinition | Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean | null',
  read: (node, context) => {
    if (!hasFields(node.value)) return { delay: undefined, data: node.value, fields: {}, isPause: false };
    const { delay, data, ...others } = EVENT.read(node, context) ?? {};
    const fields = filterMembers(others, (_, value) => value !== undefined);
    return { delay, data, fields, isPause: data === undefined && Object.keys(fields).length === 0 };
  },
  schema: (context) => ({ anyOf: [EVENT.schema(context), true] }),
};

function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value) || !('data' in value || 'delay' in value)) return false;
  return Object.keys(value).every((name) => Object.hasOwn(EVENT.fields, name));
}

/** Checks the events of an answer, against each operation of the rule unless it breaks the contract on purpose. */
export function checkEvents(
  { events, example, body, ...respond }: Respond,
  node: SourceNode,
  context: CheckContext,
): void {
  if (events === undefined) return;
  const list = child(node, 'events');
  if (example !== undefined || body !== undefined) {
    const other = example === undefined ? 'body' : 'example';
    return report(list, `${node.label} has both events and ${other}`, 'keep one of the two');
  }
  checkExpressions(list, context);
  const before = node.source.mistakes.length;
  for (const operation of context.violates ? [] : context.operations) {
    if (node.source.mistakes.length === before) checkItems(list, { events, respond, operation }, context);
  }
}

function checkItems(
  node: SourceNode,
  {
    events,
    respond: { status, mediaType },
    operation,
  }: {
    readonly events: readonly ScriptedEvent[];
    readonly respond: Pick<Respond, 'status' | 'mediaType'>;
    readonly operation: Operation;
  },
  context: CheckContext,
): void {
  const response = status === undefined ? findUsualResponse(operation) : findResponse(operation, status);
  const media = findStreamMedia(response?.content ?? [], mediaType);
  if (media === undefined) {
    const types = response?.content.map(({ type }) => type) ?? [];
    const known = types.length === 0 ? 'it has no body' : `it documents ${joinWords(types)}`;
    const hint = `${known}; to send a stream anyway, add violates: "why"`;
    return report(node, `${JSON.stringify(operation.id)} documents no stream`, hint);
  }
  const plan = planItems(context.contract, media, toEssence(media.type));
  if (plan === undefined) return;
  const pointers = [plan.schemaPointer];
  for (const [i, event] of events.entries()) {
    const item = child(node, i);
    const target = { context, pointers, direction: 'response', what: `event ${i + 1} of ${operation.id}` } as const;
    if (event.isPause || (plan.form !== 'event' && isMarker(event.data))) continue;
    const isWhole = plan.form === 'event' || (plan.form === 'value' && Object.keys(event.fields).length > 0);
    if (isWhole) checkPartial({ ...item, value: { ...event.fields, data: event.data } }, target);
    else if (event.data !== undefined) checkPartial(hasFields(item.value) ? child(item, 'data') : item, target);
  }
}
