import type { ScenarioDefinition } from './definition.js';
import type { Ground } from './ground.js';
import { loadScenarios, toScenarios } from './load.js';
import { createScenarios, type Scenarios } from './scenarios.js';

/**
 * The scenarios of one mock.
 *
 * @param source - A folder with one scenario per file, or scenarios by id; undefined for none.
 * @throws MockError `SCENARIO_INVALID`, `SCENARIO_UNREADABLE`.
 */
export async function openScenarios(
  source: string | Readonly<Record<string, ScenarioDefinition>> | undefined,
  ground: Ground,
): Promise<Scenarios> {
  if (typeof source === 'string') return createScenarios(ground, await loadScenarios(source, ground));
  return createScenarios(ground, toScenarios(source ?? {}, ground));
}
