import { isObject } from '../../contract/json.js';
import { child, describe, readMembers, reject, report, type SourceNode } from '../../contract/load/source-node.js';
import type { GuardedPattern } from '../../contract/patterns/guarded-pattern.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import { suggest } from '../../errors.js';
import { reportUnknownField } from '../../schema/fields.js';
import type { Violation } from '../../schema/violation.js';
import {
  type Bound,
  COMPARISONS,
  createArrayMatcher,
  createMatcher,
  createObjectMatcher,
  createTextMatcher,
  createValueMatcher,
  type Matcher,
  type MatcherParts,
} from '../rules/matcher.js';
import { checkLeaf, checkParts } from './check-value.js';
import { type Domain, EVERY_NUMBER, isEmpty, narrow, readDomain } from './domain.js';
import { compileJsonPath, type JsonPath } from './json-path.js';
import {
  ANY,
  type CheckContext,
  FLAG,
  type Kind,
  list,
  object,
  type ObjectKind,
  optional,
  TEXT,
  type ValueTarget,
} from './kinds.js';

const REGEX: Kind<GuardedPattern> = {
  type: 'string',
  read: (node, context) => {
    const text = TEXT.read(node, context);
    const reading = text === undefined ? undefined : readPattern(text);
    return reading?.remark === undefined ? reading?.pattern : reject(node, 'must be a valid regular expression');
  },
  schema: () => ({ type: 'string', format: 'regex' }),
};

// RFC 3339: a date, or a date and time with an offset.
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

const BOUND: Kind<Bound> = {
  type: 'number | string',
  read: (node) => {
    const { value } = node;
    if (typeof value === 'number' && Number.isFinite(value)) return { value, isDate: false };
    const time = typeof value === 'string' && DATE.test(value) ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(time)) return { value: time, isDate: true };
    return reject(node, 'must be a number, or a date such as "2026-01-31" or "2026-01-31T12:00:00Z"');
  },
  schema: () => ({ anyOf: [{ type: 'number' }, { type: 'string', pattern: DATE.source }] }),
};

const JSON_PATH: Kind<JsonPath> = {
  type: 'string',
  read: (node, context) => {
    const text = TEXT.read(node, context);
    if (text === undefined) return undefined;
    const path = compileJsonPath(text);
    const { pointers, what } = context.value;
    if (typeof path === 'string') {
      const hint = "examples of RFC 9535: $.name, $.items[*].id, $.items[?@.quantity > 2], $..[?@.type == 'card']";
      return reject(node, `must be a valid JSONPath (${path})`, hint);
    }
    if (pointers === undefined) return path;
    const domainOf = (of: readonly string[]): Domain => readDomain(context.contract, of);
    const mistake = path.findMistake({ pointers, fieldsOf: context.fieldsOf, domainOf });
    if (mistake !== undefined) report(node, `the JSONPath selects nothing: ${what} ${mistake.says}`, mistake.hint);
    return path;
  },
  schema: () => ({ type: 'string', pattern: '^\\$' }),
};

/** A value as it is without a matcher; its members are not matchers. */
const EQUAL: Kind<Matcher> = {
  ...ANY,
  read: (node, context) => {
    const { isText, pointers } = context.value;
    if (isText) return readText(node, context);
    if (pointers !== undefined) checkParts(node, toSchemaTarget(pointers, context));
    return createValueMatcher(node.value);
  },
};

/** A value or a matcher. */
export const CONDITION: Kind<Matcher> = {
  type: 'ConditionDefinition',
  read: (node, context) => (isMatcher(node.value, context) ? readMatcher(node, context) : readLiteral(node, context)),
  schema: (context) => ({ anyOf: [MATCHER.schema(context), {}] }),
};

const CONTAINED: Kind<Matcher> = {
  ...CONDITION,
  read: (node, context) => {
    const { types } = readTargetDomain(context);
    const { items } = context.fieldsOf(context.value.pointers ?? []);
    // In a string it is a part, which need not match the schema.
    const isItem = types?.has('string') === false && items.length > 0;
    const part = { what: `an item of ${context.value.what}`, isText: false, pointers: isItem ? items : undefined };
    return CONDITION.read(node, { ...context, value: { ...context.value, ...part } });
  },
};

const NEGATED: Kind<Matcher> = {
  ...CONDITION,
  read: (node, context) => CONDITION.read(node, { ...context, value: { ...context.value, isNegated: true } }),
};

/** Conditions on one value; all of them must be true. */
export const MATCHER: ObjectKind<MatcherParts> = object<MatcherParts>({
  label: 'a matcher',
  type: 'MatcherDefinition',
  share: 'matcher',
  fields: {
    present: optional(FLAG, 'Whether there is a value.'),
    equals: optional(
      EQUAL,
      'The value, written as without a matcher: for an object whose members have names of matchers.',
    ),
    matches: optional(
      REGEX,
      'A regular expression that matches a part of the string or number; `^` and `$` are its ends.',
    ),
    gt: optional(BOUND, 'The number or date is greater (later) than this one.'),
    gte: optional(BOUND, 'It is greater or equal.'),
    lt: optional(BOUND, 'It is less (earlier).'),
    lte: optional(BOUND, 'It is less or equal.'),
    contains: optional(CONTAINED, 'A part of the string, or a value or matcher for an item of the array.'),
    oneOf: optional(list(CONDITION, 1), 'Values or matchers, one of which matches.'),
    not: optional(NEGATED, 'A value or matcher that does not match; an absent value does not match it either.'),
    jsonPath: optional(JSON_PATH, 'A JSONPath (RFC 9535) that selects at least one node of the value.'),
  },
});

const NAMES: readonly string[] = Object.keys(MATCHER.fields);

/** Whether an object is a matcher: every name is one of a matcher, and the schema has no field of that name. */
function isMatcher(value: unknown, context: CheckContext): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  const { properties } = context.fieldsOf(context.value.pointers ?? []);
  return names.length > 0 && names.every((name) => NAMES.includes(name) && !properties.has(name));
}

function readMatcher(node: SourceNode, context: CheckContext): Matcher {
  const { mistakes } = node.source;
  const before = mistakes.length;
  const parts = MATCHER.read(node, context) ?? {};
  const target = context.value;
  const matcher = createMatcher(node.value, parts, target.isText);
  if (mistakes.length === before && target.isNegated !== true)
    checkPossible(node, { parts, matcher, target }, readTargetDomain(context));
  return matcher;
}

/** What is known about a value, or about the items of a parameter that is an array. */
function readTargetDomain({ contract, fieldsOf, value }: CheckContext): Domain {
  const { pointers = [], isText } = value;
  const domain = readDomain(contract, pointers);
  const isArray = domain.types?.size === 1 && domain.types.has('array');
  return isText && isArray ? readDomain(contract, fieldsOf(pointers).items) : domain;
}

interface Read {
  readonly parts: MatcherParts;
  readonly matcher: Matcher;
  readonly target: ValueTarget;
}

/** Reports a matcher that matches no value of the schema. */
function checkPossible(node: SourceNode, read: Read, domain: Domain): void {
  const { parts, matcher, target } = read;
  const { types, values } = domain;
  const { present, not: _, ...others } = parts;
  if (present === false && Object.values(others).some((part) => part !== undefined)) {
    return report(child(node, 'present'), 'an absent value has no other condition', 'remove "present" or the others');
  }
  const isScalar = types !== undefined && !types.has('array') && !types.has('object');
  if (values !== undefined && isScalar) {
    if (values.some((value) => matcher.test(value)) || matcher.test(undefined)) return;
    const known = values.map((value) => JSON.stringify(value)).slice(0, 12);
    report(node, `${target.what} never matches ${describe(node.value)}`, `its values are ${known.join(', ')}`);
    return;
  }
  checkTypes(node, read, domain);
  checkRange(node, read, domain);
}

/** The JSON types that a part can match, and how messages say it. */
const TYPES = {
  matches: { types: ['string', 'number', 'integer', 'boolean'], says: 'matches a string' },
  contains: { types: ['string', 'array'], says: 'matches a string or an array' },
} as const;

function checkTypes(node: SourceNode, { parts, target }: Read, { types }: Domain): void {
  if (types === undefined) return;
  const isKind = [...types]
    .filter((type) => type !== 'null')
    .map((type) => `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`);
  const fail = (name: string, says: string, hint: string): void =>
    report(child(node, name), `"${name}" ${says}, and ${target.what} is ${isKind.join(' or ')}`, hint);
  for (const name of ['matches', 'contains'] as const) {
    if (parts[name] === undefined || TYPES[name].types.some((type) => types.has(type))) continue;
    const inArray = types.has('array') ? 'to match an item write contains: { matches: … }' : undefined;
    fail(name, TYPES[name].says, inArray ?? 'write the value itself, or a JSONPath');
  }
  for (const name of Object.keys(COMPARISONS) as (keyof typeof COMPARISONS)[]) {
    const bound = parts[name];
    if (bound === undefined) continue;
    const isPossible = bound.isDate ? types.has('string') : types.has('number') || types.has('integer');
    const other = types.has('string')
      ? 'compare it with a date, or write matches or oneOf'
      : 'compare it with a number';
    const hint = types.has('string') || types.has('number') || types.has('integer') ? other : 'write the value itself';
    if (!isPossible) fail(name, `compares a ${bound.isDate ? 'date' : 'number'}`, hint);
  }
}

function checkRange(node: SourceNode, { parts, target }: Read, { types, range }: Domain): void {
  const { gt, gte, lt, lte } = parts;
  const bounds = [gt, gte, lt, lte].filter((bound) => bound !== undefined);
  const [first] = bounds;
  // A parameter that is an array can have one item for each bound.
  if (first === undefined) return;
  if (bounds.some(({ isDate }) => isDate !== first.isDate)) {
    return report(node, 'a value cannot be compared with a number and a date', 'write two numbers or two dates');
  }
  const wanted = [
    { ...EVERY_NUMBER, low: gt?.value ?? -Infinity, lowOpen: true },
    { ...EVERY_NUMBER, low: gte?.value ?? -Infinity },
    { ...EVERY_NUMBER, high: lt?.value ?? Infinity, highOpen: true },
    { ...EVERY_NUMBER, high: lte?.value ?? Infinity },
  ].reduce(narrow);
  if (isEmpty(wanted, false)) return report(node, `no value matches ${describe(node.value)}`, 'swap the two limits');
  const isInteger = types?.has('integer') === true && !types.has('number') && !types.has('string');
  if (first.isDate || !isEmpty(narrow(wanted, range), isInteger)) return;
  const limits = [
    range.low === -Infinity ? [] : `${range.lowOpen ? 'greater than' : 'at least'} ${range.low}`,
    range.high === Infinity ? [] : `${range.highOpen ? 'less than' : 'at most'} ${range.high}`,
  ].flat();
  const hint = isEmpty(wanted, isInteger) ? 'no integer is between the two limits' : `it is ${limits.join(' and ')}`;
  report(node, `${target.what} never matches ${describe(node.value)}`, hint);
}

/** A value that is not a matcher; its members and items can be. */
function readLiteral(node: SourceNode, context: CheckContext): Matcher | undefined {
  const { isText, pointers = [] } = context.value;
  // Without schemas a domain has no limits.
  const { types } = readDomain(context.contract, pointers);
  if (isObject(node.value)) return readObject(node, types, context);
  if (isText) return readText(node, context);
  if (Array.isArray(node.value) && types?.has('array') !== false) return readItems(node, context);
  checkValue(node, context);
  return createValueMatcher(node.value);
}

/** Checks a value of a body that has no members or items. */
function checkValue(node: SourceNode, context: CheckContext): void {
  const { pointers, what } = context.value;
  if (pointers === undefined) return;
  const isPart = /\/(?:\d+|contains|oneOf|not|equals)$/.test(node.pointer);
  if (node.value !== null && !isPart) return checkLeaf(node, toSchemaTarget(pointers, context));
  const results = pointers.map((pointer) => context.check(pointer, 'request')(node.value, 'body'));
  if (results.some((violations) => violations.length === 0)) return;
  const hint =
    node.value === null && !isPart ? 'to match a call without it, write { present: false }' : toHint(results);
  report(node, `${what} cannot be ${describe(node.value)}`, hint);
}

/** What a value must be instead; the validator names the value itself "the body". */
function toHint([first]: readonly (readonly Violation[])[]): string | undefined {
  return first?.[0]?.message.replace(/^the body\b/, 'it');
}

function readItems(node: SourceNode, context: CheckContext): Matcher {
  const written = Array.isArray(node.value) ? node.value : [];
  const { items } = context.fieldsOf(context.value.pointers ?? []);
  const pointers = items.length === 0 ? undefined : items;
  const value = { ...context.value, what: `an item of ${context.value.what}`, pointers };
  const read = written.map((_, index) => CONDITION.read(child(node, index), { ...context, value }));
  return createArrayMatcher(
    written,
    read.filter((each) => each !== undefined),
  );
}

function readObject(node: SourceNode, types: Domain['types'], context: CheckContext): Matcher | undefined {
  const target = context.value;
  const [first] = readMembers(node);
  if (types?.has('object') === false) {
    const known = `matchers: ${NAMES.join(', ')}`;
    const [name, member] = first ?? [];
    if (name === undefined || member === undefined) report(node, `${target.what} is not an object`, known);
    else report(member, `unknown matcher ${JSON.stringify(name)} of ${target.what}`, suggest(name, NAMES) ?? known);
    return undefined;
  }
  const { pointers } = target;
  const fields = context.fieldsOf(pointers ?? []);
  const members = new Map<string, Matcher>();
  for (const [name, member] of readMembers(node)) {
    const found = fields.properties.get(name);
    if (pointers !== undefined && found === undefined && !fields.open) {
      const hint = NAMES.includes(name) ? `write { equals: { … }, ${name}: … } for both` : undefined;
      reportUnknownField(member, name, { fields, what: target.whole, hint });
      continue;
    }
    const value = {
      ...target,
      isText: false,
      // Only an example shows a field without a schema.
      pointers: found?.length === 0 ? undefined : found,
      what: `field ${JSON.stringify(name)} of ${target.whole}`,
    };
    const read = CONDITION.read(member, { ...context, value });
    if (read !== undefined) members.set(name, read);
  }
  return createObjectMatcher(node.value, members);
}

/** A value of a parameter, as a client can write it. */
function readText(node: SourceNode, context: CheckContext): Matcher {
  const target = context.value;
  const matcher = createTextMatcher(node.value);
  // `null` only tests whether the parameter is absent.
  if (target.pointers === undefined || node.value === null) return matcher;
  const results = target.pointers.flatMap((pointer) => {
    const check = context.check(pointer, 'request');
    return listReadings(node.value).map((value) => check(value, 'query'));
  });
  if (!results.some((violations) => violations.length === 0)) {
    report(node, `${target.what} cannot be ${describe(node.value)}`, toHint(results));
  }
  return matcher;
}

/** The values that a written value can mean: itself, as a string, a string as a number, the only item of an array. */
function listReadings(value: unknown): readonly unknown[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return [value, text, [value], [text], ...(Number.isNaN(number) ? [] : [number, [number]])];
}

function toSchemaTarget(pointers: readonly string[], context: CheckContext) {
  return { context, pointers, direction: 'request', what: context.value.whole } as const;
}
