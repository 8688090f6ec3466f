import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import type { MockOptions } from '../../src/mock/options.js';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { type ModeRequest, type Owner, readMode } from '../../src/features/recording/mode.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { createFolder } from '../folders.js';
import { KEYS, record, SPEC } from './recorded.js';
import { openMock } from '../open-mock.js';
import { startUpstream, type UpstreamOptions } from './upstream.js';

const HEADERS = { authorization: 'Bearer mode-token-1', 'content-type': 'application/json' };
const FILE = '/v1/files/file-notes/content';

function create(recordings: RecordingOptions, more: Partial<MockOptions> = {}): Promise<Mock> {
  return openMock({
    spec: SPEC,
    fixtures: 'fixtures',
    recordings: { cassette: 'keys', live: true, ...recordings },
    ...more,
  });
}

async function ask(
  mock: Pick<Mock, 'fetch'>,
  path: string,
  body?: unknown,
): Promise<{ status: number; from: string; body: unknown; headers: Headers }> {
  const response = await mock.fetch(path, {
    headers: HEADERS,
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const from = response.headers.get('x-mock-source') ?? '';
  return { status: response.status, from, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

/** Answers, and is gone in the middle of it. */
function breakOff(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json', 'content-length': 100 });
  response.write('{', () => response.destroy());
}

/** An intercepted request is answered. */
function finish(answer: () => unknown): boolean {
  answer();
  return true;
}

describe('a mode', () => {
  it.each<readonly [string, ModeRequest, string]>([
    ['nothing', { mode: undefined, environment: {}, live: false }, 'replay'],
    [
      'a variable',
      { mode: undefined, environment: { VOUCH_RECORDINGS: 'record-missing' }, live: false },
      'record-missing',
    ],
    [
      'an option over the variable',
      { mode: 'off', environment: { VOUCH_RECORDINGS: 'record-all' }, live: false },
      'off',
    ],
    ['recording on CI', { mode: 'record-all', environment: { CI: 'true' }, live: false }, 'replay'],
    [
      'recording on CI by the variable',
      { mode: undefined, environment: { CI: '1', VOUCH_RECORDINGS: 'record-all' }, live: false },
      'replay',
    ],
    ['recording on CI on purpose', { mode: 'record-all', environment: { CI: 'true' }, live: true }, 'record-all'],
    ['off on CI', { mode: 'off', environment: { CI: 'true' }, live: false }, 'off'],
    ['CI that is not one', { mode: 'record-all', environment: { CI: 'false' }, live: false }, 'record-all'],
  ])('from %s is read', (_name, request, want) => {
    expect(readMode(request)).toBe(want);
  });

  it('that is unknown is refused with the most similar one', () => {
    expect(() => readMode({ mode: 'record-mising', environment: {}, live: false })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', hint: 'did you mean "record-missing"?' }),
    );
  });

  it('that records requires an upstream', async () => {
    await expect(create({ folder: createFolder(), mode: 'record-all' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    await expect(create({ folder: createFolder(), mode: 'record-all', upstream: 'ftp://x' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });
});

describe('record-missing', () => {
  it('forwards a call without a recording once', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    const first = await create({ folder, mode: 'record-missing', upstream: upstream.url });
    expect((await ask(first, KEYS)).from).toBe('forward');
    await first.close();
    const second = await create({ folder, mode: 'record-missing', upstream: upstream.url });
    expect((await ask(second, KEYS)).from).toBe('replay:0001-listAdminApiKeys.200.json');
    expect((await ask(second, FILE)).from).toBe('forward');
    expect(upstream.seen).toHaveLength(2);
    expect(readdirSync(join(folder, 'keys')).filter((name) => /^\d/.test(name))).toHaveLength(2);
  });

  it('records an equal request as the next of its sequence', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    const mock = await create({ folder, mode: 'record-missing', upstream: upstream.url });
    const before = await ask(mock, KEYS);
    await ask(mock, KEYS, { name: 'new' });
    const after = await ask(mock, KEYS);
    await mock.close();
    const replay = await create({ folder, mode: 'replay' });
    expect((await ask(replay, KEYS)).body).toEqual(before.body);
    expect((await ask(replay, KEYS)).body).toEqual(after.body);
    expect((await ask(replay, KEYS)).body).toEqual(after.body);
    expect(before.body).not.toEqual(after.body);
  });
});

it('record-all replaces a cassette when its first exchange is recorded, not earlier', async () => {
  const upstream = await startUpstream();
  const folder = createFolder();
  const first = await create({ folder, mode: 'record-all', upstream: upstream.url });
  await ask(first, KEYS);
  await ask(first, FILE);
  await first.close();
  const second = await create({ folder, mode: 'record-all', upstream: upstream.url });
  expect(loadCassette(join(folder, 'keys')).exchanges).toHaveLength(2);
  await ask(second, FILE);
  await second.close();
  expect(loadCassette(join(folder, 'keys')).exchanges.map(({ file }) => file)).toEqual(['0001-downloadFile.200.json']);
});

it('the trace says why recordings and the upstream leave an operation of the mock to the sources below', async () => {
  const upstream = await startUpstream();
  const mock = await create({
    folder: createFolder(),
    mode: 'record-missing',
    upstream: upstream.url,
    owners: { downloadFile: 'mock' },
  });
  await ask(mock, KEYS);
  expect(mock.journal.last()?.trace.slice(0, 2)).toEqual([
    'refuse: the operation belongs to the recordings, which are asked first',
    'prefer: the request has no preference',
  ]);
  await mock.fetch(FILE, { headers: HEADERS });
  expect(mock.journal.last()?.trace).toEqual(
    expect.arrayContaining([
      'replay: the operation is not answered from recordings',
      'forward: the operation is not forwarded',
    ]),
  );
});

describe('strict replay', () => {
  it('answers a call without a recording with 501 that no client retries, and assertNoMisses throws', async () => {
    const upstream = await startUpstream();
    const { root: folder } = await record(upstream.url, (mock) => ask(mock, KEYS, { name: 'ci' }));
    const mock = await create({ folder, mode: 'replay' });
    const miss = await ask(mock, KEYS, { name: 'cd' });
    expect(miss.status).toBe(501);
    expect(miss.headers.get('x-should-retry')).toBe('false');
    expect(miss.from).toBe('replay:miss');
    const want = [
      `no recording in cassette "keys" matches POST ${KEYS} (createAdminApiKey)`,
      'most similar:',
      `  0001-createAdminApiKey.200.json  POST ${KEYS}`,
      '    body /name: recorded "ci", received "cd"',
    ].join('\n');
    expect(miss.body).toMatchObject({ error: { code: 'not_recorded', message: want } });
    expect(mock.journal.last()?.trace).toContain('replay: body /name: recorded "ci", received "cd"');
    expect(() => mock.verify()).toThrow(
      expect.objectContaining({ code: 'VERIFY_FAILED', message: expect.stringContaining(want) as string }),
    );
    mock.reset('counters');
    mock.verify();
  });

  it.each(['99', '"200"', '1000'])(
    'names the file and the line of a recording whose status was changed to %s',
    async (status) => {
      const upstream = await startUpstream();
      const { root: folder } = await record(upstream.url, (mock) => ask(mock, KEYS, { name: 'ci' }));
      const file = join(folder, 'keys', '0001-createAdminApiKey.200.json');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace('"status": 200', `"status": ${status}`));
      const mock = await create({ folder, mode: 'replay' });
      const { status: answered, body } = await ask(mock, KEYS, { name: 'ci' });
      const line = text.slice(0, text.indexOf('"status"')).split('\n').length;
      const { error } = body as { readonly error: { readonly code: string; readonly message: string } };
      expect([answered, error.code]).toEqual([501, 'recording_invalid']);
      expect(error.message).toContain(
        `RECORDING_INVALID  ${file}:${line} (#/response/status)  status must be an integer from 200 to 999, got ${status}`,
      );
      expect(error.message).not.toContain('the cassette is empty');
    },
  );

  it('fails at start if the cassette does not exist', async () => {
    await expect(create({ folder: createFolder(), mode: 'replay' })).rejects.toMatchObject({
      code: 'RECORDING_NOT_FOUND',
    });
  });

  it('has a position for each session, and a session can select another cassette', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    for (const [cassette, name] of [
      ['one', 'a'],
      ['two', 'b'],
    ] as const) {
      const recording = await create({ folder, cassette, mode: 'record-all', upstream: upstream.url });
      await ask(recording, KEYS);
      await ask(recording, KEYS, { name });
      await ask(recording, KEYS);
      await recording.close();
    }
    const mock = await create({ folder, cassette: 'one', mode: 'replay' });
    const count = async (by: Pick<Mock, 'fetch'>): Promise<number> =>
      ((await ask(by, KEYS)).body as { data: unknown[] }).data.length;
    const other = mock.session('other');
    expect([await count(mock), await count(mock), await count(other)]).toEqual([3, 4, 3]);
    expect(other.cassette('two').exchanges).toHaveLength(3);
    expect([await count(other), await count(other), await count(mock)]).toEqual([4, 5, 4]);
    expect(() => mock.cassette('tow')).toThrow(expect.objectContaining({ hint: 'did you mean "two"?' }));
  });

  it('restores the position of a sequence with a snapshot', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    const recording = await create({ folder, mode: 'record-all', upstream: upstream.url });
    for (const name of ['a', 'b', 'c']) {
      await ask(recording, KEYS);
      await ask(recording, KEYS, { name });
    }
    await recording.close();
    const mock = await create({ folder, mode: 'replay' });
    const next = async (): Promise<string> => (await ask(mock, KEYS)).from;
    expect(await next()).toMatch(/0001/);
    const snapshot = mock.snapshot();
    expect([await next(), await next()]).toEqual([expect.stringMatching(/0003/), expect.stringMatching(/0005/)]);
    mock.restore(snapshot);
    expect(await next()).toMatch(/0003/);
  });

  it('reports that no cassette is selected', async () => {
    const mock = await create({ folder: createFolder(), cassette: undefined, mode: 'replay' });
    const answer = await ask(mock, KEYS);
    expect(answer.status).toBe(501);
    expect(answer.body).toMatchObject({
      error: { message: expect.stringContaining('no cassette is selected') as string },
    });
  });

  it('warns of an expired recording, or fails, and never calls the upstream', async () => {
    const upstream = await startUpstream();
    const { root: folder } = await record(upstream.url, (mock) => ask(mock, FILE), { maxAge: 0 });
    const manifest = join(folder, 'keys', 'cassette.json');
    writeFileSync(
      manifest,
      readFileSync(manifest, 'utf8').replace(/"recordedAt": "[^"]*"/, '"recordedAt": "2020-01-01T00:00:00.000Z"'),
    );
    const old = await create({ folder, mode: 'replay', upstream: upstream.url });
    expect(old.recordings?.warnings).toEqual([
      expect.stringMatching(/cassette "keys" was recorded \d+ days ago, and its maxAge is 0 days/),
    ]);
    expect((await ask(old, FILE)).from).toMatch(/^replay:/);
    await expect(create({ folder, mode: 'replay', expired: 'fail' })).rejects.toMatchObject({
      code: 'RECORDING_EXPIRED',
    });
    expect(upstream.seen).toHaveLength(1);
  });
});

describe('an operation', () => {
  it('is answered by its owner, which can change while the mock runs', async () => {
    const upstream = await startUpstream();
    const { root: folder } = await record(upstream.url, (mock) => ask(mock, KEYS));
    const mock = await create({
      folder,
      mode: 'replay',
      upstream: upstream.url,
      owners: { '*': 'mock', listAdminApiKeys: 'replay', downloadFile: 'forward' },
    });
    expect((await ask(mock, KEYS)).from).toBe('replay:0001-listAdminApiKeys.200.json');
    expect((await ask(mock, FILE)).from).toBe('forward');
    expect((await ask(mock, KEYS, { name: 'x' })).from).toBe('state');
    mock.recordings?.setOwner('listAdminApiKeys', 'mock');
    expect((await ask(mock, KEYS)).from).toBe('state');
    mock.recordings?.setOwner('*', 'forward');
    expect((await ask(mock, KEYS, { name: 'x' })).from).toBe('forward');
    expect(mock.recordings?.owners).toEqual({ '*': 'forward' });
    // Forwarded in mode replay, nothing is written.
    expect(loadCassette(join(folder, 'keys')).exchanges).toHaveLength(1);
  });

  it('gets another owner, and a session another cassette, from the control API', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    for (const cassette of ['keys', 'other']) {
      const recording = await create({ folder, cassette, mode: 'record-all', upstream: upstream.url });
      await ask(recording, KEYS);
      if (cassette === 'other') await ask(recording, FILE);
      await recording.close();
    }
    const mock = await create({ folder, mode: 'replay', upstream: upstream.url });
    const change = async (body: unknown, path = '/__mock/recordings'): Promise<{ status: number; body: unknown }> => {
      const init = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const response = await mock.fetch(path, init);
      return { status: response.status, body: await response.json() };
    };
    expect((await ask(mock, FILE)).status).toBe(501);
    const before: unknown = await (await mock.fetch('/__mock/recordings')).json();
    expect(before).toMatchObject({
      mode: 'replay',
      cassette: 'keys',
      exchanges: 1,
      owners: { '*': 'replay' },
      misses: [{ operation: 'downloadFile' }],
    });
    expect(await change({ owners: { downloadFile: 'forward' } })).toMatchObject({
      status: 200,
      body: { owners: { '*': 'replay', downloadFile: 'forward' } },
    });
    expect((await ask(mock, FILE)).from).toBe('forward');
    expect(await change({ owners: { '*': 'replay' }, cassette: 'other' })).toMatchObject({
      status: 200,
      body: { cassette: 'other', exchanges: 2, owners: { '*': 'replay' } },
    });
    expect((await ask(mock, FILE)).from).toBe('replay:0002-downloadFile.200.json');
    expect(await change({ owners: { downloadFiles: 'mock' } })).toMatchObject({
      status: 400,
      body: { code: 'OPTION_INVALID', hint: 'did you mean "downloadFile"?' },
    });
    expect(await change({ owners: { downloadFile: 'me' } })).toMatchObject({
      status: 400,
      body: { code: 'CONTROL_INVALID' },
    });
    expect(await change({ cassette: 'othr' })).toMatchObject({ status: 404, body: { code: 'RECORDING_NOT_FOUND' } });
    const bare = await createMock({ spec: 'spec/openapi.yaml' });
    expect(await (await bare.fetch('/__mock/recordings')).json()).toMatchObject({
      mode: 'off',
      owners: { '*': 'mock' },
    });
  });

  it('falls through to the mock without a recording if owners are configured, and the mock refuses invalid calls', async () => {
    const upstream = await startUpstream();
    const { root: folder } = await record(upstream.url, (mock) => ask(mock, KEYS));
    const mock = await create({ folder, mode: 'replay', owners: { listAdminApiKeys: 'replay' } });
    expect((await ask(mock, `${KEYS}?limit=2`)).from).toBe('state');
    expect(await ask(mock, `${KEYS}?limit=0`)).toMatchObject({ status: 400, from: 'refuse' });
    mock.verify({ ignore: ({ answer }) => answer.status === 400 });
  });

  it.each<readonly [string, UpstreamOptions, string]>([
    ['501', { intercept: (_request, response) => finish(() => response.writeHead(501).end()) }, 'state'],
    ['404', { intercept: (_request, response) => finish(() => response.writeHead(404).end()) }, 'state'],
    ['404 and half of a body', { intercept: (_request, response) => finish(() => breakOff(response)) }, 'state'],
    ['a closed connection', { intercept: (_request, response) => finish(() => response.destroy()) }, 'state'],
    ['200', {}, 'forward'],
  ])('of forward-then-mock whose upstream answers %s is answered by %s', async (_name, options, want) => {
    const upstream = await startUpstream(options);
    const mock = await create({
      folder: createFolder(),
      mode: 'record-all',
      upstream: upstream.url,
      owners: { '*': 'forward-then-mock' },
    });
    expect((await ask(mock, KEYS)).from).toBe(want);
    expect(upstream.seen.length).toBeGreaterThan(0);
  });

  it('that is not in the contract, or an unknown owner, is refused with the most similar one', async () => {
    const folder = createFolder();
    const owners = (entries: Record<string, string>): Promise<Mock> =>
      // From JavaScript, any string may come.
      create({ folder, cassette: undefined, mode: 'replay', owners: entries as Record<string, Owner> });
    await expect(owners({ listAdminApiKey: 'mock' })).rejects.toMatchObject({
      hint: 'did you mean "listAdminApiKeys"?',
    });
    await expect(owners({ downloadFile: 'fowrard' })).rejects.toMatchObject({ hint: 'did you mean "forward"?' });
    await expect(owners({ downloadFile: 'forward' })).rejects.toMatchObject({
      reason: '"downloadFile" cannot be forwarded without an upstream',
    });
  });

  it('has a recorded answer that a scenario can change', async () => {
    const upstream = await startUpstream();
    const { root: folder } = await record(upstream.url, (mock) => ask(mock, KEYS));
    const mock = await create(
      { folder, mode: 'replay' },
      {
        scenarios: {
          from: { limited: { operations: { listAdminApiKeys: [{ times: 1, respond: { status: 429 } }] } } },
          active: 'limited',
        },
      },
    );
    expect((await ask(mock, KEYS)).status).toBe(429);
    expect((await ask(mock, KEYS)).from).toMatch(/^replay:/);
  });
});

it('additional redaction rules also apply on replay, from the manifest', async () => {
  const upstream = await startUpstream();
  const folder = createFolder();
  const redact = { keys: ['name'], patterns: [/cust-\d+/i] };
  const recording = await create({ folder, mode: 'record-all', upstream: upstream.url, redact });
  await ask(recording, KEYS, { name: 'one customer' });
  await ask(recording, `${KEYS}?after=CUST-1`);
  await recording.close();
  const mock = await create({ folder, mode: 'replay' });
  expect((await ask(mock, KEYS, { name: 'another customer' })).from).toMatch(/^replay:0001/);
  expect(mock.cassette('keys').manifest.redact).toEqual({ keys: ['name'], patterns: ['/cust-\\d+/i'] });
  expect((await ask(mock, `${KEYS}?after=cust-2`)).from).toMatch(/^replay:0002/);
});

describe('the hooks of recordings', () => {
  it('change and drop exchanges before they are written, which have no secrets any more', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    const seen: string[] = [];
    const recording = await create({
      folder,
      mode: 'record-all',
      upstream: upstream.url,
      beforeWrite: (exchange) => {
        seen.push(JSON.stringify(exchange));
        if (exchange.request.query['limit'] === '1') return null;
        return { ...exchange, recordedAt: '2026-01-01T00:00:00.000Z' };
      },
    });
    expect((await ask(recording, KEYS)).status).toBe(200);
    expect((await ask(recording, `${KEYS}?limit=1`)).status).toBe(200);
    await recording.close();
    const { exchanges } = loadCassette(join(folder, 'keys'));
    expect(exchanges.map(({ request, recordedAt }) => [request.query, recordedAt])).toEqual([
      [{}, '2026-01-01T00:00:00.000Z'],
    ]);
    expect(recording.recordings?.failures).toEqual([]);
    expect(seen).toHaveLength(2);
    expect(seen.join('\n')).not.toContain('mode-token-1');
  });

  it('that return an invalid exchange, a secret or an error are failures, and the client gets the answer', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    let count = 0;
    const recording = await create({
      folder,
      mode: 'record-all',
      upstream: upstream.url,
      beforeWrite: (exchange) => {
        count += 1;
        if (count === 1) throw new Error('not today');
        const { request, response } = exchange;
        if (count === 2 && response !== undefined) return { ...exchange, response: { ...response, status: 20 } };
        return {
          ...exchange,
          request: { ...request, headers: { ...request.headers, 'x-a': 'ghp_0123456789abcdefghijABCDEFGHIJ' } },
        };
      },
    });
    for (let i = 0; i < 3; i += 1) expect((await ask(recording, KEYS)).status).toBe(200);
    await recording.close();
    expect(recording.recordings?.failures.map(({ message }) => message)).toEqual([
      expect.stringContaining('not today'),
      expect.stringContaining('status must be an integer from 200 to 999'),
    ]);
    const [exchange] = loadCassette(join(folder, 'keys')).exchanges;
    expect(exchange?.request.headers['x-a']).toMatch(/^ghp_REDACTED/);
  });

  it('change and drop exchanges that were read', async () => {
    const upstream = await startUpstream();
    const { root: folder } = await record(upstream.url, async (mock) => {
      await ask(mock, KEYS);
      await ask(mock, `${KEYS}?limit=1`);
    });
    const mock = await create({
      folder,
      mode: 'replay',
      afterRead: ({ response, ...exchange }) => {
        if (exchange.request.query['limit'] === '1') return undefined;
        return { ...exchange, response: response && { ...response, headers: { ...response.headers, 'x-a': 'b' } } };
      },
    });
    const answer = await ask(mock, KEYS);
    expect(answer.headers.get('x-a')).toBe('b');
    expect((await ask(mock, `${KEYS}?limit=1`)).from).toBe('replay:miss');
  });
});

it('mode off ignores recordings', async () => {
  const folder = createFolder();
  const mock = await create({ folder, mode: 'off' });
  expect((await ask(mock, KEYS)).from).toBe('state');
  expect(existsSync(join(folder, 'keys'))).toBe(false);
});
