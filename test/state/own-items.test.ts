import { describe, expect, it } from 'vitest';
import { inPath, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, object, ref, TEXT, WORLDS } from '../schema-parts.js';
import { openShop } from './shop.js';

describe.each(WORLDS)('the user of the request in a %s world', (_, options) => {
  const list = shows(object({ items: arrayOf(ref('Thing')) }));
  const post = takes(object({ name: TEXT }), ref('Thing'), 201);
  const one = shows(ref('Thing'));
  const schemas = {
    Thing: object({ id: TEXT, name: TEXT }, 'id'),
    User: object({ id: TEXT, name: TEXT, bio: TEXT }, 'id'),
  };

  it.each([['/me'], ['/users/me'], ['/users/@me'], ['/v1/self'], ['/account']])(
    '%s exists, is changed by PATCH and has items of its own',
    async (path) => {
      const spec = toDocument(
        {
          [path]: { get: shows(ref('User')), patch: takes(object({ bio: TEXT }), ref('User')) },
          [`${path}/things`]: { get: list, post },
          [`${path}/things/{id}`]: { ...inPath('id'), get: one, delete: REMOVED },
          '/users/{user_id}': { ...inPath('user_id'), get: shows(ref('User')) },
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

describe.each(WORLDS)('items of the user of a request in a %s world', (_, options) => {
  const schemas = {
    User: object({ id: TEXT, name: TEXT, bio: TEXT }, 'id'),
    Thing: object({ id: TEXT, name: TEXT, user_id: TEXT }, 'id', 'name'),
    Note: object({ id: TEXT, text: TEXT }, 'id'),
  };
  const one = shows(ref('Thing'));
  const things = (name: string): object => ({
    get: shows(object({ data: arrayOf(ref(name)) })),
    post: takes(object({ name: TEXT, text: TEXT }), ref(name), 201),
  });
  const user = shows(ref('User'));

  it.each(['/me', '/users/me', '/users/@me', '/user'])('%s and the path of the user have the same', async (own) => {
    const spec = toDocument(
      {
        [own]: { get: user, patch: { ...sends(object({ bio: TEXT })), ...user } },
        [`${own}/things`]: things('Thing'),
        [`${own}/things/{id}`]: { ...inPath('id'), get: one, delete: REMOVED },
        [`${own}/things/{id}/notes`]: { ...inPath('id'), ...things('Note') },
        '/users': { post: takes(object({ name: TEXT }), ref('User'), 201) },
        '/users/{user_id}': { ...inPath('user_id'), get: user },
        '/users/{user_id}/things': { ...inPath('user_id'), ...things('Thing') },
      },
      schemas,
    );
    const { send } = await openShop({ ...options, spec });
    const me = String((await send('GET', own)).body['id']);
    expect((await send('PATCH', own, { bio: 'hello' })).body).toMatchObject({ id: me, bio: 'hello' });
    expect((await send('GET', `/users/${me}`)).body).toMatchObject({ id: me, bio: 'hello' });
    const created = await send('POST', `${own}/things`, { name: 'a' });
    const first = created.body;
    expect(first).toMatchObject({ name: 'a', user_id: me });
    expect(created.headers.get('location')).toBe(`${own}/things/${String(first['id'])}`);
    const second = (await send('POST', `/users/${me}/things`, { name: 'b' })).body;
    expect((await send('GET', `/users/${me}/things`)).body).toEqual({ data: [first, second] });
    expect((await send('GET', `${own}/things`)).body).toEqual({ data: [first, second] });
    const note = (await send('POST', `${own}/things/${String(second['id'])}/notes`, { text: 'n' })).body;
    expect((await send('GET', `${own}/things/${String(second['id'])}/notes`)).body).toEqual({ data: [note] });
    await send('DELETE', `${own}/things/${String(first['id'])}`);
    expect((await send('GET', `/users/${me}/things`)).body).toEqual({ data: [second] });
    const other = (await send('POST', '/users', { name: 'Ada' })).body;
    expect((await send('GET', `/users/${String(other['id'])}/things`)).body).toEqual({ data: [] });
    expect((await send('GET', own)).body['id']).toBe(me);
  });
});
