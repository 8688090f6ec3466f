import { isCovered, isJsonType, toEssence } from '../media-type.js';
import type { DeclaredResponse, MediaType, Operation } from './operation.js';

/** The response an operation declares for a status: the status itself, its range, then `default` (OpenAPI 3.1 section 4.8.16). */
export function findResponse(operation: Operation, status: number): DeclaredResponse | undefined {
  const exact = String(status);
  const range = `${exact.charAt(0)}XX`;
  let best: DeclaredResponse | undefined;
  for (const response of operation.responses) {
    if (response.status === exact) return response;
    if (response.status === range) best = response;
    else if (response.status === 'default') best ??= response;
  }
  return best;
}

/** The response used when no status is requested: the success, else the lowest of the other final statuses. */
export function findUsualResponse(operation: Pick<Operation, 'responses'>): DeclaredResponse | undefined {
  return findLowest(operation.responses, Infinity);
}

/** The declared success that has a body: the lowest explicit 2xx with content, else the lowest explicit 2xx, `2XX` or `default`. */
export function findSuccessWithBody(operation: Operation): DeclaredResponse | undefined {
  const withBody = operation.responses.filter(({ content }) => content.length > 0);
  return findLowest(withBody, rankStatus('2XX')) ?? findLowest(operation.responses, SUCCESS_END);
}

/** The media type that describes the body of a success: JSON if declared, else the first; undefined without a body. */
export function findSuccessMedia(operation: Operation): MediaType | undefined {
  const content = findSuccessWithBody(operation)?.content ?? [];
  return findJsonMedia(content) ?? content[0];
}

/** The media types of the response that a status selects; of all responses if there is none. */
export function listMedia(operation: Operation, status: number | undefined): readonly MediaType[] {
  const responses = status === undefined ? operation.responses : [findResponse(operation, status)];
  return responses.flatMap((response) => response?.content ?? []);
}

/** The names of the examples of media types; an example without a name is not among them. */
export function listExampleNames(content: readonly MediaType[]): readonly string[] {
  const names = content.flatMap(({ examples }) => examples.map(({ name }) => name));
  return [...new Set(names)].filter((name) => name !== '');
}

/** Whether an operation declares a status itself, not by a range or `default`. */
export function declaresStatus({ responses }: Pick<Operation, 'responses'>, status: number): boolean {
  return responses.some((each) => each.status === String(status));
}

/** The media type that describes the body of a request: JSON if declared, else the first with a schema. */
export function findBodyMedia({ body }: Pick<Operation, 'body'>): MediaType | undefined {
  const content = body?.content ?? [];
  return findJsonMedia(content) ?? content.find(({ schema }) => schema !== undefined);
}

/** The JSON entry of a `content` map that has a schema; JSON that is called text comes last. */
export function findJsonMedia(content: readonly MediaType[]): MediaType | undefined {
  const json = content.find(
    ({ type, schema }) => schema !== undefined && (isJsonType(type) || isCovered('application/json', toEssence(type))),
  );
  return json ?? content.find(({ isJson }) => isJson === true);
}

/** The status that a key of `responses` is answered with: 200 for `default`, 400 for `4XX`. */
export function toStatus(key: string): number {
  if (key === 'default') return 200;
  return /^[1-5]XX$/.test(key) ? Number(key.charAt(0)) * 100 : Number(key);
}

/** Ranks below this one belong to a success. */
const SUCCESS_END = 1000;

/** Lower ranks are chosen first; a 1xx is never chosen, since it is not a final response (RFC 9110 section 15.2). */
function rankStatus(status: string): number {
  if (status === '2XX') return 300;
  if (status === 'default') return 301;
  if (status.startsWith('1')) return Infinity;
  return status.startsWith('2') ? toStatus(status) : SUCCESS_END + toStatus(status);
}

/** The first response with the lowest rank below `end`. */
function findLowest(responses: readonly DeclaredResponse[], end: number): DeclaredResponse | undefined {
  let best: DeclaredResponse | undefined;
  let lowest = end;
  for (const response of responses) {
    const rank = rankStatus(response.status);
    if (rank < lowest) [best, lowest] = [response, rank];
  }
  return best;
}
