import type { DeclaredResponse, MediaType, Operation } from '../contract/operations/operation.js';

/** The answer an operation gives when all is well. */
interface Success {
  readonly response: DeclaredResponse;
  /** Its JSON media type where it has one, else its first; undefined for an answer without a body. */
  readonly media: MediaType | undefined;
}

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\b/;

/** The declared success of an operation: the lowest explicit 2xx, then `2XX`, then `default`. */
export function findSuccess(operation: Operation): Success | undefined {
  const explicit = operation.responses
    .filter(({ status }) => /^2\d\d$/.test(status))
    .toSorted((a, b) => a.status.localeCompare(b.status));
  const response =
    explicit.find(({ content }) => content.length > 0) ??
    explicit[0] ??
    operation.responses.find(({ status }) => status === '2XX') ??
    operation.responses.find(({ status }) => status === 'default');
  if (response === undefined) return undefined;
  return { response, media: findJson(response.content) ?? response.content[0] };
}

/** The JSON entry of a `content` map, or undefined. */
export function findJson(content: readonly MediaType[]): MediaType | undefined {
  return content.find(({ type, schema }) => JSON_TYPE.test(type) && schema !== undefined);
}
