import { isSilent } from '../../http/answer.js';
import type { Interaction } from '../../journal/interaction.js';
import type { Violation, ViolationCode } from '../../schema/violation.js';
import { type Metric, type Sample, createHistogram, type Histogram } from '../../base/metrics.js';

/** Counts the requests of one mock, since it was created. */
export interface RequestMetrics {
  /** Counts an interaction. @param elapsedMs - Milliseconds until it was answered. */
  add(interaction: Interaction, elapsedMs: number): void;
  read(): readonly Metric[];
}

/** The label of requests that reached no operation; an operation with this id is counted with them. */
const NO_OPERATION = '(none)';

/** Methods that have a label of their own in requests without an operation: a client can send any word. */
const METHODS: ReadonlySet<string> = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '));

/** Requests with the same labels. */
interface Series {
  readonly method: string;
  readonly status: number;
  count: number;
}

interface OperationCounts {
  readonly series: Series[];
  readonly duration: Histogram;
}

/** The request metrics of a mock that has answered nothing. */
export function createRequestMetrics(): RequestMetrics {
  const operations = new Map<string, OperationCounts>();
  const violations = createViolationCounts();
  const unmatched = { path: 0, method: 0 };
  const addOperation = (id: string): OperationCounts => {
    const counts = { series: [], duration: createHistogram() };
    operations.set(id, counts);
    return counts;
  };
  return {
    // It runs for every request, and builds no string.
    add: (interaction, elapsedMs) => {
      const { operation, request, answer } = interaction;
      const id = operation ?? NO_OPERATION;
      const counts = operations.get(id) ?? addOperation(id);
      const method = operation !== undefined || METHODS.has(request.method) ? request.method : 'other';
      const status = answer.fault !== undefined && isSilent(answer.fault) ? 0 : answer.status;
      findSeries(counts.series, method, status).count += 1;
      counts.duration.observe(elapsedMs);
      if (interaction.violations.length === 0) return;
      for (const violation of interaction.violations) {
        violations.add(violation, answer.violations);
        if (violation.code === 'PATH_UNKNOWN') unmatched.path += 1;
        else if (violation.code === 'METHOD_UNKNOWN') unmatched.method += 1;
      }
    },
    read: () => [
      {
        name: 'vouch_requests_total',
        type: 'counter',
        help: 'Requests that were answered.',
        samples: listRequests(operations),
      },
      {
        name: 'vouch_request_duration_seconds',
        type: 'histogram',
        help: 'Seconds of real time from the arrival of a request until its answer was ready to be sent.',
        samples: listDurations(operations),
      },
      {
        name: 'vouch_unmatched_requests_total',
        type: 'counter',
        help: 'Requests whose path, or whose method on a known path, is not in the contract.',
        samples: Object.entries(unmatched).map(([reason, value]) => ({ labels: { reason }, value })),
      },
      violations.read(),
    ],
  };
}

function* listRequests(operations: ReadonlyMap<string, OperationCounts>): Generator<Sample, void, undefined> {
  for (const [operation, { series }] of operations)
    for (const { method, status, count } of series)
      yield { labels: { operation, method, status: String(status) }, value: count };
}

function* listDurations(operations: ReadonlyMap<string, OperationCounts>): Generator<Sample, void, undefined> {
  // The buckets of an operation are read at once, so that they agree with their count.
  for (const [operation, { duration }] of operations) yield* duration.read({ operation });
}

/** The series of a request, which is created if there is none; an operation has few. */
function findSeries(all: Series[], method: string, status: number): Series {
  for (const each of all) if (each.status === status && each.method === method) return each;
  const added = { method, status, count: 0 };
  all.push(added);
  return added;
}

/** The labels of violations with one code. */
const KINDS = [
  { direction: 'request', severity: 'error' },
  { direction: 'request', severity: 'note' },
  { direction: 'response', severity: 'error' },
  { direction: 'response', severity: 'note' },
] as const;

/** Counts violations by code and kind. */
function createViolationCounts() {
  const codes = new Map<ViolationCode, number[]>();
  return {
    /** @param ofAnswer - Those of the answer; where a request was not decoded, its own are among them. */
    add: (violation: Violation, ofAnswer: readonly Violation[]): void => {
      const { code, severity, by } = violation;
      const isOfAnswer = by !== 'client' && ofAnswer.includes(violation);
      const kind = (isOfAnswer ? 2 : 0) + (severity === 'note' ? 1 : 0);
      const counts = codes.get(code) ?? KINDS.map(() => 0);
      counts[kind] = (counts[kind] ?? 0) + 1;
      codes.set(code, counts);
    },
    read: (): Metric => ({
      name: 'vouch_violations_total',
      type: 'counter',
      help: 'Violations of the contract in requests and responses.',
      samples: [...codes].flatMap(([code, counts]) =>
        KINDS.flatMap(({ direction, severity }, kind) => {
          const value = counts[kind] ?? 0;
          return value === 0 ? [] : [{ labels: { direction, severity, code }, value }];
        }),
      ),
    }),
  };
}
