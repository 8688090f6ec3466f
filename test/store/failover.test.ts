// @module-tag thorough
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Mock } from '../../src/index.js';
import { openMock } from '../open-mock.js';
import { LIBRARY } from './library.js';
import { untilAnswered } from './redis-in-test.js';
import { REDIS_MISSING, type RedisServer, runRedisCommand, startCluster, untilTrue } from './redis-server.js';

/** Replicas take over soon after this time. */
const NODE_TIMEOUT_MS = 1000;

/** A password that new connections need, so that a replica cannot connect again. */
const PASSWORD = 'closed';

interface Book {
  readonly id: string;
  readonly title: string;
}

describe.skipIf(REDIS_MISSING !== undefined)('a store on Redis Cluster whose master is killed', () => {
  let nodes: readonly RedisServer[] = [];
  beforeEach(async () => {
    nodes = await startCluster({ masters: 3, replicas: 1 }, ['--cluster-node-timeout', String(NODE_TIMEOUT_MS)]);
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
  });
  const start = (redis: object): Promise<Mock> =>
    openMock({ spec: LIBRARY, fixtures: { books: { items: [] } }, store: { redis } });
  const startWithRedis = async (): Promise<Mock> => {
    const client = createCluster({
      rootNodes: nodes.map(({ url }) => ({ url })),
      // Default: 5,000.
      topologyRefreshOnReconnectionAttemptStrategy: NODE_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.destroy());
    return start(client);
  };
  const startWithIoRedis = (): Promise<Mock> => {
    const client = new Cluster(nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
    onTestFinished(() => client.disconnect());
    return start(client);
  };
  const ask = (mock: Mock, path: string, init?: RequestInit): Promise<Response> =>
    untilAnswered(
      () => mock.fetch(path, init),
      ({ headers }) => expect(headers.get('retry-after')).toBe('1'),
    );
  const create = async (mock: Mock, title: string): Promise<void> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ title }) };
    expect((await ask(mock, '/books', init)).status).toBe(201);
  };
  const list = async (mock: Mock): Promise<readonly string[]> => {
    const { data } = (await (await ask(mock, '/books?limit=100')).json()) as { data: readonly Book[] };
    return data.map(({ title }) => title);
  };
  const listNumbers = async (mock: Mock): Promise<readonly number[]> => {
    const { interactions } = (await (await ask(mock, '/__mock/journal')).json()) as {
      interactions: readonly { number: number }[];
    };
    return interactions.map(({ number }) => number);
  };
  /** The master that has the state of the session `default`. */
  const findMaster = async (): Promise<RedisServer> => {
    const [first] = nodes as readonly [RedisServer, ...RedisServer[]];
    const slot = Number(await runRedisCommand(first, 'CLUSTER', 'KEYSLOT', '{vouch:default}'));
    const lines = (await runRedisCommand(first, 'CLUSTER', 'NODES')).split('\n');
    const ofSlot = lines.find((line) =>
      line
        .split(' ')
        .slice(8)
        .some((range) => {
          const [from = Number.NaN, to = from] = range.split('-').map(Number);
          return from <= slot && slot <= to;
        }),
    );
    const found = nodes.find(({ port }) => ofSlot?.includes(`:${port}@`) === true);
    if (found === undefined) throw new Error(`no node has slot ${slot}: ${lines.join('\n')}`);
    return found;
  };
  const readReplication = async (server: Parameters<typeof runRedisCommand>[0]): Promise<ReadonlyMap<string, string>> =>
    new Map(
      (await runRedisCommand(server, 'INFO', 'replication'))
        .split('\r\n')
        .map((line): [string, string] => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1)]),
    );
  /** Waits until the replica has what its master has. */
  const untilReplicated = (master: RedisServer): Promise<void> =>
    untilTrue(async () => {
      const values = await readReplication(master);
      return values.get('slave0')?.includes(`offset=${values.get('master_repl_offset')},`) === true;
    });
  const expectAgreement = async (mocks: readonly Mock[], titles: readonly string[]): Promise<void> => {
    for (const mock of [...mocks, await startWithRedis()]) {
      expect(await list(mock)).toEqual(titles);
      const numbers = await listNumbers(mock);
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    }
  };

  it('answers again by itself, with what the replica has, which lacks the last writes', async () => {
    const [one, other] = [await startWithRedis(), await startWithIoRedis()];
    await create(one, 'kept 1');
    await create(other, 'kept 2');
    const master = await findMaster();
    await untilReplicated(master);
    // Connections that are open stay so.
    await runRedisCommand(master, 'CONFIG', 'SET', 'requirepass', PASSWORD);
    const access = { port: master.port, password: PASSWORD };
    await runRedisCommand(access, 'CLIENT', 'KILL', 'TYPE', 'replica');
    await untilTrue(async () => (await readReplication(access)).get('connected_slaves') === '0');
    await create(one, 'lost 1');
    await create(other, 'lost 2');
    expect(await list(one)).toEqual(['kept 1', 'kept 2', 'lost 1', 'lost 2']);
    await master.kill();
    expect(await list(one)).toEqual(['kept 1', 'kept 2']);
    await create(one, 'new 1');
    await create(other, 'new 2');
    await expectAgreement([one, other], ['kept 1', 'kept 2', 'new 1', 'new 2']);
    // Messages come from another node too.
    for (const [writer, reader] of [[one, other] as const, [other, one] as const]) {
      const waiting = reader.journal.waitFor('putBook', { timeout: 20_000 });
      await ask(writer, '/books/missing', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: '{"title":"x"}',
      });
      expect((await waiting).operation).toBe('putBook');
    }
  });
});
