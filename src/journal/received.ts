import { MockError, requireOptions } from '../base/errors.js';
import { compareRequest, type ExpectedRequest, isExpected, REQUEST_PARTS } from './expected-request.js';
import type { Interaction } from './interaction.js';
import type { SessionJournal } from './journal.js';
import { type CallBounds, checkCount, times } from './verify.js';

/** The expected calls of one operation. */
export interface ReceivedOptions {
  /** How many calls match: exactly, or between two bounds. Default: at least one. */
  readonly times?: number | CallBounds;
  /** The expected request; only calls that match are counted. Default: any request. */
  readonly with?: ExpectedRequest;
}

/** One of several expected calls: an operation id, `"GET /path"`, or one of these with its expected request. */
export type ExpectedCall = string | (ReceivedOptions & { readonly operation: string });

/** Checks of the requests that a session received. */
interface Receipts {
  /** The calls that match. @throws MockError `EXPECTATION_FAILED`; `OPERATION_UNKNOWN`. */
  received(operation: string, options?: ReceivedOptions): readonly Interaction[];
  /** One call for each step, in their order; other calls may be between them. @throws MockError as `received`. */
  receivedInOrder(steps: readonly ExpectedCall[]): readonly Interaction[];
  /** Every call is one of the steps, and each step is as `received` requires. @throws MockError as `received`. */
  receivedOnly(steps: readonly ExpectedCall[]): readonly Interaction[];
}

/** The checks of one journal; they cost the requests nothing. */
export function createReceipts(journal: SessionJournal): Receipts {
  const check = (step: ExpectedStep): readonly Interaction[] => {
    const { times: wanted = { atLeast: 1 } } = step;
    const matching = listMatching(journal, step);
    if (checkCount('', matching.length, wanted) === undefined) return matching;
    throw toFailure(journal, step, wanted);
  };
  return {
    received: (operation, options) => check(readStep({ ...options, operation })),
    receivedInOrder: (given) => checkOrder(journal, given.map(readStep)),
    receivedOnly: (given) => {
      const steps = given.map(readStep);
      const expected = new Set(steps.flatMap(check));
      const others = journal.interactions.filter((interaction) => !expected.has(interaction));
      if (others.length === 0) return journal.interactions;
      const names = steps.map(({ operation }) => operation).join(', ');
      const wanted = names === '' ? 'no request' : `only ${names}`;
      const reason = `${wanted} was expected; there ${others.length === 1 ? 'was' : 'were'} also:`;
      throw new MockError('EXPECTATION_FAILED', reason + listLines(journal, others), {
        hint: 'expect these calls too, or find out why the client makes them',
      });
    },
  };
}

type ExpectedStep = Exclude<ExpectedCall, string>;

function readStep(given: ExpectedCall): ExpectedStep {
  if (typeof given === 'string') return { operation: given };
  requireOptions('an expected call', given, ['operation', 'times', 'with']);
  requireOptions('"with" of an expected call', given.with ?? {}, REQUEST_PARTS);
  return given;
}

function listMatching(
  journal: SessionJournal,
  { operation, with: expected = {} }: ExpectedStep,
): readonly Interaction[] {
  return journal.calls(operation).filter(({ request }) => isExpected(request, expected));
}

function checkOrder(journal: SessionJournal, steps: readonly ExpectedStep[]): readonly Interaction[] {
  const found: Interaction[] = [];
  for (const [i, step] of steps.entries()) {
    const matching = listMatching(journal, step);
    const last = found.at(-1);
    const next = matching.find(({ number }) => number > (last?.number ?? 0));
    if (next !== undefined) {
      found.push(next);
      continue;
    }
    const early = matching.at(-1);
    if (early === undefined || last === undefined) throw toFailure(journal, step, { atLeast: 1 });
    const reason = `step ${i + 1}, ${step.operation}, was not received after ${steps[i - 1]?.operation ?? ''}, only before it:`;
    throw new MockError('EXPECTATION_FAILED', reason + listLines(journal, [early, last]), {
      hint: 'check that the client awaits the first call before it makes the second',
    });
  }
  return found;
}

function toFailure(journal: SessionJournal, step: ExpectedStep, wanted: number | CallBounds): MockError {
  const { operation, with: expected = {} } = step;
  const calls = journal.calls(operation);
  const matching = listMatching(journal, step);
  const isFiltered = Object.keys(expected).length > 0;
  if (calls.length === 0) return toNeverCalled(journal, operation);
  if (matching.length > 0 || !isFiltered) {
    const what = isFiltered ? `${operation} with the expected request` : operation;
    const problem = checkCount(`${what} was received ${times(matching.length)}`, matching.length, wanted) ?? '';
    const rest = calls.filter((call) => !matching.includes(call));
    const closest = isTooFew(matching.length, wanted) ? findClosest(journal, rest, expected) : undefined;
    const more = closest === undefined ? '' : `\n  the closest other call:${describeClosest(journal, closest)}`;
    return new MockError('EXPECTATION_FAILED', `${problem}:${listLines(journal, matching)}${more}`, {
      hint: isTooFew(matching.length, wanted)
        ? `wait for the missing calls first: await mock.journal.waitFor(${JSON.stringify(operation)}, { count: ${readLeast(wanted)} })`
        : 'check whether the client repeats a call, for example after an error, or change "times"',
    });
  }
  const closest = findClosest(journal, calls, expected);
  const count = calls.length === 1 ? 'its only call' : `the closest of its ${calls.length} calls`;
  const reason = `${operation} was not received with the expected request; ${count} differs:`;
  const shown = closest === undefined ? '' : describeClosest(journal, closest);
  return new MockError('EXPECTATION_FAILED', reason + shown, {
    hint: 'correct the request of the client, or "with" in the test',
  });
}

function isTooFew(count: number, wanted: number | CallBounds): boolean {
  return count < readLeast(wanted);
}

/** The smallest number of calls that is expected. */
function readLeast(wanted: number | CallBounds): number {
  return typeof wanted === 'number' ? wanted : (wanted.atLeast ?? 0);
}

function toNeverCalled(journal: SessionJournal, operation: string): MockError {
  const all = journal.interactions;
  const lost = journal.dropped === 0 ? '' : ` (${journal.dropped} older interactions were dropped from the journal)`;
  if (all.length === 0) {
    return new MockError('EXPECTATION_FAILED', `${operation} was not received; no request was${lost}`, {
      hint: 'check that the client uses the URL of this mock, or mock.fetch, and the headers of this session',
    });
  }
  const unmatched = all.findLast((interaction) => interaction.operation === undefined);
  const [line = ''] = unmatched === undefined ? [] : journal.toTexts(unmatched).trace;
  const why = unmatched === undefined ? '' : `#${unmatched.number}: ${line.replace(/^router: /, '')}; `;
  const reason = `${operation} was not received${lost}; there was:${listLines(journal, all)}`;
  return new MockError('EXPECTATION_FAILED', reason, {
    hint: `${why}if the call comes later, wait for it first: await mock.journal.waitFor(${JSON.stringify(operation)})`,
  });
}

interface Closest {
  readonly call: Interaction;
  readonly lines: readonly string[];
}

/** The call with the fewest differences; of several the latest. */
function findClosest(
  journal: SessionJournal,
  calls: readonly Interaction[],
  expected: ExpectedRequest,
): Closest | undefined {
  const counts = calls.map(({ request }) => compareRequest(request, expected, () => request).count);
  const fewest = Math.min(...counts);
  const call = calls[counts.lastIndexOf(fewest)];
  if (call === undefined || fewest === 0) return undefined;
  return { call, lines: compareRequest(call.request, expected, () => journal.toPlain(call).request).lines };
}

function describeClosest(journal: SessionJournal, { call, lines }: Closest): string {
  const shown = lines.slice(0, MAX_LINES).map((line) => `\n        ${line}`);
  const more = lines.length > MAX_LINES ? `\n        and ${lines.length - MAX_LINES} more` : '';
  return `${listLines(journal, [call])}${shown.join('')}${more}`;
}

/** How many calls or differences a message lists. */
const MAX_LINES = 10;

function listLines(journal: SessionJournal, list: readonly Interaction[]): string {
  const shown = list.slice(-MAX_LINES).map((each) => `\n    ${journal.describe(each)}`);
  const more = list.length > MAX_LINES ? `\n    (the last ${MAX_LINES} of ${list.length})` : '';
  return shown.join('') + more;
}
