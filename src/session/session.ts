import { types } from 'node:util';
import {
  type Clock,
  createRealClock,
  createVirtualClock,
  isVirtualClock,
  readInstant,
  type VirtualClock,
} from '../clock.js';
import { MockError } from '../errors.js';
import type { ToPlain, ToTexts } from '../journal/interaction.js';
import { createJournal, type JournalPool, type OperationNames, type SessionJournal } from '../journal/journal.js';
import { createReplayState, type ReplaySnapshot, type ReplayState } from '../recording/matching/replay-state.js';
import {
  type ChangeCollections,
  type ChangeTarget,
  createScenarioState,
  type ScenarioSnapshot,
  type ScenarioState,
} from '../scenario/rules/scenario-state.js';
import { activeIds, type ChangeInSteps, type Scenarios, startScenarios, useScenarios } from '../scenario/scenarios.js';
import type { Snapshot, Store, StoreHooks } from '../state/store/store.js';
import type { TotalUsage, Usage } from '../state/store/lists/usage.js';
import type { Steps } from '../steps.js';
import type { SharedSession } from './shared/shared-session.js';
import { changeSession, createPreparations, type Preparations, type ResetKind } from './preparation.js';

/** The state of one client. */
export interface Session {
  readonly id: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly journal: SessionJournal;
  /** Which scenarios are active, and how often their rules applied. */
  readonly scenario: ScenarioState;
  /** The position in the recordings. */
  readonly replay: ReplayState;
  /** Activates scenarios and applies their changes; later ones win. @throws MockError `SCENARIO_UNKNOWN`. */
  use(ids: readonly string[]): void;
  /** Applies the initial changes of scenarios that were activated for every session. */
  begin(ids: readonly string[]): void;
  /** `use`, `begin` and `reset` in steps. */
  readonly prepare: Preparations;
  /** Deactivates scenarios; changed collections stay changed until a reset. */
  drop(ids: readonly string[]): void;
  /** Returns to an earlier state; the contract, fixtures and scenarios stay. Default `all`. */
  reset(what?: ResetKind): void;
  /** Everything that the session holds now, except its journal; cheap, whatever it holds. */
  snapshot(): SessionSnapshot;
  /** Counts a snapshot that is kept among what all sessions hold, until the returned function is called. @throws MockError `STATE_LIMIT`. */
  hold(snapshot: SessionSnapshot): () => void;
  /** Returns to a snapshot of this session, or of another one of the same mock; the journal stays. */
  restore(snapshot: SessionSnapshot): void;
  /** What it holds is not counted among that of all sessions any more. */
  release(): void;
  /** What keeps the session the same in several processes; undefined where this process is the only one. */
  readonly shared: SharedSession | undefined;
  /** This session with a copy of its store, for changes that last for one request. */
  branch(): Session;
}

/** A session at one moment. */
export interface SessionSnapshot {
  readonly store: Snapshot;
  readonly scenario: ScenarioSnapshot;
  readonly replay: ReplaySnapshot;
  /** Undefined for a clock that the session does not own. */
  readonly now: number | undefined;
}

interface SessionParts {
  readonly seed: number;
  /** How much a journal keeps. */
  readonly journal: { readonly limit: number; readonly limitBytes: number; readonly pool: JournalPool };
  readonly operations: OperationNames;
  readonly toPlain: ToPlain;
  readonly toTexts: ToTexts;
  createClock(): Clock;
  /** Whether no other session uses the clock: then a reset sets it. */
  readonly ownsClock: boolean;
  /** @param usage - Counts what it holds; default: without limits, for a store that lasts for one request. */
  createStore(clock: Clock, usage?: Usage, hooks?: StoreHooks): Store;
  /** What keeps a session the same in several processes; undefined where this process is the only one. */
  share(id: string): SharedSession | undefined;
  /** @param total - What is counted together with other stores; default: what all sessions hold. */
  createUsage(total?: TotalUsage): Usage;
  readonly scenarios: Scenarios;
  /** How scenarios change the collections of a session. */
  changeCollections(session: Session): ChangeCollections;
  /** The same in steps, for a store that nothing else uses. */
  changeInSteps(of: { readonly store: Store }): ChangeInSteps;
}

/**
 * Creates a session with the fixtures, in steps.
 *
 * @param opening - Ids of the scenarios that are active from the start.
 * @throws MockError `SCENARIO_UNKNOWN`.
 */
export function* createSession(id: string, parts: SessionParts, opening: readonly string[]): Steps<Session> {
  const session = createUnopened(id, parts, opening);
  for (const name of opening) parts.scenarios.find(name);
  session.scenario.setActive(opening);
  if (activeIds(parts.scenarios, session.scenario, []).length > 0) {
    yield* changeSession(session, ({ prepare }) => prepare.reset('state'));
  }
  session.shared?.start();
  return session;
}

/** A session whose scenarios have changed nothing yet. */
function createUnopened(id: string, parts: SessionParts, opening: readonly string[]): Session {
  const { scenarios } = parts;
  const { shared, ...held } = createParts(id, parts);
  const { clock, store, journal, scenario, replay } = held;
  const own = parts.ownsClock && isVirtualClock(clock) ? clock : undefined;
  const startedAt = own?.now();
  const setTime = (instant: number | undefined): void => {
    if (instant !== undefined && instant !== clock.now()) own?.set(instant);
  };
  const target = (): ChangeTarget => ({ state: scenario, changeCollections: parts.changeCollections(session) });
  const resetOthers = (what: ResetKind): void => {
    resetParts(held, what);
    if (what === 'all') setTime(startedAt);
  };
  const session: Session = {
    shared,
    prepare: createPreparations({
      scenarios,
      scenario,
      store,
      opening,
      resetOthers,
      clockAfter: (what) => (what === 'all' && startedAt !== undefined ? createVirtualClock(startedAt) : clock),
      createStore: (at) => parts.createStore(at, parts.createUsage({ items: 0, bytes: 0 })),
      changeInSteps: parts.changeInSteps,
    }),
    use: (ids) => useScenarios(scenarios, target(), ids),
    begin: (ids) => startScenarios(scenarios, target(), ids),
    drop: (ids) => scenario.setActive(scenario.active.filter((active) => !ids.includes(active))),
    reset: (what = 'all') => {
      resetOthers(what);
      if (what === 'counters') return;
      store.reset();
      scenario.resetVars();
      if (what === 'all') scenario.setActive(opening);
      startScenarios(scenarios, target(), activeIds(scenarios, scenario, []));
    },
    snapshot: () => takeSnapshot(held, own?.now()),
    hold: (snapshot) => store.hold(snapshot.store),
    restore: (snapshot) => {
      // First, since it fails where the snapshot is too large.
      store.restore(snapshot.store);
      setTime(snapshot.now);
      scenario.restore(snapshot.scenario);
      replay.restore(snapshot.replay);
    },
    release: () => {
      store.release();
      journal.release();
    },
    branch: () => {
      const own = parts.createStore(clock);
      own.restore(store.snapshot());
      return { ...session, store: own };
    },
    ...held,
  };
  return session;
}

/** The parts of a session that change; in several processes, changes of one are those of all. */
function createParts(id: string, parts: SessionParts) {
  const shared = parts.share(id);
  const clock = parts.createClock();
  const store = parts.createStore(clock, parts.createUsage(), shared?.hooks);
  const journal = createJournal({
    operations: parts.operations,
    toPlain: parts.toPlain,
    toTexts: parts.toTexts,
    ...parts.journal,
  });
  const own = { clock, store, scenario: createScenarioState(), replay: createReplayState(), journal };
  const held = shared?.share(own) ?? own;
  return { id, seed: parts.seed, shared, ...held };
}

/** Resets the counters, the replay and the journal. */
function resetParts(
  { scenario, replay, journal }: Pick<Session, 'journal' | 'replay' | 'scenario'>,
  what: ResetKind,
): void {
  if (what !== 'state') {
    scenario.resetCounters();
    replay.reset();
  }
  if (what === 'all') journal.clear();
}

function takeSnapshot(
  { store, scenario, replay }: Pick<Session, 'replay' | 'scenario' | 'store'>,
  now: number | undefined,
): SessionSnapshot {
  return { store: store.snapshot(), scenario: scenario.snapshot(), replay: replay.snapshot(), now };
}

/** The time of a mock: `'real'`, a fixed instant, or a clock object. */
export type ClockOption = Instant | Clock | undefined;

/** An instant: milliseconds since 1970, a Date, or an ISO 8601 string. */
export type Instant = number | string | Date;

/**
 * The factory of session clocks: each session has its own clock, unless the clock is real or a clock object.
 *
 * @throws MockError `CLOCK_INVALID`.
 */
export function createSessionClocks(option: ClockOption): Pick<SessionParts, 'createClock' | 'ownsClock'> {
  if (option === 'real') return { createClock: createRealClock, ownsClock: false };
  if (typeof option === 'object' && !types.isDate(option)) return { createClock: () => option, ownsClock: false };
  const start = option === undefined ? undefined : readInstant(option);
  // Sleeping moves the clock: nothing else would while a request waits.
  return { createClock: () => createVirtualClock(start, { autoAdvance: true }), ownsClock: true };
}

/** A clock that can be moved. @throws MockError `CLOCK_INVALID` for a real one. */
export function requireVirtualClock(clock: Clock): VirtualClock {
  if (isVirtualClock(clock)) return clock;
  throw new MockError('CLOCK_INVALID', 'a real clock cannot be moved', {
    hint: 'create the mock with a fixed instant: clock: "2026-01-01T00:00:00Z" (--clock)',
  });
}
