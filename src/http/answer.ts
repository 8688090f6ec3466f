import type { Violation } from '../schema/violation.js';

/**
 * A response before it is encoded.
 *
 * `body` is a JSON value for a JSON media type, a string for `text/*`, bytes (`Uint8Array`) for any type, an async iterable
 * of items for a stream (`text/event-stream`, NDJSON), or undefined for no body. `null`, `0`, `''` and `false` are bodies.
 */
export interface Answer {
  readonly status: number;
  /** The reason phrase, if it is not that of RFC 9110; sent on sockets only. */
  readonly reason?: string | undefined;
  /** Names in lower case. `content-type` comes from `mediaType`, never from here. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  /** The concrete media type of the body with its parameters; undefined without a body. */
  readonly mediaType: string | undefined;
  /** The pointer of the body's schema, if the source knows it: XML is written by it. */
  readonly schemaPointer?: string | undefined;
  /** The name of its source: `state`, `example`, `scenario`. In a journal, and where a handler sees it, with the detail. */
  readonly from: string;
  /** The origin within the source: the name of an example, the id of a scenario, the file of a recording. */
  readonly detail?: string | undefined;
  /** Violations of the answer, found by verify or by its source. */
  readonly violations: readonly Violation[];
  /** How verify treats a body that breaks the contract; default: `onInvalid` of the source. */
  readonly onInvalid?: 'fail' | 'pass' | 'report' | 'complete' | 'regenerate' | undefined;
  /** Why the answer may break the contract: it was requested, or recorded. Verify then only reports its violations. */
  readonly violates?: string | undefined;
  /** Set by a source that has checked this body itself; an answer whose body is changed later is checked again. */
  readonly checked?: { readonly body: unknown } | undefined;
  /** A fault on the connection, on purpose. */
  readonly fault?: Fault | undefined;
}

/** The source of an answer with its detail, for the header `x-mock-source`, logs and journals: `state`, `example:empty`, `scenario:flaky`. */
export function writeSource({ from, detail }: Pick<Answer, 'from' | 'detail'>): string {
  return detail === undefined ? from : `${from}:${detail}`;
}

/** The source and the detail that such a string names. */
export function readSource(text: string): Pick<Answer, 'from' | 'detail'> {
  const [from = '', ...detail] = text.split(':');
  return { from, detail: detail.length === 0 ? undefined : detail.join(':') };
}

/** An answer with the list that is in its body, if it has one. */
export interface ListAnswer extends Answer {
  readonly listed?: ListedItems | undefined;
}

/** An array in a body, or the body itself, whose elements are the same in the next answer. */
export interface ListedItems {
  readonly items: readonly unknown[];
  /** Where the JSON of each element is kept. */
  readonly written: readonly WrittenItem[];
}

/** An element with its JSON, once it has been written; neither of them changes. */
export interface WrittenItem {
  readonly item: unknown;
  text?: string | undefined;
}

/** A fault of one answer on the connection, as plain data; the server carries it out. */
export type Fault =
  /** The connection is reset (RST) before anything is sent. */
  | { readonly kind: 'reset' }
  /** The connection is closed before anything is sent. */
  | { readonly kind: 'empty' }
  /** Bytes that are not HTTP are sent, then the connection is closed. */
  | { readonly kind: 'garbage' }
  /** The headers are sent, then a chunk with an invalid size. */
  | { readonly kind: 'malformed-chunk' }
  /** The connection is closed in the middle of the body, after a fraction of it (below 1) or a number of bytes. */
  | { readonly kind: 'truncate'; readonly at: number }
  /** The body is cut so that it is not valid JSON; the HTTP message is complete. */
  | { readonly kind: 'malformed-json' }
  /** Nothing more is sent: before the headers, or after half of the body. */
  | { readonly kind: 'hang'; readonly stage: 'headers' | 'body' }
  /** The body is sent in pieces of `bytes`, one every `every` milliseconds. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly every: number }
  /** The body is sent with that many kilobits per second. */
  | { readonly kind: 'bandwidth'; readonly kbps: number }
  /** An event stream fails after that many events. */
  | { readonly kind: 'stream'; readonly after: number; readonly action: StreamAction };

/** How an event stream fails. */
export type StreamAction = 'stall' | 'reset' | 'end' | 'bad-json' | 'duplicate';

/** Whether the fault happens before a status line is sent, so that there is no answer. */
export function isSilent(fault: Fault): boolean {
  return (
    fault.kind === 'reset' ||
    fault.kind === 'empty' ||
    fault.kind === 'garbage' ||
    (fault.kind === 'hang' && fault.stage === 'headers')
  );
}
