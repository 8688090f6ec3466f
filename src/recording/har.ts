import { existsSync, readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { basename, dirname, join } from 'node:path';
import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import type { Router } from '../contract/router/router.js';
import {
  type HeaderFields,
  listFields,
  omitFields,
  readContentType,
  readEndToEnd,
  readField,
} from '../http/header-fields.js';
import type { Call, CallDecoder } from '../http/request/call.js';
import { readTarget, toUpstreamTarget, writeTarget } from '../http/target.js';
import type { Cassette, StoredExchange } from './cassette/cassette.js';
import type { RecordedBody } from './cassette/exchange.js';
import { invalidRecording, readJsonFile } from './cassette/manifest.js';
import { toRequest, writeBody } from './cassette/recorded-body.js';
import { type ObservedExchange, type Recorder, toNewExchange } from './upstream/recorder.js';

/** The parts of an import. */
interface HarImportParts {
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly recorder: Recorder;
  /** Base URL of the API: other entries are skipped, and its path replaces the contract's base path. */
  readonly upstream: string | undefined;
}

/** The result of an import. */
export interface HarImported {
  /** The files that were written. */
  readonly written: readonly string[];
  /** The entries that were skipped, with the reason. */
  readonly skipped: readonly { readonly entry: string; readonly why: string }[];
}

/** Records the entries of a HAR 1.2 file that are calls of the contract, in order of time. @throws MockError `RECORDING_INVALID`. */
export async function importHar(file: string, parts: HarImportParts): Promise<HarImported> {
  const entries = readHar(readFileSync(file, 'utf8'), file).toSorted(
    (x, y) => Date.parse(x.startedDateTime) - Date.parse(y.startedDateTime),
  );
  const written: string[] = [];
  const skipped: { entry: string; why: string }[] = [];
  for (const entry of entries) {
    const outcome = await importEntry(entry, dirname(file), parts);
    if ('written' in outcome) written.push(outcome.written);
    else skipped.push({ entry: `${entry.request.method} ${entry.request.url}`, why: outcome.why });
  }
  return { written, skipped };
}

/** The parts of an export. */
interface HarExportParts {
  readonly contract: Contract;
  /** Base URL of the entries; defaults to the upstream of the cassette. */
  readonly base: string | undefined;
  /** The version of vouch, for the creator of the file. */
  readonly version: string;
}

/** The text of a HAR 1.2 file with the exchanges of a cassette; HAR cannot represent failed connections. */
export function exportHar(cassette: Cassette, { contract, base, version }: HarExportParts): string {
  const url = new URL(base ?? cassette.manifest.upstream);
  const entries = cassette.exchanges.flatMap((exchange) => {
    const operation = contract.operation(exchange.operation);
    const target = writeTarget(exchange.request);
    const address = url.origin + (operation === undefined ? target : toUpstreamTarget(url, operation, target));
    return exchange.response === undefined ? [] : [toEntry(cassette.folder, exchange, address)];
  });
  return `${JSON.stringify({ log: { version: '1.2', creator: { name: 'vouch', version }, entries } }, null, 2)}\n`;
}

/** The members of a HAR entry that an import reads. */
interface HarEntry {
  readonly startedDateTime: string;
  /** Milliseconds. */
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HarField[];
    readonly postData?: HarContent & { readonly params: readonly HarField[] };
  };
  readonly response: {
    /** 0 without a response. */
    readonly status: number;
    readonly headers: readonly HarField[];
    readonly content: HarContent;
    /** From Chromium and Playwright: why there is no response. */
    readonly error: string | undefined;
  };
}

/** A header field, or a field of a form. */
interface HarField {
  readonly name: string;
  readonly value: string;
}

/** A body. */
interface HarContent {
  readonly mimeType: string;
  readonly text: string | undefined;
  /** `base64` for bytes. */
  readonly encoding: string | undefined;
  /** From Playwright: the name of the file beside the HAR with the body. */
  readonly file: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

function readHar(text: string, file: string): readonly HarEntry[] {
  const root = readJsonFile(text, file);
  const log = isObject(root) ? root['log'] : undefined;
  if (!isObject(log) || !Array.isArray(log['entries'])) {
    throw invalidRecording(
      'not a HAR file: log.entries is missing',
      { file },
      'export it as HAR 1.2 from a browser or Playwright',
    );
  }
  return log['entries'].map((entry: unknown, i) => readEntry(entry, file, `/log/entries/${i}`));
}

function readEntry(value: unknown, file: string, pointer: string): HarEntry {
  const invalid = (message: string, member: string): Error =>
    invalidRecording(message, { file, pointer: `${pointer}${member}` });
  const readObject = (member: unknown, name: string): Members => {
    if (isObject(member)) return member;
    throw invalid('must be an object', name);
  };
  const entry = readObject(value, '');
  const request = readObject(entry['request'], '/request');
  const response = readObject(entry['response'], '/response');
  const { method, url, postData } = request;
  if (typeof method !== 'string') throw invalid('method must be a string', '/request/method');
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw invalid(`url must be a URL, got ${JSON.stringify(url)}`, '/request/url');
  }
  const { status, content } = response;
  if (typeof status !== 'number') throw invalid('status must be a number', '/response/status');
  const { startedDateTime: started, time } = entry;
  const isDate = typeof started === 'string' && !Number.isNaN(Date.parse(started));
  return {
    startedDateTime: isDate ? started : new Date(0).toISOString(),
    time: typeof time === 'number' ? time : 0,
    request: {
      method,
      url,
      headers: readFields(request['headers']),
      ...(isObject(postData) ? { postData: { ...readContent(postData), params: readFields(postData['params']) } } : {}),
    },
    response: {
      status,
      headers: readFields(response['headers']),
      content: readContent(isObject(content) ? content : {}),
      error: readString(response['_error'] ?? response['_failureText']),
    },
  };
}

function readFields(value: unknown): readonly HarField[] {
  return (Array.isArray(value) ? value : []).flatMap((field: unknown) => {
    if (!isObject(field) || typeof field['name'] !== 'string') return [];
    // RFC 9113 8.3: Chromium lists the pseudo-header fields of HTTP/2 too.
    return field['name'].startsWith(':') ? [] : [{ name: field['name'], value: readString(field['value']) ?? '' }];
  });
}

function readContent({ mimeType, text, encoding, _file: file }: Members): HarContent {
  return {
    mimeType: readString(mimeType) ?? '',
    text: readString(text),
    encoding: readString(encoding),
    file: readString(file),
  };
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function importEntry(
  entry: HarEntry,
  folder: string,
  parts: HarImportParts,
): Promise<{ readonly written: string } | { readonly why: string }> {
  const call = await readEntryCall(entry, folder, parts);
  if ('why' in call) return call;
  const exchange = toNewExchange({
    call,
    at: Date.parse(entry.startedDateTime),
    elapsedMs: Math.max(0, entry.time),
    outcome: readOutcome(entry, folder),
  });
  if (exchange === undefined) return { why: 'its body cannot be decoded' };
  const outcome = await parts.recorder.record(exchange, call.operation);
  return 'stored' in outcome ? { written: outcome.stored.file } : { why: outcome.refused.reason };
}

async function readEntryCall(
  { request }: HarEntry,
  folder: string,
  { router, decoder, upstream }: HarImportParts,
): Promise<Call | { readonly why: string }> {
  const target = readEntryTarget(request.url, upstream);
  if (target === undefined) return { why: `its URL is not below ${upstream ?? ''}` };
  const body = request.postData === undefined ? undefined : readPostData(request.postData, folder);
  const wire = toRequest({ method: request.method, headers: toHeaderFields(request.headers) }, target, body);
  const { path, search } = readTarget(wire.url);
  const match = router.match(request.method, path, search);
  if (match.kind !== 'operation') return { why: 'it matches no operation of the contract' };
  return decoder.decode({ ...match, request: wire });
}

/** The target below the base path of the API; undefined for a URL elsewhere. */
function readEntryTarget(address: string, upstream: string | undefined): string | undefined {
  const url = new URL(address);
  if (upstream === undefined) return `${url.pathname}${url.search}`;
  const base = new URL(upstream);
  const root = base.pathname.replace(/\/$/, '');
  if (url.origin !== base.origin || !(root === '' || url.pathname.startsWith(`${root}/`))) return undefined;
  return `${url.pathname.slice(root.length)}${url.search}`;
}

function readOutcome({ request, response }: HarEntry, folder: string): ObservedExchange['outcome'] {
  if (response.status < 200) {
    const reason = response.error ?? 'there was no response';
    const kind = /REFUSED/.test(reason) ? 'refused' : /TIMED_OUT/.test(reason) ? 'timeout' : 'reset';
    return { failure: { kind, message: `${new URL(request.url).origin} could not be reached: ${reason}` } };
  }
  // A HAR contains decoded bodies.
  const headers = omitFields(toHeaderFields(response.headers), ['content-encoding', 'content-length']);
  const { mimeType } = response.content;
  const hasType = headers['content-type'] !== undefined || mimeType === '' || mimeType === 'x-unknown';
  const bytes = readBytes(response.content, folder);
  return {
    response: {
      status: response.status,
      headers: hasType ? headers : { ...headers, 'content-type': mimeType },
      interim: [],
      trailers: [],
      chunks: bytes === undefined ? [] : [{ atMs: 0, bytes }],
    },
  };
}

function toHeaderFields(fields: readonly HarField[]): HeaderFields {
  return readEndToEnd(fields.map(({ name, value }) => [name, value] as const));
}

function readPostData(post: NonNullable<HarEntry['request']['postData']>, folder: string): Uint8Array | undefined {
  const bytes = readBytes(post, folder);
  if (bytes !== undefined || post.params.length === 0) return bytes;
  // Some exporters write the fields of a form without its text.
  return Buffer.from(
    new URLSearchParams(post.params.map(({ name, value }): [string, string] => [name, value])).toString(),
  );
}

function readBytes({ file, text, encoding }: HarContent, folder: string): Uint8Array | undefined {
  // The base name alone, so that a HAR cannot read files of other folders.
  const path = file === undefined ? undefined : join(folder, basename(file));
  if (path !== undefined && existsSync(path)) return readFileSync(path);
  return text === undefined ? undefined : Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
}

function toEntry(folder: string, exchange: StoredExchange, address: string): object {
  const { request, response, elapsedMs, recordedAt } = exchange;
  const { status = 0, headers = {} } = response ?? {};
  const body = writeBody(folder, request, request.headers);
  const content = response === undefined ? undefined : writeBody(folder, response, headers);
  const mimeType = readField(request.headers, 'content-type') ?? '';
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  return {
    startedDateTime: recordedAt,
    time: elapsedMs,
    request: {
      method: request.method,
      url: address,
      ...common,
      headers: toHarFields(request.headers),
      queryString: [...new URL(address).searchParams].map(([name, value]) => ({ name, value })),
      ...(body === undefined ? {} : { postData: { mimeType, ...toText(body, request) } }),
      bodySize: body?.byteLength ?? 0,
    },
    response: {
      status,
      statusText: STATUS_CODES[status] ?? '',
      ...common,
      headers: toHarFields(headers),
      content: {
        size: content?.byteLength ?? 0,
        mimeType: readContentType(headers) ?? 'x-unknown',
        ...(content === undefined ? {} : toText(content, response ?? {})),
      },
      redirectURL: readField(headers, 'location') ?? '',
      bodySize: content?.byteLength ?? 0,
    },
    cache: {},
    timings: { send: 0, wait: elapsedMs, receive: 0 },
  };
}

function toHarFields(headers: HeaderFields): readonly object[] {
  return listFields(headers).map(([name, value]) => ({ name, value }));
}

/** Text for bodies that were recorded as text, base64 for others. */
function toText(bytes: Uint8Array, { body, bodyText, events }: RecordedBody): object {
  return body !== undefined || bodyText !== undefined || events !== undefined
    ? { text: Buffer.from(bytes).toString('utf8') }
    : { text: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
}
