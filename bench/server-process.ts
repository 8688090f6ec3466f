import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server under measurement, in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  /** Milliseconds from the spawn until it said where it listens. */
  readonly listenMs: number;
  /** User and system time of the whole process so far, in microseconds. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

const REPORTER = fileURLToPath(new URL('report-cpu.js', import.meta.url));

/** Starts `node <args>` and waits for the first address it prints. */
export async function startServer(args: readonly string[]): Promise<ServerProcess> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', REPORTER, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  const port = await readPort(child, args);
  const listenMs = performance.now() - startedAt;
  return {
    port,
    listenMs,
    cpu: async () => {
      child.send('cpu');
      const [microseconds] = (await once(child, 'message')) as [number];
      return microseconds;
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function readPort(child: ChildProcess, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk: Buffer): void => {
      printed += chunk.toString();
      const port = /https?:\/\/[^\s/:]+:(?<port>\d+)/u.exec(printed)?.groups?.['port'];
      if (port !== undefined) resolve(Number(port));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`node ${args.join(' ')} ended with ${code}:\n${printed}`)));
  });
}
