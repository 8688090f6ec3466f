// @module-tag slow
import { afterEach, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import type { StateOptions } from '../../src/options.js';
import { content, pathParameter, REMOVED, toDocument } from '../operation-parts.js';
import { arrayOf, object, TEXT } from '../schema-parts.js';

const ERROR = object({ error: object({ message: TEXT }, 'message') }, 'error');
const PET = object({ id: TEXT, name: TEXT, note: TEXT }, 'id', 'name');
const FAILURE = { description: 'An error.', content: content(ERROR) };
const ID = pathParameter('id');

/** Pets with toys; what a pet or a toy is called is up to the client. */
const SPEC = toDocument({
  '/pets': {
    get: { operationId: 'listPets', responses: { 200: { description: 'All.', content: content(arrayOf(PET)) } } },
    post: {
      operationId: 'createPet',
      requestBody: { content: content({ ...PET, required: ['name'] }) },
      responses: { 201: { description: 'Made.', content: content(PET) }, 507: FAILURE, default: FAILURE },
    },
  },
  '/pets/{id}': {
    parameters: [ID],
    get: { operationId: 'getPet', responses: { 200: { description: 'One.', content: content(PET) } } },
    patch: {
      operationId: 'changePet',
      requestBody: { content: content({ ...PET, required: [] }) },
      responses: { 200: { description: 'Changed.', content: content(PET) }, 503: FAILURE },
    },
    delete: { operationId: 'deletePet', ...REMOVED },
  },
  '/pets/{id}/toys': {
    parameters: [ID],
    get: { operationId: 'listToys', responses: { 200: { description: 'All.', content: content(arrayOf(PET)) } } },
    post: {
      operationId: 'createToy',
      requestBody: { content: content({ ...PET, required: ['name'] }) },
      responses: { 201: { description: 'Made.', content: content(PET) } },
    },
  },
});

describe('the limits of the state', () => {
  let mock: Mock | undefined;
  afterEach(() => mock?.close());

  const open = async (state: StateOptions): Promise<Mock> => {
    mock = await createMock({ spec: SPEC, state });
    return mock;
  };

  interface Sent {
    readonly method?: string;
    readonly body?: unknown;
    readonly session?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }

  async function send(path: string, { method, body, session, headers }: Sent = {}): Promise<Response> {
    if (mock === undefined) throw new Error('no mock is open');
    return mock.fetch(path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(session !== undefined && { 'x-mock-session': session }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  const create = (name: string, session?: string): Promise<Response> =>
    send('/pets', { body: { name }, ...(session !== undefined && { session }) });
  const namesOf = async (path: string, session?: string): Promise<readonly string[]> => {
    const items = (await (await send(path, session === undefined ? {} : { session })).json()) as { name: string }[];
    return items.map(({ name }) => name);
  };

  it('refuses one item more than a session may have, in the error shape of the contract, and says how to raise the limit', async () => {
    await open({ initialItems: 0, maxItems: 2 });
    expect([(await create('a')).status, (await create('b')).status]).toEqual([201, 201]);
    const refused = await create('c');
    expect(refused.status).toBe(507);
    expect(await refused.json()).toEqual({
      error: {
        message:
          'the session holds more than 2 items with this change, the maximum; ' +
          'remove items, reset the session, or raise state: { maxItems } (--max-items)',
      },
    });
    expect(await namesOf('/pets')).toEqual(['a', 'b']);
  });

  it('refuses with 507 and a code where the error shape of the contract has one and declares no status of its own', async () => {
    mock = await createMock({ spec: 'spec/openapi.yaml', state: { maxItems: 1 } });
    const add = (): Promise<Response> =>
      send('/v1/organization/admin_api_keys', { body: { name: 'a' }, headers: { authorization: 'Bearer k' } });
    expect((await add()).status).toBe(200);
    const refused = await add();
    expect([refused.status, await refused.json()]).toEqual([
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
    const { id } = (await (await create('a')).json()) as { readonly id: string };
    expect((await create('b')).status).toBe(507);
    expect((await send(`/pets/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await create('c')).status).toBe(201);
    expect((await create('d')).status).toBe(507);
    reset('state');
    expect((await create('e')).status).toBe(201);
    expect(journal.interactions.map(({ answer }) => answer.status)).toEqual([201, 507, 204, 201, 507, 201]);
  });

  it('refuses an update that makes the items of a session too large, with a status that the operation declares', async () => {
    await open({ initialItems: 0, maxBytes: 2000 });
    const { id } = (await (await create('a')).json()) as { readonly id: string };
    const update = (note: string): Promise<Response> => send(`/pets/${id}`, { method: 'PATCH', body: { note } });
    expect((await update('x'.repeat(1500))).status).toBe(200);
    const refused = await update('y'.repeat(3000));
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('2000 bytes')]);
    // The update before is kept, and as many of the same size are possible.
    for (const letter of ['a', 'b', 'c']) expect((await update(letter.repeat(1500))).status).toBe(200);
    const { note } = (await (await send(`/pets/${id}`)).json()) as { readonly note: string };
    expect(note).toBe('c'.repeat(1500));
  });

  it('counts all sessions together until they are closed', async () => {
    await open({ initialItems: 0, totalItems: 3 });
    for (const session of ['one', 'two', 'three']) expect((await create('a', session)).status).toBe(201);
    const refused = await create('b', 'four');
    expect([refused.status, await refused.text()]).toEqual([507, expect.stringContaining('state: { totalItems }')]);
    expect((await send('/__mock/sessions/one', { method: 'DELETE' })).status).toBe(204);
    expect((await create('c', 'four')).status).toBe(201);
    expect((await create('d', 'two')).status).toBe(507);
  });

  it('refuses a copy of a session for which there is no room, and counts nothing of it', async () => {
    await open({ initialItems: 0, totalItems: 3 });
    for (const name of ['a', 'b']) await create(name);
    const copied = await send('/__mock/sessions/default/fork', { body: { id: 'copy' } });
    expect([copied.status, await copied.json()]).toEqual([503, expect.objectContaining({ code: 'STATE_LIMIT' })]);
    expect((await create('c')).status).toBe(201);
    expect((await create('d')).status).toBe(507);
  });

  it('refuses items from the control API with the same code, and undoes all of them', async () => {
    await open({ initialItems: 0, maxItems: 2 });
    const items = ['a', 'b', 'c'].map((id) => ({ id, name: id }));
    const refused = await send('/__mock/state/pets', { method: 'PUT', body: items });
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'STATE_LIMIT', hint: expect.stringContaining('--max-items') }),
    ]);
    expect(await namesOf('/pets')).toEqual([]);
    expect((await send('/__mock/state/pets', { method: 'PUT', body: items.slice(1) })).status).toBe(200);
    expect(await namesOf('/pets')).toEqual(['b', 'c']);
  });

  it('counts snapshots until they are replaced or their session is closed', async () => {
    await open({ initialItems: 0, totalItems: 5 });
    for (const name of ['a', 'b']) await create(name, 'one');
    const take = (name: string): Promise<Response> => send('/__mock/sessions/one/snapshots', { body: { name } });
    expect([(await take('first')).status, (await take('first')).status]).toEqual([201, 201]);
    const refused = await take('second');
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({
        code: 'STATE_LIMIT',
        detail: 'all sessions and their snapshots together hold more than 5 items with this change, the maximum',
        hint: expect.stringContaining('raise state: { totalItems } (--total-items)') as string,
      }),
    ]);
    expect((await create('c', 'two')).status).toBe(201);
    expect((await create('d', 'two')).status).toBe(507);
    expect((await send('/__mock/sessions/one/restore', { body: { snapshot: 'first' } })).status).toBe(200);
    expect((await send('/__mock/sessions/one', { method: 'DELETE' })).status).toBe(204);
    for (const name of ['d', 'e', 'f', 'g']) expect((await create(name, 'two')).status).toBe(201);
    expect((await create('h', 'two')).status).toBe(507);
  });

  it('counts uploaded scenarios until they are replaced or deleted', async () => {
    await open({ initialItems: 0, totalBytes: 5000 });
    const upload = (id: string, note: string): Promise<Response> =>
      send(`/__mock/scenarios/${id}`, { method: 'PUT', body: { state: { pets: { add: [{ name: 'a', note }] } } } });
    expect((await upload('one', 'x'.repeat(2000))).status).toBe(200);
    expect((await upload('one', 'y'.repeat(2000))).status).toBe(200);
    const refused = await upload('two', 'x'.repeat(4000));
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'STATE_LIMIT', hint: expect.stringContaining('--total-state') as string }),
    ]);
    expect((await send('/__mock/scenarios/two', { method: 'DELETE' })).status).toBe(404);
    expect((await send('/__mock/scenarios/one', { method: 'DELETE' })).status).toBe(204);
    for (const id of ['two', 'two']) expect((await upload(id, 'x'.repeat(2000))).status).toBe(200);
    // A scenario that is refused counts nothing.
    for (let i = 0; i < 5; i++) {
      const body = { operations: { nothing: { note: 'z'.repeat(2000) } } };
      expect((await send('/__mock/scenarios/wrong', { method: 'PUT', body })).status).toBe(422);
    }
  });

  it('are the default ones where operations have no state', async () => {
    mock = await createMock({ spec: SPEC, state: false });
    const items = Array.from({ length: 100_001 }, (_, i) => ({ id: `pet-${i}`, name: 'a' }));
    const refused = await send('/__mock/state/pets', { method: 'PUT', body: items });
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('more than 100000 items')]);
    // Those that it starts with.
    expect(mock.state.collection('pets').items).toHaveLength(3);
  });

  it('does not count the items of fixtures', async () => {
    mock = await createMock({
      spec: SPEC,
      fixtures: { pets: Array.from({ length: 5 }, (_, i) => ({ id: `pet-${i}`, name: 'a' })) },
      state: { maxItems: 1 },
    });
    expect((await create('b')).status).toBe(201);
    expect((await create('c')).status).toBe(507);
  });

  it('keeps what clients created, and removes only items that it creates again, the oldest first', async () => {
    const { state } = await open({ generatedItems: 20 });
    const { id } = (await (await create('mine')).json()) as { readonly id: string };
    const first = await (await send('/pets/first')).text();
    await send('/pets/changed', { method: 'PATCH', body: { name: 'kept' } });
    await send('/pets/removed', { method: 'DELETE' });
    for (let i = 0; i < 200; i++) expect((await send(`/pets/pet-${i}`)).status).toBe(200);
    expect(state.collection('pets').items.length).toBeLessThanOrEqual(23);
    expect(await namesOf('/pets')).toEqual(expect.arrayContaining(['mine', 'kept']));
    expect((await send(`/pets/${id}`)).status).toBe(200);
    expect((await send('/pets/removed')).status).toBe(404);
    expect(await (await send('/pets/first')).text()).toBe(first);
  });

  it('removes whole lists of initial items that no request changed, and creates them again', async () => {
    const { state } = await open({ generatedItems: 20 });
    const first = await namesOf('/pets/p0/toys');
    await send('/pets/p1/toys', { body: { name: 'mine' } });
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
      (await send('/pets', { body: { name: 'a' }, headers: { 'idempotency-key': key } })).json();
    const first = await createWith('first');
    expect(await createWith('first')).toEqual(first);
    for (let i = 0; i < 1000; i++) await createWith(`key-${i}`);
    expect(await createWith('first')).not.toEqual(first);
  });

  it('remembers no more answers to idempotency keys than fit into 16 MiB', async () => {
    await open({ initialItems: 0 });
    const createWith = async (key: string): Promise<string> => {
      const body = { name: 'a', note: 'x'.repeat(6 * 1024 * 1024) };
      const response = await send('/pets', { body, headers: { 'idempotency-key': key } });
      return ((await response.json()) as { readonly id: string }).id;
    };
    const first = await createWith('first');
    expect(await createWith('first')).toBe(first);
    for (const key of ['second', 'third']) await createWith(key);
    expect(await createWith('third')).not.toBe(first);
    expect(await createWith('first')).not.toBe(first);
  });
});
