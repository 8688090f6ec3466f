import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from 'redis';
import { findPorts } from '../find-ports.js';

/** The program of the server: another one that has the same commands, such as valkey-server, can be named. */
const PROGRAM = process.env['VOUCH_REDIS_SERVER'] ?? 'redis-server';

/** Why tests that need Redis are skipped; undefined where it is installed. */
export const REDIS_MISSING: string | undefined =
  spawnSync(PROGRAM, ['--version']).status === 0 ? undefined : `${PROGRAM} is not installed: apt install redis-server`;

/** A Redis server of its own, on a free port. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills the process without a chance to write anything. */
  kill(): Promise<void>;
  /** Starts it again on the same port with what it has on disk. */
  start(): Promise<void>;
  /** Keeps what it has on disk now, which is everything. @returns starts it again with that, without what was written since. */
  keep(): () => Promise<void>;
  /** Stops the process for a while, or lets it go on. */
  signal(name: 'SIGCONT' | 'SIGSTOP'): void;
  close(): Promise<void>;
}

/** Starts a Redis server, which writes every change to disk. @param more - Further options of the command. */
export async function startRedis(more: readonly string[] = []): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-redis-'));
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    try {
      let running = await launch(port, folder, more);
      const stop = async (name: NodeJS.Signals): Promise<void> => {
        const ended = new Promise((resolve) => running.once('exit', resolve));
        if (running.exitCode !== null || running.signalCode !== null) return;
        running.kill(name);
        await ended;
      };
      const start = async (): Promise<void> => {
        running = await launch(port, folder, more);
      };
      return {
        port,
        url: `redis://127.0.0.1:${port}`,
        kill: () => stop('SIGKILL'),
        start,
        keep: () => {
          const kept = `${folder}-kept`;
          cpSync(folder, kept, { recursive: true });
          return async () => {
            await stop('SIGKILL');
            rmSync(folder, { recursive: true });
            renameSync(kept, folder);
            await start();
          };
        },
        signal: (name) => void running.kill(name),
        close: async () => {
          await stop('SIGKILL');
          rmSync(folder, { recursive: true, force: true });
        },
      };
    } catch (error) {
      // Another process can have taken the port.
      if (attempt === 3) throw error;
    }
  }
}

function launch(port: number, folder: string, more: readonly string[]): Promise<ChildProcess> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const child = spawn(PROGRAM, [...options, '--appendonly', 'yes', '--appendfsync', 'always', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready to accept connections')) resolve(child);
    });
    child.once('exit', (code) => reject(new Error(`${PROGRAM} exited with ${code}: ${output}`)));
  });
}

/** The members of a client of the package `redis` that a store uses. */
interface Client {
  on(event: 'error', listener: () => void): unknown;
  duplicate(): object;
  subscribe(channel: string, listener: (message: string) => void): unknown;
}

/** The same client, whose commands are sent by a function. */
export function withSend(client: Client, send: (command: readonly string[]) => Promise<unknown>): object {
  return {
    on: client.on.bind(client),
    duplicate: client.duplicate.bind(client),
    subscribe: client.subscribe.bind(client),
    sendCommand: send,
  };
}

/** A server, and the password that its `requirepass` asks for. */
interface Access {
  readonly port: number;
  readonly password?: string;
}

/**
 * Runs a command over a connection of its own.
 *
 * @returns the answer as text, of commands that answer a string or a number.
 * @throws Error if the server answers an error.
 */
export async function runRedisCommand({ port, password }: Access, ...words: readonly string[]): Promise<string> {
  const socket = { port, host: '127.0.0.1', reconnectStrategy: false } as const;
  const client = createClient({ socket, ...(password !== undefined && { password }) });
  // The command that fails reports it as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return String(await client.sendCommand<string | number>([...words]));
  } finally {
    if (client.isOpen) client.destroy();
  }
}

/** How long to wait before a server is asked again; asking without a pause would take the time that it needs. */
const PAUSE_MS = 20;

/** Asks again and again until the answer is yes. */
export async function untilTrue(ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask())) await setTimeout(PAUSE_MS);
}

/** Starts a Redis Cluster: each of its masters has as many replicas. @param more - Further options of each server. */
export async function startCluster(
  { masters, replicas }: { readonly masters: number; readonly replicas: number },
  more: readonly string[] = [],
): Promise<readonly RedisServer[]> {
  const nodes: RedisServer[] = [];
  try {
    for (let i = 0; i < masters * (1 + replicas); i++)
      nodes.push(await startRedis(['--cluster-enabled', 'yes', ...more]));
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const words = ['--cluster', 'create', ...addresses, '--cluster-replicas', String(replicas), '--cluster-yes'];
    await promisify(execFile)('redis-cli', words);
    const isReady = async ({ port }: RedisServer): Promise<boolean> =>
      (await runRedisCommand({ port }, 'CLUSTER', 'INFO')).includes('cluster_state:ok') &&
      !(await runRedisCommand({ port }, 'INFO', 'replication')).includes('master_link_status:down');
    for (const node of nodes) await untilTrue(() => isReady(node));
    return nodes;
  } catch (error) {
    await Promise.all(nodes.map((node) => node.close()));
    throw error;
  }
}

/** A node of a cluster listens on a port that is higher by 10,000 as well. */
const MAX_PORT = 55_535;

async function findFreePort(): Promise<number> {
  for (;;) {
    const [port = 0] = await findPorts(1);
    if (port <= MAX_PORT) return port;
  }
}
