import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MockError } from '../errors.js';
import type { ScenarioContext } from '../scenario/definition/kinds.js';
import { type Reload, reloadScenarios, type Scenarios } from '../scenario/scenarios.js';
import { clearTimeout, isError, setTimeout } from '../platform.js';

/** Watches files until it is closed. */
export interface Watcher {
  close(): void;
}

interface WatchOptions {
  /** Milliseconds between two checks; default 250. */
  readonly everyMs?: number;
}

/** Milliseconds between two checks while files are changing. */
const SETTLE_MS = 30;

/**
 * Calls back when files are changed, created or deleted.
 *
 * It compares the results of `stat`, so that it sees every way in which editors and containers write: in place, by renaming, by
 * deleting and creating, on mounts without events. It calls back when a change is complete, one call at a time, and does not keep the
 * process alive.
 *
 * @param paths - Files and folders, with everything below them; they need not exist.
 * @param onChange - Receives the files that changed. The next check waits for it.
 */
export function createWatcher(
  paths: readonly string[],
  onChange: (changed: readonly string[]) => void | Promise<void>,
  options: WatchOptions = {},
): Watcher {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let known: Stamps | undefined;

  const look = async (): Promise<void> => {
    let seen = await readStamps(paths);
    if (known !== undefined && findChanges(known, seen).length > 0) {
      seen = await settle(paths, seen);
      const changed = findChanges(known, seen);
      known = seen;
      if (!isClosed && changed.length > 0) await onChange(changed);
    }
    known = seen;
  };
  const schedule = (): void => {
    if (isClosed) return;
    timer = setTimeout(() => void look().finally(schedule), known === undefined ? 0 : (options.everyMs ?? 250));
    timer.unref();
  };
  schedule();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** By file, a string that changes when the file is written. */
type Stamps = ReadonlyMap<string, string>;

/** The state once two checks in a row agree: an editor that writes a file in pieces has finished then. */
async function settle(paths: readonly string[], first: Stamps): Promise<Stamps> {
  let before = first;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const now = await readStamps(paths);
    if (findChanges(before, now).length === 0) return now;
    before = now;
  }
}

function findChanges(before: Stamps, now: Stamps): readonly string[] {
  const gone = [...before.keys()].filter((file) => !now.has(file));
  const changed = [...now].filter(([file, stamp]) => before.get(file) !== stamp).map(([file]) => file);
  return [...gone, ...changed];
}

async function readStamps(paths: readonly string[]): Promise<Stamps> {
  const stamps = new Map<string, string>();
  for (const path of paths) await collect(path, stamps);
  return stamps;
}

async function collect(path: string, stamps: Map<string, string>): Promise<void> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) for (const name of await readdir(path)) await collect(join(path, name), stamps);
    else stamps.set(path, `${found.ino} ${found.mtimeMs} ${found.size}`);
  } catch (error) {
    if (!(isError(error) && 'code' in error)) throw error;
    // A file that is absent, or was deleted since it was listed, is left out; one that cannot be read changes when it can.
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') stamps.set(path, String(error.code));
  }
}

interface WatchedScenarios extends WatchOptions {
  readonly folder: string;
  readonly context: ScenarioContext;
  readonly scenarios: Scenarios;
  /** Called after every reload; only once for the same mistakes. */
  onReload(reload: Reload): void;
}

/** Reloads scenarios when their files change: an edit applies to the next request. */
export function watchScenarios(watched: WatchedScenarios): Watcher {
  const { folder, context, scenarios } = watched;
  let reported: string | undefined;
  const update = async (): Promise<void> => {
    const result = await reload(folder, context, scenarios);
    const mistakes = result.error?.toString();
    if (mistakes === undefined || mistakes !== reported) watched.onReload(result);
    reported = mistakes;
  };
  return createWatcher([folder], update, watched);
}

async function reload(folder: string, context: ScenarioContext, scenarios: Scenarios): Promise<Reload> {
  try {
    return await reloadScenarios(folder, context, scenarios);
  } catch (error) {
    // The folder may be absent for a moment: keep everything.
    if (error instanceof MockError) return { loaded: [], kept: scenarios.ids, error };
    throw error;
  }
}
