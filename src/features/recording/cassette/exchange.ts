import { isObject } from '../../../base/json.js';
import type { StreamEvent } from '../../../http/event-stream.js';
import type { HeaderFields } from '../../../http/header-fields.js';
import type { QueryValues } from '../../../http/target.js';
import { writeJson } from '../../../base/exact-json.js';
import { invalidRecording, readJsonFile } from './manifest.js';

/** One exchange with the upstream as a cassette stores it; secrets are placeholders. */
export interface RecordedExchange {
  /** Counts from 1 within a cassette. */
  readonly number: number;
  /** Id of the operation in the contract; `*` for a request outside of it. */
  readonly operation: string;
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
  /** Milliseconds from the request to the end of the response. */
  readonly elapsedMs: number;
  readonly request: RecordedRequest;
  /** Undefined for a connection that failed. */
  readonly response: RecordedResponse | undefined;
  /** Defined for a connection that failed. */
  readonly failure: RecordedFailure | undefined;
}

/** A recorded request; `pathParams` is for people who read the file, requests are matched by `path` and `query`. */
export interface RecordedRequest extends RecordedBody {
  /** Upper case. */
  readonly method: string;
  /** Percent-encoded as it was sent, without the query. */
  readonly path: string;
  readonly pathParams: Readonly<Record<string, unknown>>;
  /** Decoded, except for escapes of delimiters. */
  readonly query: QueryValues;
  readonly headers: HeaderFields;
}

/** A recorded response. */
export interface RecordedResponse extends RecordedBody {
  /** 200 to 999. */
  readonly status: number;
  /** The reason phrase, if it is not that of the status. */
  readonly reason?: string;
  /** Without hop-by-hop fields and framing. */
  readonly headers: HeaderFields;
  /** Interim statuses (1xx) that preceded it; they are not replayed. */
  readonly interim?: readonly number[];
  /** Names of trailer fields; they are not replayed. */
  readonly trailers?: readonly string[];
  /** Why the body is not complete; replay sends what came and then breaks the connection. */
  readonly cut?: CutOff;
}

/** Who ended a response before its end: the client left, the recorder was stopped, or the upstream broke the connection. */
export type CutOff = 'client' | 'recorder' | 'upstream';

/** A body in one of several forms; without any member there was no body. */
export interface RecordedBody {
  /** Any JSON value; a number that a double cannot represent is an `ExactNumber`. */
  readonly body?: unknown;
  /** Text; beside `body` or `events` the exact text, if vouch would write it otherwise. It is ignored if the other one was edited. */
  readonly bodyText?: string | undefined;
  readonly bodyBase64?: string;
  /** Relative to the cassette: bytes that are not text, or more than 64 KiB. */
  readonly bodyFile?: string;
  /** SHA-256 of a spooled body as it was sent, as base64url: such requests are compared by it. */
  readonly bodyDigest?: string;
  /** Why a body is kept as text or bytes although its media type has another form. */
  readonly bodyNote?: string | undefined;
  /** Bytes that are not on disk yet; they are written as `bodyFile`. */
  readonly bytes?: Uint8Array;
  /** A body that is written as `bodyFile` in parts. */
  readonly spooled?: SpooledBody;
  /** The events of a `text/event-stream`. */
  readonly events?: readonly RecordedEvent[];
  /** The parts of a multipart body. */
  readonly parts?: readonly RecordedPart[];
}

/** Changes the text of a body in parts, in order. */
export interface TextFilter {
  /** The text that is finished with this part. */
  write(part: string): string;
  /** The rest. */
  end(): string;
}

/** A body that is too large for its readable form. */
export interface SpooledBody {
  /** The path of a temporary file, which is removed when its exchange has ended, or the bytes; with their content coding. */
  readonly source: string | Uint8Array;
  /** The value of its Content-Encoding. */
  readonly encoding: string | undefined;
  /** Replaces the secrets in a part of its text (Latin-1). */
  readonly redact?: (text: string) => string;
  /** Creates the filter that replaces the secrets of JSON before. */
  readonly createFilter?: () => TextFilter;
}

/** A request or response: a body, and the header fields that describe it. */
export type RecordedMessage = RecordedBody & Pick<RecordedRequest, 'headers'>;

/** One event of a `text/event-stream`. */
export interface RecordedEvent extends StreamEvent {
  /** Milliseconds since the response began. */
  readonly atMs: number;
}

/** One part of a multipart body. */
export interface RecordedPart extends RecordedBody {
  readonly name: string;
  readonly filename?: string;
  readonly mediaType?: string;
}

/** Why a connection failed. */
export interface RecordedFailure {
  readonly kind: 'refused' | 'timeout' | 'reset' | 'unresolved' | 'tls' | 'protocol';
  readonly message: string;
}

/** An exchange that is not stored yet. */
export type NewExchange = Omit<RecordedExchange, 'number'>;

type Members = Readonly<Record<string, unknown>>;

/** The text of an exchange's file: indented by two spaces, members in a fixed order, so that diffs are readable. */
export function writeExchange(exchange: RecordedExchange): string {
  const { operation, recordedAt, elapsedMs, request, response, failure } = exchange;
  const { method, path, pathParams, query, headers } = request;
  const file = {
    operation,
    recordedAt,
    elapsedMs,
    request: { method, path, pathParams, query: sortNames(query), headers: sortNames(headers), ...toBody(request) },
    response: response && {
      status: response.status,
      reason: response.reason,
      interim: response.interim,
      headers: sortNames(response.headers),
      ...toBody(response),
      trailers: response.trailers,
      cut: response.cut,
    },
    failure,
  };
  return `${writeJson(file, 2)}\n`;
}

/** The exchange in a file's text; its number comes from the file name. @throws MockError `RECORDING_INVALID`. */
export function readExchange(text: string, file: string, number: number): RecordedExchange {
  const check = createCheck(text, file);
  const members = check.object(readJsonFile(text, file), '');
  const request = check.object(members['request'], '/request');
  const response = members['response'] === undefined ? undefined : check.object(members['response'], '/response');
  for (const name of ['operation', 'recordedAt']) check.string(members, name, '');
  for (const name of ['method', 'path']) check.string(request, name, '/request');
  check.fields(request['query'], '/request/query');
  check.fields(request['headers'], '/request/headers');
  if (response !== undefined) {
    const { status } = response;
    if (!(Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 999)) {
      throw check.invalid(`status must be an integer from 200 to 999, got ${toGiven(status)}`, '/response/status');
    }
    if (response['cut'] !== undefined && !CUTS.has(response['cut'])) {
      throw check.invalid(`cut must be ${[...CUTS].join(', ')}, got ${toGiven(response['cut'])}`, '/response/cut');
    }
    if (response['reason'] !== undefined && response['reason'] !== '') check.string(response, 'reason', '/response');
    check.fields(response['headers'], '/response/headers');
    check.body(response, '/response');
  } else if (!isObject(members['failure'])) {
    throw check.invalid('an exchange must have a response or a failure', '');
  }
  check.body(request, '/request');
  const { elapsedMs } = members;
  return {
    number,
    // `check` has verified the types of the casts.
    operation: members['operation'] as string,
    recordedAt: members['recordedAt'] as string,
    elapsedMs: typeof elapsedMs === 'number' ? elapsedMs : 0,
    request: { pathParams: {}, query: {}, headers: {}, ...request } as unknown as RecordedRequest,
    response: response && ({ headers: {}, ...response } as unknown as RecordedResponse),
    failure: members['failure'] as RecordedFailure | undefined,
  };
}

const CUTS: ReadonlySet<unknown> = new Set<CutOff>(['client', 'recorder', 'upstream']);

const BODY_FORMS = ['body', 'bodyText', 'bodyBase64', 'bodyFile', 'bytes', 'spooled', 'events', 'parts'] as const;

/** The members of the body alone. */
export function toBody(body: RecordedBody): RecordedBody {
  const names = [...BODY_FORMS, 'bodyDigest', 'bodyNote'] as const;
  return Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

function sortNames<T>(fields: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(fields).toSorted(([x], [y]) => (x < y ? -1 : 1)));
}

/** The checks of one file; an error has the line of the member. */
function createCheck(text: string, file: string) {
  return { invalid, object, string: checkString, fields: checkFields, body: checkBody };

  function invalid(message: string, pointer: string): Error {
    const name = /[^/]*$/.exec(pointer)?.[0] ?? '';
    const at = text.indexOf(`"${name}":`);
    const line = name === '' || at === -1 ? {} : { line: text.slice(0, at).split('\n').length };
    return invalidRecording(message, { file, ...line, pointer }, 'docs/recordings.md describes the layout');
  }

  function object(value: unknown, pointer: string): Members {
    if (isObject(value)) return value;
    throw invalid(`${pointer === '' ? 'an exchange' : pointer.slice(1)} must be an object`, pointer);
  }

  function checkString(members: Members, name: string, pointer: string): void {
    const value = members[name];
    if (typeof value === 'string' && value !== '') return;
    throw invalid(`${name} must be a non-empty string, got ${toGiven(value)}`, `${pointer}/${name}`);
  }

  function checkFields(value: unknown, pointer: string): void {
    for (const [name, field] of Object.entries(object(value ?? {}, pointer))) {
      if ([field].flat().every((entry) => typeof entry === 'string')) continue;
      throw invalid(`"${name}" must be a string or an array of strings`, `${pointer}/${name}`);
    }
  }

  /** One form, and a file inside the cassette; the parts of a multipart body are bodies too. */
  function checkBody(members: Members, pointer: string): void {
    const forms = BODY_FORMS.filter((form) => members[form] !== undefined);
    // The exact text belongs to the readable form.
    const isBoth =
      forms.length === 2 && forms.includes('bodyText') && (forms.includes('body') || forms.includes('events'));
    if (forms.length > 1 && !isBoth)
      throw invalid(`a body cannot have both ${forms.join(' and ')}`, `${pointer}/${forms[1]}`);
    const { bodyFile: path, parts } = members;
    if (path !== undefined && !(typeof path === 'string' && /^bodies\/[\w.-]+$/.test(path))) {
      throw invalid(`bodyFile must be a file in bodies/, got ${toGiven(path)}`, `${pointer}/bodyFile`);
    }
    if (parts === undefined) return;
    if (!Array.isArray(parts)) throw invalid('parts must be an array', `${pointer}/parts`);
    for (const [i, part] of parts.entries()) {
      const own = object(part, `${pointer}/parts/${i}`);
      checkString(own, 'name', `${pointer}/parts/${i}`);
      checkBody(own, `${pointer}/parts/${i}`);
    }
  }
}

function toGiven(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
