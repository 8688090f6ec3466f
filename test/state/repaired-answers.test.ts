import { describe, expect, it } from 'vitest';
import { pathParameter, shows, takes, toDocument } from '../operation-parts.js';
import { INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const label = object({ id: INTEGER, name: TEXT }, 'id', 'name');
const labels = { type: 'array', uniqueItems: true, minItems: 1, items: ref('Label') };
const id = pathParameter('id');
const spec = toDocument(
  {
    '/labels': { get: shows(labels), post: takes(ref('Label'), ref('Label'), 201) },
    '/labels/{id}': {
      parameters: [id],
      patch: takes({ type: 'object' }, labels),
      get: shows(ref('Label')),
      delete: shows(labels),
    },
    '/watch/register/{id}': { parameters: [id], post: shows({ type: 'object' }) },
    '/notify/register/{id}': { parameters: [id], post: shows({ type: 'object' }) },
  },
  { Label: label },
);

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
