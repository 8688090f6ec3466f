import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Memory in bytes, and the longest time that the event loop was blocked since the last report. */
export interface Usage {
  readonly rss: number;
  readonly heapUsed: number;
  readonly worstMs: number;
}

/** What a mock is started with. */
export interface MockStart {
  /** The document; a string is the path of a file. Default: that of the options. */
  readonly document?: unknown;
  readonly options?: Readonly<Record<string, unknown>>;
  /** The working directory; default that of this process. */
  readonly folder?: string;
  /** Handlers that fail on purpose, by operation: `crash`, `fail`, `hang`, `stall` or `silent`. */
  readonly planted?: Readonly<Record<string, string>>;
}

/** The outcome of a start. */
export type Started =
  | { readonly kind: 'started'; readonly port: number }
  | { readonly kind: 'refused' | 'threw'; readonly message: string }
  | { readonly kind: 'ended' | 'hung' };

/** A process that serves mocks. */
export interface ServerProcess {
  start(mock: MockStart, limitMs: number): Promise<Started>;
  /** @param limitMs - How long a process that is blocked is waited for. */
  usage(limitMs?: number): Promise<Usage>;
  /** Why the process ended without having been stopped, or undefined while it runs. */
  readonly death: () => string | undefined;
  /** Waits until the process ends, but not longer. */
  awaitDeath(limitMs: number): Promise<unknown>;
  /** The delays of the event loop of 100 ms and more since the last call, in milliseconds. */
  takeDelays(): readonly number[];
  stop(): Promise<void>;
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const KEPT_OUTPUT = 8000;

/** Starts the process in which `createMock(…).listen()` runs, one mock after the other. */
export function spawnHost(flags: readonly string[] = []): ServerProcess {
  const watched = watch(spawnNode([...flags, `${HERE}host.mjs`]));
  // A message that comes before its listener is lost.
  const ready = watched.next<{ readonly kind: 'ready' }>(['ready'], 60_000);
  const start = async ({ document, ...mock }: MockStart, limitMs: number): Promise<Started> => {
    await ready;
    watched.child.send({ kind: 'start', document: JSON.stringify(document), ...mock });
    return watched.next<Started>(['started', 'refused', 'threw'], limitMs);
  };
  return { ...watched, start };
}

/** Starts the command line; `document` is the path of a file. */
export function spawnCli(flags: readonly string[] = []): ServerProcess {
  let watched: Watched | undefined;
  const current = (): Watched => {
    if (watched === undefined) throw new Error('the command line was not started');
    return watched;
  };
  return {
    start: ({ document }, limitMs) => {
      const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
      const args = [main, 'serve', String(document), '--port', '0', '--quiet', '--json', ...flags];
      const started = watch(spawnNode(args));
      watched = started;
      return started.listening(limitMs);
    },
    usage: (limitMs) => current().usage(limitMs),
    death: () => watched?.death(),
    awaitDeath: (limitMs) => current().awaitDeath(limitMs),
    takeDelays: () => watched?.takeDelays() ?? [],
    stop: async () => watched?.stop(),
  };
}

function spawnNode(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['--import', `${HERE}loop-delay.mjs`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' },
  });
}

interface Watched extends Omit<ServerProcess, 'start'> {
  readonly child: ChildProcess;
  next<Message>(kinds: readonly string[], limitMs: number): Promise<Message | { readonly kind: 'ended' | 'hung' }>;
  listening(limitMs: number): Promise<Started>;
}

function watch(child: ChildProcess): Watched {
  let output = '';
  let isStopped = false;
  let death: string | undefined;
  let delays: number[] = [];
  const listeners = new Set<(message: { readonly kind: string }) => void>();
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
    for (const listener of listeners) listener({ kind: 'output' });
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.on('message', (message: { readonly kind: string; readonly delayMs?: number }) => {
    if (message.kind === 'delay') delays.push(message.delayMs ?? 0);
    else for (const listener of listeners) listener(message);
  });
  // A message to a process that has just ended.
  child.on('error', () => {});
  child.on('close', (code, signal) => {
    if (!isStopped) death = `the process ended with ${signal ?? code}: ${output.slice(-3000)}`;
    for (const listener of listeners) listener({ kind: 'ended' });
  });
  const next = <Message>(kinds: readonly string[], limitMs: number): Promise<Message | { kind: 'ended' | 'hung' }> =>
    new Promise((resolve) => {
      if (death !== undefined) return resolve({ kind: 'ended' });
      const end = (message: Message | { kind: 'ended' | 'hung' }): void => {
        clearTimeout(timer);
        listeners.delete(listen);
        resolve(message);
      };
      const timer = setTimeout(() => end({ kind: 'hung' }), limitMs);
      const listen = (message: { readonly kind: string }): void => {
        if (message.kind === 'ended') end({ kind: 'ended' });
        // The caller knows the messages of these kinds.
        else if (kinds.includes(message.kind)) end(message as Message);
      };
      listeners.add(listen);
    });
  const listening = async (limitMs: number): Promise<Started> => {
    const until = performance.now() + limitMs;
    for (;;) {
      const port = /https?:\/\/[^\s/:]+:(?<port>\d+)/u.exec(output)?.groups?.['port'];
      if (port !== undefined) return { kind: 'started', port: Number(port) };
      const { kind } = await next<{ readonly kind: 'output' }>(['output'], until - performance.now());
      if (kind === 'hung') return { kind };
      // A document that is refused ends the command line with 1 and without a stack trace.
      if (kind === 'ended')
        return /\n\s+at /.test(output) ? { kind: 'threw', message: output } : { kind: 'refused', message: output };
    }
  };
  return {
    child,
    next,
    listening,
    death: () => death,
    awaitDeath: (limitMs) => next([], limitMs),
    usage: async (limitMs = 60_000) => {
      child.send({ kind: 'usage' });
      const usage = await next<Usage & { readonly kind: 'usage' }>(['usage'], limitMs);
      return usage.kind === 'usage' ? usage : { rss: 0, heapUsed: 0, worstMs: Infinity };
    },
    takeDelays: () => {
      const taken = delays;
      delays = [];
      return taken;
    },
    stop: async () => {
      isStopped = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
