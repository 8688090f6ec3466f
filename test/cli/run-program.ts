import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built command. */
export const MAIN: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** What a process printed and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** A process that serves a mock. */
export interface Running {
  /** The address that was printed. */
  readonly url: string;
  /** Resolves when the standard output matches. */
  waitFor(pattern: RegExp): Promise<void>;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Options of Node.js, before the path of the program. */
  readonly node?: readonly string[];
  /** Called once, when the mock listens; the process gets SIGTERM afterwards. */
  readonly whenListening?: (running: Running) => Promise<void>;
}

/** Runs `vouch` until it ends, without colours unless `env` asks for them. */
export function runProgram(
  words: readonly string[],
  { cwd, env, node = [], whenListening }: RunOptions = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...node, MAIN, ...words], {
    cwd,
    env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let error = '';
  let isListening = false;
  const watchers = new Set<() => void>();
  const waitFor = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (pattern.test(out)) resolve();
      };
      watchers.add(check);
      check();
    });
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      for (const check of watchers) check();
      const address = /listening(?: on|":) ?\S*?(https?:\/\/[\w.:/]+)/u.exec(out)?.[1];
      if (address === undefined || isListening) return;
      isListening = true;
      const done = whenListening?.({ url: address, waitFor }) ?? Promise.resolve();
      void done.catch(reject).finally(() => child.kill('SIGTERM'));
    });
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    child.on('close', (code) => resolve({ code, out, error }));
  });
}
