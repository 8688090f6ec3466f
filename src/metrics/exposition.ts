/** The media type of Prometheus' text exposition format. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Label values by name. */
export type Labels = Readonly<Record<string, string>>;

/** One line of a metric. */
export interface Sample {
  /** What its name has after that of the metric: `_bucket`. Default: nothing. */
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
