import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPorts } from '../../find-ports.js';
import { launch, readMember, type Service } from './service.js';

const post = (bodies: readonly string[]): string => `/posts/${readMember(bodies[4], 'id')}`;

/** The server makes the ids; what an item has is what was sent. */
export const JSON_SERVER: Service = {
  spec: 'test/recording/contracts/json-server.yaml',
  headers: {},
  start: async (folder) => {
    const file = join(folder, 'db.json');
    const posts = [
      { id: 1, title: 'first', author: 'ann' },
      { id: 2, title: 'second', author: 'bob', tags: ['a'] },
    ];
    writeFileSync(file, JSON.stringify({ posts, comments: [] }));
    const [port] = await findPorts(1);
    const child = launch('json-server', [file, '--port', String(port), '--host', '127.0.0.1', '--quiet']);
    return { child, url: `http://127.0.0.1:${port}`, ready: '/posts' };
  },
  workflow: [
    { method: 'GET', path: '/posts' },
    { method: 'GET', path: '/posts/1' },
    { method: 'GET', path: '/posts/99' },
    { method: 'GET', path: '/posts?author=bob' },
    { method: 'POST', path: '/posts', body: { title: 'third' } },
    { method: 'GET', path: post },
    { method: 'POST', path: '/posts', body: { title: 'fourth', author: 'ann', tags: ['b', 'c'] } },
    { method: 'GET', path: '/posts?_sort=title&_order=desc' },
    { method: 'PATCH', path: post, body: { author: 'eve' } },
    { method: 'GET', path: post },
    { method: 'PUT', path: post, body: { title: 'other' } },
    { method: 'GET', path: post },
    { method: 'POST', path: '/comments', body: { postId: 1, body: 'good' } },
    { method: 'GET', path: '/comments?postId=1' },
    { method: 'GET', path: '/comments?postId=2' },
    { method: 'DELETE', path: post },
    { method: 'GET', path: post },
    { method: 'DELETE', path: post },
    { method: 'GET', path: '/posts' },
  ],
  isOffContract: true,
  // Other posts were listed than there are at the end.
  notCompared: [['0008-listPosts.200.json', 'recording-stale', undefined]],
  differs: [],
  skipped: [],
};
