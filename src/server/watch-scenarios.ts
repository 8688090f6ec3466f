import { MockError } from '../errors.js';
import type { Ground } from '../scenario/ground.js';
import { reloadScenarios, type Reload } from '../scenario/scenarios.js';
import type { Scenarios } from '../scenario/scenarios.js';
import { createWatcher, type Watcher, type WatchOptions } from './watch.js';

/** What is watched, and who is told. */
export interface WatchedScenarios extends WatchOptions {
  readonly folder: string;
  readonly ground: Ground;
  readonly scenarios: Scenarios;
  /** Told of every reload; of the same mistakes only once. */
  onReload(reload: Reload): void;
}

/** Keeps scenarios as their files are while a mock runs: an edit holds from the next call on. */
export function watchScenarios(watched: WatchedScenarios): Watcher {
  const { folder, ground, scenarios } = watched;
  let told: string | undefined;
  const reload = async (): Promise<void> => {
    const result = await readAgain(folder, ground, scenarios);
    const mistakes = result.error?.toString();
    if (mistakes === undefined || mistakes !== told) watched.onReload(result);
    told = mistakes;
  };
  return createWatcher([folder], reload, watched);
}

async function readAgain(folder: string, ground: Ground, scenarios: Scenarios): Promise<Reload> {
  try {
    return await reloadScenarios(folder, ground, scenarios);
  } catch (error) {
    // A folder that is gone for a moment: everything stays as it was.
    if (error instanceof MockError) return { loaded: [], kept: scenarios.ids, error };
    throw error;
  }
}
