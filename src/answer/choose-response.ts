import type { Contract } from '../contract/contract.js';
import { isObject, readOwn } from '../base/json.js';
import { means } from '../conventions/conventions.js';
import type { DeclaredResponse, MediaType, Operation } from '../contract/operations/operation.js';
import { findJsonMedia, findResponse, findUsualResponse, toStatus } from '../contract/operations/responses.js';
import { isCovered, isJsonType, isStructuredType, toEssence } from '../contract/media-type.js';
import { negotiate, ANY_BYTES } from '../http/response/negotiate.js';

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

/**
 * `Accept` headers whose choice is kept for each operation: clients can send any number. Without the choices that are kept, a list takes a fourth more
 * CPU.
 */
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
  const acceptable = chosen !== undefined || (media.isJson === true && negotiate(accept, [JSON_TYPE]) !== undefined);
  return { media, mediaType: toConcrete(media, accept), acceptable };
}

const JSON_TYPE = 'application/json';

/**
 * A concrete type for a media range: the client's, if the range covers it, else the usual one. An object is JSON where the client prefers HTML
 * or an image, as browsers do, and takes JSON, too.
 */
function toConcrete(media: MediaType, accept: string | null): string {
  const essence = toEssence(media.type);
  if (!essence.includes('*')) return media.type;
  const wanted = accept
    ?.split(',')
    .map(toEssence)
    .find((each) => !each.includes('*') && isCovered(each, essence) && !ANY_BYTES.has(each));
  const isUnfit = wanted !== undefined && media.isJson === true && !isStructuredType(wanted);
  if (wanted !== undefined && !(isUnfit && negotiate(accept, [JSON_TYPE]) !== undefined)) return wanted;
  const [type = '*', subtype = '*'] = essence.split('/');
  if (subtype.startsWith('*+')) return `${type}/${subtype.slice(2)}`;
  return readOwn(CONCRETE_TYPES, type) ?? 'application/octet-stream';
}

const CONCRETE_TYPES: Readonly<Record<string, string>> = {
  '*': 'application/json',
  application: 'application/json',
  text: 'text/plain',
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  font: 'font/woff2',
};

/** The errors that the operations of a contract declare. */
export interface DeclaredErrors {
  /** The ids of the operations with templates of errors. */
  readonly withTemplates: readonly string[];
  /** The errors that most operations share; they are found when they are needed, since that reads all operations. */
  usualErrors(): readonly UsualError[];
}

/** An error that many operations share, and where one of them declares it. */
interface UsualError {
  /** A status, or `*` for any error. */
  readonly status: string;
  /** How many responses are this error. */
  readonly count: number;
  /** The id of an operation. */
  readonly operation: string;
  /** The status of its response. */
  readonly response: string;
}

/** The error that most operations share for a status, or for `*`. */
export function readUsualError(
  contract: Contract,
  usualErrors: readonly UsualError[],
  status: string,
): { readonly count: number; readonly media: MediaType } | undefined {
  const usual = usualErrors.find((each) => each.status === status);
  const declaring = usual && contract.operations.find(({ id }) => id === usual.operation);
  const response = declaring?.responses.find((each) => each.status === usual?.response);
  const media = response && findErrorMedia(response.content);
  return media && usual && { count: usual.count, media };
}

/** The error schemas that most operations share: one per status, and `*` for any error. */
export function findUsualErrors(contract: Contract): readonly UsualError[] {
  const counts = new Map<string, UsualError & { count: number }>();
  for (const { id, responses } of contract.operations) {
    for (const response of responses) {
      // A `default` that is the only response is not an error.
      const isError = response.status === 'default' ? responses.length > 1 : isErrorStatus(response.status);
      const media = isError ? findErrorMedia(response.content) : undefined;
      if (media === undefined || (media.schema === undefined && media.examples.length === 0)) continue;
      // Errors that are only shown are the same if their members are.
      const target =
        media.schema === undefined
          ? `${media.type} ${Object.keys(media.examples[0]?.value ?? {}).join(' ')}`
          : contract.resolve(media.schema, media.schemaPointer).pointer;
      for (const status of [response.status, '*']) {
        const key = `${status} ${target}`;
        const entry = counts.get(key) ?? { status, count: 0, operation: id, response: response.status };
        entry.count += 1;
        counts.set(key, entry);
      }
    }
  }
  const most = new Map<string, UsualError>();
  for (const entry of counts.values()) {
    if (entry.count > (most.get(entry.status)?.count ?? 0)) most.set(entry.status, entry);
  }
  const outcome = most.has('*') ? undefined : findOutcome(contract);
  return outcome === undefined ? [...most.values()] : [...most.values(), outcome];
}

/** The object with which a document without errors says how a request ended: `{ status, code, reason, message }`, here of a success. */
function findOutcome(contract: Contract): UsualError | undefined {
  for (const { id, responses } of contract.operations) {
    const found = responses.find(({ content }) => {
      const media = findErrorMedia(content);
      const target =
        media?.schema === undefined ? undefined : contract.resolve(media.schema, media.schemaPointer).schema;
      const names = isObject(target) && isObject(target['properties']) ? Object.keys(target['properties']) : [];
      return names.filter((name) => means(name, 'errors.outcome')).length === 3;
    });
    if (found !== undefined) return { status: '*', count: 0, operation: id, response: found.status };
  }
  return undefined;
}

/** The JSON media type of an error; a wildcard allows JSON. Without a schema, the media type of an example. */
export function findErrorMedia(content: readonly MediaType[]): MediaType | undefined {
  const json = findJsonMedia(content);
  const shown = content.filter(({ schema, examples }) => schema === undefined && examples.length > 0);
  if (json === undefined && shown.length > 0) return shown.find(({ type }) => isJsonType(type)) ?? shown[0];
  const any = json ?? content.find(({ type, schema }) => /^(\*|application)\/\*/.test(type) && schema !== undefined);
  return json === undefined && any !== undefined ? { ...any, type: 'application/json' } : any;
}

export function isErrorStatus(status: string): boolean {
  return status.startsWith('4') || status.startsWith('5');
}
