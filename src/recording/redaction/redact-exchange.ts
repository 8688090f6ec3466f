import { URLSearchParams } from 'node:url';
import { mapValues } from '../../contract/json.js';
import { isSequenceType, isJsonType } from '../../contract/media-type.js';
import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { type HeaderFields, mapFields, readContentType } from '../../http/header-fields.js';
import type { Direction } from '../../schema/violation.js';
import { readJson, rewriteJson, writeCanonical, writeJson } from '../cassette/exact-json.js';
import type {
  NewExchange,
  RecordedBody,
  RecordedPart,
  RecordedRequest,
  RecordedResponse,
} from '../cassette/exchange.js';
import { createJsonFilter } from './redact-stream.js';
import {
  ORDINARY_LOCATION,
  readBodyPointers,
  readParameterPointers,
  type SecretWalk,
  type VisitText,
} from './secret-walk.js';

/** How the strings of one exchange are visited. */
interface ExchangeVisit {
  readonly operation: Operation;
  readonly walk: SecretWalk;
  readonly visit: VisitText;
}

/** Visits every string of an exchange. Bodies come first: their schemas say most about the form of a placeholder. */
export function visitExchange(exchange: NewExchange, visit: ExchangeVisit): NewExchange {
  const { failure } = exchange;
  const response = exchange.response && visitResponse(exchange.response, visit);
  return {
    ...exchange,
    request: visitRequest(exchange.request, visit),
    response,
    failure: failure && { ...failure, message: visit.visit(failure.message, ORDINARY_LOCATION) },
  };
}

function visitResponse(response: RecordedResponse, to: ExchangeVisit): RecordedResponse {
  const { content = [] } = findResponse(to.operation, response.status) ?? {};
  const body = visitBody(response, {
    content,
    mediaType: readContentType(response.headers),
    direction: 'response',
    ...to,
  });
  return { ...response, ...body, headers: visitHeaders(response.headers, to) };
}

function visitRequest(request: RecordedRequest, to: ExchangeVisit): RecordedRequest {
  const { operation, walk, visit } = to;
  const { content = [] } = operation.body ?? {};
  const body = visitBody(request, {
    content,
    mediaType: readContentType(request.headers),
    direction: 'request',
    path: request.path,
    ...to,
  });
  const visitNamed = (kind: 'query' | 'path', name: string, text: string): string => {
    const pointers = readParameterPointers(operation, kind, name);
    return walk.named(name, text, { kind, visit, direction: 'request', pointers, path: request.path });
  };
  const query = mapFields(request.query, (name, value) => visitNamed('query', name, value));
  const pathParams = mapValues(request.pathParams, (value, name) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const clean = visitNamed('path', name, String(value));
    // A number without a change stays a number.
    return clean === String(value) ? value : clean;
  });
  return {
    ...request,
    ...body,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [visit(name, ORDINARY_LOCATION), value])),
    pathParams,
    headers: visitHeaders(request.headers, to),
    path: visitPath(request, (name, text) =>
      name === undefined ? visit(text, ORDINARY_LOCATION) : visitNamed('path', name, text),
    ),
  };
}

function visitHeaders(headers: HeaderFields, { walk, visit }: ExchangeVisit): HeaderFields {
  return mapFields(headers, (name, line) => walk.header({ name }, line, visit));
}

/** Visits the segments of a path; `name` is defined for the value of a parameter. */
function visitPath(
  { path, pathParams }: RecordedRequest,
  visit: (name: string | undefined, text: string) => string,
): string {
  const names = new Map(Object.entries(pathParams).map(([name, value]) => [encodeURIComponent(String(value)), name]));
  return path
    .split('/')
    .map((segment) => {
      const name = names.get(segment);
      if (name === undefined) return visit(undefined, segment);
      const text = decodeURIComponent(segment);
      const clean = visit(name, text);
      return clean === text ? segment : encodeURIComponent(clean);
    })
    .join('/');
}

interface BodyVisit extends ExchangeVisit {
  readonly content: readonly MediaType[];
  readonly mediaType: string | undefined;
  readonly direction: Direction;
  /** The path of a request. */
  readonly path?: string;
}

function visitBody(body: RecordedBody, to: BodyVisit): RecordedBody {
  const { walk, visit } = to;
  const at = { pointers: readBodyPointers(to.content, to.mediaType), direction: to.direction, path: to.path };
  const visitText = (text: string): string => visit(text, ORDINARY_LOCATION);
  const digest = body.bodyDigest === undefined ? {} : { bodyDigest: body.bodyDigest };
  if (body.spooled !== undefined) {
    const type = to.mediaType ?? '';
    const hasJson = isJsonType(type) || isSequenceType(type);
    const createFilter = hasJson ? { createFilter: () => createJsonFilter(walk.root(at), walk, visit) } : {};
    return { ...digest, spooled: { ...body.spooled, redact: visitText, ...createFilter } };
  }
  if (body.body !== undefined) {
    const clean = walk.json(body.body, at, visit);
    const text = body.bodyText === undefined ? undefined : rewriteJson(body.bodyText, body.body, clean);
    return { body: clean, ...(text !== undefined && { bodyText: text }) };
  }
  if (body.bodyText !== undefined && body.events === undefined) {
    if (to.mediaType !== 'application/x-www-form-urlencoded') return { bodyText: visitText(body.bodyText) };
    const form = visitForm(body.bodyText, (name, text) => walk.named(name, text, { ...at, kind: 'form', visit }));
    return { bodyText: form };
  }
  if (body.bodyBase64 !== undefined) {
    const bytes = visitBytes(Buffer.from(body.bodyBase64, 'base64'), visitText);
    return { bodyBase64: Buffer.from(bytes).toString('base64') };
  }
  if (body.bytes !== undefined) return { bytes: visitBytes(body.bytes, visitText) };
  if (body.events !== undefined) {
    const visitJson = (value: unknown): unknown => walk.json(value, at, visit);
    const events = body.events.map((event) => ({
      ...event,
      ...(event.data !== undefined && { data: visitEventData(event.data, visitJson, visitText) }),
      ...(event.comment !== undefined && { comment: visitText(event.comment) }),
    }));
    // The exact text is kept if it has no secret.
    const isSame = body.bodyText !== undefined && visitText(body.bodyText) === body.bodyText;
    const isKept = isSame && writeCanonical(events) === writeCanonical(body.events);
    return { events, ...(isKept && { bodyText: body.bodyText }) };
  }
  return body.parts === undefined ? {} : { parts: body.parts.map((part) => visitPart(part, to)) };
}

function visitPart(part: RecordedPart, to: BodyVisit): RecordedPart {
  const { walk, visit, direction, path } = to;
  const head = {
    ...part,
    name: visit(part.name, ORDINARY_LOCATION),
    ...(part.filename !== undefined && { filename: visit(part.filename, ORDINARY_LOCATION) }),
  };
  if (part.bodyText !== undefined) {
    const at = { pointers: readBodyPointers(to.content, to.mediaType), direction, path, kind: 'form', visit } as const;
    return { ...head, bodyText: walk.named(part.name, part.bodyText, at) };
  }
  return { ...head, ...visitBody(part, { ...to, content: [], mediaType: part.mediaType }) };
}

/** Visits bytes as Latin-1, which maps every byte to one character and back. */
function visitBytes(bytes: Uint8Array, visit: (text: string) => string): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const clean = visit(text);
  return clean === text ? bytes : Buffer.from(clean, 'latin1');
}

/** Visits the values of a form or a query; pairs whose value does not change stay as they are. @param write - How a value is written. */
export function visitForm(
  text: string,
  visit: (name: string, value: string) => string,
  write: (value: string) => string = encodeURIComponent,
): string {
  return text
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const [entry] = equals === -1 ? [] : [...new URLSearchParams(pair)];
      if (entry === undefined) return pair;
      const clean = visit(entry[0], entry[1]);
      return clean === entry[1] ? pair : `${pair.slice(0, equals)}=${write(clean)}`;
    })
    .join('&');
}

/** Visits the data of an event as JSON if it is JSON; data without a change stays as it was written. */
function visitEventData(
  data: string,
  visitJson: (value: unknown) => unknown,
  visitText: (text: string) => string,
): string {
  let value: unknown;
  try {
    value = readJson(data);
  } catch {
    return visitText(data);
  }
  const clean = visitJson(value);
  return writeCanonical(clean) === writeCanonical(value) ? data : writeJson(clean);
}
