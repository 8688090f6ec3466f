import { performance } from 'node:perf_hooks';
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { requireFile } from '../../../base/inside-folder.js';
import { isObject } from '../../../base/json.js';
import { MockError } from '../../../base/errors.js';
import { BODIES_FOLDER } from './cassette.js';
import { clearInterval, setInterval } from '../../../base/platform.js';

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
  let isLocked: boolean;
  try {
    mkdirSync(join(path, BODIES_FOLDER), { recursive: true });
    isLocked = writeLock(file) || takeOver(file);
  } catch (cause) {
    throw new MockError('RECORDING_UNWRITABLE', `cannot record to this folder: ${(cause as Error).message}`, {
      at: { file: folder },
      hint: 'choose a folder that can be written to',
      cause,
    });
  }
  if (!isLocked) {
    const holder = readHolder(file);
    const name = holder === undefined ? 'another process' : toName(holder);
    throw new MockError('RECORDING_LOCKED', `${name} records to this cassette`, {
      at: { file: folder },
      hint: 'stop it, or record to another cassette',
    });
  }
  const timer = setInterval(() => touch(file), TOUCH_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    release(file);
  };
}

/** Writes the lock file; false if there is one. If several recorders write it at the same time, only one succeeds. */
function writeLock(file: string): boolean {
  return createOnce(() => writeFileSync(file, JSON.stringify(SELF), { flag: 'wx' }));
}

/** Writes the lock file in place of one whose process is dead; false if another recorder holds the lock. */
function takeOver(file: string): boolean {
  if (isHeld(file)) return false;
  const guard = `${file}.takeover`;
  if (readAge(guard) > STALE_MS) rmSync(guard, { recursive: true, force: true });
  // Without it, a second recorder could remove the lock that the first one has just written in place of the same dead one.
  if (!createOnce(() => mkdirSync(guard))) return false;
  try {
    if (!isHeld(file)) rmSync(file, { force: true });
    return writeLock(file);
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
}

/** Whether a file was created; false if it exists. */
function createOnce(create: () => void): boolean {
  try {
    create();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a lock file is that of a recorder. One that cannot be read yet is being written. */
function isHeld(file: string): boolean {
  const holder = readHolder(file);
  return readAge(file) < STALE_MS && (holder === undefined || isRunning(holder));
}

/** Milliseconds since a file was touched; less than any limit without the file. */
function readAge(file: string): number {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
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

/** The process in a lock file; undefined without one, and if it is not complete. */
function readHolder(file: string): Holder | undefined {
  try {
    requireFile(file);
    const holder: unknown = JSON.parse(readFileSync(file, 'utf8'));
    // A recorder has written the file.
    return isObject(holder) ? (holder as unknown as Holder) : undefined;
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

/** Removes the lock, unless another recorder has taken it over since. */
function release(file: string): void {
  const holder = readHolder(file);
  if (holder?.pid !== SELF.pid || holder.startedAt !== SELF.startedAt) return;
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
