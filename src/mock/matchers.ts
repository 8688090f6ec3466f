import type { ExpectedCallOf, ReceivedOptionsOf } from '../answer/call-checks.js';
import type { OperationNameOf, OperationOf, VerifyOptionsOf } from '../answer/handlers.js';
import type { Clock } from '../base/clock.js';
import { MockError } from '../base/errors.js';
import type { Mock, SessionHandle } from './handles.js';
import type { Interaction } from '../journal/interaction.js';
import type { ExpectedCall, ReceivedOptions } from '../journal/received.js';
import type { BackoffOptions, ConductOptions, SessionVerifyOptions } from '../session/conduct.js';

/** The result of a matcher for `expect` of vitest, Jest or Playwright. */
export interface MatcherResult {
  /** Whether the check passed. */
  readonly pass: boolean;
  /** The message of the failure; where the matcher passed, the message for `.not`. */
  message(): string;
}

/** The operations that a mock or a session is typed by; `unknown` where it is not. */
export type TypesOf<Received> = Received extends { readonly journal: unknown }
  ? Received extends Mock<infer _MockClock extends Clock, infer Types, infer _Collections>
    ? Types
    : Received extends SessionHandle<infer _Clock extends Clock, infer Types, infer _Items>
      ? Types
      : unknown
  : unknown;

/** The matchers as methods of `expect(mock)`: runners merge them into their own interface of matchers. */
export interface MockMatchers<Result, Received> {
  /** Whether calls of an operation were received; see `received` of a session. */
  toHaveReceived<Name extends OperationNameOf<TypesOf<Received>>>(
    operation: Name,
    options?: ReceivedOptionsOf<OperationOf<TypesOf<Received>, Name>>,
  ): Result;
  /** Whether calls were received in this order, with any others between them. */
  toHaveReceivedInOrder(calls: readonly ExpectedCallOf<TypesOf<Received>>[]): Result;
  /** Whether these calls were received, and no others; an empty array expects no request. */
  toHaveReceivedOnly(calls: readonly ExpectedCallOf<TypesOf<Received>>[]): Result;
  /** Whether no request was repeated earlier than `Retry-After` says. */
  toHonourRetryAfter(): Result;
  /** Whether each retry came after a wait, and each further one after a longer wait. */
  toBackOff(options?: BackoffOptions): Result;
  /** Whether each key of idempotency was used again only with the same operation, path and body. */
  toReuseIdempotencyKeys(): Result;
  /** Whether each page of the named lists was requested once, until the last one. */
  toWalkPagesOnce(...lists: readonly OperationNameOf<TypesOf<Received>>[]): Result;
  /** Whether no operation, parameter or property was used that the contract declares as deprecated. */
  toUseNothingDeprecated(): Result;
  /** Whether no operation, parameter or property was used that the contract does not declare. */
  toUseNothingUndeclared(): Result;
  /** Whether `verify` of the mock or session passes. */
  toPassVerification(options?: VerifyOptionsOf<TypesOf<Received>>): Result;
}

/**
 * The matchers for `expect.extend(matchers)` of vitest, Jest and Playwright; they import none of these.
 *
 * @throws MockError `OPTION_INVALID` where `expect` did not get a mock or a session; `OPERATION_UNKNOWN`, with `.not` too.
 *
 * @example
 * ```ts
 * import { createMock, matchers } from 'vouch';
 *
 * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
 * const { pass, message } = matchers.toHaveReceived(mock, 'downloadFile');
 * if (pass || !message().includes('downloadFile was not received')) throw new Error(message());
 * ```
 */
export const matchers = {
  toHaveReceived: (received: unknown, operation: string, options?: ReceivedOptions): MatcherResult =>
    run(received, `${operation} was received, but was not expected`, (mock) => mock.received(operation, options)),
  toHaveReceivedInOrder: (received: unknown, calls: readonly ExpectedCall[]): MatcherResult =>
    run(received, 'the calls were received in this order', (mock) => mock.receivedInOrder(calls)),
  toHaveReceivedOnly: (received: unknown, calls: readonly ExpectedCall[]): MatcherResult =>
    run(received, 'only these calls were received', (mock) => mock.receivedOnly(calls)),
  toHonourRetryAfter: (received: unknown): MatcherResult => checkConduct(received, { retryAfter: true }),
  toBackOff: (received: unknown, options: BackoffOptions = {}): MatcherResult =>
    checkConduct(received, { backoff: options }),
  toReuseIdempotencyKeys: (received: unknown): MatcherResult => checkConduct(received, { idempotency: true }),
  toWalkPagesOnce: (received: unknown, ...lists: readonly string[]): MatcherResult =>
    checkConduct(received, { pages: lists.length === 0 ? true : lists }),
  toUseNothingDeprecated: (received: unknown): MatcherResult => checkConduct(received, { deprecated: true }),
  toUseNothingUndeclared: (received: unknown): MatcherResult => checkConduct(received, { undeclared: true }),
  toPassVerification: (received: unknown, options?: SessionVerifyOptions): MatcherResult =>
    run(received, 'verification passed', (mock) => {
      mock.verify(options);
      return [];
    }),
};

function checkConduct(received: unknown, options: ConductOptions): MatcherResult {
  return run(received, 'the client behaved as the rule says', (mock) => {
    mock.checkConduct(options);
    return [];
  });
}

type Receiver = Pick<
  SessionHandle<Clock>,
  'checkConduct' | 'journal' | 'received' | 'receivedInOrder' | 'receivedOnly' | 'verify'
>;

/** Runs a check that throws where it fails. @param passed - The message for `.not`. */
function run(given: unknown, passed: string, check: (mock: Receiver) => readonly Interaction[]): MatcherResult {
  const mock = toReceiver(given);
  try {
    const calls = check(mock);
    return { pass: true, message: () => describePassed(mock, passed, calls) };
  } catch (error) {
    // A mistake in the test itself, such as an unknown operation, fails with `.not` as well.
    if (!isFailure(error)) throw error;
    return { pass: false, message: () => error.message };
  }
}

/** Whether an error is that of a check, also of another copy of this package. */
function isFailure(error: unknown): error is MockError {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return error.code === 'EXPECTATION_FAILED' || error.code === 'VERIFY_FAILED';
}

function toReceiver(given: unknown): Receiver {
  // A mock or a session, also of another copy of this package.
  if (typeof given === 'object' && given !== null && 'receivedOnly' in given) return given as Receiver;
  throw new MockError('OPTION_INVALID', 'the matchers need a mock or a session', {
    hint: 'pass what createMock or mock.session returned: expect(mock).toHaveReceived("listPets")',
  });
}

/** How many calls a message lists. */
const MAX_CALLS = 10;

function describePassed({ journal }: Receiver, passed: string, calls: readonly Interaction[]): string {
  const lines = calls.slice(0, MAX_CALLS).map((call) => `\n    ${journal.describe(call)}`);
  const more = calls.length > MAX_CALLS ? `\n    (the first ${MAX_CALLS} of ${calls.length})` : '';
  const reason = `${passed}${lines.length === 0 ? '' : ':'}${lines.join('')}${more}`;
  return new MockError('EXPECTATION_FAILED', reason, { hint: 'remove ".not", or correct the client' }).message;
}
