import { means } from '../../conventions/conventions.js';
import { DAY_MS } from '../../base/clock.js';
import { readWords } from '../../base/names.js';
import type { Random } from '../../base/random.js';

/** The entry of a table for the words of a name: of all of them, else of the last ones, else of the last one. */
export function findByWords<Entry>(table: ReadonlyMap<string, Entry>, words: readonly string[]): Entry | undefined {
  for (let i = 0; i < words.length; i++) {
    const found = table.get(words.slice(i).join(''));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A table by name, from rows of names (separated by spaces) that share an entry. */
export function toTable<Entry>(rows: readonly (readonly [names: string, entry: Entry])[]): ReadonlyMap<string, Entry> {
  return new Map(rows.flatMap(([names, entry]) => names.split(' ').map((name) => [name, entry] as const)));
}

/**
 * The event that a time is about. Each kind has a range of its own and the ranges follow each other, so that `created_at` is before
 * `updated_at` although no value depends on another.
 */
export type TimeKind = 'birth' | 'created' | 'expires' | 'happened' | 'started' | 'updated';

/** Days before (negative) and after now, in chronological order. */
const RANGES: Readonly<Record<TimeKind, readonly [from: number, to: number]>> = {
  birth: [-20_000, -8000],
  created: [-400, -220],
  started: [-210, -150],
  happened: [-140, -60],
  updated: [-50, -1],
  expires: [5, 300],
};

/** The place of a kind in chronological order. */
export function rankTime(kind: TimeKind): number {
  return RANGES[kind][0];
}

const TIME_WORDS: ReadonlyMap<string, TimeKind> = toTable<TimeKind>([
  ['birth birthday birthdate born dob', 'birth'],
  ['created create creation inserted added joined registered registration signup opened', 'created'],
  ['since established founded', 'created'],
  ['started start starts begin begins began from issued published posted submitted sent effective', 'started'],
  ['updated update modified modification changed edited completed finished ended closed last seen', 'updated'],
  ['accessed refreshed delivered paid canceled cancelled failed expired archived deleted', 'updated'],
  ['resolved end ends to stop stopped', 'updated'],
  ['expires expire expiry expiration due deadline until next renews renewal scheduled', 'expires'],
  ['arrival future', 'expires'],
]);

/** The kind of time that the words of a name may mean, and whether it clearly is the name of a time. */
export function readTimeKind(words: readonly string[]): { readonly kind: TimeKind; readonly isClear: boolean } {
  const last = words.at(-1) ?? '';
  const word = words.find((one) => TIME_WORDS.has(one));
  const kind = TIME_WORDS.get(word ?? '');
  if (kind === undefined) {
    const isClear = last === 'timestamp' || last === 'datetime' || (last === 'at' && words.length > 1);
    return { kind: 'happened', isClear };
  }
  // `created` and `last_updated` are times, `created_by` and `expires_in` are not.
  const isClear = words.some((one) => means(one, 'times.suffix')) || means(last, 'times.participle');
  return { kind, isClear };
}

/** A random time of a kind, to the second; milliseconds since 1970. */
export function pickInstant(kind: TimeKind, random: Random, now: number): number {
  const [from, to] = RANGES[kind];
  const instant = now + Math.floor((from + (to - from) * random.next()) * DAY_MS);
  return Math.floor(instant / 1000) * 1000;
}

/** A time in seconds, or in milliseconds if the name or an example says so. */
export function toTimestamp(instant: number, name: string, example: unknown): number {
  const last = readWords(name).at(-1) ?? '';
  const inMs = last === 'ms' || last.startsWith('milli') || (typeof example === 'number' && example > 100_000_000_000);
  return inMs ? instant : Math.floor(instant / 1000);
}
