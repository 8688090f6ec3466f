import { createClient, type RedisClientType } from 'redis';
import { onTestFinished } from 'vitest';
import { type RedisServer, startRedis, untilTrue } from './redis-server.js';

/** Starts a Redis server that runs until the test is over. */
export async function startRedisInTest(more?: readonly string[]): Promise<RedisServer> {
  const redis = await startRedis(more);
  onTestFinished(() => redis.close());
  return redis;
}

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- so the package types a client without modules
type None = Record<never, never>;

/** Connects a client until the test is over. */
export async function connectInTest({ url }: RedisServer): Promise<RedisClientType<None, None, None, 3, None>> {
  const client = createClient({ url });
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
}

/** Asks until a mock has its store again: the answer is not 503. */
export async function untilAnswered<Answer extends Pick<Response, 'status'>>(
  ask: () => Promise<Answer>,
  checkRefusal: (refusal: Answer) => void = () => undefined,
): Promise<Answer> {
  let answer = await ask();
  await untilTrue(async () => {
    if (answer.status !== 503) return true;
    checkRefusal(answer);
    answer = await ask();
    return false;
  });
  return answer;
}
