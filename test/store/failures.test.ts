// @module-tag slow
import { describe, expect, it } from 'vitest';
import { type Interaction, type Mock, MockError } from '../../src/index.js';
import { runProgram } from '../cli/run-program.js';
import { openMock } from '../open-mock.js';
import { type Reply, send } from '../send.js';
import { connectInTest, startRedisInTest, untilAnswered } from './redis-in-test.js';
import { REDIS_MISSING, runRedisCommand } from './redis-server.js';

const PATH = '/v1/organization/admin_api_keys';
const HEADERS = { authorization: 'Bearer key', 'content-type': 'application/json' };

describe.skipIf(REDIS_MISSING !== undefined)('a store that fails', () => {
  const start = (url: string, options: object = {}): Promise<Mock> =>
    openMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures', store: { redis: url }, ...options });
  const create = (mock: Mock, name: string, path = PATH): Promise<Reply> => send(mock, path, { name }, HEADERS);
  const names = async (mock: Mock, path = PATH): Promise<readonly string[]> => {
    const { body } = await send(mock, `${path}?limit=100`, undefined, HEADERS);
    return (body['data'] as readonly { readonly name: string }[]).map(({ name }) => name);
  };
  const failure = async (work: Promise<unknown>): Promise<MockError> => {
    try {
      await work;
    } catch (error) {
      if (error instanceof MockError) return error;
    }
    throw new Error('no MockError was thrown');
  };

  it('is an error at the start that names the host, not the password', async () => {
    const redis = await startRedisInTest();
    const { port } = redis;
    await redis.close();
    const error = await failure(start(`redis://user:hunter22@127.0.0.1:${port}`));
    expect(error.code).toBe('STORE_UNREACHABLE');
    expect(error.message).toContain(`redis://127.0.0.1:${port}`);
    expect(error.message).not.toContain('hunter22');
    expect((await failure(start('http://127.0.0.1'))).code).toBe('OPTION_INVALID');
  });

  it('is answered 503 with Retry-After in the form of the contract, and used again when it is back', async () => {
    const redis = await startRedisInTest();
    const shown: string[] = [];
    const onInteraction = ({ answer, trace }: Interaction): void => void shown.push(`${answer.status} ${trace[0]}`);
    const one = await start(redis.url, { onInteraction });
    const other = await start(redis.url);
    expect((await create(one, 'before')).status).toBe(200);
    await redis.kill();
    const lost = await create(one, 'lost');
    expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '1']);
    expect(lost.body).toMatchObject({ error: { code: 'store_unreachable' } });
    expect(shown.at(-1)).toContain('503 store: the store on redis://127.0.0.1');
    expect((await one.fetch('/__mock/health')).status).toBe(503);
    await redis.start();
    expect((await untilAnswered(() => create(one, 'after'))).status).toBe(200);
    expect((await one.fetch('/__mock/health')).status).toBe(200);
    await untilAnswered(() => other.fetch(PATH, { headers: HEADERS }));
    const seen = await names(other);
    expect(seen).toEqual(await names(one));
    expect(seen.slice(-2)).toEqual(['before', 'after']);
  });

  it('keeps what was changed in-process until it is back', async () => {
    const redis = await startRedisInTest();
    const one = await start(redis.url);
    const other = await start(redis.url);
    await redis.kill();
    const before = one.state.collection('files').items.length;
    one.state.collection('files').add({ filename: 'kept.txt' });
    expect((await create(one, 'lost')).status).toBe(503);
    await redis.start();
    await untilAnswered(() => create(one, 'after'));
    await untilAnswered(() => other.fetch(PATH, { headers: HEADERS }));
    expect(other.state.collection('files').items).toHaveLength(before + 1);
  });

  it('can be away when a session is closed', async () => {
    const redis = await startRedisInTest();
    const mock = await start(redis.url);
    const session = mock.session('brief');
    await session.fetch(PATH, { headers: HEADERS });
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      await redis.kill();
      session.close();
      expect((await create(mock, 'lost')).status).toBe(503);
      await redis.start();
      expect((await untilAnswered(() => create(mock, 'after'))).status).toBe(200);
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(unhandled).toEqual([]);
  });

  it('is answered 503 while a server refuses writes that no replica follows', async () => {
    const redis = await startRedisInTest();
    const mock = await start(redis.url);
    const before = await names(mock);
    await runRedisCommand(redis, 'CONFIG', 'SET', 'min-replicas-to-write', '1');
    const refused = await create(mock, 'refused');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await runRedisCommand(redis, 'CONFIG', 'SET', 'min-replicas-to-write', '0');
    expect((await create(mock, 'written')).status).toBe(200);
    expect(await names(mock)).toEqual([...before, 'written']);
  });

  it('refuses the keys of another version, and those of another document', async () => {
    const redis = await startRedisInTest();
    await start(redis.url);
    const different = await failure(start(redis.url, { seed: 99 }));
    expect(different.message).toMatch(
      /STORE_INCOMPATIBLE {2}the keys "vouch:\*" belong to a mock with another document/,
    );
    const client = await connectInTest(redis);
    await client.hSet('vouch:{vouch}:fields', 'schema', '999');
    const newer = await failure(start(redis.url));
    expect(newer.message).toMatch(/another version of vouch \(schema 999, not 3\)\n {2}hint: run the same version/);
    expect((await create(await start(redis.url, { store: { redis: redis.url, prefix: 'own' } }), 'x')).status).toBe(
      200,
    );
  });

  it.each([
    ['a scenario that does not exist', ['--scenario', 'missing'], 'SCENARIO_UNKNOWN'],
    ['a port that is taken', ['--port', 'taken'], 'PORT_TAKEN'],
  ])('does not keep a process running that cannot start with %s', async (_, words, code) => {
    const redis = await startRedisInTest();
    const { url, port } = redis;
    const given = words.map((word) => (word === 'taken' ? String(port) : word));
    const ended = await runProgram(['serve', 'spec/openapi.yaml', '--store', url, ...given]);
    expect([ended.code, ended.error]).toEqual([1, expect.stringContaining(code)]);
  });

  it('has no connection of a mock that could not be created', async () => {
    const redis = await startRedisInTest();
    const client = await connectInTest(redis);
    const recordings = { folder: 'fixtures/recordings', owners: { missing: 'replay' } };
    const { reason } = await failure(start(redis.url, { recordings }));
    expect(reason).toBe('operation "missing" is not in the contract');
    // A server notices a little later that a connection is closed.
    while ((await client.clientList()).length > 1) await new Promise((resolve) => setImmediate(resolve));
  });

  it('holds no secret of a request in its journal', async () => {
    const redis = await startRedisInTest();
    const mock = await start(redis.url);
    await mock.fetch(PATH, { headers: { authorization: 'Bearer sk-admin-very-secret-key-1234567890' } });
    const client = await connectInTest(redis);
    const lines = await client.lRange('vouch:{vouch:default}:journal', 0, -1);
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain('very-secret');
  });

  it('closes a session that no process has used for the idle time', async () => {
    const redis = await startRedisInTest();
    const idleMs = 3_600_000;
    const one = await start(redis.url, { sessions: { idleMs } });
    const url = `/~brief${PATH}`;
    await create(one, 'of the session', url);
    const client = await connectInTest(redis);
    const keys = await client.keys('vouch:{vouch:brief}:*');
    for (const key of keys) expect(await client.pTTL(key)).toBeGreaterThan(idleMs / 2);
    // As Redis does at that time.
    expect(await client.del(keys)).toBe(keys.length);
    expect(await names(one, url)).not.toContain('of the session');
  });
});
