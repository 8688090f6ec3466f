// @module-tag slow
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { describeDocument } from '../state/real-document.js';
import { openMock } from '../sweep/open-mock.js';

interface ErrorCase {
  readonly what: string;
  readonly type: abstract new (...args: never) => Error;
  readonly call: (client: OpenAI) => PromiseLike<unknown>;
  readonly want: Readonly<Record<string, unknown>>;
  readonly message: RegExp;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const anyParameters = (value: object): never => value as never; // the types of the client refuse what the cases send
const read: ErrorCase['call'] = (client) => client.files.retrieve('file-none');

/** A status that the request prefers. */
function prefers(status: number, type: ErrorCase['type'], want: ErrorCase['want'], message: RegExp): ErrorCase {
  const headers = { prefer: `code=${status}` };
  return { what: `a preferred ${status}`, type, call: read, want: { status, ...want }, message, headers };
}

const INVALID = 'invalid_request_error';

const CASES: readonly ErrorCase[] = [
  {
    what: 'a file that does not exist',
    type: OpenAI.NotFoundError,
    call: read,
    want: { status: 404, type: INVALID, code: 'not_found', param: 'file_id' },
    message: /no file has the id "file-none"/,
  },
  {
    what: 'a path that does not exist',
    type: OpenAI.NotFoundError,
    call: (client) => client.get('/files/x/contnt'),
    want: { status: 404, type: INVALID, code: 'path_unknown', param: null },
    message: /\/v1\/files\/\{file_id\}\/content/,
  },
  {
    what: 'a key that is not accepted',
    type: OpenAI.AuthenticationError,
    call: (client) => client.files.list(),
    want: { status: 401, type: INVALID, code: 'invalid_api_key', param: null },
    message: /credential/,
    key: 'sk-wrong',
  },
  {
    what: 'a missing required parameter',
    type: OpenAI.BadRequestError,
    call: (client) => client.chat.completions.create(anyParameters({ model: 'gpt-4o' })),
    want: { status: 400, type: INVALID, code: 'missing_required_parameter', param: 'messages' },
    message: /"messages" is required/,
  },
  {
    what: 'a value of the wrong type',
    type: OpenAI.BadRequestError,
    call: (client) =>
      client.chat.completions.create(
        anyParameters({ model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }], temperature: 'hot' }),
      ),
    want: { status: 400, type: INVALID, code: 'invalid_value', param: 'temperature' },
    message: /got "hot"/,
  },
  {
    what: 'a rate limit',
    type: OpenAI.RateLimitError,
    call: read,
    want: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
    message: /rate limit reached/,
    headers: { 'x-mock-scenario': 'limited' },
  },
  prefers(403, OpenAI.PermissionDeniedError, { type: INVALID, code: 'forbidden', param: null }, /Forbidden/),
  prefers(409, OpenAI.ConflictError, { type: INVALID, code: 'conflict', param: null }, /Conflict/),
  prefers(422, OpenAI.UnprocessableEntityError, { type: INVALID, param: null }, /Unprocessable Content/),
  prefers(500, OpenAI.InternalServerError, { type: 'server_error', code: 'server_error' }, /Internal Server Error/),
  prefers(503, OpenAI.InternalServerError, { type: 'server_error', code: 'server_error' }, /Service Unavailable/),
  {
    what: 'a connection that is closed',
    type: OpenAI.APIConnectionError,
    call: read,
    want: { status: undefined },
    message: /Connection error/,
    headers: { 'x-mock-scenario': 'closed' },
  },
];

describeDocument('openai.yaml', (spec) => {
  describe.each(['in-process', 'on a socket'] as const)('%s', (reach) => {
    let mock: Mock;
    let baseURL = 'http://in-process.test/v1';
    beforeAll(async () => {
      mock = await openMock(spec, {
        preset: 'auto',
        state: { unknownIds: 'not-found' },
        auth: { tokens: ['sk-good'] },
        scenarios: {
          limited: { operations: { '*': { fault: { 'rate-limit': { limit: 0 } } } } },
          closed: { operations: { '*': { fault: 'empty' } } },
        },
      });
      if (reach === 'on a socket') baseURL = `${(await mock.listen()).url}/v1`;
    });
    afterAll(() => mock.close());

    it.each(CASES)('$what is an error of its class', async (one) => {
      const { type, call, want, message, key: apiKey = 'sk-good', headers: defaultHeaders = {} } = one;
      const send = reach === 'in-process' ? { fetch: mock.fetch } : {};
      const client = new OpenAI({ apiKey, baseURL, defaultHeaders, maxRetries: 0, ...send });
      const thrown: unknown = await call(client).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(thrown).toBeInstanceOf(type);
      expect(thrown).toMatchObject({ ...want, message: expect.stringMatching(message) as unknown });
    });
  });
});
