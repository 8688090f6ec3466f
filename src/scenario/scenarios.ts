import type { Operation } from '../contract/operations/operation.js';
import { MockError, nearest } from '../errors.js';
import type { ScenarioDefinition } from './definition/definition.js';
import { loadScenarios, readScenarios, toScenario, toScenarios } from './definition/load.js';
import { isFilled, toError } from './definition/source.js';
import type { Ground } from './ground.js';
import { applyChanges, type Changeable } from './rules/effects.js';
import type { Rule, Scenario } from './rules/rule.js';
import type { ScenarioState } from './rules/scenario-state.js';

/** Every scenario of one mock, and which of them the whole mock has activated. */
export interface Scenarios {
  readonly ids: readonly string[];
  /** Active for every session, the one activated last at the end. */
  readonly active: readonly string[];
  get(id: string): Scenario | undefined;
  /** @throws MockError `SCENARIO_UNKNOWN` that names the nearest. */
  find(id: string): Scenario;
  /** Adds or replaces a scenario that is handed over as an object. @throws MockError `SCENARIO_INVALID`. */
  add(id: string, definition: unknown): Scenario;
  /** Takes away one that was added; those of files stay. @returns whether there was one. */
  remove(id: string): boolean;
  /** Puts the scenarios of the folder in place of those that came from it before; what was added stays. */
  replace(loaded: readonly Scenario[]): void;
  /** Activates for every session. Their `state` is the caller's to apply: see `startScenarios`. */
  activate(ids: readonly string[]): void;
  deactivate(ids: readonly string[]): void;
  /** The rules of an active list for one operation, the strongest first. @param ids - The strongest last. */
  rulesFor(ids: readonly string[], operation: Operation): readonly Rule[];
}

/** One scenario in words, with how often each of its rules applied in a session. */
export interface ScenarioSummary {
  readonly id: string;
  readonly description: string | undefined;
  readonly file: string | undefined;
  readonly extends: readonly string[];
  readonly active: 'session' | 'server' | false;
  readonly rules: readonly {
    readonly key: string;
    readonly operation: string;
    readonly place: string;
    readonly met: number;
    readonly hits: number;
  }[];
}

/** How many different active lists have their rules kept ready. */
const PLAN_LIMIT = 500;

/** The scenarios of one mock. */
export function createScenarios(ground: Ground, loaded: readonly Scenario[]): Scenarios {
  let fromFiles = new Map(loaded.map((scenario) => [scenario.id, scenario]));
  const added = new Map<string, Scenario>();
  let active: readonly string[] = [];
  let plans = new Map<string, Map<string, readonly Rule[]>>();
  const get = (id: string): Scenario | undefined => added.get(id) ?? fromFiles.get(id);
  const all = (): ReadonlyMap<string, Scenario> => new Map([...fromFiles, ...added]);
  const find = (id: string): Scenario => {
    const scenario = get(id);
    if (scenario === undefined) throw toUnknown(id, [...all().keys()]);
    return scenario;
  };
  const changed = (): void => {
    plans = new Map();
    active = active.filter((id) => get(id) !== undefined);
  };

  return {
    get ids() {
      return [...all().keys()];
    },
    get active() {
      return active;
    },
    get,
    find,
    add: (id, definition) => {
      const scenario = toScenario({ id, definition }, ground, all());
      added.set(id, scenario);
      changed();
      return scenario;
    },
    remove: (id) => {
      const was = added.delete(id);
      changed();
      return was;
    },
    replace: (scenarios) => {
      fromFiles = new Map(scenarios.map((scenario) => [scenario.id, scenario]));
      changed();
    },
    activate: (ids) => {
      for (const id of ids) find(id);
      active = moveToEnd(active, ids);
    },
    deactivate: (ids) => {
      active = active.filter((id) => !ids.includes(id));
    },
    rulesFor: (ids, operation) => {
      // No id holds a comma.
      const key = ids.join();
      if (plans.size > PLAN_LIMIT) plans = new Map();
      const plan = plans.get(key) ?? new Map<string, readonly Rule[]>();
      plans.set(key, plan);
      const known = plan.get(operation.id);
      if (known !== undefined) return known;
      const rules = ids.toReversed().flatMap((id) => get(id)?.rulesFor(operation) ?? []);
      plan.set(operation.id, rules);
      return rules;
    },
  };
}

/** Activates scenarios in one session, and makes the changes they begin with. @throws MockError `SCENARIO_UNKNOWN`. */
export function useScenarios(scenarios: Scenarios, target: Changeable, ids: readonly string[]): void {
  const found = withoutRepeats(ids).map((id) => scenarios.find(id));
  target.state.setActive(moveToEnd(target.state.active, ids));
  for (const scenario of found) applyChanges(scenario.start, target, undefined);
}

/** Makes the changes that a list of scenarios begins with; those that are gone are passed over. */
export function startScenarios(scenarios: Scenarios, target: Changeable, ids: readonly string[]): void {
  for (const id of ids) {
    const scenario = scenarios.get(id);
    if (scenario !== undefined) applyChanges(scenario.start, target, undefined);
  }
}

/** Deactivates scenarios in one session; the state they changed stays until it is reset. */
export function dropScenarios(state: ScenarioState, ids: readonly string[]): void {
  state.setActive(state.active.filter((id) => !ids.includes(id)));
}

/** The ids that hold for a call, the strongest last: the server's, the session's, the request's. */
export function activeIds(scenarios: Scenarios, state: ScenarioState, ofRequest: readonly string[]): readonly string[] {
  if (ofRequest.length === 0 && scenarios.active.length === 0) return state.active;
  return moveToEnd(moveToEnd(scenarios.active, state.active), ofRequest);
}

/** Every scenario in words, as one session sees it. */
export function listScenarios(scenarios: Scenarios, state: ScenarioState): readonly ScenarioSummary[] {
  return scenarios.ids.map((id) => {
    const scenario = scenarios.find(id);
    return {
      id,
      description: scenario.description,
      file: scenario.file,
      extends: scenario.extends,
      active: state.active.includes(id) ? 'session' : scenarios.active.includes(id) ? 'server' : false,
      rules: scenario.rules.map((rule) => {
        const { met, used } = state.counter(rule.key);
        return { key: rule.key, operation: rule.target, place: rule.place, met, hits: used };
      }),
    };
  });
}

/** The error for an id that no scenario has. */
function toUnknown(id: string, ids: readonly string[]): MockError {
  const near = nearest(id, ids);
  const known = ids.length === 0 ? 'there are no scenarios' : `scenarios: ${ids.join(', ')}`;
  return new MockError('SCENARIO_UNKNOWN', `no scenario is called ${JSON.stringify(id)}`, {
    hint: near === undefined ? known : `did you mean ${JSON.stringify(near)}?`,
  });
}

function moveToEnd(list: readonly string[], ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? list : [...list.filter((id) => !ids.includes(id)), ...withoutRepeats(ids)];
}

/** Ids of which one is named several times count where they are named last. */
function withoutRepeats(ids: readonly string[]): readonly string[] {
  return ids.filter((id, i) => ids.lastIndexOf(id) === i);
}

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
