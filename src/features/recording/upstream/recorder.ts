import { TextDecoder } from 'node:util';
import type { RequestHeaders } from '../../../http/request-headers.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { MockError } from '../../../base/errors.js';
import { decodeContent, isDecodable, isLargeContent } from '../../../http/content-encoding.js';
import type { TimedText } from '../../../http/event-stream.js';
import {
  type HeaderFields,
  omitFields,
  readContentType,
  readEndToEnd,
  readField,
} from '../../../http/header-fields.js';
import type { Call } from '../../../http/request/call.js';
import { hideUrlSecrets } from '../../../conventions/secret-forms.js';
import { readQueryValues, readTarget, removeSessionPrefix } from '../../../http/target.js';
import type { CassetteWriter } from '../cassette/cassette-writer.js';
import type { StoredExchange } from '../cassette/cassette.js';
import {
  type CutOff,
  type NewExchange,
  readExchange,
  type RecordedBody,
  type RecordedFailure,
  type RecordedRequest,
  type RecordedResponse,
  writeExchange,
} from '../cassette/exchange.js';
import type { IssuedPlaceholder, Manifest } from '../cassette/manifest.js';
import { digestBody, readBody, readEventBody, toSpooled } from '../cassette/recorded-body.js';
import type { Redactor } from '../redaction/redact.js';
import type { ReceivedBody, TimedChunk } from './received.js';

/** An exchange as it was observed, with its secrets. */
export interface ObservedExchange {
  readonly call: Call;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly elapsedMs: number;
  readonly outcome: { readonly response: ObservedResponse } | { readonly failure: RecordedFailure };
}

/** A response with the received bytes of its body. */
interface ObservedResponse extends Required<Pick<RecordedResponse, 'status' | 'headers' | 'interim' | 'trailers'>> {
  readonly reason?: string | undefined;
  readonly body: ReceivedBody;
  readonly cut?: CutOff | undefined;
}

/** Writes exchanges into one cassette, without their secrets. */
export interface Recorder {
  /** Resolves when the exchange is on disk, or with the error that explains why it was not written. */
  record(exchange: NewExchange, operation: Operation): Promise<RecordOutcome>;
  /** Remembers that an exchange was not recorded. */
  fail(error: MockError): void;
  /** Why exchanges were not recorded: a secret, a full disk, an unknown content coding. */
  readonly failures: readonly MockError[];
  /** Resolves when all pending exchanges are on disk. */
  settle(): Promise<void>;
}

/** The stored exchange, or why it was not written: an error, or the hook `beforeWrite` dropped it. */
type RecordOutcome = { readonly stored: StoredExchange } | { readonly refused: MockError } | { readonly dropped: true };

/** Changes an exchange before it is written, without its secrets; undefined or null drops it. */
type BeforeWrite = (exchange: NewExchange) => NewExchange | undefined | null;

interface RecorderParts {
  readonly writer: CassetteWriter;
  readonly redactor: Redactor;
  /** The manifest that replaces the cassette's content when the first exchange is recorded; undefined to keep the content. */
  readonly replacement: Manifest | undefined;
  /** Called with each exchange that was not recorded. */
  readonly onFailure?: ((error: MockError) => void) | undefined;
  readonly beforeWrite?: BeforeWrite | undefined;
}

/** Creates a recorder for a cassette. */
export function createRecorder({ writer, redactor, replacement, onFailure, beforeWrite }: RecorderParts): Recorder {
  const { failures, fail } = createFailures(onFailure);
  let pendingReplacement = replacement;
  const files = createRedactedWriter(writer, redactor);
  let last: Promise<unknown> = Promise.resolve();

  const write = async (exchange: NewExchange, operation: Operation): Promise<RecordOutcome> => {
    try {
      const clean = applyHook(redactor.redact(exchange, operation), beforeWrite);
      if (clean === undefined) return { dropped: true };
      const cleared = pendingReplacement === undefined ? undefined : writer.clear(pendingReplacement);
      pendingReplacement = undefined;
      const [, stored] = await Promise.all([cleared, files.add(clean)]);
      // A body that was redacted while it was written may have had more secrets.
      await files.describe();
      return { stored };
    } catch (cause) {
      const error = cause instanceof MockError ? cause : toWriteError(writer.folder, cause as Error);
      fail(error);
      return { refused: error };
    }
  };

  return {
    fail,
    failures,
    record: (exchange, operation) => {
      const written = write(exchange, operation);
      last = Promise.allSettled([last, written]);
      return written;
    },
    settle: async () => {
      await last;
      await files.describe();
      await writer.settle();
    },
  };
}

/** Collects why exchanges are not recorded. */
export function createFailures(onFailure: RecorderParts['onFailure']): Pick<Recorder, 'fail' | 'failures'> {
  const failures: MockError[] = [];
  const fail = (error: MockError): void => {
    failures.push(error);
    onFailure?.(error);
  };
  return { failures, fail };
}

/** Writes redacted exchanges, and their placeholders before them. */
function createRedactedWriter(writer: CassetteWriter, { placeholders, scan, redactPlace }: Redactor) {
  let unwritten: readonly IssuedPlaceholder[] = [];

  /** Writes new placeholders, before a file contains them; undefined without any. */
  const describe = (): Promise<void> | undefined => {
    const issued = [...unwritten, ...placeholders.takeNew()];
    if (issued.length === 0) return undefined;
    unwritten = [];
    const written = writer.addPlaceholders(issued);
    written.catch(() => (unwritten = [...issued, ...unwritten]));
    return written;
  };

  /** Writes an exchange; a secret that the scan finds is redacted where it is, if that is a place in the exchange. */
  const add = async (exchange: NewExchange, attempts = MAX_PLACES): Promise<StoredExchange> => {
    // The writer works in order: the placeholders are stored before the exchange is written.
    const stored = describe();
    const added = writer.add(exchange, scan);
    try {
      await Promise.all([stored, added]);
      return await added;
    } catch (error) {
      const isSecret = error instanceof MockError && error.code === 'RECORDING_SECRET' && attempts > 0;
      const next = isSecret ? redactPlace(exchange, error) : undefined;
      if (next === undefined) throw error;
      return add(next, attempts - 1);
    }
  };

  return { add, describe };
}

/** The maximum number of secrets of an exchange that the scan finds after redaction. */
const MAX_PLACES = 50;

/** The exchange that a hook returns; undefined if it drops it. @throws MockError `RECORDING_INVALID` if it is not valid. */
function applyHook(exchange: NewExchange, beforeWrite: BeforeWrite | undefined): NewExchange | undefined {
  const changed = beforeWrite === undefined ? exchange : (beforeWrite(exchange) ?? undefined);
  if (changed !== undefined && changed !== exchange) {
    readExchange(writeExchange({ ...changed, number: 1 }), 'the exchange that beforeWrite returned', 1);
  }
  return changed;
}

/** The error for an exchange that could not be written, for example because the disk is full. */
export function toWriteError(folder: string, cause: Error): MockError {
  return new MockError('RECORDING_FAILED', `an exchange was not recorded: ${cause.message}`, {
    at: { file: folder },
    hint: 'the client got the answer of the upstream; correct the cause and record again',
    cause,
  });
}

/** The error for an exchange with a body that cannot be decoded, and so not be searched for secrets. */
export function toCodingError({ method, url, headers, bytes, file }: Call): MockError {
  const coding = headers.get('content-encoding') ?? undefined;
  const isSent = (bytes !== undefined || file !== undefined) && !isDecodable(coding);
  const whose = isSent ? `the content coding "${coding}" of its request` : 'its content coding';
  const reason = `${method} ${hideUrlSecrets(url)} was not recorded: ${whose} is unknown or broken, so that it cannot be redacted`;
  const hint = `the client got the answer of the upstream; let the client ${isSent ? 'send' : 'accept'} gzip, br, deflate or no coding`;
  return new MockError('RECORDING_FAILED', reason, { hint });
}

/** The request fields to forward: end-to-end, without the fields and the cookie that control the mock. */
export function readForwardFields(headers: RequestHeaders): HeaderFields {
  const fields = readEndToEnd(headers);
  const control = Object.keys(fields).filter((name) => name.startsWith('x-mock-'));
  const { cookie, ...rest } = omitFields(fields, control);
  const kept = (typeof cookie === 'string' ? cookie.split(';') : []).filter((pair) => !/^\s*mock-session=/.test(pair));
  return kept.length === 0 ? rest : { ...rest, cookie: kept.join(';').trim() };
}

// These belong to one connection or one client library and are irrelevant for a replay.
const FRAMING = ['content-length', 'content-encoding'];
const NOT_RECORDED = ['host', 'via', 'accept-encoding', 'expect', ...FRAMING];

/** The exchange as it is recorded, before redaction; undefined if a body cannot be decoded: its coding is unknown or broken. */
export function toNewExchange({ call, at, elapsedMs, outcome }: ObservedExchange): NewExchange | undefined {
  const response = 'response' in outcome ? toResponse(outcome.response, call.method) : undefined;
  const request = toRequest(call);
  if (request === undefined || ('response' in outcome && response === undefined)) return undefined;
  return {
    operation: call.operation.id,
    recordedAt: new Date(at).toISOString(),
    elapsedMs: Math.round(elapsedMs),
    request,
    response,
    failure: 'failure' in outcome ? outcome.failure : undefined,
  };
}

function toRequest(call: Call): RecordedRequest | undefined {
  const { path, search } = readTarget(removeSessionPrefix(call.url, call.operation));
  const headers = readForwardFields(call.headers);
  const body = readRequestBody(call);
  return (
    body && {
      method: call.method,
      path,
      pathParams: call.path,
      query: readQueryValues(search),
      headers: omitFields(headers, NOT_RECORDED),
      ...body,
    }
  );
}

/** The decoded body of a call as it is recorded, so that its secrets are found; undefined if it cannot be decoded. */
function readRequestBody({ headers, bytes, file }: Call): RecordedBody | undefined {
  const encoding = headers.get('content-encoding') ?? undefined;
  // The body is compared as it was sent.
  if (file !== undefined)
    return isDecodable(encoding) ? { ...toSpooled(file.path, encoding), bodyDigest: file.digest } : undefined;
  if (bytes !== undefined && isLargeContent(bytes, encoding))
    return { ...toSpooled(bytes, encoding), bodyDigest: digestBody(bytes) };
  const content = bytes && decodeContent(bytes, encoding);
  if (bytes !== undefined && content === undefined) return undefined;
  return readBody(content, { 'content-type': headers.get('content-type') ?? '' });
}

function toResponse(response: ObservedResponse, method: string): RecordedResponse | undefined {
  const { status, reason, headers, interim, trailers, cut } = response;
  const body = toBody(response);
  return (
    body && {
      status,
      ...(reason !== undefined && { reason }),
      // RFC 9110 9.3.2: the framing of an answer to HEAD describes the content of GET.
      headers: method === 'HEAD' ? headers : omitFields(headers, FRAMING),
      ...(interim.length > 0 && { interim }),
      ...(trailers.length > 0 && { trailers }),
      ...(cut !== undefined && { cut }),
      ...body,
    }
  );
}

function toBody({ headers, body, cut }: ObservedResponse): RecordedBody | undefined {
  const encoding = readField(headers, 'content-encoding');
  if ('file' in body) return isDecodable(encoding) ? toSpooled(body.file.path, encoding) : undefined;
  const { chunks } = body;
  const options = { isCut: cut !== undefined };
  const whole = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  if (isLargeContent(whole, encoding, options)) return toSpooled(whole, encoding);
  const bytes = decodeContent(whole, encoding, options);
  if (bytes === undefined) return undefined;
  if (readContentType(headers) !== 'text/event-stream') return readBody(bytes, headers);
  // The chunks of compressed content are not text; their times are lost.
  const timed = encoding === undefined ? chunks : [{ atMs: 0, bytes }];
  const decoder = new TextDecoder();
  const toText = ({ atMs, bytes: chunk }: TimedChunk): TimedText => {
    return { atMs: Math.round(atMs), text: decoder.decode(chunk, { stream: true }) };
  };
  return readEventBody(timed.map(toText));
}
