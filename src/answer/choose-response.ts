import type { DeclaredResponse, MediaType, Operation } from '../contract/operations/operation.js';
import { findResponse, findUsualResponse, toStatus } from '../contract/operations/responses.js';
import { isCovered, toEssence } from '../http/media-type.js';
import { negotiate } from '../http/response/negotiate.js';

/** What is asked of a response. */
interface ResponseWish {
  /** A certain status; undefined for the one of success. */
  readonly status?: number | undefined;
  /** The `Accept` header. */
  readonly accept: string | null;
}

/** The response an answer is made by. */
export interface ResponseChoice {
  readonly status: number;
  /** Undefined where the operation declares none for the status. */
  readonly response: DeclaredResponse | undefined;
  /** Undefined where the response has no content. */
  readonly media: MediaType | undefined;
  /** The concrete media type of the body, where there is one. */
  readonly mediaType: string | undefined;
  /** Whether the `Accept` header allows the media type: where it does not, `media` is what there is instead. */
  readonly acceptable: boolean;
}

/**
 * Chooses status, declared response and media type for an operation.
 *
 * Without a wish the lowest explicit 2xx wins, then `2XX` as 200, then `default` as 200, then the first of the rest that is
 * no 1xx; a range stands for its first status. Undefined where the operation declares nothing that could be answered.
 */
export function chooseResponse(operation: Operation, wish: ResponseWish): ResponseChoice | undefined {
  const { status } = wish;
  const response = status === undefined ? findUsualResponse(operation) : findResponse(operation, status);
  if (response === undefined) {
    if (status === undefined) return undefined;
    return { status, response, media: undefined, mediaType: undefined, acceptable: true };
  }
  return { status: status ?? toStatus(response.status), response, ...chooseMedia(response, wish.accept) };
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

/** A range as a type that can be sent: the one the client names, if the range covers it, else the usual one. */
function toConcrete(media: MediaType, accept: string | null): string {
  const essence = toEssence(media.type);
  if (!essence.includes('*')) return media.type;
  for (const text of accept?.split(',') ?? []) {
    const wanted = toEssence(text);
    if (!wanted.includes('*') && isCovered(wanted, essence) && !BYTES.has(wanted)) return wanted;
  }
  const [type = '*', subtype = '*'] = essence.split('/');
  if (subtype.startsWith('*+')) return `${type}/${subtype.slice(2)}`;
  return (Object.hasOwn(CONCRETE_TYPES, type) ? CONCRETE_TYPES[type] : undefined) ?? 'application/octet-stream';
}

/** What clients ask for who want the bytes, whatever they are. */
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
