import { describe, expect, it } from 'vitest';
import { inPath, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, object, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const topic = object(
  {
    id: TEXT,
    title: TEXT,
    posts: INTEGER,
    posts_count: INTEGER,
    open_posts: INTEGER,
    max_posts: INTEGER,
    rank: INTEGER,
  },
  'id',
);

const post = object({ id: TEXT, text: TEXT, status: { type: 'string', enum: ['open', 'closed'] } }, 'id');

const spec = toDocument({
  '/topics': { get: shows(arrayOf(topic)), post: takes(object({ title: TEXT, max_posts: INTEGER }), topic, 201) },
  '/topics/{topic_id}': { ...inPath('topic_id'), get: shows(topic) },
  '/topics/{topic_id}/posts': {
    ...inPath('topic_id'),
    get: shows(arrayOf(post)),
    post: takes(object({ text: TEXT, status: TEXT }), post, 201),
  },
  '/topics/{topic_id}/posts/{post_id}': {
    ...inPath('topic_id', 'post_id'),
    get: shows(post),
    patch: takes(object({ status: TEXT }), post),
    delete: REMOVED,
  },
});

describe('an item that counts the items below it', () => {
  it('begins with 0, follows creates, changes and removals, and keeps other numbers', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const { body: created } = await send('POST', '/topics', { title: 'a', max_posts: 7 });
    expect(created).toMatchObject({ posts: 0, posts_count: 0, open_posts: 0, max_posts: 7 });
    const path = `/topics/${String(created['id'])}`;
    const { body: first } = await send('POST', `${path}/posts`, { text: 'b', status: 'open' });
    await send('POST', `${path}/posts`, { text: 'c', status: 'open' });
    const read = async () => (await send('GET', path)).body;
    expect(await read()).toEqual({ ...created, posts: 2, posts_count: 2, open_posts: 2 });
    await send('PATCH', `${path}/posts/${String(first['id'])}`, { status: 'closed' });
    expect(await read()).toEqual({ ...created, posts: 2, posts_count: 2, open_posts: 1 });
    await send('DELETE', `${path}/posts/${String(first['id'])}`);
    expect(await read()).toEqual({ ...created, posts: 1, posts_count: 1, open_posts: 1 });
  });

  it('does not count the items below another one', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const { body: a } = await send('POST', '/topics', {});
    const { body: b } = await send('POST', '/topics', {});
    await send('POST', `/topics/${String(a['id'])}/posts`, {});
    expect((await send('GET', `/topics/${String(b['id'])}`)).body['posts']).toBe(0);
  });
});
