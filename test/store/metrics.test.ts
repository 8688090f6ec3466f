// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { Mock, MockOptions } from '../../src/index.js';
import { type Exposition, readExposition } from '../metrics/exposition.js';
import { openMock } from '../open-mock.js';
import { LIBRARY } from './library.js';
import { connectInTest, startRedisInTest } from './redis-in-test.js';
import { REDIS_MISSING, type RedisServer } from './redis-server.js';

// Issue 18, part 4: each replica has the metrics of its own process.

const COMMANDS = 'vouch_store_commands_total';
const COMMAND_DURATION = 'vouch_store_command_duration_seconds_count';
const REQUESTS = 'vouch_requests_total';

async function scrape(mock: Mock): Promise<Exposition> {
  const response = await mock.fetch('/__mock/metrics');
  expect(response.status).toBe(200);
  return readExposition(await response.text());
}

describe.skipIf(REDIS_MISSING !== undefined)('the metrics of replicas', () => {
  const start = async (): Promise<readonly [one: Mock, other: Mock, redis: RedisServer]> => {
    const redis = await startRedisInTest();
    const options: MockOptions = { spec: LIBRARY, fixtures: { books: { items: [] } }, store: { redis: redis.url } };
    return [await openMock(options), await openMock(options), redis];
  };
  const create = (mock: Mock, title: string): Promise<Response> => {
    const headers = { 'content-type': 'application/json' };
    return mock.fetch('/books', { method: 'POST', headers, body: JSON.stringify({ title }) });
  };

  it('count as many commands as Redis has run', async () => {
    const [one, other, redis] = await start();
    // Until Redis has every script.
    for (const mock of [one, other]) await create(mock, 'first');
    const readCommands = async (): Promise<number> => {
      const expositions = await Promise.all([one, other].map(scrape));
      expect(expositions.map(({ value }) => value(COMMANDS, { result: 'error' }))).toEqual([0, 0]);
      const counts = expositions.map(({ value }) => value(COMMANDS, { result: 'ok' }) ?? 0);
      expect(expositions.map(({ value }) => value(COMMAND_DURATION))).toEqual(counts);
      return counts.reduce((sum, count) => sum + count, 0);
    };
    const client = await connectInTest(redis);
    const before = await readCommands();
    expect(before).toBeGreaterThan(0);
    await client.sendCommand(['CONFIG', 'RESETSTAT']);
    for (let i = 0; i < 10; i++) {
      await create(one, `book ${i}`);
      await other.fetch('/books');
    }
    const stats = await client.info('commandstats');
    const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gmu)].map(([, count]) => Number(count));
    const run = calls.reduce((sum, count) => sum + count, 0);
    // At least one to read and one to write for each request.
    expect(run).toBeGreaterThanOrEqual(40);
    expect((await readCommands()) - before).toBe(run);
  });

  it('count a request once, in the process that answered it', async () => {
    const [one, other] = await start();
    // They all change one session at the same time, so that some are answered again.
    await Promise.all(Array.from({ length: 40 }, (_, i) => create(i % 4 === 0 ? one : other, `${i}`)));
    const labels = { operation: 'createBook', method: 'POST', status: '201' };
    const counts = await Promise.all([one, other].map(async (mock) => (await scrape(mock)).value(REQUESTS, labels)));
    expect(counts).toEqual([10, 30]);
    expect((await scrape(one)).value('vouch_request_duration_seconds_count', { operation: 'createBook' })).toBe(10);
    // The journal is that of all.
    await one.fetch('/books');
    expect(one.journal.calls('createBook')).toHaveLength(40);
  });

  it('have the sessions that a process holds, those of others from its next request on', async () => {
    const [one, other] = await start();
    await one.fetch('/books', { headers: { 'x-mock-session': 'checkout' } });
    const count = async (mock: Mock): Promise<number | undefined> => (await scrape(mock)).value('vouch_sessions_open');
    expect([await count(one), await count(other)]).toEqual([2, 1]);
    await other.fetch('/books');
    expect([await count(one), await count(other)]).toEqual([2, 2]);
  });

  it('are answered while Redis is away, and say so', async () => {
    const [one, , redis] = await start();
    await create(one, 'before');
    await redis.kill();
    expect((await create(one, 'lost')).status).toBe(503);
    expect((await one.fetch('/__mock/health')).status).toBe(503);
    const { value } = await scrape(one);
    expect(value(COMMANDS, { result: 'error' })).toBeGreaterThan(0);
    expect(value(REQUESTS, { operation: '(none)', method: 'POST', status: '503' })).toBe(1);
    expect(value(REQUESTS, { operation: 'createBook', method: 'POST', status: '201' })).toBe(1);
    expect(value('vouch_unmatched_requests_total', { reason: 'path' })).toBe(0);
  });

  it('count a script that Redis has to be sent again as a reply, not as an error', async () => {
    const [one, , redis] = await start();
    await create(one, 'before');
    const client = await connectInTest(redis);
    await client.sendCommand(['SCRIPT', 'FLUSH']);
    expect((await create(one, 'after')).status).toBe(201);
    expect((await scrape(one)).value(COMMANDS, { result: 'error' })).toBe(0);
  });
});
