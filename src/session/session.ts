import { types } from 'node:util';
import {
  type Clock,
  createRealClock,
  createVirtualClock,
  isVirtualClock,
  readInstant,
  type VirtualClock,
} from '../base/clock.js';
import { MockError } from '../base/errors.js';
import type { Interaction, ToPlain, ToTexts } from '../journal/interaction.js';
import {
  createJournal,
  type JournalPool,
  type NewInteraction,
  type OperationNames,
  type SessionJournal,
} from '../journal/journal.js';
import type { OnStoreWrite, Snapshot, Store } from '../resources/store/store.js';
import type { TotalUsage, Usage } from '../resources/store/lists/usage.js';

/** The state of one client. */
export interface Session {
  readonly id: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly journal: SessionJournal;
  /** The state that features keep for it, by the names of their slots. */
  readonly slots: Slots;
  /** Returns to an earlier state; the contract, fixtures and scenarios stay. Default `all`. Where it fails, nothing is changed. */
  reset(what?: ResetKind): void;
  /** Everything that the session holds now, except its journal; cheap, whatever it holds. */
  snapshot(): SessionSnapshot;
  /** Counts a snapshot that is kept among what all sessions hold, until the returned function is called. @throws MockError `STATE_LIMIT`. */
  hold(snapshot: SessionSnapshot): () => void;
  /** Returns to a snapshot of this session, or of another one of the same mock; the journal stays. */
  restore(snapshot: SessionSnapshot): void;
  /** Subtracts its state from the total of all sessions. */
  release(): void;
  /** Runs the work that answers a request; in a session that several processes share, again where another one has changed it in between. */
  run<Result>(work: () => Result | Promise<Result>): Result | Promise<Result>;
  /** Keeps the session the same in several processes; undefined where this process is the only one. */
  readonly shared: SharedSession | undefined;
  /** This session with a copy of its store, for changes that last for one request. */
  branch(): Session;
}

/** The parts of a session that requests change. */
export type ChangedParts = Pick<Session, 'clock' | 'journal' | 'slots' | 'store'>;

/** States by the names of slots. */
export type Slots = Readonly<Record<string, unknown>>;

/** The state that a feature keeps for each session of a mock: created, reset, snapshotted and restored with it. */
export interface SessionSlot<State = unknown> {
  /** The name of the state in `session.slots`. */
  readonly name: string;
  create(): State;
  /** Begins a new session. @param scenarios - Ids of the scenarios that it was opened with. @throws MockError where it cannot be opened. */
  open?(session: Session, scenarios: readonly string[]): void;
  /** Follows a reset of the store and the clock. @param scenarios - As for `open`. */
  reset(session: Session, what: ResetKind, scenarios: readonly string[]): void;
  /** The state as plain data. */
  snapshot(state: State): unknown;
  restore(state: State, snapshot: unknown): void;
  /** Restores the state before a request that is answered again; default: as `restore`. */
  undo?(state: State, snapshot: unknown): void;
  /** The same state in several processes. */
  share(state: State, changes: SharedChanges): State;
}

/** Makes changes of a state that other processes repeat. */
export interface SharedChanges {
  /** Runs what changes the state. */
  write<Result>(work: () => Result): Result;
  /** Tells the other processes to call a method of the state. @param args - Plain data. */
  tell(method: string, args: readonly unknown[]): void;
}

/** A session as several processes share it. */
export interface SharedSession {
  /** Runs work that changes the session, again where another process has changed it in between. */
  readonly atomic: {
    readonly isRunning: boolean;
    run<Result>(work: () => Result | Promise<Result>): Promise<Result>;
    /** Resolves once all changes until now are written. */
    committed(): Promise<void>;
    /** Resolves once everything is written. */
    flush(): Promise<void>;
  };
  /** Tells the other processes a write of the store. */
  readonly onStoreWrite: OnStoreWrite;
  /** The names of snapshots that all processes can return to. */
  readonly snapshots: readonly string[];
  /** The parts whose changes other processes repeat. */
  share(parts: ChangedParts, slots: readonly SessionSlot[]): ChangedParts;
  /** From now on changes are written: those until now are made by every process that opens the session. */
  start(): void;
  /** Work that begins afterwards sees the state that other processes have written until now. */
  arrive(): Promise<void>;
  /** Updates the session to the state that other processes have written until now. */
  refresh(): Promise<void>;
  /** Adds an interaction to the journal. @returns it with its number, once the request's changes are committed. */
  remember(entry: NewInteraction, size: number): Promise<Interaction>;
  /** The same clock, whose delays begin once the changes before them are committed: a delay cannot be repeated. */
  toDelays(clock: Clock): Clock;
  /** Keeps the state of the session under a name. */
  saveSnapshot(name: string): Promise<void>;
  /** Returns to a snapshot. @returns false where none has that name. */
  restoreSnapshot(name: string): Promise<boolean>;
}

/**
 * The part of a session that a reset returns to its initial state.
 *
 * - `counters`: rules count from one again, sequences of rules and recordings start over, rate limits are full.
 * - `state`: collections hold their fixtures and variables are removed; active scenarios then apply their changes again.
 * - `all`: both, the initial time of the clock, the scenarios that the session was opened with, an empty journal.
 */
export type ResetKind = 'counters' | 'state' | 'all';

/** A session at one moment. */
export interface SessionSnapshot {
  readonly store: Snapshot;
  readonly slots: Slots;
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
  createStore(clock: Clock, usage?: Usage, onWrite?: OnStoreWrite): Store;
  /** Called with each change of a session that only this process has; undefined for one whose changes are not followed. */
  onWrite?(id: string): OnStoreWrite | undefined;
  /** Keeps a session the same in several processes; undefined where this process is the only one. */
  share(id: string): SharedSession | undefined;
  /** @param total - The size that is counted together with other stores; default: the size of all sessions. */
  createUsage(total?: TotalUsage): Usage;
  readonly slots: readonly SessionSlot[];
}

/**
 * Creates a session with the fixtures.
 *
 * @param opening - Ids of the scenarios that are active from the start.
 * @throws MockError `SCENARIO_UNKNOWN`.
 */
export function createSession(id: string, parts: SessionParts, opening: readonly string[]): Session {
  const session = createUnopened(id, parts, opening);
  for (const slot of parts.slots) slot.open?.(session, opening);
  session.shared?.start();
  return session;
}

/** A session in which nothing has changed yet. */
function createUnopened(id: string, parts: SessionParts, opening: readonly string[]): Session {
  const { shared, ...held } = createParts(id, parts);
  const { clock, store, journal, slots } = held;
  const own = parts.ownsClock && isVirtualClock(clock) ? clock : undefined;
  const startedAt = own?.now();
  const setTime = (instant: number | undefined): void => {
    if (instant !== undefined && instant !== clock.now()) own?.set(instant);
  };
  const reset = (what: ResetKind): void => {
    if (what === 'all') setTime(startedAt);
    if (what !== 'counters') store.reset();
    for (const slot of parts.slots) slot.reset(session, what, opening);
  };
  const session: Session = {
    shared,
    run: (work) => (shared === undefined ? work() : shared.atomic.run(work)),
    reset: (what = 'all') => {
      changeTogether([session], () => reset(what));
      if (what === 'all') journal.clear();
    },
    snapshot: () => ({ store: store.snapshot(), slots: takeSnapshots(parts.slots, slots), now: own?.now() }),
    hold: (snapshot) => store.hold(snapshot.store),
    restore: (snapshot) => {
      // First, since it fails where the snapshot is too large.
      store.restore(snapshot.store);
      setTime(snapshot.now);
      for (const slot of parts.slots) slot.restore(slots[slot.name], snapshot.slots[slot.name]);
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

/** Creates the parts of a session that change; a change in one process applies to all that share the session. */
function createParts(id: string, parts: SessionParts) {
  const shared = parts.share(id);
  const clock = parts.createClock();
  const store = parts.createStore(clock, parts.createUsage(), shared?.onStoreWrite ?? parts.onWrite?.(id));
  const journal = createJournal({
    operations: parts.operations,
    toPlain: parts.toPlain,
    toTexts: parts.toTexts,
    ...parts.journal,
  });
  const slots = Object.fromEntries(parts.slots.map((slot) => [slot.name, slot.create()]));
  const own = { clock, store, slots, journal };
  const held = shared?.share(own, parts.slots) ?? own;
  return { id, seed: parts.seed, shared, ...held };
}

/** The states of slots as plain data. */
export function takeSnapshots(all: readonly SessionSlot[], slots: Slots): Slots {
  return Object.fromEntries(all.map((slot) => [slot.name, slot.snapshot(slots[slot.name])]));
}

/** Changes sessions: where one change fails, none of them is made. */
export function changeTogether(sessions: readonly Session[], change: (session: Session) => void): void {
  const before = sessions.map((session) => [session, session.snapshot()] as const);
  try {
    for (const session of sessions) change(session);
  } catch (error) {
    // The last one first, so that all of them together never hold more than they did before.
    for (const [session, snapshot] of before.toReversed()) session.restore(snapshot);
    throw error;
  }
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
