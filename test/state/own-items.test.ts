import { describe, expect, it } from 'vitest';
import { CLOSED, inPath, json, object, ref, sends, TEXT, toDocument } from './document-parts.js';
import { openShop } from './shop.js';

describe.each([
  ['closed', CLOSED],
  ['open', {}],
] as const)('the user of the request in a %s world', (_, options) => {
  const list = { responses: { 200: json(object({ items: { type: 'array', items: ref('Thing') } })) } };
  const post = { ...sends(object({ name: TEXT })), responses: { 201: json(ref('Thing')) } };
  const one = { responses: { 200: json(ref('Thing')) } };
  const schemas = {
    Thing: object({ id: TEXT, name: TEXT }, 'id'),
    User: object({ id: TEXT, name: TEXT, bio: TEXT }, 'id'),
  };

  it.each([['/me'], ['/users/me'], ['/users/@me'], ['/v1/self'], ['/account']])(
    '%s exists, is changed by PATCH and has items of its own',
    async (path) => {
      const spec = toDocument(
        {
          [path]: {
            get: { responses: { 200: json(ref('User')) } },
            patch: { ...sends(object({ bio: TEXT })), responses: { 200: json(ref('User')) } },
          },
          [`${path}/things`]: { get: list, post },
          [`${path}/things/{id}`]: {
            ...inPath('id'),
            get: one,
            delete: { responses: { 204: { description: 'gone' } } },
          },
          '/users/{user_id}': { ...inPath('user_id'), get: { responses: { 200: json(ref('User')) } } },
        },
        schemas,
      );
      const { send } = await openShop({ ...options, spec });
      const { body } = await send('POST', `${path}/things`, { name: 'a' });
      expect((await send('GET', `${path}/things/${String(body['id'])}`)).body).toEqual(body);
      expect((await send('GET', `${path}/things`)).body).toEqual({ items: [body] });
      const patched = await send('PATCH', path, { bio: 'hello' });
      expect(patched.status).toBe(200);
      expect((await send('GET', path)).body).toMatchObject({ bio: 'hello' });
    },
  );
});
