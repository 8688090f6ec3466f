import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { finds, json, pathParameter, query, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const topic = object({
  name: TEXT,
  title: TEXT,
  limits: object({ rate: INTEGER, burst: INTEGER }),
  state: { type: 'string', enum: ['ACTIVE', 'PAUSED'], readOnly: true },
});

type Parameter = Readonly<Record<string, unknown>>;

/** Topics whose paths have their parent and their full name as one parameter. */
const createDocument = (
  [parentKey, parent]: readonly [key: string, parameter: Parameter],
  [nameKey, name]: readonly [key: string, parameter: Parameter],
): Readonly<Record<string, unknown>> => {
  const found = { 200: json(topic), 404: { description: 'none' } };
  const inPath = (own: Parameter): object => ({ in: 'path', required: true, schema: TEXT, ...own });
  return toDocument({
    [`/v1/{${parentKey}}/topics`]: {
      parameters: [inPath({ name: 'parent', ...parent })],
      get: shows(object({ topics: arrayOf(topic) })),
      post: {
        parameters: [query('topicId')],
        ...sends(topic),
        responses: { 200: json(topic), 409: { description: 'taken' } },
      },
    },
    [`/v1/{${nameKey}}`]: {
      parameters: [inPath({ name: 'name', ...name })],
      get: { responses: found },
      patch: { parameters: [query('updateMask')], ...sends(topic), responses: found },
      delete: { responses: { 204: { description: 'gone' }, 404: { description: 'none' } } },
    },
    [`/v1/{${nameKey}}:pause`]: {
      parameters: [inPath({ name: 'name', ...name })],
      post: { ...sends({ type: 'object' }), responses: found },
    },
  });
};

const DOCUMENTS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  [
    'the pattern of the parameter',
    createDocument(
      ['parent', { schema: { type: 'string', pattern: '^projects/[^/]+$' } }],
      ['name', { schema: { type: 'string', pattern: '^projects/[^/]+/topics/[^/]+$' } }],
    ),
  ],
  ['the path', createDocument(['parent=projects/*', {}], ['name=projects/*/topics/*', {}])],
  [
    'the description of the parameter',
    createDocument(
      ['parent', { description: 'Required. The project, in the format `projects/{project}`.' }],
      ['name', { description: 'The topic. Format: projects/{project}/topics/{topic}' }],
    ),
  ],
];

describe.each(DOCUMENTS)('items with full resource names, told by %s', (_, spec) => {
  it('are created, read, listed, changed and removed by their names', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const sent = { title: 'News', limits: { rate: 1, burst: 2 } };
    const { body } = await send('POST', '/v1/projects/p1/topics?topicId=news', sent);
    expect(body).toMatchObject({ name: 'projects/p1/topics/news', ...sent });
    expect((await send('GET', '/v1/projects/p1/topics/news')).body).toEqual(body);
    expect((await send('GET', '/v1/projects%2Fp1%2Ftopics%2Fnews')).body).toEqual(body);
    expect((await send('GET', '/v1/projects/p1/topics')).body['topics']).toEqual([body]);
    expect((await send('GET', '/v1/projects/p2/topics')).body['topics']).toEqual([]);
    expect((await send('PATCH', '/v1/projects/p1/topics/news', { title: 'Now' })).body).toEqual({
      ...body,
      title: 'Now',
    });
    expect((await send('POST', '/v1/projects/p1/topics/news:pause', {})).body).toMatchObject({ state: 'PAUSED' });
    expect((await send('DELETE', '/v1/projects/p1/topics/news')).status).toBe(204);
    expect((await send('GET', '/v1/projects/p1/topics/news')).status).toBe(404);
  });

  it('have a new id where the request chooses none, and a chosen one only once', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/v1/projects/p1/topics', { title: 'a' });
    expect(body['name']).toMatch(/^projects\/p1\/topics\/[^/]+$/);
    expect((await send('GET', `/v1/${String(body['name'])}`)).body).toEqual(body);
    await send('POST', '/v1/projects/p1/topics?topicId=b', { title: 'b' });
    expect((await send('POST', '/v1/projects/p1/topics?topicId=b', { title: 'b' })).status).toBe(409);
  });

  it('change only the properties that a field mask names', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/v1/projects/p1/topics?topicId=a', {
      title: 'a',
      limits: { rate: 1, burst: 2 },
    });
    const path = '/v1/projects/p1/topics/a?updateMask=limits.rate';
    const after = { ...body, limits: { rate: 5, burst: 2 } };
    expect((await send('PATCH', path, { title: 'b', limits: { rate: 5, burst: 9 } })).body).toEqual(after);
  });

  it('are routes of the Hono app, also below a prefix of another app', async () => {
    const mock = await createMock({ spec, state: { unknownIds: 'not-found' } });
    const app = new Hono().route('/api', mock.app);
    const reply = await app.request('/api/v1/projects/p1/topics?topicId=a', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"title":"a"}',
    });
    expect(await reply.json()).toMatchObject({ name: 'projects/p1/topics/a' });
    expect((await app.request('/api/v1/projects/p1/topics/a')).status).toBe(200);
    await mock.close();
  });
});

describe('an item whose name is full and whose path has its last step', () => {
  it('is created with the ids of its parents, by PUT where nothing else creates it', async () => {
    const queue = {
      ...topic,
      properties: { ...topic.properties, name: { type: 'string', example: 'projects/p/queues/q', readOnly: true } },
    };
    const QUEUE = ref('Queue');
    const inPath = (name: string): object => pathParameter(name);
    const spec = toDocument(
      {
        '/v1/projects/{project}/queues/{queue}': {
          parameters: [inPath('project'), inPath('queue')],
          put: takes(QUEUE, QUEUE),
          get: finds(QUEUE),
        },
      },
      { Queue: queue },
    );
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('PUT', '/v1/projects/p1/queues/mail', { title: 'Mail' });
    expect(body).toMatchObject({ name: 'projects/p1/queues/mail', title: 'Mail' });
    expect((await send('GET', '/v1/projects/p1/queues/mail')).body).toEqual(body);
    const changed = await send('PUT', '/v1/projects/p1/queues/mail', { title: 'Post' });
    expect(changed.body).toEqual({ ...body, title: 'Post' });
    expect((await send('GET', '/v1/projects/p1/queues/other')).status).toBe(404);
  });
});
