import type { Clock } from '../../clock.js';
import { type Collection, createCollection, readScope } from './collection.js';
import type { Item, ItemContent } from './item-list.js';

/** In-memory state of one session: named collections that start from fixtures. */
export interface Store {
  readonly seed: number;
  readonly clock: Clock;
  readonly collections: readonly Collection[];
  /** The collection of that name; made on first use, so that state can hold what no fixture started. */
  collection(name: string): Collection;
  /** Back to the fixtures. */
  reset(): void;
  /** What the store holds now; costs next to nothing whatever it holds. */
  snapshot(): Snapshot;
  /** Back to a snapshot of this store, as often as wanted. */
  restore(snapshot: Snapshot): void;
  /** Every item by collection, in order, as a fixture has it: with `$parent` below another, and `$id` where it does not say its own. */
  export(): { readonly collections: Readonly<Record<string, readonly Item[]>> };
  /** What was answered to a request that carries a key of its own (`Idempotency-Key`); undefined for a new key. */
  recallAnswer(key: string): unknown;
  rememberAnswer(key: string, answer: unknown): void;
  /** Whether a text is a secret that an item of this store carries or was once shown with, such as an API key. */
  holdsSecret(text: string): boolean;
}

/** What a store is made with besides its fixtures. */
interface StoreOptions {
  readonly seed: number;
  readonly clock: Clock;
}

/** The state of a store at one moment. */
export interface Snapshot {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly answers: ReadonlyMap<string, unknown>;
}

/** What every store of one mock starts from; shared by all of them, never written to. */
export interface StoreDefinition {
  readonly collections: ReadonlyMap<string, Collection>;
  /** Properties that hold a secret, by collection. */
  readonly secrets?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What an item of a collection says it is asked for by; undefined where it does not. */
  readKey?(collection: string, item: Item): string | undefined;
}

/** How many answers with a key a store remembers. */
const ANSWER_LIMIT = 1000;

/** A store over fixtures: it holds no copy of them until it is written to. */
export function createStore(definition: StoreDefinition, options: StoreOptions): Store {
  let collections = new Map<string, Collection>();
  let answers = new Map<string, unknown>();

  const collection = (name: string): Collection => {
    const known = collections.get(name);
    if (known !== undefined) return known;
    const made =
      definition.collections.get(name)?.copy() ??
      createCollection({ name, defaults: {}, world: undefined, started: false });
    collections.set(name, made);
    return made;
  };
  const all = (): readonly Collection[] => {
    for (const name of definition.collections.keys()) collection(name);
    return [...collections.values()];
  };

  return {
    seed: options.seed,
    clock: options.clock,
    get collections() {
      return all();
    },
    collection,
    reset: () => {
      collections = new Map();
      answers = new Map();
    },
    snapshot: () => ({
      collections: new Map([...collections].map(([name, each]) => [name, each.copy()])),
      answers: new Map(answers),
    }),
    restore: (snapshot) => {
      collections = new Map([...snapshot.collections].map(([name, each]) => [name, each.copy()]));
      answers = new Map(snapshot.answers);
    },
    export: () => ({
      collections: Object.fromEntries(all().map((each) => [each.name, exportItems(each, definition)])),
    }),
    recallAnswer: (key) => answers.get(key),
    rememberAnswer: (key, answer) => {
      // The oldest is forgotten, as real services forget theirs.
      const oldest = answers.size >= ANSWER_LIMIT ? answers.keys().next().value : undefined;
      if (oldest !== undefined) answers.delete(oldest);
      answers.set(key, answer);
    },
    holdsSecret: (text) =>
      Object.entries(definition.secrets ?? {}).some(([name, properties]) =>
        carriesSecret(collection(name), properties, text),
      ),
  };
}

function exportItems(collection: Collection, { readKey }: StoreDefinition): readonly Item[] {
  // What the item does not say itself is said beside it.
  const mark = (id: string, item: Item): Item =>
    readKey === undefined || readKey(collection.name, item) === id ? {} : { $id: id };
  return collection.scopes.flatMap((scope) => {
    const parent = scope === '' ? {} : { $parent: toParent(readScope(scope)) };
    return collection
      .list(scope)
      .entries.map(({ id, item, content }) =>
        Object.assign(mark(id, item), parent, item, content === undefined ? {} : exportContent(content)),
      );
  });
}

function toParent(ids: readonly string[]): unknown {
  if (ids.length === 1) return ids[0];
  return ids.some((id) => id.includes('/')) ? ids : ids.join('/');
}

/** Bytes the way a fixture writes them: as text where nothing is lost by it. */
function exportContent({ bytes, mediaType }: ItemContent): Item {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const same = Buffer.from(text, 'utf8').equals(bytes);
  const $content = same ? text : { base64: Buffer.from(bytes).toString('base64') };
  return mediaType === undefined ? { $content } : { $content, $contentType: mediaType };
}

function carriesSecret(collection: Collection, properties: readonly string[], text: string): boolean {
  return collection.scopes.some((scope) =>
    collection
      .list(scope)
      .entries.some((entry) =>
        properties.some((property) => entry.item[property] === text || entry.secrets?.[property] === text),
      ),
  );
}
