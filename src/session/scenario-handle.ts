import type { ScenarioDefinition } from '../scenario/definition/definition.js';
import { listScenarios, type Scenarios, type ScenarioSummary } from '../scenario/scenarios.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';

/** The scenarios of a mock, as a test holds them. What is activated here holds in every session. */
export interface ScenarioHandle {
  readonly ids: readonly string[];
  /** Active in every session, the strongest last. */
  readonly active: readonly string[];
  /** Every scenario with its rules, and how often each of them applied in a session; the default one unless another is named. */
  list(session?: string): readonly ScenarioSummary[];
  /** Activates scenarios in every session, open or yet to be opened. @throws MockError `SCENARIO_UNKNOWN`. */
  activate(...ids: readonly string[]): void;
  /** Deactivates scenarios, all of them where none is named; what they changed stays until a reset. */
  deactivate(...ids: readonly string[]): void;
  /** Adds a scenario, or puts it in the place of one of the same id. @throws MockError `SCENARIO_INVALID`. */
  add(id: string, definition: ScenarioDefinition): void;
  /** Takes away a scenario that was added. @returns whether there was one; those of files stay. */
  remove(id: string): boolean;
}

/** The scenarios of a mock in a test's hands. */
export function createScenarioHandle(parts: {
  readonly scenarios: Scenarios;
  readonly sessions: Sessions;
}): ScenarioHandle {
  const { scenarios, sessions } = parts;
  const find = (id: string | undefined): Session => (id === undefined ? sessions.default : sessions.find(id));
  return {
    get ids() {
      return scenarios.ids;
    },
    get active() {
      return scenarios.active;
    },
    list: (id) => listScenarios(scenarios, find(id).scenario),
    activate: (...ids) => {
      scenarios.activate(ids);
      for (const session of sessions.list()) session.begin(ids);
    },
    deactivate: (...ids) => scenarios.deactivate(ids.length === 0 ? scenarios.active : ids),
    add: (id, definition) => void scenarios.add(id, definition),
    remove: scenarios.remove,
  };
}
