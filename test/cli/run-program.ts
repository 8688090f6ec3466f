import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built command. */
export const MAIN: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Options of Node.js, before the path of the program. */
  readonly node?: readonly string[];
}

/** A process of the command. */
export interface Program {
  readonly process: ChildProcess;
  /** Both outputs so far, as they came. */
  output(): string;
  out(): string;
  error(): string;
  /** Resolves with the first match in the output, and rejects if the process ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the address that is printed. */
  listening(): Promise<string>;
  /** Resolves with the exit code, null where a signal ended it. */
  readonly exit: Promise<number | null>;
  /** Sends a signal. @returns the exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

/** Starts `vouch`, without colours unless `env` asks for them. */
export function startProgram(words: readonly string[], { cwd, env, node = [] }: ProgramOptions = {}): Program {
  const child = spawn(process.execPath, [...node, MAIN, ...words], {
    cwd,
    env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, out, error] = ['', '', ''];
  const watchers = new Set<() => void>();
  const append = (chunk: Buffer): void => {
    output += chunk.toString();
    for (const check of watchers) check();
  };
  child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString())).on('data', append);
  child.stderr.on('data', (chunk: Buffer) => void (error += chunk.toString())).on('data', append);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const waitFor = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const match = pattern.exec(output);
        if (match === null) return;
        watchers.delete(check);
        resolve(match);
      };
      watchers.add(check);
      check();
      void exit.then((code) =>
        reject(new Error(`exited with ${code} before ${pattern.source} was printed:\n${output}`)),
      );
    });
  return {
    process: child,
    output: () => output,
    out: () => out,
    error: () => error,
    waitFor,
    listening: async () => (await waitFor(/listening(?: on|":) ?\S*?(https?:\/\/[\w.:/]+)/u))[1] ?? '',
    exit,
    end: (signal) => {
      child.kill(signal);
      return exit;
    },
  };
}

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
  /** Resolves when the output matches. */
  waitFor(pattern: RegExp): Promise<unknown>;
}

interface RunOptions extends ProgramOptions {
  /** Called when the mock listens; the process gets SIGTERM afterwards. */
  readonly whenListening?: (running: Running) => Promise<void>;
}

/** Runs `vouch` until it ends. */
export async function runProgram(
  words: readonly string[],
  { whenListening, ...options }: RunOptions = {},
): Promise<Ended> {
  const program = startProgram(words, options);
  // A process that ends before it listens is the outcome.
  const url = await program.listening().catch(() => undefined);
  try {
    if (url !== undefined) await whenListening?.({ url, waitFor: program.waitFor });
  } finally {
    program.process.kill('SIGTERM');
  }
  return { code: await program.exit, out: program.out(), error: program.error() };
}
