import type { Answer } from '../http/answer.js';
import type { Call } from '../http/request/call.js';
import type { Violation } from '../schema/violation.js';

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
  readonly request: RecordedRequest;
  readonly answer: Answer;
  /** Departures of the client, then those of the answer. */
  readonly violations: readonly Violation[];
  /** What was considered on the way, in order. */
  readonly trace: readonly string[];
}

/** The request of an interaction. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Names in lower case; several fields of one name joined by a comma (RFC 9110 5.3). */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body; undefined where there was none. */
  readonly body: unknown;
}

/** The header fields of a request as Node's parser hands them over: names and values by turns, and once more by name. */
export interface ParsedHeaders {
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What is remembered of a request. @param headers - By name in lower case. */
export function recordRequest(call: Call | UnmatchedRequest, headers: RecordedRequest['headers']): RecordedRequest {
  const { method, url, path, query, body } = call;
  return { method, url, path, query, headers, body };
}

/**
 * Header fields by name. Where each came once, the object that Node has made already serves: the journal keeps a thousand of
 * them. Of some that come twice Node would drop one.
 */
export function readHeaders({ rawHeaders, headers }: ParsedHeaders): RecordedRequest['headers'] {
  let count = 0;
  for (const name in headers) {
    if (typeof headers[name] !== 'string') return joinHeaders(rawHeaders);
    count += 2;
  }
  // Every value was seen to be a text.
  return count === rawHeaders.length ? (headers as RecordedRequest['headers']) : joinHeaders(rawHeaders);
}

/** A request that matched no operation: nothing of it is decoded. */
export type UnmatchedRequest = Pick<Call, 'method' | 'url' | 'path' | 'query' | 'body'>;

function joinHeaders(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const joined = new Map<string, string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const value = rawHeaders[i + 1] ?? '';
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(joined);
}

/** One interaction in one line, for messages: `#3 GET /v1/things -> 404 state (listThings)`. Secrets in the query are left out. */
export function describeInteraction({ number, request, answer, operation }: Interaction): string {
  const name = operation === undefined ? 'no operation' : operation;
  return `#${number} ${request.method} ${shorten(hideQuery(request.url))} -> ${answer.status} ${answer.from} (${name})`;
}

const SHOWN_URL_LENGTH = 120;

/** Query values stay out of messages but for short plain ones: any of them may be a credential. */
function hideQuery(url: string): string {
  return url.replaceAll(/([?&][^=&?]*=)([^&]*)/g, (whole: string, name: string, value: string) =>
    /(?:key|token|secret|password|sig)/i.test(name) || value.length > 24 ? `${name}…` : whole,
  );
}

function shorten(text: string): string {
  return text.length <= SHOWN_URL_LENGTH ? text : `${text.slice(0, SHOWN_URL_LENGTH)}…`;
}
