import { createRandom, type Random } from '../../random.js';
import { describe } from '../definition/read.js';

/** How long to wait, in milliseconds. */
export type Delay =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly from: number; readonly to: number }
  | { readonly kind: 'lognormal'; readonly median: number; readonly p99: number }
  | { readonly kind: 'normal'; readonly mean: number; readonly deviation: number };

/** The longest any delay gets, whatever its distribution says: ten minutes. */
const LONGEST_DELAY_MS = 600_000;

// The standard normal distribution's 99th percentile.
const Z99 = 2.3263478740408408;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `300`, `"300ms"`, `"1.5s"`, `"2m"`, `"1h"`, `"1d"`; a text says what is wrong with anything else. */
export function readDuration(value: unknown): number | string {
  if (typeof value === 'number' && value < 0) return `cannot be negative: ${value}`;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(value) : null;
  if (match === null) return `must be milliseconds or a text such as "1.5s", not ${describe(value)}`;
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1);
}

/** How long this one takes: a function of the seed and the key and nothing else. */
export function sampleDelay(delay: Delay, seed: number, key: string): number {
  if (delay.kind === 'fixed') return delay.ms;
  const ms = draw(delay, createRandom(seed, `delay ${key}`));
  return Math.min(LONGEST_DELAY_MS, Math.max(0, Math.round(ms)));
}

function draw(delay: Exclude<Delay, { readonly kind: 'fixed' }>, random: Random): number {
  if (delay.kind === 'uniform') return delay.from + random.next() * (delay.to - delay.from);
  const z = gauss(random.next(), random.next());
  if (delay.kind === 'normal') return delay.mean + delay.deviation * z;
  return delay.median * Math.exp((Math.log(delay.p99 / delay.median) / Z99) * z);
}

/** A value of the standard normal distribution from two of the uniform one (Box and Muller, 1958). */
function gauss(u: number, v: number): number {
  return Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v);
}
