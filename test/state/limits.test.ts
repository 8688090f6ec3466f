// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { Mock, MockOptions } from '../../src/index.js';
import type { StateOptions } from '../../src/mock/options.js';
import { openMock } from '../open-mock.js';
import { inPath, json, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, object, TEXT } from '../schema-parts.js';
import { type Reply, send as ask } from '../send.js';

const ERROR = object({ error: object({ message: TEXT }, 'message') }, 'error');
const PET = object({ id: TEXT, name: TEXT, note: TEXT }, 'id', 'name');
const FAILURE = json(ERROR);

/** Pets with toys; what a pet or a toy is called is up to the client. */
const SPEC = toDocument({
  '/pets': {
    get: shows(arrayOf(PET)),
    post: { ...sends({ ...PET, required: ['name'] }), responses: { 201: json(PET), 507: FAILURE, default: FAILURE } },
  },
  '/pets/{id}': {
    ...inPath('id'),
    get: shows(PET),
    patch: { ...sends({ ...PET, required: [] }), responses: { 200: json(PET), 503: FAILURE } },
    delete: REMOVED,
  },
  '/pets/{id}/toys': {
    ...inPath('id'),
    get: shows(arrayOf(PET)),
    post: takes({ ...PET, required: ['name'] }, PET, 201),
  },
});

describe('the limits of the state', () => {
  let mock: Mock;

  const openWith = async (options: Partial<MockOptions>): Promise<Mock> =>
    (mock = await openMock({ spec: SPEC, ...options }));
  const open = (state: StateOptions): Promise<Mock> => openWith({ state });

  const inSession = (session?: string): Record<string, string> =>
    session === undefined ? {} : { 'x-mock-session': session };
  const send = (line: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> =>
    ask(mock, line, body, headers);
  const create = (name: string, session?: string): Promise<Reply> => send('/pets', { name }, inSession(session));
  const namesOf = async (path: string, session?: string): Promise<readonly unknown[]> =>
    (await send(path, undefined, inSession(session))).list.map(({ name }) => name);

  it('refuses one item more than a session may have, in the error shape of the contract, and says how to raise the limit', async () => {
    await open({ initialItems: 0, maxItems: 2 });
    expect([(await create('a')).status, (await create('b')).status]).toEqual([201, 201]);
    const refused = await create('c');
    expect(refused.status).toBe(507);
    expect(refused.body).toEqual({
      error: {
        message:
          'the session holds more than 2 items with this change, the maximum; ' +
          'remove items, reset the session, or raise state: { maxItems } (--max-items)',
      },
    });
    expect(await namesOf('/pets')).toEqual(['a', 'b']);
  });

  it('refuses with 507 and a code where the error shape of the contract has one and declares no status of its own', async () => {
    await openWith({ spec: 'spec/openapi.yaml', state: { maxItems: 1 } });
    const add = (): Promise<Reply> =>
      send('/v1/organization/admin_api_keys', { name: 'a' }, { authorization: 'Bearer k' });
    expect((await add()).status).toBe(200);
    const refused = await add();
    expect([refused.status, refused.body]).toEqual([
      507,
      {
        error: {
          message: expect.stringContaining('more than 1 items with this change, the maximum; remove items') as string,
          type: expect.any(String) as string,
          param: null,
          code: 'state_limit',
        },
      },
    ]);
    // The client would only fail again.
    expect(refused.headers.get('x-should-retry')).toBe('false');
  });

  it('has room again after an item was removed, and after a reset', async () => {
    const { reset, journal } = await open({ initialItems: 0, maxItems: 1 });
    const id = String((await create('a')).body['id']);
    expect((await create('b')).status).toBe(507);
    expect((await send(`DELETE /pets/${id}`)).status).toBe(204);
    expect((await create('c')).status).toBe(201);
    expect((await create('d')).status).toBe(507);
    reset('state');
    expect((await create('e')).status).toBe(201);
    expect(journal.interactions.map(({ answer }) => answer.status)).toEqual([201, 507, 204, 201, 507, 201]);
  });

  it('refuses an update that makes the items of a session too large, with a status that the operation declares', async () => {
    await open({ initialItems: 0, maxBytes: 2000 });
    const id = String((await create('a')).body['id']);
    const update = (note: string): Promise<Reply> => send(`PATCH /pets/${id}`, { note });
    expect((await update('x'.repeat(1500))).status).toBe(200);
    const refused = await update('y'.repeat(3000));
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([503, expect.stringContaining('2000 bytes')]);
    // The update before is kept, and as many of the same size are possible.
    for (const letter of ['a', 'b', 'c']) expect((await update(letter.repeat(1500))).status).toBe(200);
    expect((await send(`/pets/${id}`)).body['note']).toBe('c'.repeat(1500));
  });

  it('counts all sessions together until they are closed', async () => {
    await open({ initialItems: 0, totalItems: 3 });
    for (const session of ['one', 'two', 'three']) expect((await create('a', session)).status).toBe(201);
    const refused = await create('b', 'four');
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      507,
      expect.stringContaining('state: { totalItems }'),
    ]);
    expect((await send('DELETE /__mock/sessions/one')).status).toBe(204);
    expect((await create('c', 'four')).status).toBe(201);
    expect((await create('d', 'two')).status).toBe(507);
  });

  it('refuses a copy of a session for which there is no room, and counts nothing of it', async () => {
    await open({ initialItems: 0, totalItems: 3 });
    for (const name of ['a', 'b']) await create(name);
    const copied = await send('/__mock/sessions/default/fork', { id: 'copy' });
    expect([copied.status, copied.body]).toEqual([503, expect.objectContaining({ code: 'STATE_LIMIT' })]);
    expect((await create('c')).status).toBe(201);
    expect((await create('d')).status).toBe(507);
  });

  it('refuses items from the control API with the same code, and undoes all of them', async () => {
    await open({ initialItems: 0, maxItems: 2 });
    const items = ['a', 'b', 'c'].map((id) => ({ id, name: id }));
    const refused = await send('PUT /__mock/state/pets', items);
    expect([refused.status, refused.body]).toEqual([
      503,
      expect.objectContaining({ code: 'STATE_LIMIT', hint: expect.stringContaining('--max-items') }),
    ]);
    expect(await namesOf('/pets')).toEqual([]);
    expect((await send('PUT /__mock/state/pets', items.slice(1))).status).toBe(200);
    expect(await namesOf('/pets')).toEqual(['b', 'c']);
  });

  it('counts snapshots until they are replaced or their session is closed', async () => {
    await open({ initialItems: 0, totalItems: 5 });
    for (const name of ['a', 'b']) await create(name, 'one');
    const take = (name: string): Promise<Reply> => send('/__mock/sessions/one/snapshots', { name });
    expect([(await take('first')).status, (await take('first')).status]).toEqual([201, 201]);
    const refused = await take('second');
    expect([refused.status, refused.body]).toEqual([
      503,
      expect.objectContaining({
        code: 'STATE_LIMIT',
        detail: 'all sessions and their snapshots together hold more than 5 items with this change, the maximum',
        hint: expect.stringContaining('raise state: { totalItems } (--total-items)') as string,
      }),
    ]);
    expect((await create('c', 'two')).status).toBe(201);
    expect((await create('d', 'two')).status).toBe(507);
    expect((await send('/__mock/sessions/one/restore', { snapshot: 'first' })).status).toBe(200);
    expect((await send('DELETE /__mock/sessions/one')).status).toBe(204);
    for (const name of ['d', 'e', 'f', 'g']) expect((await create(name, 'two')).status).toBe(201);
    expect((await create('h', 'two')).status).toBe(507);
  });

  it('counts uploaded scenarios until they are replaced or deleted', async () => {
    await open({ initialItems: 0, totalBytes: 5000 });
    const upload = (id: string, note: string): Promise<Reply> =>
      send(`PUT /__mock/scenarios/${id}`, { state: { pets: { add: [{ name: 'a', note }] } } });
    expect((await upload('one', 'x'.repeat(2000))).status).toBe(200);
    expect((await upload('one', 'y'.repeat(2000))).status).toBe(200);
    const refused = await upload('two', 'x'.repeat(4000));
    expect([refused.status, refused.body]).toEqual([
      503,
      expect.objectContaining({ code: 'STATE_LIMIT', hint: expect.stringContaining('--total-state') as string }),
    ]);
    expect((await send('DELETE /__mock/scenarios/two')).status).toBe(404);
    expect((await send('DELETE /__mock/scenarios/one')).status).toBe(204);
    for (const id of ['two', 'two']) expect((await upload(id, 'x'.repeat(2000))).status).toBe(200);
    // A scenario that is refused counts nothing.
    for (let i = 0; i < 5; i++) {
      const body = { operations: { nothing: { note: 'z'.repeat(2000) } } };
      expect((await send('PUT /__mock/scenarios/wrong', body)).status).toBe(422);
    }
  });

  it('are the default ones where operations have no state', async () => {
    await openWith({ state: false });
    const items = Array.from({ length: 100_001 }, (_, i) => ({ id: `pet-${i}`, name: 'a' }));
    const refused = await send('PUT /__mock/state/pets', items);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      503,
      expect.stringContaining('more than 100000 items'),
    ]);
    // Those that it starts with.
    expect(mock.state.collection('pets').items).toHaveLength(3);
  });

  it('does not count the items of fixtures', async () => {
    await openWith({
      fixtures: { pets: Array.from({ length: 5 }, (_, i) => ({ id: `pet-${i}`, name: 'a' })) },
      state: { maxItems: 1 },
    });
    expect((await create('b')).status).toBe(201);
    expect((await create('c')).status).toBe(507);
  });

  it('keeps what clients created, and removes only items that it creates again, the oldest first', async () => {
    const { state } = await open({ generatedItems: 20 });
    const id = String((await create('mine')).body['id']);
    const first = (await send('/pets/first')).body;
    await send('PATCH /pets/changed', { name: 'kept' });
    await send('DELETE /pets/removed');
    for (let i = 0; i < 200; i++) expect((await send(`/pets/pet-${i}`)).status).toBe(200);
    expect(state.collection('pets').items.length).toBeLessThanOrEqual(23);
    expect(await namesOf('/pets')).toEqual(expect.arrayContaining(['mine', 'kept']));
    expect((await send(`/pets/${id}`)).status).toBe(200);
    expect((await send('/pets/removed')).status).toBe(404);
    expect((await send('/pets/first')).body).toEqual(first);
  });

  it('removes whole lists of initial items that no request changed, and creates them again', async () => {
    const { state } = await open({ generatedItems: 20 });
    const first = await namesOf('/pets/p0/toys');
    await send('/pets/p1/toys', { name: 'mine' });
    for (let i = 0; i < 100; i++) expect(await namesOf(`/pets/p${i}/toys`)).not.toEqual([]);
    const { collections } = state.export();
    const count = Object.values(collections).reduce((sum, items) => sum + items.length, 0);
    expect(count).toBeLessThan(60);
    expect(await namesOf('/pets/p0/toys')).toEqual(first);
    expect(await namesOf('/pets/p1/toys')).toContain('mine');
  });

  it('remembers the answers to the last thousand idempotency keys', async () => {
    await open({ initialItems: 0 });
    const createWith = async (key: string): Promise<unknown> =>
      (await send('/pets', { name: 'a' }, { 'idempotency-key': key })).body;
    const first = await createWith('first');
    expect(await createWith('first')).toEqual(first);
    for (let i = 0; i < 1000; i++) await createWith(`key-${i}`);
    expect(await createWith('first')).not.toEqual(first);
  });

  it('remembers no more answers to idempotency keys than fit into 16 MiB', async () => {
    await open({ initialItems: 0 });
    const createWith = async (key: string): Promise<string> => {
      const body = { name: 'a', note: 'x'.repeat(6 * 1024 * 1024) };
      return String((await send('/pets', body, { 'idempotency-key': key })).body['id']);
    };
    const first = await createWith('first');
    expect(await createWith('first')).toBe(first);
    for (const key of ['second', 'third']) await createWith(key);
    expect(await createWith('third')).not.toBe(first);
    expect(await createWith('first')).not.toBe(first);
  });
});
