import { decodeContent } from '../../http/content-encoding.js';
import { readEvents, type TimedText } from '../../http/event-stream.js';
import { type HeaderFields, omitFields, readContentType, readEndToEnd, readField } from '../../http/header-fields.js';
import type { Call } from '../../http/request/call.js';
import { readQueryValues, removeSessionPrefix } from '../../http/target.js';
import {
  type RecordedBody,
  type RecordedFailure,
  type RecordedRequest,
  type RecordedResponse,
  type UnnumberedExchange,
} from '../cassette/exchange.js';
import { readBody } from '../cassette/recorded-body.js';

/** What was seen of one exchange; secrets and all. */
export interface SeenExchange {
  readonly call: Call;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly elapsedMs: number;
  readonly outcome: { readonly response: SeenResponse } | { readonly failure: RecordedFailure };
}

/** A response with its body as it came. */
interface SeenResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly interim: readonly number[];
  readonly trailers: readonly string[];
  readonly chunks: readonly SeenChunk[];
}

/** Bytes, and when they came after the response began. */
export interface SeenChunk {
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

// Of one connection or one client library, and nothing that a replay would look at.
const NOT_RECORDED = ['host', 'content-length', 'accept-encoding', 'expect'];
const FRAMING = ['content-length', 'content-encoding'];

/** An exchange in recorded form; undefined where its body is in a coding that cannot be read. */
export function toUnnumbered(seen: SeenExchange): UnnumberedExchange | undefined {
  const { call, outcome } = seen;
  const response = 'response' in outcome ? toResponse(outcome.response, call.method) : undefined;
  if ('response' in outcome && response === undefined) return undefined;
  return {
    operation: call.operation.id,
    recordedAt: new Date(seen.at).toISOString(),
    elapsedMs: Math.round(seen.elapsedMs),
    request: toRequest(call),
    response,
    failure: 'failure' in outcome ? outcome.failure : undefined,
  };
}

/** The request fields that go on to the upstream: end-to-end, and none of those that speak to the mock. */
export function readForwardFields(headers: Headers): HeaderFields {
  const fields = readEndToEnd(headers);
  const mine = Object.keys(fields).filter((name) => name.startsWith('x-mock-'));
  const { cookie, ...rest } = omitFields(fields, mine);
  const kept = (typeof cookie === 'string' ? cookie.split(';') : []).filter((pair) => !/^\s*mock-session=/.test(pair));
  return kept.length === 0 ? rest : { ...rest, cookie: kept.join(';').trim() };
}

function toRequest(call: Call): RecordedRequest {
  const [path = '', ...search] = removeSessionPrefix(call.url).split('?');
  const headers = readForwardFields(call.headers);
  return {
    method: call.method,
    path,
    pathParams: call.path,
    query: readQueryValues(search.join('?')),
    headers: omitFields(headers, NOT_RECORDED),
    ...readBody(call.bytes, headers),
  };
}

function toResponse(response: SeenResponse, method: string): RecordedResponse | undefined {
  const { status, headers, interim, trailers, chunks } = response;
  const body = toBody(headers, chunks);
  if (body === undefined) return undefined;
  return {
    status,
    // RFC 9110 9.3.2: for HEAD, the length says something that the body does not.
    headers: method === 'HEAD' ? headers : omitFields(headers, FRAMING),
    ...(interim.length === 0 ? {} : { interim }),
    ...(trailers.length === 0 ? {} : { trailers }),
    ...body,
  };
}

function toBody(headers: HeaderFields, chunks: readonly SeenChunk[]): RecordedBody | undefined {
  const coding = readField(headers, 'content-encoding');
  const bytes = decodeContent(Buffer.concat(chunks.map((chunk) => chunk.bytes)), coding);
  if (bytes === undefined) return undefined;
  if (readContentType(headers) !== 'text/event-stream') return readBody(bytes, headers);
  // Compressed, a chunk is no piece of the text; the moments are lost then.
  const pieces = coding === undefined ? toPieces(chunks) : [{ atMs: 0, text: Buffer.from(bytes).toString('utf8') }];
  return { events: readEvents(pieces) };
}

function toPieces(chunks: readonly SeenChunk[]): readonly TimedText[] {
  const decoder = new TextDecoder();
  return chunks.map(({ atMs, bytes }) => ({ atMs: Math.round(atMs), text: decoder.decode(bytes, { stream: true }) }));
}
