import type { RecordedEvent } from './exchange.js';

/** A piece of an event stream with the moment it came. */
export interface EventText {
  /** Milliseconds after the response began. */
  readonly atMs: number;
  readonly text: string;
}

/** The events in the pieces of a `text/event-stream`; each has the moment of the piece that ended it. */
export function readEvents(pieces: readonly EventText[]): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let block: string[] = [];
  let rest = '';
  const finish = (atMs: number): void => {
    if (block.length > 0) events.push(readEvent(block, atMs));
    block = [];
  };
  for (const { atMs, text } of pieces) {
    // HTML standard 9.2.5: lines end in CRLF, LF or CR. A CR at the end of a piece waits for the LF that may follow.
    const lines = `${rest}${text}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') finish(atMs);
      else block.push(line);
    }
  }
  const last = rest.replace(/\r$/, '');
  if (last !== '') block.push(last);
  finish(pieces.at(-1)?.atMs ?? 0);
  return events;
}

/** Events as the text of a stream. */
export function writeEvents(events: readonly RecordedEvent[]): string {
  return events.map(writeEvent).join('');
}

/** One event as the text of a stream. */
export function writeEvent(event: RecordedEvent): string {
  const lines: string[] = [];
  if (event.comment !== undefined) lines.push(...event.comment.split('\n').map((line) => `: ${line}`));
  if (event.event !== undefined) lines.push(`event: ${event.event}`);
  if (event.id !== undefined) lines.push(`id: ${event.id}`);
  if (event.retry !== undefined) lines.push(`retry: ${event.retry}`);
  if (event.data !== undefined) lines.push(...event.data.split('\n').map((line) => `data: ${line}`));
  return `${lines.join('\n')}\n\n`;
}

function readEvent(lines: readonly string[], atMs: number): RecordedEvent {
  const values: Record<'event' | 'id' | 'retry' | 'comment' | 'data', string[]> = {
    event: [],
    id: [],
    retry: [],
    comment: [],
    data: [],
  };
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === '') values.comment.push(value);
    else if (name === 'event' || name === 'id' || name === 'retry' || name === 'data') values[name].push(value);
  }
  const retry = Number(values.retry.at(-1));
  return {
    atMs,
    ...(values.comment.length === 0 ? {} : { comment: values.comment.join('\n') }),
    ...(values.event.length === 0 ? {} : { event: values.event.at(-1) ?? '' }),
    ...(values.id.length === 0 ? {} : { id: values.id.at(-1) ?? '' }),
    ...(values.retry.length === 0 || Number.isNaN(retry) ? {} : { retry }),
    ...(values.data.length === 0 ? {} : { data: values.data.join('\n') }),
  };
}
