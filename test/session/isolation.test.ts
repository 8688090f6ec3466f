// @module-tag slow
import { expect, it } from 'vitest';
import { createMock, MockError } from '../../src/index.js';
import { AUTHORIZED, BUILT_IN, describeBoth, jsonInit, type Reach } from '../describe-both.js';

interface Key {
  readonly id: string;
  readonly name: string;
}

const KEYS = '/organization/admin_api_keys';
const MEMBER = '/vector_stores/vs_product_docs/files/file-handbook';
const CONTENT = 'downloadFile';

function inSession(id: string, init: RequestInit = {}): RequestInit {
  const headers = new Headers({ ...AUTHORIZED, 'x-mock-session': id });
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  return { ...init, headers };
}

async function listNames(reach: Reach, init: RequestInit = { headers: AUTHORIZED }): Promise<readonly string[]> {
  const response = await reach.send(`${KEYS}?limit=100&order=asc`, init);
  const page = (await response.json()) as { readonly data: readonly Key[] };
  return page.data.map(({ name }) => name);
}

async function createKey(reach: Reach, name: string, session: string): Promise<Key> {
  const response = await reach.send(KEYS, inSession(session, jsonInit('POST', { name })));
  expect(response.status).toBe(200);
  return (await response.json()) as Key;
}

describeBoth('sessions', (start) => {
  it('50 of them write, read and follow a scenario of their own at once, and none sees anything of another', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `parallel-${i}`);
    const scenarios = Object.fromEntries(
      ids.map((id) => [id, { operations: { [CONTENT]: { patch: { headers: { 'x-scenario': id } } } } }]),
    );
    const reach = await start({ scenarios });
    const before = await listNames(reach);
    const written = new Map(ids.map((id) => [id, [] as Key[]]));
    for (const id of ids) reach.mock.session(id, { scenarios: [id] });
    // Ten rounds of five requests in every session; within a round the sessions take turns.
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        ids.map(async (id) => {
          written.get(id)?.push(await createKey(reach, `${id} ${round}`, id));
          const content = await reach.send('/files/file-handbook/content', inSession(id));
          expect(content.headers.get('x-scenario')).toBe(id);
          const removal = await reach.send(MEMBER, inSession(id, { method: 'DELETE' }));
          expect(removal.status).toBe(round === 0 ? 200 : 404);
          for (let i = 0; i < 2; i++) {
            const names = await listNames(reach, inSession(id));
            expect(names.slice(before.length)).toEqual(written.get(id)?.map(({ name }) => name));
          }
        }),
      );
    }
    for (const id of ids) {
      const session = reach.mock.session(id);
      expect(session.journal.interactions).toHaveLength(50);
      expect(session.journal.filter((interaction) => interaction.session !== id)).toEqual([]);
      const names = session.state.collection('admin_api_keys').items.map(({ name }) => name);
      expect(names).toEqual([...before, ...Array.from({ length: 10 }, (_, round) => `${id} ${round}`)]);
      // The same requests in the same order give the same ids: sessions are strangers, and one seed is one seed.
      expect(written.get(id)?.map((key) => key.id)).toEqual(written.get('parallel-0')?.map((key) => key.id));
    }
    expect(await listNames(reach)).toEqual(before);
    expect((await reach.send('/files/file-handbook/content', { headers: AUTHORIZED })).headers.has('x-scenario')).toBe(
      false,
    );
  }, 120_000);

  it('are selected by the base URL alone, followed by the base path of the contract', async () => {
    const reach = await start();
    const base = new URL(reach.baseUrl);
    const other = (path: string): Promise<Response> =>
      reach.fetch(`${base.origin}/~by-url${base.pathname}${path}`, { headers: AUTHORIZED });
    const response = await other(`${KEYS}?limit=1`);
    expect(response.status).toBe(200);
    expect(reach.mock.session('by-url').journal.calls('listAdminApiKeys')).toHaveLength(1);
    expect(reach.mock.session('by-url').journal.last()?.request.url).toBe(`/~by-url/v1${KEYS}?limit=1`);
    expect(reach.mock.journal.interactions).toEqual([]);
  });

  it('are selected by the key a client sends, which is accepted there without being one of the tokens', async () => {
    const reach = await start({ auth: { tokens: ['sk-good'] } });
    reach.mock.session('mine', { tokens: ['sk-mine', 'sk-mine-too'] });
    const send = async (token: string): Promise<number> =>
      (await reach.send(`${KEYS}?limit=1`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await send('sk-mine'), await send('sk-mine-too'), await send('sk-good'), await send('sk-no')]).toEqual([
      200, 200, 200, 401,
    ]);
    expect(reach.mock.session('mine').journal.interactions).toHaveLength(2);
    expect(reach.mock.journal.interactions).toHaveLength(2);
    // The key of one session opens no other.
    const stranger = { headers: { authorization: 'Bearer sk-mine', 'x-mock-session': 'other' } };
    expect((await reach.send(KEYS, stranger)).status).toBe(401);
  });

  it('are refused with the nearest name where they have to be opened first', async () => {
    const reach = await start({ sessions: { required: true } });
    reach.mock.session('checkout');
    const response = await reach.send(KEYS, inSession('chekout'));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('no session \\"chekout\\" is open; did you mean \\"checkout\\"?');
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect((await reach.send(KEYS, inSession('checkout'))).status).toBe(200);
  });

  it('keep their journal until they are reset completely, which also resets the counter of generated ids', async () => {
    const reach = await start();
    const session = reach.mock.session('a');
    const first = await createKey(reach, 'again', 'a');
    session.restore(session.snapshot());
    session.reset('state');
    session.reset('counters');
    expect(session.journal.calls('createAdminApiKey')).toHaveLength(1);
    session.reset();
    expect(session.journal.interactions).toEqual([]);
    expect((await createKey(reach, 'again', 'a')).id).toBe(first.id);
  });
});

describeBoth('a session in a test’s hands', (start) => {
  it('answers in-process, waits for the client and lists its calls', async () => {
    const reach = await start();
    using session = reach.mock.session();
    const arrived = session.journal.waitFor('listAdminApiKeys');
    const sent = reach.send(KEYS, { headers: { ...AUTHORIZED, ...session.headers } });
    expect((await arrived).answer.status).toBe(200);
    await sent;
    const own = await session.fetch(`${session.prefix}/v1${KEYS}`, { headers: AUTHORIZED });
    expect(own.status).toBe(200);
    expect(session.journal.calls('listAdminApiKeys')).toHaveLength(2);
    expect(() => session.journal.calls('listAdminApiKey')).toThrow(MockError);
  });

  it('fails after it was closed, instead of starting again', async () => {
    const { mock } = await start();
    const session = mock.session('a');
    expect([session.close(), session.close()]).toEqual([true, false]);
    await expect(session.fetch('/v1/files')).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
    const anew = mock.session('a');
    expect(session.close()).toBe(false);
    expect((await anew.fetch(`/v1${KEYS}`, { headers: AUTHORIZED })).status).toBe(200);
  });

  it('reads and writes collections, and refuses invalid items', async () => {
    const reach = await start();
    const session = reach.mock.session('a');
    const keys = session.state.collection('admin_api_keys');
    const before = keys.items.length;
    const made = keys.add({ name: 'made here' });
    expect(await listNames(reach, inSession('a'))).toContain('made here');
    expect(await listNames(reach)).not.toContain('made here');
    expect(keys.update(String(made['id']), { name: 'renamed' })).toMatchObject({ name: 'renamed' });
    expect(keys.get(String(made['id']))).toMatchObject({ name: 'renamed' });
    expect(() => keys.add({ name: 7 })).toThrow(/not a valid item of "admin_api_keys": .*name/);
    expect(() => keys.replace([{ id: 'x' }])).toThrow(MockError);
    expect(keys.items).toHaveLength(before + 1);
    expect(keys.remove(String(made['id']))).toBe(true);
    expect(keys.remove('nobody')).toBe(false);
    keys.replace([]);
    expect(await listNames(reach, inSession('a'))).toEqual([]);
    expect(() => session.state.collection('admin_api_key')).toThrow(
      expect.objectContaining({ code: 'COLLECTION_UNKNOWN', hint: 'did you mean "admin_api_keys"?' }) as Error,
    );
  });

  it('moves its own clock, and created items show it', async () => {
    const reach = await start();
    reach.mock.session('a').clock.advance(90_000);
    const key = (await createKey(reach, 'late', 'a')) as Key & { readonly created_at: number };
    const other = (await createKey(reach, 'early', 'b')) as Key & { readonly created_at: number };
    expect(key.created_at - other.created_at).toBe(90);
  });

  it('says what a client did wrong, and is silent where it did nothing wrong', async () => {
    const reach = await start();
    const session = reach.mock.session('a');
    await createKey(reach, 'fine', 'a');
    expect(() => session.verify({ calls: { createAdminApiKey: 1 } })).not.toThrow();
    expect(() => session.verify({ calls: { 'POST /organization/admin_api_keys': 2 } })).toThrow(
      'createAdminApiKey was called',
    );
    await reach.send(KEYS, inSession('a', jsonInit('POST', { name: 7 })));
    await reach.send('/organization/admin_api_kees', inSession('a'));
    expect(() => session.verify()).toThrow(
      /^VERIFY_FAILED {2}verification failed with 2 findings:[\s\S]*#2 POST[\s\S]*-> 400[\s\S]*name[\s\S]*#3 GET[\s\S]*no operation of the contract matches; router: the contract has no path [^\n]*\n {2}hint: /,
    );
    expect(() => reach.mock.verify()).not.toThrow();
  });
});

it('two mocks in one process are isolated, even with equal session ids', async () => {
  const [one, two] = await Promise.all([createMock(BUILT_IN), createMock(BUILT_IN)]);
  one.session('a').state.collection('admin_api_keys').replace([]);
  expect(one.session('a').state.collection('admin_api_keys').items).toEqual([]);
  expect(two.session('a').state.collection('admin_api_keys').items).toHaveLength(7);
  expect(one.state.collection('admin_api_keys').items).toHaveLength(7);
});
