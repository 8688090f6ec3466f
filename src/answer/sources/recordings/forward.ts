import type { Answer } from '../../../http/answer.js';
import { decodeContent, toDecodableCodings } from '../../../http/content-encoding.js';
import { type HeaderFields, omitFields, readContentType, readField } from '../../../http/header-fields.js';
import { isJsonType } from '../../../http/media-type.js';
import {
  readTarget,
  removeSessionPrefix,
  splitBasePath,
  toMockLocation,
  toUpstreamTarget,
} from '../../../http/target.js';
import type { OpenedCassette, Recordings } from '../../../recording/recordings.js';
import {
  readForwardFields,
  type SeenChunk,
  type SeenExchange,
  toUnnumbered,
} from '../../../recording/upstream/draft.js';
import { toFailure, type Upstream, type UpstreamResponse } from '../../../recording/upstream/upstream.js';
import type { AnswerSource, Exchange, Next } from '../../chain.js';
import type { ErrorAnswers } from '../../error-answers.js';
import { answerFailure, toReportHeaders } from './foreign-calls.js';

/** What forwarding is made of. */
export interface ForwardParts {
  readonly recordings: Recordings;
  readonly errors: ErrorAnswers;
}

/**
 * Asks the upstream, and records what it says. Stands behind `replay`: with `record-missing`, what is not recorded comes here.
 */
export function createForwardSource({ recordings, errors }: ForwardParts): AnswerSource {
  const { upstream, ownership } = recordings;
  return {
    name: 'forward',
    onInvalid: 'report',
    answer: (exchange, next) => {
      const owner = ownership.ownerOf(exchange.call.operation.id);
      const isMine =
        owner === 'forward' ||
        owner === 'forward-then-mock' ||
        (owner === 'replay' && recordings.mode === 'record-missing');
      if (!isMine || upstream === undefined) return next();
      // What did not arrive whole cannot be passed on; the mock refuses it further down.
      if (exchange.call.violations.some(({ code }) => code === 'BODY_TOO_LARGE' || code === 'BODY_INCOMPLETE'))
        return next();
      return forward({ exchange, next, recordings, errors, upstream, mockFollows: owner === 'forward-then-mock' });
    },
  };
}

interface Forwarding extends ForwardParts {
  readonly exchange: Exchange;
  readonly next: Next;
  readonly upstream: Upstream;
  /** Whether the mock answers what the upstream does not have. */
  readonly mockFollows: boolean;
}

/** An exchange on its way: what is known of it before its response. */
interface Begun {
  readonly forwarding: Forwarding;
  readonly at: number;
  readonly startedAt: number;
}

async function forward(forwarding: Forwarding): Promise<Answer | undefined> {
  const { exchange, upstream, recordings, errors } = forwarding;
  const { call } = exchange;
  const begun: Begun = { forwarding, at: Date.now(), startedAt: performance.now() };
  const target = toUpstreamTarget(upstream.url, call.operation, removeSessionPrefix(call.url));
  const outcome = await upstream.send({
    method: call.method,
    target,
    headers: toUpstreamFields(call.headers, recordings.upstreamHeaders),
    body: call.bytes,
  });
  if ('failure' in outcome) {
    exchange.note(`forward: ${outcome.failure.message}`);
    if (forwarding.mockFollows) return forwarding.next();
    await record(begun, { failure: outcome.failure });
    return answerFailure(errors, call.operation, { ...outcome.failure, from: 'forward' });
  }
  exchange.note(`forward: ${call.method} ${upstream.url.origin}${target} answered ${outcome.status}`);
  if (outcome.interim.length > 0)
    exchange.note(`forward: interim answers ${outcome.interim.join(', ')} were not passed on`);
  if (forwarding.mockFollows && (outcome.status === 501 || outcome.status === 404)) {
    await drain(outcome.body);
    return forwarding.next();
  }
  return isStream(call.method, outcome) ? streamAnswer(begun, outcome) : wholeAnswer(begun, outcome);
}

/** The client's fields without those of its connection; codings that could not be read, and so not redacted, are not asked for. */
function toUpstreamFields(headers: Headers, own: Readonly<Record<string, string>>): HeaderFields {
  const fields = readForwardFields(headers);
  const accepted = readField(fields, 'accept-encoding');
  const lower = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...fields,
    ...(accepted === undefined ? {} : { 'accept-encoding': toDecodableCodings(accepted) }),
    ...lower,
  };
}

const STREAM_LIMIT_BYTES = 1_048_576;

/** Whether a body is passed on piece by piece: event streams, and whatever is large or of unknown length and no JSON. */
function isStream(method: string, { status, headers }: UpstreamResponse): boolean {
  // RFC 9110 6.4.1: these have no content, so that nobody would read the stream to its end.
  if (method === 'HEAD' || status === 204 || status === 205 || status === 304) return false;
  const mediaType = readContentType(headers);
  if (mediaType !== undefined && isJsonType(mediaType)) return false;
  const length = readField(headers, 'content-length');
  return length === undefined || Number(length) > STREAM_LIMIT_BYTES;
}

async function wholeAnswer(begun: Begun, response: UpstreamResponse): Promise<Answer> {
  const { exchange, errors, upstream } = begun.forwarding;
  const { call } = exchange;
  const chunks: SeenChunk[] = [];
  const begunAt = performance.now();
  try {
    for await (const bytes of response.body) chunks.push({ atMs: performance.now() - begunAt, bytes });
  } catch (error) {
    const failure = toFailure(error as Error, upstream.url);
    await record(begun, { failure });
    return answerFailure(errors, call.operation, { ...failure, from: 'forward' });
  }
  noteTrailers(begun, response);
  await record(begun, { response: { ...response, trailers: response.trailers(), chunks } });
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  const { body, value } = readWhole(bytes, response.headers);
  const hasBody = call.method !== 'HEAD' && !(bytes.byteLength === 0 && [204, 205, 304].includes(response.status));
  return toAnswer(begun, response, { body: hasBody ? body : undefined, value });
}

/** The body as it goes on, and the JSON value in it; they are one where writing the value again gives the same bytes. */
function readWhole(bytes: Buffer, headers: HeaderFields): { readonly body: unknown; readonly value: unknown } {
  const mediaType = readContentType(headers);
  if (mediaType === undefined || !isJsonType(mediaType)) return { body: bytes, value: undefined };
  const coding = readField(headers, 'content-encoding');
  const decoded = decodeContent(bytes, coding);
  if (decoded === undefined) return { body: bytes, value: undefined };
  const text = Buffer.from(decoded).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return { body: coding === undefined && JSON.stringify(value) === text ? value : bytes, value };
  } catch {
    return { body: bytes, value: undefined };
  }
}

/** The end of a stream is held back until the exchange is on disk: a client that saw the end finds it recorded. */
function streamAnswer(begun: Begun, response: UpstreamResponse): Answer {
  const { upstream } = begun.forwarding;
  const chunks: SeenChunk[] = [];
  const begunAt = performance.now();
  const isKept = readCassette(begun.forwarding) !== undefined;
  let left = false;
  async function* pass(): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of response.body) {
        if (isKept) chunks.push({ atMs: performance.now() - begunAt, bytes });
        yield bytes;
      }
    } catch (error) {
      // A client that left is no failure of the upstream.
      if (!left) await record(begun, { failure: toFailure(error as Error, upstream.url) });
      throw error;
    }
    noteTrailers(begun, response);
    await record(begun, { response: { ...response, trailers: response.trailers(), chunks } });
  }
  const leave = (): void => {
    left = true;
    response.cancel();
  };
  return toAnswer(begun, response, { body: toLeavable(pass(), leave), value: undefined });
}

/** A stream whose reader may leave while the next piece is being waited for: a generator alone would go on waiting. */
function toLeavable(pieces: AsyncGenerator<Uint8Array>, leave: () => void): AsyncIterableIterator<Uint8Array> {
  return {
    next: () => pieces.next(),
    return: async () => {
      leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function toAnswer(
  { forwarding }: Begun,
  response: UpstreamResponse,
  content: { readonly body: unknown; readonly value: unknown },
): Answer {
  const { exchange, recordings, upstream } = forwarding;
  const { call } = exchange;
  const violations = recordings.check(call.operation, { ...response, body: content.value });
  const location = readField(response.headers, 'location');
  const { path } = readTarget(removeSessionPrefix(call.url));
  const { basePath } = splitBasePath(call.operation, path);
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
    deviates: 'the upstream answered so',
    checked: { body: content.body },
  };
}

function noteTrailers({ forwarding }: Begun, response: UpstreamResponse): void {
  const names = response.trailers();
  if (names.length > 0) forwarding.exchange.note(`forward: trailers ${names.join(', ')} were dropped`);
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body) {
      // Read to the end, so that the connection can be used again.
    }
  } catch {
    // It broke off, and nobody wanted what was to come: the mock answers all the same.
  }
}

/** What the upstream was asked for, and who keeps its answer. */
export interface Asked {
  readonly exchange: Exchange;
  readonly recordings: Recordings;
}

/** A request that is on its way. */
export interface BegunExchange {
  readonly forwarding: Asked;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** By the process's own clock. */
  readonly startedAt: number;
}

/** The cassette that is recorded into; undefined where the upstream is only asked. */
export function readCassette({ recordings, exchange }: Asked): OpenedCassette | undefined {
  const cassette = recordings.mode === 'replay' ? undefined : recordings.current(exchange.session.replay);
  return cassette?.recorder === undefined ? undefined : cassette;
}

/** Writes what was seen into the cassette, if there is one; resolves once it is on disk. */
export async function record(
  { forwarding, at, startedAt }: BegunExchange,
  outcome: SeenExchange['outcome'],
): Promise<void> {
  const { exchange } = forwarding;
  const { call } = exchange;
  const cassette = readCassette(forwarding);
  if (cassette?.recorder === undefined) return;
  const draft = toUnnumbered({ call, at, elapsedMs: performance.now() - startedAt, outcome });
  if (draft === undefined) {
    exchange.note('forward: not recorded, because its content coding cannot be read and so not be redacted');
    return;
  }
  const written = await cassette.recorder.record(draft, call.operation);
  if ('refused' in written) {
    exchange.note(`forward: not recorded: ${written.refused.message}`);
    return;
  }
  remember(cassette, exchange, written.stored.number);
  exchange.note(`forward: recorded as ${written.stored.file}`);
}

/** What was recorded just now counts as replayed: the same request again is the next of its sequence. */
function remember(cassette: OpenedCassette, { call, session }: Exchange, number: number): void {
  const exchange = cassette.read().exchanges.find((candidate) => candidate.number === number);
  if (exchange === undefined) return;
  cassette.matcher.add(exchange);
  session.replay.pass(cassette.name, cassette.matcher.key(call));
}
