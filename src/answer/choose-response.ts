import { readOwn } from '../contract/json.js';
import type { DeclaredResponse, MediaType, Operation } from '../contract/operations/operation.js';
import { findResponse, findUsualResponse, toStatus } from '../contract/operations/responses.js';
import { isCovered, toEssence } from '../http/media-type.js';
import { negotiate } from '../http/response/negotiate.js';

/** The declared response that an answer follows. */
export interface ResponseChoice {
  readonly status: number;
  /** Undefined if the operation declares none for the status. */
  readonly response: DeclaredResponse | undefined;
  /** Undefined if the response has no content. */
  readonly media: MediaType | undefined;
  /** The concrete media type of the body, if there is one. */
  readonly mediaType: string | undefined;
  /** Whether the `Accept` header allows the media type; if not, `media` is the first declared one. */
  readonly acceptable: boolean;
}

/**
 * Chooses status, declared response and media type; undefined if the operation declares no final response.
 *
 * @param accept - The `Accept` header.
 * @param status - Undefined for the usual status, see `findUsualResponse`.
 */
export function chooseResponse(
  operation: Operation,
  accept: string | null,
  status?: number,
): ResponseChoice | undefined {
  const response = status === undefined ? findUsualResponse(operation) : findResponse(operation, status);
  if (response === undefined) {
    if (status === undefined) return undefined;
    return { status, response, media: undefined, mediaType: undefined, acceptable: true };
  }
  return { status: status ?? toStatus(response.status), response, ...chooseMedia(response, accept) };
}

/** `Accept` headers whose choice is kept for each operation: clients can send any number. */
export const MAX_ACCEPT_HEADERS = 64;

/** Whether a media type has an example of that name. */
export function hasExample(media: MediaType | undefined, name: string): boolean {
  return media?.examples.some((example) => example.name === name) ?? false;
}

function chooseMedia(
  response: DeclaredResponse,
  accept: string | null,
): Pick<ResponseChoice, 'media' | 'mediaType' | 'acceptable'> {
  const [first] = response.content;
  if (first === undefined) return { media: undefined, mediaType: undefined, acceptable: true };
  const chosen = negotiate(
    accept,
    response.content.map(({ type }) => type),
  );
  const media = response.content.find(({ type }) => type === chosen) ?? first;
  return { media, mediaType: toConcrete(media, accept), acceptable: chosen !== undefined };
}

/** A concrete type for a media range: the client's, if the range covers it, else the usual one. */
function toConcrete(media: MediaType, accept: string | null): string {
  const essence = toEssence(media.type);
  if (!essence.includes('*')) return media.type;
  for (const text of accept?.split(',') ?? []) {
    const wanted = toEssence(text);
    if (!wanted.includes('*') && isCovered(wanted, essence) && !BYTES.has(wanted)) return wanted;
  }
  const [type = '*', subtype = '*'] = essence.split('/');
  if (subtype.startsWith('*+')) return `${type}/${subtype.slice(2)}`;
  return readOwn(CONCRETE_TYPES, type) ?? 'application/octet-stream';
}

/** Types in `Accept` that mean any bytes. */
const BYTES: ReadonlySet<string> = new Set(['application/octet-stream', 'application/binary']);

const CONCRETE_TYPES: Readonly<Record<string, string>> = {
  '*': 'application/json',
  application: 'application/json',
  text: 'text/plain',
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  font: 'font/woff2',
};
