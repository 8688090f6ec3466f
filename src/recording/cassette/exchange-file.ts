import { isObject } from '../../contract/json.js';
import { writeJson } from './exact-json.js';
import type { RecordedBody, RecordedExchange, RecordedFailure, RecordedRequest, RecordedResponse } from './exchange.js';
import { invalidRecording, readJsonFile } from './manifest.js';

type Members = Readonly<Record<string, unknown>>;

/** An exchange as its file's text: two spaces, members in one order, so that a difference reads well. */
export function writeExchange(exchange: RecordedExchange): string {
  const { operation, recordedAt, elapsedMs, request, response, failure } = exchange;
  const { method, path, pathParams, query, headers } = request;
  const file = {
    operation,
    recordedAt,
    elapsedMs,
    request: { method, path, pathParams, query: sortNames(query), headers: sortNames(headers), ...toBody(request) },
    ...(response === undefined ? {} : { response: toResponse(response) }),
    ...(failure === undefined ? {} : { failure }),
  };
  return `${writeJson(file, 2)}\n`;
}

/** The exchange in a file's text; `number` is the one in the file's name. @throws MockError `RECORDING_INVALID`. */
export function readExchange(text: string, file: string, number: number): RecordedExchange {
  const value = readJsonFile(text, file);
  const check = createCheck(text, file);
  const members = check.object(value, '');
  check.text(members, 'operation', '');
  check.text(members, 'recordedAt', '');
  const request = check.object(members['request'], '/request');
  check.text(request, 'method', '/request');
  check.text(request, 'path', '/request');
  check.fields(request['query'] ?? {}, '/request/query');
  check.fields(request['headers'] ?? {}, '/request/headers');
  const response = members['response'];
  if (response !== undefined) {
    const answer = check.object(response, '/response');
    check.status(answer['status'], '/response/status');
    check.fields(answer['headers'] ?? {}, '/response/headers');
    check.body(answer, '/response');
  } else if (!isObject(members['failure'])) {
    throw check.refuse('an exchange needs a response or a failure', '');
  }
  check.body(request, '/request');
  const elapsedMs = members['elapsedMs'];
  return {
    number,
    // Each cast below repeats what `check` has just made sure of.
    operation: members['operation'] as string,
    recordedAt: members['recordedAt'] as string,
    elapsedMs: typeof elapsedMs === 'number' ? elapsedMs : 0,
    request: { pathParams: {}, query: {}, headers: {}, ...request } as unknown as RecordedRequest,
    response: response === undefined ? undefined : ({ headers: {}, ...(response as object) } as RecordedResponse),
    failure: members['failure'] as RecordedFailure | undefined,
  };
}

/** The body's members alone, in the order in which they are written. */
export function toBody(body: RecordedBody): RecordedBody {
  if (body.body !== undefined) return { body: body.body };
  if (body.bodyText !== undefined) return { bodyText: body.bodyText };
  if (body.bodyBase64 !== undefined) return { bodyBase64: body.bodyBase64 };
  if (body.bodyFile !== undefined) return { bodyFile: body.bodyFile };
  if (body.bytes !== undefined) return { bytes: body.bytes };
  if (body.events !== undefined) return { events: body.events };
  if (body.parts !== undefined) return { parts: body.parts };
  return {};
}

function toResponse(response: RecordedResponse): Members {
  const { status, headers, interim, trailers } = response;
  return {
    status,
    ...(interim === undefined ? {} : { interim }),
    headers: sortNames(headers),
    ...toBody(response),
    ...(trailers === undefined ? {} : { trailers }),
  };
}

function sortNames<T>(fields: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(fields).toSorted(([x], [y]) => (x < y ? -1 : 1)));
}

const BODY_FORMS = ['body', 'bodyText', 'bodyBase64', 'bodyFile', 'events', 'parts'] as const;

/** The checks of one file; each one refuses with the line on which the member stands. */
function createCheck(text: string, file: string) {
  const refuse = (message: string, pointer: string): Error => {
    const name = /[^/]*$/.exec(pointer)?.[0] ?? '';
    const at = text.indexOf(`"${name}":`);
    const line = name === '' || at === -1 ? {} : { line: text.slice(0, at).split('\n').length };
    return invalidRecording(message, { file, ...line, pointer }, 'the layout is described in docs/recordings.md');
  };
  const object = (value: unknown, pointer: string): Members => {
    if (isObject(value)) return value;
    throw refuse(pointer === '' ? 'an exchange must be an object' : `${pointer.slice(1)} must be an object`, pointer);
  };
  const isField = (value: unknown): boolean =>
    typeof value === 'string' || (Array.isArray(value) && value.every((entry) => typeof entry === 'string'));
  return {
    refuse,
    object,
    text: checkText,
    status: (value: unknown, pointer: string): void => {
      if (Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599) return;
      throw refuse(`status must be a number from 200 to 599, and is ${JSON.stringify(value) ?? 'missing'}`, pointer);
    },
    fields: (value: unknown, pointer: string): void => {
      const wrong = Object.entries(object(value, pointer)).find(([, field]) => !isField(field));
      if (wrong !== undefined)
        throw refuse(`"${wrong[0]}" must be a text or a list of texts`, `${pointer}/${wrong[0]}`);
    },
    body: checkBody,
  };

  function checkText(members: Members, name: string, pointer: string): void {
    if (typeof members[name] === 'string' && members[name] !== '') return;
    const given = JSON.stringify(members[name]) ?? 'missing';
    throw refuse(`${name} must be a text, and is ${given}`, `${pointer}/${name}`);
  }

  /** One form, and no file outside the cassette; the parts of a multipart body are bodies themselves. */
  function checkBody(members: Members, pointer: string): void {
    const forms = BODY_FORMS.filter((form) => members[form] !== undefined);
    if (forms.length > 1) throw refuse(`a body has one form, not ${forms.join(' and ')}`, `${pointer}/${forms[1]}`);
    const path = members['bodyFile'];
    if (path !== undefined && !(typeof path === 'string' && /^bodies\/[\w.-]+$/.test(path))) {
      throw refuse(`bodyFile must lie in bodies/, and is ${JSON.stringify(path)}`, `${pointer}/bodyFile`);
    }
    const { parts } = members;
    if (parts === undefined) return;
    if (!Array.isArray(parts)) throw refuse('parts must be a list', `${pointer}/parts`);
    for (const [i, part] of parts.entries()) {
      const own = object(part, `${pointer}/parts/${i}`);
      checkText(own, 'name', `${pointer}/parts/${i}`);
      checkBody(own, `${pointer}/parts/${i}`);
    }
  }
}
