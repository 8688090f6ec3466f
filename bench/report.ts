import { FIRST_CALL_BOUNDS, type FirstCalls } from './first-calls.js';
import type { RecordingFigure } from './record.js';
import { readMedian, type StartUp } from './start-up.js';
import type { StoreFigure } from './store.js';

/** The name of the server of `--against`. */
export const BEFORE = 'vouch before';

/** The figures of one kind of request at one server. */
export interface Cell {
  readonly request: string;
  readonly server: string;
  /** CPU time of the server process per request, user and system, in microseconds; the median of the rounds. */
  readonly cpuMicros: number;
  readonly perSecond: number;
  /** CPU time per request of each round. */
  readonly rounds: readonly number[];
}

/** The output of `--json`. */
export interface Report {
  readonly plan: { readonly rounds: number; readonly requests: number; readonly connections: number };
  readonly cells: readonly Cell[];
  readonly recording: readonly RecordingFigure[];
  readonly startUp: readonly StartUp[];
  readonly store: readonly StoreFigure[];
  readonly firstCalls: readonly FirstCalls[];
}

/** Formats the report as tables. */
export function formatReport({ plan, cells, recording, startUp, store, firstCalls }: Report): string {
  const hasBefore = cells.some(({ server }) => server === BEFORE);
  const throughput = cells.map((cell) => {
    const other = (name: string): Cell | undefined =>
      cells.find(({ request, server }) => request === cell.request && server === name);
    return [
      cell.request,
      cell.server,
      cell.cpuMicros.toFixed(1),
      toRatio(cell, other('hono')),
      ...(hasBefore ? [toRatio(cell, other(BEFORE))] : []),
      Math.round(cell.perSecond).toString(),
    ];
  });
  const title = `${plan.rounds} interleaved rounds of ${plan.requests} requests over ${plan.connections} connections; medians`;
  return [
    ...(cells.length === 0
      ? []
      : [
          title,
          '',
          ...formatTable([
            ['request', 'server', 'CPU us/request', 'to hono', ...(hasBefore ? [`to ${BEFORE}`] : []), 'requests/s'],
            ...throughput,
          ]),
          '',
        ]),
    ...formatPart(['recording', 'CPU us/request', 'to proxy', 'requests/s', 'peak MB'], formatRecording(recording)),
    ...formatPart(['start-up', 'ms', 'CPU ms', 'peak MB'], startUp.map(formatStartUp)),
    ...formatPart(
      ['store', 'ms'],
      store.map(({ name, ms }) => [name, ms.toFixed(3)]),
    ),
    ...formatPart(FIRST_CALLS_HEAD, firstCalls.length === 0 ? [] : [BOUNDS, ...firstCalls.map(formatFirstCalls)]),
    ...firstCalls.map(({ name, worstOperations }) => `worst of ${name}: ${worstOperations.join(', ')}`),
  ].join('\n');
}

function formatPart(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : [...formatTable([head, ...rows]), ''];
}

function formatRecording(figures: readonly RecordingFigure[]): readonly (readonly string[])[] {
  const [proxy] = figures;
  return figures.map(({ name, cpuMicros, perSecond, peakMegabytes }) => [
    name,
    cpuMicros.toFixed(1),
    (cpuMicros / (proxy?.cpuMicros ?? NaN)).toFixed(2),
    Math.round(perSecond).toString(),
    peakMegabytes.toFixed(0),
  ]);
}

/** Compares round by round, so that other load on the machine affects both servers equally. */
function toRatio(cell: Cell, other: Cell | undefined): string {
  return readMedian(cell.rounds.map((cpu, i) => cpu / (other?.rounds[i] ?? Number.NaN))).toFixed(2);
}

function formatStartUp({ name, ms, cpuMs, peakMb }: StartUp): readonly string[] {
  return [name, ms.toFixed(1), cpuMs?.toFixed(1) ?? '', peakMb?.toFixed(0) ?? ''];
}

const FIRST_CALLS_HEAD = [
  'first request of each operation, CPU ms',
  'operations',
  '50 GET',
  'elapsed',
  'all GET',
  'all',
  'median',
  'worst',
  'peak MB: loaded',
  'after 50',
  'after all',
];

const BOUNDS: readonly string[] = [
  `at most (50 GET from the cache: ${FIRST_CALL_BOUNDS.cached50})`,
  '',
  FIRST_CALL_BOUNDS.first50.toString(),
  FIRST_CALL_BOUNDS.first50.toString(),
  '',
  '',
  FIRST_CALL_BOUNDS.median.toString(),
  FIRST_CALL_BOUNDS.worst.toString(),
  FIRST_CALL_BOUNDS.peakMb.toString(),
  FIRST_CALL_BOUNDS.peakMb.toString(),
  '',
];

function formatFirstCalls(figures: FirstCalls): readonly string[] {
  const { name, operations, first50, elapsed50, reads, all, median, worst, loadPeakMb, earlyPeakMb, peakMb } = figures;
  return [
    name,
    operations.toString(),
    ...[first50, elapsed50, reads, all, median, worst].map((ms) => ms.toFixed(1)),
    ...[loadPeakMb, earlyPeakMb, peakMb].map((megabytes) => megabytes.toFixed(0)),
  ];
}

/** Aligns columns of text left and columns of figures right. */
function formatTable(rows: readonly (readonly string[])[]): readonly string[] {
  const [head = [], ...body] = rows;
  const columns = head.map((_, column) => ({
    width: Math.max(...rows.map((row) => (row[column] ?? '').length)),
    isFigures: body.every((row) => /^[\d.]*$/u.test(row[column] ?? '')),
  }));
  return rows.map((row) =>
    columns
      .map(({ width, isFigures }, column) =>
        isFigures ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
      )
      .join('  ')
      .trimEnd(),
  );
}
