import { changeTogether, type Session, type SessionSlot, type SharedChanges } from '../../session/session.js';
import { withMethods } from '../../session/shared.js';
import {
  type ChangeCollections,
  type ChangeTarget,
  createScenarioState,
  type ScenarioSnapshot,
  type ScenarioState,
} from './rules/scenario-state.js';
import { activeIds, type Scenarios, startScenarios, useScenarios } from './scenarios.js';

const SLOT = 'scenario';

/** Which scenarios are active in a session, and how often their rules applied. */
export function scenarioOf({ slots }: Pick<Session, 'slots'>): ScenarioState {
  // The slot below creates it.
  return slots[SLOT] as ScenarioState;
}

/** The parts with which scenarios change a session. */
export interface ScenarioParts {
  readonly scenarios: Scenarios;
  readonly editors: { change(session: Session): ChangeCollections };
}

/** Creates the slot for the state that scenarios keep for each session. */
export function createScenarioSlot(parts: ScenarioParts): SessionSlot<ScenarioState> {
  const { scenarios } = parts;
  const start = (session: Session): void =>
    startScenarios(scenarios, toTarget(session, parts), activeIds(scenarios, scenarioOf(session), []));
  return {
    name: SLOT,
    create: createScenarioState,
    open: (session, opening) => {
      for (const id of opening) scenarios.find(id);
      scenarioOf(session).setActive(opening);
      changeTogether([session], start);
    },
    reset: (session, what, opening) => {
      const state = scenarioOf(session);
      if (what !== 'state') state.resetCounters();
      if (what === 'counters') return;
      state.resetVars();
      if (what === 'all') state.setActive(opening);
      start(session);
    },
    snapshot: (state) => state.snapshot(),
    // Taken by `snapshot`.
    restore: (state, snapshot) => state.restore(snapshot as ScenarioSnapshot),
    share: shareScenario,
  };
}

/** Activates scenarios in a session and applies their changes, all or none of them; later ones win. @throws MockError `SCENARIO_UNKNOWN`. */
export function activateScenarios(session: Session, parts: ScenarioParts, ids: readonly string[]): void {
  changeTogether([session], () => useScenarios(parts.scenarios, toTarget(session, parts), ids));
}

/** Applies the initial changes of scenarios that were activated for every session. */
export function beginScenarios(session: Session, parts: ScenarioParts, ids: readonly string[]): void {
  changeTogether([session], () => startScenarios(parts.scenarios, toTarget(session, parts), ids));
}

/** Deactivates scenarios; changed collections stay changed until a reset. */
export function deactivateScenarios(session: Session, ids: readonly string[]): void {
  const state = scenarioOf(session);
  state.setActive(state.active.filter((active) => !ids.includes(active)));
}

function toTarget(session: Session, { editors }: ScenarioParts): ChangeTarget {
  return { state: scenarioOf(session), changeCollections: editors.change(session) };
}

/** The state of scenarios, with changes that apply to all processes. */
function shareScenario(state: ScenarioState, { write, tell }: SharedChanges): ScenarioState {
  const share = <Args extends readonly unknown[]>(name: keyof ScenarioState, work: (...args: Args) => void) => {
    return (...args: Args): void =>
      write(() => {
        work(...args);
        tell(name, args);
      });
  };
  const setVars = share('setVars', state.setVars);
  return withMethods(state, {
    setActive: share('setActive', state.setActive),
    setVars: (vars) => (Object.keys(vars).length === 0 ? undefined : setVars(vars)),
    setCounter: share('setCounter', state.setCounter),
    setWindow: share('setWindow', state.setWindow),
    resetCounters: share('resetCounters', state.resetCounters),
    resetVars: share('resetVars', state.resetVars),
    restore: share('restore', state.restore),
  });
}
