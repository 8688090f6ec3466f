import { isObject } from '../../../contract/json.js';
import type { MediaType, Operation } from '../../../contract/operations/operation.js';
import { readSampleFile } from '../../../generate/sample-file.js';
import type { GenerateContext, Generator } from '../../../generate/generate.js';
import type { Answer } from '../../../http/answer.js';
import { findMedia, isJsonType } from '../../../http/media-type.js';
import { mergePatch } from '../../../http/merge-patch.js';
import { resolveExpressions, type Scope } from '../../../scenario/rules/expression.js';
import type { Respond, Rule } from '../../../scenario/rules/rule.js';
import { NO_VIOLATIONS } from '../../../schema/violation.js';
import type { Exchange } from '../../chain.js';
import { chooseResponse, type ResponseChoice } from '../../choose-response.js';
import type { ErrorAnswers } from '../../error-answers.js';

/** What answers of rules are made with. */
interface RespondParts {
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
}

/** What a rule answers, and what its expressions are worked out from. */
interface Asked {
  readonly respond: Respond;
  readonly scope: Scope;
}

/** Makes the answer that a rule writes down: its example, its body completed, or one made from the contract. */
type RespondToRule = (exchange: Exchange, rule: Rule, asked: Asked) => Answer;

/** A maker of answers for rules. */
export function createRespond(parts: RespondParts): RespondToRule {
  return (exchange, rule, asked) => {
    const { respond, scope } = asked;
    const { call } = exchange;
    const status = respond.status ?? findExampleStatus(call.operation, respond.example);
    const choice = chooseResponse(call.operation, { status, accept: call.headers.get('accept') });
    const chosen = choice && narrow(choice, respond);
    const body = respond.body === undefined ? undefined : resolveExpressions(respond.body, scope);
    const made =
      chosen?.response === undefined
        ? answerUndeclared(parts, exchange, { rule, respond, status: status ?? 200, body })
        : answerDeclared(parts, { chosen, rule, respond, body, exchange });
    return {
      ...made,
      headers: { ...made.headers, ...toHeaders(respond.headers, scope) },
      from: `scenario:${rule.scenario}`,
      deviates: rule.violates,
      fault: respond.fault,
    };
  };
}

interface Order {
  readonly chosen: ResponseChoice;
  readonly rule: Rule;
  readonly respond: Respond;
  readonly body: unknown;
  readonly exchange: Exchange;
}

/** The media type a rule insists on, or that has its example, in place of the negotiated one. */
function narrow(choice: ResponseChoice, respond: Respond): ResponseChoice {
  if (choice.response === undefined) return choice;
  if (respond.mediaType !== undefined) {
    return { ...choice, media: findMedia(choice.response.content, respond.mediaType), mediaType: respond.mediaType };
  }
  if (respond.example === undefined || hasExample(choice.media, respond.example)) return choice;
  const media = choice.response.content.find((each) => hasExample(each, respond.example ?? ''));
  return media === undefined ? choice : { ...choice, media, mediaType: media.type };
}

function answerDeclared(parts: RespondParts, order: Order): Answer {
  const { chosen, respond, body } = order;
  const { media, mediaType, status } = chosen;
  const bare = { status, headers: {}, from: '', violations: NO_VIOLATIONS };
  if (mediaType === undefined) {
    // A body where the contract has none: only a rule that violates gets here with one.
    const type = body === undefined ? undefined : (respond.mediaType ?? 'application/json');
    return { ...bare, body, mediaType: type };
  }
  const schemaPointer = media?.schema === undefined ? undefined : media.schemaPointer;
  const about = { ...bare, mediaType, schemaPointer };
  if (respond.example !== undefined) {
    return { ...about, body: media?.examples.find((each) => each.name === respond.example)?.value };
  }
  if (body === undefined) return { ...about, body: makeBody(parts, order, media) };
  const isFinal = order.rule.violates !== undefined || schemaPointer === undefined || !isJsonType(mediaType);
  if (isFinal) return { ...about, body };
  // An error names a type and a code as the contract's own errors do, rather than made-up words.
  const drafted = chosen.status >= 400 ? layOver(makeBody(parts, order, media), body) : body;
  return { ...about, body: parts.generator.complete(schemaPointer, drafted, readContext(order)) };
}

/** What was written over what was drafted; unlike in a merge patch, a null that was written is a null. */
function layOver(drafted: unknown, written: unknown): unknown {
  if (!isObject(drafted) || !isObject(written)) return written;
  const members = Object.entries(written).map(([name, value]) => [name, layOver(drafted[name], value)] as const);
  return { ...drafted, ...Object.fromEntries(members) };
}

/** What the contract itself would answer with this status: an example, an error that says why, or a value of the schema. */
function makeBody(parts: RespondParts, order: Order, media: MediaType | undefined): unknown {
  const { chosen, rule, exchange } = order;
  const { status, mediaType = '' } = chosen;
  const example = media?.examples[0];
  if (example !== undefined) return example.value;
  if (status >= 400 && isJsonType(mediaType)) {
    const message = `scenario "${rule.scenario}" answers ${status}`;
    return parts.errors.answer(exchange.call.operation, { status, message, code: `status_${status}` }).body;
  }
  if (media?.schema === undefined) return isJsonType(mediaType) ? {} : readSampleFile(mediaType);
  return parts.generator.value(media.schemaPointer, readContext(order));
}

/** A status the operation does not declare: an error gets the contract's own error shape, with the rule's body laid over it. */
function answerUndeclared(
  parts: RespondParts,
  exchange: Exchange,
  wish: { readonly rule: Rule; readonly respond: Respond; readonly status: number; readonly body: unknown },
): Answer {
  const { rule, respond, status, body } = wish;
  if (status >= 400 && respond.mediaType === undefined && (body === undefined || typeof body === 'object')) {
    const message = `scenario "${rule.scenario}" answers ${status}`;
    const answer = parts.errors.answer(exchange.call.operation, { status, message, code: `status_${status}` });
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

function toHeaders(headers: Respond['headers'], scope: Scope): Respond['headers'] {
  // Texts stay texts; an expression without a value leaves its header out.
  return resolveExpressions(headers, scope) as Respond['headers'];
}

/** What generated parts of a rule's answer depend on. */
function readContext({ exchange, rule }: Order): GenerateContext {
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
