import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The resource usage of a process so far. */
export interface Usage {
  /** User and system time of all threads. */
  readonly cpuMicros: number;
  /** Peak memory. */
  readonly peakKilobytes: number;
}

/** Working directory and environment of a process; default: those of the bench. */
export interface Surroundings {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A measured server in its own process. */
export interface ServerProcess {
  readonly port: number;
  /** The id of the process. */
  readonly id: number;
  /** Milliseconds from the spawn until it printed its address. */
  readonly listenMs: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

const REPORTER = fileURLToPath(new URL('report-cpu.js', import.meta.url));

/** Starts `node <args>` and waits for the first address it prints. */
export async function startServer(args: readonly string[], around: Surroundings = {}): Promise<ServerProcess> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', REPORTER, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...around.environment, NO_COLOR: '1' },
    cwd: around.cwd,
  });
  const port = await readPort(child, args);
  const listenMs = performance.now() - startedAt;
  const usage = async (): Promise<Usage> => {
    child.send('usage');
    const [used] = (await once(child, 'message')) as [Usage];
    return used;
  };
  return {
    port,
    // A process that has printed its address was spawned.
    id: child.pid ?? Number.NaN,
    listenMs,
    usage,
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
