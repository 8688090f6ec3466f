import { loadContract } from '../../src/contract/load/load.js';
import { createRouter } from '../../src/contract/router/router.js';
import { type Call, type CallDecoderOptions, createCallDecoder } from '../../src/http/request/call.js';
import { createValidators } from '../../src/schema/validate.js';
import { toDocument as toDocumentOfPaths } from '../document-parts.js';

/** A request in short: `POST /things?a=b`, its headers and its body. */
export interface Asked {
  readonly ask: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** What the router hands over, where a URL could not carry it. */
  readonly pathText?: Readonly<Record<string, string>>;
}

export type Ask = (asked: Asked | string) => Promise<Call>;

/** A contract with the given parts of one operation, `GET /things` unless a path key says otherwise. */
export function toDocument(
  operation: object,
  more: Readonly<Record<string, unknown>> = {},
  key = 'get /things',
): object {
  const [method = 'get', path = '/things'] = key.split(' ');
  const responses = { 200: { description: 'fine' } };
  return toDocumentOfPaths({ [path]: { [method]: { responses, ...operation } } }, undefined, more);
}

/** Decodes requests to a document, as the server would. */
export async function createAsk(document: object, options: Partial<CallDecoderOptions> = {}): Promise<Ask> {
  const contract = await loadContract(document);
  const router = createRouter(contract.operations);
  const decoder = createCallDecoder(contract, createValidators(contract), { bodyLimitBytes: 1000, ...options });
  return async (asked) => {
    const { ask, headers = {}, body, pathText } = typeof asked === 'string' ? { ask: asked } : asked;
    const [method = '', target = ''] = ask.split(/ (.*)/);
    // A Blob brings no Content-Type of its own, as a string would.
    const sent = body === undefined ? undefined : new Blob([typeof body === 'string' ? body : Buffer.from(body)]);
    const request = new Request(`http://mock.test${target}`, { method, headers, body: sent });
    const { pathname, search } = new URL(request.url);
    const match = router.match(method, pathname, search);
    if (match.kind !== 'operation') throw new Error(`${ask} meets no operation`);
    return decoder.decode({ operation: match.operation, pathText: pathText ?? match.pathText, request });
  };
}

/** The violations of a call as `severity CODE pointer` lines. */
export function toLines(call: Call): readonly string[] {
  return call.violations.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`.trim());
}

/** The sentences of a call's violations. */
export function toSentences(call: Call): readonly string[] {
  return call.violations.map(({ message }) => message);
}
