import { isObject } from '../../contract/json.js';
import { MockError } from '../../errors.js';
import { invalidRecording, readJsonFile } from '../cassette/manifest.js';

/** One entry of a HAR 1.2 log, as far as vouch reads and writes it. */
export interface HarEntry {
  readonly startedDateTime: string;
  /** Milliseconds. */
  readonly time: number;
  readonly request: HarRequest;
  readonly response: HarResponse;
}

/** The request of an entry. */
interface HarRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HarField[];
  readonly postData?: HarContent & { readonly params?: readonly HarParameter[] };
}

/** The response of an entry; status 0 where there was none. */
interface HarResponse {
  readonly status: number;
  readonly headers: readonly HarField[];
  readonly content: HarContent;
  /** Chromium and Playwright: why there was no response. */
  readonly _error?: string | null;
  readonly _failureText?: string;
}

/** A header field. */
export interface HarField {
  readonly name: string;
  readonly value: string;
}

/** A field of a form. */
interface HarParameter extends HarField {
  readonly fileName?: string;
}

/** A body. */
export interface HarContent {
  readonly mimeType: string;
  readonly text?: string;
  /** `base64` for bytes. */
  readonly encoding?: string;
  /** Playwright: the name of the file beside the HAR that holds the body. */
  readonly _file?: string;
}

/** The entries of a HAR file's text, in order. @throws MockError `RECORDING_INVALID` with file and pointer. */
export function readHar(text: string, file: string): readonly HarEntry[] {
  const root = readJsonFile(text, file);
  const log = isObject(root) ? root['log'] : undefined;
  if (!isObject(log) || !Array.isArray(log['entries'])) {
    throw invalidRecording(
      'this is no HAR file: it has no log.entries',
      { file },
      'export it as HAR 1.2 from a browser or Playwright',
    );
  }
  return log['entries'].map((entry: unknown, i) => readEntry(entry, file, `/log/entries/${i}`));
}

/** Entries as the text of a HAR 1.2 file. */
export function writeHar(entries: readonly object[], version: string): string {
  return `${JSON.stringify({ log: { version: '1.2', creator: { name: 'vouch', version }, entries } }, null, 2)}\n`;
}

function readEntry(value: unknown, file: string, pointer: string): HarEntry {
  const entry = demandObject(value, file, pointer);
  const request = demandObject(entry['request'], file, `${pointer}/request`);
  const response = demandObject(entry['response'], file, `${pointer}/response`);
  const { method, url, postData } = request;
  if (typeof method !== 'string')
    throw invalidRecording('method must be a text', { file, pointer: `${pointer}/request/method` });
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw invalidRecording(`url must be a URL, and is ${JSON.stringify(url)}`, {
      file,
      pointer: `${pointer}/request/url`,
    });
  }
  const { status } = response;
  if (typeof status !== 'number')
    throw invalidRecording('status must be a number', { file, pointer: `${pointer}/response/status` });
  const started = entry['startedDateTime'];
  return {
    startedDateTime:
      typeof started === 'string' && !Number.isNaN(Date.parse(started)) ? started : new Date(0).toISOString(),
    time: typeof entry['time'] === 'number' ? entry['time'] : 0,
    request: {
      method,
      url,
      headers: readFields(request['headers']),
      ...(isObject(postData) ? { postData: { ...readContent(postData), params: readFields(postData['params']) } } : {}),
    },
    response: {
      status,
      headers: readFields(response['headers']),
      content: readContent(isObject(response['content']) ? response['content'] : {}),
      ...readFailure(response),
    },
  };
}

function demandObject(value: unknown, file: string, pointer: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new MockError('RECORDING_INVALID', 'a HAR entry needs an object here', { at: { file, pointer } });
}

function readFields(value: unknown): readonly HarParameter[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((field: unknown) => {
    if (!isObject(field) || typeof field['name'] !== 'string') return [];
    // HTTP/2 pseudo-header fields (RFC 9113 8.3), which Chromium lists among the others.
    if (field['name'].startsWith(':')) return [];
    const { name, value: text, fileName } = field;
    return [
      { name, value: typeof text === 'string' ? text : '', ...(typeof fileName === 'string' ? { fileName } : {}) },
    ];
  });
}

function readContent(value: Readonly<Record<string, unknown>>): HarContent {
  const { mimeType, text, encoding, _file } = value;
  return {
    mimeType: typeof mimeType === 'string' ? mimeType : '',
    ...(typeof text === 'string' ? { text } : {}),
    ...(typeof encoding === 'string' ? { encoding } : {}),
    ...(typeof _file === 'string' ? { _file } : {}),
  };
}

function readFailure(response: Readonly<Record<string, unknown>>): { readonly _error?: string } {
  const reason = response['_error'] ?? response['_failureText'];
  return typeof reason === 'string' ? { _error: reason } : {};
}
