import type { Fault } from './fault.js';
import type { Violation } from './violation.js';

/**
 * What goes back, before it is written to the wire.
 *
 * `body` is a JSON value for a JSON media type, a string for a text one, bytes (`Uint8Array`) for any type, an async iterable
 * of items for a stream (`text/event-stream`, NDJSON), or undefined for no body. `null`, `0`, `''` and `false` are bodies.
 */
export interface Answer {
  readonly status: number;
  /** Names in lower case. `content-type` comes from `mediaType`, never from here. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  /** The concrete media type of the body, parameters included where it has any; undefined without a body. */
  readonly mediaType: string | undefined;
  /** Where the schema of the body stands, for a source that knows it: XML is written by it. */
  readonly schemaPointer?: string | undefined;
  /** Which source answered, in a word or two: `state`, `example:empty`, `scenario:flaky`; sent as `x-mock-source`. */
  readonly from: string;
  /** Departures of the answer, found by verify; by the mock or by the contract itself. */
  readonly violations: readonly Violation[];
  /** Whether nobody gave what is in the body: verify may then make anew what does not fit. */
  readonly invented?: boolean | undefined;
  /** Why the answer may break the contract: it was asked for, or really came so. Verify then only remembers what it finds. */
  readonly deviates?: string | undefined;
  /**
   * Set by a source that has checked its answer itself and put what it found into `violations`; holds for exactly this body, so
   * that an answer which is changed on its way up is checked again.
   */
  readonly checked?: { readonly body: unknown } | undefined;
  /** What goes wrong on the wire, on purpose. */
  readonly fault?: Fault | undefined;
}
