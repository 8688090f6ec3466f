import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { MockError } from '../../errors.js';
import { BODIES_FOLDER } from './cassette.js';

const LOCK_FILE = '.lock';

/** How often the lock file is touched, and after how long without it the lock is not valid any more: its process is dead. */
const TOUCH_MS = 10_000;
const STALE_MS = 60_000;

/**
 * Creates the folder of a cassette and locks it, so that no other recorder writes to it.
 *
 * @returns a function that removes the lock.
 * @throws MockError `RECORDING_LOCKED`, `RECORDING_UNWRITABLE`.
 */
export function lockCassette(folder: string): () => void {
  const path = resolve(folder);
  const file = join(path, LOCK_FILE);
  try {
    mkdirSync(join(path, BODIES_FOLDER), { recursive: true });
    const holder = readHolder(file);
    if (holder !== undefined) throw toLocked(folder, toName(holder));
    rmSync(file, { force: true });
    // Fails if another recorder was faster.
    writeFileSync(file, JSON.stringify(SELF), { flag: 'wx' });
  } catch (cause) {
    if (cause instanceof MockError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST' && readHolder(file) !== undefined)
      throw toLocked(folder, 'another process');
    throw toUnwritable(folder, cause as Error);
  }
  const timer = setInterval(() => touch(file), TOUCH_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    removeQuietly(file);
  };
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Milliseconds since 1970: the next process of a container has the same id. */
  readonly startedAt: number;
}

const SELF: Holder = Object.freeze({ pid: process.pid, host: hostname(), startedAt: performance.timeOrigin });

function toName({ pid, host, startedAt }: Holder): string {
  return startedAt === SELF.startedAt ? 'another mock of this process' : `process ${pid} on ${host}`;
}

/** The process that holds a lock; undefined without one, and if it is dead. */
function readHolder(file: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Holder;
    const isFresh = Date.now() - statSync(file).mtimeMs < STALE_MS;
    return isFresh && isRunning(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Processes of other hosts, such as containers with the same volume, can only be seen by their touch. */
function isRunning({ pid, host, startedAt }: Holder): boolean {
  if (host !== SELF.host) return true;
  return pid === SELF.pid ? startedAt === SELF.startedAt : isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder was replaced by a file.
  }
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // The folder was removed; the next exchange reports that it cannot be written.
  }
}

function toLocked(folder: string, holder: string): MockError {
  return new MockError('RECORDING_LOCKED', `${holder} records to this cassette`, {
    at: { file: folder },
    hint: 'stop it, or record to another cassette',
  });
}

function toUnwritable(folder: string, cause: Error): MockError {
  return new MockError('RECORDING_UNWRITABLE', `cannot record to this folder: ${cause.message}`, {
    at: { file: folder },
    hint: 'choose a folder that can be written to',
    cause,
  });
}
