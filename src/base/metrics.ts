/** The media type of Prometheus' text exposition format. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Label values by name. */
export type Labels = Readonly<Record<string, string>>;

/** One line of a metric. */
export interface Sample {
  /** The end of its name, after the name of the metric: `_bucket`. Default: nothing. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** A metric with its samples. */
export interface Metric {
  /** With the unit at its end, and `_total` after it for a counter. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence, without a line break or a backslash. */
  readonly help: string;
  readonly samples: Iterable<Sample>;
}

/**
 * The lines of metrics in the text exposition format of Prometheus, version 0.0.4.
 *
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function writeExposition(metrics: readonly Metric[]): string {
  let text = '';
  for (const { name, type, help, samples } of metrics) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const { suffix = '', labels, value } of samples)
      text += `${name}${suffix}${writeLabels(labels)} ${writeNumber(value)}\n`;
  }
  return text;
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeValue(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

/** A number as Go reads it. */
export function writeNumber(value: number): string {
  return value === Infinity ? '+Inf' : String(value);
}

/** Durations in buckets. */
export interface Histogram {
  /** Counts a duration in milliseconds. */
  observe(ms: number): void;
  /** Its samples in seconds: cumulative buckets, sum and count. */
  read(labels: Labels): readonly Sample[];
}

/** Upper bounds of the buckets in milliseconds: as in Prometheus' client libraries, and three lower ones, since most answers take less than 1 ms. */
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/** A histogram without durations. */
export function createHistogram(): Histogram {
  // The last one counts the durations above all bounds.
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
