import { type ChildProcess, spawn } from 'node:child_process';
import { MAIN } from '../cli/run-program.js';

/** A process of the built command that serves a mock. */
export interface ReplicaProcess {
  readonly url: string;
  /** Ends it with a signal. @returns its exit code, null where the signal ended it. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

/** Starts `vouch` with these words, and resolves when it listens. */
export async function startReplica(
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ReplicaProcess> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await readAddress(child);
  return {
    url,
    end: async (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output = `${output}${chunk.toString()}`.slice(-10_000);
      const address = /listening(?: on|":) ?\S*?(https?:\/\/[\w.:]+)/u.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}: ${output}`)));
  });
}
