import { beforeAll, expect, it, vi } from 'vitest';
import { AUTHORIZED, describeBoth, type Reach } from '../describe-both.js';
import { createControlClient, loadControlDocument } from '../control/control-client.js';

const KEYS = '/organization/admin_api_keys';

/** A sequence, a rate limit, a change of state, a variable: everything a reset can take back. */
const SCENARIOS = {
  flaky: { operations: { listAdminApiKeys: { sequence: [{ status: 500 }, 'engine' as const] } } },
  emptied: { state: { admin_api_keys: { clear: true } } },
  once: { operations: { downloadFile: { times: 1, respond: { status: 500 } } } },
  severed: { operations: { listAdminApiKeys: { fault: 'reset' as const } } },
};

async function list(reach: Reach, session = 'a'): Promise<string> {
  const response = await reach.send(`${KEYS}?limit=100`, { headers: { ...AUTHORIZED, 'x-mock-session': session } });
  const body = (await response.json()) as { readonly data?: readonly unknown[] };
  return `${response.status} ${body.data?.length ?? '-'}`;
}

describeBoth('resets and scenarios', (start) => {
  let document: Awaited<ReturnType<typeof loadControlDocument>>;
  beforeAll(async () => {
    document = await loadControlDocument();
  });

  it('a session stays open where fake timers move the date by an hour', async () => {
    // The date is replaced before the mock is created, as in a `beforeEach`.
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { mock } = await start({});
      mock.session('a').state.collection('admin_api_keys').add({ name: 'kept' });
      vi.setSystemTime(Date.now() + 3_600_000);
      const { items } = mock.session('a').state.collection('admin_api_keys');
      expect(items).toContainEqual(expect.objectContaining({ name: 'kept' }));
    } finally {
      vi.useRealTimers();
    }
  });

  it('counters: a sequence starts over, and the state stays', async () => {
    const reach = await start({ scenarios: SCENARIOS });
    const session = reach.mock.session('a', { scenarios: ['flaky'] });
    session.state.collection('admin_api_keys').add({ name: 'kept' });
    expect([await list(reach), await list(reach)]).toEqual(['500 -', '200 8']);
    session.reset('counters');
    expect([await list(reach), await list(reach)]).toEqual(['500 -', '200 8']);
  });

  it('state: fixtures are restored, active scenarios repeat their changes, and counters continue', async () => {
    const reach = await start({ scenarios: SCENARIOS });
    const session = reach.mock.session('a', { scenarios: ['flaky', 'emptied'] });
    session.state.collection('admin_api_keys').add({ name: 'gone with the reset' });
    expect([await list(reach), await list(reach)]).toEqual(['500 -', '200 1']);
    session.reset('state');
    expect(await list(reach)).toBe('200 0');
    session.scenarios.deactivate('emptied');
    expect(await list(reach)).toBe('200 0');
    session.reset('state');
    expect(await list(reach)).toBe('200 7');
  });

  it('all: back to the scenarios it was opened with', async () => {
    const reach = await start({ scenarios: SCENARIOS });
    const session = reach.mock.session('a', { scenarios: ['flaky'] });
    session.scenarios.activate('emptied');
    session.scenarios.deactivate('flaky');
    expect(await list(reach)).toBe('200 0');
    session.reset();
    expect([await list(reach), await list(reach)]).toEqual(['500 -', '200 7']);
  });

  it('never lose a definition, also one that was uploaded', async () => {
    const reach = await start({ scenarios: SCENARIOS });
    const control = createControlClient(reach, document);
    await control('PUT', '/scenarios/uploaded', { operations: { listAdminApiKeys: { respond: { status: 401 } } } });
    for (const what of ['counters', 'state', 'all'] as const) {
      reach.mock.reset(what);
      await control('POST', '/reset', { what });
    }
    const { body } = await control('GET', '/scenarios');
    const ids = (body as { readonly scenarios: readonly { id: string }[] }).scenarios.map(({ id }) => id);
    expect(ids).toEqual([...Object.keys(SCENARIOS), 'uploaded']);
    reach.mock.session('a').scenarios.activate('uploaded');
    expect(await list(reach)).toBe('401 -');
  });

  it('a snapshot contains the position of a sequence, and a fork continues from it', async () => {
    const reach = await start({ scenarios: SCENARIOS });
    const session = reach.mock.session('a', { scenarios: ['flaky'] });
    const before = session.snapshot();
    expect(await list(reach)).toBe('500 -');
    session.fork('b');
    expect(await list(reach, 'b')).toBe('200 7');
    session.restore(before);
    expect(await list(reach)).toBe('500 -');
  });

  it('a scenario of the whole server holds for sessions that are open and that are opened later', async () => {
    const reach = await start({ scenarios: SCENARIOS });
    const control = createControlClient(reach, document);
    expect(await list(reach, 'open')).toBe('200 7');
    await control('POST', '/scenarios/emptied/activate?scope=server');
    expect([await list(reach, 'open'), await list(reach, 'later')]).toEqual(['200 0', '200 0']);
  });

  it('a rule that no call met is found, and one that was met is not', async () => {
    const reach = await start({ scenarios: SCENARIOS });
    const session = reach.mock.session('a', { scenarios: ['once'] });
    expect(() => session.verify()).toThrow(/rule once\/downloadFile\[0\] .* never applied: no call matched/);
    expect(() => session.verify({ unusedRules: false })).not.toThrow();
    await reach.send('/files/file-handbook/content', { headers: { ...AUTHORIZED, 'x-mock-session': 'a' } });
    expect(() => session.verify()).not.toThrow();
  });

  it('a connection that died is in the journal, and the control API can show it', async () => {
    const reach = await start({ scenarios: SCENARIOS });
    reach.mock.session('a').scenarios.activate('severed');
    await expect(reach.send(KEYS, { headers: { ...AUTHORIZED, 'x-mock-session': 'a' } })).rejects.toThrow(
      'fetch failed',
    );
    const control = createControlClient(reach, document);
    expect((await control('GET', '/journal?session=a')).body).toMatchObject({
      interactions: [{ operation: 'listAdminApiKeys', answer: { status: 0, fault: { kind: 'reset' } } }],
    });
  });
});
