import { addTo } from '../base/json.js';

/** One event of a `text/event-stream` (HTML standard, section 9.2). */
export interface StreamEvent {
  readonly event?: string;
  readonly id?: string;
  /** Milliseconds after which the client connects again. */
  readonly retry?: number;
  readonly comment?: string;
  readonly data?: string;
}

/** A chunk of an event stream with the time of its arrival. */
export interface TimedText {
  /** Milliseconds since the response began. */
  readonly atMs: number;
  readonly text: string;
}

/** Reads the events of a stream; the time of each is that of the chunk with its end. */
export function readEvents(chunks: readonly TimedText[]): readonly (StreamEvent & { readonly atMs: number })[] {
  const events: (StreamEvent & { readonly atMs: number })[] = [];
  let block: string[] = [];
  let rest = '';
  const finish = (atMs: number): void => {
    if (block.length > 0) events.push({ atMs, ...readEvent(block) });
    block = [];
  };
  for (const { atMs, text } of chunks) {
    // HTML standard 9.2.5: lines end in CRLF, LF or CR. A CR at the end of a chunk waits for the LF that may follow.
    const lines = `${rest}${text}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') finish(atMs);
      else block.push(line);
    }
  }
  const last = rest.replace(/\r$/, '');
  if (last !== '') block.push(last);
  finish(chunks.at(-1)?.atMs ?? 0);
  return events;
}

/** The fields of an event to write; one that is undefined or null is left out. */
export type EventFields = { readonly [name in keyof StreamEvent]?: string | number | null | undefined };

/** Writes one event with the empty line that ends it. */
export function writeEvent(fields: EventFields): string {
  let text = '';
  for (const name of FIELD_ORDER) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    for (const line of String(value).split(/\r\n|\r|\n/)) text += `${name === 'comment' ? '' : name}: ${line}\n`;
  }
  return `${text}\n`;
}

const FIELD_ORDER = ['comment', 'event', 'id', 'retry', 'data'] as const;

function readEvent(lines: readonly string[]): StreamEvent {
  const values = new Map<string, string[]>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    addTo(values, name, value);
  }
  // A line that starts with a colon is a comment.
  const [comment, data] = [values.get(''), values.get('data')];
  const [event, id, retry] = [values.get('event')?.at(-1), values.get('id')?.at(-1), values.get('retry')?.at(-1)];
  return {
    ...(comment === undefined ? {} : { comment: comment.join('\n') }),
    ...(event === undefined ? {} : { event }),
    ...(id === undefined ? {} : { id }),
    ...(retry === undefined || Number.isNaN(Number(retry)) ? {} : { retry: Number(retry) }),
    ...(data === undefined ? {} : { data: data.join('\n') }),
  };
}
