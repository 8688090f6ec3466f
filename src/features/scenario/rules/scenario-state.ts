import type { CollectionChanges } from '../../../base/json.js';
import { type ExpressionScope, resolveExpressions } from '../../../http/request/expression.js';
import type { Changes } from './rule.js';

/** How many calls matched a rule and how many it applied to, in one session. */
interface Counter {
  /** Calls that matched its `when`, `call` excepted. */
  readonly matched: number;
  /** Calls that it applied to. */
  readonly applied: number;
}

/** A fixed window of a rate limit. */
interface RateWindow {
  /** By the session's clock, in milliseconds. */
  readonly start: number;
  readonly calls: number;
}

/** The state of scenarios in one session; their definitions are elsewhere and outlive it. */
export interface ScenarioState {
  /** Ids of the session's own scenarios, the last activated one last. */
  readonly active: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  setActive(ids: readonly string[]): void;
  setVars(vars: Readonly<Record<string, unknown>>): void;
  /** Keeps a line for the trace of the next call: what happened when no call was answered. */
  readonly addNote: (line: string) => void;
  /** The lines that are kept, which are removed. */
  takeNotes(): readonly string[];
  counter(key: string): Counter;
  setCounter(key: string, counter: Counter): void;
  window(key: string): RateWindow | undefined;
  /** @param window - Undefined: there is none. */
  setWindow(key: string, window: RateWindow | undefined): void;
  /** Every rule and every rate limit counts from zero again. */
  resetCounters(): void;
  /** No variable has a value. */
  resetVars(): void;
  snapshot(): ScenarioSnapshot;
  restore(snapshot: ScenarioSnapshot): void;
}

/** The same as plain data. */
export interface ScenarioSnapshot {
  readonly active: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly counters: Readonly<Record<string, Counter>>;
  readonly windows: Readonly<Record<string, RateWindow>>;
}

/** The most rate-limit windows of a session: a client can send any number of credentials. */
const MAX_WINDOWS = 10_000;

const NO_NOTES: readonly string[] = Object.freeze([]);

const UNCOUNTED: Counter = { matched: 0, applied: 0 };

/** The scenario state of a new session. */
export function createScenarioState(): ScenarioState {
  let active: readonly string[] = [];
  let vars: Readonly<Record<string, unknown>> = {};
  let counters = new Map<string, Counter>();
  let windows = new Map<string, RateWindow>();
  let notes: string[] = [];
  return {
    get active() {
      return active;
    },
    get vars() {
      return vars;
    },
    setActive: (ids) => {
      active = ids;
    },
    setVars: (changed) => {
      vars = { ...vars, ...changed };
    },
    addNote: (line) => void notes.push(line),
    takeNotes: () => {
      if (notes.length === 0) return NO_NOTES;
      const taken = notes;
      notes = [];
      return taken;
    },
    counter: (key) => counters.get(key) ?? UNCOUNTED,
    setCounter: (key, counter) => void counters.set(key, counter),
    window: (key) => windows.get(key),
    setWindow: (key, window) => {
      if (window === undefined) {
        windows.delete(key);
        return;
      }
      windows.set(key, window);
      const [first] = windows.size > MAX_WINDOWS ? windows.keys() : [];
      if (first !== undefined) windows.delete(first);
    },
    resetCounters: () => {
      counters = new Map();
      windows = new Map();
    },
    resetVars: () => {
      vars = {};
    },
    snapshot: () => ({ active, vars, counters: Object.fromEntries(counters), windows: Object.fromEntries(windows) }),
    restore: (snapshot) => {
      active = snapshot.active;
      vars = snapshot.vars;
      counters = new Map(Object.entries(snapshot.counters));
      windows = new Map(Object.entries(snapshot.windows));
    },
  };
}

/** Makes the changes of collections, all or none of them; their expressions are evaluated already. @returns one line for each item that does not exist. */
export type ChangeCollections = (changes: readonly CollectionChanges[]) => readonly string[];

/** The target of changes. */
export interface ChangeTarget {
  readonly state: ScenarioState;
  readonly changeCollections: ChangeCollections;
  /** Takes a line for the trace of a call; without it the state keeps the line for the next call. */
  readonly note?: (line: string) => void;
}

/** Applies the changes of `state` or `then`, collections first. @param scope - Undefined: expressions stay as they are. */
export function applyChanges(changes: Changes, target: ChangeTarget, scope: ExpressionScope | undefined): void {
  // Arrays stay arrays and objects stay objects; items whose expression has no value are omitted.
  const { collections, vars } = scope === undefined ? changes : (resolveExpressions(changes, scope) as Changes);
  const { note = target.state.addNote } = target;
  if (collections.length > 0) for (const line of target.changeCollections(collections)) note(`scenario: ${line}`);
  target.state.setVars(vars);
}
