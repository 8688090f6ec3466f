import { type Clock, isVirtualClock } from '../../base/clock.js';
import type { Interaction } from '../../journal/interaction.js';
import type { NewInteraction } from '../../journal/journal.js';
import {
  type ChangedParts,
  type SessionSlot,
  type SharedSession,
  type Slots,
  takeSnapshots,
} from '../../session/session.js';
import { withMethods } from '../../session/shared.js';
import type { OnStoreWrite, Store, StoreDump, StoreWrite } from '../../resources/store/store.js';
import { Atomic, type Change, type ChangeLog } from './atomic.js';
import { decode, encode, createSessionLog, type LogTarget, type SessionLink } from './session-log.js';
import { createSharedJournal, type SharedJournal, writeLine } from './shared-journal.js';
import { setImmediate } from '../../base/platform.js';

interface SessionDump {
  readonly store: StoreDump;
  readonly slots: Slots;
  readonly now: number | undefined;
  /** The names of its snapshots. */
  readonly saved: readonly string[];
}

interface OwnParts extends ChangedParts {
  readonly own: SharedJournal;
  /** The slots that the states of features belong to. */
  readonly all: readonly SessionSlot[];
}

export class RedisSession implements SharedSession {
  readonly atomic: Atomic;
  readonly onStoreWrite: OnStoreWrite;
  readonly #link: SessionLink;
  readonly #log: ChangeLog;
  readonly #journalLimit: number;
  /** Whether changes are written: not while the session is opened, nor while changes of other processes are applied. */
  #isActive = false;
  #parts: OwnParts | undefined;
  /** Returns to the state of the session when it was opened. */
  #restart: () => void = () => undefined;
  #names: readonly string[] = [];
  readonly arrive: () => Promise<void> = shareTurn(async () => this.atomic.catchUp(await this.#log.read()));

  constructor(link: SessionLink, journalLimit: number) {
    this.#link = link;
    this.#journalLimit = journalLimit;
    this.#log = createSessionLog(link, this.#createTarget());
    this.atomic = new Atomic(this.#log, () => this.#takeState());
    this.onStoreWrite = (toPlain) => {
      if (this.#isActive) this.atomic.change(['store', toPlain()]);
    };
  }

  share(given: ChangedParts, all: readonly SessionSlot[]): ChangedParts {
    const own = createSharedJournal(given.journal, this.#journalLimit);
    this.#parts = { ...given, journal: own.journal, own, all };
    const { clock, store } = given;
    const write: Write = (work) => (this.#isActive ? this.atomic.write(work) : work());
    const change: Tell = (told) => this.#change(told);
    const clearJournal = (): void => {
      own.journal.clear();
      change(['journal']);
    };
    const slots = all.map(({ name, share }) => {
      const tell = (method: string, args: readonly unknown[]): void => change(['slot', name, method, args]);
      return [name, share(given.slots[name], { write, tell })] as const;
    });
    return {
      clock: shareClock(clock, { write, change, committed: () => this.atomic.committed() }),
      store: shareStore(store, write),
      slots: Object.fromEntries(slots),
      journal: withMethods(own.journal, { clear: () => write(clearJournal) }),
    };
  }

  start(): void {
    const restore = this.#takeState();
    this.#restart = () => {
      restore();
      this.#find().own.restart();
    };
    this.#isActive = true;
  }

  async refresh(): Promise<void> {
    await this.arrive();
    await this.atomic.flush();
  }

  remember(entry: NewInteraction, size: number): Promise<Interaction> {
    const { journal, own } = this.#find();
    const line = writeLine(journal.toPlain(entry), entry.startedAt);
    return this.atomic.enter(line, (number) => {
      entry.number = number;
      own.put(entry, size);
      return entry;
    });
  }

  toDelays({ now, sleep }: Clock): Clock {
    return { now, sleep: (ms, signal) => this.atomic.committed().then(() => sleep(ms, signal)) };
  }

  get snapshots(): readonly string[] {
    return this.#names;
  }

  async saveSnapshot(name: string): Promise<void> {
    await this.#link.save(name, await this.atomic.run(() => encode(toDump(this.#find(), []))));
    await this.atomic.run(() => {
      this.#addName(name);
      this.#change(['saved', name]);
    });
  }

  async restoreSnapshot(name: string): Promise<boolean> {
    const text = this.#names.includes(name) ? await this.#link.readSaved(name) : undefined;
    if (text === undefined) return false;
    // Written by `saveSnapshot`.
    const dump = decode(text) as SessionDump;
    await this.atomic.run(() => {
      this.#passively(() => loadDump(this.#find(), dump));
      this.#change(['load', dump]);
    });
    return true;
  }

  #createTarget(): LogTarget {
    const readNumber = (): number => this.#find().own.number;
    return {
      get number() {
        return readNumber();
      },
      addLines: (first, lines) => this.#find().own.addLines(first, lines),
      apply: (text) => {
        // Written by `commit` of the log.
        const changes = decode(text) as readonly Change[];
        this.#passively(() => applyChanges(this.#find(), changes, (name) => this.#addName(name)));
      },
      load: (text) => {
        // Written by `dump`.
        const dump = decode(text) as SessionDump;
        this.#passively(() => loadDump(this.#find(), dump));
        this.#names = dump.saved;
      },
      reset: () => this.#restart(),
      dump: () => encode(toDump(this.#find(), this.#names)),
    };
  }

  #find(): OwnParts {
    if (this.#parts === undefined) throw new Error('the session is not open yet');
    return this.#parts;
  }

  /** Makes changes that are not written. */
  #passively(work: () => void): void {
    const before = this.#isActive;
    this.#isActive = false;
    try {
      work();
    } finally {
      this.#isActive = before;
    }
  }

  /** Keeps the state of the session; the result returns the session to it. */
  #takeState(): () => void {
    const { store, slots, all, clock } = this.#find();
    const before = { store: store.snapshot(), slots: takeSnapshots(all, slots) };
    const [now, names] = [readOwnTime(clock), this.#names];
    return () =>
      this.#passively(() => {
        store.restore(before.store);
        for (const slot of all) (slot.undo ?? slot.restore)(slots[slot.name], before.slots[slot.name]);
        setTime(clock, now);
        this.#names = names;
      });
  }

  #change(change: Change): void {
    if (this.#isActive) this.atomic.change(change);
  }

  #addName(name: string): void {
    this.#names = [...this.#names.filter((each) => each !== name), name];
  }
}

function toDump({ store, slots, all, clock }: OwnParts, saved: readonly string[]): SessionDump {
  return { store: store.dump(), slots: takeSnapshots(all, slots), now: readOwnTime(clock), saved };
}

function loadDump({ store, slots, all, clock }: OwnParts, dump: SessionDump): void {
  store.repeat([['load', dump.store]]);
  for (const slot of all) slot.restore(slots[slot.name], dump.slots[slot.name]);
  setTime(clock, dump.now);
}

/** The time of a clock that only the session moves; undefined for another one. */
function readOwnTime(clock: Clock): number | undefined {
  return isVirtualClock(clock) ? clock.now() : undefined;
}

function setTime(clock: Clock, now: number | undefined): void {
  if (now !== undefined && isVirtualClock(clock) && clock.now() !== now) clock.set(now);
}

/** Applies what another process has changed. @param onSaved - Told the names of new snapshots. */
function applyChanges(parts: OwnParts, changes: readonly Change[], onSaved: (name: string) => void): void {
  const { store, slots, clock, journal } = parts;
  let writes: StoreWrite[] = [];
  const writeStore = (): void => {
    if (writes.length > 0) store.repeat(writes);
    writes = [];
  };
  for (const [kind, ...args] of changes) {
    if (kind === 'store') {
      // Recorded by the hooks of the store.
      writes.push(args[0] as StoreWrite);
      continue;
    }
    writeStore();
    if (kind === 'slot') callMethod(slots, args);
    else if (kind === 'clock') setTime(clock, args[0] as number);
    else if (kind === 'journal') journal.clear();
    else if (kind === 'load') loadDump(parts, args[0] as SessionDump);
    else if (kind === 'saved') onSaved(args[0] as string);
  }
  writeStore();
}

/** Repeats a change that a slot told: its name, the method, the arguments. */
function callMethod(slots: Slots, change: readonly unknown[]): void {
  const [name, method, args] = change as readonly [string, string, readonly unknown[]];
  const state = slots[name] as Readonly<Record<string, ((...given: readonly unknown[]) => unknown) | undefined>>;
  state[method]?.(...args);
}

/** Makes a change that other processes repeat. */
type Write = <Result>(work: () => Result) => Result;
/** Tells what was changed. */
type Tell = (change: Change) => void;

/** A store whose transactions are changes of all processes. */
function shareStore(store: Store, write: Write): Store {
  return withMethods(store, {
    transaction: (work) => write(() => store.transaction(work)),
    reset: () => write(store.reset),
    restore: (snapshot) => write(() => store.restore(snapshot)),
  });
}

/** A clock that moves in all processes. */
function shareClock(
  clock: Clock,
  {
    write,
    change,
    committed,
  }: { readonly write: Write; readonly change: Tell; readonly committed: () => Promise<void> },
): Clock {
  const sleep: Clock['sleep'] = (ms, signal) => committed().then(() => clock.sleep(ms, signal));
  if (!isVirtualClock(clock)) return withMethods(clock, { sleep });
  const set = (move: () => void): void =>
    write(() => {
      move();
      change(['clock', clock.now()]);
    });
  return withMethods(clock, {
    set: (instant) => set(() => clock.set(instant)),
    advance: (ms) => set(() => clock.advance(ms)),
    sleep: async (ms, signal) => {
      await sleep(ms, signal);
      // The clock has moved here by itself.
      const now = clock.now();
      if (clock.autoAdvance) set(() => clock.set(Math.max(now, clock.now())));
    },
  });
}

/**
 * Calls of one turn of the event loop share one run of a function, which begins after all of them: what is written before a call is there when it
 * reads.
 */
export function shareTurn<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let next: Promise<Result> | undefined;
  return () => {
    next ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        next = undefined;
        work().then(resolve, reject);
      });
    });
    return next;
  };
}
