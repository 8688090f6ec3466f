import { isObject, mergePatch, withNulls } from '../../../contract/json.js';
import type { DeclaredResponse, Operation } from '../../../contract/operations/operation.js';
import { readSampleFile } from '../../../generate/sample-file.js';
import type { GenerateContext } from '../../../generate/generate.js';
import type { Answer } from '../../../http/answer.js';
import { findMedia, isJsonType, isMarkupType, toEssence } from '../../../contract/media-type.js';
import { createItemStream, findStreamMedia, isMarker, planItems } from '../../../http/stream-items.js';
import { sampleDelay } from '../../../scenario/rules/evaluate.js';
import { type ExpressionScope, resolveExpressions, resolveMarkup } from '../../../scenario/rules/expression.js';
import type { Patch, Respond, Rule, ScriptedEvent } from '../../../scenario/rules/rule.js';
import { NO_VIOLATIONS } from '../../../schema/violation.js';
import { type Exchange, type SourceParts, toGenerateContext } from '../../chain.js';
import { chooseResponse, hasExample, type ResponseChoice } from '../../choose-response.js';

type RespondParts = Pick<SourceParts, 'errors' | 'generator'>;

/** What decides the body of an answer. */
interface BodyInput {
  readonly parts: RespondParts;
  readonly exchange: Exchange;
  readonly rule: Rule;
  readonly respond: Respond;
  /** The body of the rule, with the values of its expressions. */
  readonly body: unknown;
}

/** Builds the answer of a rule: its example, its completed body, or one from the contract. */
export function respondToRule(
  parts: RespondParts,
  input: Pick<BodyInput, 'exchange' | 'rule' | 'respond'>,
  scope: ExpressionScope,
): Answer {
  const { exchange, rule, respond } = input;
  const { call } = exchange;
  const status = respond.status ?? findExampleStatus(call.operation, respond.example);
  const choice = chooseResponse(call.operation, call.accept, status);
  const body = resolveBody(respond.body, scope, respond.mediaType ?? choice?.mediaType);
  const written = { parts, ...input, body };
  const made =
    respond.events !== undefined
      ? answerEvents({ ...written, events: respond.events }, choice, scope)
      : choice?.response === undefined
        ? answerUndeclared(written, status ?? 200)
        : answerDeclared(written, selectMedia(choice, choice.response, respond));
  return {
    ...made,
    // Strings stay strings; a header whose expression has no value is omitted.
    headers: { ...made.headers, ...(resolveExpressions(respond.headers, scope) as Respond['headers']) },
    from: `scenario:${rule.scenario}`,
    violates: rule.violates,
    fault: respond.fault,
  };
}

/** The body of a rule with the values of its expressions. */
function resolveBody(body: unknown, scope: ExpressionScope, mediaType: string | undefined): unknown {
  const isMarkup = typeof body === 'string' && mediaType !== undefined && isMarkupType(mediaType);
  return isMarkup ? resolveMarkup(body, scope) : resolveExpressions(body, scope);
}

/** The stream of the events of a rule; the data of each is completed from the schema of the items. */
function answerEvents(
  input: BodyInput & { readonly events: readonly ScriptedEvent[] },
  choice: ResponseChoice | undefined,
  scope: ExpressionScope,
): Answer {
  const { events, exchange, parts, respond, rule } = input;
  const media = findStreamMedia(choice?.response?.content ?? [], respond.mediaType);
  const mediaType = media?.type ?? respond.mediaType ?? 'text/event-stream';
  const essence = toEssence(mediaType);
  const plan = media && rule.violates === undefined ? planItems(exchange.contract, media, essence) : undefined;
  const context = readContext(input);
  const complete = (value: unknown): unknown =>
    plan === undefined || isMarker(value) ? value : parts.generator.complete(plan.schemaPointer, value, context);
  const toItem = (event: ScriptedEvent): unknown => {
    const data = resolveExpressions(event.data, scope);
    const whole = { ...event.fields, data };
    if (plan?.form === 'event') return complete(whole);
    if (essence === 'text/event-stream') return { ...whole, data: data === undefined ? data : complete(data) };
    return complete(Object.keys(event.fields).length === 0 ? data : whole);
  };
  const items: unknown[] = [];
  // A pause is a delay before the next event, or before the end.
  const waits: number[] = [];
  for (const [i, event] of events.entries()) {
    const ms = event.delay && sampleDelay(event.delay, context.seed, `${rule.key} event ${i}`);
    waits[items.length] = (waits[items.length] ?? 0) + (ms ?? 0);
    if (!event.isPause) items.push(toItem(event));
  }
  const body = createItemStream(items, (i) => {
    const ms = waits[i] ?? 0;
    return ms > 0 ? exchange.clock.sleep(ms) : undefined;
  });
  return { status: choice?.status ?? 200, headers: {}, body, mediaType, from: '', violations: NO_VIOLATIONS };
}

/** The media type that the rule names, or that has its example, instead of the negotiated one. */
function selectMedia(choice: ResponseChoice, { content }: DeclaredResponse, respond: Respond): ResponseChoice {
  const { mediaType, example } = respond;
  if (mediaType !== undefined) return { ...choice, media: findMedia(content, mediaType), mediaType };
  if (example === undefined || hasExample(choice.media, example)) return choice;
  const media = content.find((each) => hasExample(each, example));
  return media === undefined ? choice : { ...choice, media, mediaType: media.type };
}

function answerDeclared(input: BodyInput, chosen: ResponseChoice): Answer {
  const { rule, respond, body } = input;
  const { media, mediaType, status } = chosen;
  // Only a rule that violates the contract can have a body where the contract has none.
  if (mediaType === undefined) return answerBody(input, status);
  const schemaPointer = media?.schema === undefined ? undefined : media.schemaPointer;
  const about = { status, headers: {}, from: '', violations: NO_VIOLATIONS, mediaType, schemaPointer };
  if (respond.example !== undefined) {
    return { ...about, body: media?.examples.find((each) => each.name === respond.example)?.value };
  }
  if (body === undefined) return { ...about, body: createBody(input, chosen, mediaType) };
  if (rule.violates !== undefined || schemaPointer === undefined || !isJsonType(mediaType)) return { ...about, body };
  // An error gets the type and code of the contract's own errors instead of random words.
  const drafted = status >= 400 ? mergeDraft(createBody(input, chosen, mediaType), body) : body;
  return { ...about, body: input.parts.generator.complete(schemaPointer, drafted, readContext(input)) };
}

/** The answer with exactly the body of the rule. */
function answerBody({ respond, body }: BodyInput, status: number): Answer {
  const mediaType = body === undefined ? undefined : (respond.mediaType ?? 'application/json');
  return { status, headers: {}, body, mediaType, from: '', violations: NO_VIOLATIONS };
}

/** Merges a written body into a draft; unlike in a merge patch, a written null is a null. */
function mergeDraft(drafted: unknown, written: unknown): unknown {
  if (!isObject(drafted) || !isObject(written)) return written;
  const members = Object.entries(written).map(([name, value]) => [name, mergeDraft(drafted[name], value)] as const);
  return { ...drafted, ...Object.fromEntries(members) };
}

/** The body of the contract for a status: an example, an error with a message, or a generated value. */
function createBody(input: BodyInput, { status, media, response }: ResponseChoice, mediaType: string): unknown {
  const example = media?.examples[0];
  const isError = status >= 400 && isJsonType(mediaType);
  // The example of a range or of `default` shows one error of many.
  if (example !== undefined && (!isError || response?.status === String(status))) return example.value;
  if (isError) return createError(input, status).body;
  if (media?.schema === undefined) return isJsonType(mediaType) ? {} : readSampleFile(mediaType);
  return input.parts.generator.value(media.schemaPointer, readContext(input));
}

/** An error in the shape of the contract's own errors. */
function createError({ parts, exchange, rule }: BodyInput, status: number): Answer {
  const message = `scenario "${rule.scenario}" answers ${status}`;
  return parts.errors.answer(exchange.call.operation, { status, message, hasFixedStatus: true });
}

/** The answer with a status that the operation does not declare; an error gets the contract's error shape, patched with the body. */
function answerUndeclared(input: BodyInput, status: number): Answer {
  const { respond, body } = input;
  const isError = status >= 400 && respond.mediaType === undefined && (body === undefined || typeof body === 'object');
  if (!isError) return answerBody(input, status);
  const answer = createError(input, status);
  return { ...answer, body: body === undefined ? answer.body : mergePatch(answer.body, body) };
}

function findExampleStatus(operation: Operation, example: string | undefined): number | undefined {
  if (example === undefined) return undefined;
  const response = operation.responses.find((each) => each.content.some((media) => hasExample(media, example)));
  const status = Number(response?.status);
  return Number.isInteger(status) ? status : undefined;
}

function readContext({ exchange, rule }: BodyInput): GenerateContext {
  const { path, query, body } = exchange.call;
  return toGenerateContext(exchange, `scenario ${rule.key}\n${JSON.stringify([path, query, body])}`);
}

/** Applies a merge patch (RFC 7386) to an answer; a body of bytes or a stream stays as it is. */
export function patchAnswer(
  answer: Answer,
  { rule, patch }: { readonly rule: Rule; readonly patch: Patch },
  scope: ExpressionScope,
): Answer {
  const headers = { ...answer.headers };
  for (const [name, value] of Object.entries(patch.headers)) {
    if (value === null) delete headers[name];
    else headers[name] = value;
  }
  const isPatched = patch.body !== undefined && isJsonValue(answer.body);
  const body = isPatched
    ? withNulls(mergePatch(answer.body, resolveBody(patch.body, scope, answer.mediaType)), patch.nulls)
    : answer.body;
  return {
    ...answer,
    status: patch.status ?? answer.status,
    headers,
    body,
    from: `scenario:${rule.scenario}`,
    violates: rule.violates ?? answer.violates,
  };
}

/** Whether a body is a JSON value or absent, not bytes or a stream. */
function isJsonValue(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return true;
  const prototype: unknown = Object.getPrototypeOf(body);
  // `Object.prototype` of any context: tests may run in one of their own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
