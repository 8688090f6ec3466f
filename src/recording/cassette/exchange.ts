import type { StreamEvent } from '../../http/event-stream.js';
import type { HeaderFields } from '../../http/header-fields.js';
import type { QueryValues } from '../../http/target.js';

/** One exchange with the upstream as a cassette holds it; secrets are already placeholders. */
export interface RecordedExchange {
  /** Counts from 1 within a cassette. */
  readonly number: number;
  /** Id of the operation in the contract. */
  readonly operation: string;
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
  /** From the request to the end of the response. */
  readonly elapsedMs: number;
  readonly request: RecordedRequest;
  /** Undefined where the connection failed. */
  readonly response: RecordedResponse | undefined;
  /** The outcome of a connection that failed. */
  readonly failure: RecordedFailure | undefined;
}

/** What was sent. `path` and `query` count on replay; `pathParams` is there to be read. */
export interface RecordedRequest extends RecordedBody {
  /** Upper case. */
  readonly method: string;
  /** As it came, still percent-encoded, without its query. */
  readonly path: string;
  readonly pathParams: Readonly<Record<string, unknown>>;
  /** Decoded, except for the characters that would be read as delimiters; repeated names are a list. */
  readonly query: QueryValues;
  readonly headers: HeaderFields;
}

/** What came back. */
export interface RecordedResponse extends RecordedBody {
  readonly status: number;
  /** Without hop-by-hop fields and framing. */
  readonly headers: HeaderFields;
  /** Interim statuses (1xx) that came before; they are not replayed. */
  readonly interim?: readonly number[];
  /** Names of trailer fields; they are not replayed. */
  readonly trailers?: readonly string[];
}

/** A body in the one form that suits it; none of the members: there was no body. */
export interface RecordedBody {
  /** Any JSON value; a number that a double cannot hold is an `ExactNumber`. */
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  /** Relative to the cassette: bodies that are not text, or over 64 KiB. */
  readonly bodyFile?: string;
  /** Bytes that are not on disk yet; written as `bodyFile`. */
  readonly bytes?: Uint8Array;
  /** An event stream. */
  readonly events?: readonly RecordedEvent[];
  /** A multipart body. */
  readonly parts?: readonly RecordedPart[];
}

/** One event of a `text/event-stream`. */
export interface RecordedEvent extends StreamEvent {
  /** Milliseconds since the response began. */
  readonly atMs: number;
}

/** One part of a multipart body. */
export interface RecordedPart extends RecordedBody {
  readonly name: string;
  readonly filename?: string;
  readonly mediaType?: string;
}

/** Why a connection failed. */
export interface RecordedFailure {
  readonly kind: 'refused' | 'timeout' | 'reset' | 'unresolved' | 'tls' | 'protocol';
  readonly message: string;
}

/** An exchange that has no number yet. */
export type UnnumberedExchange = Omit<RecordedExchange, 'number'>;
