import type { ScenarioDefinition } from './definition/definition.js';
import { listScenarios, type ScenarioSummary } from './scenarios.js';
import { changeTogether, type Session } from '../../session/session.js';
import type { Sessions } from '../../session/sessions.js';
import {
  activateScenarios,
  beginScenarios,
  deactivateScenarios,
  scenarioOf,
  type ScenarioParts,
} from './session-slot.js';

/** The scenarios of one session. */
export interface SessionScenarios {
  /** Ids of the scenarios that are active in this session only; later ones win. */
  readonly active: readonly string[];
  /** Every scenario with its rules, and how often each of them applied in this session. */
  list(): readonly ScenarioSummary[];
  /**
   * Activates scenarios in this session; later ones win.
   *
   * @throws MockError `SCENARIO_UNKNOWN` with the nearest id; `STATE_INVALID`, `STATE_LIMIT` where they cannot change the collections.
   */
  activate(...ids: readonly string[]): void;
  /** Deactivates scenarios, or all without ids; changed collections stay changed until a reset. */
  deactivate(...ids: readonly string[]): void;
}

/** The scenarios of a mock. */
export interface MockScenarios {
  /** Ids of all scenarios. */
  readonly ids: readonly string[];
  /** Ids of the scenarios that are active in every session; later ones win. */
  readonly active: readonly string[];
  /**
   * Every scenario with its rules, and how often each of them applied in a session.
   *
   * @param session - The id of an open session; default `default`.
   * @throws MockError `SESSION_UNKNOWN`.
   */
  list(session?: string): readonly ScenarioSummary[];
  /**
   * Activates scenarios in every session, including those opened later; later ones win.
   *
   * @throws MockError `SCENARIO_UNKNOWN` with the nearest id; `STATE_INVALID`, `STATE_LIMIT` where they cannot change the collections.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({
   *   spec: 'spec/openapi.yaml',
   *   scenarios: { busy: { operations: { downloadFile: { respond: { status: 404 } } } } },
   * });
   * mock.scenarios.activate('busy');
   * const response = await mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
   * if (response.status !== 404) throw new Error(`answered ${response.status}`);
   * ```
   */
  activate(...ids: readonly string[]): void;
  /** Deactivates scenarios in every session, or all without ids; changed collections stay changed until a reset. */
  deactivate(...ids: readonly string[]): void;
  /**
   * Adds a scenario, or replaces the one with the same id.
   *
   * @throws MockError `SCENARIO_INVALID` with every mistake.
   */
  add(id: string, definition: ScenarioDefinition): void;
  /** Removes a scenario that was added; scenarios of files stay. @returns whether there was one. */
  remove(id: string): boolean;
}

/** The scenarios of one session. */
export function createSessionScenarios(session: Session, parts: ScenarioParts): SessionScenarios {
  return {
    get active() {
      return scenarioOf(session).active;
    },
    list: () => listScenarios(parts.scenarios, scenarioOf(session)),
    activate: (...ids) => activateScenarios(session, parts, ids),
    deactivate: (...ids) => deactivateScenarios(session, ids.length === 0 ? scenarioOf(session).active : ids),
  };
}

/** The scenarios of a mock. */
export function createMockScenarios(parts: ScenarioParts & { readonly sessions: Sessions }): MockScenarios {
  const { scenarios, sessions } = parts;
  return {
    get ids() {
      return scenarios.ids;
    },
    get active() {
      return scenarios.active;
    },
    list: (id) => listScenarios(scenarios, scenarioOf(id === undefined ? sessions.default : sessions.find(id))),
    activate: (...ids) => {
      for (const id of ids) scenarios.find(id);
      changeTogether(sessions.list(), (session) => beginScenarios(session, parts, ids));
      scenarios.activate(ids);
    },
    deactivate: (...ids) => scenarios.deactivate(ids.length === 0 ? scenarios.active : ids),
    add: (id, definition) => void scenarios.add(id, definition),
    remove: scenarios.remove,
  };
}
