import { existsSync } from 'node:fs';
import { delay, readMonotonic, setTimeout } from '../../platform.js';
import { digestText, type DocumentCache } from './cache.js';

/** What was computed from a contract alone, beside its document in the cache. */
export interface DerivedCache {
  read(name: string): unknown;
  /** Writes plain data, maps and sets, after the first requests. */
  write(name: string, compute: () => unknown): void;
  /** Reads the texts of a name, which are added to while the process runs. */
  readTexts(name: string): KeptTexts;
}

/** Texts by their keys, of this process and of those before. */
export interface KeptTexts {
  /** The text that another process wrote for a key, which is then no longer held in memory. */
  take(key: string): string | undefined;
  /** Writes the texts of this process, those that matter most first, once no more are added for a moment. */
  write(list: ListTexts): void;
}

type ListTexts = () => Iterable<readonly [key: string, text: string]>;

/** The delay before something is written. */
const CACHE_DELAY_MS = 250;

/** A timer that is later shows that the process was busy. */
const LATE_MS = 50;

/** How often the delay is repeated at most. */
const MAX_DELAYS = 8;

/** Waits until the process has started, so that what is written then does not delay the start and the first requests. */
export async function waitForStart(): Promise<void> {
  for (let i = 0; i < MAX_DELAYS; i++) {
    const due = readMonotonic() + CACHE_DELAY_MS;
    await delay(CACHE_DELAY_MS);
    if (readMonotonic() < due + LATE_MS) return;
  }
}

/** How long the first texts wait for further ones at most. */
const MAX_DELAY_MS = 2000;

/** How long two writes are apart at most. */
const MAX_PAUSE_MS = 3_600_000;

/** The characters of all texts of one name with their keys; those of this process come before those of others. */
const MAX_CHARACTERS = 1_000_000;

/**
 * @param of - The key of the document and the hash of all its files.
 * @param written - Resolves when the document is in the cache.
 */
export function createDerivedCache(cache: DocumentCache, of: string, written: Promise<void>): DerivedCache {
  const toKey = (name: string): string => digestText(`${of} ${process.versions.v8} ${name}`);
  return {
    read: (name) => cache.readDerived(`${toKey(name)}.v8`),
    write: (name, compute) => void waitForStart().then(() => cache.writeDerived(`${toKey(name)}.v8`, compute())),
    readTexts: (name) => createTexts(cache, `${toKey(name)}.texts`, written),
  };
}

function createTexts(cache: DocumentCache, file: string, written: Promise<void>): KeptTexts {
  const read = (): Map<string, string> => toTexts(cache.readDerived(file));
  const known = read();
  const later = createPatientWriter(known.size === 0);
  return {
    take: (key) => {
      const text = known.get(key);
      known.delete(key);
      return text;
    },
    write: (list) =>
      later(async () => {
        const own = [...list()];
        await written;
        // Without its folder, the cache was removed meanwhile.
        if (!existsSync(cache.folder)) return;
        // Processes that run at the same time add to the texts of each other; the first text of a key is kept.
        await cache.writeDerived(file, limitTexts([...own, ...read()]));
      }),
  };
}

/**
 * A function that writes once no more is to be written for a moment, and less and less often where that repeats.
 *
 * @param isFirst - Whether nothing was written before: then the process waits for the first time, as it does for its document.
 */
function createPatientWriter(isFirst: boolean): (write: () => Promise<void>) => void {
  let isWaiting = false;
  let pauseMs = 0;
  let last = 0;
  return (write) => {
    last = readMonotonic();
    if (isWaiting) return;
    isWaiting = true;
    const holds = isFirst && pauseMs === 0;
    const due = last + pauseMs;
    const wait = (): void => {
      const now = readMonotonic();
      const isQuiet = now >= last + CACHE_DELAY_MS || now >= due + MAX_DELAY_MS;
      if (now < due || !isQuiet) {
        const timer = setTimeout(wait, Math.max(CACHE_DELAY_MS, due - now));
        if (!holds) timer.unref();
        return;
      }
      pauseMs = Math.min(Math.max(MAX_DELAY_MS, 2 * pauseMs), MAX_PAUSE_MS);
      isWaiting = false;
      void write();
    };
    wait();
  };
}

/** The first texts that fit, one for each key. */
function limitTexts(texts: Iterable<readonly [key: string, text: string]>): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  let characters = 0;
  for (const [key, text] of texts) {
    const length = key.length + text.length;
    if (kept.has(key) || characters + length > MAX_CHARACTERS) continue;
    kept.set(key, text);
    characters += length;
  }
  return kept;
}

/** What a file holds, without what this code did not write. */
function toTexts(content: unknown): Map<string, string> {
  if (!(content instanceof Map)) return new Map();
  const entries = [...(content as ReadonlyMap<unknown, unknown>)];
  const isText = (entry: readonly [unknown, unknown]): entry is [string, string] =>
    entry.every((each) => typeof each === 'string');
  return new Map(entries.filter(isText));
}
