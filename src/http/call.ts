import type { Operation } from '../contract/operation.js';
import type { Violation } from './violation.js';

/** One request matched to its operation and decoded. */
export interface Call {
  readonly operation: Operation;
  /** Upper case; `HEAD` for a HEAD that is answered by a GET operation. */
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  /** Values by parameter name, decoded and of the type their schema asks for; defaults are not filled in. */
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
  readonly cookie: Readonly<Record<string, unknown>>;
  /** The decoded body; undefined where there was none. */
  readonly body: unknown;
  /** The body as it came; undefined where there was none. */
  readonly bytes: Uint8Array | undefined;
  /** The media type the body came in, lower case, without parameters. */
  readonly mediaType: string | undefined;
  /** Every request header, names in lower case. */
  readonly headers: Headers;
  /** The credential that was accepted, by scheme name. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Departures of the client, errors first. */
  readonly violations: readonly Violation[];
}
