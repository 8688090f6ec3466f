import { describe, expect, it } from 'vitest';
import { inPath, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, object, type Part, ref, TEXT, WORLDS } from '../schema-parts.js';
import { openShop, type Reply, type Shop } from '../state/shop.js';

const DONE = { responses: { 204: { description: 'done' } } };
const schemas = {
  Band: object({ id: TEXT, name: TEXT }, 'id'),
  Player: object({ id: TEXT, name: TEXT }, 'id'),
  Seat: object({ player: ref('Player'), part: TEXT }),
};
const collection = (path: string, name: string): Part => ({
  [path]: { get: shows(arrayOf(ref(name))), post: takes(object({ name: TEXT }), ref(name), 201) },
  [`${path}/{id}`]: {
    ...inPath('id'),
    get: shows(ref(name)),
    patch: takes(object({ name: TEXT }), ref(name)),
    delete: REMOVED,
  },
});
const below = inPath('id');
const one = inPath('id', 'player_id');

/** A way to make a player one of a band. */
interface Way {
  readonly paths: object;
  readonly list: 'members' | 'players';
  /** What a PUT sends; a POST sends the id of the player. */
  readonly put?: { readonly body?: object };
}

const WAYS: readonly (readonly [name: string, way: Way])[] = [
  [
    'a PUT, listed at its own path',
    {
      paths: {
        '/bands/{id}/players': { ...below, get: shows(arrayOf(ref('Player'))) },
        '/bands/{id}/players/{player_id}': { ...one, put: DONE, delete: REMOVED },
      },
      list: 'players',
      put: {},
    },
  ],
  [
    'a PUT, listed at another path',
    {
      paths: {
        '/bands/{id}/members': { ...below, get: shows(object({ members: arrayOf(ref('Player')) })) },
        '/bands/{id}/players/{player_id}': { ...one, put: DONE, delete: REMOVED },
      },
      list: 'members',
      put: {},
    },
  ],
  [
    'a PUT with properties of the membership',
    {
      paths: {
        '/bands/{id}/members': { ...below, get: shows(object({ members: arrayOf(ref('Seat')) })) },
        '/bands/{id}/players/{player_id}': {
          ...one,
          put: { ...sends(object({ part: TEXT })), ...DONE },
          delete: REMOVED,
        },
      },
      list: 'members',
      put: { body: { part: 'bass' } },
    },
  ],
  [
    'a POST with its id',
    {
      paths: {
        '/bands/{id}/players': {
          ...below,
          get: shows(object({ data: arrayOf(ref('Player')) })),
          post: takes(object({ id: TEXT }, 'id'), ref('Player')),
        },
        '/bands/{id}/players/{player_id}': { ...one, delete: REMOVED },
      },
      list: 'players',
    },
  ],
];

const open = (paths: object, options: object): Promise<Shop> =>
  openShop({
    ...options,
    spec: toDocument({ ...collection('/bands', 'Band'), ...collection('/players', 'Player'), ...paths }, schemas),
  });

const add = ({ send }: Shop, path: string, { id, put }: Pick<Way, 'put'> & { readonly id: unknown }): Promise<Reply> =>
  put === undefined ? send('POST', `${path}/players`, { id }) : send('PUT', `${path}/players/${String(id)}`, put.body);

const listOf = async ({ send }: Shop, path: string): Promise<readonly Part[]> => {
  const { body, list } = await send('GET', path);
  return (Array.isArray(body) ? list : Object.values(body)[0]) as readonly Part[];
};

describe.each(WORLDS)('a membership in a %s world', (_, options) => {
  it.each(WAYS)('by %s shows the item, follows its changes and leaves it', async (_name, { paths, list, put }) => {
    const shop = await open(paths, options);
    const { send } = shop;
    const { body: band } = await send('POST', '/bands', { name: 'Tide' });
    const { body: other } = await send('POST', '/bands', { name: 'Ebb' });
    const { body: player } = await send('POST', '/players', { name: 'Ada' });
    const { id } = player;
    const path = `/bands/${String(band['id'])}`;
    const show = (shown: Part): Part => (put?.body === undefined ? shown : { player: shown, ...put.body });
    const added = await add(shop, path, { id, put });
    expect(added.status).toBeLessThan(300);
    expect(await listOf(shop, `${path}/${list}`)).toEqual([show(player)]);
    expect(await listOf(shop, `/bands/${String(other['id'])}/${list}`)).toEqual([]);
    await send('PATCH', `/players/${String(id)}`, { name: 'Bea' });
    expect(await listOf(shop, `${path}/${list}`)).toEqual([show({ ...player, name: 'Bea' })]);
    expect((await send('DELETE', `${path}/players/${String(id)}`)).status).toBe(204);
    expect(await listOf(shop, `${path}/${list}`)).toEqual([]);
    expect((await send('GET', `/players/${String(id)}`)).body).toEqual({ ...player, name: 'Bea' });
  });

  it.each(WAYS)('by %s ends with the item', async (_name, { paths, list, put }) => {
    const shop = await open(paths, options);
    const { send } = shop;
    const { body: band } = await send('POST', '/bands', { name: 'Tide' });
    const { id } = (await send('POST', '/players', { name: 'Ada' })).body;
    const path = `/bands/${String(band['id'])}`;
    await add(shop, path, { id, put });
    await send('DELETE', `/players/${String(id)}`);
    expect(await listOf(shop, `${path}/${list}`)).toEqual([]);
  });
});

describe('an item below a parent', () => {
  it('that is sent whole is an item of its own, although one with its id is at the top', async () => {
    const shop = await open(
      {
        '/bands/{id}/players': {
          ...below,
          get: shows(arrayOf(ref('Player'))),
          post: takes(object({ name: TEXT }, 'name'), ref('Player'), 201),
        },
        '/bands/{id}/players/{player_id}': { ...one, get: shows(ref('Player')), delete: REMOVED },
      },
      {},
    );
    const { send } = shop;
    const { body: band } = await send('POST', '/bands', { name: 'Tide' });
    const path = `/bands/${String(band['id'])}/players`;
    const { body: own } = await send('POST', path, { name: 'Cy' });
    expect(await listOf(shop, path)).toEqual([own]);
    expect(await listOf(shop, '/players')).toEqual([]);
  });
});
