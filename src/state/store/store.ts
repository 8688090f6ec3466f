import type { Clock } from '../../clock.js';
import { type Collection, createCollection, type Item, listEntries, type WritableCollection } from './collection.js';
import { annotateParent, toContentAnnotations } from './item-annotations.js';
import {
  createUsage,
  measureValue,
  NOTHING_USED,
  type Swept,
  type UndoLog,
  type Usage,
  type UsedState,
} from './usage.js';

/**
 * The state of one session: named collections that start from fixtures.
 *
 * It is read at any time and written in a transaction only.
 */
export interface Store {
  readonly seed: number;
  readonly clock: Clock;
  readonly collections: readonly Collection[];
  /** Counts its changes: where it is the same as before, nothing was written in between. */
  version(): number;
  /** The collection of that name; an empty one where the fixtures have none. */
  collection(name: string): Collection;
  /**
   * Runs a synchronous function whose writes take effect together: where it throws, none of them does.
   *
   * A transaction inside another one is a savepoint of it.
   */
  transaction<T>(work: (transaction: Transaction) => T): T;
  /** As `transaction`, for a function that takes what it works on first, so that no function is created for each request. */
  run<Subject, T>(work: (subject: Subject, transaction: Transaction) => T, subject: Subject): T;
  /** Returns to the fixtures. */
  reset(): void;
  /** What the store holds now; the cost does not depend on how much that is. */
  snapshot(): Snapshot;
  /** Counts a snapshot among what all sessions hold, until the returned function is called. @throws MockError `STATE_LIMIT`. */
  hold(snapshot: Snapshot): () => void;
  /** Returns to a snapshot of this store; can be repeated. */
  restore(snapshot: Snapshot): void;
  /** Every item by collection, in order, in the form of a fixture: `$parent` and `$id` where the item itself does not have them. */
  export(): { readonly collections: Readonly<Record<string, readonly Item[]>> };
  /** The same, of which each item is made when it is read; later changes do not affect them. */
  exportLists(): readonly (readonly [name: string, items: Iterable<Item>])[];
  /** What it holds is not counted among that of all sessions any more. */
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

/** What every store of one mock starts from; shared by all of them and never written to. */
export interface StoreDefinition {
  readonly collections: ReadonlyMap<string, WritableCollection>;
  /** Properties that hold a secret, by collection. */
  readonly secrets?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The id that an item itself has; undefined where it has none. */
  readKey?(collection: string, item: Item): string | undefined;
}

interface StoreParts {
  readonly seed: number;
  readonly clock: Clock;
  /** Counts what it holds; default: without limits. */
  readonly usage?: Usage | undefined;
}

/** What is known about a collection without fixtures. */
const NO_FACTS = { defaults: {}, unknownIds: undefined, started: false };

/** A store over fixtures: it copies a list of them only when it writes to it. */
export function createStore(definition: StoreDefinition, parts: StoreParts): Store {
  const { seed, clock, usage = createUsage() } = parts;
  let collections = new Map<string, WritableCollection>();
  const log: UndoLog = [];
  const writes = { log, usage };
  const savepoints = createSavepoints(log, () => {
    if (usage.isDue('generated') || usage.isDue('removed')) sweepDue(collections, usage);
  });
  let answers = createAnswers();
  const collection = (name: string): WritableCollection => {
    const known = collections.get(name);
    if (known !== undefined) return known;
    const fixture = definition.collections.get(name) ?? createCollection({ name, ...NO_FACTS });
    const created = fixture.copy(writes);
    collections.set(name, created);
    return created;
  };
  const list = (): readonly WritableCollection[] => {
    for (const name of definition.collections.keys()) collection(name);
    return [...collections.values()];
  };
  const transaction: Transaction = {
    seed,
    clock,
    collection,
    recallAnswer: (key) => answers.byKey.get(key)?.answer,
    rememberAnswer: (key, answer) => rememberAnswer(answers, log, [key, answer]),
    rollback: savepoints.rollback,
  };
  return {
    seed,
    clock,
    get collections() {
      return list();
    },
    version: savepoints.version,
    collection,
    transaction: (work) => savepoints.run(transaction, (_, opened) => work(opened), undefined),
    run: (work, subject) => savepoints.run(transaction, work, subject),
    reset: () => {
      usage.replace(NOTHING_USED);
      collections = new Map();
      answers = createAnswers();
      savepoints.countChange();
    },
    snapshot: () => ({ ...copyState(collections, answers), used: usage.read() }),
    restore: (snapshot) => {
      usage.replace(snapshot.used);
      collections = new Map([...snapshot.collections].map(([name, each]) => [name, each.copy(writes)]));
      answers = createAnswers(snapshot.answers);
      savepoints.countChange();
    },
    hold: ({ used }) => usage.hold(used),
    release: usage.release,
    export: () => exportCollections(list(), definition),
    exportLists: () => exportLists(list(), definition),
    holdsSecret: (text) => holdsSecret(definition, collection, text),
  };
}

function copyState(
  collections: Snapshot['collections'],
  answers: RememberedAnswers,
): Pick<Snapshot, 'answers' | 'collections'> {
  return {
    collections: new Map([...collections].map(([name, each]) => [name, each.copy()])),
    answers: createAnswers(answers),
  };
}

function holdsSecret(definition: StoreDefinition, collection: (name: string) => Collection, text: string): boolean {
  return Object.entries(definition.secrets ?? {}).some(([name, properties]) =>
    listEntries(collection(name)).some(([, { item, secrets }]) =>
      properties.some((property) => item[property] === text || secrets?.[property] === text),
    ),
  );
}

function sweepDue(collections: ReadonlyMap<string, WritableCollection>, usage: Usage): void {
  const due = SWEPT.filter(usage.isDue);
  for (const collection of collections.values()) for (const what of due) collection.sweep(what);
  usage.endSweep();
}

const SWEPT: readonly Swept[] = ['generated', 'removed'];

/** Runs functions whose writes are undone where they throw; a function inside another one is undone alone. */
function createSavepoints(
  log: UndoLog,
  onWritten: () => void,
): {
  readonly rollback: () => void;
  readonly run: RunTransaction;
  readonly version: () => number;
  readonly countChange: () => void;
} {
  let version = 0;
  let savepoint = 0;
  let depth = 0;
  const rollback = (): void => {
    while (log.length > savepoint) log.pop()?.();
  };
  return {
    rollback,
    version: () => version,
    countChange: () => void (version += 1),
    run: (transaction, work, subject) => {
      const outer = savepoint;
      savepoint = log.length;
      depth += 1;
      try {
        return work(subject, transaction);
      } catch (error) {
        rollback();
        throw error;
      } finally {
        savepoint = outer;
        depth -= 1;
        if (depth === 0 && log.length > 0) {
          log.length = 0;
          version += 1;
          onWritten();
        }
      }
    },
  };
}

type RunTransaction = <Subject, T>(
  transaction: Transaction,
  work: (subject: Subject, transaction: Transaction) => T,
  subject: Subject,
) => T;

/** How many answers to requests with an `Idempotency-Key` a store remembers, and their size in bytes. */
const MAX_ANSWERS = 1000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

interface RememberedAnswer {
  readonly answer: unknown;
  readonly size: number;
}

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

function exportLists(
  collections: readonly WritableCollection[],
  definition: StoreDefinition,
): ReturnType<Store['exportLists']> {
  return collections.map((each) => [each.name, exportItems(each.copy(), definition)]);
}

function exportCollections(
  collections: readonly Collection[],
  definition: StoreDefinition,
): ReturnType<Store['export']> {
  return {
    collections: Object.fromEntries(collections.map((each) => [each.name, [...exportItems(each, definition)]])),
  };
}

function* exportItems(collection: Collection, { readKey }: StoreDefinition): Generator<Item, void, undefined> {
  const hasKey = (item: Item, id: string): boolean => readKey === undefined || readKey(collection.name, item) === id;
  for (const [scope, { id, item, content }] of listEntries(collection)) {
    const own = hasKey(item, id) ? {} : { $id: id };
    yield Object.assign(own, annotateParent(scope, item), content && toContentAnnotations(content));
  }
}
