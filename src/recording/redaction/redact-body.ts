import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { readContentType } from '../../http/header-fields.js';
import { findResponse } from '../../contract/operations/responses.js';
import { findMedia } from '../../http/media-type.js';
import type { Direction } from '../../schema/schema-unit.js';
import { readJson, writeCanonical, writeJson } from '../cassette/exact-json.js';
import {
  type RecordedBody,
  type RecordedPart,
  type RecordedRequest,
  type RecordedResponse,
} from '../cassette/exchange.js';
import { OPEN_PLACE, type SecretWalk, type VisitText } from './secret-walk.js';

/** Visits the texts of bodies in whichever form they are. */
interface BodyRedaction {
  request(request: RecordedRequest): RecordedBody;
  response(response: RecordedResponse): RecordedBody;
}

interface BodyPlace {
  readonly media: MediaType | undefined;
  readonly mediaType: string | undefined;
  readonly direction: Direction;
}

/** The visits to the bodies of one operation. */
export function createBodyRedaction(walk: SecretWalk, operation: Operation, visit: VisitText): BodyRedaction {
  const visitText = (text: string): string => visit(text, OPEN_PLACE);

  const visitBody = (body: RecordedBody, place: BodyPlace): RecordedBody => {
    const pointers = readBodyPointers(place.media);
    const at = { pointers, direction: place.direction };
    if (body.body !== undefined) return { body: walk.json(body.body, at, visit) };
    if (body.bodyText !== undefined) {
      if (place.mediaType !== 'application/x-www-form-urlencoded') return { bodyText: visitText(body.bodyText) };
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
      return {
        events: body.events.map((event) => ({
          ...event,
          ...(event.data === undefined
            ? {}
            : { data: visitData(event.data, (value) => walk.json(value, at, visit), visitText) }),
          ...(event.comment === undefined ? {} : { comment: visitText(event.comment) }),
        })),
      };
    }
    if (body.parts !== undefined) return { parts: body.parts.map((part) => visitPart(part, place)) };
    return {};
  };

  const visitPart = (part: RecordedPart, place: BodyPlace): RecordedPart => {
    const pointers = readBodyPointers(place.media);
    const at = { pointers, direction: place.direction, kind: 'form' as const, visit };
    const name = {
      name: visitText(part.name),
      ...(part.filename === undefined ? {} : { filename: visitText(part.filename) }),
    };
    if (part.bodyText !== undefined) return { ...part, ...name, bodyText: walk.named(part.name, part.bodyText, at) };
    if (part.body !== undefined) {
      return { ...part, ...name, body: walk.json(part.body, { pointers: [], direction: place.direction }, visit) };
    }
    return { ...part, ...name, ...visitBody(part, { ...place, media: undefined, mediaType: part.mediaType }) };
  };

  return {
    request: (request) => {
      const mediaType = readContentType(request.headers);
      const media = mediaType === undefined ? undefined : findMedia(operation.body?.content ?? [], mediaType);
      return visitBody(request, { media, mediaType, direction: 'request' });
    },
    response: (response) => {
      const mediaType = readContentType(response.headers);
      const declared = findResponse(operation, response.status);
      const media = mediaType === undefined ? undefined : findMedia(declared?.content ?? [], mediaType);
      return visitBody(response, { media, mediaType, direction: 'response' });
    },
  };
}

function readBodyPointers(media: MediaType | undefined): readonly string[] {
  if (media?.itemSchema !== undefined) return [media.itemSchemaPointer];
  return media?.schema === undefined ? [] : [media.schemaPointer];
}

/** Latin-1 gives every byte one character and takes it back, so that bytes that are no text survive. */
function visitBytes(bytes: Uint8Array, visit: (text: string) => string): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const clean = visit(text);
  return clean === text ? bytes : Buffer.from(clean, 'latin1');
}

function visitForm(text: string, visit: (name: string, value: string) => string): string {
  return text
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals === -1) return pair;
      const [name = ['', ''], value = ['', '']] = [...new URLSearchParams(pair)].map(
        (entry) => [entry[0], entry[1]] as const,
      );
      const [key, given] = value[0] === '' ? name : value;
      const clean = visit(key ?? '', given ?? '');
      return clean === given ? pair : `${pair.slice(0, equals)}=${encodeURIComponent(clean)}`;
    })
    .join('&');
}

/** The data of an event: JSON where it is JSON, left as it was written where nothing is to be replaced. */
function visitData(data: string, visitJson: (value: unknown) => unknown, visitText: (text: string) => string): string {
  let value: unknown;
  try {
    value = readJson(data);
  } catch {
    return visitText(data);
  }
  const clean = visitJson(value);
  return writeCanonical(clean) === writeCanonical(value) ? data : writeJson(clean);
}
