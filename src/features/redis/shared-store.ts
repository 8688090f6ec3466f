import { type Clock, toSocketClock } from '../../base/clock.js';
import { createStoreMetrics, type StoreMetrics } from './store-metrics.js';
import { clearInterval, MAX_TIMER_MS, setInterval } from '../../base/platform.js';
import type { SharedSession } from '../../session/session.js';
import type { SessionEvents, Sessions } from '../../session/sessions.js';
import { connectRedis, type RedisClient } from './connection.js';
import { type Fields, openRedisStore, type RedisStore } from './redis-store.js';
import type { SessionLink } from './session-log.js';
import { RedisSession, shareTurn } from './shared-session.js';
import { type SharedState, withMethods } from '../../session/shared.js';

/** The scenarios of a mock, as far as processes share them. */
export interface SharedScenarios {
  /** Ids of those that are active in every session. */
  readonly active: readonly string[];
  get(id: string): unknown;
  add(id: string, definition: unknown): unknown;
  remove(id: string): boolean;
  activate(ids: readonly string[]): void;
  deactivate(ids: readonly string[]): void;
}

interface SharedStoreOptions {
  readonly redis: string | RedisClient;
  readonly prefix: string;
  /** A digest of what all processes must have in common. */
  readonly setup: string;
  readonly idleMs: number;
  readonly journalLimit: number;
}

/** Connects to the store. @throws MockError `STORE_UNREACHABLE`, `STORE_INCOMPATIBLE`, `STORE_CLIENT_MISSING`, `OPTION_INVALID`. */
export async function openSharedStore(options: SharedStoreOptions): Promise<SharedStore> {
  const metrics = createStoreMetrics();
  const connection = await connectRedis(options.redis, metrics);
  try {
    const store = await openRedisStore(connection, options);
    return new SharedStore(store, { ...options, metrics }, connection.close);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Fields of what all sessions have in common: `session:ID`, `scenario:ID`, and the ids of active scenarios. */
const ACTIVE = 'active';

/** Differs from the version of every store, so that all fields are read. */
const NOTHING_KNOWN: Fields['version'] = { revision: -1, stamp: '' };

/** The state of a mock that several processes share. */
export class SharedStore implements SharedState {
  /** A digest of what all processes must have in common: `toSetup`. */
  readonly setup: string;
  /** Counts the commands of this process. */
  readonly metrics: StoreMetrics;
  readonly events: SessionEvents;
  readonly #store: RedisStore;
  readonly #options: SharedStoreOptions;
  readonly #closeConnection: () => Promise<void>;
  #here: { readonly sessions: Sessions; readonly scenarios: SharedScenarios } | undefined;
  #version = NOTHING_KNOWN;
  /** Whether changes of other processes are being applied. */
  #isApplying = false;
  #sweeping: ReturnType<typeof setInterval> | undefined;
  readonly #fields = new Map<string, string>();
  /** Fields that were written here and not read since: one that the store does not have then was lost. */
  readonly #unread = new Set<string>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #refreshFields = shareTurn(() => this.#readFields());

  constructor(
    store: RedisStore,
    options: SharedStoreOptions & { readonly metrics: StoreMetrics },
    closeConnection: () => Promise<void>,
  ) {
    this.#store = store;
    this.#options = options;
    this.setup = options.setup;
    this.metrics = options.metrics;
    this.#closeConnection = closeConnection;
    this.events = {
      opened: (id, opening) => this.#set(`session:${id}`, JSON.stringify(opening)),
      closed: (id) => {
        this.#delete(`session:${id}`);
        if (!this.#isApplying && this.#here !== undefined) this.#keep(this.#link(id).remove());
      },
    };
  }

  /** Creates the session that all processes share. */
  share(id: string): SharedSession {
    return new RedisSession(this.#link(id), this.#options.journalLimit);
  }

  /** The same scenarios, whose changes other processes repeat. */
  shareScenarios<Scenarios extends SharedScenarios>(scenarios: Scenarios): Scenarios {
    const set = (id: string, definition: unknown): void => this.#set(`scenario:${id}`, JSON.stringify(definition));
    const methods: Pick<SharedScenarios, 'add' | 'remove' | 'activate' | 'deactivate'> = {
      add: (id, definition) => {
        const added = scenarios.add(id, definition);
        set(id, definition);
        return added;
      },
      remove: (id) => {
        const was = scenarios.remove(id);
        if (was) this.#delete(`scenario:${id}`);
        return was;
      },
      activate: (ids) => {
        scenarios.activate(ids);
        this.#keepField(ACTIVE, JSON.stringify(scenarios.active));
        this.#write('activate', ACTIVE, JSON.stringify(ids));
      },
      deactivate: (ids) => {
        scenarios.deactivate(ids);
        this.#keepField(ACTIVE, JSON.stringify(scenarios.active));
        this.#write('deactivate', ACTIVE, JSON.stringify(ids));
      },
    };
    // They return what the methods of the given scenarios return.
    return withMethods(scenarios, methods as Partial<Scenarios>);
  }

  /** Begins to follow other processes: from now on all share the sessions and scenarios here. */
  async start(sessions: Sessions, scenarios: SharedScenarios): Promise<void> {
    this.#here = { sessions, scenarios };
    await this.#readFields();
    await sessions.default.shared?.refresh();
    await this.#store.watch((id) => {
      const session = id === undefined ? undefined : sessions.get(id);
      // Unless something waits for a request, the next request brings the session up to date.
      if (session?.journal.isAwaited === true) session.shared?.refresh().catch(() => undefined);
    });
    const everyMs = Math.min(this.#options.idleMs, MAX_TIMER_MS);
    this.#sweeping = setInterval(() => void this.#closeExpired().catch(() => undefined), everyMs);
    this.#sweeping.unref();
  }

  async arrive(readId: () => string | undefined): Promise<void> {
    const known = this.#sharedOf(readId() ?? 'default');
    await Promise.all([this.#refreshFields(), known?.arrive()]);
    // Other processes can have opened the session, or given a token to one.
    const current = this.#sharedOf(readId() ?? 'default');
    if (current !== known) await current?.arrive();
  }

  async refresh(): Promise<void> {
    await this.#refreshFields();
    await Promise.all(this.#listShared().map((shared) => shared.refresh()));
  }

  async settle(): Promise<void> {
    if (this.#pending.size === 0) return;
    const written = [...this.#pending];
    this.#pending.clear();
    await Promise.all(written);
  }

  async flush(): Promise<void> {
    await Promise.all([this.settle(), ...this.#listShared().map(({ atomic }) => atomic.flush())]);
  }

  toSocketClock(clock: Clock): Clock {
    return toSocketClock(clock, this.#store.readElapsed);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#closeConnection();
  }

  #link(id: string): SessionLink {
    const { idleMs, journalLimit } = this.#options;
    return this.#store.link(id, { idleMs: id === 'default' ? 0 : idleMs, journal: journalLimit });
  }

  #sharedOf(id: string): SharedSession | undefined {
    return this.#here?.sessions.get(id)?.shared;
  }

  #listShared(): readonly SharedSession[] {
    return this.#here?.sessions.list().flatMap(({ shared }) => shared ?? []) ?? [];
  }

  /** Keeps a field as it is here; what a mock has when it starts is not a field. */
  #keepField(field: string, value: string): void {
    if (this.#here !== undefined) this.#fields.set(field, value);
  }

  #set(field: string, value: string): void {
    this.#keepField(field, value);
    this.#write('set', field, value);
  }

  #delete(field: string): void {
    this.#fields.delete(field);
    this.#write('delete', field);
  }

  #write(verb: Parameters<RedisStore['writeField']>[0], field: string, value?: string): void {
    if (this.#isApplying || this.#here === undefined) return;
    const addUnread = (): void => void this.#unread.add(field);
    const written = this.#store.writeField(verb, field, value);
    written.then(addUnread, addUnread);
    this.#keep(written);
  }

  /** Keeps a write until it is done; `settle` reports failed writes. */
  #keep(written: Promise<unknown>): void {
    this.#pending.add(written);
    written.then(
      () => this.#pending.delete(written),
      () => undefined,
    );
  }

  async #readFields(): Promise<void> {
    const written = [...this.#unread];
    const read = await this.#store.readFields(this.#version);
    this.#applyFields(read);
    for (const field of [...written, ...read.fields.keys()]) this.#unread.delete(field);
    const isLost = !read.isAll && written.some((field) => !read.fields.has(field));
    if (isLost) this.#applyFields(await this.#store.readFields(NOTHING_KNOWN));
  }

  #applyFields({ version, isAll, fields }: Fields): void {
    const lost = isAll ? [...this.#fields.keys()].filter((field) => !fields.has(field)) : [];
    this.#isApplying = true;
    try {
      for (const field of lost) this.#apply(field, undefined);
      // A session can be opened with scenarios.
      const [scenarios, others] = [true, false].map((is) => [...fields].filter(([name]) => isScenario(name) === is));
      for (const [field, value] of [...(scenarios ?? []), ...(others ?? [])]) this.#apply(field, value);
      this.#version = version;
    } finally {
      this.#isApplying = false;
    }
  }

  #apply(field: string, value: string | undefined): void {
    if (this.#here === undefined || this.#fields.get(field) === value) return;
    const { sessions, scenarios } = this.#here;
    const [kind, id] = splitField(field);
    if (kind === 'session') applySession(sessions, id, value);
    else if (kind === 'scenario' && value === undefined) scenarios.remove(id);
    // The process that has written it has checked it.
    else if (kind === 'scenario') scenarios.add(id, JSON.parse(value ?? ''));
    else if (field === ACTIVE) applyActive(scenarios, JSON.parse(value ?? '[]') as readonly string[]);
    if (value === undefined) this.#fields.delete(field);
    else this.#fields.set(field, value);
  }

  async #closeExpired(): Promise<void> {
    for (const { id, shared } of this.#here?.sessions.list() ?? []) {
      if (id === 'default' || shared === undefined) continue;
      if (!(await this.#store.exists(id))) this.#here?.sessions.close(id);
    }
  }
}

function isScenario(field: string): boolean {
  return splitField(field)[0] === 'scenario';
}

function splitField(field: string): readonly [kind: string, id: string] {
  const colon = field.indexOf(':');
  return colon < 0 ? [field, ''] : [field.slice(0, colon), field.slice(colon + 1)];
}

function applySession(sessions: Sessions, id: string, value: string | undefined): void {
  if (value === undefined) {
    sessions.close(id);
    return;
  }
  // Written by `events.opened`.
  const opening = JSON.parse(value) as Parameters<SessionEvents['opened']>[1];
  if (sessions.get(id) === undefined) sessions.open({ id, ...opening });
  else if (opening.tokens.length > 0) sessions.register(opening.tokens, id);
}

function applyActive(scenarios: SharedScenarios, ids: readonly string[]): void {
  scenarios.deactivate(scenarios.active.filter((id) => !ids.includes(id)));
  scenarios.activate(ids.filter((id) => scenarios.get(id) !== undefined));
}
