import type { Operation } from '../../contract/operations/operation.js';
import { MockError } from '../../errors.js';
import { decodeContent, isDecodable } from '../../http/content-encoding.js';
import type { TimedText } from '../../http/event-stream.js';
import { type HeaderFields, omitFields, readContentType, readEndToEnd, readField } from '../../http/header-fields.js';
import type { ReceivedFile } from '../../http/request/body-bytes.js';
import type { Call } from '../../http/request/call.js';
import { readQueryValues, readTarget, removeSessionPrefix } from '../../http/target.js';
import type { CassetteWriter } from '../cassette/cassette-writer.js';
import type { StoredExchange } from '../cassette/cassette.js';
import type {
  CutOff,
  NewExchange,
  RecordedBody,
  RecordedFailure,
  RecordedRequest,
  RecordedResponse,
} from '../cassette/exchange.js';
import type { Manifest } from '../cassette/manifest.js';
import { readBody, readEventBody } from '../cassette/recorded-body.js';
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

/** The stored exchange, or why it was not written. */
type RecordOutcome = { readonly stored: StoredExchange } | { readonly refused: MockError };

interface RecorderParts {
  readonly writer: CassetteWriter;
  readonly redactor: Redactor;
  /** The manifest that replaces the cassette's content when the first exchange is recorded; undefined to keep the content. */
  readonly replacement: Manifest | undefined;
  /** Called with each exchange that was not recorded. */
  readonly onFailure?: ((error: MockError) => void) | undefined;
}

/** Creates a recorder for a cassette. */
export function createRecorder({ writer, redactor, replacement, onFailure }: RecorderParts): Recorder {
  const { placeholders } = redactor;
  let failures: readonly MockError[] = [];
  const fail = (error: MockError): void => {
    failures = [...failures, error];
    onFailure?.(error);
  };
  let describedCount = placeholders.issued.size;
  let pendingReplacement = replacement;
  let describing: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** Adds all placeholders to the manifest, before a file contains them. */
  const describe = (manifest: Manifest): Manifest => {
    describing = undefined;
    describedCount = placeholders.issued.size;
    return { ...manifest, redacted: Object.fromEntries(placeholders.issued) };
  };

  const write = async (exchange: NewExchange, operation: Operation): Promise<RecordOutcome> => {
    const before: Promise<void>[] = [];
    if (pendingReplacement !== undefined) before.push(writer.clear(pendingReplacement));
    pendingReplacement = undefined;
    const knownBefore = placeholders.known;
    const clean = redactor.redact(exchange, operation);
    // A change of the manifest that is still waiting adds the new placeholders too.
    if (placeholders.issued.size > describedCount) before.push((describing ??= writer.describe(describe)));
    // A credential existed before the exchange; secrets in bodies usually did not.
    const credentials = placeholders.known.filter((entry) => {
      return !knownBefore.includes(entry) && !/^(?:schema|key):/.test(placeholders.issued.get(entry[1]) ?? '');
    });
    const replaceCredentials = (text: string): string =>
      credentials.reduce((clean, [secret, by]) => clean.replaceAll(Buffer.from(secret).toString('latin1'), by), text);
    // A new credential may also be in the exchanges that are already on disk.
    if (credentials.length > 0 && writer.read().exchanges.length > 0) before.push(writer.rewrite(replaceCredentials));
    // The writer works in order: the tasks above are finished before the exchange is written.
    const added = writer.add(clean, redactor.scan);
    try {
      await Promise.all([...before, added]);
      // A body that was redacted while it was written may have had more secrets.
      if (placeholders.issued.size > describedCount) await (describing ??= writer.describe(describe));
      return { stored: await added };
    } catch (cause) {
      const error = cause instanceof MockError ? cause : toWriteError(writer.folder, cause as Error);
      fail(error);
      return { refused: error };
    }
  };

  return {
    fail,
    get failures() {
      return failures;
    },
    record: (exchange, operation) => {
      const written = write(exchange, operation);
      last = Promise.allSettled([last, written]);
      return written;
    },
    settle: async () => {
      await last;
    },
  };
}

/** The error for an exchange that could not be written, for example because the disk is full. */
export function toWriteError(folder: string, cause: Error): MockError {
  return new MockError('RECORDING_FAILED', `an exchange was not recorded: ${cause.message}`, {
    at: { file: folder },
    hint: 'the client got the answer of the upstream; correct the cause and record again',
    cause,
  });
}

/** The request fields to forward: end-to-end, without the fields and the cookie that control the mock. */
export function readForwardFields(headers: Headers): HeaderFields {
  const fields = readEndToEnd(headers);
  const control = Object.keys(fields).filter((name) => name.startsWith('x-mock-'));
  const { cookie, ...rest } = omitFields(fields, control);
  const kept = (typeof cookie === 'string' ? cookie.split(';') : []).filter((pair) => !/^\s*mock-session=/.test(pair));
  return kept.length === 0 ? rest : { ...rest, cookie: kept.join(';').trim() };
}

// These belong to one connection or one client library and are irrelevant for a replay.
const NOT_RECORDED = ['host', 'content-length', 'accept-encoding', 'expect'];
const FRAMING = ['content-length', 'content-encoding'];

/** The exchange as it is recorded, before redaction; undefined if the body of the response cannot be decoded: its coding is unknown or broken. */
export function toNewExchange({ call, at, elapsedMs, outcome }: ObservedExchange): NewExchange | undefined {
  const response = 'response' in outcome ? toResponse(outcome.response, call.method) : undefined;
  if ('response' in outcome && response === undefined) return undefined;
  return {
    operation: call.operation.id,
    recordedAt: new Date(at).toISOString(),
    elapsedMs: Math.round(elapsedMs),
    request: toRequest(call),
    response,
    failure: 'failure' in outcome ? outcome.failure : undefined,
  };
}

function toRequest(call: Call): RecordedRequest {
  const { path, search } = readTarget(removeSessionPrefix(call.url, call.operation));
  const headers = readForwardFields(call.headers);
  return {
    method: call.method,
    path,
    pathParams: call.path,
    query: readQueryValues(search),
    headers: omitFields(headers, NOT_RECORDED),
    ...(call.file === undefined ? readBody(call.bytes, headers) : toFileBody(call.file)),
  };
}

/** The content of an encoded request stays encoded. */
function toFileBody({ path, digest }: ReceivedFile): RecordedBody {
  return { spooled: { path, encoding: undefined }, bodyDigest: digest };
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
  if ('file' in body) return isDecodable(encoding) ? { spooled: { path: body.file.path, encoding } } : undefined;
  const { chunks } = body;
  const bytes = decodeContent(Buffer.concat(chunks.map((chunk) => chunk.bytes)), encoding, {
    isCut: cut !== undefined,
  });
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
