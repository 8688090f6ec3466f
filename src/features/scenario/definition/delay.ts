import { isObject } from '../../../base/json.js';
import { reject, report } from '../../../contract/load/source-node.js';
import type { Delay } from '../rules/rule.js';
import {
  convert,
  DURATION,
  type Kind,
  list,
  object,
  type ObjectKind,
  optional,
  readDuration,
  required,
} from './kinds.js';

const UNIFORM: Kind<Delay> = {
  type: 'readonly [number | string, number | string]',
  read: (node, context) => {
    const times = list(DURATION).read(node, context) ?? [];
    const [from, to] = times;
    if (from !== undefined && to !== undefined && times.length === 2 && from <= to)
      return { kind: 'uniform', from, to };
    return Array.isArray(node.value) ? reject(node, 'must be two durations, the shorter first') : undefined;
  },
  schema: (context) => ({ type: 'array', items: DURATION.schema(context), minItems: 2, maxItems: 2 }),
};

const LOGNORMAL: Kind<Delay> = convert(
  object<{ readonly median: number; readonly p99: number }>({
    fields: {
      median: required(DURATION, 'Half of the delays are shorter.'),
      p99: required(DURATION, 'One of a hundred delays is longer.'),
    },
  }),
  ({ median, p99 }, node) => {
    if (!(median > 0 && p99 >= median)) report(node, '"p99" must be at least "median", and "median" greater than 0');
    return { kind: 'lognormal', median, p99 };
  },
);

const NORMAL: Kind<Delay> = convert(
  object<{ readonly mean: number; readonly deviation: number }>({
    fields: {
      mean: required(DURATION, 'The mean of the delays.'),
      deviation: required(DURATION, 'Their standard deviation.'),
    },
  }),
  (members) => ({ kind: 'normal', ...members }),
);

const DISTRIBUTIONS: ObjectKind<Partial<Record<'uniform' | 'lognormal' | 'normal', Delay>>> = object({
  label: '"delay"',
  fields: {
    uniform: optional(UNIFORM, 'Between two durations, all equally likely.'),
    lognormal: optional(LOGNORMAL, 'Most delays are short and a few are long, as in a network.'),
    normal: optional(NORMAL, 'Around a mean.'),
  },
});

const FORMS =
  'write 300, "1.5s", { uniform: [200, 900] }, { lognormal: { median, p99 } } or { normal: { mean, deviation } }';

/** The TypeScript type of a delay. */
export const DELAY_KIND: string = [
  DURATION.type,
  ...Object.entries(DISTRIBUTIONS.fields).map(([name, { kind }]) => `{ readonly ${name}: ${kind.type} }`),
].join(' | ');

/** Milliseconds, a duration, or a distribution. */
export const DELAY: Kind<Delay> = {
  type: 'DelayDefinition',
  read: (node, context) => {
    if (!isObject(node.value)) {
      const ms = readDuration(node, FORMS);
      return ms === undefined ? undefined : { kind: 'fixed', ms };
    }
    const { uniform, lognormal, normal } = DISTRIBUTIONS.read(node, context) ?? {};
    if (Object.keys(node.value).length !== 1) return reject(node, 'must have exactly one distribution', FORMS);
    return uniform ?? lognormal ?? normal;
  },
  schema: (context) =>
    context.share('delay', () => ({ anyOf: [DURATION.schema(context), DISTRIBUTIONS.schema(context)] })),
};
