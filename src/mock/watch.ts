import { readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { clearTimeout, isError, readMonotonic, setTimeout } from '../base/platform.js';

/** Watches files until it is closed. */
export interface Watcher {
  /** Resolves with the first check: later changes are seen. */
  readonly ready: Promise<void>;
  /**
   * Runs what reads files on its own: the changes of these until now are not reported afterwards.
   *
   * @param files - Default: all that are watched.
   */
  passOver<T>(read: () => Promise<T>, files?: readonly string[]): Promise<T>;
  close(): void;
}

/** Milliseconds between two checks, or longer where a check takes long. */
const EVERY_MS = 100;

/** The next check waits this many times as long as a check took: checks take at most a twentieth of the time. */
const PAUSE_FACTOR = 20;

/** File systems take the time of a write from a clock that ticks every 10 ms at most, so that it can be this much too early. */
const CLOCK_TICK_MS = 10;

/** Milliseconds between two checks while files are changing. */
const SETTLE_MS = 30;

/**
 * Calls back when files are changed, created or deleted.
 *
 * It compares the results of `stat`, so that it sees every way in which editors and containers write: in place, by renaming, by
 * deleting and creating, on mounts without events. It calls back when a change is complete, one call at a time, and does not keep the
 * process alive.
 *
 * @param list - Files and folders, with everything below them; they need not exist. It is called before each check.
 * @param onChange - Receives the files that changed. The next check waits for it.
 * @param since - Milliseconds since 1970: files that were written later have changed. Default: those that are written after the first check.
 */
export function createWatcher(
  list: () => readonly string[],
  onChange: (changed: readonly string[]) => void | Promise<void>,
  since: number = Infinity,
): Watcher {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let known: Stamps | undefined;
  let pauseMs = 0;
  let lastMs = 0;
  let readers = 0;

  const follow = async <T>(read: () => Promise<T> | T): Promise<T> => {
    const paths = list();
    const since = Date.now() - CLOCK_TICK_MS;
    readers += 1;
    try {
      return await read();
    } finally {
      readers -= 1;
      // What is watched from now on is known, unless it changed while it was read.
      known &&= addStamps(known, list(), { paths, since });
    }
  };
  const passOver: Watcher['passOver'] = (read, files) => {
    known &&= files === undefined ? readStamps(list()) : new Map([...omit(known, files), ...readStamps(files)]);
    return follow(read);
  };
  const look = async (): Promise<void> => {
    if (readers > 0) return;
    const paths = list();
    const startedAt = readMonotonic();
    const found = readStamps(paths);
    const ms = readMonotonic() - startedAt;
    // One check alone may have waited for other work of the process.
    pauseMs = PAUSE_FACTOR * Math.min(ms, lastMs);
    lastMs = ms;
    const before = known;
    if (before === undefined || findChanges(before, found).length === 0) {
      known = before === undefined ? new Map([...found].filter(isOlder(since))) : found;
      return;
    }
    const seen = await settle(paths, before);
    // Other files are known now: the next check finds what is left.
    if (known !== before) return;
    known = seen;
    const changed = findChanges(before, seen);
    if (!isClosed && changed.length > 0) await follow(() => onChange(changed));
  };
  const schedule = (): void => {
    if (isClosed) return;
    timer = setTimeout(() => void look().finally(schedule), Math.max(EVERY_MS, pauseMs)).unref();
  };
  const ready = look();
  void ready.finally(schedule);
  return {
    ready,
    passOver,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function omit(stamps: Stamps, files: readonly string[]): Stamps {
  return new Map([...stamps].filter(([file]) => !files.includes(file)));
}

/** The stamps of the files that are watched, and of those that were added since; one that was written since then has none. */
function addStamps(
  known: Stamps,
  paths: readonly string[],
  { paths: before, since }: { readonly paths: readonly string[]; readonly since: number },
): Stamps {
  const added = readStamps(paths.filter((path) => !before.includes(path)));
  const stamps = new Map([...[...added].filter(isOlder(since)), ...known]);
  // A file that is no longer watched is not missing.
  const isWatched = (file: string): boolean => paths.some((path) => file === path || file.startsWith(path + sep));
  return new Map([...stamps].filter(([file]) => isWatched(file)));
}

/** Selects the stamps of files that were not written after a time. A file that cannot be read has none. */
function isOlder(since: number): (stamp: readonly [file: string, stamp: string]) => boolean {
  return ([, stamp]) => !(Number(stamp.split(' ')[1]) > since);
}

/** How long an empty file may be about to be written: a busy machine can take a second between both steps of a save. */
const EMPTY_MS = 1500;

/** By file, a string that changes when the file is written. */
type Stamps = ReadonlyMap<string, string>;

/**
 * The state once two checks in a row agree: an editor that writes a file in pieces has finished then. It waits longer for a file that
 * has become empty: some editors and shells empty a file first, and write to it later.
 *
 * @param known - The state before the change.
 */
async function settle(paths: readonly string[], known: Stamps): Promise<Stamps> {
  const startedAt = readMonotonic();
  for (let before = readStamps(paths); ;) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const now = readStamps(paths);
    const isEmptied = findChanges(known, now).some((file) => now.get(file)?.endsWith(' 0'));
    const mayBeWritten = isEmptied && readMonotonic() - startedAt < EMPTY_MS;
    if (!mayBeWritten && findChanges(before, now).length === 0) return now;
    before = now;
  }
}

function findChanges(before: Stamps, now: Stamps): readonly string[] {
  const gone = [...before.keys()].filter((file) => !now.has(file));
  const changed = [...now].filter(([file, stamp]) => before.get(file) !== stamp).map(([file]) => file);
  return [...gone, ...changed];
}

/** Reads files one after the other: to wait for each of them in the thread pool takes 10 to 20 times as much CPU time. */
function readStamps(paths: readonly string[]): Stamps {
  const stamps = new Map<string, string>();
  for (const path of paths) collect(path, stamps);
  return stamps;
}

function collect(path: string, stamps: Map<string, string>): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // It is absent, or was deleted since it was listed.
    if (found === undefined) return;
    if (found.isDirectory()) for (const name of readdirSync(path)) collect(join(path, name), stamps);
    else stamps.set(path, `${found.ino} ${found.mtimeMs} ${found.size}`);
  } catch (error) {
    if (!(isError(error) && 'code' in error)) throw error;
    // A folder may be deleted before it is listed. What cannot be read changes when it can.
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') stamps.set(path, String(error.code));
  }
}
