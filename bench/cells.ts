import { runLoad } from './load.js';
import { readProcessCpu } from './process-cpu.js';
import { readMedian } from './start-up.js';

/** A running server that is measured. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  /** The id of its process. */
  readonly id: number;
  /** Whether the bench continues without it where it fails. */
  readonly isOptional?: boolean;
  /** Called before each round. */
  reset?(): Promise<void>;
}

/** One kind of request that is sent repeatedly. */
export interface LoadRequest {
  readonly name: string;
  /** The bytes of the n-th request to a server; undefined where the server does not answer such requests. */
  readonly bytes: (subject: string) => ((n: number) => Buffer) | undefined;
  /** The expected status; any other stops the bench. */
  readonly status: (subject: string) => number;
}

/** How much is measured. */
export interface Plan {
  /** Interleaved rounds that count. */
  readonly rounds: number;
  /** Rounds before them, in which V8 compiles the code. */
  readonly warmUp: number;
  /** Requests of one kind to one server in a round. */
  readonly requests: number;
  readonly connections: number;
}

/** The figures of one kind of request at one server. */
export interface Cell {
  readonly request: string;
  readonly server: string;
  /** CPU time of the server process per request, user and system, in microseconds; the median of the rounds. */
  readonly cpuMicros: number;
  readonly perSecond: number;
  /** Milliseconds for half, and for 99 %, of the requests. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time per request of each round. */
  readonly rounds: readonly number[];
}

interface Samples {
  readonly cpu: number[];
  readonly perSecond: number[];
  readonly p50: number[];
  readonly p99: number[];
}

/** Sends each kind of request to each server in turn, round after round. */
export async function measureCells(
  subjects: readonly Subject[],
  requests: readonly LoadRequest[],
  plan: Plan,
): Promise<readonly Cell[]> {
  const samples = new Map<string, Samples>();
  const failed = new Set<string>();
  for (let round = -plan.warmUp; round < plan.rounds; round++) {
    for (const subject of subjects) await subject.reset?.();
    // The order alternates, so that no server always follows the same other one.
    const ordered = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const { request, subject } of requests.flatMap((each) =>
      ordered.map((one) => ({ request: each, subject: one })),
    )) {
      const key = `${request.name}\n${subject.name}`;
      const bytes = request.bytes(subject.name);
      if (bytes === undefined || failed.has(key)) continue;
      const cpuBefore = readProcessCpu(subject.id);
      const { port } = subject;
      const result = await runLoad({ ...plan, port, request: bytes, status: request.status(subject.name) }).catch(
        (error: unknown) => {
          if (subject.isOptional !== true) throw error;
        },
      );
      if (result === undefined) {
        failed.add(key);
        samples.delete(key);
        continue;
      }
      const cpu = readProcessCpu(subject.id) - cpuBefore;
      if (round < 0) continue;
      const own = samples.get(key) ?? { cpu: [], perSecond: [], p50: [], p99: [] };
      own.cpu.push(cpu / result.requests);
      own.perSecond.push((result.requests * 1000) / result.elapsedMs);
      own.p50.push(result.p50);
      own.p99.push(result.p99);
      samples.set(key, own);
    }
  }
  return [...samples].map(([key, { cpu, perSecond, p50, p99 }]) => {
    const [request = '', server = ''] = key.split('\n');
    const figures = { perSecond: readMedian(perSecond), p50: readMedian(p50), p99: readMedian(p99) };
    return { request, server, cpuMicros: readMedian(cpu), ...figures, rounds: cpu };
  });
}

/** Compares two servers round by round, so that other load on the machine affects both equally; not a number without the other. */
export function toRatio(cell: Cell, other: Cell | undefined): number {
  return readMedian(cell.rounds.map((cpu, i) => cpu / (other?.rounds[i] ?? Number.NaN)));
}
