// @module-tag slow
import { beforeAll, describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { CONTROL_SPEC } from '../../src/server/control/control.js';
import { AUTHORIZED, describeAll, jsonInit, type Reach, type Start } from '../describe-both.js';
import { createControlClient, loadControlDocument, type AskControl } from './control-client.js';

/** A request, and the status, code and part of the detail of its refusal. */
type Refused = readonly [string, readonly [string, string, unknown], readonly [number, string, string]];

const KEYS = '/organization/admin_api_keys';
let document: Awaited<ReturnType<typeof loadControlDocument>>;
beforeAll(async () => {
  document = await loadControlDocument();
});

function ask(reach: Reach, prefix?: string): AskControl {
  return createControlClient(reach, document, prefix);
}

async function countKeys(reach: Reach, session: string): Promise<number> {
  const response = await reach.send(`${KEYS}?limit=100`, { headers: { ...AUTHORIZED, 'x-mock-session': session } });
  return ((await response.json()) as { readonly data: readonly unknown[] }).data.length;
}

describe('the document of the control API', () => {
  it('describes every operation with all of its errors', async () => {
    const contract = await loadContract(CONTROL_SPEC);
    for (const { id, summary, responses, security, tags, body, parameters } of contract.operations) {
      expect(summary, id).toMatch(/^[A-Z].{8,}/);
      expect(tags, id).toHaveLength(1);
      const statuses = responses.map(({ status }) => status);
      expect(statuses, id).toContain('403');
      if (security.length > 0) expect(statuses, id).toContain('401');
      if (parameters.length > 0) expect(statuses, id).toContain('400');
      if (body !== undefined) expect(statuses, id).toEqual(expect.arrayContaining(['400', '413', '415']));
    }
  });
});

describeAll('the control API', (start) => {
  const open = async (options?: Parameters<Start>[0]): Promise<{ reach: Reach; control: AskControl }> => {
    const reach = await start(options);
    return { reach, control: ask(reach) };
  };

  it('reports that the mock is running, and its contract', async () => {
    const { control } = await open();
    expect((await control('GET', '/health')).body).toEqual({ status: 'ok', title: expect.any(String), sessions: 1 });
    const { body } = await control('GET', '/contract');
    expect(body).toMatchObject({
      collections: expect.arrayContaining(['admin_api_keys', 'files']),
      operations: expect.arrayContaining([
        expect.objectContaining({ id: 'createAdminApiKey', method: 'POST', path: '/organization/admin_api_keys' }),
      ]),
    });
    const document = (await control('GET', '/contract/document')).body;
    expect(document).toHaveProperty('paths./files/{file_id}/content');
    expect((await control('GET', '/openapi.json')).body).toEqual(document);
  });

  it('opens, describes, lists and closes sessions', async () => {
    const { reach, control } = await open();
    const opened = await control('POST', '/sessions', { id: 'a', tokens: ['sk-a'] });
    expect(opened).toMatchObject({ status: 201, body: { id: 'a', tokens: 1, prefix: '/~a', interactions: 0 } });
    await reach.send(KEYS, { headers: { authorization: 'Bearer sk-a' } });
    expect((await control('GET', '/sessions/a')).body).toMatchObject({ interactions: 1 });
    const made = await control('POST', '/sessions');
    expect(made.body).toMatchObject({ id: 'session-1' });
    const { body } = await control('GET', '/sessions');
    expect(body).toMatchObject({ sessions: [{ id: 'default' }, { id: 'a' }, { id: 'session-1' }] });
    expect((await control('DELETE', '/sessions/a')).status).toBe(204);
    expect(await control('GET', '/sessions/a')).toMatchObject({ status: 404, code: 'SESSION_UNKNOWN' });
  });

  it('takes a snapshot, restores it, and forks a session', async () => {
    const { reach, control } = await open();
    const before = await countKeys(reach, 'a');
    expect((await control('POST', '/sessions/a/snapshots', { name: 'start' })).body).toEqual({
      name: 'start',
      session: 'a',
    });
    expect((await control('POST', '/sessions/a/snapshots')).body).toEqual({ name: 'snapshot-2', session: 'a' });
    await reach.send(KEYS, {
      ...jsonInit('POST', { name: 'new' }),
      headers: { ...AUTHORIZED, 'content-type': 'application/json', 'x-mock-session': 'a' },
    });
    expect((await control('POST', '/sessions/a/fork', { id: 'b' })).status).toBe(201);
    const restored = await control('POST', '/sessions/a/restore', { snapshot: 'start' });
    expect(restored.body).toMatchObject({ id: 'a', snapshots: ['start', 'snapshot-2'] });
    expect([await countKeys(reach, 'a'), await countKeys(reach, 'b')]).toEqual([before, before + 1]);
    expect(await control('POST', '/sessions/a/restore', { snapshot: 'stat' })).toMatchObject({
      status: 404,
      code: 'SNAPSHOT_UNKNOWN',
      hint: 'did you mean "start"?',
    });
  });

  it('reads and writes the state of one session, by query or by header', async () => {
    const { reach, control } = await open();
    const all = (await control('GET', '/state')).body as {
      readonly collections: Record<string, readonly { id: string }[]>;
    };
    expect(all).toEqual(reach.mock.state.export());
    const keys = all.collections['admin_api_keys'] ?? [];
    expect(keys).toHaveLength(7);
    const put = await control('PUT', '/state/admin_api_keys?session=a', keys.slice(0, 2));
    expect(put).toMatchObject({ status: 200, body: { collection: 'admin_api_keys', items: keys.slice(0, 2) } });
    expect([await countKeys(reach, 'a'), await countKeys(reach, 'default')]).toEqual([2, 7]);
    const inA = { 'x-mock-session': 'a' };
    const added = await control('POST', '/state/admin_api_keys', { name: 'by hand' }, inA);
    expect(added).toMatchObject({ status: 201, body: { name: 'by hand', object: 'organization.admin_api_key' } });
    expect((await control('GET', '/state/admin_api_keys', undefined, inA)).body).toMatchObject({
      items: [keys[0], keys[1], added.body],
    });
    expect((await control('DELETE', '/state/admin_api_keys', undefined, inA)).status).toBe(204);
    expect([await countKeys(reach, 'a'), await countKeys(reach, 'default')]).toEqual([0, 7]);
  });

  it('imports its own export: the export of one session becomes the state of another', async () => {
    const { control } = await open();
    const { body } = await control('GET', '/state');
    const { collections } = body as { readonly collections: Readonly<Record<string, readonly unknown[]>> };
    for (const [name, items] of Object.entries(collections)) {
      expect((await control('PUT', `/state/${name}?session=copy`, items)).status, name).toBe(200);
    }
    expect((await control('GET', '/state?session=copy')).body).toEqual(body);
  });

  it('refuses items that break the schema with their location, and changes nothing', async () => {
    const { reach, control } = await open();
    const { body } = await control('GET', '/state/admin_api_keys');
    const [first] = (body as { readonly items: readonly object[] }).items;
    const refused = await control('PUT', '/state/admin_api_keys', [
      first,
      { ...first, id: 'key_2', created_at: 'soon' },
      first,
    ]);
    expect(refused).toMatchObject({ status: 422, code: 'STATE_INVALID' });
    expect(refused.body).toMatchObject({
      errors: [
        { pointer: '/1/created_at', code: 'TYPE', message: expect.stringContaining('created_at') },
        { pointer: '/2', code: 'UNIQUE', message: expect.stringContaining('two items have the id') },
      ],
    });
    expect(await countKeys(reach, 'default')).toBe(7);
    expect(await control('POST', '/state/admin_api_keys', { name: 7 })).toMatchObject({
      status: 422,
      detail: expect.stringContaining('not a valid item of "admin_api_keys"'),
    });
  });

  it('refuses items that refer to missing items', async () => {
    const { control } = await open();
    const files = (await control('GET', '/state/vector_stores.files')).body as { readonly items: readonly object[] };
    const [first] = files.items;
    expect(first).toHaveProperty('$parent');
    const items = [
      { ...first, $parent: 'vs_unknown' },
      { ...first, id: 'file-unknown' },
      { ...first, $parent: undefined },
    ];
    expect((await control('PUT', '/state/vector_stores.files', items)).body).toMatchObject({
      errors: [
        { pointer: '/0', code: 'LINK', message: '"vector_stores" has no item "vs_unknown"' },
        { pointer: '/1', code: 'LINK', message: '"files" has no item "file-unknown"' },
        { pointer: '/2', code: 'REQUIRED', message: expect.stringContaining('"$parent"') },
      ],
    });
    expect((await control('GET', '/state/vector_stores.files')).body).toEqual(files);
  });

  it('reads, sets and advances the clock of one session', async () => {
    const { control } = await open();
    expect((await control('PUT', '/clock?session=a', { now: '2030-05-06T07:08:09Z' })).body).toEqual({
      now: '2030-05-06T07:08:09.000Z',
      ms: Date.UTC(2030, 4, 6, 7, 8, 9),
      movable: true,
    });
    expect((await control('POST', '/clock/advance?session=a', { ms: 1500 })).body).toMatchObject({
      now: '2030-05-06T07:08:10.500Z',
    });
    expect((await control('PUT', '/clock?session=a', { now: 0 })).body).toMatchObject({
      now: '1970-01-01T00:00:00.000Z',
    });
    expect((await control('GET', '/clock')).body).toMatchObject({ now: '2026-01-01T00:00:00.000Z' });
    expect(await control('PUT', '/clock', { now: 'tomorrow' })).toMatchObject({ status: 400, code: 'CONTROL_INVALID' });
  });

  it('does not set the clock to what is not a date', async () => {
    const { control } = await open();
    for (const now of [1e308, -1e308, 8.64e15 + 1]) {
      expect(await control('PUT', '/clock', { now })).toMatchObject({ status: 409, code: 'CLOCK_INVALID' });
    }
    expect(await control('POST', '/clock/advance', { ms: 1e308 })).toMatchObject({ code: 'CLOCK_INVALID' });
    expect((await control('GET', '/clock')).body).toMatchObject({ now: '2026-01-01T00:00:00.000Z' });
    expect((await control('GET', '/sessions')).status).toBe(200);
  });

  it('does not advance the clock of the machine', async () => {
    const { control } = await open({ clock: 'real' });
    expect((await control('GET', '/clock')).body).toMatchObject({ movable: false });
    expect(await control('POST', '/clock/advance', { ms: 1 })).toMatchObject({ status: 409, code: 'CLOCK_INVALID' });
  });

  it('resets the state or the whole session', async () => {
    const { reach, control } = await open();
    await control('POST', '/sessions', { id: 'a' });
    await control('DELETE', '/state/admin_api_keys?session=a');
    expect(await countKeys(reach, 'a')).toBe(0);
    expect((await control('POST', '/reset?session=a', { what: 'state' })).body).toMatchObject({
      id: 'a',
      interactions: 1,
    });
    expect(await countKeys(reach, 'a')).toBe(7);
    expect((await control('POST', '/reset?session=a')).body).toMatchObject({ interactions: 0 });
    expect(await control('POST', '/reset', { what: 'everything' })).toMatchObject({
      status: 400,
      detail: expect.stringContaining('what'),
    });
  });

  it('lists the journal by operation, from a number, up to a limit', async () => {
    const { reach, control } = await open();
    for (const limit of [1, 2, 3]) await reach.send(`${KEYS}?limit=${limit}`, { headers: AUTHORIZED });
    await reach.send('/files/file-handbook/content', { headers: AUTHORIZED });
    const numbers = async (query: string): Promise<readonly number[]> => {
      const { body } = await control('GET', `/journal${query}`);
      return (body as { readonly interactions: readonly { number: number }[] }).interactions.map(
        ({ number }) => number,
      );
    };
    expect(await numbers('')).toEqual([1, 2, 3, 4]);
    expect(await numbers('?operation=listAdminApiKeys')).toEqual([1, 2, 3]);
    expect(await numbers('?since=2')).toEqual([3, 4]);
    expect(await numbers('?limit=2')).toEqual([3, 4]);
    expect(await numbers('?since=1&limit=2')).toEqual([2, 3]);
    expect((await control('GET', '/journal')).body).toMatchObject({ dropped: 0, last: 4 });
    expect(await control('GET', '/journal?operation=listAdminApiKey')).toMatchObject({
      status: 400,
      code: 'OPERATION_UNKNOWN',
      hint: 'did you mean "listAdminApiKeys"?',
    });
    expect(JSON.stringify((await control('GET', '/journal')).body)).not.toContain('sk-test');
    expect((await control('DELETE', '/journal')).status).toBe(204);
    expect(await numbers('')).toEqual([]);
  });

  it('lists the journal as NDJSON, by Accept or by query', async () => {
    const { reach, control } = await open();
    await reach.send(KEYS, { headers: AUTHORIZED });
    await reach.send(KEYS, { headers: AUTHORIZED });
    const byAccept = await control('GET', '/journal', undefined, { accept: 'application/x-ndjson' });
    const byQuery = await control('GET', '/journal?format=ndjson');
    expect(byAccept.body).toBe(byQuery.body);
    expect(byAccept.body).toBe(reach.mock.journal.toNdjson());
    expect(
      String(byAccept.body)
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { number: number }).number),
    ).toEqual([1, 2]);
    expect(await control('GET', '/journal', undefined, { accept: 'text/html' })).toMatchObject({ status: 406 });
  });

  it('waits for a call', async () => {
    const { reach, control } = await open();
    const waited = control('GET', '/journal/wait?operation=listAdminApiKeys&session=a');
    // Waiting opens the session.
    const sent = reach.send(KEYS, { headers: { ...AUTHORIZED, 'x-mock-session': 'a' } });
    expect((await waited).body).toMatchObject({ number: 1, operation: 'listAdminApiKeys', session: 'a' });
    await sent;
    expect(await control('GET', '/journal/wait?operation=downloadFile&timeout=1&session=a')).toMatchObject({
      status: 504,
      code: 'WAIT_TIMEOUT',
      detail: expect.stringContaining('#1 GET /v1/organization/admin_api_keys -> 200 state (listAdminApiKeys)'),
    });
  });

  it('verifies a session', async () => {
    const { reach, control } = await open();
    expect((await control('GET', '/journal/verification')).body).toEqual({ ok: true, findings: [] });
    await reach.send(KEYS, jsonInit('POST', { name: 7 }));
    expect((await control('GET', '/journal/verification')).body).toEqual({
      ok: false,
      findings: [{ number: 1, message: expect.stringContaining('name') }],
    });
  });

  it('lists, uploads, activates, counts, deactivates and removes scenarios', async () => {
    const { reach, control } = await open({
      scenarios: { ours: { operations: { listAdminApiKeys: { respond: { status: 500 } } } } },
    });
    const status = async (session: string): Promise<number> =>
      (await reach.send(KEYS, { headers: { ...AUTHORIZED, 'x-mock-session': session } })).status;
    const uploaded = await control('PUT', '/scenarios/down', {
      operations: { listAdminApiKeys: { respond: { status: 401 } } },
    });
    expect(uploaded).toMatchObject({ status: 200, body: { id: 'down', active: false } });
    expect((await control('POST', '/scenarios/down/activate?session=a')).body).toMatchObject({ active: 'session' });
    expect([await status('a'), await status('b')]).toEqual([401, 200]);
    const { body } = await control('GET', '/scenarios?session=a');
    expect(body).toMatchObject({
      scenarios: [
        { id: 'ours', active: false },
        { id: 'down', active: 'session', rules: [{ operation: 'listAdminApiKeys', hits: 1, met: 1 }] },
      ],
    });
    await control('POST', '/scenarios/ours/activate?scope=server');
    expect([await status('a'), await status('b')]).toEqual([401, 500]);
    await control('POST', '/reset?session=a');
    await control('POST', '/scenarios/ours/deactivate?scope=server');
    expect([await status('a'), await status('b')]).toEqual([200, 200]);
    await control('POST', '/scenarios/down/activate?session=a');
    await control('POST', '/scenarios/down/deactivate?session=a');
    expect(await status('a')).toBe(200);
    expect((await control('DELETE', '/scenarios/down')).status).toBe(204);
    expect(await control('DELETE', '/scenarios/down')).toMatchObject({ status: 404, code: 'SCENARIO_UNKNOWN' });
  });

  it('refuses a scenario that breaks the contract, with the nearest name', async () => {
    const { control } = await open();
    const refused = await control('PUT', '/scenarios/wrong', {
      operations: { listAdminApiKey: { respond: { status: 200 } } },
    });
    expect(refused).toMatchObject({
      status: 422,
      code: 'SCENARIO_INVALID',
      hint: expect.stringContaining('listAdminApiKeys'),
    });
  });

  it.each([
    [
      'a session nobody opened',
      ['GET', '/journal?session=unknown', undefined],
      [404, 'SESSION_UNKNOWN', 'no session "unknown" is open'],
    ],
    ['an invalid id', ['POST', '/sessions', { id: 'a b' }], [400, 'CONTROL_INVALID', '"id"']],
    ['the default session again', ['POST', '/sessions', { id: 'default' }], [409, 'SESSION_EXISTS', 'already open']],
    [
      'the end of the default session',
      ['DELETE', '/sessions/default', undefined],
      [409, 'SESSION_INVALID', 'cannot be closed'],
    ],
    [
      'a scenario nobody wrote',
      ['POST', '/sessions', { scenarios: ['nope'] }],
      [404, 'SCENARIO_UNKNOWN', 'unknown scenario "nope"'],
    ],
    [
      'a fork of an unknown session',
      ['POST', '/sessions', { from: 'unknown' }],
      [404, 'SESSION_UNKNOWN', 'no session "unknown"'],
    ],
    ['an unknown property', ['POST', '/sessions', { ids: 'a' }], [400, 'CONTROL_INVALID', 'ids']],
    ['an unknown parameter', ['GET', '/journal?sinc=3', undefined], [400, 'CONTROL_INVALID', 'sinc']],
    ['invalid JSON', ['POST', '/sessions', '{"id": '], [400, 'CONTROL_INVALID', 'JSON']],
    [
      'a collection nobody knows',
      ['GET', '/state/admin_api_key', undefined],
      [404, 'COLLECTION_UNKNOWN', 'no collection "admin_api_key"'],
    ],
    ['an unknown path', ['GET', '/sesions', undefined], [404, 'CONTROL_UNKNOWN', 'matches /sesions']],
    ['an unknown method', ['PATCH', '/sessions', undefined], [405, 'CONTROL_UNKNOWN', 'GET, HEAD, OPTIONS, POST']],
  ] as readonly Refused[])('refuses %s', async (_, [method, path, body], [status, code, detail]) => {
    const { control } = await open();
    const answer = await control(method, path, body);
    expect(answer).toMatchObject({ status, code, detail: expect.stringContaining(detail) });
    expect(answer.hint ?? 'nothing').not.toBe('');
  });

  it('is not recorded in a journal, and does not open a session by reading', async () => {
    const { reach, control } = await open();
    await control('GET', '/journal?session=a');
    await control('GET', '/state?session=b');
    await control('GET', '/health');
    expect(reach.mock.journal.interactions).toEqual([]);
    expect((await control('GET', '/sessions')).body).toMatchObject({ sessions: [{ id: 'default' }] });
  });

  it('is served below the base URL of a session, and selects that session', async () => {
    const reach = await start();
    const control = ask(reach, '/~mine/__mock');
    await control('PUT', '/state/admin_api_keys', []);
    expect([await countKeys(reach, 'mine'), await countKeys(reach, 'default')]).toEqual([0, 7]);
  });

  it('is served below another prefix, or switched off', async () => {
    const other = await start({ control: { prefix: '/_/control' } });
    expect((await ask(other, '/_/control')('GET', '/health')).status).toBe(200);
    expect((await other.fetch(`${other.rootUrl}/__mock/health`)).status).toBe(404);
    const none = await start({ control: false });
    const answer = await none.fetch(`${none.rootUrl}/__mock/health`);
    expect([answer.status, answer.headers.get('x-mock-source')]).toEqual([404, 'refuse']);
  });

  it('does not open a session implicitly if sessions are required, and opens it explicitly', async () => {
    const { control } = await open({ sessions: { required: true } });
    expect(await control('POST', '/reset?session=a')).toMatchObject({ status: 404, code: 'SESSION_UNKNOWN' });
    await control('POST', '/sessions', { id: 'a' });
    expect((await control('POST', '/reset?session=a')).status).toBe(200);
  });

  it('refuses a session above the maximum', async () => {
    const { control } = await open({ sessions: { max: 1 } });
    expect((await control('POST', '/sessions')).status).toBe(201);
    expect(await control('POST', '/sessions')).toMatchObject({ status: 503, code: 'SESSION_LIMIT' });
    expect(await control('POST', '/reset?session=third')).toMatchObject({ status: 503, code: 'SESSION_LIMIT' });
  });
});
