import type { Contract } from '../contract/contract.js';
import { isObject, omitAt, withPath } from '../base/json.js';
import type { MediaType, Operation } from '../contract/operations/operation.js';
import { fromReference, readPointer, readSegments } from '../contract/pointer.js';
import type { Generator } from '../generate/generate.js';
import type { Answer } from '../http/answer.js';
import { isMarkupType } from '../contract/media-type.js';
import { PROBLEM_TYPE, toProblem } from '../http/response/problem.js';
import { memoize } from '../base/memoize.js';
import type { Validators } from '../schema/validate.js';
import { listErrors, NO_VIOLATIONS, toViolationsHeader, type Violation } from '../schema/violation.js';
import { toHintError } from '../resources/infer/hints.js';
import { type BodyFacts, type ErrorFacts, toBodyFacts, toWord } from '../http/response/error-conditions.js';
import { escapeMarkup } from '../base/text.js';
import { createErrorDraft } from './error-body.js';
import {
  type ErrorTemplate,
  type ErrorTemplates,
  type ErrorTemplateUse,
  fillTemplate,
  readErrorTemplates,
} from './error-templates.js';
import { type DeclaredErrors, findErrorMedia, isErrorStatus, readUsualError } from './choose-response.js';

/** An error answer: what its body says, and the rest of it. */
interface ErrorAnswer extends ErrorFacts {
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The source that answers; default `refuse`. */
  readonly from?: string | undefined;
  readonly detail?: string | undefined;
  /** Whether a template of the document cannot change the status, since a test or a client asks for it. */
  readonly hasFixedStatus?: boolean;
  /** Violations for the journal that the body does not list. */
  readonly found?: Answer['violations'] | undefined;
}

/** Makes error answers in the shape that the contract gives its errors. */
export interface ErrorAnswers {
  /**
   * An error answer for an operation, or for a request that matched none.
   *
   * Its body has the schema, or without one the example, of the operation's response for that status, else of its range, its `default`, its other errors,
   * else the error schema that most operations of the contract share, else it is problem details (RFC 9457).
   */
  answer(operation: Operation | undefined, error: ErrorAnswer): Answer;
  /** A 500 for a failure of the mock or of the user's code, with a violation in the journal. */
  failure(operation: Operation | undefined, failure: Pick<ErrorAnswer, 'message' | 'code' | 'from'>): Answer;
}

/** Headers after which the official clients of several APIs do not retry. */
export const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

/** Completes a partial body to one that fits a schema. */
type Complete = (schemaPointer: string, partial: unknown) => unknown;

/** The parts of the error answers of a contract that do not depend on the seed. */
interface ErrorPlan {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly templates: ErrorTemplates;
  findShape(operation: Operation | undefined): (status: number) => ErrorShape | undefined;
}

interface ErrorParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Pick<Generator, 'complete'>;
}

/**
 * Creates the error answers of a contract by seed; shapes are chosen once per operation and status.
 *
 * @param facts - With whether all templates were checked before.
 * @throws MockError `HINT_INVALID` for a template that does not fit the schema of its error.
 */
export function createErrorAnswers(
  { contract, validators, generator }: ErrorParts,
  { withTemplates, usualErrors, isChecked }: DeclaredErrors & { readonly isChecked: boolean },
): (seed: number) => ErrorAnswers {
  const plan = {
    contract,
    validators,
    templates: readErrorTemplates(contract, withTemplates),
    findShape: createShapeFinder(contract, usualErrors),
  };
  const completeBy =
    (seed: number): Complete =>
    (pointer, partial) =>
      generator.complete(pointer, partial, { seed, key: pointer, direction: 'response', now: 0 });
  if (isChecked) return (seed) => createAnswers(plan, completeBy(seed));
  const writeTemplate = createTemplateWriter(plan, completeBy(1));
  checkTemplates(contract, plan.templates, ({ operation, status, template, condition }) => {
    const used = template.status ?? status;
    const shape = plan.findShape(operation)(used);
    const facts = { status: used, message: 'The message.', param: 'parameter', condition, code: toWord(condition) };
    return shape && { media: shape.media, check: () => writeTemplate(shape, template, facts).violations };
  });
  return (seed) => createAnswers(plan, completeBy(seed));
}

function createAnswers(plan: ErrorPlan, complete: Complete): ErrorAnswers {
  const { validators, templates, findShape } = plan;
  const writeTemplate = createTemplateWriter(plan, complete);

  const answer: ErrorAnswers['answer'] = (operation, error) => {
    const { from = 'refuse', detail, found: violations = NO_VIOLATIONS } = error;
    const refused = listRefused(error.violations ?? violations);
    const headers = error.headers === undefined ? refused : { ...refused, ...error.headers };
    const facts = toBodyFacts(error);
    const template = templates.find(operation, facts.condition, error.status);
    const status = error.hasFixedStatus === true ? error.status : (template?.status ?? error.status);
    const shape = findShape(operation)(status);
    // Written out, because a spread costs more than all the rest, and a client under test may be refused often.
    const write = (body: unknown, mediaType: string): Answer => ({
      status,
      headers,
      from,
      detail,
      violations,
      body,
      mediaType,
      // The status of a success that a template gives has the schema of a success.
      checked: status < 400 ? { body } : undefined,
    });
    if (template?.mediaType !== undefined) {
      const { mediaType } = template;
      // Text is not a number.
      const writeNumber = typeof template.body === 'string' ? String : Number;
      const sent = fillTemplate(template.body, toMarkupFacts({ ...facts, status }, mediaType), writeNumber);
      return { ...write(sent, mediaType), checked: { body: sent } };
    }
    if (template?.body === '') return { ...write(undefined, ''), mediaType: undefined };
    if (template?.body !== undefined) {
      const mediaType = shape?.media.type ?? 'application/json';
      return write(writeTemplate(shape, template, toMarkupFacts({ ...facts, status }, mediaType)).body, mediaType);
    }
    if (shape === undefined) {
      const { code, message: detail, violations: errors } = facts;
      // The member that clients without a declared error read.
      return write({ ...toProblem({ status, detail, code, errors }), message: detail }, PROBLEM_TYPE);
    }
    const { schema, schemaPointer, type: mediaType, examples } = shape.media;
    if (schema === undefined) return write(examples[0]?.value, mediaType);
    const draft = shape.draftBody(status === facts.status ? facts : { ...facts, status });
    const check = validators.check(schemaPointer, 'response');
    if (check(draft, 'body').length === 0) return write(draft, mediaType);
    return write(repair(draft, { check, complete: (value) => complete(schemaPointer, value) }), mediaType);
  };

  return {
    answer,
    failure: (operation, failure) => {
      const { message } = failure;
      const found = { code: 'MOCK_FAILED', severity: 'error', in: 'body', pointer: '', message, by: 'mock' } as const;
      return answer(operation, { ...failure, status: 500, headers: NO_RETRY, found: [found] });
    },
  };
}

/** The header with all violations of a refused request. */
function listRefused(violations: readonly Violation[]): Readonly<Record<string, string>> {
  if (violations.length === 0) return {};
  const own = violations.filter(({ severity, by }) => severity === 'error' && by === 'client');
  return own.length === 0 ? {} : { 'x-mock-violations': toViolationsHeader(own) };
}

/** The facts as they are written into HTML or XML: their texts may quote the request. */
function toMarkupFacts(facts: BodyFacts, mediaType: string): BodyFacts {
  if (!isMarkupType(mediaType)) return facts;
  const { message, code, param, violations } = facts;
  const escapeViolation = (violation: Violation): Violation => ({
    ...violation,
    message: escapeMarkup(violation.message),
    pointer: escapeMarkup(violation.pointer),
  });
  return {
    ...facts,
    escape: escapeMarkup,
    message: escapeMarkup(message),
    code: escapeMarkup(code),
    param: param === undefined ? undefined : escapeMarkup(param),
    violations: violations?.map(escapeViolation),
  };
}

/** The form of an error of one status. */
interface ErrorShape {
  readonly media: MediaType;
  /** What a status of a success declares itself: a template can be in that form, too. */
  readonly success: MediaType | undefined;
  draftBody(facts: BodyFacts): unknown;
}

/** Writes the body of a template in the form of an error, with what breaks its schema. */
type WriteTemplate = (shape: ErrorShape | undefined, template: ErrorTemplate, facts: BodyFacts) => TemplateResult;

function createTemplateWriter({ validators }: ErrorPlan, complete: Complete): WriteTemplate {
  return (shape: ErrorShape | undefined, template: ErrorTemplate, facts: BodyFacts): TemplateResult => {
    const { body } = template;
    const schemaPointer = shape?.media.schema === undefined ? undefined : shape.media.schemaPointer;
    if (schemaPointer === undefined) return { body: fillTemplate(body, facts, Number), violations: NO_VIOLATIONS };
    const check = validators.check(schemaPointer, 'response');
    const { success } = shape ?? {};
    const accepts = validators.accepts(schemaPointer, 'response');
    const isSuccess = success?.schema === undefined ? undefined : validators.accepts(success.schemaPointer, 'response');
    const write = (writeNumber: (value: number) => unknown): TemplateResult => {
      const given = fillTemplate(body, facts, writeNumber);
      const draft = (): unknown => shape?.draftBody(facts);
      if (accepts(given) || isSuccess?.(given) === true) return { body: given, violations: NO_VIOLATIONS };
      const missing = check(given, 'body').filter(({ code }) => code === 'REQUIRED');
      const filled = addMissing(
        given,
        missing.map(({ pointer }) => pointer),
        draft,
      );
      if (check(filled, 'body').length === 0) return { body: filled, violations: NO_VIOLATIONS };
      const completed = complete(schemaPointer, filled);
      return { body: completed, violations: listErrors(check(completed, 'body')) };
    };
    const first = write(Number);
    if (first.violations.length === 0) return first;
    // A status is a number, or a string where the schema wants one.
    const second = write(String);
    return second.violations.length === 0 ? second : first;
  };
}

/** Creates a function that finds the form of an error; each one is found once. */
function createShapeFinder(
  contract: Contract,
  usualErrors: DeclaredErrors['usualErrors'],
): (operation: Operation | undefined) => (status: number) => ErrorShape | undefined {
  const usualOf = memoize((status: string) => readUsualError(contract, usualErrors(), status));

  return memoize((operation: Operation | undefined) =>
    memoize((status: number): ErrorShape | undefined => {
      const declared = operation?.responses.find((response) => response.status === String(status));
      const ofStatus = usualOf(String(status));
      const ofAny = usualOf('*');
      // Few operations of some documents declare the status, in a form that no other error has.
      const isRare = ofStatus !== undefined && ofAny !== undefined && ofStatus.count * RARE < ofAny.count;
      const usual = (isRare ? ofAny : ofStatus)?.media;
      const exact =
        operation === undefined ? (isRare ? undefined : usual) : declared && findErrorMedia(declared.content);
      const other = operation === undefined ? undefined : findOtherMedia(operation, status);
      // A template can give errors the status of a success, whose schema may only be that of successes.
      const media = (status < 400 ? (other ?? exact) : (exact ?? other)) ?? usual ?? ofAny?.media;
      // A draft reads the schema when it is first used: many errors are never answered.
      const createDraft = memoize(() => media && createErrorDraft(contract, media, media === exact));
      const success = status < 400 ? exact : undefined;
      return media && { media, success, draftBody: (facts: BodyFacts) => createDraft(undefined)?.(facts) };
    }),
  );
}

interface TemplateResult {
  readonly body: unknown;
  readonly violations: readonly Violation[];
}

interface PlannedCheck {
  readonly media: MediaType;
  readonly check: () => readonly Violation[];
}

/** Checks that each template fits the errors that it is for, each schema once. @throws MockError `HINT_INVALID`. */
function checkTemplates(
  contract: Contract,
  templates: ErrorTemplates,
  plan: (use: ErrorTemplateUse) => PlannedCheck | undefined,
): void {
  const checked = new Set<string>();
  for (const use of templates.list()) {
    const { template, operation, status } = use;
    const isFree = template.body === undefined || template.body === '' || template.mediaType !== undefined;
    const planned = isFree ? undefined : plan(use);
    if (planned === undefined) continue;
    const { schema, schemaPointer } = planned.media;
    const target = isObject(schema) ? (fromReference(schema['$ref']) ?? schemaPointer) : schemaPointer;
    const key = `${template.pointer} ${target}`;
    if (checked.has(key)) continue;
    checked.add(key);
    const [first] = planned.check();
    if (first === undefined) continue;
    const at = `${template.pointer}/body${first.pointer}`;
    throw toHintError(contract, contract.at(at) === undefined ? `${template.pointer}/body` : at, {
      message: `the template does not fit error ${template.status ?? status} of ${operation.id}: ${first.message}`,
      hint: `its schema is #${target}; an operation can have templates of its own`,
    });
  }
}

/** A body with what the schema requires and it leaves out, from the draft. */
function addMissing(body: unknown, missing: readonly string[], draft: () => unknown): unknown {
  return missing.reduce((value, pointer) => {
    const path = readSegments(pointer);
    const own = readPointer(draft(), pointer);
    return own === undefined || !isObject(value) ? value : withPath(value, path, own);
  }, body);
}

/** How an invalid draft of a body is made valid. */
interface Repair {
  check(body: unknown, place: 'body'): readonly Violation[];
  complete(partial: unknown): unknown;
}

/** How often the invalid parts of a draft are left out: a part of a part may be invalid as well. */
const REPAIRS = 3;

/** A draft with its missing parts generated, and the invalid ones generated again; what is valid of it stays. */
function repair(draft: unknown, { check, complete }: Repair): unknown {
  let kept = draft;
  for (let i = 0; i < REPAIRS; i++) {
    const completed = complete(kept);
    const wrong = check(completed, 'body');
    if (wrong.length === 0) return completed;
    kept = wrong.reduce((value, { pointer }) => omitAt(value, readSegments(pointer)), kept);
  }
  return complete(undefined);
}

/** The operation's own media type for a status it does not name: the range, `default`, then any of its other errors. */
function findOtherMedia(operation: Operation, status: number): MediaType | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  const isRange = (one: string): boolean => one === range;
  const isDefault = (one: string): boolean => one === 'default';
  const responses = [isRange, isDefault, isErrorStatus].flatMap((isWanted) =>
    operation.responses.filter((response) => isWanted(response.status)),
  );
  return responses.flatMap(({ content }) => findErrorMedia(content) ?? [])[0];
}

/** How many times as many errors have the usual form where that of one status is left aside. */
const RARE = 10;

/** An error schema of some operations. */
