import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { findMedia } from '../../http/media-type.js';
import { type HeaderFields, readContentType } from '../../http/header-fields.js';
import type { Direction } from '../../schema/schema-unit.js';
import { readJson, writeCanonical, writeJson } from '../cassette/exact-json.js';
import type {
  NewExchange,
  RecordedBody,
  RecordedPart,
  RecordedRequest,
  RecordedResponse,
} from '../cassette/exchange.js';
import { ORDINARY_LOCATION, readParameterPointers, type SecretWalk, type VisitText } from './secret-walk.js';

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
  const mediaType = readContentType(response.headers);
  const declared = findResponse(to.operation, response.status);
  const media = mediaType === undefined ? undefined : findMedia(declared?.content ?? [], mediaType);
  const body = visitBody(response, { media, mediaType, direction: 'response', ...to });
  return { ...response, ...body, headers: visitHeaders(response.headers, to) };
}

function visitRequest(request: RecordedRequest, to: ExchangeVisit): RecordedRequest {
  const { operation, walk, visit } = to;
  const mediaType = readContentType(request.headers);
  const media = mediaType === undefined ? undefined : findMedia(operation.body?.content ?? [], mediaType);
  const body = visitBody(request, { media, mediaType, direction: 'request', ...to });
  const visitNamed = (kind: 'query' | 'path', name: string, text: string): string =>
    walk.named(name, text, {
      kind,
      visit,
      direction: 'request',
      pointers: readParameterPointers(operation, kind, name),
    });
  const query = Object.entries(request.query).map(([name, value]): [string, string | readonly string[]] => [
    visit(name, ORDINARY_LOCATION),
    typeof value === 'string' ? visitNamed('query', name, value) : value.map((item) => visitNamed('query', name, item)),
  ]);
  const pathParams = Object.entries(request.pathParams).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' ? visitNamed('path', name, value) : value,
  ]);
  return {
    ...request,
    ...body,
    query: Object.fromEntries(query),
    pathParams: Object.fromEntries(pathParams),
    headers: visitHeaders(request.headers, to),
    path: visitPath(request, (name, text) =>
      name === undefined ? visit(text, ORDINARY_LOCATION) : visitNamed('path', name, text),
    ),
  };
}

function visitHeaders(headers: HeaderFields, { walk, visit }: ExchangeVisit): HeaderFields {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? walk.header(name, value, visit) : value.map((line) => walk.header(name, line, visit)),
    ]),
  );
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
  readonly media: MediaType | undefined;
  readonly mediaType: string | undefined;
  readonly direction: Direction;
}

function visitBody(body: RecordedBody, to: BodyVisit): RecordedBody {
  const { walk, visit } = to;
  const at = { pointers: readBodyPointers(to.media), direction: to.direction };
  const visitText = (text: string): string => visit(text, ORDINARY_LOCATION);
  if (body.body !== undefined) return { body: walk.json(body.body, at, visit) };
  if (body.bodyText !== undefined) {
    if (to.mediaType !== 'application/x-www-form-urlencoded') return { bodyText: visitText(body.bodyText) };
    return {
      bodyText: visitForm(body.bodyText, (name, text) => walk.named(name, text, { ...at, kind: 'form', visit })),
    };
  }
  if (body.bodyBase64 !== undefined) {
    const bytes = visitBytes(Buffer.from(body.bodyBase64, 'base64'), visitText);
    return { bodyBase64: Buffer.from(bytes).toString('base64') };
  }
  if (body.bytes !== undefined) return { bytes: visitBytes(body.bytes, visitText) };
  if (body.events !== undefined) {
    const visitJson = (value: unknown): unknown => walk.json(value, at, visit);
    return {
      events: body.events.map((event) => ({
        ...event,
        ...(event.data === undefined ? {} : { data: visitEventData(event.data, visitJson, visitText) }),
        ...(event.comment === undefined ? {} : { comment: visitText(event.comment) }),
      })),
    };
  }
  return body.parts === undefined ? {} : { parts: body.parts.map((part) => visitPart(part, to)) };
}

function visitPart(part: RecordedPart, to: BodyVisit): RecordedPart {
  const { walk, visit, direction } = to;
  const head = {
    ...part,
    name: visit(part.name, ORDINARY_LOCATION),
    ...(part.filename === undefined ? {} : { filename: visit(part.filename, ORDINARY_LOCATION) }),
  };
  if (part.bodyText !== undefined) {
    const at = { pointers: readBodyPointers(to.media), direction, kind: 'form', visit } as const;
    return { ...head, bodyText: walk.named(part.name, part.bodyText, at) };
  }
  return { ...head, ...visitBody(part, { ...to, media: undefined, mediaType: part.mediaType }) };
}

function readBodyPointers(media: MediaType | undefined): readonly string[] {
  if (media?.itemSchema !== undefined) return [media.itemSchemaPointer];
  return media?.schema === undefined ? [] : [media.schemaPointer];
}

/** Visits bytes as Latin-1, which maps every byte to one character and back. */
function visitBytes(bytes: Uint8Array, visit: (text: string) => string): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const clean = visit(text);
  return clean === text ? bytes : Buffer.from(clean, 'latin1');
}

/** Visits the values of a form or a query; pairs whose value does not change stay as they are. */
function visitForm(text: string, visit: (name: string, value: string) => string): string {
  return text
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const [entry] = equals === -1 ? [] : [...new URLSearchParams(pair)];
      if (entry === undefined) return pair;
      const clean = visit(entry[0], entry[1]);
      return clean === entry[1] ? pair : `${pair.slice(0, equals)}=${encodeURIComponent(clean)}`;
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
