/** What goes wrong on the wire with one answer; plain data, carried out by the server. */
export type Fault =
  /** The connection is reset (RST) before anything is sent. */
  | { readonly kind: 'reset' }
  /** The connection is closed before anything is sent. */
  | { readonly kind: 'empty' }
  /** Bytes that are no HTTP, then the connection is closed. */
  | { readonly kind: 'garbage' }
  /** The headers of the answer, then a chunk whose size is no number. */
  | { readonly kind: 'malformed-chunk' }
  /** The connection is closed in the middle of the body: below 1 a share of it, from 1 on a count of bytes. */
  | { readonly kind: 'truncate'; readonly at: number }
  /** The body is cut so that it is no JSON, but a whole HTTP message. */
  | { readonly kind: 'malformed-json' }
  /** Nothing more comes: before the headers, or after half of the body. */
  | { readonly kind: 'hang'; readonly stage: 'headers' | 'body' }
  /** The body comes `bytes` at a time, every `everyMs` milliseconds. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }
  /** The body comes at that many kilobits per second. */
  | { readonly kind: 'bandwidth'; readonly kbps: number }
  /** An event stream that goes wrong after that many events. */
  | { readonly kind: 'stream'; readonly after: number; readonly action: StreamAction };

/** How an event stream goes wrong. */
export type StreamAction = 'stall' | 'reset' | 'end' | 'bad-json' | 'duplicate';

/** Whether the fault strikes before a status line is sent, so that there is no answer at all. */
export function isSilent(fault: Fault): boolean {
  return (
    fault.kind === 'reset' ||
    fault.kind === 'empty' ||
    fault.kind === 'garbage' ||
    (fault.kind === 'hang' && fault.stage === 'headers')
  );
}
