// @module-tag thorough
import { createCluster } from 'redis';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Mock } from '../../src/index.js';
import { openMock } from '../open-mock.js';
import { REDIS_MISSING, type RedisServer, runRedisCommand, startCluster } from './redis-server.js';

const PATH = '/v1/organization/admin_api_keys';
const HEADERS = { authorization: 'Bearer key', 'content-type': 'application/json' };
describe.skipIf(REDIS_MISSING !== undefined)('a store on Redis Cluster', () => {
  let nodes: readonly RedisServer[] = [];
  beforeAll(async () => {
    nodes = await startCluster({ masters: 3, replicas: 0 });
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  it('shares sessions, items and messages between clients of both packages', async () => {
    const addresses = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
    const node = createCluster({ rootNodes: addresses.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })) });
    await node.connect();
    const io = new Cluster(addresses);
    onTestFinished(() => {
      node.destroy();
      io.disconnect();
    });
    const start = (redis: object): Promise<Mock> =>
      openMock({ spec: 'spec/openapi.yaml', fixtures: {}, store: { redis } });
    const one = await start(node);
    const other = await start(io);
    const waiting = other.journal.waitFor('createAdminApiKey');
    // Each session has a slot of its own; these are on several nodes.
    const sessions = ['', '/~s1', '/~s2', '/~s3', '/~s4', '/~s5'];
    for (const [i, session] of sessions.entries()) {
      const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one];
      const body = JSON.stringify({ name: `of ${session}` });
      const created = await writer.fetch(`${session}${PATH}`, { method: 'POST', headers: HEADERS, body });
      expect(created.status).toBe(200);
      const { data } = (await (await reader.fetch(`${session}${PATH}`, { headers: HEADERS })).json()) as {
        data: readonly { name: string }[];
      };
      expect(data.at(-1)?.name).toBe(`of ${session}`);
    }
    expect((await waiting).answer.status).toBe(200);
    const keys = await Promise.all(node.masters.map(async (master) => (await node.nodeClient(master)).keys('vouch:*')));
    expect(keys.every((list) => list.length > 0)).toBe(true);
    const slots = new Map<string, Set<number>>();
    for (const key of keys.flat()) {
      const tag = /\{.*?\}/.exec(key)?.[0] ?? '';
      const slot = Number(await runRedisCommand({ port: nodes[0]?.port ?? 0 }, 'CLUSTER', 'KEYSLOT', key));
      slots.set(tag, (slots.get(tag) ?? new Set()).add(slot));
    }
    expect([...slots.values()].every(({ size }) => size === 1)).toBe(true);
    expect(slots.size).toBe(sessions.length + 1);
  });
});
