import { type Labels, type Sample, writeNumber } from './exposition.js';

/** Durations in buckets. */
export interface Histogram {
  /** Counts a duration in milliseconds. */
  observe(ms: number): void;
  /** Its samples in seconds: cumulative buckets, sum and count. */
  read(labels: Labels): readonly Sample[];
}

/** Upper bounds of the buckets in milliseconds: those of Prometheus' client libraries, and three below, since most answers take less than a millisecond. */
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/** A histogram without durations. */
export function createHistogram(): Histogram {
  // The last one has those above all bounds.
  const counts = Array.from({ length: BOUNDS_MS.length + 1 }, () => 0);
  let sumMs = 0;
  return {
    observe: (ms) => {
      sumMs += ms;
      let i = 0;
      while (i < BOUNDS_MS.length && ms > (BOUNDS_MS[i] as number)) i++;
      counts[i] = (counts[i] as number) + 1;
    },
    read: (labels) => {
      let count = 0;
      const samples: Sample[] = [];
      for (const [i, own] of counts.entries()) {
        count += own;
        const le = writeNumber((BOUNDS_MS[i] ?? Infinity) / 1000);
        samples.push({ suffix: '_bucket', labels: { ...labels, le }, value: count });
      }
      return [...samples, { suffix: '_sum', labels, value: sumMs / 1000 }, { suffix: '_count', labels, value: count }];
    },
  };
}
