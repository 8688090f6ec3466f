import type { Random } from '../../random.js';
import { readWords } from './names.js';

/**
 * When something happens, by its name: each kind has its own stretch of time, later ones further on, so that `created_at` is
 * before `updated_at` whatever else stands in the object, and no value depends on another.
 */
export type Moment = 'birth' | 'created' | 'expires' | 'happened' | 'started' | 'updated';

const DAY_MS = 86_400_000;

/** Days before (negative) and after now. */
const STRETCHES: Readonly<Record<Moment, readonly [from: number, to: number]>> = {
  birth: [-20_000, -8000],
  created: [-400, -220],
  started: [-210, -150],
  happened: [-140, -60],
  updated: [-50, -1],
  expires: [5, 300],
};

/** Moments in the order in which they come to pass. */
export const MOMENTS: readonly Moment[] = ['birth', 'created', 'started', 'happened', 'updated', 'expires'];

const WORDS: ReadonlyMap<string, Moment> = new Map<string, Moment>([
  ...list('birth', 'birth birthday birthdate born dob'),
  ...list(
    'created',
    'created create creation inserted added joined registered registration signup opened since established founded',
  ),
  ...list('started', 'started start starts begin begins began from issued published posted submitted sent effective'),
  ...list(
    'updated',
    'updated update modified modification changed edited completed finished ended closed last seen accessed refreshed',
  ),
  ...list(
    'updated',
    'delivered paid canceled cancelled failed expired archived deleted resolved end ends to stop stopped',
  ),
  ...list(
    'expires',
    'expires expire expiry expiration due deadline until next renews renewal scheduled arrival future',
  ),
]);

const MARKS: ReadonlySet<string> = new Set([
  'at',
  'on',
  'date',
  'time',
  'timestamp',
  'datetime',
  'ts',
  'utc',
  'epoch',
  'unix',
  'day',
]);

/** The moment a name speaks of, and whether the name is plainly one of a time. */
export function readMoment(name: string): { readonly moment: Moment; readonly isPlain: boolean } {
  const words = readWords(name);
  const hasMark = words.some((word) => MARKS.has(word));
  for (const word of words) {
    const moment = WORDS.get(word);
    // `created` and `last_updated` are times, `created_by` and `expires_in` are not.
    const isLast = /^(?:created|updated|modified|expires)$/.test(words.at(-1) ?? '');
    if (moment !== undefined) return { moment, isPlain: hasMark || isLast };
  }
  const last = words.at(-1) ?? '';
  return {
    moment: 'happened',
    isPlain: last === 'timestamp' || last === 'datetime' || (last === 'at' && words.length > 1),
  };
}

/** An instant of a moment, to the second; milliseconds since 1970. */
export function pickInstant(moment: Moment, random: Random, now: number): number {
  const [from, to] = STRETCHES[moment];
  const instant = now + Math.floor((from + (to - from) * random.next()) * DAY_MS);
  return Math.floor(instant / 1000) * 1000;
}

/** Seconds, or milliseconds where the name or an example of the document has them. */
export function toTimestamp(instant: number, name: string, example: unknown): number {
  const last = readWords(name).at(-1) ?? '';
  const inMs = last === 'ms' || last.startsWith('milli') || (typeof example === 'number' && example > 100_000_000_000);
  return inMs ? instant : Math.floor(instant / 1000);
}

function list(moment: Moment, words: string): readonly (readonly [string, Moment])[] {
  return words.split(' ').map((word) => [word, moment] as const);
}
