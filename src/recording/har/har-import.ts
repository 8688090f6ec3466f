import { type ObservedExchange, type Recorder, toNewExchange } from '../upstream/recorder.js';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Router } from '../../contract/router/router.js';
import { type HeaderFields, listFields, omitFields, readEndToEnd } from '../../http/header-fields.js';
import type { Call, CallDecoder } from '../../http/request/call.js';
import { type HarContent, type HarEntry, type HarField, readHar } from './har.js';

/** What an import is made with. */
interface HarImportParts {
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly recorder: Recorder;
  /** Base URL of the API: entries elsewhere are left out, and its path takes the place of the contract's base path. */
  readonly upstream: string | undefined;
}

/** What became of the entries. */
export interface HarImported {
  /** Files that were written. */
  readonly written: readonly string[];
  /** Entries that were left out, with the reason. */
  readonly skipped: readonly { readonly entry: string; readonly why: string }[];
}

/** Records the entries of a HAR file that are calls of the contract, without their secrets, in their order. */
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

async function importEntry(
  entry: HarEntry,
  folder: string,
  parts: HarImportParts,
): Promise<{ readonly written: string } | { readonly why: string }> {
  const call = await readEntryCall(entry, folder, parts);
  if ('why' in call) return call;
  const draft = toNewExchange({
    call,
    at: Date.parse(entry.startedDateTime),
    elapsedMs: Math.max(0, entry.time),
    outcome: readOutcome(entry, folder),
  });
  if (draft === undefined) return { why: 'its body cannot be read' };
  const outcome = await parts.recorder.record(draft, call.operation);
  return 'stored' in outcome ? { written: outcome.stored.file } : { why: outcome.refused.message };
}

async function readEntryCall(
  entry: HarEntry,
  folder: string,
  parts: HarImportParts,
): Promise<Call | { readonly why: string }> {
  const { request } = entry;
  const target = readTarget(request.url, parts.upstream);
  if (target === undefined) return { why: `it is not below ${parts.upstream ?? ''}` };
  const url = new URL(target, 'http://har');
  const match = parts.router.match(request.method, url.pathname, url.search);
  if (match.kind !== 'operation') return { why: 'the contract has no such operation' };
  const headers = new Headers(listFields(toFields(request.headers)));
  const body = request.postData === undefined ? undefined : readPostData(request.postData, folder);
  const bodiless = request.method === 'GET' || request.method === 'HEAD';
  const wire = new Request(url, {
    method: request.method,
    headers,
    ...(body === undefined || bodiless ? {} : { body: Buffer.from(body) }),
  });
  return parts.decoder.decode(match.operation, match.pathText, wire);
}

/** Path and query below the API; undefined where the URL leads elsewhere. */
function readTarget(address: string, upstream: string | undefined): string | undefined {
  const url = new URL(address);
  if (upstream === undefined) return `${url.pathname}${url.search}`;
  const base = new URL(upstream);
  const root = base.pathname.replace(/\/$/, '');
  if (url.origin !== base.origin || !(root === '' || url.pathname.startsWith(`${root}/`))) return undefined;
  return `${url.pathname.slice(root.length)}${url.search}`;
}

function readOutcome({ request, response }: HarEntry, folder: string): ObservedExchange['outcome'] {
  if (response.status < 200) {
    const reason = response._error ?? 'there was no response';
    const kind = /REFUSED/.test(reason) ? 'refused' : /TIMED_OUT/.test(reason) ? 'timeout' : 'reset';
    return { failure: { kind, message: `${new URL(request.url).origin} could not be asked: ${reason}` } };
  }
  // A HAR holds bodies as they are after decoding.
  const headers = omitFields(toFields(response.headers), ['content-encoding', 'content-length']);
  const type = response.content.mimeType;
  const bytes = readBytes(response.content, folder);
  return {
    response: {
      status: response.status,
      headers:
        headers['content-type'] === undefined && type !== '' && type !== 'x-unknown'
          ? { ...headers, 'content-type': type }
          : headers,
      interim: [],
      trailers: [],
      chunks: bytes === undefined ? [] : [{ atMs: 0, bytes }],
    },
  };
}

function toFields(fields: readonly HarField[]): HeaderFields {
  return readEndToEnd(fields.map(({ name, value }) => [name, value] as const));
}

function readPostData(post: NonNullable<HarEntry['request']['postData']>, folder: string): Uint8Array | undefined {
  const bytes = readBytes(post, folder);
  if (bytes !== undefined || post.params === undefined || post.params.length === 0) return bytes;
  // Some exporters give the fields of a form and leave its text out.
  return Buffer.from(
    new URLSearchParams(post.params.map(({ name, value }): [string, string] => [name, value])).toString(),
  );
}

function readBytes(content: HarContent, folder: string): Uint8Array | undefined {
  // The name alone: a HAR must not read files elsewhere.
  const file = content._file === undefined ? undefined : join(folder, basename(content._file));
  if (file !== undefined && existsSync(file)) return readFileSync(file);
  if (content.text === undefined) return undefined;
  return Buffer.from(content.text, content.encoding === 'base64' ? 'base64' : 'utf8');
}
