import { URLSearchParams } from 'node:url';
import { mapValues } from '../../../base/json.js';
import { isSequenceType, isJsonType } from '../../../contract/media-type.js';
import type { DeclaredResponse, Operation } from '../../../contract/operations/operation.js';
import { findResponse } from '../../../contract/operations/responses.js';
import { type HeaderFields, mapFields, readContentType } from '../../../http/header-fields.js';
import { findExcess, RECORDED_LIMITS } from '../../../http/json-size.js';
import type { Direction } from '../../../schema/violation.js';
import { readJson, writeJson } from '../../../base/exact-json.js';
import { writeCanonical } from '../cassette/canonical.js';
import type {
  NewExchange,
  RecordedBody,
  RecordedPart,
  RecordedRequest,
  RecordedResponse,
  TextFilter,
} from '../cassette/exchange.js';
import { readExactText } from '../cassette/recorded-body.js';
import { createJsonFilter } from './redact-stream.js';
import {
  ORDINARY_LOCATION,
  readBodyPointers,
  readParameterPointers,
  type SecretWalk,
  type VisitText,
} from './secret-walk.js';
import type { SchemaPointers } from '../../../contract/schema-view/walk.js';

/** How the strings of the messages of one operation are visited. */
export interface MessageVisit {
  /** Undefined for a request that no operation matches. */
  readonly operation: Operation | undefined;
  readonly walk: SecretWalk;
  readonly visit: VisitText;
}

/** Visits every string of an exchange. Bodies come first: their schemas say most about the form of a placeholder. */
export function visitExchange(exchange: NewExchange, to: MessageVisit): NewExchange {
  const { request, failure } = exchange;
  const response = exchange.response && visitResponse(exchange.response, to);
  return {
    ...exchange,
    request: { ...visitRequest(request, request.path, to), path: visitPath(request, to) },
    response,
    failure: failure && { ...failure, message: to.visit(failure.message, ORDINARY_LOCATION) },
  };
}

function visitResponse(response: RecordedResponse, to: MessageVisit): RecordedResponse {
  const declared = to.operation && findResponse(to.operation, response.status);
  const mediaType = readContentType(response.headers);
  const pointers = readBodyPointers(declared?.content ?? [], mediaType);
  const body = visitBody(response, { pointers, mediaType, direction: 'response', ...to });
  return { ...response, ...body, headers: visitHeaders(response.headers, readResponsePointers(declared), to) };
}

/** The parts of a request, recorded or decoded, in which secrets can be. */
interface VisitedRequest extends RecordedBody {
  readonly pathParams: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: HeaderFields;
}

/** Visits the strings of a request, except for its path. */
export function visitRequest<T extends VisitedRequest>(request: T, path: string, to: MessageVisit): T {
  const { operation, walk, visit } = to;
  const mediaType = readContentType(request.headers);
  const pointers = readBodyPointers(operation?.body?.content ?? [], mediaType);
  const body = visitBody(request, { pointers, mediaType, direction: 'request', path, ...to });
  const visitNamed = (kind: 'query' | 'path', values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    mapValues(values, (value, name) => walk.parameter(name, value, { kind, operation, path, visit }));
  const query = visitNamed('query', request.query);
  const readPointers = (name: string): SchemaPointers =>
    operation === undefined ? [] : readParameterPointers(operation, 'header', name);
  return {
    ...request,
    ...body,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [visit(name, ORDINARY_LOCATION), value])),
    pathParams: visitNamed('path', request.pathParams),
    headers: visitHeaders(request.headers, readPointers, to),
  };
}

/** Visits header fields. @param readPointers - The schema pointers of a field. */
export function visitHeaders(
  headers: HeaderFields,
  readPointers: (name: string) => SchemaPointers,
  { walk, visit }: MessageVisit,
): HeaderFields {
  return mapFields(headers, (name, line) => walk.header({ name, pointers: readPointers(name) }, line, visit));
}

/** The schema pointers of the header fields of a response. */
export function readResponsePointers(declared: DeclaredResponse | undefined): (name: string) => SchemaPointers {
  return (name) => {
    const own = declared?.headers.find((header) => header.name.toLowerCase() === name.toLowerCase());
    return own === undefined ? [] : [own.schemaPointer];
  };
}

/** Visits the segments of the path of a recorded request. */
function visitPath({ path, pathParams }: RecordedRequest, { operation, walk, visit }: MessageVisit): string {
  // Without parameters, what precedes a segment shows whether it is a token.
  if (Object.keys(pathParams).length === 0) return visit(path, ORDINARY_LOCATION);
  const names = new Map(Object.entries(pathParams).map(([name, value]) => [encodeURIComponent(String(value)), name]));
  return path
    .split('/')
    .map((segment) => {
      const name = names.get(segment);
      if (name === undefined) return visit(segment, ORDINARY_LOCATION);
      const text = decodeURIComponent(segment);
      const clean = walk.parameter(name, text, { kind: 'path', operation, path, visit });
      return clean === text ? segment : encodeURIComponent(String(clean));
    })
    .join('/');
}

interface BodyVisit extends MessageVisit {
  /** The pointers of the schemas of the body. */
  readonly pointers: SchemaPointers;
  readonly mediaType: string | undefined;
  readonly direction: Direction;
  /** The path of a request. */
  readonly path?: string;
}

/** Visits a body. The exact text beside a readable form is undefined if it is not that of the visited one: it could have a secret. */
function visitBody(body: RecordedBody, to: BodyVisit): RecordedBody {
  const { walk, visit } = to;
  const at = { pointers: to.pointers, direction: to.direction, path: to.path };
  const visitText = (text: string): string => visit(text, ORDINARY_LOCATION);
  const visitJsonText = (text: string): string =>
    visitText(filterText(text, createJsonFilter(walk.root(at), walk, visit)));
  const { bodyDigest, bodyNote } = body;
  const about = { ...(bodyDigest !== undefined && { bodyDigest }), ...(bodyNote !== undefined && { bodyNote }) };
  if (body.spooled !== undefined) {
    const type = to.mediaType ?? '';
    const hasJson = isJsonType(type) || isSequenceType(type);
    const createFilter = hasJson ? { createFilter: () => createJsonFilter(walk.root(at), walk, visit) } : {};
    return { ...about, spooled: { ...body.spooled, redact: visitText, ...createFilter } };
  }
  if (body.body !== undefined) {
    const clean = walk.json(body.body, at, visit);
    const bodyText = body.bodyText && visitJsonText(body.bodyText);
    return { body: clean, bodyText: readExactText({ body: clean, bodyText }) };
  }
  if (body.bodyText !== undefined && body.events === undefined) {
    // JSON that is too large to be parsed.
    if (isJsonType(to.mediaType ?? '')) return { ...about, bodyText: visitJsonText(body.bodyText) };
    if (to.mediaType !== 'application/x-www-form-urlencoded') return { ...about, bodyText: visitText(body.bodyText) };
    const form = visitForm(body.bodyText, (name, text) => walk.field(name, text, { ...at, visit }));
    return { bodyText: form };
  }
  if (body.bodyBase64 !== undefined) {
    const bytes = visitBytes(Buffer.from(body.bodyBase64, 'base64'), visitText);
    return { bodyBase64: Buffer.from(bytes).toString('base64') };
  }
  if (body.bytes !== undefined) return { bytes: visitBytes(body.bytes, visitText) };
  if (body.events !== undefined) {
    const visitors = { json: (value: unknown) => walk.json(value, at, visit), text: visitText, large: visitJsonText };
    const events = body.events.map((event) => ({
      ...event,
      ...(event.data !== undefined && { data: visitEventData(event.data, visitors) }),
      ...(event.comment !== undefined && { comment: visitText(event.comment) }),
    }));
    const bodyText = body.bodyText && visitText(body.bodyText);
    return { events, bodyText: readExactText({ events, bodyText }) };
  }
  return body.parts === undefined ? {} : { parts: body.parts.map((part) => visitPart(part, to)) };
}

function visitPart(part: RecordedPart, to: BodyVisit): RecordedPart {
  const { walk, visit, pointers, direction, path } = to;
  const head = {
    ...part,
    name: visit(part.name, ORDINARY_LOCATION),
    ...(part.filename !== undefined && { filename: visit(part.filename, ORDINARY_LOCATION) }),
  };
  // Beside a readable form it is the exact text of that.
  if (part.bodyText !== undefined && part.body === undefined && part.events === undefined) {
    return { ...head, bodyText: walk.field(part.name, part.bodyText, { pointers, direction, path, visit }) };
  }
  return { ...head, ...visitBody(part, { ...to, pointers: [], mediaType: part.mediaType }) };
}

/** Text as a filter of text in Latin-1 changes it. */
function filterText(text: string, { write, end }: TextFilter): string {
  return Buffer.from(write(Buffer.from(text).toString('latin1')) + end(), 'latin1').toString('utf8');
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
  visit: {
    readonly json: (value: unknown) => unknown;
    readonly text: (text: string) => string;
    /** Visits JSON that is too large to be parsed. */
    readonly large: (text: string) => string;
  },
): string {
  if (findExcess(data, RECORDED_LIMITS) !== undefined) return visit.large(data);
  let value: unknown;
  try {
    value = readJson(data);
  } catch {
    return visit.text(data);
  }
  const clean = visit.json(value);
  return writeCanonical(clean) === writeCanonical(value) ? data : writeJson(clean);
}
