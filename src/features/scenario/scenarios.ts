import type { Operation } from '../../contract/operations/operation.js';
import { MockError, suggest } from '../../base/errors.js';
import type { ScenarioDefinition } from './definition/definition.js';
import type { ScenarioContext } from './definition/kinds.js';
import { loadScenarios, readScenarios, toScenario, toScenarios } from './definition/load.js';
import type { Mistake } from '../../contract/load/source-node.js';
import { toScenarioError } from './definition/source.js';
import type { Rule, Scenario } from './rules/rule.js';
import { applyChanges, type ChangeTarget, type ScenarioState } from './rules/scenario-state.js';

/** The scenarios of one mock, and which of them are active in every session. */
export interface Scenarios {
  readonly ids: readonly string[];
  /** Ids of those that are active in every session, the last activated one last. */
  readonly active: readonly string[];
  get(id: string): Scenario | undefined;
  /** Like `get`. @throws MockError `SCENARIO_UNKNOWN` that names the closest id. */
  find(id: string): Scenario;
  /** Reads a scenario that is passed as an object, and does not add it. @throws MockError `SCENARIO_INVALID`. */
  check(id: string, definition: unknown): Scenario;
  /** The definition of a scenario that is written in YAML. @throws MockError `SCENARIO_INVALID`, `SCENARIO_UNREADABLE` with the line. */
  read(id: string, text: string, file?: string): unknown;
  /** The file of a scenario, also if one that was added replaces it; undefined if it has none. */
  fileOf(id: string): string | undefined;
  /** Adds or replaces a scenario that is passed as an object. @throws MockError `SCENARIO_INVALID`. */
  add(id: string, definition: unknown): Scenario;
  /** The scenarios that were added. */
  added(): readonly Scenario[];
  /** Removes a scenario that was added; scenarios of files stay. @returns whether there was one. */
  remove(id: string): boolean;
  /** Replaces the scenarios of the folder; added scenarios stay. */
  replace(loaded: readonly Scenario[]): void;
  /** Activates scenarios in every session, without applying their `state`: see `startScenarios`. */
  activate(ids: readonly string[]): void;
  deactivate(ids: readonly string[]): void;
  /** The rules of active scenarios for one operation, by precedence. @param ids - The last one has the highest precedence. */
  rulesFor(ids: readonly string[], operation: Operation): readonly Rule[];
}

/** A description of one scenario, with how often each of its rules applied in a session. */
export interface ScenarioSummary {
  /** Its id. */
  readonly id: string;
  /** The description of the scenario. */
  readonly description: string | undefined;
  /** The path of its file; undefined for one that was passed as an object. */
  readonly file: string | undefined;
  /** Ids of the scenarios that it extends. */
  readonly extends: readonly string[];
  /** Where it is active: in this session, in every session (`server`), or not. */
  readonly active: 'session' | 'server' | false;
  /** Its rules, in the order in which they are tried. */
  readonly rules: readonly {
    /** The scenario, and the rule in it: `flaky/listKeys[0]`. */
    readonly key: string;
    /** The id of its operation; `*` for all. */
    readonly operation: string;
    /** `scenarios/flaky.yaml:4`, or a pointer if there is no file. */
    readonly place: string;
    /** How many calls met its conditions. */
    readonly met: number;
    /** How many calls it applied to. */
    readonly hits: number;
  }[];
}

/** Creates the scenarios of one mock. @param loaded - Those of its folder or options. */
export function createScenarios(context: ScenarioContext, loaded: readonly Scenario[]): Scenarios {
  let fromFiles = new Map(loaded.map((scenario) => [scenario.id, scenario]));
  const added = new Map<string, Scenario>();
  let active: readonly string[] = [];
  const get = (id: string): Scenario | undefined => added.get(id) ?? fromFiles.get(id);
  const all = (): ReadonlyMap<string, Scenario> => new Map([...fromFiles, ...added]);
  const find = (id: string): Scenario => get(id) ?? throwUnknown(id, [...all().keys()]);
  const check = (id: string, definition: unknown): Scenario => toScenario({ id, definition }, context, all());
  const changed = (): void => {
    active = active.filter((id) => get(id) !== undefined);
  };

  return {
    get ids() {
      return [...all().keys()];
    },
    get active() {
      return active;
    },
    added: () => [...added.values()],
    get,
    find,
    check,
    read: (id, text, file = `${id}.yaml`) => toScenario({ id, text, file }, context, all()).definition,
    fileOf: (id) => fromFiles.get(id)?.file,
    add: (id, definition) => {
      const scenario = check(id, definition);
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
    rulesFor: (ids, { id }) =>
      ids
        .toReversed()
        .flatMap((each) => get(each)?.rules ?? [])
        .filter(({ target }) => target === '*' || target === id),
  };
}

/** Activates scenarios in one session, and applies their `state`. @throws MockError `SCENARIO_UNKNOWN`. */
export function useScenarios(scenarios: Scenarios, target: ChangeTarget, ids: readonly string[]): void {
  for (const id of ids) scenarios.find(id);
  target.state.setActive(moveToEnd(target.state.active, ids));
  startScenarios(scenarios, target, withoutRepeats(ids));
}

/** Applies the `state` of scenarios; ids that no longer exist are skipped. */
export function startScenarios(scenarios: Scenarios, target: ChangeTarget, ids: readonly string[]): void {
  for (const id of ids) {
    const scenario = scenarios.get(id);
    if (scenario !== undefined) applyChanges(scenario.start, target, undefined);
  }
}

/** The ids that are active for a call, by rising precedence: ids of the mock, the session and the request. */
export function activeIds(
  scenarios: Scenarios,
  state: Pick<ScenarioState, 'active'>,
  ofRequest: readonly string[],
): readonly string[] {
  if (ofRequest.length === 0 && scenarios.active.length === 0) return state.active;
  return moveToEnd(moveToEnd(scenarios.active, state.active), ofRequest);
}

/** A description of every scenario, as one session sees it. */
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
        const { matched, applied } = state.counter(rule.key);
        return { key: rule.key, operation: rule.target, place: rule.readPosition(), met: matched, hits: applied };
      }),
    };
  });
}

function throwUnknown(id: string, ids: readonly string[]): never {
  const known =
    ids.length === 0
      ? 'there are no scenarios: the option "scenarios" (--scenarios) names their folder'
      : `scenarios: ${ids.join(', ')}`;
  const hint = suggest(id, ids) ?? known;
  throw new MockError('SCENARIO_UNKNOWN', `unknown scenario ${JSON.stringify(id)}`, { hint });
}

function moveToEnd(list: readonly string[], ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? list : [...list.filter((id) => !ids.includes(id)), ...withoutRepeats(ids)];
}

/** Ids without repetitions: of those named several times, the last one stays. */
function withoutRepeats(ids: readonly string[]): readonly string[] {
  return ids.filter((id, i) => ids.lastIndexOf(id) === i);
}

/** The result of reloading a folder of scenarios. */
export interface Reload {
  /** Ids of the scenarios that match their files now. */
  readonly loaded: readonly string[];
  /** Ids of those whose last valid version is kept, because their file has a mistake. */
  readonly kept: readonly string[];
  /** The files that have a mistake. */
  readonly invalid: readonly string[];
  /** Every mistake, as one error. */
  readonly error: MockError | undefined;
}

/**
 * Reloads a folder of scenarios: an edited scenario applies at once, also if it is active; of one with a mistake, the last valid
 * version is kept; one without a file is removed.
 */
export function reloadScenarios(folder: string, context: ScenarioContext, scenarios: Scenarios): Reload {
  const { scenarios: sound, ids, mistakes } = readScenarios(folder, context);
  const loaded = sound.map((scenario) => scenario.id);
  const kept = ids.filter((id) => !loaded.includes(id) && scenarios.get(id)?.file !== undefined);
  scenarios.replace([...sound, ...kept.map((id) => scenarios.find(id))]);
  return { loaded, kept, invalid: listInvalid(mistakes), error: toScenarioError(mistakes) };
}

/**
 * Loads the scenarios of one mock.
 *
 * @param source - A folder with one scenario per file, or scenarios by id; undefined for none.
 * @param before - Those of a mock whose contract or fixtures may have changed: of a file with a mistake, the last valid version is kept.
 * @throws MockError `SCENARIO_INVALID`, `SCENARIO_UNREADABLE` where there is no version that is valid.
 */
export function openScenarios(
  source: string | Readonly<Record<string, ScenarioDefinition>> | undefined,
  context: ScenarioContext,
  before?: Scenarios,
): { readonly scenarios: Scenarios; readonly reload: Reload } {
  if (typeof source !== 'string' || before === undefined) {
    const loaded = typeof source === 'string' ? loadScenarios(source, context) : toScenarios(source ?? {}, context);
    const scenarios = createScenarios(context, loaded);
    return { scenarios, reload: { loaded: scenarios.ids, kept: [], invalid: [], error: undefined } };
  }
  const { scenarios: sound, ids, mistakes } = readScenarios(source, context);
  const error = toScenarioError(mistakes);
  const known = new Map(sound.map((scenario) => [scenario.id, scenario]));
  const kept = ids.flatMap((id) => {
    const { definition, file } = before.get(id) ?? {};
    if (known.has(id) || file === undefined) return [];
    try {
      return [{ ...toScenario({ id, definition }, context, known), file }];
    } catch (cause) {
      throw cause instanceof MockError ? (error ?? cause) : cause;
    }
  });
  const scenarios = createScenarios(context, [...sound, ...kept]);
  const invalid = listInvalid(mistakes);
  return { scenarios, reload: { loaded: [...known.keys()], kept: kept.map(({ id }) => id), invalid, error } };
}

function listInvalid(mistakes: readonly Mistake[]): readonly string[] {
  return withoutRepeats(mistakes.flatMap(({ at }) => at.file ?? []));
}

/** Adds the scenarios that were added to others, and activates those that are active there. @returns the ids of those that are not valid any more. */
export function carryScenarios(before: Scenarios, scenarios: Scenarios): readonly string[] {
  const dropped: string[] = [];
  for (const { id, definition } of before.added()) {
    try {
      scenarios.add(id, definition);
    } catch (error) {
      if (!(error instanceof MockError)) throw error;
      dropped.push(id);
    }
  }
  scenarios.activate(before.active.filter((id) => scenarios.get(id) !== undefined));
  return dropped;
}

/** The mistake of scenarios that a program has written; undefined where there is none. */
export function findScenarioMistake(
  definitions: Readonly<Record<string, unknown>>,
  context: ScenarioContext,
): string | undefined {
  try {
    toScenarios(definitions, context);
    return undefined;
  } catch (error) {
    if (error instanceof MockError) return error.reason;
    throw error;
  }
}
