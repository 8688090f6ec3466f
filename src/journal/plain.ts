import type { Fault } from '../http/answer.js';
import type { Violation } from '../schema/violation.js';
import type { Interaction } from './interaction.js';

/** An interaction as it is shown outside the process: JSON, and without its secrets. */
export interface PlainInteraction {
  readonly number: number;
  readonly session: string;
  /** ISO 8601, by the session's clock. */
  readonly at: string;
  readonly elapsedMs: number;
  /** `null` where no operation matched. */
  readonly operation: string | null;
  readonly request: PlainRequest;
  readonly answer: PlainAnswer;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
}

/** The request of a plain interaction; without `body` there was none. */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The answer of a plain interaction; without `body` there was none. */
export interface PlainAnswer {
  /** 0 where a fault left none. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly mediaType?: string;
  readonly body?: unknown;
  readonly from: string;
  readonly violates?: string;
  readonly fault?: Fault;
}

/** Makes an interaction fit to be shown. */
export type ToPlain = (interaction: Interaction) => PlainInteraction;

/** A body as JSON: bytes, files and streams become a word about them. */
export function toPlainValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return `<${value.byteLength} bytes>`;
  if (value instanceof Blob) return `<${value.size} bytes>`;
  if (Array.isArray(value)) return value.map(toPlainValue);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (Symbol.asyncIterator in value) return '<stream>';
  // A date, or a number kept exactly: whatever says itself how it is written.
  if ('toJSON' in value && typeof value.toJSON === 'function') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlainValue(member)]));
}
