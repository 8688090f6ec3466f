import type { Answer } from '../http/answer.js';
import type { Violation } from '../http/violation.js';

/** A call with its answer as it happened; plain data. */
export interface Interaction {
  /** Counts from 1 within a session. */
  readonly number: number;
  readonly session: string;
  /** Milliseconds since 1970, by the session's clock. */
  readonly at: number;
  /** How long the mock took, by the machine's clock. */
  readonly elapsedMs: number;
  /** Undefined where no operation matched. */
  readonly operation: string | undefined;
  readonly request: {
    readonly method: string;
    /** Path and query as they came. */
    readonly url: string;
    readonly path: Readonly<Record<string, unknown>>;
    readonly query: Readonly<Record<string, unknown>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly answer: Answer;
  /** Departures of the client, then those of the answer. */
  readonly violations: readonly Violation[];
  /** What was considered on the way, in order. */
  readonly trace: readonly string[];
}
