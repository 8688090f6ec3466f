import { isIdValue } from '../../../base/exact-number.js';
import { isObject, readOwn } from '../../../base/json.js';
import { child, describe, readMembers, reject, report, type SourceNode } from '../../../contract/load/source-node.js';
import { readPattern } from '../../../contract/upgrade/patterns.js';
import { suggest } from '../../../base/errors.js';
import { reportUnknownField } from '../../../schema/fields.js';
import { createTextMatcher, createValueMatcher, type Matcher } from '../rules/matcher.js';
import { checkLeaf, checkParts, findViolation } from './check-value.js';
import { type Domain, EVERY_NUMBER, includes, isEmpty, narrow, type Range, readDomain } from './domain.js';
import { compileJsonPath } from './json-path.js';
import {
  ANY_KIND,
  type CheckContext,
  convert,
  FLAG_KIND,
  type Kind,
  list,
  object,
  type ObjectKind,
  optional,
  TEXT_KIND,
  type ValueTarget,
} from './kinds.js';

/** One of the conditions of a matcher. */
interface MatcherPart extends Pick<Matcher, 'test'> {
  /** Whether an item of a parameter that is an array is enough: the same one for all such parts. */
  readonly isOfItem?: boolean;
  /** The JSON types of values that can match, and how messages name them; undefined: any. */
  readonly needs?: { readonly types: readonly string[]; readonly says: string };
  /** The numbers that match, or the dates in milliseconds since 1970. */
  readonly range?: Range;
  /** Whether the range is one of dates. */
  readonly isDate?: boolean;
}

const PRESENT: Kind<MatcherPart> = convert(FLAG_KIND, (present, _node, { value: { isText } }) => ({
  test: (actual) => (actual !== undefined && !(isText && actual === null)) === present,
}));

const REGEX: Kind<MatcherPart> = {
  ...convert(TEXT_KIND, (text, node): MatcherPart | undefined => {
    const { pattern, remark } = readPattern(text);
    if (remark !== undefined) return reject(node, 'must be a valid regular expression');
    return {
      test: (actual) => isScalar(actual) && pattern.test(String(actual)),
      isOfItem: true,
      needs: { types: ['string', 'number', 'integer', 'boolean'], says: 'matches a string' },
    };
  }),
  schema: () => ({ type: 'string', format: 'regex' }),
};

function isScalar(value: unknown): boolean {
  return isIdValue(value) || typeof value === 'boolean';
}

// RFC 3339: a date, or a date and time with an offset.
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

/** A comparison with a number or a date. @param toRange - Returns the matching numbers for a limit. */
function bound(toRange: (limit: number) => Partial<Range>): Kind<MatcherPart> {
  return {
    type: 'number | string',
    read: (node, context) => {
      const { value } = node;
      const isDate = typeof value === 'string' && DATE.test(value);
      const limit = isDate ? Date.parse(value) : value;
      if (typeof limit !== 'number' || !Number.isFinite(limit))
        return reject(node, 'must be a number, or a date such as "2026-01-31" or "2026-01-31T12:00:00Z"');
      const range = { ...EVERY_NUMBER, ...toRange(limit) };
      return {
        test: (actual) => includes(range, toComparable(actual, isDate, context.value.isText)),
        isOfItem: true,
        needs: isDate
          ? { types: ['string'], says: 'compares a date' }
          : { types: ['number', 'integer'], says: 'compares a number' },
        range,
        isDate,
      };
    },
    schema: () => ({ anyOf: [{ type: 'number' }, { type: 'string', pattern: DATE.source }] }),
  };
}

/** The number to compare; NaN, which is in no range, for a value of another kind. */
function toComparable(actual: unknown, isDate: boolean, isText: boolean): number {
  if (isDate) return typeof actual === 'string' ? Date.parse(actual) : Number.NaN;
  if (typeof actual === 'number') return actual;
  return isText && typeof actual === 'string' && actual.trim() !== '' ? Number(actual) : Number.NaN;
}

const JSON_PATH: Kind<MatcherPart> = {
  ...convert(TEXT_KIND, (text, node, context): MatcherPart | undefined => {
    const path = compileJsonPath(text);
    const { pointers, what } = context.value;
    if (typeof path === 'string') {
      const hint = "examples of RFC 9535: $.name, $.items[*].id, $.items[?@.quantity > 2], $..[?@.type == 'card']";
      return reject(node, `must be a valid JSONPath (${path})`, hint);
    }
    const domainOf = (of: readonly string[]): Domain => readDomain(context.contract, of);
    const mistake = pointers && path.findMistake({ pointers, fieldsOf: context.fieldsOf, domainOf });
    if (mistake !== undefined) report(node, `the JSONPath selects nothing: ${what} ${mistake.says}`, mistake.hint);
    return { test: (actual) => actual !== undefined && path.selects(actual) };
  }),
  schema: () => ({ type: 'string', pattern: '^\\$' }),
};

/** A value as it is without a matcher; its members are not matchers. */
const EQUAL: Kind<Matcher> = {
  ...ANY_KIND,
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

/** The condition on a value that differs from that of the context. */
function readPart(node: SourceNode, context: CheckContext, target: Partial<ValueTarget>): Matcher | undefined {
  return CONDITION.read(node, { ...context, value: { ...context.value, ...target } });
}

const CONTAINED: Kind<MatcherPart> = {
  ...CONDITION,
  read: (node, context) => {
    const { types } = readTargetDomain(context);
    const { elements: items } = context.fieldsOf(context.value.pointers ?? []);
    // In a string it is a part, which need not match the schema.
    const isItem = types?.has('string') === false && items.length > 0;
    const target = { what: `an item of ${context.value.what}`, isText: false, pointers: isItem ? items : undefined };
    const part = readPart(node, context, target);
    return (
      part && {
        test: (actual) => isContained(part, actual),
        needs: { types: ['string', 'array'], says: 'matches a string or an array' },
      }
    );
  },
};

function isContained(part: Matcher, actual: unknown): boolean {
  if (Array.isArray(actual)) return actual.some(part.test);
  return typeof actual === 'string' && isScalar(part.written) && actual.includes(String(part.written));
}

const ONE_OF: Kind<MatcherPart> = convert(list(CONDITION, 1), (matchers) => ({
  test: (actual) => matchers.some((each) => each.test(actual)),
}));

const NEGATED: Kind<MatcherPart> = {
  ...CONDITION,
  read: (node, context) => {
    const matcher = readPart(node, context, { isNegated: true });
    return matcher && { test: (actual) => !matcher.test(actual) };
  },
};

/** Conditions on one value; all of them must be true. */
export const MATCHER: ObjectKind<Readonly<Record<string, MatcherPart | undefined>>> = object({
  label: 'a matcher',
  type: 'MatcherDefinition',
  share: 'matcher',
  fields: {
    present: optional(PRESENT, 'Whether there is a value.'),
    equals: optional(
      EQUAL,
      'The value, written as without a matcher: for an object whose members have names of matchers.',
    ),
    matches: optional(
      REGEX,
      'A regular expression that matches a part of the string or number; `^` and `$` are its ends.',
    ),
    gt: optional(
      bound((low) => ({ low, lowOpen: true })),
      'The number or date is greater (later) than this one.',
    ),
    gte: optional(
      bound((low) => ({ low })),
      'It is greater or equal.',
    ),
    lt: optional(
      bound((high) => ({ high, highOpen: true })),
      'It is less (earlier).',
    ),
    lte: optional(
      bound((high) => ({ high })),
      'It is less or equal.',
    ),
    contains: optional(CONTAINED, 'A part of the string, or a value or matcher for an item of the array.'),
    oneOf: optional(ONE_OF, 'Values or matchers; one of them has to match.'),
    not: optional(NEGATED, 'A value or matcher that does not match; an absent value does not match it either.'),
    jsonPath: optional(JSON_PATH, 'A JSONPath (RFC 9535) that selects at least one node of the value.'),
  },
});

const NAMES: readonly string[] = Object.keys(MATCHER.fields);

/** Whether an object is a matcher: every name is one of a matcher, and the schema has no field of that name. */
function isMatcher(value: unknown, context: CheckContext): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  const { members: properties } = context.fieldsOf(context.value.pointers ?? []);
  return names.length > 0 && names.every((name) => NAMES.includes(name) && !properties.has(name));
}

function readMatcher(node: SourceNode, context: CheckContext): Matcher {
  const { mistakes } = node.source;
  const before = mistakes.length;
  const entries = Object.entries(MATCHER.read(node, context) ?? {});
  const parts = new Map(entries.flatMap(([name, part]) => (part === undefined ? [] : [[name, part]])));
  const target = context.value;
  const matcher = { written: node.value, test: all([...parts.values()], target.isText) };
  if (mistakes.length === before && target.isNegated !== true)
    checkPossible(node, { parts, matcher, target }, readTargetDomain(context));
  return matcher;
}

/** Tests all parts. @param isText - For a parameter: one item of an array is enough. */
function all(parts: readonly MatcherPart[], isText: boolean): Matcher['test'] {
  const ofItem = parts.filter(({ isOfItem }) => isOfItem === true);
  const others = parts.filter((part) => !ofItem.includes(part));
  const isMatch = (actual: unknown): boolean => ofItem.every(({ test }) => test(actual));
  return (actual) =>
    others.every(({ test }) => test(actual)) &&
    (isText && Array.isArray(actual) && ofItem.length > 0 ? actual.some(isMatch) : isMatch(actual));
}

/** Reads the facts about a value, or about the items of a parameter that is an array. */
function readTargetDomain({ contract, fieldsOf, value }: CheckContext): Domain {
  const { pointers = [], isText } = value;
  const domain = readDomain(contract, pointers);
  const isArray = domain.types?.size === 1 && domain.types.has('array');
  return isText && isArray ? readDomain(contract, fieldsOf(pointers).elements) : domain;
}

interface Read {
  /** By name. */
  readonly parts: ReadonlyMap<string, MatcherPart>;
  readonly matcher: Matcher;
  readonly target: ValueTarget;
}

/** Reports a matcher that matches no value of the schema. */
function checkPossible(node: SourceNode, read: Read, domain: Domain): void {
  const { parts, matcher, target } = read;
  const { types, values } = domain;
  const present = child(node, 'present');
  if (present.value === false && [...parts.keys()].some((name) => name !== 'present' && name !== 'not')) {
    return report(present, 'an absent value has no other condition', 'remove "present" or the others');
  }
  const isScalarType = types !== undefined && !types.has('array') && !types.has('object');
  if (values !== undefined && isScalarType) {
    if (values.some((value) => matcher.test(value)) || matcher.test(undefined)) return;
    const known = values.map((value) => JSON.stringify(value)).slice(0, 12);
    report(node, `${target.what} never matches ${describe(node.value)}`, `its values are ${known.join(', ')}`);
    return;
  }
  if (types !== undefined) checkTypes(node, read, types);
  checkRange(node, read, domain);
}

function checkTypes(node: SourceNode, { parts, target }: Read, types: ReadonlySet<string>): void {
  const isKind = [...types]
    .filter((type) => type !== 'null')
    .map((type) => `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`);
  for (const [name, { needs, range }] of parts) {
    if (needs === undefined || needs.types.some((type) => types.has(type))) continue;
    const hint = range === undefined ? toMatchHint(types) : toCompareHint(types);
    report(child(node, name), `"${name}" ${needs.says}, and ${target.what} is ${isKind.join(' or ')}`, hint);
  }
}

function toMatchHint(types: ReadonlySet<string>): string {
  if (types.has('array')) return 'to match an item write contains: { matches: … }';
  return 'write the value itself, or a JSONPath';
}

function toCompareHint(types: ReadonlySet<string>): string {
  if (types.has('string')) return 'compare it with a date, or write matches or oneOf';
  return types.has('number') || types.has('integer') ? 'compare it with a number' : 'write the value itself';
}

function checkRange(node: SourceNode, { parts, target }: Read, { types, range }: Domain): void {
  const bounds = [...parts.values()].filter((part) => part.range !== undefined);
  const [first] = bounds;
  // A parameter that is an array can have one item for each bound.
  if (first === undefined) return;
  if (bounds.some(({ isDate }) => isDate !== first.isDate)) {
    return report(node, 'a value cannot be compared with a number and a date', 'write two numbers or two dates');
  }
  const wanted = bounds.map((each) => each.range ?? EVERY_NUMBER).reduce(narrow);
  if (isEmpty(wanted, false)) return report(node, `no value matches ${describe(node.value)}`, 'swap the two limits');
  const isInteger = types?.has('integer') === true && !types.has('number') && !types.has('string');
  if (first.isDate === true || !isEmpty(narrow(wanted, range), isInteger)) return;
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
  const target = toSchemaTarget(pointers, context);
  const isPart = /\/(?:\d+|contains|oneOf|not|equals)$/.test(node.pointer);
  if (node.value !== null && !isPart) return checkLeaf(node, target);
  const violation = findViolation([node.value], target, 'body');
  if (violation === undefined) return;
  const isAbsence = node.value === null && !isPart;
  // The validator names the value itself "the body".
  const instead = violation.message.replace(/^the body\b/, 'it');
  const hint = isAbsence ? 'to match a call without it, write { present: false }' : instead;
  report(node, `${what} cannot be ${describe(node.value)}`, hint);
}

function readItems(node: SourceNode, context: CheckContext): Matcher {
  const written = Array.isArray(node.value) ? node.value : [];
  const { elements: items } = context.fieldsOf(context.value.pointers ?? []);
  const target = { what: `an item of ${context.value.what}`, pointers: items.length === 0 ? undefined : items };
  const read = written.map((_, index) => readPart(child(node, index), context, target));
  // An item without a matcher belongs to a scenario with a mistake.
  const test = (actual: unknown): boolean =>
    Array.isArray(actual) && actual.length === read.length && read.every((item, i) => item?.test(actual[i]) === true);
  return { written, test };
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
    const found = fields.members.get(name);
    if (pointers !== undefined && found === undefined && !fields.open) {
      const hint = NAMES.includes(name) ? `write { equals: { … }, ${name}: … } for both` : undefined;
      reportUnknownField(member, name, { fields, what: target.whole, hint });
      continue;
    }
    const read = readPart(member, context, {
      isText: false,
      // Only an example shows a field without a schema.
      pointers: found?.length === 0 ? undefined : found,
      what: `field ${JSON.stringify(name)} of ${target.whole}`,
    });
    if (read !== undefined) members.set(name, read);
  }
  const entries = [...members];
  const test = (actual: unknown): boolean =>
    isObject(actual) && entries.every(([name, { test: isMatch }]) => isMatch(readOwn(actual, name)));
  return { written: node.value, test };
}

/** A value of a parameter, as a client can write it. */
function readText(node: SourceNode, context: CheckContext): Matcher {
  const { pointers, what } = context.value;
  const matcher = createTextMatcher(node.value);
  // `null` only tests whether the parameter is absent.
  if (pointers === undefined || node.value === null) return matcher;
  const violation = findViolation(listReadings(node.value), toSchemaTarget(pointers, context), 'query');
  if (violation !== undefined) report(node, `${what} cannot be ${describe(node.value)}`, violation.message);
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
