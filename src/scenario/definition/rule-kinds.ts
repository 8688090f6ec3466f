import { isObject, type ItemReference, type PatchWithNulls } from '../../contract/json.js';
import type { ParameterPlace } from '../../contract/operations/operation.js';
import type { Matcher } from '../rules/matcher.js';
import type { ByCollection, CallRange, Delay } from '../rules/rule.js';
import {
  checkItemId,
  checkStatus,
  findCollection,
  toItemTarget,
  toParameterTarget,
  toRequestTarget,
} from './check-contract.js';
import {
  checkExpressions,
  checkPartial,
  checkParts,
  checkVariable,
  findNulls,
  type SchemaTarget,
} from './check-value.js';
import { CONDITION } from './conditions.js';
import {
  ANY,
  type CheckContext,
  checked,
  DURATION,
  type Field,
  integer,
  type JsonSchema,
  type Kind,
  list,
  map,
  object,
  optional,
  required,
  type ObjectKind,
  oneOrMany,
  readDuration,
} from './kinds.js';
import { child, readMembers, reject, report, type SourceNode } from '../../contract/load/source-node.js';

// RFC 9110 5.6.2: a header name is a token.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that a scenario cannot set, and why. */
const FRAMING: ReadonlyMap<string, string> = new Map([
  ['content-length', 'it is computed from the body'],
  ['transfer-encoding', 'it is computed from the body'],
  ['connection', 'it belongs to the connection'],
  ['keep-alive', 'it belongs to the connection'],
  ['upgrade', 'it belongs to the connection'],
  ['content-type', 'write mediaType beside "status" instead'],
]);

const HEADER: Kind<string | readonly string[]> = {
  type: 'string | number | boolean | readonly (string | number | boolean)[]',
  read: (node) => {
    const texts = (Array.isArray(node.value) ? node.value : [node.value]).map(toHeaderText);
    // RFC 9110 5.5: no line breaks, and nothing above Latin-1, whose encoding is undefined.
    if (!texts.every((text) => text !== undefined)) return reject(node, 'must be a string on one line');
    return Array.isArray(node.value) ? texts : texts[0];
  },
  schema: () => ({ anyOf: [HEADER_TEXT, { type: 'array', items: HEADER_TEXT }] }),
};

const HEADER_TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] };

function toHeaderText(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : undefined;
}

/** Headers by name, in lower case once they are read. */
function headers<Value>(value: Kind<Value>): Kind<Readonly<Record<string, Value>>> {
  const read = (member: SourceNode, context: CheckContext, name: string): Value | undefined => {
    const reason = FRAMING.get(name.toLowerCase());
    if (!TOKEN.test(name)) report(member, `${member.label} is not a valid header name`);
    else if (reason !== undefined) report(member, `a scenario cannot set the header ${member.label}`, reason);
    return value.read({ ...member, label: `header ${member.label}` }, context);
  };
  return map(value, read, (name) => name.toLowerCase());
}

/** Header values by name. */
export const HEADERS: Kind<Readonly<Record<string, string | readonly string[]>>> = headers(HEADER);

/** New header values by name; `null` removes a header. */
export const HEADER_PATCH: Kind<Readonly<Record<string, string | readonly string[] | null>>> = headers<
  string | readonly string[] | null
>({
  type: `${HEADER.type} | null`,
  read: (node, context) => (node.value === null ? null : HEADER.read(node, context)),
  schema: (context) => ({ anyOf: [HEADER.schema(context), { type: 'null' }] }),
});

/** A status that the operation documents. */
export const STATUS: Kind<number> = checked(integer(200, 599), checkStatus);

/** Which numbers a range selects: `3`, `"2..4"`, `"3.."`, `"..3"`, `"every 5"`. */
export function range(lowest: 0 | 1): Kind<CallRange> {
  const forms = 'must be 3, "2..4", "3..", "..3" or "every 5"';
  return {
    type: 'number | string',
    read: (node, context) => {
      const { value } = node;
      if (typeof value === 'number') {
        const only = integer(lowest).read(node, context);
        return only === undefined ? undefined : { kind: 'range', from: only, to: only };
      }
      const every = typeof value === 'string' ? /^every (\d+)$/.exec(value) : null;
      const step = Number(every?.[1]);
      if (step === 0) return reject(node, 'must be "every 1" or more');
      if (step > 0) return { kind: 'every', every: step };
      const bounds = typeof value === 'string' ? /^(\d*)\.\.(\d*)$/.exec(value) : null;
      if (bounds === null || value === '..') return reject(node, forms);
      const from = bounds[1] === '' ? lowest : Number(bounds[1]);
      const to = bounds[2] === '' ? Infinity : Number(bounds[2]);
      if (from < lowest) return reject(node, `must start at ${lowest} or above`);
      return to < from ? reject(node, 'must not end before it starts') : { kind: 'range', from, to };
    },
    schema: () => ({
      anyOf: [
        { type: 'integer', minimum: lowest },
        { type: 'string', pattern: '^(every [1-9]\\d*|\\d+\\.\\.\\d*|\\.\\.\\d+)$' },
      ],
    }),
  };
}

/** Conditions on the parameters of one place, by name; header names in lower case once they are read. */
export function parameters(place: ParameterPlace, title: string): Field<Readonly<Record<string, Matcher>>> {
  const read = (member: SourceNode, context: CheckContext, name: string): Matcher | undefined => {
    const value = toParameterTarget(member, { name, place }, context);
    const matcher = CONDITION.read(member, { ...context, value });
    const isAbsent = member.value === null || (isObject(member.value) && member.value['present'] === false);
    if (place === 'path' && isAbsent) report(member, `${value.what} is never absent`, 'remove this condition');
    return matcher;
  };
  const kind = map(CONDITION, read, (name) => (place === 'header' ? name.toLowerCase() : name));
  const forms = 'a value (of an array, one item), `null` if it must be absent, or a matcher';
  return { kind, description: `${title} by name: ${forms}.`, absent: {} };
}

/** A condition on the body. */
export const BODY: Kind<Matcher> = {
  ...CONDITION,
  read: (node, context) => CONDITION.read(node, { ...context, value: toRequestTarget(node, context) }),
};

/** The id of an item. */
export const ID: Kind<string | number> = {
  type: 'string | number',
  read: (node) =>
    typeof node.value === 'string' || typeof node.value === 'number'
      ? node.value
      : reject(node, 'must be a string or a number'),
  schema: () => ({ type: ['string', 'number'] }),
};

function itemKind(
  part: 'partial' | 'patch',
  check: (node: SourceNode, target: SchemaTarget) => void,
): Kind<Readonly<Record<string, unknown>>> {
  return {
    type: 'Readonly<Record<string, unknown>>',
    read: (node, context) => {
      if (!isObject(node.value)) return reject(node, 'must be an object');
      if (!context.violates) check(node, toItemTarget(context));
      return node.value;
    },
    schema: ({ collection, use }) => (collection?.schema === undefined ? {} : use(collection.schema, part)),
  };
}

/** A whole or partial item of a collection. */
export const ITEM: Kind<Readonly<Record<string, unknown>>> = itemKind('partial', checkPartial);

/** A merge patch of an item. */
const ITEM_PATCH: Kind<Readonly<Record<string, unknown>>> = itemKind('patch', checkParts);

/** Ids of items that exist. */
export const REMOVED: Kind<readonly ItemReference[]> = list({
  ...ID,
  read: (node, context) => {
    const id = ID.read(node, context);
    if (id === undefined) return undefined;
    checkItemId(node, String(id), context);
    return { id, locate: () => node.source.locate(node.pointer) };
  },
});

/** Merge patches by the id of an item that exists. */
export const UPDATED: Kind<readonly (ItemReference & PatchWithNulls)[]> = {
  ...map(ITEM_PATCH),
  read: (node, context) => {
    const updates: (ItemReference & PatchWithNulls)[] = [];
    for (const [id, member] of readMembers(node)) {
      checkItemId(member, id, context);
      checkExpressions({ ...member, value: id }, context);
      const patch = ITEM_PATCH.read(member, context);
      if (patch === undefined) continue;
      const nulls = findNulls(patch, toItemTarget(context));
      updates.push({ id, patch, nulls, locate: () => member.source.locate(member.pointer) });
    }
    return updates;
  },
};

/** One id or several, as strings once they are read. */
export const IDS: Kind<readonly string[]> = {
  ...oneOrMany(ID),
  read: (node, context) => oneOrMany(ID).read(node, context)?.map(String),
};

/** The kind of values by collection. @param type - The name of its TypeScript type, and of its JSON Schema. */
export function byCollection<Value>(
  type: string,
  item: ObjectKind<Value>,
  variables: Kind<Readonly<Record<string, unknown>>>,
): Kind<ByCollection<Value>> {
  return {
    type,
    read: (node, context) => {
      const vars = child(node, 'vars');
      const collections: (Value & { readonly name: string })[] = [];
      for (const [name, member] of readMembers(node)) {
        if (name === 'vars') continue;
        const collection = findCollection(member, name, context);
        const value = item.read(member, { ...context, collection });
        if (value !== undefined) collections.push({ name, ...value });
      }
      return { collections, vars: (vars.value === undefined ? undefined : variables.read(vars, context)) ?? {} };
    },
    schema: (context) =>
      context.share(type, () => ({
        type: 'object',
        additionalProperties: false,
        properties: {
          ...Object.fromEntries(
            context.collections.map((collection) => [collection.name, item.schema({ ...context, collection })]),
          ),
          vars: variables.schema(context),
        },
      })),
  };
}

/** Values of variables, which may be runtime expressions. */
export const VARIABLES: Kind<Readonly<Record<string, unknown>>> = checked(map(ANY), checkExpressions);

/** Values of variables that something sets. */
export const KNOWN_VARIABLES: Kind<Readonly<Record<string, unknown>>> = checked(map(ANY), (node, context) => {
  for (const [name, member] of readMembers(node)) checkVariable(member, name, context);
});

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

const DISTRIBUTIONS: ObjectKind<{
  readonly uniform?: Delay;
  readonly lognormal?: { readonly median: number; readonly p99: number };
  readonly normal?: { readonly mean: number; readonly deviation: number };
}> = object({
  label: '"delay"',
  fields: {
    uniform: optional(UNIFORM, 'Between two durations, all equally likely.'),
    lognormal: optional(
      object({
        fields: {
          median: required(DURATION, 'Half of the delays are shorter.'),
          p99: required(DURATION, 'One of a hundred delays is longer.'),
        },
        check: ({ median, p99 }, node) => {
          if (!(median > 0 && p99 >= median))
            report(node, '"p99" must be at least "median", and "median" greater than 0');
        },
      }),
      'Most delays are short and a few are long, as in a network.',
    ),
    normal: optional(
      object({
        fields: {
          mean: required(DURATION, 'The mean of the delays.'),
          deviation: required(DURATION, 'Their standard deviation.'),
        },
      }),
      'Around a mean.',
    ),
  },
});

const DELAY_FORMS =
  'write 300, "1.5s", { uniform: [200, 900] }, { lognormal: { median, p99 } } or { normal: { mean, deviation } }';

/** The TypeScript type of a delay. */
export const DELAY_TYPE: string = [
  DURATION.type,
  ...Object.entries(DISTRIBUTIONS.fields).map(([name, { kind }]) => `{ readonly ${name}: ${kind.type} }`),
].join(' | ');

/** Milliseconds, a duration, or a distribution. */
export const DELAY: Kind<Delay> = {
  type: 'DelayDefinition',
  read: (node, context) => {
    if (!isObject(node.value)) {
      const ms = readDuration(node, DELAY_FORMS);
      return ms === undefined ? undefined : { kind: 'fixed', ms };
    }
    const { uniform, lognormal, normal } = DISTRIBUTIONS.read(node, context) ?? {};
    if (Object.keys(node.value).length !== 1) return reject(node, 'must have exactly one distribution', DELAY_FORMS);
    if (lognormal !== undefined) return { kind: 'lognormal', ...lognormal };
    return normal === undefined ? uniform : { kind: 'normal', ...normal };
  },
  schema: (context) =>
    context.share('delay', () => ({ anyOf: [DURATION.schema(context), DISTRIBUTIONS.schema(context)] })),
};

/** A number from 0 to 1. */
export const PROBABILITY: Kind<number> = {
  type: 'number',
  read: (node) => {
    const { value } = node;
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    const isPercent = typeof value === 'number' && value > 1 && value <= 100;
    return reject(node, 'must be a number from 0 to 1', isPercent ? `did you mean ${value / 100}?` : undefined);
  },
  schema: () => ({ type: 'number', minimum: 0, maximum: 1 }),
};
