import type { Clock } from '../../base/clock.js';
import {
  type Collection,
  type CollectionDump,
  createCollection,
  listEntries,
  repeatWrite,
  type WritableCollection,
} from './collection.js';
import type { Item } from './lists/item-list.js';
import { annotateParent, toContentAnnotations } from '../item/item-annotations.js';
import {
  createUsage,
  NOTHING_USED,
  type Swept,
  type UndoLog,
  type Usage,
  type UsedState,
  type Writes,
  measureValue,
} from './lists/usage.js';

/** The state of one session: collections that start from fixtures. It is read at any time and written in a transaction only. */
export interface Store {
  readonly seed: number;
  readonly clock: Clock;
  /** The collection of that name; an empty one where the fixtures have none. */
  collection(name: string): Collection;
  /** Runs a synchronous function whose writes take effect together, or none where it throws; inside another one it is a savepoint. */
  transaction<T>(work: (transaction: Transaction) => T): T;
  /** Returns to the fixtures. */
  reset(): void;
  /** The state of the store now; the cost does not depend on its size. */
  snapshot(): Snapshot;
  /** All that the store holds beside its fixtures, as plain data. */
  dump(): StoreDump;
  /** Makes writes of another process again, without limits. */
  repeat(writes: readonly StoreWrite[]): void;
  /** Counts a snapshot among what all sessions hold, until the returned function is called. @throws MockError `STATE_LIMIT`. */
  hold(snapshot: Snapshot): () => void;
  /** Returns to a snapshot of this store; can be repeated. */
  restore(snapshot: Snapshot): void;
  /** Every item by collection, in order, in the form of a fixture: `$parent` and `$id` where the item itself does not have them. */
  export(): { readonly collections: Readonly<Record<string, readonly Item[]>> };
  /** Subtracts its state from the total of all sessions. */
  release(): void;
  /** Whether a string is a secret that an item has or had in the answer to its create, such as an API key. */
  holdsSecret(text: string): boolean;
}

/** The reads and writes of one transaction. */
export interface Transaction {
  readonly seed: number;
  readonly clock: Clock;
  /** The origin that the URLs of items have where the document has no absolute server: that of the request. */
  readonly origin?: string | undefined;
  collection(name: string): WritableCollection;
  /** The answer to an earlier request with the same `Idempotency-Key`; undefined for a new key. */
  recallAnswer(key: string): unknown;
  rememberAnswer(key: string, answer: unknown): void;
  /** Undoes all writes of the transaction so far. */
  rollback(): void;
}

/** The state of a store at one moment. */
export interface Snapshot {
  readonly collections: ReadonlyMap<string, WritableCollection>;
  readonly answers: RememberedAnswers;
  readonly used: UsedState;
}

/** The initial state of every store of one mock; shared by all of them and never written to. */
export interface StoreDefinition {
  readonly collections: ReadonlyMap<string, WritableCollection>;
  /** Properties that hold a secret, by collection. */
  readonly secrets?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The id that an item itself has; undefined where it has none. */
  readKey?(collection: string, item: Item): string | undefined;
}

/** Called with each write of a store that has taken effect, in order. @param toPlain - The write for other processes: it can be the whole state. */
export type OnStoreWrite = (toPlain: () => StoreWrite) => void;

/** A write of a store as plain data. */
export type StoreWrite =
  | readonly [kind: 'collection', name: string, method: string, args: readonly unknown[]]
  | readonly [kind: 'answer', key: string, answer: unknown]
  | readonly [kind: 'reset']
  | readonly [kind: 'load', dump: StoreDump];

/** The state of a store, as plain data; the content of items is bytes. */
export interface StoreDump {
  readonly collections: readonly (readonly [name: string, dump: CollectionDump])[];
  readonly answers: readonly (readonly [key: string, answer: RememberedAnswer])[];
}

interface StoreParts {
  readonly seed: number;
  readonly clock: Clock;
  /** Default: no other process repeats the writes. */
  readonly onWrite?: OnStoreWrite | undefined;
  /** Counts what it holds; default: without limits. */
  readonly usage?: Usage | undefined;
}

/** The facts about a collection without fixtures. */
const NO_FACTS = { defaults: {}, unknownIds: undefined, started: false };

/** A store over fixtures: it copies a list of them only when it writes to it. */
export function createStore(definition: StoreDefinition, parts: StoreParts): Store {
  const { seed, clock, usage = createUsage() } = parts;
  const contents = createContents(definition, { ...parts, usage });
  const { held, collection, list, log, replace, savepoints, tell } = contents;
  const transaction: Transaction = {
    seed,
    clock,
    collection,
    recallAnswer: (key) => held.answers.byKey.get(key)?.answer,
    rememberAnswer: (key, answer) => {
      tell(['answer', key, answer]);
      rememberAnswer(held.answers, log, [key, answer]);
    },
    rollback: savepoints.rollback,
  };
  const repeat = createRepeat(contents, transaction);
  return {
    seed,
    clock,
    collection,
    transaction: (work) => savepoints.run(() => work(transaction)),
    reset: () => replace(createNothing(), () => ['reset']),
    snapshot: () => ({
      collections: new Map([...held.collections].map(([name, each]) => [name, each.copy()])),
      answers: createAnswers(held.answers),
      used: usage.read(),
    }),
    restore: (snapshot) => {
      const copies = [...snapshot.collections].map(([name, each]) => [name, each.copy(contents.writes)] as const);
      const next = { ...snapshot, collections: new Map(copies), answers: createAnswers(snapshot.answers) };
      replace(next, () => ['load', dumpState(snapshot)]);
    },
    dump: () => dumpState(held),
    repeat: (writes) => usage.withoutLimits(() => savepoints.run(() => writes.forEach(repeat))),
    hold: ({ used }) => usage.hold(used),
    release: usage.release,
    export: () => ({
      collections: Object.fromEntries(list().map((each) => [each.name, exportItems(each, definition)])),
    }),
    holdsSecret: (text) => holdsSecret(definition, collection, text),
  };
}

function createNothing(): Snapshot {
  return { collections: new Map(), answers: createAnswers(), used: NOTHING_USED };
}

/** Creates the contents of a store, which can be replaced as a whole. */
function createContents(definition: StoreDefinition, { usage, onWrite }: StoreParts & { readonly usage: Usage }) {
  const held = { collections: new Map<string, WritableCollection>(), answers: createAnswers() };
  const log: UndoLog = [];
  /** The writes of the running transaction. */
  const told: StoreWrite[] = [];
  const tell = (write: StoreWrite): void => {
    if (onWrite === undefined) return;
    told.push(write);
    log.push(() => void told.pop());
  };
  const record: Writes['record'] = onWrite && ((...write) => tell(['collection', ...write]));
  const writes: Writes = { log, usage, record };
  const sweep = (): void => {
    const due = SWEPT.filter(usage.isDue);
    if (due.length === 0) return;
    for (const each of held.collections.values()) for (const what of due) each.sweep(what);
    usage.endSweep();
  };
  const savepoints = createSavepoints(log, () => {
    sweep();
    for (const write of told.splice(0)) onWrite?.(() => write);
  });
  const collection = (name: string): WritableCollection => {
    const known = held.collections.get(name);
    if (known !== undefined) return known;
    const fixture = definition.collections.get(name) ?? createCollection({ name, ...NO_FACTS });
    const created = fixture.copy(writes);
    held.collections.set(name, created);
    return created;
  };
  return {
    held,
    log,
    writes,
    savepoints,
    tell,
    collection,
    list: (): readonly WritableCollection[] => {
      for (const name of definition.collections.keys()) collection(name);
      return [...held.collections.values()];
    },
    /** @param toWrite - The write that other processes repeat; undefined where they do not. */
    replace: ({ collections, answers, used }: Snapshot, toWrite?: () => StoreWrite): void => {
      // First, since it fails where the snapshot is too large.
      usage.replace(used);
      Object.assign(held, { collections: new Map(collections), answers });
      if (toWrite !== undefined) onWrite?.(toWrite);
    },
  };
}

/** Makes a write of another process again. */
function createRepeat(
  { held, log, collection, replace }: ReturnType<typeof createContents>,
  transaction: Transaction,
): (write: StoreWrite) => void {
  const load = ({ collections, answers }: StoreDump): void => {
    replace(createNothing());
    for (const [name, dump] of collections) collection(name).load(dump);
    for (const [key, { answer }] of answers) rememberAnswer(held.answers, log, [key, answer]);
  };
  return (write) => {
    if (write[0] === 'reset') replace(createNothing());
    else if (write[0] === 'load') load(write[1]);
    else if (write[0] === 'answer') transaction.rememberAnswer(write[1], write[2]);
    else repeatWrite(collection(write[1]), write[2], write[3]);
  };
}

function dumpState({ collections, answers }: Pick<Snapshot, 'answers' | 'collections'>): StoreDump {
  return {
    collections: [...collections].map(([name, each]) => [name, each.dump()]),
    answers: [...answers.byKey],
  };
}

function holdsSecret(definition: StoreDefinition, collection: (name: string) => Collection, text: string): boolean {
  return Object.entries(definition.secrets ?? {}).some(([name, properties]) =>
    listEntries(collection(name)).some(([, { item, secrets }]) =>
      properties.some((property) => item[property] === text || secrets?.[property] === text),
    ),
  );
}

const SWEPT: readonly Swept[] = ['generated', 'removed'];

/** Runs functions whose writes are undone where they throw; a function inside another one is undone alone. */
function createSavepoints(
  log: UndoLog,
  onWritten: () => void,
): {
  readonly rollback: () => void;
  readonly run: <T>(work: () => T) => T;
} {
  let savepoint = 0;
  let depth = 0;
  const rollback = (): void => {
    while (log.length > savepoint) log.pop()?.();
  };
  return {
    rollback,
    run: (work) => {
      const outer = savepoint;
      savepoint = log.length;
      depth += 1;
      try {
        return work();
      } catch (error) {
        rollback();
        throw error;
      } finally {
        savepoint = outer;
        depth -= 1;
        if (depth === 0 && log.length > 0) {
          onWritten();
          log.length = 0;
        }
      }
    },
  };
}

function exportItems(collection: Collection, { readKey }: StoreDefinition): readonly Item[] {
  const hasKey = (item: Item, id: string): boolean => readKey === undefined || readKey(collection.name, item) === id;
  return listEntries(collection).map(([scope, { id, item, content }]) => {
    const own = hasKey(item, id) ? {} : { $id: id };
    return Object.assign(own, annotateParent(scope, item), content && toContentAnnotations(content));
  });
}

/** How many answers to requests with an `Idempotency-Key` a store remembers, and their size in bytes. */
const MAX_ANSWERS = 1000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** An answer to a request with an `Idempotency-Key`. */
interface RememberedAnswer {
  readonly answer: unknown;
  readonly size: number;
}

/** The answers that a store remembers. */
interface RememberedAnswers {
  readonly byKey: Map<string, RememberedAnswer>;
  bytes: number;
}

function createAnswers({ byKey, bytes }: RememberedAnswers = { byKey: new Map(), bytes: 0 }): RememberedAnswers {
  return { byKey: new Map(byKey), bytes };
}

/** Remembers an answer in place of the oldest ones. */
function rememberAnswer(answers: RememberedAnswers, log: UndoLog, [key, answer]: readonly [string, unknown]): void {
  const { byKey } = answers;
  const before = answers.bytes;
  const size = key.length + measureValue(answer);
  const forgotten: (readonly [string, RememberedAnswer])[] = [];
  // A Map keeps the order of insertion: the first key is the oldest.
  for (const each of byKey) {
    if (byKey.size < MAX_ANSWERS && answers.bytes + size <= MAX_ANSWER_BYTES) break;
    byKey.delete(each[0]);
    answers.bytes -= each[1].size;
    forgotten.push(each);
  }
  byKey.set(key, { answer, size });
  answers.bytes += size;
  log.push(() => {
    byKey.delete(key);
    answers.bytes = before;
    if (forgotten.length === 0) return;
    const later = [...byKey];
    byKey.clear();
    for (const [name, each] of [...forgotten, ...later]) byKey.set(name, each);
  });
}
