import { expect } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createRouter, type Router } from '../../src/contract/router/router.js';
import { createValidators, type Validators } from '../../src/schema/validate.js';
import { CONTROL_SPEC } from '../../src/server/control/control.js';
import type { Mock } from '../../src/index.js';
import type { Reach } from '../describe-both.js';

/** A response of the control API, validated against its document. */
export interface ControlAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed value of a JSON body, else the body as a string. */
  readonly body: unknown;
  /** `code` of a problem. */
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
}

/** Sends a request to the control API and validates the response against its document. */
export type AskControl = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ControlAnswer>;

interface Document {
  readonly router: Router;
  readonly validators: Validators;
}

/** Loads the document of the control API once for a suite. */
export async function loadControlDocument(): Promise<Document> {
  const contract = await loadContract(CONTROL_SPEC);
  expect(contract.problems).toEqual([]);
  return { router: createRouter(contract.operations), validators: createValidators(contract) };
}

/** A client of the control API of a mock. */
export function createControlClient(reach: Reach, document: Document, prefix = '/__mock'): AskControl {
  return async (method, path, body, headers) => {
    const response = await reach.fetch(`${reach.rootUrl}${prefix}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const type = response.headers.get('content-type') ?? '';
    const text = type === 'text/event-stream' ? await readStart(response) : await response.text();
    const parsed: unknown = type.endsWith('json') && !type.includes('ndjson') ? JSON.parse(text) : text;
    expect(response.headers.get('x-mock-source')).toBe('control');
    checkAnswer(document, { method, path, status: response.status, type, parsed });
    const problem = parsed as { readonly code?: string; readonly detail?: string; readonly hint?: string };
    const { code, detail, hint } = type === 'application/problem+json' ? problem : {};
    return { status: response.status, headers: response.headers, body: parsed, code, detail, hint };
  };
}

/** The first event of a stream, which does not end by itself. */
async function readStart({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return first?.value ?? '';
}

interface Given {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly parsed: unknown;
}

/** Expects a response to be declared for its operation, with a valid body. */
function checkAnswer({ router, validators }: Document, { method, path, status, type, parsed }: Given): void {
  const [pathname = '', search = ''] = path.split('?');
  const match = router.match(method, pathname, search);
  if (match.kind !== 'operation') {
    expect([404, 405, 204, 403, 401]).toContain(status);
    return;
  }
  const declared = match.operation.responses.find((response) => response.status === String(status));
  expect(declared, `${match.operation.id} declares ${status}: ${JSON.stringify(parsed)}`).toBeDefined();
  const media = declared?.content.find((candidate) => candidate.type === type);
  if (status === 204) {
    expect(parsed).toBe('');
    return;
  }
  expect(media, `${match.operation.id} declares ${type} for ${status}`).toBeDefined();
  if (media !== undefined) expect(validators.check(media.schemaPointer, 'response')(parsed, 'body')).toEqual([]);
}

/** What the control API says about the resources of a document. */
export interface InferredContract {
  readonly operations: readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly collection?: string;
    readonly confidence?: number;
    readonly hint?: object;
  }[];
  readonly resources: readonly { readonly name: string; readonly parents: readonly string[]; readonly hint: object }[];
}

/** Asks a mock for its contract, and closes it. */
export async function readContract(mock: Mock): Promise<InferredContract> {
  await using open = mock;
  return (await (await open.fetch('/__mock/contract')).json()) as InferredContract;
}
