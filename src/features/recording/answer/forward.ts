import { isJsonType, isSequenceType } from '../../../contract/media-type.js';
import type { Answer } from '../../../http/answer.js';
import { decodeStream, isDecodable, isLargeContent, toDecodableCodings } from '../../../http/content-encoding.js';
import { MAX_VALUE_BYTES } from '../../../http/json-size.js';
import { type HeaderFields, lowerNames, omitFields, readContentType, readField } from '../../../http/header-fields.js';
import type { RequestHeaders } from '../../../http/request-headers.js';
import type { Call } from '../../../http/request/call.js';
import { removeSessionPrefix, toUpstreamTarget } from '../../../http/target.js';
import { EMPTY_STATUSES, isStream } from '../../../http/response/encode.js';
import { measureBodies } from '../exclusion.js';
import type { CutOff } from '../cassette/exchange.js';
import type { Owner } from '../mode.js';
import type { Recordings } from '../recordings.js';
import type { OpenedCassette } from '../cassettes.js';
import { type BodyCollector, createBodyCollector, type ReceivedBody } from '../upstream/received.js';
import {
  type ObservedExchange,
  readForwardFields,
  toCodingError,
  toNewExchange,
  toWriteError,
} from '../upstream/recorder.js';
import type { Upstream, UpstreamResponse } from '../upstream/upstream.js';
import type { AnswerSource, Exchange, Next } from '../../../answer/chain.js';
import type { ErrorAnswers } from '../../../answer/error-answers.js';
import { hasUrls, readOwnBase, type OwnUrls, toUpstreamCall } from './own-urls.js';
import {
  answerBroken,
  answerFailure,
  answerLoop,
  listUnread,
  readContent,
  type RecordedContent,
  toReportHeaders,
  toUnread,
} from './recorded-answer.js';
import { listErrors, type ViolationCode } from '../../../schema/violation.js';
import { clearTimeout, readMonotonic, setImmediate, setTimeout } from '../../../base/platform.js';
import { replayOf } from '../matching/replay-slot.js';

/** The parts of the sources that replay and forward. */
export interface RecordingSourceParts {
  readonly recordings: Recordings;
  readonly errors: ErrorAnswers;
  /** Replaces URLs of a server; undefined if its own is not valid. */
  ownUrls(server: string): OwnUrls | undefined;
}

/** Forwards calls to the upstream and records its answers; after `replay`, for calls without a recording. */
export function createForwardSource(parts: RecordingSourceParts): AnswerSource {
  const { recordings } = parts;
  return {
    name: 'forward',
    isRepeatable: () => false,
    onInvalid: 'report',
    answer: (exchange, next) => {
      const { upstream, owners } = recordings;
      const owner = owners.ownerOf(exchange.call.operation.id);
      const forwards = owner === 'replay' ? recordings.fillsGaps(replayOf(exchange.session)) : owner !== 'mock';
      if (!forwards || upstream === undefined) {
        exchange.note('forward: the operation is not forwarded');
        return next(exchange);
      }
      // An incomplete body cannot be forwarded; a source below refuses the call.
      if (exchange.call.violations.some(({ severity, code }) => severity === 'error' && INCOMPLETE.has(code))) {
        exchange.note('forward: the body is incomplete');
        return next(exchange);
      }
      if (hasPassed(exchange.call.headers, recordings.pseudonym)) {
        exchange.note('forward: the request was forwarded by this mock before');
        return answerLoop(parts.errors, exchange.call.operation, upstream.url.origin);
      }
      const cassette = readCassette(recordings, exchange);
      const started = { at: Date.now(), startedAt: readMonotonic() };
      return forward(
        {
          ...parts,
          exchange,
          call: toUpstreamCall(exchange, upstream.url.href, parts.ownUrls),
          upstream,
          cassette,
          ...started,
        },
        owner === 'forward-then-mock' || owner === 'forward-except-501' ? { owner, next } : undefined,
      );
    },
  };
}

/** The mistakes of a body that lacks a part. */
const INCOMPLETE: ReadonlySet<ViolationCode> = new Set<ViolationCode>(['BODY_TOO_LARGE', 'BODY_INCOMPLETE']);

/** A call that is being forwarded, with the time of its start. */
interface Pending extends RecordingSourceParts {
  readonly exchange: Exchange;
  /** As the upstream gets it. */
  readonly call: Call;
  readonly upstream: Upstream;
  /** The cassette to record to; undefined if the call is not recorded. */
  readonly cassette: OpenedCassette | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** On the monotonic clock. */
  readonly startedAt: number;
}

/** Forwards a call; `mock` answers for the upstream if it has no answer. */
async function forward(
  pending: Pending,
  mock: { readonly owner: Owner; readonly next: Next } | undefined,
): Promise<Answer | undefined> {
  const { exchange, call, upstream, recordings, errors } = pending;
  const target = toUpstreamTarget(upstream.url, call.operation, removeSessionPrefix(call.url, call.operation));
  const outcome = await upstream.send({
    method: call.method,
    target,
    headers: toUpstreamFields(call.headers, recordings),
    body: call.file ?? call.bytes,
  });
  if ('failure' in outcome) {
    exchange.note(`forward: ${outcome.failure.message}`);
    if (mock?.owner === 'forward-then-mock') return mock.next(exchange);
    await record(pending, { failure: outcome.failure });
    return answerFailure(errors, call.operation, { ...outcome.failure, from: 'forward' });
  }
  exchange.note(`forward: ${call.method} ${upstream.url.origin}${target} answered ${outcome.status}`);
  if (outcome.isLoop) {
    await drain(outcome.body);
    return answerLoop(errors, call.operation, upstream.url.origin);
  }
  if (outcome.interim.length > 0) exchange.note(`forward: dropped interim responses ${outcome.interim.join(', ')}`);
  const isMissing = outcome.status === 501 || (outcome.status === 404 && mock?.owner === 'forward-then-mock');
  if (mock !== undefined && isMissing) {
    await drain(outcome.body);
    return mock.next(exchange);
  }
  return receive(pending, outcome);
}

/** The request fields for the upstream; it may only use content codings that redaction can decode. */
function toUpstreamFields(
  headers: RequestHeaders,
  { upstreamHeaders, pseudonym }: Pick<Recordings, 'upstreamHeaders' | 'pseudonym'>,
): HeaderFields {
  const fields = readForwardFields(headers);
  const accepted = readField(fields, 'accept-encoding');
  const codings: HeaderFields = accepted === undefined ? {} : { 'accept-encoding': toDecodableCodings(accepted) };
  const sent: HeaderFields = { ...fields, ...codings, ...lowerNames(upstreamHeaders) };
  return { ...sent, via: [sent['via'] ?? [], `1.1 ${pseudonym}`].flat().join(', ') };
}

/** Whether the field `Via` of a request names the mock: it has forwarded the request, and got it back. */
function hasPassed(headers: RequestHeaders, pseudonym: string): boolean {
  return headers.get('via')?.includes(pseudonym) === true;
}

/** A longer body is passed on while it arrives. */
const WHOLE_LIMIT_BYTES = 1_048_576;

/** How long the answer waits for the rest of a body; then it is passed on while it arrives. */
const WHOLE_WAIT_MS = 100;

/** A body that is being received. */
interface Arriving {
  readonly response: UpstreamResponse;
  readonly chunks: AsyncIterator<Uint8Array>;
  /** The chunks that have already arrived. */
  readonly ahead: readonly Uint8Array[];
  /** The chunk that is being waited for. */
  readonly next: Promise<IteratorResult<Uint8Array>>;
  readonly collector: BodyCollector;
  /** By `performance.now()`: when the head arrived. */
  readonly begunAt: number;
  /** Whether it is JSON that is too large to be checked. */
  readonly isLarge: boolean;
}

/** Waits for a body that is small and arrives at once, so that it is checked; another one is passed on while it arrives. */
async function receive(pending: Pending, response: UpstreamResponse): Promise<Answer> {
  const { recordings, exchange } = pending;
  const begunAt = readMonotonic();
  const collector = createBodyCollector(recordings.files.path());
  const chunks = response.body[Symbol.asyncIterator]();
  const type = readContentType(response.headers) ?? '';
  const isJson = isJsonType(type);
  const waitMs = isSequenceType(type) ? 0 : WHOLE_WAIT_MS;
  const isLarge = Number(readField(response.headers, 'content-length') ?? 0) > WHOLE_LIMIT_BYTES;
  // RFC 9110 9.3.2: the answer to HEAD has the length of another body.
  const limit = isLarge && exchange.call.method !== 'HEAD' ? 0 : WHOLE_LIMIT_BYTES;
  const ahead: Uint8Array[] = [];
  let size = 0;
  const deadline = createDeadline(waitMs);
  for (;;) {
    const next = chunks.next();
    const result = await deadline.before(next);
    if (result?.done === true) {
      deadline.clear();
      const encoding = readField(response.headers, 'content-encoding');
      // Its URLs are replaced while it is passed on.
      if (encoding !== undefined && isLargeContent(Buffer.concat(ahead), encoding))
        return answerStream(pending, { response, chunks, ahead, next, collector, begunAt, isLarge: isJson });
      return answerWhole(pending, response, await collector.finish());
    }
    if (result === undefined || size + result.value.byteLength > limit) {
      deadline.clear();
      const isLarge = isJson && result !== undefined;
      return answerStream(pending, { response, chunks, ahead, next, collector, begunAt, isLarge });
    }
    size += result.value.byteLength;
    ahead.push(result.value);
    await collector.add({ atMs: readMonotonic() - begunAt, bytes: result.value });
  }
}

/** Waits for promises, all of them together for some time. */
function createDeadline(ms: number) {
  let isOver = false;
  let giveUp: (() => void) | undefined;
  const timer = setTimeout(() => {
    isOver = true;
    giveUp?.();
  }, ms);
  return {
    /** The value of a promise; undefined if it rejects, or has no value when the time is over. */
    before: <T>(promise: Promise<T>): Promise<T | undefined> =>
      new Promise((resolve) => {
        giveUp = (): void => resolve(undefined);
        promise.then(resolve, giveUp);
        // Chunks that have arrived are taken first.
        if (isOver) setImmediate(giveUp);
      }),
    clear: (): void => clearTimeout(timer),
  };
}

async function answerWhole(pending: Pending, response: UpstreamResponse, received: ReceivedBody): Promise<Answer> {
  await recordResponse(pending, response, { body: received });
  // A collector keeps a body of this size in memory.
  const bytes = Buffer.concat(('chunks' in received ? received.chunks : []).map((chunk) => chunk.bytes));
  const { exchange, upstream } = pending;
  const changed = pending.ownUrls(upstream.url.href)?.body(bytes, response.headers, readOwnBase(exchange));
  const headers = changed === undefined ? response.headers : omitFields(response.headers, ['content-encoding']);
  const content = readContent(changed ?? bytes, headers);
  const hasBody = exchange.call.method !== 'HEAD' && !EMPTY_STATUSES.has(response.status);
  return toAnswer(pending, { ...response, headers }, hasBody ? content : { ...content, body: undefined });
}

/** Passes the chunks on; the end of the stream waits until the exchange is on disk, so that the client can rely on it. */
function answerStream(pending: Pending, arriving: Arriving): Answer {
  const { recordings } = pending;
  const { response, chunks, ahead, collector, begunAt } = arriving;
  const isRecorded = pending.cassette !== undefined;
  const { file } = pending.exchange.call;
  if (file !== undefined) recordings.files.hold(file);
  let recording: Promise<void> | undefined;
  let size = ahead.reduce((sum, bytes) => sum + bytes.byteLength, 0);
  // An exchange that is not recorded is kept for a snapshot if it is small.
  let isWhole = true;
  /** Records what arrived, once. */
  const conclude = (cut?: CutOff): Promise<void> => (recording ??= end(cut));
  const end = async (cut: CutOff | undefined): Promise<void> => {
    try {
      if (isWhole) await recordReceived(pending, arriving, cut);
    } finally {
      recordings.open.delete(stop);
      await collector.discard();
      if (file !== undefined) await recordings.files.release(file);
    }
  };
  const stop = (cut: CutOff): Promise<void> => {
    const concluded = conclude(cut);
    response.cancel();
    return concluded;
  };
  recordings.open.add(stop);
  async function* pass(): AsyncGenerator<Uint8Array> {
    try {
      yield* ahead;
      for (let result = await arriving.next; result.done !== true; result = await chunks.next()) {
        const { value: bytes } = result;
        size += bytes.byteLength;
        isWhole = isRecorded || size <= MAX_VALUE_BYTES;
        if (isWhole) await collector.add({ atMs: readMonotonic() - begunAt, bytes });
        yield bytes;
      }
    } catch (error) {
      await conclude('upstream');
      throw error;
    }
    await conclude();
  }
  const encoding = readField(response.headers, 'content-encoding');
  const isRewritten = hasUrls(response.headers) && isDecodable(encoding);
  const own = isRewritten ? pending.ownUrls(pending.upstream.url.href) : undefined;
  const sent = own === undefined ? pass() : own.stream(decodeStream(pass(), encoding), readOwnBase(pending.exchange));
  // RFC 9110 12.5.3: content without a coding is acceptable to every client that does not exclude it.
  const framing = ['content-length', 'content-encoding'];
  const headers = own === undefined ? response.headers : omitFields(response.headers, framing);
  const body = toCancellable(sent, () => stop('client'));
  return toAnswer(pending, { ...response, headers }, arriving.isLarge ? toUnread(body) : { body, value: undefined });
}

/** A stream that can be cancelled while it waits for the next chunk, which a generator cannot. */
function toCancellable(
  chunks: AsyncGenerator<Uint8Array>,
  cancel: () => Promise<void>,
): AsyncIterableIterator<Uint8Array> {
  return {
    next: () => chunks.next(),
    return: async () => {
      await cancel();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function recordReceived(pending: Pending, { response, collector }: Arriving, cut?: CutOff): Promise<void> {
  try {
    const body = await collector.finish();
    if (cut !== undefined) pending.exchange.note(`forward: the response was cut off by the ${cut}`);
    await recordResponse(pending, response, { body, cut });
  } catch (error) {
    pending.cassette?.recorder?.fail(toWriteError(pending.cassette.read().folder, error as Error));
  }
}

function toAnswer(
  { exchange, recordings, errors, upstream, ownUrls }: Pending,
  response: Pick<UpstreamResponse, 'status' | 'reason' | 'headers'>,
  content: RecordedContent,
): Answer {
  const { call } = exchange;
  const violations = [
    ...recordings.check(call.operation, { ...response, body: content.value }),
    ...listUnread(content),
  ];
  const [broken] = recordings.enforce === undefined ? [] : listErrors(violations);
  if (broken !== undefined) return { ...answerBroken(errors, call.operation, broken.message), violations };
  const headers = ownUrls(upstream.url.href)?.fields(response.headers, readOwnBase(exchange)) ?? response.headers;
  // The encoder writes the length of a body that is not a stream.
  const keepsLength = call.method === 'HEAD' || content.body === undefined || isStream(content.body);
  // The encoder sends the media type of a body; an answer without one may have it too.
  const omitted = [...(content.body === undefined ? [] : ['content-type']), ...(keepsLength ? [] : ['content-length'])];
  return {
    status: response.status,
    reason: response.reason,
    headers: {
      ...omitFields(headers, omitted),
      ...toReportHeaders(call),
    },
    body: content.body,
    mediaType: content.body === undefined ? undefined : readField(response.headers, 'content-type'),
    from: 'forward',
    violations,
    violates: 'it is the answer of the upstream',
    checked: { body: content.body },
  };
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body) {
      // Read to the end, so that the connection can be used again.
    }
  } catch {
    // The mock answers anyway.
  }
}

/** The cassette to record into, if the mode records. */
function readCassette(recordings: Recordings, { session }: Exchange): OpenedCassette | undefined {
  const cassette = recordings.mode === 'replay' ? undefined : recordings.current(replayOf(session));
  return cassette?.recorder === undefined ? undefined : cassette;
}

async function recordResponse(
  pending: Pending,
  response: UpstreamResponse,
  received: { readonly body: ReceivedBody; readonly cut?: CutOff | undefined },
): Promise<void> {
  const trailers = response.trailers();
  if (trailers.length > 0) pending.exchange.note(`forward: dropped trailers ${trailers.join(', ')}`);
  const { status, reason, headers, interim } = response;
  await record(pending, { response: { status, reason, headers, interim, trailers, ...received } });
}

/** Records the exchange, if the mode records; resolves when it is on disk. */
async function record(pending: Pending, outcome: ObservedExchange['outcome']): Promise<void> {
  const { exchange, call, recordings, cassette, at, startedAt } = pending;
  const { session } = exchange;
  const bodyBytes = measureBodies({ call, outcome });
  const excluded = recordings.exclusion.reasonFor(call.operation.id, bodyBytes);
  if (excluded !== undefined) return exchange.note(`forward: not recorded: ${excluded}`);
  const seen = { call, at, elapsedMs: readMonotonic() - startedAt, outcome };
  if (cassette?.recorder === undefined) return recordings.keep(seen, bodyBytes);
  const observed = toNewExchange(seen);
  if (observed === undefined) {
    const error = toCodingError(call);
    exchange.note(`forward: ${error.reason}`);
    return cassette.recorder.fail(error);
  }
  const written = await cassette.recorder.record(recordings.exclusion.apply(observed), call.operation);
  if ('dropped' in written) return exchange.note('forward: not recorded: beforeWrite dropped it');
  if ('refused' in written) return exchange.note(`forward: not recorded: ${written.refused.reason}`);
  const { stored } = written;
  exchange.note(`forward: recorded as ${stored.file}`);
  for (const body of [stored.request, stored.response]) {
    if (body?.bodyNote !== undefined) exchange.note(`forward: recorded without a readable form: ${body.bodyNote}`);
  }
  const { matcher, positions } = cassette;
  matcher.add(stored);
  // The exchange counts as replayed: the same request is answered by the next one of its sequence.
  replayOf(session).pass(positions, () => matcher.keyOf(stored));
}
