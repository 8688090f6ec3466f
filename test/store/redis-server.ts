import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why tests that need Redis are skipped; undefined where it is installed. */
export const REDIS_MISSING: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0
    ? undefined
    : 'redis-server is not installed: apt install redis-server';

/** A Redis server of its own, on a free port. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills the process without a chance to write anything. */
  kill(): Promise<void>;
  /** Starts it again on the same port with what it has on disk. */
  start(): Promise<void>;
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
      return {
        port,
        url: `redis://127.0.0.1:${port}`,
        kill: () => stop('SIGKILL'),
        start: async () => {
          running = await launch(port, folder, more);
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
  const child = spawn('redis-server', [...options, '--appendonly', 'yes', '--appendfsync', 'always', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready to accept connections')) resolve(child);
    });
    child.once('exit', (code) => reject(new Error(`redis-server exited with ${code}: ${output}`)));
  });
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
