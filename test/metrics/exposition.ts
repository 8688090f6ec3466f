// A strict reader of Prometheus' text exposition format, version 0.0.4, written from its description and not from the code that it checks.
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format

/** One sample. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with its samples. */
export interface ReadMetric {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

/** The metrics of an exposition. */
export interface Exposition {
  readonly metrics: ReadonlyMap<string, ReadMetric>;
  /** The value of the only sample that has these labels; undefined where there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** Reads an exposition. @throws Error for a line that the format does not allow, and for metrics that contradict themselves. */
export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line does not end with a line feed');
  const metrics = new Map<string, { type: string; help: string; samples: ReadSample[] }>();
  let current: string | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)+)$/u.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/u.exec(line);
    if (help !== null) {
      const [, name = '', sentence = ''] = help;
      if (metrics.has(name)) throw new Error(`a second metric ${name}`);
      metrics.set(name, { type: '', help: sentence, samples: [] });
      current = name;
    } else if (type !== null) {
      const metric = metrics.get(type[1] ?? '');
      if (type[1] !== current || metric === undefined || metric.type !== '' || metric.samples.length > 0)
        throw new Error(`not the place for: ${line}`);
      metric.type = type[2] ?? '';
    } else {
      const sample = readSample(line);
      const metric = metrics.get(current ?? '');
      const suffixes = metric?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      if (metric === undefined || !suffixes.some((suffix) => sample.name === `${current}${suffix}`))
        throw new Error(`not the place for: ${line}`);
      metric.samples.push(sample);
    }
  }
  for (const [name, metric] of metrics) check(name, metric);
  return { metrics, value: (name, labels = {}) => findValue(metrics, name, labels) };
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/u.source;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\\\|\\"|\\n)*)"/u.source;
const NUMBER = /[+-]Inf|NaN|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?/u.source;
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL}(?:,|(?=\\})))*)\\})? (${NUMBER})$`, 'u');

function readSample(line: string): ReadSample {
  const match = SAMPLE.exec(line);
  if (match === null) throw new Error(`not a sample: ${line}`);
  const [name = '', written = '', number = ''] = [match[1], match[2], match[5]];
  const labels: Record<string, string> = {};
  for (const [, label = '', value = ''] of written.matchAll(new RegExp(LABEL, 'gu'))) {
    if (label in labels) throw new Error(`twice the label ${label}: ${line}`);
    labels[label] = value.replaceAll(/\\(.)/gu, (_, character: string) => (character === 'n' ? '\n' : character));
  }
  return { name, labels, value: number.endsWith('Inf') ? Number(`${number}inity`) : Number(number) };
}

function check(name: string, { type, samples }: ReadMetric): void {
  const keys = samples.map((sample) => toKey(sample.name, sample.labels));
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a sample twice`);
  if (type === '') throw new Error(`${name} has no type`);
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`${name} is a counter`);
  if (type !== 'gauge' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} is negative`);
  if (type === 'histogram') checkHistogram(name, samples);
}

/** Buckets ascend, and the last one, that of infinity, has the count. */
function checkHistogram(name: string, samples: readonly ReadSample[]): void {
  const series = new Map<string, ReadSample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = toKey(name, labels);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const [key, own] of series) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Infinity : Number(le)));
    const values = buckets.map(({ value }) => value);
    const count = own.filter((sample) => sample.name === `${name}_count`);
    const sum = own.filter((sample) => sample.name === `${name}_sum`);
    const isValid =
      own.length === buckets.length + 2 &&
      count.length === 1 &&
      sum.length === 1 &&
      bounds.at(-1) === Infinity &&
      isAscending(bounds, (before, after) => before < after) &&
      isAscending(values, (before, after) => before <= after) &&
      count[0]?.value === values.at(-1);
    if (!isValid) throw new Error(`the buckets of ${key} are wrong: ${JSON.stringify(own)}`);
  }
}

function isAscending(numbers: readonly number[], holds: (before: number, after: number) => boolean): boolean {
  return numbers.slice(1).every((number, i) => holds(numbers[i] ?? Number.NaN, number));
}

function toKey(name: string, labels: Readonly<Record<string, string>>): string {
  const names = Object.keys(labels).toSorted((one, other) => (one < other ? -1 : 1));
  return JSON.stringify([name, names.map((each) => [each, labels[each]])]);
}

function findValue(
  metrics: ReadonlyMap<string, ReadMetric>,
  name: string,
  labels: Readonly<Record<string, string>>,
): number | undefined {
  const samples = [...metrics.values()].flatMap((metric) => metric.samples);
  return samples.find((sample) => toKey(sample.name, sample.labels) === toKey(name, labels))?.value;
}
