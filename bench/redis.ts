import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './peers.js';

/** A Redis server of the bench. */
export interface RedisProcess {
  readonly url: string;
  /** The id of the process. */
  readonly id: number;
  /** What it has counted since its start. */
  count(): Promise<RedisCounts>;
  stop(): Promise<void>;
}

interface RedisCounts {
  /** How often bytes of a client were read: commands that are sent together are read once. */
  readonly reads: number;
  readonly scripts: number;
}

const PROGRAM = 'redis-server';

/** Starts a Redis server on a free port, with the append-only file of examples/cluster; undefined where none is installed. */
export async function startRedis(): Promise<RedisProcess | undefined> {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const port = await findFreePort();
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const child = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('Ready to accept connections')) break;
  }
  if (child.exitCode !== null) throw new Error(`${PROGRAM} ended with ${child.exitCode}:\n${printed}`);
  return {
    url: `redis://127.0.0.1:${port}`,
    // A process that has printed something was spawned.
    id: child.pid ?? Number.NaN,
    count: () => readCounts(port),
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readCounts(port: number): Promise<RedisCounts> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.end('INFO everything\r\nQUIT\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  const read = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    reads: read(/^total_reads_processed:(\d+)/mu),
    scripts: read(/^cmdstat_evalsha:calls=(\d+)/mu) + read(/^cmdstat_eval:calls=(\d+)/mu),
  };
}
