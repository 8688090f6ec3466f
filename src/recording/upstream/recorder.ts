import type { Operation } from '../../contract/operations/operation.js';
import { MockError } from '../../errors.js';
import { decodeContent } from '../../http/content-encoding.js';
import { readEvents, type TimedText } from '../../http/event-stream.js';
import { type HeaderFields, omitFields, readContentType, readEndToEnd, readField } from '../../http/header-fields.js';
import type { Call } from '../../http/request/call.js';
import { readQueryValues, readTarget, removeSessionPrefix } from '../../http/target.js';
import type { CassetteWriter } from '../cassette/cassette-writer.js';
import type { StoredExchange } from '../cassette/cassette.js';
import type {
  NewExchange,
  RecordedBody,
  RecordedFailure,
  RecordedRequest,
  RecordedResponse,
} from '../cassette/exchange.js';
import type { Manifest } from '../cassette/manifest.js';
import { readBody } from '../cassette/recorded-body.js';
import type { Redactor } from '../redaction/redact.js';

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
  readonly chunks: readonly TimedChunk[];
}

/** A chunk of a body with the time of its arrival. */
export interface TimedChunk {
  /** Milliseconds since the response began. */
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

/** Writes exchanges into one cassette, without their secrets. */
export interface Recorder {
  /** Resolves when the exchange is on disk, or with the error that explains why it was not written. */
  record(exchange: NewExchange, operation: Operation): Promise<RecordOutcome>;
  /** Errors of the exchanges that were not written because they still contained a secret. */
  readonly refusals: readonly MockError[];
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
}

/** Creates a recorder for a cassette. */
export function createRecorder({ writer, redactor, replacement }: RecorderParts): Recorder {
  const { placeholders } = redactor;
  let refusals: readonly MockError[] = [];
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
      await Promise.all(before);
      return { stored: await added };
    } catch (error) {
      if (!(error instanceof MockError) || error.code !== 'RECORDING_SECRET') throw error;
      refusals = [...refusals, error];
      return { refused: error };
    }
  };

  return {
    get refusals() {
      return refusals;
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

/** The exchange as it is recorded, before redaction; undefined if the body of the response cannot be decoded. */
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
    ...readBody(call.bytes, headers),
  };
}

function toResponse(response: ObservedResponse, method: string): RecordedResponse | undefined {
  const { status, headers, interim, trailers, chunks } = response;
  const body = toBody(headers, chunks);
  return (
    body && {
      status,
      // RFC 9110 9.3.2: the framing of an answer to HEAD describes the content of GET.
      headers: method === 'HEAD' ? headers : omitFields(headers, FRAMING),
      ...(interim.length > 0 && { interim }),
      ...(trailers.length > 0 && { trailers }),
      ...body,
    }
  );
}

function toBody(headers: HeaderFields, chunks: readonly TimedChunk[]): RecordedBody | undefined {
  const encoding = readField(headers, 'content-encoding');
  const bytes = decodeContent(Buffer.concat(chunks.map((chunk) => chunk.bytes)), encoding);
  if (bytes === undefined) return undefined;
  if (readContentType(headers) !== 'text/event-stream') return readBody(bytes, headers);
  // The chunks of compressed content are not text; their times are lost.
  const timed = encoding === undefined ? chunks : [{ atMs: 0, bytes }];
  const decoder = new TextDecoder();
  const toText = ({ atMs, bytes: chunk }: TimedChunk): TimedText => {
    return { atMs: Math.round(atMs), text: decoder.decode(chunk, { stream: true }) };
  };
  return { events: readEvents(timed.map(toText)) };
}
