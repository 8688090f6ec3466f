import { isObject, mergePatch } from '../../../contract/json.js';
import type { MediaType, Operation } from '../../../contract/operations/operation.js';
import { readSampleFile } from '../../../generate/sample-file.js';
import type { GenerateContext, Generator } from '../../../generate/generate.js';
import type { Answer } from '../../../http/answer.js';
import { findMedia, isJsonType } from '../../../http/media-type.js';
import { type ExpressionScope, resolveExpressions } from '../../../scenario/rules/expression.js';
import type { Patch, Respond, Rule } from '../../../scenario/rules/rule.js';
import { NO_VIOLATIONS } from '../../../schema/violation.js';
import type { Exchange } from '../../chain.js';
import { chooseResponse, type ResponseChoice } from '../../choose-response.js';
import type { ErrorAnswers } from '../../error-answers.js';

/** What answers of rules are built with. */
interface RespondParts {
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
}

/** The answer a rule gives, and the scope of its expressions. */
interface RespondInput {
  readonly respond: Respond;
  readonly scope: ExpressionScope;
}

/** Builds the answer of a rule: its example, its completed body, or one from the contract. */
type RespondToRule = (exchange: Exchange, rule: Rule, input: RespondInput) => Answer;

/** Creates the function that builds answers of rules. */
export function createRespond(parts: RespondParts): RespondToRule {
  return (exchange, rule, input) => {
    const { respond, scope } = input;
    const { call } = exchange;
    const status = respond.status ?? findExampleStatus(call.operation, respond.example);
    const choice = chooseResponse(call.operation, { status, accept: call.headers.get('accept') });
    const chosen = choice && selectMedia(choice, respond);
    const body = respond.body === undefined ? undefined : resolveExpressions(respond.body, scope);
    const made =
      chosen?.response === undefined
        ? answerUndeclared(parts, exchange, { rule, respond, status: status ?? 200, body })
        : answerDeclared(parts, { chosen, rule, respond, body, exchange });
    return {
      ...made,
      // Strings stay strings; a header whose expression has no value is omitted.
      headers: { ...made.headers, ...(resolveExpressions(respond.headers, scope) as Respond['headers']) },
      from: `scenario:${rule.scenario}`,
      violates: rule.violates,
      fault: respond.fault,
    };
  };
}

/** Everything that decides the body of an answer. */
interface BodyInput {
  readonly chosen: ResponseChoice;
  readonly rule: Rule;
  readonly respond: Respond;
  readonly body: unknown;
  readonly exchange: Exchange;
}

/** The media type that the rule names, or that has its example, instead of the negotiated one. */
function selectMedia(choice: ResponseChoice, respond: Respond): ResponseChoice {
  if (choice.response === undefined) return choice;
  if (respond.mediaType !== undefined) {
    return { ...choice, media: findMedia(choice.response.content, respond.mediaType), mediaType: respond.mediaType };
  }
  if (respond.example === undefined || hasExample(choice.media, respond.example)) return choice;
  const media = choice.response.content.find((each) => hasExample(each, respond.example ?? ''));
  return media === undefined ? choice : { ...choice, media, mediaType: media.type };
}

function answerDeclared(parts: RespondParts, input: BodyInput): Answer {
  const { chosen, respond, body } = input;
  const { media, mediaType, status } = chosen;
  const bare = { status, headers: {}, from: '', violations: NO_VIOLATIONS };
  if (mediaType === undefined) {
    // Only a rule that violates the contract can have a body where the contract has none.
    const type = body === undefined ? undefined : (respond.mediaType ?? 'application/json');
    return { ...bare, body, mediaType: type };
  }
  const schemaPointer = media?.schema === undefined ? undefined : media.schemaPointer;
  const about = { ...bare, mediaType, schemaPointer };
  if (respond.example !== undefined) {
    return { ...about, body: media?.examples.find((each) => each.name === respond.example)?.value };
  }
  if (body === undefined) return { ...about, body: createBody(parts, input, media) };
  const isFinal = input.rule.violates !== undefined || schemaPointer === undefined || !isJsonType(mediaType);
  if (isFinal) return { ...about, body };
  // An error gets the type and code of the contract's own errors instead of random words.
  const drafted = chosen.status >= 400 ? mergeDraft(createBody(parts, input, media), body) : body;
  return { ...about, body: parts.generator.complete(schemaPointer, drafted, readContext(input)) };
}

/** Merges a written body into a draft; unlike in a merge patch, a written null is a null. */
function mergeDraft(drafted: unknown, written: unknown): unknown {
  if (!isObject(drafted) || !isObject(written)) return written;
  const members = Object.entries(written).map(([name, value]) => [name, mergeDraft(drafted[name], value)] as const);
  return { ...drafted, ...Object.fromEntries(members) };
}

/** The body of the contract for a status: an example, an error with a message, or a generated value. */
function createBody(parts: RespondParts, input: BodyInput, media: MediaType | undefined): unknown {
  const { chosen, rule, exchange } = input;
  const { status, mediaType = '' } = chosen;
  const example = media?.examples[0];
  if (example !== undefined) return example.value;
  if (status >= 400 && isJsonType(mediaType)) {
    return createError(parts, exchange, { rule, status }).body;
  }
  if (media?.schema === undefined) return isJsonType(mediaType) ? {} : readSampleFile(mediaType);
  return parts.generator.value(media.schemaPointer, readContext(input));
}

/** An error in the shape of the contract's own errors. */
function createError(
  { errors }: RespondParts,
  { call }: Exchange,
  { rule, status }: { readonly rule: Rule; readonly status: number },
): Answer {
  const message = `scenario "${rule.scenario}" answers ${status}`;
  return errors.answer(call.operation, { status, message, code: `status_${status}` });
}

/** The answer with a status that the operation does not declare; an error gets the contract's error shape, patched with the body. */
function answerUndeclared(
  parts: RespondParts,
  exchange: Exchange,
  input: { readonly rule: Rule; readonly respond: Respond; readonly status: number; readonly body: unknown },
): Answer {
  const { rule, respond, status, body } = input;
  if (status >= 400 && respond.mediaType === undefined && (body === undefined || typeof body === 'object')) {
    const answer = createError(parts, exchange, { rule, status });
    return { ...answer, body: body === undefined ? answer.body : mergePatch(answer.body, body) };
  }
  const mediaType = body === undefined ? undefined : (respond.mediaType ?? 'application/json');
  return { status, headers: {}, body, mediaType, from: '', violations: NO_VIOLATIONS };
}

function findExampleStatus(operation: Operation, example: string | undefined): number | undefined {
  if (example === undefined) return undefined;
  const response = operation.responses.find((each) => each.content.some((media) => hasExample(media, example)));
  const status = Number(response?.status);
  return Number.isInteger(status) ? status : undefined;
}

function hasExample(media: MediaType | undefined, name: string): boolean {
  return media?.examples.some((example) => example.name === name) ?? false;
}

/** What the generated parts of an answer depend on. */
function readContext({ exchange, rule }: BodyInput): GenerateContext {
  const { call, session } = exchange;
  return {
    seed: session.seed,
    key: `scenario ${rule.key}\n${JSON.stringify([call.path, call.query, call.body])}`,
    direction: 'response',
    now: session.clock.now(),
    known: call.path,
    note: exchange.note,
  };
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
  const body = isPatched ? mergePatch(answer.body, resolveExpressions(patch.body, scope)) : answer.body;
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
  return prototype === Object.prototype || prototype === null;
}
