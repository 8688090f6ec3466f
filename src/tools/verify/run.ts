import { host } from '../../base/platform.js';
import type { Operation } from '../../contract/operations/operation.js';
import { type RequestDraft, toRequest } from '../../features/inspector/sample-request.js';
import type { OperationReport } from '../../resources/answer/report.js';
import { draftWith, readSent } from './cases.js';
import { createPool, type ItemPool, operationOf, type VerifyContext } from './context.js';
import type { VerifyEvent } from './events.js';
import { type FoundBreak, type Learned, readCause } from './finding.js';
import { createJudge, type Found, type Judged, toBreak } from './judge.js';
import type { Exchange, SendOptions, Target } from './target.js';

/** A request of a case. */
interface SentCase extends SendOptions {
  readonly operation: Operation;
  readonly case: string;
  readonly request: Request;
}

/** One run: what it knows, and how its parts send requests and say what they find. */
export interface VerifyRun {
  readonly context: VerifyContext;
  /** The items that answers have shown. */
  readonly pool: ItemPool;
  /** @throws RunOver after the end of the run. */
  send(sent: SentCase): Promise<Exchange>;
  /** Compares an answer with the document, and reports what it shows. */
  judge(judged: Judged): void;
  /** Reports a finding about an exchange. */
  report(judged: Judged, found: Found): void;
  learn(fact: Learned): void;
}

/** Creates a run, which emits an event for each request, answer, finding and fact. @param isSuppressed - Whether the user has accepted a finding. */
export function createRun(
  context: VerifyContext,
  target: Target,
  { emit, isSuppressed }: { emit(event: VerifyEvent): void; isSuppressed(found: FoundBreak): boolean },
): VerifyRun {
  const causes = new Set<string>();
  const facts = new Set<string>();
  const tell = (found: FoundBreak): void => {
    const cause = readCause(found);
    const state = isSuppressed(found) ? 'suppressed' : causes.has(cause) ? 'repeated' : 'new';
    if (state === 'new') causes.add(cause);
    const [message, answer] = [target.hide(found.message), target.hide(found.answer)];
    emit({ type: 'finding', state, ...found, message, answer });
  };
  const learn = ({ operation, message }: Learned): void => {
    const fact = `${operation} ${message}`;
    if (!facts.has(fact)) emit({ type: 'learned', operation, message: target.hide(message) });
    facts.add(fact);
  };
  const report: VerifyRun['report'] = (judged, found) => tell(toBreak(judged, found));
  return {
    context,
    pool: createPool(),
    send: async ({ operation, case: name, request, ...how }) => {
      const { pathname, search } = new host.URL(request.url);
      const line = { operation: operation.id, case: name, method: request.method, target: pathname + search };
      emit({ type: 'request', ...line });
      const exchange = await target.send(request, how);
      const { status, failure, durationMs, attempts } = exchange;
      emit({ type: 'response', ...line, status, failure, durationMs, attempts });
      return exchange;
    },
    judge: createJudge(context, {
      report,
      learn: ({ operation: { id } }, message) => learn({ operation: id, message }),
    }),
    report,
    learn,
  };
}

/** Sends a request of an operation, valid unless an id of the service is not, and judges its answer. */
export async function askFor(
  run: VerifyRun,
  report: OperationReport,
  {
    case: name,
    isLast = false,
    ...change
  }: Parameters<typeof draftWith>[2] & { readonly case: string; readonly isLast?: boolean },
): Promise<Judged> {
  const operation = operationOf(run.context, report);
  const draft: RequestDraft = draftWith(run.context, operation, change);
  const mistake = (await readSent(run.context, toRequest(draft)))?.mistake;
  // The id that the service gave an item may not be one that the path declares.
  if (mistake !== undefined)
    run.learn({ operation: operation.id, message: `no valid request (${name}): ${mistake.message}` });
  const exchange = await run.send({ operation, case: name, request: toRequest(draft), isLast });
  const isUncertain = draft.body !== undefined || Object.keys(draft.query).length > 0;
  const wants = mistake === undefined ? 'success' : 'any';
  const judged: Judged = { operation, case: name, wants, exchange, isUncertain };
  run.judge(judged);
  return judged;
}
