import type { Clock } from '../clock.js';
import type { ScenarioState } from '../scenario/rules/scenario-state.js';
import {
  activeIds,
  type ChangeInSteps,
  type Scenarios,
  type ScenarioStart,
  startInSteps,
  useInSteps,
} from '../scenario/scenarios.js';
import type { Store } from '../state/store/store.js';
import { doSteps, type Steps } from '../steps.js';

/** Changes of a session that were made beside it, to be applied at once. */
interface Preparation {
  /** Whether nothing has changed since then that the changes depend on. */
  isCurrent(): boolean;
  /** Applies the changes. @throws MockError `STATE_LIMIT`; then nothing is changed. */
  apply(): void;
}

/** Prepares what `use`, `begin` and `reset` of a session do, in steps. */
export interface Preparations {
  /** @throws MockError `SCENARIO_UNKNOWN`. */
  use(ids: readonly string[]): Steps<Preparation>;
  begin(ids: readonly string[]): Steps<Preparation>;
  reset(what?: ResetKind): Steps<Preparation>;
}

/**
 * What a reset returns to its initial state.
 *
 * - `counters`: rules count from one again, sequences of rules and recordings start over, rate limits are full.
 * - `state`: collections hold their fixtures and variables are removed; active scenarios then apply their changes again.
 * - `all`: both, the initial time of the clock, the scenarios that the session was opened with, an empty journal.
 */
export type ResetKind = 'counters' | 'state' | 'all';

interface PreparationParts {
  readonly scenarios: Scenarios;
  readonly scenario: ScenarioState;
  readonly store: Store;
  /** Ids of the scenarios that are active after a reset of all. */
  readonly opening: readonly string[];
  /** The clock after a reset of that kind. */
  clockAfter(what: ResetKind): Clock;
  /** A store beside that of the session. */
  createStore(clock: Clock): Store;
  changeInSteps(of: { readonly store: Store }): ChangeInSteps;
  /** Resets all but the store and the scenarios. */
  resetOthers(what: ResetKind): void;
}

/** Creates the preparations of one session. */
export function createPreparations(parts: PreparationParts): Preparations {
  const { scenarios, scenario, store } = parts;
  const prepare = function* (start: typeof useInSteps, ids: readonly string[]): Steps<Preparation> {
    const version = store.version();
    const beside = parts.createStore(store.clock);
    beside.restore(store.snapshot());
    const started = yield* start(scenarios, parts.changeInSteps({ store: beside }), ids);
    return {
      isCurrent: () => store.version() === version && started.isCurrent(),
      apply: () => replaceState(parts, beside, started),
    };
  };
  return {
    use: (ids) => prepare(useInSteps, ids),
    begin: (ids) => prepare(startInSteps, ids),
    *reset(what = 'all') {
      if (what === 'counters') return { isCurrent: () => true, apply: () => parts.resetOthers(what) };
      const readOwn = (): readonly string[] => (what === 'all' ? parts.opening : scenario.active);
      const readActive = (): readonly string[] => activeIds(scenarios, { active: readOwn() }, []);
      const active = readActive();
      const beside = parts.createStore(parts.clockAfter(what));
      const started = yield* startInSteps(scenarios, parts.changeInSteps({ store: beside }), active);
      const apply = (): void => {
        parts.resetOthers(what);
        scenario.resetVars();
        scenario.setActive(readOwn());
        started.apply(scenario);
      };
      return {
        isCurrent: () => readActive().join() === active.join() && started.isCurrent(),
        apply: () => replaceState(parts, beside, { apply }),
      };
    },
  };
}

function replaceState(
  { store, scenario }: PreparationParts,
  beside: Store,
  started: Pick<ScenarioStart, 'apply'>,
): void {
  // First, since it fails where the store is too large.
  store.restore(beside.snapshot());
  started.apply(scenario);
}

/** Changes one session in steps, as `changeSessions`. */
export function changeSession<Session>(
  session: Session,
  prepare: (session: Session) => Steps<Preparation>,
): Steps<void> {
  const sessions = [session];
  return changeSessions(() => sessions, prepare);
}

/** How often changes are prepared in steps, where requests change the session between these; then they are prepared at once. */
const MAX_ATTEMPTS = 3;

/**
 * Changes sessions in steps: a request in between sees them before all changes, or after them.
 *
 * @param list - The sessions; more can be opened between the steps.
 */
export function* changeSessions<Session>(
  list: () => readonly Session[],
  prepare: (session: Session) => Steps<Preparation>,
): Steps<void> {
  const prepared = new Map<Session, Preparation>();
  const isReady = (session: Session): boolean => prepared.get(session)?.isCurrent() === true;
  for (let attempt = 1; !list().every(isReady); attempt++) {
    for (const session of list()) {
      if (isReady(session)) continue;
      const steps = prepare(session);
      prepared.set(session, attempt > MAX_ATTEMPTS ? doSteps(steps) : yield* steps);
    }
  }
  for (const session of list()) prepared.get(session)?.apply();
}
