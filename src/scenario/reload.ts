import type { Ground } from './ground.js';
import { readScenarios } from './load.js';
import { isFilled, toError } from './mistakes.js';
import type { MockError } from '../errors.js';
import type { Scenarios } from './scenarios.js';

/** What came of reading a folder of scenarios again. */
export interface Reload {
  /** Ids of the scenarios that are as their files say. */
  readonly loaded: readonly string[];
  /** Ids of those whose last good version stays, because their file is wrong now. */
  readonly kept: readonly string[];
  /** Everything that is wrong, as one error. */
  readonly error: MockError | undefined;
}

/**
 * Reads a folder of scenarios again: an edited one holds at once, also where it is active; one that is wrong now stays as it
 * was; one whose file is gone is gone.
 */
export async function reloadScenarios(folder: string, ground: Ground, scenarios: Scenarios): Promise<Reload> {
  const { scenarios: sound, ids, mistakes } = await readScenarios(folder, ground);
  const loaded = sound.map((scenario) => scenario.id);
  const kept = ids.filter((id) => !loaded.includes(id) && scenarios.get(id)?.file !== undefined);
  scenarios.replace([...sound, ...kept.map((id) => scenarios.find(id))]);
  return { loaded, kept, error: isFilled(mistakes) ? toError(mistakes) : undefined };
}
