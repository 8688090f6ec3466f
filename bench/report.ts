import { readMedian, type StartUp } from './start-up.js';

/** One kind of request at one server. */
export interface Cell {
  readonly request: string;
  readonly server: string;
  /** CPU time of the server's process per request, user and system, in microseconds; the median of the rounds. */
  readonly cpuMicros: number;
  readonly perSecond: number;
  /** CPU time per request of each round. */
  readonly rounds: readonly number[];
}

/** What `--json` prints. */
export interface Report {
  readonly plan: { readonly rounds: number; readonly requests: number; readonly connections: number };
  readonly cells: readonly Cell[];
  readonly startUp: readonly StartUp[];
}

/** The report as two tables. */
export function formatReport({ plan, cells, startUp }: Report): string {
  const throughput = cells.map((cell) => {
    const bare = cells.find(({ request, server }) => request === cell.request && server === 'hono');
    // Round by round: what else the machine does hits both alike.
    const ratio = readMedian(cell.rounds.map((cpu, i) => cpu / (bare?.rounds[i] ?? Number.NaN)));
    return [
      cell.request,
      cell.server,
      cell.cpuMicros.toFixed(1),
      ratio.toFixed(2),
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
          ...formatTable([['request', 'server', 'CPU us/request', 'to hono', 'requests/s'], ...throughput]),
          '',
        ]),
    ...formatTable([['start-up', 'ms', 'CPU ms'], ...startUp.map(formatStartUp)]),
  ].join('\n');
}

function formatStartUp({ name, ms, cpuMs }: StartUp): readonly string[] {
  return [name, ms.toFixed(1), cpuMs?.toFixed(1) ?? ''];
}

/** The first two columns of text to the left, figures to the right. */
function formatTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        /^[\d.]+$|us|ms$|\/s|to /u.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
