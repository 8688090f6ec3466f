import { SAYS_INVALID } from '../../conventions/descriptions.js';
import { countOf } from '../../base/errors.js';
import { capitalize } from '../../base/names.js';
import type { DeclaredResponse, Operation } from '../../contract/operations/operation.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { memoize } from '../../base/memoize.js';
import { listErrors, toError, toNotes, toViolationsHeader, type Violation } from '../../schema/violation.js';
import type { Session } from '../../session/session.js';
import { isNearType } from '../../http/response/negotiate.js';
import { type AnswerSource, type Exchange, whenSettled } from '../chain.js';
import { chooseResponse, MAX_ACCEPT_HEADERS, type ResponseChoice } from '../choose-response.js';
import type { ErrorAnswers } from '../error-answers.js';
import { readParam } from '../error-body.js';
import type { PreferAnswer } from './prefer.js';

interface RefuseParts {
  readonly errors: ErrorAnswers;
  /** Whether a session accepts a credential; undefined accepts any well-formed one. */
  readonly accepts?: ((session: Session, credential: string) => boolean) | undefined;
  /** Whether a call is answered although its `Accept` header rules out every declared media type. */
  readonly lenientAccept: boolean;
  /** Whether another type of JSON than the declared one is refused in `Accept`. */
  readonly strict?: boolean;
  /** Answers a refused call with the error that it prefers. */
  readonly answerPreferred?: PreferAnswer;
}

/** The statuses that win over others if a call has several violations, most important first. */
const STATUS_ORDER: readonly number[] = [401, 403, 413, 415, 406];

/**
 * Refuses a call that breaks the contract, in the contract's own error shape.
 *
 * Credentials come first (401, 403), then size and type of the body (413, 415), then everything else as an invalid request: 400,
 * or 422 if the operation documents it and not 400.
 */
export function createRefuseSource(parts: RefuseParts): AnswerSource {
  const { errors, accepts, lenientAccept, strict = false, answerPreferred } = parts;
  const judgeAccept = createAcceptance();
  return {
    name: 'refuse',
    onInvalid: 'complete',
    answer: (exchange, next) => {
      const { call, session } = exchange;
      if (
        accepts !== undefined &&
        Object.values(call.credentials).some((credential) => !accepts(session, credential))
      ) {
        return rejectCredential(errors, exchange);
      }
      const mistakes = listErrors(call.violations);
      const first = findFirst(mistakes);
      if (first === undefined) {
        const acceptance = judgeAccept(call);
        const isAccepted = acceptance === 'exact' || lenientAccept;
        if (!isAccepted && (acceptance === 'none' || strict)) return refuseType(errors, exchange);
        exchange.note('refuse: the request fits the contract');
        return isAccepted ? next(exchange) : whenSettled(next(exchange), addNote, toNotAcceptable(call));
      }
      const message = toMessage(first, mistakes);
      exchange.note(`refuse: ${message}`);
      const preferred = answerPreferred?.(exchange, true);
      if (preferred !== undefined) {
        return { ...preferred, headers: { 'x-mock-violations': toViolationsHeader(mistakes), ...preferred.headers } };
      }
      const status = first.status ?? readInvalidStatus(call.operation, first);
      return errors.answer(call.operation, {
        status,
        message,
        call,
        violation: first,
        param: first.in === 'security' || first.in === 'method' ? undefined : readParam(first.pointer),
        violations: mistakes,
        headers: readChallenges(call, status),
      });
    },
  };
}

/** Whether the operation can answer in a media type that the client accepts, or only in another type of JSON. */
type Acceptance = 'exact' | 'near' | 'none';

function createAcceptance(): (call: Call) => Acceptance {
  const find = memoize((operation: Operation) =>
    memoize((accept: string): Acceptance => {
      const choice = chooseResponse(operation, accept);
      if (choice?.acceptable === false) return 'none';
      return isNearType(accept, listTypes(choice)) ? 'near' : 'exact';
    }, MAX_ACCEPT_HEADERS),
  );
  return ({ operation, headers, accept: wanted }) => {
    // A stream that a parameter asks for is accepted.
    const accept = wanted === operation.streaming?.type ? wanted : headers.get('accept');
    return accept === null || accept === '*/*' ? 'exact' : find(operation)(accept);
  };
}

function listTypes(choice: ResponseChoice | undefined): readonly string[] {
  return choice?.response?.content.map(({ type }) => type) ?? [];
}

/** A 406 that lists the declared media types (RFC 9110 15.5.7). */
function refuseType(errors: ErrorAnswers, { call, note }: Exchange): Answer {
  const found = toNotAcceptable(call);
  const { message } = found;
  note(`refuse: ${message}`);
  return errors.answer(call.operation, {
    status: 406,
    call,
    message,
    code: 'not_acceptable',
    param: 'Accept',
    found: [found],
  });
}

function toNotAcceptable(call: Call): Violation {
  const accept = call.headers.get('accept') ?? '';
  const offered = listTypes(chooseResponse(call.operation, accept));
  const message = `the Accept header ${JSON.stringify(accept)} rules out every media type of this operation: ${offered.join(', ')}`;
  return toError({ code: 'NOT_ACCEPTABLE', in: 'header', name: 'accept', message });
}

function addNote(answer: Answer | undefined, violation: Violation): Answer | undefined {
  return answer && { ...answer, violations: [...answer.violations, ...toNotes([violation])] };
}

function rejectCredential(errors: ErrorAnswers, { call, note }: Exchange): Answer {
  const message = 'the credential is not one that this mock accepts';
  note(`refuse: ${message}`);
  const found = toError({ code: 'CREDENTIAL_REJECTED', in: 'security', message });
  return errors.answer(call.operation, {
    status: 401,
    call,
    message: `${capitalize(message)}.`,
    code: 'credential_rejected',
    headers: {
      'www-authenticate': 'Bearer error="invalid_token"',
      'x-mock-violations': toViolationsHeader([found, ...listErrors(call.violations)]),
    },
    found: [found],
  });
}

function findFirst(mistakes: readonly Violation[]): Violation | undefined {
  if (mistakes.length < 2) return mistakes[0];
  const status = STATUS_ORDER.find((one) => mistakes.some((violation) => violation.status === one));
  return mistakes.find((violation) => status === undefined || violation.status === status);
}

/** The status of an invalid request: 400, or 422 if the operation documents only that, or that for values which are not valid. */
function readInvalidStatus({ responses }: Operation, { code }: Violation): number {
  const find = (status: string): DeclaredResponse | undefined => responses.find((one) => one.status === status);
  const [plain, semantic] = [find('400'), find('422')];
  if (semantic === undefined) return 400;
  if (plain === undefined) return 422;
  const isMeant = SAYS_INVALID.test(semantic.description ?? '') && !SAYS_INVALID.test(plain.description ?? '');
  return isMeant && code !== 'BODY_MALFORMED' ? 422 : 400;
}

function toMessage(first: Violation, mistakes: readonly Violation[]): string {
  const others = mistakes.filter((violation) => violation !== first && violation.status === first.status).length;
  const more = others === 0 ? '' : ` (and ${countOf(others, 'more violation')})`;
  return `${capitalize(first.message)}${more}.`;
}

/** The schemes that a 401 names as acceptable (RFC 9110 11.6.1). */
function readChallenges(call: Call, status: number): Readonly<Record<string, readonly string[]>> {
  if (status !== 401) return {};
  const challenges = call.violations.flatMap(({ challenge }) => challenge ?? []);
  return challenges.length === 0 ? {} : { 'www-authenticate': [...new Set(challenges)] };
}
