import { isIdValue } from '../../../base/exact-number.js';
import { means } from '../../../conventions/conventions.js';
import { MockError } from '../../../base/errors.js';
import { type Answer, isSilent } from '../../../http/answer.js';
import {
  type CollectionView,
  countSecondsUntil,
  evaluateRules,
  type Evaluation,
  type LimitState,
  type RuleOutcome,
  sampleDelay,
} from '../rules/evaluate.js';
import { type ExpressionScope, resolveExpressions, resolveMarkup } from '../../../http/request/expression.js';
import type { Respond, Rule, ScriptedEvent } from '../rules/rule.js';
import { applyChanges, type ChangeCollections } from '../rules/scenario-state.js';
import { activeIds, type Scenarios, startScenarios } from '../scenarios.js';
import type { RequestHeaders } from '../../../http/request-headers.js';
import type { Session } from '../../../session/session.js';
import { deepMerge, isObject, mergePatch, withNulls } from '../../../base/json.js';
import type { DeclaredHeader, Operation } from '../../../contract/operations/operation.js';
import { readSampleFile } from '../../../generate/sample-file.js';
import type { GenerateContext } from '../../../generate/generate.js';
import { findMedia, isJsonType, isMarkupType, toEssence } from '../../../contract/media-type.js';
import { createItemStream, findStreamMedia, isMarker, planItems } from '../../../http/stream-items.js';
import { NO_VIOLATIONS } from '../../../schema/violation.js';
import { toLetters } from '../../../base/names.js';
import { findResponse } from '../../../contract/operations/responses.js';
import {
  type AnswerSource,
  type Exchange,
  type Next,
  type SourceParts,
  toEmptyAnswer,
  toGenerateContext,
  whenSettled,
  isOwnSource,
} from '../../../answer/chain.js';
import { NO_RETRY } from '../../../answer/error-answers.js';
import { chooseResponse, hasExample, type ResponseChoice } from '../../../answer/choose-response.js';
import { parsePrefer } from '../../../answer/sources/prefer.js';
import { scenarioOf } from '../session-slot.js';

interface ScenarioParts extends Pick<SourceParts, 'errors' | 'generator'> {
  readonly scenarios: Scenarios;
  /** Called with each rule that applies to a call. */
  readonly onRule?: ((rule: Rule) => void) | undefined;
  /** The collections of a session, for conditions. */
  viewCollections(session: Session): CollectionView;
  /** Changes the collections of a session. */
  changeCollections(session: Session): ChangeCollections;
}

/**
 * Creates the source that applies the rules of active scenarios: they answer, patch, delay, fail, limit and change state.
 *
 * Matching, counting and `then` are one synchronous step, so that simultaneous calls are counted one by one.
 */
export function createScenarioSource(parts: ScenarioParts): AnswerSource {
  const { scenarios } = parts;

  const answerRules = (exchange: Exchange, ids: readonly string[], next: Next): ReturnType<Next> => {
    const { call, session, clock } = exchange;
    const rules = scenarios.rulesFor(ids, call.operation);
    if (rules.length === 0) {
      exchange.note('scenario: no active scenario has a rule for this operation');
      return next(exchange);
    }
    const { seed } = session;
    const state = scenarioOf(session);
    const scope: ExpressionScope = { call, vars: state.vars };
    const evaluation = evaluateRules(rules, {
      call,
      seed,
      now: clock.now(),
      state,
      collections: parts.viewCollections(session),
      note: exchange.note,
    });
    const target = { state, changeCollections: parts.changeCollections(session), note: exchange.note };
    for (const rule of evaluation.applied) {
      parts.onRule?.(rule);
      if (rule.then !== undefined) applyChanges(rule.then, target, scope);
    }
    const finish = (): ReturnType<Next> => {
      const answer = answerOutcome(parts, { exchange, outcome: evaluation.outcome, scope }, next);
      return whenSettled(answer, complete, { evaluation, scope });
    };
    return evaluation.delayMs > 0 ? clock.sleep(evaluation.delayMs).then(finish) : finish();
  };

  return {
    name: 'scenario',
    hint: 'Correct the body in the scenario file, or say there why it violates the contract.',
    answer: (exchange, next) => {
      const { call, session } = exchange;
      for (const line of scenarioOf(session).takeNotes()) exchange.note(line);
      const ofRequest = readRequested(call.headers);
      if (ofRequest.length === 0) {
        const ids = activeIds(scenarios, scenarioOf(session), ofRequest);
        if (ids.length > 0) return answerRules(exchange, ids, next);
        exchange.note('scenario: none is active');
        return next(exchange);
      }
      const unknown = answerUnknown(parts, exchange, ofRequest);
      if (unknown !== undefined) return unknown;
      const own = openRequest(parts, exchange, ofRequest);
      const answer = answerRules(own, activeIds(scenarios, scenarioOf(session), ofRequest), next);
      if (call.headers.has('x-mock-scenario')) return answer;
      return whenSettled(answer, addPreferenceApplied, ofRequest);
    },
  };
}

/** The scenarios that a request activates: `x-mock-scenario: a, b`, or `Prefer: scenario=a` (RFC 7240). */
function readRequested(headers: RequestHeaders): readonly string[] {
  const named = headers.get('x-mock-scenario');
  const preferred = headers.get('prefer');
  if (named === null && preferred === null) return NONE;
  const preference = preferred === null ? undefined : parsePrefer(preferred).get('scenario');
  const ids = `${named ?? ''},${preference ?? ''}`.split(',').map((id) => id.trim());
  return ids.filter((id) => id !== '');
}

const NONE: readonly string[] = Object.freeze([]);

/** Adds `Preference-Applied` (RFC 7240 section 3). */
function addPreferenceApplied(answer: Answer | undefined, ids: readonly string[]): Answer | undefined {
  if (answer === undefined || answer.status === 0) return answer;
  return { ...answer, headers: { ...answer.headers, 'preference-applied': `scenario="${ids.join()}"` } };
}

/** The answer to a request that names an unknown scenario; undefined where all of them exist. */
function answerUnknown(
  { scenarios, errors }: ScenarioParts,
  { call, note }: Exchange,
  ids: readonly string[],
): Answer | undefined {
  try {
    for (const id of ids) scenarios.find(id);
    return undefined;
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    const message = error.hint === undefined ? error.reason : `${error.reason}; ${error.hint}`;
    note(`scenario: ${message}`);
    const about = {
      code: 'scenario_unknown',
      param: 'x-mock-scenario',
      headers: NO_RETRY,
      from: 'scenario',
    };
    return errors.answer(call.operation, { status: 400, message, ...about });
  }
}

/** The exchange of a request that activates scenarios: their `state` lasts for this request only. */
function openRequest(parts: ScenarioParts, exchange: Exchange, ids: readonly string[]): Exchange {
  const state = scenarioOf(exchange.session);
  const fresh = ids.map((id) => parts.scenarios.find(id));
  for (const { start } of fresh) {
    const missing = Object.entries(start.vars).filter(([name]) => !Object.hasOwn(state.vars, name));
    if (missing.length > 0) state.setVars(Object.fromEntries(missing));
  }
  if (fresh.every(({ start }) => start.collections.length === 0)) return exchange;
  const session = exchange.session.branch();
  const kept = { ...state, setVars: (): void => undefined };
  const { note } = exchange;
  startScenarios(parts.scenarios, { state: kept, changeCollections: parts.changeCollections(session), note }, ids);
  return { ...exchange, session };
}

/** Applies the patches, the one of the highest precedence last, and adds the headers of rate limits. */
function complete(
  answer: Answer | undefined,
  { evaluation, scope }: { readonly evaluation: Evaluation; readonly scope: ExpressionScope },
): Answer | undefined {
  if (answer === undefined || answer.status === 0) return answer;
  const patched = evaluation.applied.reduceRight((below, rule) => patchAnswer(below, rule, scope), answer);
  return evaluation.limit === undefined ? patched : addLimitHeaders(patched, scope.call.operation, evaluation.limit);
}

/** Builds the answer of the deciding rule; without one, the sources below answer. */
function answerOutcome(
  parts: ScenarioParts,
  decision: { readonly exchange: Exchange; readonly outcome: RuleOutcome | undefined; readonly scope: ExpressionScope },
  next: Next,
): ReturnType<Next> {
  const { exchange, outcome, scope } = decision;
  if (outcome === undefined) return next(exchange);
  const { rule, respond, fault, error } = outcome;
  const origin = { from: 'scenario', detail: rule.scenario };
  if (error !== undefined)
    return parts.errors.answer(exchange.call.operation, { headers: NO_RETRY, ...error, ...origin });
  if (fault !== undefined && isSilent(fault)) {
    // An exchange without an answer has status 0 in the journal.
    return { ...toEmptyAnswer(0, ''), ...origin, violates: rule.violates, fault };
  }
  if (respond === undefined) return whenSettled(next(exchange), addFault, outcome);
  return { ...respondToRule(parts, { exchange, rule, respond }, scope), ...origin, violates: rule.violates, fault };
}

function addFault(answer: Answer | undefined, { rule, fault }: RuleOutcome): Answer | undefined {
  const origin = { from: 'scenario', detail: rule.scenario };
  return answer && { ...answer, fault, ...origin, violates: rule.violates ?? answer.violates };
}

type RespondParts = Pick<SourceParts, 'errors' | 'generator'>;

/** The inputs that decide the body of an answer. */
interface BodyInput {
  readonly parts: RespondParts;
  readonly exchange: Exchange;
  readonly rule: Rule;
  readonly respond: Respond;
  /** The body of the rule, with the values of its expressions. */
  readonly body: unknown;
}

/** Builds the answer of a rule: its example, its completed body, or one from the contract. */
function respondToRule(
  parts: RespondParts,
  input: Pick<BodyInput, 'exchange' | 'rule' | 'respond'>,
  scope: ExpressionScope,
): Answer {
  const { exchange, respond } = input;
  const { call } = exchange;
  const status = respond.status ?? findExampleStatus(call.operation, respond.example);
  const choice = chooseResponse(call.operation, call.accept, status) ?? NO_RESPONSE;
  const body = respond.base64 ?? resolveBody(respond.body, scope, respond.mediaType ?? choice.mediaType);
  const written = { parts, ...input, body };
  const made =
    respond.events === undefined
      ? answerBody(written, selectMedia(choice, respond))
      : answerEvents({ ...written, events: respond.events }, choice, scope);
  return {
    ...made,
    // Strings stay strings; a header whose expression has no value is omitted.
    headers: { ...made.headers, ...(resolveExpressions(respond.headers, scope) as Respond['headers']) },
  };
}

/** The answer of an operation that declares no final response. */
const NO_RESPONSE = { status: 200, response: undefined, media: undefined, mediaType: undefined, acceptable: true };

/** The body of a rule with the values of its expressions. */
function resolveBody(body: unknown, scope: ExpressionScope, mediaType: string | undefined): unknown {
  const isMarkup = typeof body === 'string' && mediaType !== undefined && isMarkupType(mediaType);
  return isMarkup ? resolveMarkup(body, scope) : resolveExpressions(body, scope);
}

/** The stream of the events of a rule; the data of each is completed from the schema of the items. */
function answerEvents(
  input: BodyInput & { readonly events: readonly ScriptedEvent[] },
  { status, response }: ResponseChoice,
  scope: ExpressionScope,
): Answer {
  const { events, exchange, parts, respond, rule } = input;
  const media = findStreamMedia(response?.content ?? [], respond.mediaType);
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
  return { status, headers: {}, body, mediaType, from: '', violations: NO_VIOLATIONS };
}

/** The media type that the rule names, or that has its example, instead of the negotiated one. */
function selectMedia(choice: ResponseChoice, { mediaType, example }: Respond): ResponseChoice {
  if (choice.response === undefined) return choice;
  const { content } = choice.response;
  if (mediaType !== undefined) return { ...choice, media: findMedia(content, mediaType), mediaType };
  if (example === undefined || hasExample(choice.media, example)) return choice;
  const media = content.find((each) => hasExample(each, example));
  return media === undefined ? choice : { ...choice, media, mediaType: media.type };
}

/** The answer with an example, the completed body, or one from the contract. */
function answerBody(input: BodyInput, chosen: ResponseChoice): Answer {
  const { rule, respond, body } = input;
  const { media, mediaType, status, response } = chosen;
  const bare = { status, headers: {}, from: '', violations: NO_VIOLATIONS };
  if (mediaType === undefined) {
    const isObjectOrNone = body === undefined || typeof body === 'object';
    // An error that the operation does not declare gets the contract's error shape, patched with the body.
    if (response === undefined && status >= 400 && respond.mediaType === undefined && isObjectOrNone) {
      const error = createError(input, status);
      return { ...error, body: body === undefined ? error.body : mergePatch(error.body, body) };
    }
    // Only a rule that violates the contract can have a body where the contract has none.
    return { ...bare, body, mediaType: body === undefined ? undefined : (respond.mediaType ?? 'application/json') };
  }
  const schemaPointer = media?.schema === undefined ? undefined : media.schemaPointer;
  const about = { ...bare, mediaType, schemaPointer };
  if (respond.example !== undefined) {
    return { ...about, body: media?.examples.find((each) => each.name === respond.example)?.value };
  }
  if (body === undefined) return { ...about, body: createBody(input, chosen, mediaType) };
  if (rule.violates !== undefined || schemaPointer === undefined || !isJsonType(mediaType)) return { ...about, body };
  // An error gets the type and code of the contract's own errors instead of random words.
  const drafted = status >= 400 ? deepMerge(createBody(input, chosen, mediaType), body) : body;
  return { ...about, body: input.parts.generator.complete(schemaPointer, drafted, readContext(input)) };
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

/** Applies the merge patch (RFC 7386) of a rule that has one to an answer; a body of bytes or a stream stays as it is. */
function patchAnswer(answer: Answer, { scenario, patch, violates }: Rule, scope: ExpressionScope): Answer {
  if (patch === undefined) return answer;
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
    from: 'scenario',
    detail: scenario,
    violates: violates ?? answer.violates,
  };
}

/** Whether a body is a JSON value or absent, not bytes or a stream. */
function isJsonValue(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return true;
  const prototype: unknown = Object.getPrototypeOf(body);
  // `Object.prototype` of any context: tests may run in one of their own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Adds the headers of an active rate limit to an answer: those that the rule names, and those that the contract declares for its
 * status, by their names (`X-RateLimit-Remaining`, `RateLimit`, `Retry-After`).
 *
 * Values that a handler, a rule or a real server sets stay; generated values and values of examples are replaced.
 */
function addLimitHeaders(answer: Answer, operation: Operation, limit: LimitState): Answer {
  const declared = findResponse(operation, answer.status)?.headers ?? [];
  const values = declared.flatMap((header) => {
    const value = writeHeader(header, limit);
    return value === undefined ? [] : [[header.name.toLowerCase(), value] as const];
  });
  const headers = { ...Object.fromEntries(values), ...limit.headers };
  const isGenerated = isOwnSource(answer.from);
  return { ...answer, headers: isGenerated ? { ...answer.headers, ...headers } : { ...headers, ...answer.headers } };
}

/** The value of a declared header with the state of a rate limit; undefined for another header. */
function writeHeader(header: DeclaredHeader, limit: LimitState): string | undefined {
  const name = toLetters(header.name.replace(/^x-/i, ''));
  if (name === 'retryafter') return limit.isExceeded ? writeEnd(header, limit) : undefined;
  const rest = /^ratelimit(?:ing)?(.*)$/.exec(name)?.[1];
  // A limit of another quantity, such as tokens.
  if (rest === undefined || means(rest, 'headers.otherLimit')) return undefined;
  const { calls, remaining, windowMs } = limit;
  const seconds = Math.ceil(windowMs / 1000);
  const isParameters = listSamples(header).some((sample) => /^limit=|;w=/.test(sample));
  if (rest === 'policy') return isParameters ? `${calls};w=${seconds}` : `"default";q=${calls};w=${seconds}`;
  if (rest.startsWith('remaining')) return String(remaining);
  if (rest.startsWith('used')) return String(calls - remaining);
  if (rest.startsWith('reset')) return writeEnd(header, limit);
  if (rest.startsWith('limit')) return String(calls);
  if (rest !== '') return undefined;
  if (isObject(header.schema) && ['integer', 'number'].includes(String(header.schema.type))) return String(calls);
  // The drafts of the RateLimit header (draft-ietf-httpapi-ratelimit-headers): until the seventh, and since the eighth.
  const left = countSecondsUntil(limit);
  return isParameters ? `limit=${calls}, remaining=${remaining}, reset=${left}` : `"default";r=${remaining};t=${left}`;
}

/** The end of the window as the header declares it: a date, a time since 1970, or the seconds until then. */
function writeEnd(header: DeclaredHeader, limit: LimitState): string {
  const { schema } = header;
  const samples = listSamples(header);
  const end = limit.now + countSecondsUntil(limit) * 1000;
  const format = isObject(schema) ? schema.format : undefined;
  if (format === 'date-time' || samples.some((sample) => /^\d{4}-\d\d-\d\dT/.test(sample)))
    return new Date(end).toISOString();
  if (samples.some((sample) => sample.endsWith(' GMT'))) return new Date(end).toUTCString();
  if (samples.some((sample) => /^\d{13}$/.test(sample))) return String(end);
  const text = isObject(schema) ? (schema.description ?? '') : '';
  const isSince = /epoch|unix|since 1970|timestamp/i.test(`${header.description ?? ''} ${text}`);
  if (isSince || samples.some((sample) => /^\d{10}$/.test(sample))) return String(Math.ceil(end / 1000));
  const isDuration = samples.some((sample) => /^[\d.]+m?s$/.test(sample));
  return `${countSecondsUntil(limit)}${isDuration ? 's' : ''}`;
}

function listSamples({ examples, schema }: DeclaredHeader): readonly string[] {
  const own = isObject(schema) ? [schema.example, ...(schema.examples ?? [])] : [];
  return [...examples.map(({ value }) => value), ...own].flatMap((value) => (isIdValue(value) ? [String(value)] : []));
}
