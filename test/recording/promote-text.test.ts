// @module-tag slow
// JSON that a service calls text, promoted to state whose answers have the same media type.
import { expect, it } from 'vitest';
import { arrayOf, INTEGER, inPath, json, object, ref, TEXT, toDocument } from '../document-parts.js';
import { type Ask, describeDifferences, openTwin, type Promoted, recordAndPromote } from './promoted.js';
import type { Intercept } from './upstream.js';

const DOCUMENT = toDocument(
  {
    '/jobs': {
      get: { responses: { 200: json(arrayOf(ref('Job'))) } },
      post: {
        requestBody: { content: { 'application/json': { schema: object({ name: TEXT, size: INTEGER }) } } },
        responses: { 201: json(ref('Job')) },
      },
    },
    '/jobs/{name}': { ...inPath('name'), get: { responses: { 200: json(ref('Job')) } } },
    '/jobs/{name}/log': { ...inPath('name'), get: { responses: { 200: json(TEXT) } } },
  },
  { Job: object({ name: TEXT, size: INTEGER, link: TEXT }) },
  { servers: [{ url: '/v1' }] },
);

/** The document whose answers have another media type. */
const toDeclared = (type: string): object =>
  JSON.parse(JSON.stringify(DOCUMENT).replaceAll('"application/json"', JSON.stringify(type))) as object;

/** A server of jobs, which gives each answer the media type that `toType` says. */
const createServer = (toType: (path: string, accept: string | undefined) => string): Intercept => {
  const jobs = new Map<string, Readonly<Record<string, unknown>>>();
  const answer = (path: string, sent: string): readonly [number, unknown] => {
    const [, , name = '', part] = path.split('/');
    if (part === 'log') return [200, { steps: 2 }];
    if (sent === '') return [200, name === '' ? [...jobs.values()] : jobs.get(name)];
    const job = JSON.parse(sent) as Readonly<Record<string, unknown>>;
    const key = String(job['name']);
    jobs.set(key, { ...job, link: `/j/${key}` });
    return [201, jobs.get(key)];
  };
  return ({ url, body, headers }, response) => {
    const path = url.replace('/v1', '');
    const [status, out] = answer(path, body.toString());
    response.writeHead(status, { 'content-type': toType(path, headers.accept) }).end(JSON.stringify(out, null, 1));
    return true;
  };
};

const post = (ask: Ask, name: string): Promise<Response> =>
  ask('/v1/jobs', { method: 'POST', body: JSON.stringify({ name, size: name.length }) });

const promote = (intercept: Intercept, { declared = 'application/json' } = {}): Promise<Promoted> =>
  recordAndPromote(
    async (ask) => {
      await ask('/v1/jobs');
      await post(ask, 'one');
      await post(ask, 'second');
      for (const path of ['/one', '', '/one/log']) await ask(`/v1/jobs${path}`);
    },
    { document: toDeclared(declared), intercept },
  );

it.each([
  ['text/plain', 'application/json'],
  ['text/html', 'application/json'],
  ['text/plain; charset=utf-8', '*/*'],
])(
  'JSON that a service calls %s and the document %s becomes state, and keeps that media type',
  async (label, declared) => {
    const [type] = label.split(';');
    const outcome = await promote(
      createServer(() => label),
      { declared },
    );
    expect(describeDifferences(outcome)).toEqual([]);
    const twin = await openTwin(outcome);
    expect((await post(twin, 'third')).status).toBe(201);
    for (const accept of ['*/*', 'application/json']) {
      const read = await twin('/v1/jobs/third', { headers: { accept } });
      expect([read.status, read.headers.get('content-type')]).toEqual([200, type]);
      expect(await read.json()).toEqual({ name: 'third', size: 5, link: '/j/third' });
    }
    expect(await (await twin('/v1/jobs')).json()).toHaveLength(1);
    expect((await twin('/v1/jobs', { headers: { accept: 'image/png' } })).status).toBe(406);
  },
);

it('an answer of JSON that the service does not call text, and text of a file that is JSON, keep the media type of the document', async () => {
  const isLog = (path: string): boolean => path.endsWith('/log');
  const outcome = await promote(createServer((path) => (isLog(path) ? 'text/plain' : 'application/json')));
  expect(outcome.drift).toEqual([]);
  const mixed = await promote(
    createServer((path) => (isLog(path) || path === '/jobs/one' ? 'text/plain' : 'application/json')),
  );
  expect(mixed.drift.map((line) => line.replace(/^.*#/, ''))).toEqual([
    '/paths/~1jobs~1{name}/get/responses/200/content): send "text/plain" in place of "application/json", as the service does',
  ]);
});
