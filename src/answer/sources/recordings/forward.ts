import type { Operation } from '../../../contract/operations/operation.js';
import type { Answer } from '../../../http/answer.js';
import { decodeContent, toDecodableCodings } from '../../../http/content-encoding.js';
import { type HeaderFields, omitFields, readContentType, readField } from '../../../http/header-fields.js';
import { isJsonType } from '../../../http/media-type.js';
import type { Call } from '../../../http/request/call.js';
import {
  readTarget,
  removeSessionPrefix,
  splitBasePath,
  toMockLocation,
  toUpstreamTarget,
} from '../../../http/target.js';
import type { RecordedFailure } from '../../../recording/cassette/exchange.js';
import type { OpenedCassette, Recordings } from '../../../recording/recordings.js';
import {
  type ObservedExchange,
  readForwardFields,
  type TimedChunk,
  toNewExchange,
} from '../../../recording/upstream/recorder.js';
import { toFailure, type Upstream, type UpstreamResponse } from '../../../recording/upstream/upstream.js';
import { listErrors } from '../../../schema/violation.js';
import type { AnswerSource, Exchange, Next } from '../../chain.js';
import type { ErrorAnswers } from '../../error-answers.js';

/** The parts of the sources that replay and forward. */
export interface RecordingSourceParts {
  readonly recordings: Recordings;
  readonly errors: ErrorAnswers;
}

/** Forwards calls to the upstream and records its answers; after `replay`, for calls without a recording. */
export function createForwardSource({ recordings, errors }: RecordingSourceParts): AnswerSource {
  const { upstream, owners } = recordings;
  return {
    name: 'forward',
    onInvalid: 'report',
    answer: (exchange, next) => {
      const owner = owners.ownerOf(exchange.call.operation.id);
      const forwards = owner === 'replay' ? recordings.mode === 'record-missing' : owner !== 'mock';
      if (!forwards || upstream === undefined) {
        exchange.note('forward: the operation is not forwarded');
        return next();
      }
      // An incomplete body cannot be forwarded; a source below refuses the call.
      if (exchange.call.violations.some(({ code }) => code === 'BODY_TOO_LARGE' || code === 'BODY_INCOMPLETE')) {
        exchange.note('forward: the body is incomplete');
        return next();
      }
      const started = { at: Date.now(), startedAt: performance.now() };
      return forward(
        { exchange, recordings, errors, upstream, ...started },
        owner === 'forward-then-mock' ? next : undefined,
      );
    },
  };
}

const SHOWN_VIOLATIONS = 3;

/** A header with the violations of a call that is answered although it violates the contract; undefined without any. */
export function toReportHeaders(call: Call): Readonly<Record<string, string>> | undefined {
  const errors = listErrors(call.violations);
  if (errors.length === 0) return undefined;
  const shown = errors.slice(0, SHOWN_VIOLATIONS).map(({ code, message }) => `${code} ${message}`);
  const more = errors.length > SHOWN_VIOLATIONS ? [`and ${errors.length - SHOWN_VIOLATIONS} more`] : [];
  return { 'x-mock-request-violations': [...shown, ...more].join('; ') };
}

/** The answer for a failed connection, in the contract's own error shape: 504 for a timeout, else 502 (RFC 9110 15.6.3, 15.6.5). */
export function answerFailure(
  errors: ErrorAnswers,
  operation: Operation,
  failure: RecordedFailure & { readonly from: string },
): Answer {
  const answer = errors.answer(operation, {
    status: failure.kind === 'timeout' ? 504 : 502,
    message: failure.message,
    code: `upstream_${failure.kind}`,
    from: failure.from,
  });
  return { ...answer, violates: 'the upstream failed' };
}

/** A call that is being forwarded, with the time of its start. */
interface Pending extends RecordingSourceParts {
  readonly exchange: Exchange;
  readonly upstream: Upstream;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** On the monotonic clock. */
  readonly startedAt: number;
}

/** Forwards a call; `mock` answers for the upstream if it has no answer. */
async function forward(pending: Pending, mock: Next | undefined): Promise<Answer | undefined> {
  const { exchange, upstream, recordings, errors } = pending;
  const { call } = exchange;
  const target = toUpstreamTarget(upstream.url, call.operation, removeSessionPrefix(call.url, call.operation));
  const outcome = await upstream.send({
    method: call.method,
    target,
    headers: toUpstreamFields(call.headers, recordings.upstreamHeaders),
    body: call.bytes,
  });
  if ('failure' in outcome) {
    exchange.note(`forward: ${outcome.failure.message}`);
    if (mock !== undefined) return mock();
    await record(pending, { failure: outcome.failure });
    return answerFailure(errors, call.operation, { ...outcome.failure, from: 'forward' });
  }
  exchange.note(`forward: ${call.method} ${upstream.url.origin}${target} answered ${outcome.status}`);
  if (outcome.interim.length > 0) exchange.note(`forward: dropped interim responses ${outcome.interim.join(', ')}`);
  if (mock !== undefined && (outcome.status === 501 || outcome.status === 404)) {
    await drain(outcome.body);
    return mock();
  }
  return isStreamed(call.method, outcome) ? answerStream(pending, outcome) : answerWhole(pending, outcome);
}

/** The request fields for the upstream; it may only use content codings that redaction can decode. */
function toUpstreamFields(headers: Headers, own: Readonly<Record<string, string>>): HeaderFields {
  const fields = readForwardFields(headers);
  const accepted = readField(fields, 'accept-encoding');
  const codings: HeaderFields = accepted === undefined ? {} : { 'accept-encoding': toDecodableCodings(accepted) };
  const lower = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...fields, ...codings, ...lower };
}

const STREAM_LIMIT_BYTES = 1_048_576;

// RFC 9110 6.4.1: these have no content.
const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/** Whether a body is passed on chunk by chunk: event streams and bodies that are large or of unknown length, but not JSON. */
function isStreamed(method: string, { status, headers }: UpstreamResponse): boolean {
  // A stream without content would never be read to its end.
  if (method === 'HEAD' || EMPTY_STATUSES.has(status) || isJsonType(readContentType(headers) ?? '')) return false;
  const length = readField(headers, 'content-length');
  return length === undefined || Number(length) > STREAM_LIMIT_BYTES;
}

async function answerWhole(pending: Pending, response: UpstreamResponse): Promise<Answer> {
  const { exchange, errors, upstream } = pending;
  const { call } = exchange;
  const chunks: TimedChunk[] = [];
  const begunAt = performance.now();
  try {
    for await (const bytes of response.body) chunks.push({ atMs: performance.now() - begunAt, bytes });
  } catch (error) {
    const failure = toFailure(error as Error, upstream.url);
    await record(pending, { failure });
    return answerFailure(errors, call.operation, { ...failure, from: 'forward' });
  }
  await recordResponse(pending, response, chunks);
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  const content = readContent(bytes, response.headers);
  const hasBody = call.method !== 'HEAD' && !(bytes.byteLength === 0 && EMPTY_STATUSES.has(response.status));
  return toAnswer(pending, response, hasBody ? content : { ...content, body: undefined });
}

/** The body of a recorded or forwarded response. */
export interface RecordedContent {
  /** The JSON value if it is serialized to the same bytes, else the bytes. */
  readonly body: unknown;
  /** The JSON value. */
  readonly value: unknown;
}

/** Reads the content of a response. */
export function readContent(bytes: Uint8Array, headers: HeaderFields): RecordedContent {
  const encoding = readField(headers, 'content-encoding');
  const isJson = isJsonType(readContentType(headers) ?? '');
  const decoded = isJson ? decodeContent(bytes, encoding) : undefined;
  if (decoded === undefined) return { body: bytes, value: undefined };
  const text = Buffer.from(decoded).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return { body: encoding === undefined && JSON.stringify(value) === text ? value : bytes, value };
  } catch {
    return { body: bytes, value: undefined };
  }
}

/** Passes the chunks on; the end of the stream waits until the exchange is on disk, so that the client can rely on it. */
function answerStream(pending: Pending, response: UpstreamResponse): Answer {
  const { upstream } = pending;
  const chunks: TimedChunk[] = [];
  const begunAt = performance.now();
  const isRecorded = readCassette(pending) !== undefined;
  let isCancelled = false;
  async function* pass(): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of response.body) {
        if (isRecorded) chunks.push({ atMs: performance.now() - begunAt, bytes });
        yield bytes;
      }
    } catch (error) {
      // A client that closes the connection is not a failure of the upstream.
      if (!isCancelled) await record(pending, { failure: toFailure(error as Error, upstream.url) });
      throw error;
    }
    await recordResponse(pending, response, chunks);
  }
  const cancel = (): void => {
    isCancelled = true;
    response.cancel();
  };
  return toAnswer(pending, response, { body: toCancellable(pass(), cancel), value: undefined });
}

/** A stream that can be cancelled while it waits for the next chunk, which a generator cannot. */
function toCancellable(chunks: AsyncGenerator<Uint8Array>, cancel: () => void): AsyncIterableIterator<Uint8Array> {
  return {
    next: () => chunks.next(),
    return: async () => {
      cancel();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function toAnswer(
  { exchange, recordings, upstream }: Pending,
  response: UpstreamResponse,
  content: RecordedContent,
): Answer {
  const { call } = exchange;
  const violations = recordings.check(call.operation, { ...response, body: content.value });
  const location = readField(response.headers, 'location');
  const { basePath } = splitBasePath(call.operation, readTarget(removeSessionPrefix(call.url, call.operation)).path);
  const omitted = call.method === 'HEAD' ? ['content-type'] : ['content-type', 'content-length'];
  return {
    status: response.status,
    headers: {
      ...omitFields(response.headers, omitted),
      ...(location === undefined ? {} : { location: toMockLocation(location, upstream.url, basePath) }),
      ...toReportHeaders(call),
    },
    body: content.body,
    mediaType: readField(response.headers, 'content-type'),
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

/** The cassette to record into; undefined if the mode does not record. */
function readCassette({ recordings, exchange }: Pending): OpenedCassette | undefined {
  const cassette = recordings.mode === 'replay' ? undefined : recordings.current(exchange.session.replay);
  return cassette?.recorder === undefined ? undefined : cassette;
}

async function recordResponse(
  pending: Pending,
  response: UpstreamResponse,
  chunks: readonly TimedChunk[],
): Promise<void> {
  const trailers = response.trailers();
  if (trailers.length > 0) pending.exchange.note(`forward: dropped trailers ${trailers.join(', ')}`);
  await record(pending, { response: { ...response, trailers, chunks } });
}

/** Records the exchange, if the mode records; resolves when it is on disk. */
async function record(pending: Pending, outcome: ObservedExchange['outcome']): Promise<void> {
  const { exchange, at, startedAt } = pending;
  const { call, session } = exchange;
  const cassette = readCassette(pending);
  if (cassette?.recorder === undefined) return;
  const observed = toNewExchange({ call, at, elapsedMs: performance.now() - startedAt, outcome });
  if (observed === undefined) {
    return exchange.note('forward: not recorded: its content coding is unknown, so that it cannot be redacted');
  }
  const written = await cassette.recorder.record(observed, call.operation);
  if ('refused' in written) return exchange.note(`forward: not recorded: ${written.refused.reason}`);
  const { stored } = written;
  exchange.note(`forward: recorded as ${stored.file}`);
  cassette.matcher.add(stored);
  // The exchange counts as replayed: the same request is answered by the next one of its sequence.
  session.replay.pass(cassette.name, cassette.matcher.key(call));
}
