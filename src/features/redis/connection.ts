import { MockError, toReason } from '../../base/errors.js';
import { URL } from 'node:url';
import type { StoreMetrics } from './store-metrics.js';
import { withTimeout } from '../../base/clock.js';
import type { Script } from './scripts.js';

/** A connection to Redis: commands, scripts and messages. */
export interface RedisConnection {
  /** Runs a script; all keys have the same slot. @throws MockError `STORE_UNREACHABLE`. */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Sends one command. @param key - Decides about the node of a cluster. */
  send(key: string, command: readonly string[]): Promise<unknown>;
  /** Calls a function with each message of a channel. */
  subscribe(channel: string, onMessage: (message: string) => void): Promise<void>;
  /** Closes what was opened here; a client of the caller stays open. */
  close(): Promise<void>;
}

/** A connected client of the package `redis` or `ioredis`, also of a cluster. */
export type RedisClient = object;

/** The members of a client of the package `redis` that are used. */
interface NodeRedis {
  sendCommand(command: readonly string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  duplicate(): NodeRedis;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  destroy(): void;
}

/** A cluster of that package sends by a key. */
interface NodeRedisCluster {
  readonly slots: unknown;
  sendCommand(key: string, isReadonly: boolean, command: readonly string[]): Promise<unknown>;
}

/** The members of a client of the package `ioredis` that are used. */
interface IoRedis {
  call(command: string, ...args: readonly string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  duplicate(): IoRedis;
  subscribe(channel: string): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  disconnect(): void;
}

/** Milliseconds after which a command that was not answered fails. */
const COMMAND_MS = 5000;

/**
 * Connects to Redis.
 *
 * @param metrics - Counts the commands.
 * @throws MockError `STORE_UNREACHABLE`, `STORE_CLIENT_MISSING`, `OPTION_INVALID`.
 */
export async function connectRedis(redis: string | RedisClient, metrics: StoreMetrics): Promise<RedisConnection> {
  if (typeof redis !== 'string')
    return createConnection(toDriver(redis), metrics, { isOwn: false, name: 'the given client' });
  const name = describeUrl(redis);
  const driver = await openDriver(redis);
  try {
    await withLimit(driver.connect());
  } catch (error) {
    driver.close();
    throw toUnreachable(name, error);
  }
  return createConnection(driver, metrics, { isOwn: true, name });
}

/** The functions that both packages have in common. */
interface Driver {
  send(key: string, command: readonly string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  /** Subscribes with a connection of its own. @returns closes it. */
  subscribe(channel: string, onMessage: (message: string) => void): Promise<() => void>;
  close(): void;
}

function createConnection(
  driver: Driver,
  metrics: StoreMetrics,
  { isOwn, name }: { readonly isOwn: boolean; readonly name: string },
): RedisConnection {
  const closes: (() => void)[] = isOwn ? [driver.close] : [];
  const send: RedisConnection['send'] = (key, command) =>
    metrics.count(withLimit(driver.send(key, command)), isScriptMissing).catch((error: unknown) => {
      throw toUnreachable(name, error);
    });
  return {
    send,
    run: async (script, keys, args) => {
      const [key = ''] = keys;
      const rest = [String(keys.length), ...keys, ...args.map(String)];
      try {
        return await send(key, ['EVALSHA', script.digest, ...rest]);
      } catch (error) {
        if (!isScriptMissing(error)) throw error;
        return send(key, ['EVAL', script.text, ...rest]);
      }
    },
    subscribe: async (channel, onMessage) => void closes.push(await driver.subscribe(channel, onMessage)),
    close: async () => {
      for (const close of closes.splice(0)) close();
    },
  };
}

/** Whether a server does not have a script, which is sent whole then: a new server, or one that has started again. */
function isScriptMissing(error: unknown): boolean {
  return toReason(error).includes('NOSCRIPT');
}

function withLimit<Result>(result: Promise<Result>): Promise<Result> {
  return withTimeout(result, COMMAND_MS, `no answer within ${COMMAND_MS} ms`);
}

/** A client for a URL, of the package that is installed; a lost connection is opened again, and commands fail until then. */
async function openDriver(url: string): Promise<Driver> {
  let wasConnected = false;
  const delayOf = (attempt: number): number => Math.min(50 * attempt, 1000);
  const withFlag = (driver: Driver): Driver => ({
    ...driver,
    connect: async () => {
      await driver.connect();
      wasConnected = true;
    },
  });
  const redis = await importPackage<{ createClient(options: object): NodeRedis }>('redis');
  if (redis !== undefined) {
    // The first connection is tried once, so that a wrong address is an error.
    const reconnectStrategy = (attempt: number): number | Error =>
      wasConnected ? delayOf(attempt) : new Error('the connection was refused');
    return withFlag(
      driveNodeRedis(redis.createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy } })),
    );
  }
  const ioredis = await importPackage<{ Redis: new (url: string, options: object) => IoRedis }>('ioredis');
  if (ioredis !== undefined) {
    const retryStrategy = (attempt: number): number | null => (wasConnected ? delayOf(attempt) : null);
    const options = { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy };
    return withFlag(driveIoRedis(new ioredis.Redis(url, options)));
  }
  throw new MockError('STORE_CLIENT_MISSING', 'a store on Redis needs the package "redis" or "ioredis"', {
    hint: 'install one of them: npm install redis',
  });
}

async function importPackage<Module>(name: string): Promise<Module | undefined> {
  try {
    return (await import(name)) as Module;
  } catch (error) {
    const isMissing = toReason(error).includes(`'${name}'`);
    if (isMissing) return undefined;
    throw error;
  }
}

/** A client of the caller. @throws MockError `OPTION_INVALID`. */
function toDriver(client: RedisClient): Driver {
  if ('call' in client && 'subscribe' in client) return driveIoRedis(client as IoRedis);
  if ('sendCommand' in client && 'subscribe' in client) return driveNodeRedis(client as NodeRedis);
  throw new MockError('OPTION_INVALID', 'option "store.redis" is not a client of the package redis or ioredis', {
    hint: 'pass a URL such as redis://localhost:6379, or a connected client',
  });
}

function driveNodeRedis(client: NodeRedis): Driver {
  // An error without a listener ends the process; commands fail with it anyway.
  client.on('error', () => undefined);
  const isCluster = 'slots' in client;
  // A cluster has the same name with other parameters.
  const cluster = client as unknown as NodeRedisCluster;
  return {
    send: (key, command) => (isCluster ? cluster.sendCommand(key, false, command) : client.sendCommand(command)),
    connect: () => client.connect(),
    subscribe: async (channel, onMessage) => {
      const own = client.duplicate();
      own.on('error', () => undefined);
      await own.connect();
      await own.subscribe(channel, onMessage);
      return () => own.destroy();
    },
    close: () => client.destroy(),
  };
}

function driveIoRedis(client: IoRedis): Driver {
  client.on('error', () => undefined);
  return {
    send: (_key, [name = '', ...args]) => client.call(name, ...args),
    connect: () => client.connect(),
    subscribe: async (channel, onMessage) => {
      const own = client.duplicate();
      own.on('error', () => undefined);
      own.on('message', (_channel, message) => onMessage(message));
      await own.connect().catch((error: unknown) => {
        // The duplicate of a client without `lazyConnect` connects by itself.
        if (!toReason(error).includes('already')) throw error;
      });
      await own.subscribe(channel);
      return () => own.disconnect();
    },
    close: () => client.disconnect(),
  };
}

/** The host of a URL: its password is not part of messages. */
function describeUrl(url: string): string {
  try {
    const { protocol, host } = new URL(url);
    if (protocol === 'redis:' || protocol === 'rediss:') return `${protocol}//${host}`;
  } catch {
    // It is reported below.
  }
  throw new MockError('OPTION_INVALID', 'option "store.redis" is not a URL of Redis', {
    hint: 'write redis://host:6379, or rediss://user:password@host:6380 with TLS',
  });
}

function toUnreachable(name: string, error: unknown): MockError {
  return new MockError('STORE_UNREACHABLE', `the store on ${name} cannot be used: ${toReason(error)}`, {
    hint: 'check that Redis is running and that the URL, the user and the password are right',
    cause: error,
  });
}
