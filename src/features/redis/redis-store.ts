import { randomBytes, randomUUID } from 'node:crypto';
import { MockError } from '../../base/errors.js';
import { readMonotonic } from '../../base/platform.js';
import type { RedisConnection } from './connection.js';
import { COMMIT_SCRIPT, READ_SCRIPT, READ_FIELDS, STAMP_LENGTH, WRITE_DUMP, WRITE_FIELD } from './scripts.js';
import type { KnownState, SessionLink, WrittenState } from './session-log.js';

/** The version of the keys and of what is in them. */
const SCHEMA = '3';

/** The keys of one mock in Redis. */
export interface RedisStore {
  /** @param idleMs - Milliseconds after which an unused session is removed; 0: never. */
  link(id: string, limits: { readonly idleMs: number; readonly journal: number }): SessionLink;
  /** Whether there is something of a session. */
  exists(id: string): Promise<boolean>;
  /** Reads the fields that all sessions have in common, as far as they are not known. */
  readFields(known: FieldsVersion): Promise<Fields>;
  /** Changes one field: a list of ids is changed by `activate` and `deactivate`. @returns the value before, where `add` finds one. */
  writeField(verb: FieldVerb, field: string, value?: string): Promise<string | undefined>;
  /** Calls a function when another process has changed a session, or a field (undefined). */
  watch(onChange: (session: string | undefined) => void): Promise<void>;
  /** Milliseconds since the first process of the mock started: the same in all of them. */
  readElapsed(): number;
}

/** The revision of the fields with the stamp of the write that made it. */
interface FieldsVersion {
  readonly revision: number;
  readonly stamp: string;
}

/** Fields by name. */
export interface Fields {
  readonly version: FieldsVersion;
  /** Whether these are all fields; else only those that have changed. */
  readonly isAll: boolean;
  readonly fields: ReadonlyMap<string, string | undefined>;
}

type FieldVerb = 'activate' | 'add' | 'deactivate' | 'delete' | 'set';

/**
 * Opens the keys of one mock.
 *
 * @param setup - A digest of what all processes must have in common: contract, fixtures, seed.
 * @throws MockError `STORE_INCOMPATIBLE`, `STORE_UNREACHABLE`.
 */
export async function openRedisStore(
  connection: RedisConnection,
  { prefix, setup }: { readonly prefix: string; readonly setup: string },
): Promise<RedisStore> {
  const channel = `${prefix}:changes`;
  const own = randomUUID();
  const createStamp = createStamps();
  const shared = [`${prefix}:{${prefix}}:fields`, `${prefix}:{${prefix}}:changes`];
  const writeField: RedisStore['writeField'] = async (verb, field, value = '') => {
    // The script returns whether it has written, and the value before.
    const [isWritten, before] = (await connection.run(WRITE_FIELD, shared, [
      verb,
      field,
      value,
      channel,
      `${own} `,
      createStamp(),
    ])) as readonly [number, string];
    return isWritten === 1 ? undefined : before;
  };
  const elapsed = await openElapsed(connection, shared[0] ?? '');
  const claim = async (): Promise<void> => {
    await checkField(writeField, { field: 'schema', value: SCHEMA, prefix });
    await checkField(writeField, { field: 'setup', value: setup, prefix });
    elapsed.follow(await writeField('add', 'started', elapsed.started));
  };
  await claim();
  const keysOf = (id: string): readonly string[] =>
    ['meta', 'log', 'dump', 'journal', 'snapshots'].map((part) => `${prefix}:{${prefix}:${id}}:${part}`);
  return {
    writeField,
    readElapsed: elapsed.read,
    link: (id, limits) =>
      createLink(connection, keysOf(id), { ...limits, channel, message: `${own} ${id}`, createStamp }),
    exists: async (id) => {
      const [meta = ''] = keysOf(id);
      return (await connection.send(meta, ['EXISTS', meta])) === 1;
    },
    readFields: async (known) => {
      const [revision, stamp, isAll, names, values] = (await connection.run(READ_FIELDS, shared, [
        known.revision,
        known.stamp,
      ])) as readonly [number, string, number, readonly string[], readonly (string | null)[]];
      // HGETALL is a list of names and values.
      const pairs = isAll === 1 ? toPairs(values) : names.map((name, i) => [name, values[i] ?? undefined] as const);
      const fields = new Map(pairs);
      // The store has lost everything.
      if (isAll === 1 && !fields.has('setup')) await claim();
      return { version: { revision, stamp }, isAll: isAll === 1, fields };
    },
    watch: (onChange) =>
      connection.subscribe(channel, (message) => {
        const [process, id = ''] = message.split(' ');
        if (process !== own) onChange(id === '' ? undefined : id);
      }),
  };
}

function toPairs(flat: readonly (string | null)[]): readonly (readonly [string, string | undefined])[] {
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name ?? '', flat[i + 1] ?? undefined] as const] : []));
}

const FIELDS = {
  schema: { what: 'another version of vouch', hint: 'run the same version in all processes' },
  setup: {
    what: 'another document, other fixtures or another seed',
    hint: 'start all processes with the same document, fixtures and seed',
  },
};

/** @throws MockError `STORE_INCOMPATIBLE` where another process has written another value. */
async function checkField(
  writeField: RedisStore['writeField'],
  { field, value, prefix }: { readonly field: keyof typeof FIELDS; readonly value: string; readonly prefix: string },
): Promise<void> {
  const before = await writeField('add', field, value);
  if (before === undefined || before === value) return;
  const { what, hint } = FIELDS[field];
  throw new MockError(
    'STORE_INCOMPATIBLE',
    `the keys "${prefix}:*" belong to a mock with ${what} (${field} ${before}, not ${value})`,
    {
      hint: `${hint}, or choose other keys: store: { prefix } (--store-prefix); deleting the keys removes the old state`,
    },
  );
}

/** The clock that all processes have in common. */
async function openElapsed(connection: RedisConnection, key: string) {
  const [seconds = '0', micros = '0'] = (await connection.send(key, ['TIME'])) as readonly string[];
  const now = Number(seconds) * 1000 + Number(micros) / 1000;
  const offset = now - readMonotonic();
  let started = String(now);
  return {
    /** When the first process of the mock started. */
    get started() {
      return started;
    },
    /** Follows another process, which has started before. */
    follow: (other: string | undefined) => void (started = other ?? started),
    read: () => readMonotonic() + offset - Number(started),
  };
}

function createLink(
  connection: RedisConnection,
  keys: readonly string[],
  options: {
    readonly idleMs: number;
    readonly journal: number;
    readonly channel: string;
    readonly message: string;
    readonly createStamp: () => string;
  },
): SessionLink {
  const newEpoch = randomUUID();
  const [meta = '', , , , snapshots = ''] = keys;
  return {
    read: async (known) => toState((await connection.run(READ_SCRIPT, keys, toArguments(known))) as StateReply),
    commit: async (known, { changes = '', clearsJournal, lines }) => {
      const { idleMs, journal, channel, message, createStamp } = options;
      const [isWritten, state, count, bytes] = (await connection.run(COMMIT_SCRIPT, keys, [
        ...toArguments(known),
        createStamp(),
        newEpoch,
        idleMs,
        journal,
        clearsJournal ? 1 : 0,
        channel,
        message,
        changes,
        ...lines,
      ])) as readonly [number, StateReply, number, number];
      return { isWritten: isWritten === 1, state: toState(state), kept: { count, bytes } };
    },
    writeDump: async ({ epoch, revision, stamp }, dump) =>
      void (await connection.run(WRITE_DUMP, keys, [epoch, revision, stamp, dump])),
    save: async (name, dump) => void (await connection.send(snapshots, ['HSET', snapshots, name, dump])),
    readSaved: async (name) => {
      // A string, or nothing.
      const saved = (await connection.send(snapshots, ['HGET', snapshots, name])) as string | null;
      return saved ?? undefined;
    },
    remove: async () => {
      await connection.send(meta, ['DEL', ...keys]);
    },
  };
}

function toArguments({ epoch, revision, stamp, number, entered }: KnownState): readonly (string | number)[] {
  return [epoch, revision, stamp, number, entered];
}

type StateReply = readonly [
  epoch: string,
  revision: number,
  stamp: string,
  number: number,
  entered: string,
  isOther: number,
  dump: string | null,
  changes: readonly string[],
  firstLine: number,
  lines: readonly string[],
];

function toState(reply: StateReply): WrittenState {
  const [epoch, revision, stamp, number, entered, isOther, dump, changes, firstLine, lines] = reply;
  return {
    epoch,
    revision,
    stamp,
    number,
    entered,
    isOther: isOther === 1,
    dump: dump ?? undefined,
    changes: changes.map(withoutStamp),
    firstLine,
    lines: lines.map(withoutStamp),
  };
}

function withoutStamp(text: string): string {
  return text.slice(STAMP_LENGTH);
}

/** Creates texts that no other process creates, each of `STAMP_LENGTH` characters. */
function createStamps(): () => string {
  const own = randomBytes(6).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return own + count.toString(36).padStart(STAMP_LENGTH - own.length, '0');
  };
}
