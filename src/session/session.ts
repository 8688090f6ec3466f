import type { Clock } from '../clock.js';
import { createJournal, type Journal } from '../journal/journal.js';
import type { ToPlain } from '../journal/plain.js';
import { createReplayState, type ReplaySnapshot, type ReplayState } from '../recording/matching/replay-state.js';
import {
  type ChangeCollections,
  type ChangeTarget,
  createScenarioState,
  type ScenarioSnapshot,
  type ScenarioState,
} from '../scenario/rules/scenario-state.js';
import { activeIds, dropScenarios, type Scenarios, startScenarios, useScenarios } from '../scenario/scenarios.js';
import type { Snapshot, Store } from '../state/store/store.js';
import type { SessionClock } from './session-clock.js';

/** One client's world. */
export interface Session {
  readonly id: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly journal: Journal;
  /** What the scenarios of this session remember: which are active, how often their rules applied. */
  readonly scenario: ScenarioState;
  /** Where this session stands in the recordings. */
  readonly replay: ReplayState;
  /** Activates scenarios, in this order, and lets them make their changes. @throws MockError `SCENARIO_UNKNOWN`. */
  use(ids: readonly string[]): void;
  /** Makes the changes that scenarios begin with, without activating them here: they are active for every session. */
  begin(ids: readonly string[]): void;
  /** Deactivates scenarios; what they changed stays until a reset. */
  drop(ids: readonly string[]): void;
  /** Back to an earlier point; definitions (the contract, fixtures, scenarios) always stay. Default `all`. */
  reset(what?: ResetKind): void;
  /** What the session holds now but for its journal; costs next to nothing whatever it holds. */
  snapshot(): SessionSnapshot;
  /** Back to a snapshot, of this session or of another one of the same mock, as often as wanted. The journal stays. */
  restore(snapshot: SessionSnapshot): void;
  /** This session with a store of its own that starts from what it holds now: for changes that last for one request. */
  branch(): Session;
}

/**
 * How far a reset goes.
 *
 * - `counters`: rules count from one again, sequences (of rules and of recordings) start over, rate limits are full.
 * - `state`: collections hold their fixtures again and variables are gone; active scenarios then make their changes anew.
 * - `all`: both, the clock where it began, the scenarios the session was opened with, an empty journal.
 */
export type ResetKind = 'counters' | 'state' | 'all';

/** A session at one moment. */
export interface SessionSnapshot {
  readonly store: Snapshot;
  readonly scenario: ScenarioSnapshot;
  readonly replay: ReplaySnapshot;
  /** Undefined where the clock is not the session's to move. */
  readonly now: number | undefined;
}

/** What every session of one mock is made from. */
interface SessionParts {
  readonly seed: number;
  /** How many interactions a journal keeps. */
  readonly journalLimit: number;
  /** Ids of the operations there are. */
  readonly operations: readonly string[];
  /** Shows an interaction without its secrets. */
  readonly toPlain: ToPlain;
  createClock(): SessionClock;
  createStore(clock: Clock): Store;
  readonly scenarios: Scenarios;
  /** How scenarios change the collections of a session. */
  changeCollections(session: Session): ChangeCollections;
}

/**
 * A new session that starts from the fixtures.
 *
 * @param opening - Scenarios it begins with.
 * @throws MockError `SCENARIO_UNKNOWN`.
 */
export function createSession(id: string, parts: SessionParts, opening: readonly string[] = []): Session {
  const { scenarios } = parts;
  const time = parts.createClock();
  const { clock } = time;
  const store = parts.createStore(clock);
  const journal = createJournal({ ...parts, limit: parts.journalLimit });
  const scenario = createScenarioState();
  const replay = createReplayState();
  const begunAt = time.read();
  const target = (): ChangeTarget => ({ state: scenario, changeCollections: parts.changeCollections(session) });
  const begin = (own: readonly string[]): void => {
    scenario.setActive(own);
    const active = activeIds(scenarios, scenario, []);
    if (active.length > 0) startScenarios(scenarios, target(), active);
  };
  const session: Session = {
    id,
    seed: parts.seed,
    clock,
    store,
    journal,
    scenario,
    replay,
    use: (ids) => useScenarios(scenarios, target(), ids),
    begin: (ids) => startScenarios(scenarios, target(), ids),
    drop: (ids) => dropScenarios(scenario, ids),
    reset: (what = 'all') => {
      if (what !== 'state') {
        scenario.resetCounters();
        replay.reset();
      }
      if (what === 'counters') return;
      if (what === 'all') {
        time.write(begunAt);
        journal.clear();
      }
      store.reset();
      scenario.resetVars();
      begin(what === 'all' ? opening : scenario.active);
    },
    ...createSnapshots({ time, store, scenario, replay }),
    branch: () => {
      const own = parts.createStore(clock);
      own.restore(store.snapshot());
      return { ...session, store: own };
    },
  };
  for (const name of opening) scenarios.find(name);
  begin(opening);
  return session;
}

/** Takes and restores snapshots of everything that a session remembers but its journal. */
function createSnapshots(
  held: Pick<Session, 'store' | 'scenario' | 'replay'> & { readonly time: SessionClock },
): Pick<Session, 'snapshot' | 'restore'> {
  const { time, store, scenario, replay } = held;
  return {
    snapshot: () => ({
      store: store.snapshot(),
      scenario: scenario.snapshot(),
      replay: replay.snapshot(),
      now: time.read(),
    }),
    restore: (snapshot) => {
      time.write(snapshot.now);
      store.restore(snapshot.store);
      scenario.restore(snapshot.scenario);
      replay.restore(snapshot.replay);
    },
  };
}
