import type { Clock } from '../../clock.js';
import type { StreamAction } from '../../http/answer.js';

/** A body that was broken: text, bytes or a stream. */
export type Breakage = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** How long a client gets to read what came before its connection is reset. */
const HEAD_START_MS = 25;

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** Where a broken body is written to. */
interface Sink {
  readonly controller: Controller;
  /** Aborted once whoever reads the body wants no more of it. */
  readonly left: AbortSignal;
}

/** How a body of which nothing more comes is ended. */
export interface StallEnd {
  /** The client gave up. */
  readonly signal: AbortSignal;
  /** Whether the body simply ends then, rather than with an error. */
  readonly isSilent: boolean;
}

/** JSON that stops in the middle; what is too short to cut gets a brace that nothing closes. */
export function cutJson(bytes: Uint8Array<ArrayBuffer>): string {
  const text = new TextDecoder().decode(bytes);
  const half = text.slice(0, Math.ceil(text.length / 2));
  return isJson(half) ? `{${half}` : half;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The answer with a body that comes in small pieces, with a wait before each but the first. */
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

/** The answer with half of its body; the rest never comes. */
export function stopHalfway(response: Response, end: StallEnd): Response {
  return transform(response, async (source, { controller }) => {
    const bytes = await collect(source);
    const half = bytes.slice(0, Math.floor(bytes.length / 2));
    if (half.length > 0) controller.enqueue(half);
    stall(controller, end);
  });
}

/** The answer as a stream of events that goes wrong after some of them. */
export function breakStream(
  response: Response,
  breakage: {
    readonly after: number;
    readonly action: StreamAction;
    /** Breaks the connection. */
    fail(controller: Controller): void;
    /** Whether all that was taken out of the stream is on the wire. */
    isFlushed(): boolean;
    readonly end: StallEnd;
  },
): Response {
  const separator = response.headers.get('content-type')?.startsWith('text/event-stream') === true ? '\n\n' : '\n';
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  return transform(response, async (source, sink) => {
    const { controller } = sink;
    let last = '';
    let count = 0;
    for await (const event of splitEvents(source, separator)) {
      if (count === breakage.after) {
        if (breakage.action === 'stall') return stall(controller, breakage.end);
        if (breakage.action === 'reset') return afterwards(sink, breakage);
        if (breakage.action === 'end') return controller.close();
        if (breakage.action === 'bad-json') controller.enqueue(encode(toBadEvent(separator)));
        if (breakage.action === 'duplicate') controller.enqueue(encode(last));
      }
      controller.enqueue(encode(event));
      last = event;
      count += 1;
    }
    controller.close();
  });
}

/** An event whose data begins like JSON and ends too soon. */
function toBadEvent(separator: string): string {
  return separator === '\n\n' ? 'data: {"broken": \n\n' : '{"broken": \n';
}

/** Breaks the connection once everything in the stream was taken out of it and sent; not where the client left before that. */
async function afterwards(
  { controller, left }: Sink,
  breakage: { fail(controller: Controller): void; isFlushed(): boolean; readonly end: StallEnd },
): Promise<void> {
  // The queue holds one chunk by default, so that room for one means that none is waiting.
  do {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (left.aborted || breakage.end.signal.aborted) return;
  } while ((controller.desiredSize ?? 1) < 1 || !breakage.isFlushed());
  // A reset that comes together with data is seen as a plain end (libuv), so the data gets a head start.
  await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS));
  breakage.fail(controller);
}

/** Nothing more comes, until the client goes away. */
function stall(controller: Controller, end: StallEnd): void {
  const { signal, isSilent } = end;
  const finish = (): void => (isSilent ? controller.close() : controller.error(signal.reason));
  if (signal.aborted) finish();
  else signal.addEventListener('abort', finish, { once: true });
}

/** The events of a stream, each with its separator, as they come. */
async function* splitEvents(source: AsyncIterable<Uint8Array>, separator: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf(separator); end >= 0; end = rest.indexOf(separator)) {
      yield rest.slice(0, end + separator.length);
      rest = rest.slice(end + separator.length);
    }
  }
  if (rest !== '') yield rest;
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

/** An answer whose body is written by `work` from what it would have been; a failed `work` fails the body. */
function transform(
  response: Response,
  work: (source: AsyncIterable<Uint8Array>, sink: Sink) => Promise<void>,
): Response {
  const source = response.body ?? new Blob([]).stream();
  const reader = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      // Not awaited: `start` must return before anything can be read.
      // A web stream of Node is an async iterable of its chunks.
      work(source as unknown as AsyncIterable<Uint8Array>, { controller, left: reader.signal }).catch(
        (error: unknown) => controller.error(error),
      );
    },
    cancel: () => reader.abort(),
  });
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(body, { status: response.status, headers });
}
