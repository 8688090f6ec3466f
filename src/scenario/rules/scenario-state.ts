import type { Bucket } from './rate-limit.js';

/** How often a rule was met and how often it applied; kept per session. */
interface Counter {
  /** Calls that met its `when`, but for `call`. */
  readonly met: number;
  /** Calls it applied to. */
  readonly used: number;
}

/** Everything that scenarios remember for one session; definitions are elsewhere and outlive it. */
export interface ScenarioState {
  /** Ids of the session's own scenarios, the one activated last at the end. */
  readonly active: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  setActive(ids: readonly string[]): void;
  setVars(vars: Readonly<Record<string, unknown>>): void;
  counter(key: string): Counter;
  count(key: string, counter: Counter): void;
  bucket(key: string): Bucket | undefined;
  fill(key: string, bucket: Bucket): void;
  /** Every rule starts to count again, and every rate limit. */
  resetCounters(): void;
  /** No var has a value. */
  resetVars(): void;
  snapshot(): ScenarioSnapshot;
  restore(snapshot: ScenarioSnapshot): void;
}

/** What scenarios remember, as plain data. */
export interface ScenarioSnapshot {
  readonly active: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly counters: Readonly<Record<string, Counter>>;
  readonly buckets: Readonly<Record<string, Bucket>>;
}

/** How many buckets a session has: credentials are the client's to make up, so their number is bounded here. */
const BUCKET_LIMIT = 10_000;

const UNCOUNTED: Counter = { met: 0, used: 0 };

/** The memory of a session in which nothing has happened yet. */
export function createScenarioState(): ScenarioState {
  let active: readonly string[] = [];
  let vars: Readonly<Record<string, unknown>> = {};
  let counters = new Map<string, Counter>();
  let buckets = new Map<string, Bucket>();
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
    counter: (key) => counters.get(key) ?? UNCOUNTED,
    count: (key, counter) => void counters.set(key, counter),
    bucket: (key) => buckets.get(key),
    fill: (key, bucket) => {
      buckets.set(key, bucket);
      if (buckets.size > BUCKET_LIMIT) forgetFirst(buckets);
    },
    resetCounters: () => {
      counters = new Map();
      buckets = new Map();
    },
    resetVars: () => {
      vars = {};
    },
    snapshot: () => ({
      active,
      vars,
      counters: Object.fromEntries(counters),
      buckets: Object.fromEntries(buckets),
    }),
    restore: (snapshot) => {
      active = snapshot.active;
      vars = snapshot.vars;
      counters = new Map(Object.entries(snapshot.counters));
      buckets = new Map(Object.entries(snapshot.buckets));
    },
  };
}

function forgetFirst(buckets: Map<string, Bucket>): void {
  const [first] = buckets.keys();
  if (first !== undefined) buckets.delete(first);
}
