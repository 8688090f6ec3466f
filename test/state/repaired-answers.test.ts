import { describe, expect, it } from 'vitest';
import { json } from './document-parts.js';
import { openShop } from './shop.js';

const label = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
};
const labels = { type: 'array', uniqueItems: true, minItems: 1, items: { $ref: '#/components/schemas/Label' } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const spec = {
  openapi: '3.1.0',
  info: { title: 'Labels', version: '1' },
  components: { schemas: { Label: label } },
  paths: {
    '/labels': {
      get: { responses: { 200: json(labels) } },
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Label' } } } },
        responses: { 201: json({ $ref: '#/components/schemas/Label' }) },
      },
    },
    '/labels/{id}': {
      parameters: [id],
      patch: {
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: { 200: json(labels) },
      },
      get: { responses: { 200: json({ $ref: '#/components/schemas/Label' }) } },
      delete: { responses: { 200: json(labels) } },
    },
    '/watch/register/{id}': { parameters: [id], post: { responses: { 200: json({ type: 'object' }) } } },
    '/notify/register/{id}': { parameters: [id], post: { responses: { 200: json({ type: 'object' }) } } },
  },
};

describe('a response schema that differs from what was inferred', () => {
  it.each(['create', 'not-found'] as const)(
    'gets a valid response, and the change is made, with unknown ids: %s',
    async (unknownIds) => {
      const { send } = await openShop({ spec, state: { unknownIds } });
      const made = await send('POST', '/labels', { id: 4, name: 'bug' });
      const path = `/labels/${String(made.body['id'])}`;
      const changed = await send('PATCH', path, { name: 'fixed' });
      expect(changed.status).toBe(200);
      expect(changed.list).toEqual([{ ...made.body, name: 'fixed' }]);
      expect((await send('DELETE', path)).status).toBe(200);
      expect((await send('GET', path)).status).toBe(404);
    },
  );
});

describe('two paths with the same last segments', () => {
  it.each(['/watch/register/1', '/notify/register/1'])(
    'are both answered if neither responds with an item: %s',
    async (path) => {
      const { send } = await openShop({ spec });
      expect((await send('POST', path)).status).toBe(200);
    },
  );
});
