import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MockError } from '../errors.js';
import type { ScenarioContext } from '../scenario/definition/kinds.js';
import { type Reload, reloadScenarios, type Scenarios } from '../scenario/scenarios.js';

/** Something that looks at files until it is closed. */
export interface Watcher {
  close(): void;
}

/** How a watcher looks. */
interface WatchOptions {
  /** Milliseconds between two looks; default 250. */
  readonly everyMs?: number;
}

/** Milliseconds between two looks while something changes. */
const SETTLE_MS = 30;

/**
 * Calls back when files change, appear or disappear.
 *
 * It compares what `stat` says, so that it sees every way in which editors and containers write: in place, by renaming, by
 * deleting and creating, on mounts that send no events. It calls back once a change is over, one call at a time, and keeps no
 * process alive.
 *
 * @param paths - Files and folders, those below them included; they need not exist.
 * @param onChange - Given the files that changed. The next look waits for it.
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

/** File -> what changes when it is written. */
type Stamps = ReadonlyMap<string, string>;

/** What stands once two looks in a row see the same: an editor that writes a file in pieces is done with it. */
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
    if (!(error instanceof Error && 'code' in error)) throw error;
    // Not there, or gone since it was listed, is no file; one that may not be read is a change once it may.
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') stamps.set(path, String(error.code));
  }
}

/** What is watched, and who is told. */
interface WatchedScenarios extends WatchOptions {
  readonly folder: string;
  readonly context: ScenarioContext;
  readonly scenarios: Scenarios;
  /** Told of every reload; of the same mistakes only once. */
  onReload(reload: Reload): void;
}

/** Keeps scenarios as their files are while a mock runs: an edit holds from the next call on. */
export function watchScenarios(watched: WatchedScenarios): Watcher {
  const { folder, context, scenarios } = watched;
  let told: string | undefined;
  const reload = async (): Promise<void> => {
    const result = await readAgain(folder, context, scenarios);
    const mistakes = result.error?.toString();
    if (mistakes === undefined || mistakes !== told) watched.onReload(result);
    told = mistakes;
  };
  return createWatcher([folder], reload, watched);
}

async function readAgain(folder: string, context: ScenarioContext, scenarios: Scenarios): Promise<Reload> {
  try {
    return await reloadScenarios(folder, context, scenarios);
  } catch (error) {
    // A folder that is gone for a moment: everything stays as it was.
    if (error instanceof MockError) return { loaded: [], kept: scenarios.ids, error };
    throw error;
  }
}
