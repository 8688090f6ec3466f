import { URL, URLSearchParams } from 'node:url';
import { existsSync, readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { basename, dirname, join } from 'node:path';
import type { Contract } from '../../contract/contract.js';
import { isInside } from '../../base/inside-folder.js';
import { isObject } from '../../base/json.js';
import { createUndocumentedOperation, UNDOCUMENTED } from '../../contract/operations/undocumented.js';
import { readString } from '../../contract/pointer.js';
import {
  type HeaderFields,
  listFields,
  omitFields,
  readContentType,
  readEndToEnd,
  readField,
} from '../../http/header-fields.js';
import { toUpstreamTarget, writeTarget } from '../../http/target.js';
import type { Cassette, StoredExchange } from './cassette/cassette.js';
import type { RecordedBody, RecordedResponse } from './cassette/exchange.js';
import { invalidRecording, readJsonFile } from './cassette/manifest.js';
import { toRequest, writeBody } from './cassette/recorded-body.js';
import { type CallParts, matchRequest } from './matching/exchange-index.js';
import { type ObservedExchange, type Recorder, toNewExchange } from './upstream/recorder.js';

interface HarImportParts extends Pick<CallParts, 'contract' | 'router' | 'decoder'> {
  readonly recorder: Recorder;
  /**
   * Base URL of the API: other entries are skipped, and its path replaces the contract's base path. With it, requests outside of the
   * contract are imported too.
   */
  readonly upstream: string | undefined;
}

/** The files that an import has written, and the entries that it has skipped. */
export interface HarImported {
  readonly written: readonly string[];
  /** The files with a request outside of the contract. */
  readonly undocumented: readonly string[];
  readonly skipped: readonly SkippedEntry[];
}

/** An entry that is not imported. */
interface SkippedEntry {
  /** Its method and URL. */
  readonly entry: string;
  readonly why: string;
  /** Whether it is a request of a program that matches no operation of the contract. */
  readonly isUnknown?: true;
}

/** Records the entries of a HAR file that are calls of the API, in order of time. */
export async function importHar(entries: ReturnType<typeof readHar>, parts: HarImportParts): Promise<HarImported> {
  const written: string[] = [];
  const undocumented: string[] = [];
  const skipped: SkippedEntry[] = [];
  for (const entry of entries.toSorted((x, y) => x.at - y.at)) {
    const outcome = await importEntry(entry, parts);
    if ('written' in outcome) {
      written.push(outcome.written.file);
      if (outcome.written.operation === UNDOCUMENTED) undocumented.push(outcome.written.file);
    } else skipped.push({ entry: `${entry.method} ${entry.url}`, ...outcome });
  }
  return { written, undocumented, skipped };
}

interface HarExportParts {
  readonly contract: Contract;
  /** Base URL of the entries. */
  readonly base: string;
  /** The version of vouch, for the creator of the file. */
  readonly version: string;
}

/** The text of a HAR 1.2 file with the exchanges of a cassette; HAR cannot represent failed connections. */
export function exportHar(cassette: Cassette, { contract, base, version }: HarExportParts): string {
  const url = new URL(base);
  const entries = cassette.exchanges.flatMap((exchange) => {
    const { response } = exchange;
    const operation = contract.operation(exchange.operation);
    const target = writeTarget(exchange.request);
    const address = url.origin + (operation === undefined ? target : toUpstreamTarget(url, operation, target));
    return response === undefined ? [] : [toEntry(cassette.folder, { ...exchange, response }, address)];
  });
  return `${JSON.stringify({ log: { version: '1.2', creator: { name: 'vouch', version }, entries } }, null, 2)}\n`;
}

/** A HAR entry, as an import reads it. */
export interface HarEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly elapsedMs: number;
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderFields;
  readonly body: Uint8Array | undefined;
  /** 0 without a response. */
  readonly status: number;
  readonly responseHeaders: HeaderFields;
  readonly responseBody: Uint8Array | undefined;
  /** Why the file does not have everything that was sent; undefined if it does. */
  readonly incomplete: string | undefined;
  /** From Chromium and Playwright: why there is no response. */
  readonly error: string | undefined;
  /** From Chromium: `fetch`, `xhr`, `document`, `script` and others. */
  readonly resourceType: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** The entries of a HAR 1.2 file, in its order. @throws MockError `RECORDING_INVALID`. */
export function readHar(file: string): readonly HarEntry[] {
  const root = readJsonFile(readFileSync(file, 'utf8'), file);
  const log = isObject(root) ? root['log'] : undefined;
  if (isObject(log) && Array.isArray(log['entries'])) {
    return log['entries'].map((entry: unknown, i) => readEntry(entry, file, `/log/entries/${i}`));
  }
  const hint = 'export it as HAR 1.2 from a browser or Playwright';
  throw invalidRecording('not a HAR file: log.entries is missing', { file }, hint);
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
  const { method, url } = request;
  if (typeof method !== 'string') throw invalid('method must be a string', '/request/method');
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw invalid(`url must be a URL, got ${JSON.stringify(url)}`, '/request/url');
  }
  const { status } = response;
  if (typeof status !== 'number') throw invalid('status must be a number', '/response/status');
  const at = Date.parse(readString(entry['startedDateTime']) ?? '');
  const content = isObject(response['content']) ? response['content'] : {};
  const body = readPostData(request['postData'], dirname(file));
  const responseBody = readBytes(content, dirname(file));
  const error = readString(response['_error'] ?? response['_failureText']);
  return {
    at: Number.isNaN(at) ? 0 : at,
    elapsedMs: typeof entry['time'] === 'number' ? Math.max(0, entry['time']) : 0,
    method,
    url,
    headers: readEndToEnd(readFields(request['headers'])),
    body,
    status,
    responseHeaders: readResponseHeaders(response['headers'], readString(content['mimeType']) ?? ''),
    responseBody,
    incomplete: readIncomplete(request, response, { body, responseBody, error }),
    error,
    resourceType: readString(entry['_resourceType']),
  };
}

// The connection failed, as opposed to a client that cancelled the request: the errors of the browsers that Playwright drives.
const FAILED_CONNECTION = /REFUSED|TIMED_?OUT|RESET|CLOSED|NOT_RESOLVED|UNREACHABLE|could not connect/i;

function readIncomplete(
  request: Members,
  response: Members,
  { body, responseBody, error }: Pick<HarEntry, 'body' | 'responseBody' | 'error'>,
): string | undefined {
  const content = isObject(response['content']) ? response['content'] : {};
  const status = Number(response['status']);
  if (status < 200) {
    if (error === undefined || FAILED_CONNECTION.test(error)) return undefined;
    return `it has no response: ${error}`;
  }
  if (body === undefined && Number(request['bodySize'] ?? 0) > 0)
    return 'the file does not have the body of its request';
  if (responseBody !== undefined) return undefined;
  if (error !== undefined && error !== '') return `its response was not received completely: ${error}`;
  // RFC 9110 6.4.1: these have no content.
  if (status === 204 || status === 205 || status === 304 || request['method'] === 'HEAD') return undefined;
  // `content: omit` of Playwright leaves -1; browsers leave the size of what they do not export.
  const length = readFields(response['headers']).find(([name]) => name.toLowerCase() === 'content-length')?.[1];
  const isEmpty = (content['size'] ?? 0) === 0 && Number(length ?? 0) === 0;
  return isEmpty ? undefined : 'the file does not have the body of its response: export it with content';
}

/** The header fields, or the fields of a form. */
function readFields(value: unknown): readonly [name: string, value: string][] {
  return (Array.isArray(value) ? value : []).flatMap((field: unknown): [string, string][] => {
    const name = isObject(field) ? readString(field['name']) : undefined;
    // RFC 9113 8.3: Chromium lists the pseudo-header fields of HTTP/2 too.
    if (!isObject(field) || name === undefined || name.startsWith(':')) return [];
    return [[name, readString(field['value']) ?? '']];
  });
}

function readPostData(post: unknown, folder: string): Uint8Array | undefined {
  if (!isObject(post)) return undefined;
  const bytes = readBytes(post, folder);
  const fields = readFields(post['params']);
  if (bytes !== undefined || fields.length === 0) return bytes;
  // Some exporters write the fields of a form without its text.
  return Buffer.from(new URLSearchParams(fields).toString());
}

function readResponseHeaders(fields: unknown, mimeType: string): HeaderFields {
  // A HAR contains decoded bodies.
  const headers = omitFields(readEndToEnd(readFields(fields)), ['content-encoding', 'content-length']);
  const hasType = headers['content-type'] !== undefined || mimeType === '' || mimeType === 'x-unknown';
  return hasType ? headers : { ...headers, 'content-type': mimeType };
}

/** The bytes of a body: text, base64, or from Playwright the name of a file beside the HAR. */
function readBytes({ text, encoding, _file: file }: Members, folder: string): Uint8Array | undefined {
  // The base name alone, so that a HAR cannot read files of other folders.
  const path = typeof file === 'string' ? join(folder, basename(file)) : undefined;
  if (path !== undefined && existsSync(path) && isInside(folder, path)) return readFileSync(path);
  return typeof text === 'string' ? Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8') : undefined;
}

async function importEntry(
  entry: HarEntry,
  { contract, router, decoder, recorder, upstream }: HarImportParts,
): Promise<{ readonly written: StoredExchange } | Omit<SkippedEntry, 'entry'>> {
  const target = readEntryTarget(entry.url, upstream);
  if (target === undefined) return { why: `its URL is not below ${upstream ?? ''}` };
  const request = toRequest(entry, target, entry.body);
  const match = matchRequest(request, router);
  const isKnown = match.kind === 'operation';
  if (!isKnown && !API_RESOURCES.has(entry.resourceType))
    return { why: `it is a ${entry.resourceType} outside of the contract` };
  if (!isKnown && upstream === undefined) return { why: 'it matches no operation of the contract', isUnknown: true };
  if (entry.incomplete !== undefined) return { why: entry.incomplete };
  const matched = isKnown ? match : { operation: createUndocumentedOperation(contract.operations), pathText: {} };
  const call = await decoder.decode({ ...matched, request });
  const exchange = toNewExchange({ call, at: entry.at, elapsedMs: entry.elapsedMs, outcome: readOutcome(entry) });
  if (exchange === undefined) return { why: 'its body cannot be decoded' };
  const outcome = await recorder.record(exchange, call.operation);
  if ('stored' in outcome) return { written: outcome.stored };
  return { why: 'refused' in outcome ? outcome.refused.reason : 'it was dropped' };
}

/** The kinds of requests that programs send; undefined in files that do not name kinds. */
const API_RESOURCES: ReadonlySet<string | undefined> = new Set([undefined, 'fetch', 'xhr', 'eventsource', 'other']);

/** The target below the base path of the API; undefined for a URL elsewhere. */
function readEntryTarget(address: string, upstream: string | undefined): string | undefined {
  const url = new URL(address);
  if (upstream === undefined) return `${url.pathname}${url.search}`;
  const base = new URL(upstream);
  const root = base.pathname.replace(/\/$/, '');
  if (url.origin !== base.origin || !(root === '' || url.pathname.startsWith(`${root}/`))) return undefined;
  return `${url.pathname.slice(root.length)}${url.search}`;
}

function readOutcome({ url, status, responseHeaders, responseBody, error }: HarEntry): ObservedExchange['outcome'] {
  if (status < 200) {
    const reason = error ?? 'there was no response';
    const kind = /REFUSED/.test(reason) ? 'refused' : /TIMED_OUT/.test(reason) ? 'timeout' : 'reset';
    return { failure: { kind, message: `${new URL(url).origin} could not be reached: ${reason}` } };
  }
  const chunks = responseBody === undefined ? [] : [{ atMs: 0, bytes: responseBody }];
  return { response: { status, headers: responseHeaders, interim: [], trailers: [], body: { chunks } } };
}

function toEntry(
  folder: string,
  { request, response, elapsedMs, recordedAt }: StoredExchange & { readonly response: RecordedResponse },
  address: string,
): object {
  const { status, headers } = response;
  const [body, content] = [writeBody(folder, request), writeBody(folder, response)];
  const mimeType = readField(request.headers, 'content-type') ?? '';
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  return {
    startedDateTime: recordedAt,
    time: elapsedMs,
    request: {
      method: request.method,
      url: address,
      ...common,
      headers: listFields(request.headers).map(toPair),
      queryString: [...new URL(address).searchParams].map(toPair),
      ...(body !== undefined && { postData: { mimeType, ...toText(body, request) } }),
      bodySize: body?.byteLength ?? 0,
    },
    response: {
      status,
      statusText: STATUS_CODES[status] ?? '',
      ...common,
      headers: listFields(headers).map(toPair),
      content: {
        size: content?.byteLength ?? 0,
        mimeType: readContentType(headers) ?? 'x-unknown',
        ...(content !== undefined && toText(content, response)),
      },
      redirectURL: readField(headers, 'location') ?? '',
      bodySize: content?.byteLength ?? 0,
    },
    cache: {},
    timings: { send: 0, wait: elapsedMs, receive: 0 },
  };
}

function toPair([name, value]: readonly [string, string]): object {
  return { name, value };
}

/** Text for bodies that were recorded as text, base64 for others. */
function toText(bytes: Uint8Array, { body, bodyText, events }: RecordedBody): object {
  return body !== undefined || bodyText !== undefined || events !== undefined
    ? { text: Buffer.from(bytes).toString('utf8') }
    : { text: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
}
