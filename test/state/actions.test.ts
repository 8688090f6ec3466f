import { describe, expect, it } from 'vitest';
import { json, pathParameter, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, object, TEXT } from '../schema-parts.js';
import { openShop, type Reply } from './shop.js';

const date = { type: ['string', 'null'], format: 'date-time' };
const id = { parameters: [pathParameter('post_id')] };
const NONE = { 204: { description: 'done' } };

const createDocument = (properties: object, more: (post: object) => object): Readonly<Record<string, unknown>> => {
  const post = object({ id: TEXT, title: TEXT, ...properties }, 'id');
  const body = object({ title: TEXT });
  return toDocument({
    '/posts': { get: shows(arrayOf(post)), post: takes(body, post, 201) },
    '/posts/{post_id}': { ...id, get: shows(post) },
    ...more(post),
  });
};

/** The post after some actions, as it is read. */
const act = async (properties: object, verbs: readonly string[], answer?: object): Promise<Reply['body']> => {
  const spec = createDocument(properties, (post) =>
    Object.fromEntries(
      verbs.map((verb) => [`/posts/{post_id}/${verb}`, { ...id, post: { responses: answer ?? { 200: json(post) } } }]),
    ),
  );
  const { send } = await openShop({ spec, state: { unknownIds: 'not-found' } });
  const { body } = await send('POST', '/posts', { title: 'a' });
  const path = `/posts/${String(body['id'])}`;
  for (const verb of verbs) expect((await send('POST', `${path}/${verb}`)).status).toBeLessThan(300);
  expect((await send('POST', `/posts/none/${verbs[0] ?? ''}`)).status).toBe(404);
  return (await send('GET', path)).body;
};

const state = (...values: readonly string[]): object => ({ status: { type: 'string', enum: values } });

describe('an action', () => {
  it.each([
    ['cancel', ['active', 'canceled'], 'canceled'],
    ['cancel', ['active', 'cancelled'], 'cancelled'],
    ['cancel', ['ACTIVE', 'CANCELLING'], 'CANCELLING'],
    ['approve', ['draft', 'approved', 'rejected'], 'approved'],
    ['reject', ['draft', 'approved', 'rejected'], 'rejected'],
    ['publish', ['draft', 'published'], 'published'],
    ['start', ['draft', 'running'], 'running'],
    ['stop', ['active', 'stopped'], 'stopped'],
    ['activate', ['inactive', 'active'], 'active'],
    ['deactivate', ['active', 'inactive'], 'inactive'],
    ['close', ['open', 'closed'], 'closed'],
    ['archive', ['active', 'archived'], 'archived'],
  ])('"%s" moves a status of %j to "%s"', async (verb, values, want) => {
    expect(await act(state(...values), [verb])).toMatchObject({ title: 'a', status: want });
  });

  it('sets and clears a boolean and its time', async () => {
    const flags = { is_archived: BOOLEAN, archived_at: date };
    expect(await act(flags, ['archive'])).toMatchObject({ is_archived: true, archived_at: expect.any(String) });
    expect(await act(flags, ['archive', 'unarchive'])).toMatchObject({ is_archived: false, archived_at: null });
    expect(await act({ active: BOOLEAN }, ['deactivate'])).toMatchObject({ active: false });
  });

  it('sets a time where an item has neither a status nor a boolean', async () => {
    expect(await act({ canceled_at: date }, ['cancel'])).toMatchObject({ canceled_at: expect.any(String) });
    expect(await act({ closed_at: date }, ['close', 'reopen'])).toMatchObject({ closed_at: null });
  });

  it.each([
    ['without a body', NONE],
    ['with a report', { 200: json(object({ success: BOOLEAN })) }],
    ['with an empty object', { 200: json(object({ data: { type: 'object' } })) }],
  ])('changes the item with an answer %s', async (_, answer) => {
    expect(await act(state('draft', 'published'), ['publish'], answer)).toMatchObject({ status: 'published' });
  });
});

describe('a DELETE that ends an item', () => {
  const end = async (given: object, list = ''): Promise<readonly [Reply['body'], readonly unknown[]]> => {
    const values = state('active', 'canceled', 'archived');
    const spec = createDocument({ ...values, canceled_at: date }, () => ({}));
    const paths = spec['paths'] as Record<string, Record<string, object>>;
    const post = (paths['/posts/{post_id}']?.['get'] as { responses: object } | undefined)?.responses;
    paths['/posts/{post_id}'] = { ...paths['/posts/{post_id}'], delete: { responses: post, ...given } };
    paths['/posts'] = { ...paths['/posts'], get: { ...paths['/posts']?.['get'], description: list } };
    const { send } = await openShop({ spec, state: { unknownIds: 'not-found' } });
    const { body } = await send('POST', '/posts', { title: 'a' });
    const path = `/posts/${String(body['id'])}`;
    expect((await send('DELETE', path)).status).toBeLessThan(300);
    return [(await send('GET', path)).body, (await send('GET', '/posts')).list];
  };

  it('leaves it readable', async () => {
    const [read, list] = await end({ summary: 'Cancel a post' });
    expect(read).toMatchObject({ status: 'canceled', canceled_at: expect.any(String) });
    expect(list).toHaveLength(1);
  });

  it('leaves it readable also without showing it', async () => {
    const [read] = await end({ description: 'Archives the post. It can still be read.', responses: NONE });
    expect(read).toMatchObject({ status: 'archived' });
  });

  it('takes it from a list that is said not to show such items', async () => {
    const [read, list] = await end({ summary: 'Cancel a post' }, 'Returns the posts that have not been canceled.');
    expect(read).toMatchObject({ status: 'canceled' });
    expect(list).toEqual([]);
  });
});
