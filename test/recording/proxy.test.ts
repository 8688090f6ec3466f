import { expect, it } from 'vitest';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { arrayOf, INTEGER, json, object, pathParameter, query, TEXT, toDocument } from '../document-parts.js';
import { createFolder } from '../folders.js';
import { openMock } from '../open-mock.js';
import { startUpstream } from './upstream.js';

const PET = object({ id: INTEGER, name: TEXT }, 'id', 'name');
const SPEC = toDocument(
  {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [query('limit', { type: 'integer', maximum: 10 })],
        responses: { 200: json(arrayOf(PET)) },
      },
    },
    '/pets/{id}': {
      get: { operationId: 'getPet', parameters: [pathParameter('id', INTEGER)], responses: { 200: json(PET) } },
    },
  },
  {},
  { servers: [{ url: 'http://localhost/v1' }] },
);

/** Requests, with methods, to a mock that forwards all of them. */
const REQUESTS: readonly (readonly [path: string, method?: string])[] = [
  ['/pets?limit=11'],
  ['/pets/501'],
  ['/pets/404'],
  ['/pets/8'],
  ['/nowhere'],
  ['/pets', 'DELETE'],
];

interface Forwarded {
  readonly answers: readonly Response[];
  readonly seen: readonly string[];
}

async function forward(more: Partial<RecordingOptions> = {}): Promise<Forwarded> {
  const upstream = await startUpstream({
    intercept: ({ url }, response) => {
      const status = url.endsWith('/501') ? 501 : url.endsWith('/404') ? 404 : 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(url.endsWith('/8') ? '{"id":"wrong"}' : '[{"id":1,"name":"upstream"}]');
      return true;
    },
  });
  const owners = { '*': 'forward-except-501' } as const;
  const recordings = { folder: createFolder(), mode: 'off', upstream: upstream.url, owners, ...more } as const;
  const mock = await openMock({ spec: SPEC, state: false, recordings });
  const answers: Response[] = [];
  for (const [path, method = 'GET'] of REQUESTS) answers.push(await mock.fetch(path, { method }));
  return { answers, seen: upstream.seen.map(({ url }) => url.slice('/v1'.length)) };
}

it('a mock that forwards without recording forwards everything with the violations, and answers itself what the upstream answers with 501', async () => {
  const { answers, seen } = await forward();
  expect(seen).toEqual(REQUESTS.map(([path]) => path));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200, 200]);
  const [limit, mocked, , broken, unknown, method] = answers.map(({ headers }) => headers);
  expect(limit?.get('x-mock-request-violations')).toBe('RANGE query parameter "limit" must be at most 10, got 11');
  expect(mocked?.get('x-mock-source')).toBe('generate');
  expect(broken?.get('x-mock-violations')).toContain('TYPE answer property "id" must be an integer');
  expect(unknown?.get('x-mock-request-violations')).toBe('PATH_UNKNOWN the contract has no path /nowhere');
  expect(method?.get('x-mock-request-violations')).toMatch(/^METHOD_UNKNOWN /u);
});

it('a mock that forwards without recording refuses with enforce: all what breaks the document, and answers 502 for the upstream', async () => {
  const { answers, seen } = await forward({ enforce: 'all' });
  expect(answers.map(({ status }) => status)).toEqual([400, 200, 502, 502, 404, 405]);
  expect(seen).toEqual(['/pets/501', '/pets/404', '/pets/8']);
  expect(await answers[3]?.json()).toMatchObject({
    detail: expect.stringContaining('the answer of the upstream breaks the contract') as string,
  });
});

it('a mock that forwards without recording forwards with enforce: answers requests that break the document', async () => {
  const { answers } = await forward({ enforce: 'answers' });
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 502, 502, 404, 405]);
});
