import { startRedis } from './redis-server.js';

/** Starts the Redis server of the suite. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await startRedis();
  process.env['VOUCH_TEST_REDIS'] = server.url;
  return server.close;
}
