import { toEssence } from '../../contract/media-type.js';
import { TextDecoder, TextEncoder } from 'node:util';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../clock.js';
import type { StreamAction } from '../../http/answer.js';
import { host, setTimeout } from '../../platform.js';

/** The body of a broken response. */
type BrokenBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** How long a client has to read what was sent before its connection is reset. */
const READ_MS = 25;

type Controller = ReadableStreamDefaultController<Uint8Array>;

interface Sink {
  readonly controller: Controller;
  /** Aborted when the reader of the body cancels. */
  readonly cancelled: AbortSignal;
}

/** How a body that stalls ends. */
export interface StallEnd {
  /** Aborted when the client gives up. */
  readonly signal: AbortSignal;
  /** Whether the body then ends without an error. */
  readonly isSilent: boolean;
}

/** Cuts JSON in the middle; text that is still valid JSON gets an opening brace. */
export function cutJson(bytes: Uint8Array<ArrayBuffer>): string {
  const text = new TextDecoder().decode(bytes);
  const half = text.slice(0, Math.ceil(text.length / 2));
  try {
    JSON.parse(half);
    return `{${half}`;
  } catch {
    return half;
  }
}

/** The response with a body in small pieces, with a delay before each but the first. */
export function dripBytes(
  response: Response,
  pace: { readonly bytes: number; readonly everyMs: number; readonly clock: Clock; readonly signal: AbortSignal },
): Response {
  return transform(response, async (source, { controller }) => {
    let isFirst = true;
    for await (const chunk of source) {
      for (let start = 0; start < chunk.length; start += pace.bytes) {
        if (!isFirst) await pace.clock.sleep(pace.everyMs, pace.signal);
        isFirst = false;
        controller.enqueue(chunk.slice(start, start + pace.bytes));
      }
    }
    controller.close();
  });
}

/** The response with half of its body; the rest is never sent. */
export function stopHalfway(response: Response, end: StallEnd): Response {
  return transform(response, async (source, { controller }) => {
    const bytes = await buffer(source);
    const half = bytes.subarray(0, Math.floor(bytes.length / 2));
    if (half.length > 0) controller.enqueue(new Uint8Array(half));
    stall(controller, end);
  });
}

interface Breakage {
  /** The number of events before it. */
  readonly after: number;
  readonly action: StreamAction;
  /** Breaks the connection. */
  fail(controller: Controller): void;
  /** Whether everything that was read from the stream has been sent. */
  isFlushed(): boolean;
  readonly end: StallEnd;
}

/** The response as a stream of events that fails after some of them. */
export function breakStream(response: Response, breakage: Breakage): Response {
  const isEvents = toEssence(response.headers.get('content-type') ?? '') === 'text/event-stream';
  const [end, bad] = isEvents ? [EVENT_END, 'data: {"broken": \n\n'] : [/\n/, '{"broken": \n'];
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  return transform(response, async (source, sink) => {
    const { controller } = sink;
    let last = '';
    let count = 0;
    for await (const event of splitEvents(source, end)) {
      if (count === breakage.after) {
        if (breakage.action === 'stall') return stall(controller, breakage.end);
        if (breakage.action === 'reset') return failWhenSent(sink, breakage);
        if (breakage.action === 'end') return controller.close();
        if (breakage.action === 'bad-json') controller.enqueue(encode(bad));
        if (breakage.action === 'duplicate') controller.enqueue(encode(last));
      }
      controller.enqueue(encode(event));
      last = event;
      count += 1;
    }
    controller.close();
  });
}

/** Breaks the connection once everything in the stream has been read and sent, unless the client leaves before that. */
async function failWhenSent({ controller, cancelled }: Sink, breakage: Breakage): Promise<void> {
  // The queue holds one chunk by default, so room for one means that none is waiting.
  do {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (cancelled.aborted || breakage.end.signal.aborted) return;
  } while ((controller.desiredSize ?? 1) < 1 || !breakage.isFlushed());
  // libuv reports a reset that arrives together with data as a normal end, so the data is sent earlier.
  await new Promise((resolve) => setTimeout(resolve, READ_MS));
  breakage.fail(controller);
}

/** Sends nothing more until the client disconnects. */
function stall(controller: Controller, end: StallEnd): void {
  const { signal, isSilent } = end;
  const finish = (): void => (isSilent ? controller.close() : controller.error(signal.reason));
  if (signal.aborted) finish();
  else signal.addEventListener('abort', finish, { once: true });
}

/** An empty line after a line (HTML standard 9.2.5): each ends in CRLF, LF or CR. A CR at the end waits for the LF that may follow. */
const EVENT_END = /(?:\r\n|\n|\r(?!\n|$)){2}/;

/** The events of a stream as they arrive, each with the line end after it. */
async function* splitEvents(source: AsyncIterable<Uint8Array>, end: RegExp): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    rest += decoder.decode(chunk, { stream: true });
    for (let found = end.exec(rest); found !== null; found = end.exec(rest)) {
      const length = found.index + found[0].length;
      yield rest.slice(0, length);
      rest = rest.slice(length);
    }
  }
  if (rest !== '') yield rest;
}

/** The response with a body that `work` writes from the original one; if `work` fails, the body fails. */
function transform(
  response: Response,
  work: (source: AsyncIterable<Uint8Array>, sink: Sink) => Promise<void>,
): Response {
  const source = response.body ?? new host.Blob([]).stream();
  const reader = new host.AbortController();
  const body = new host.ReadableStream<Uint8Array>({
    start: (controller) => {
      // Not awaited: `start` must return before anything can be read.
      // A web stream of Node is an async iterable of its chunks.
      work(source as unknown as AsyncIterable<Uint8Array>, { controller, cancelled: reader.signal }).catch(
        (error: unknown) => controller.error(error),
      );
    },
    cancel: () => reader.abort(),
  });
  return withBody(response, body);
}

/** The response with another body, whose length is not known. */
export function withBody({ status, headers: given }: Response, body: BrokenBody): Response {
  const headers = new host.Headers(given);
  headers.delete('content-length');
  return new host.Response(body, { status, headers });
}
