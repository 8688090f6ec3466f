import { describe, expect, it } from 'vitest';
import { openMock } from './open-mock.js';

describe('the status of an answer', () => {
  it.each([
    [['default', '4XX', '204'], 204],
    [['100', '301'], 301],
    [['500', '404', '302'], 302],
    [['4XX'], 200],
    [['103', 'default'], 200],
  ])('of %j is %i', async (statuses, want) => {
    const responses = Object.fromEntries(statuses.map((status) => [status, { description: '' }]));
    const mock = await openMock({ '/x': { get: { responses } } });
    expect((await mock.fetch('/x')).status).toBe(want);
  });
});

describe('the media type of an answer', () => {
  const media = (types: readonly string[]): object => ({
    '/x': {
      get: { responses: { 200: { description: '', content: Object.fromEntries(types.map((type) => [type, {}])) } } },
    },
  });

  it.each([
    [['application/json', 'text/plain'], 'text/plain', 'text/plain'],
    [['application/json', 'text/plain'], 'text/*, application/json;q=0.1', 'text/plain'],
    [['*/*'], 'text/csv', 'text/csv'],
    [['application/*'], '*/*', 'application/json'],
    [['image/*'], 'image/gif, image/*;q=0.2', 'image/gif'],
    [['text/*'], undefined, 'text/plain'],
    [['application/vnd.x+json'], 'application/json', 'application/vnd.x+json'],
  ])('of %j for Accept %j is %s', async (types, accept, want) => {
    const mock = await openMock(media(types) as never);
    const response = await mock.fetch('/x', accept === undefined ? {} : { headers: { accept } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')?.split(';')[0]).toBe(want);
  });
});
