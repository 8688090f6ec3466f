import { arrayOf, eitherOf } from '../../../base/json-schema.js';
import { filterMembers, isObject, type Schema } from '../../../base/json.js';
import { child, reject, report, type SourceNode } from '../../../contract/load/source-node.js';
import { isCovered, isSequenceType, toEssence } from '../../../contract/media-type.js';
import type { Operation } from '../../../contract/operations/operation.js';
import {
  findResponse,
  findUsualResponse,
  listExampleNames,
  listMedia,
} from '../../../contract/operations/responses.js';
import { joinWords, suggest } from '../../../base/errors.js';
import type { Fault } from '../../../http/answer.js';
import { findStreamMedia, isUndescribed, planItems } from '../../../http/stream-items.js';
import { findExpressions } from '../../../http/request/expression.js';
import type { Patch, Respond, ScriptedEvent, SequenceStep } from '../rules/rule.js';
import { ID_KIND } from './changes.js';
import { checkExpressions, checkPartial, checkParts, findNulls, type SchemaTarget } from './check-value.js';
import { DELAY } from './delay.js';
import { FAULT_KIND } from './faults.js';
import {
  ANY_KIND,
  type CheckContext,
  checked,
  convert,
  type Fields,
  integer,
  type JsonSchema,
  type Kind,
  list,
  map,
  object,
  type ObjectKind,
  onlyOperation,
  optional,
  TEXT_KIND,
} from './kinds.js';

// RFC 9110 5.6.2: a header name is a token.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that a scenario cannot set, and why. */
const FRAMING: ReadonlyMap<string, string> = new Map([
  ['content-length', 'it is computed from the body'],
  ['transfer-encoding', 'it is computed from the body'],
  ['connection', 'it belongs to the connection'],
  ['keep-alive', 'it belongs to the connection'],
  ['upgrade', 'it belongs to the connection'],
  ['content-type', 'write mediaType beside "status" instead'],
]);

const HEADER: Kind<string | readonly string[]> = {
  type: 'string | number | boolean | readonly (string | number | boolean)[]',
  read: (node) => {
    const texts = (Array.isArray(node.value) ? node.value : [node.value]).map(toHeaderText);
    // RFC 9110 5.5: no line breaks, and nothing above Latin-1, whose encoding is undefined.
    if (!texts.every((text) => text !== undefined)) return reject(node, 'must be a string on one line');
    return Array.isArray(node.value) ? texts : texts[0];
  },
  schema: () => eitherOf(HEADER_TEXT, arrayOf(HEADER_TEXT)),
};

const HEADER_TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] };

function toHeaderText(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : undefined;
}

/** Headers by name, in lower case once they are read. */
function headers<Value>(value: Kind<Value>): Kind<Readonly<Record<string, Value>>> {
  const read = (member: SourceNode, context: CheckContext, name: string): Value | undefined => {
    const reason = FRAMING.get(name.toLowerCase());
    if (!TOKEN.test(name)) report(member, `${member.label} is not a valid header name`);
    else if (reason !== undefined) report(member, `a scenario cannot set the header ${member.label}`, reason);
    return value.read({ ...member, label: `header ${member.label}` }, context);
  };
  return map(value, read, (name) => name.toLowerCase());
}

/** Header values by name. */
const HEADERS: Kind<Readonly<Record<string, string | readonly string[]>>> = headers(HEADER);

/** New header values by name; `null` removes a header. */
const HEADER_PATCH: Kind<Readonly<Record<string, string | readonly string[] | null>>> = headers<
  string | readonly string[] | null
>({
  type: `${HEADER.type} | null`,
  read: (node, context) => (node.value === null ? null : HEADER.read(node, context)),
  schema: (context) => ({ anyOf: [HEADER.schema(context), { type: 'null' }] }),
});

/** A status that the operation documents. */
const STATUS: Kind<number> = checked(integer(200, 599), checkStatus);

/** Reports a status that an operation does not document. */
function checkStatus(node: SourceNode, context: CheckContext, status: number): void {
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

const STEP_FAULT: Kind<Fault> = convert(FAULT_KIND, (fault, node) => {
  if (fault.kind !== 'rate-limit') return fault;
  report(node, 'a rate limit cannot be a step of a sequence', 'make it a separate rule');
  return undefined;
});

interface EventFields extends Pick<ScriptedEvent, 'delay'> {
  readonly event?: string;
  readonly id?: string | number;
  readonly retry?: number;
  readonly data?: unknown;
}

/** One event of a stream with its fields. */
export const EVENT_KIND: ObjectKind<EventFields> = object({
  label: 'an event',
  type: 'EventDefinition',
  share: 'event',
  fields: {
    event: optional(TEXT_KIND, 'The type of a server-sent event.'),
    id: optional(ID_KIND, 'The id of a server-sent event.'),
    retry: optional(integer(0), 'After how many milliseconds the client of server-sent events connects again.'),
    data: optional(ANY_KIND, 'A JSON value, or a string that is sent as it is: `"[DONE]"`.'),
    delay: optional(DELAY, 'How long to wait before it.'),
  },
});

/** The data of an event or a line, or an event with its fields: an object of these alone, with `data` or `delay`. */
const EVENT_OR_DATA: Kind<ScriptedEvent> = {
  type: 'EventDefinition | Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean | null',
  read: (node, context) => {
    if (!hasFields(node.value)) return { delay: undefined, data: node.value, fields: {}, isPause: false };
    const { delay, data, ...others } = EVENT_KIND.read(node, context) ?? {};
    const fields = filterMembers(others, (_, value) => value !== undefined);
    return { delay, data, fields, isPause: data === undefined && Object.keys(fields).length === 0 };
  },
  schema: (context) => ({ anyOf: [EVENT_KIND.schema(context), true] }),
};

function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value) || !('data' in value || 'delay' in value)) return false;
  return Object.keys(value).every((name) => Object.hasOwn(EVENT_KIND.fields, name));
}

/** Bytes that are written in base64 (RFC 4648 section 4). */
const BASE64: Kind<Uint8Array> = {
  type: 'string',
  read: (node) => {
    const bytes = typeof node.value === 'string' ? Buffer.from(node.value, 'base64') : undefined;
    // `Buffer` skips what is not base64.
    return bytes?.toString('base64') === node.value ? bytes : reject(node, 'must be base64');
  },
  schema: () => ({ type: 'string', contentEncoding: 'base64' }),
};

const RESPOND_FIELDS: Fields<Respond> = {
  status: optional(STATUS, 'A documented status; default: the status of the example, or the status of success.'),
  example: optional(TEXT_KIND, 'The name of an example of the contract.'),
  body: optional(ANY_KIND, 'The body; what it leaves out is completed from the schema.'),
  base64: optional(BASE64, 'The bytes of the body, in base64.'),
  events: optional(
    list(EVENT_OR_DATA),
    'The items of a stream, sent one by one: data, or an event with its fields and the delay before it.',
  ),
  headers: optional(HEADERS, 'Headers of the answer.', {}),
  mediaType: optional(TEXT_KIND, 'A documented media type of the body.'),
};

/** An answer. */
export const RESPOND: ObjectKind<Respond> = object({
  type: 'RespondDefinition',
  share: 'respond',
  fields: RESPOND_FIELDS,
  check: checkAnswer,
});

/** One step of a sequence that is an answer. */
export const STEP_KIND: ObjectKind<Exclude<SequenceStep, 'engine'>> = object<Exclude<SequenceStep, 'engine'>>({
  label: 'a step of "sequence"',
  type: 'StepDefinition',
  share: 'step',
  fields: { ...RESPOND_FIELDS, fault: optional(STEP_FAULT, 'A fault of this step.') },
  check: checkAnswer,
});

/** One step of a sequence. */
export const STEP_OR_ENGINE: Kind<SequenceStep> = {
  type: "StepDefinition | 'engine'",
  read: (node, context) => {
    if (node.value === 'engine') return 'engine';
    if (!isObject(node.value)) return reject(node, 'must be an object or "engine"');
    return STEP_KIND.read(node, context);
  },
  schema: (context) => ({ anyOf: [{ const: 'engine' }, STEP_KIND.schema(context)] }),
};

/** Checks an answer against each operation of its rule, up to the first one that it does not match. */
function checkAnswer(respond: Respond, node: SourceNode, context: CheckContext): void {
  const { example, events, mediaType } = respond;
  const { mistakes } = node.source;
  const at = (name: string): SourceNode => child(node, name);
  const checkEach = (check: (operation: Operation) => void): void => {
    const before = mistakes.length;
    for (const operation of context.operations) if (mistakes.length === before) check(operation);
  };
  const hasBody = at('body').value !== undefined;
  if (example !== undefined && hasBody) {
    const hint = 'keep one of the two, or change the example with "patch"';
    report(at('example'), `${node.label} has both example and body`, hint);
  } else if (example !== undefined) {
    checkEach((operation) => checkExample(at('example'), respond, operation));
  } else if (hasBody) {
    checkExpressions(at('body'), context);
    const seen = new Set<string>();
    if (!context.violates) checkEach((operation) => checkBody(at('body'), respond, { context, operation, seen }));
  }
  if (mediaType !== undefined && !context.violates)
    checkEach((operation) => checkMediaType(at('mediaType'), respond, operation));
  const other = example === undefined ? 'body' : 'example';
  if (respond.base64 !== undefined && (example !== undefined || hasBody))
    return report(at('base64'), `${node.label} has both base64 and ${other}`, 'keep one of the two');
  if (events === undefined) return;
  if (example !== undefined || respond.body !== undefined) {
    return report(at('events'), `${node.label} has both events and ${other}`, 'keep one of the two');
  }
  checkExpressions(at('events'), context);
  if (!context.violates) checkEach((operation) => checkEvents(at('events'), respond, { context, operation }));
}

function checkExample(node: SourceNode, { example = '', status }: Respond, operation: Operation): void {
  const known = listExampleNames(listMedia(operation, status));
  if (known.includes(example)) return;
  const hint = suggest(example, known) ?? (known.length === 0 ? 'it has none' : `it has ${joinWords(known)}`);
  const where = status === undefined ? '' : ` for status ${status}`;
  report(node, `${JSON.stringify(operation.id)} has no example ${JSON.stringify(example)}${where}`, hint);
}

interface AnswerContext {
  readonly context: CheckContext;
  readonly operation: Operation;
}

/** Checks a body that is not an expression as a whole. @param seen - The schemas that it matches. */
function checkBody(node: SourceNode, respond: Respond, about: AnswerContext & { readonly seen: Set<string> }): void {
  const { contract } = about.context;
  const target = toBodyTarget(respond, about);
  if (target === undefined || findExpressions(node.value).some(({ pointer }) => pointer === '')) return;
  // Operations that refer to one schema are checked once; the pointers refer to schemas of the contract.
  const key = target.pointers
    .map((pointer) => contract.resolve(contract.at(pointer) as Schema, pointer).pointer)
    .join();
  if (about.seen.has(key)) return;
  about.seen.add(key);
  checkPartial(node, target);
}

/** The schema of the first media type that the body can be written in; undefined if any body is allowed. */
function toBodyTarget(respond: Respond, { context, operation }: AnswerContext): SchemaTarget | undefined {
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

function checkMediaType(node: SourceNode, { mediaType = '', status }: Respond, operation: Operation): void {
  const essence = toEssence(mediaType);
  const types = [...new Set(listMedia(operation, status).map((media) => media.type))];
  if (types.some((type) => isCovered(essence, toEssence(type)))) return;
  const known = types.length === 0 ? 'it has no body' : `it documents ${joinWords(types)}`;
  const message = `media type ${JSON.stringify(essence)} is not documented for ${JSON.stringify(operation.id)}`;
  report(node, message, suggest(essence, types) ?? known);
}

function checkEvents(
  node: SourceNode,
  { events = [], status, mediaType }: Respond,
  { operation, context }: AnswerContext,
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
    if (event.isPause || isUndescribed(event.data, plan)) continue;
    const isWhole = plan.form === 'event' || (plan.form === 'value' && Object.keys(event.fields).length > 0);
    if (isWhole) checkPartial({ ...item, value: { ...event.fields, data: event.data } }, target);
    else if (event.data !== undefined) checkPartial(hasFields(item.value) ? child(item, 'data') : item, target);
  }
}

/** A merge patch of the answer that the mock gives without the rule. */
export const PATCH_KIND: ObjectKind<Patch> = convert(
  object<Omit<Patch, 'nulls'>>({
    type: 'PatchDefinition',
    share: 'patch',
    fields: {
      status: optional(STATUS, 'The new status.'),
      headers: optional(HEADER_PATCH, 'New headers; `null` removes one.', {}),
      body: optional(
        checked(ANY_KIND, checkExpressions),
        'A merge patch (RFC 7386) of the body; `null` removes a member, or is the value of a required one that can be null.',
      ),
    },
    hint: (name) => `to change the body write patch: { body: { ${name}: … } }`,
  }),
  (patch, node, context) => {
    const target = patch.body === undefined ? undefined : toPatchTarget(patch.status, context);
    if (target === undefined) return { ...patch, nulls: [] };
    checkParts(child(node, 'body'), target);
    return { ...patch, nulls: findNulls(patch.body, target) };
  },
);

/** The schemas that the body of a patch is checked against: the responses that it can change; undefined if any body is allowed. */
function toPatchTarget(status: number | undefined, context: CheckContext): SchemaTarget | undefined {
  const operation = onlyOperation(context);
  if (operation === undefined || context.violates) return undefined;
  const successes = operation.responses.filter((response) => response.status.startsWith('2'));
  const changed = status === undefined ? successes.flatMap(({ content }) => content) : listMedia(operation, status);
  const pointers = changed.flatMap((each) => (each.schema === undefined ? [] : [each.schemaPointer]));
  if (pointers.length === 0) return undefined;
  return { context, pointers, direction: 'response', what: `the response of ${operation.id}` };
}
