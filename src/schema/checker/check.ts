import { isEqualJson, isObject } from '../../contract/json.js';
import type { GuardedPattern } from '../../contract/patterns/guarded-pattern.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import { CALL_KEYWORD, FORBIDDEN_KEYWORD } from '../schema-unit.js';
import type { IsValid } from '../violation.js';
import type { Work } from '../work.js';
import { findDuplicate, hasAll, hasProperty, isLongEnough, isShortEnough } from './comparisons.js';
import { collectEvaluated } from './evaluated.js';
import { readFormatCheck } from './formats.js';

/** Builds the check of a schema of a unit. */
export type ToCheck = (schema: unknown) => IsValid;

/** What the checks of units depend on. */
export interface CheckParts {
  /** Whether `format` is checked. */
  readonly formats: 'assert' | 'annotate';
  readonly work: Work;
  /** The schema of the unit at a pointer. */
  readonly schemaOf: (pointer: string) => unknown;
  /** The check of the unit at a pointer. */
  readonly call: (pointer: string) => IsValid;
  /** Told about a pattern that is not translated exactly. */
  readonly onPattern: (schema: object, pattern: string, remark: string) => void;
}

/**
 * Creates the function that builds checks of schemas: one closure for each keyword, in a small part of the time that a compilation takes.
 * The check of a schema is built once. A malformed keyword restricts nothing: the upgrade has repaired or removed it, and reported it.
 */
export function createToCheck(parts: CheckParts): ToCheck {
  const known = new WeakMap<object, IsValid>();
  const toCheck: ToCheck = (schema) => {
    if (!isObject(schema)) return schema === false ? NOTHING : ANY;
    const before = known.get(schema);
    if (before !== undefined) return before;
    const checks: IsValid[] = [];
    for (const keyword of Object.keys(schema)) {
      const check = toKeywordCheck(keyword, schema, build);
      if (keyword === 'type') checks.unshift(check);
      else if (check !== ANY) checks.push(check);
    }
    const check = joinChecks(checks);
    known.set(schema, check);
    return check;
  };
  const build: Build = { ...parts, toCheck };
  return toCheck;
}

/** The check of the type of a value, for what applies to one type only. */
export function toTypeCheck(type: unknown): IsValid {
  const checks = [type].flat().flatMap((name) => TYPES.get(name) ?? []);
  return matchSome(checks);
}

/** The check of one keyword. */
export function toKeywordCheck(keyword: string, schema: Keywords, build: Build): IsValid {
  return KEYWORDS.get(keyword)?.(schema[keyword], schema, build) ?? ANY;
}

/** What the check of one keyword depends on. */
export interface Build extends CheckParts {
  readonly toCheck: ToCheck;
}

type Keywords = Readonly<Record<string, unknown>>;

/** Builds the check of one keyword; undefined where its value is malformed. */
type DefineKeyword = (value: unknown, schema: Keywords, build: Build) => IsValid | undefined;

const ANY: IsValid = () => true;
const NOTHING: IsValid = () => false;

function joinChecks(checks: readonly IsValid[]): IsValid {
  const [first = ANY, second = ANY] = checks;
  if (checks.length < 2) return first;
  if (checks.length === 2) return (value) => first(value) && second(value);
  return (value) => {
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

const TYPES: ReadonlyMap<unknown, IsValid> = new Map<unknown, IsValid>([
  ['array', Array.isArray],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', (value) => Number.isInteger(value)],
  ['null', (value) => value === null],
  ['number', (value) => Number.isFinite(value)],
  ['object', isObject],
  ['string', (value) => typeof value === 'string'],
]);

/** A check of values of one type, for all values: it does not apply to others. */
const forNumbers =
  (check: (value: number) => boolean): IsValid =>
  (value) =>
    // JSON.parse reads a number that is too large as Infinity, which is not a number of JSON.
    typeof value !== 'number' || !Number.isFinite(value) || check(value);
const forStrings =
  (check: (value: string) => boolean): IsValid =>
  (value) =>
    typeof value !== 'string' || check(value);
const forArrays =
  (check: (value: readonly unknown[]) => boolean): IsValid =>
  (value) =>
    !Array.isArray(value) || check(value);
const forObjects =
  (check: (value: Keywords) => boolean): IsValid =>
  (value) =>
    !isObject(value) || check(value);

/** A keyword whose value is a number. */
const bound =
  (toBoundCheck: (limit: number) => IsValid): DefineKeyword =>
  (limit) =>
    typeof limit === 'number' ? toBoundCheck(limit) : undefined;

/** A keyword whose value is a list of schemas for the same value. */
const union =
  (toUnionCheck: (checks: readonly IsValid[]) => IsValid): DefineKeyword =>
  (schemas, _schema, { toCheck }) =>
    Array.isArray(schemas) ? toUnionCheck(schemas.map(toCheck)) : undefined;

/** `multipleOfPrecision` of ajv. */
const PRECISION = 1e-6;

/** The keywords that restrict a value; `then`, `else`, `minContains` and `maxContains` are read with their partners. */
const KEYWORDS: ReadonlyMap<string, DefineKeyword> = new Map<string, DefineKeyword>([
  ['type', (given) => toTypeCheck(given)],
  ['const', (allowed) => toEqual(allowed)],
  ['enum', (allowed) => (Array.isArray(allowed) ? toOneOf(allowed) : undefined)],
  ['format', toFormatCheck],
  ['pattern', toPatternCheck],
  ['minLength', bound((limit) => forStrings((text) => isLongEnough(text, limit)))],
  ['maxLength', bound((limit) => forStrings((text) => isShortEnough(text, limit)))],
  ['minimum', bound((limit) => forNumbers((value) => value >= limit))],
  ['maximum', bound((limit) => forNumbers((value) => value <= limit))],
  ['exclusiveMinimum', bound((limit) => forNumbers((value) => value > limit))],
  ['exclusiveMaximum', bound((limit) => forNumbers((value) => value < limit))],
  ['multipleOf', bound((step) => forNumbers((value) => isMultiple(value, step)))],
  ['minItems', bound((limit) => forArrays((items) => items.length >= limit))],
  ['maxItems', bound((limit) => forArrays((items) => items.length <= limit))],
  ['uniqueItems', (isOn) => (isOn === true ? forArrays((items) => findDuplicate(items) === undefined) : undefined)],
  ['items', toItemsCheck],
  ['prefixItems', toTupleCheck],
  ['contains', toContainsCheck],
  ['unevaluatedItems', toUnevaluatedItemsCheck],
  ['minProperties', bound((limit) => forObjects((value) => Object.keys(value).length >= limit))],
  ['maxProperties', bound((limit) => forObjects((value) => Object.keys(value).length <= limit))],
  ['required', (names) => (isNames(names) ? forObjects((value) => hasAll(value, names)) : undefined)],
  ['properties', toPropertiesCheck],
  ['patternProperties', toPatternPropertiesCheck],
  ['additionalProperties', toAdditionalCheck],
  ['unevaluatedProperties', toUnevaluatedPropertiesCheck],
  ['propertyNames', toNamesCheck],
  ['dependentRequired', toDependentRequiredCheck],
  ['dependentSchemas', toDependentSchemasCheck],
  ['allOf', union(joinChecks)],
  ['anyOf', union(matchSome)],
  ['oneOf', union(matchOne)],
  ['not', (schema, _owner, { toCheck }) => negate(toCheck(schema))],
  ['if', toConditionCheck],
  [CALL_KEYWORD, toCallCheck],
  [FORBIDDEN_KEYWORD, () => NOTHING],
]);

function matchSome(checks: readonly IsValid[]): IsValid {
  const [first = ANY] = checks;
  if (checks.length === 1) return first;
  return (value) => {
    for (const check of checks) if (check(value)) return true;
    return false;
  };
}

function matchOne(checks: readonly IsValid[]): IsValid {
  return (value) => {
    let isFound = false;
    for (const check of checks) {
      if (!check(value)) continue;
      if (isFound) return false;
      isFound = true;
    }
    return isFound;
  };
}

function negate(check: IsValid): IsValid {
  return (value) => !check(value);
}

function toConditionCheck(condition: unknown, schema: Keywords, { toCheck }: Build): IsValid {
  const test = toCheck(condition);
  const [then, otherwise] = [toCheck(schema['then']), toCheck(schema['else'])];
  if (then === ANY && otherwise === ANY) return ANY;
  return (value) => (test(value) ? then(value) : otherwise(value));
}

function toCallCheck(pointer: unknown, _schema: Keywords, { call, work }: Build): IsValid | undefined {
  if (typeof pointer !== 'string') return undefined;
  // Found with the first value: a schema can refer to itself.
  let check: IsValid | undefined;
  return (value) => work.accepts((check ??= call(pointer)), value);
}

function toEqual(allowed: unknown): IsValid {
  return typeof allowed === 'object' && allowed !== null
    ? (value) => isEqualJson(value, allowed)
    : (value) => value === allowed;
}

function toOneOf(allowed: readonly unknown[]): IsValid {
  const scalars = new Set(allowed.filter((one) => typeof one !== 'object' || one === null));
  const others = allowed.filter((one) => typeof one === 'object' && one !== null);
  if (others.length === 0) return (value) => scalars.has(value);
  return (value) => scalars.has(value) || others.some((one) => isEqualJson(value, one));
}

function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  // NaN, where the quotient is too large for a number, counts as a multiple.
  return step !== 0 && !(Math.abs(Math.round(quotient) - quotient) > PRECISION);
}

function toFormatCheck(name: unknown, _schema: Keywords, { formats }: Build): IsValid | undefined {
  if (typeof name !== 'string') return undefined;
  const format = formats === 'assert' ? readFormatCheck(name) : undefined;
  if (format === undefined) return ANY;
  return format.type === 'number' ? forNumbers(format.check) : forStrings(format.check);
}

function toPatternCheck(pattern: unknown, schema: Keywords, build: Build): IsValid | undefined {
  if (typeof pattern !== 'string') return undefined;
  const expression = toExpression(pattern, schema, build);
  return forStrings((text) => expression.test(text));
}

function toExpression(text: string, schema: Keywords, { work, onPattern }: Build): GuardedPattern {
  const { pattern, remark } = readPattern(text, work.spend);
  if (remark !== undefined) onPattern(schema, text, remark);
  return pattern;
}

function toItemsCheck(items: unknown, { prefixItems }: Keywords, { toCheck }: Build): IsValid {
  const check = toCheck(items);
  const from = Array.isArray(prefixItems) ? prefixItems.length : 0;
  if (check === ANY) return ANY;
  return forArrays((value) => {
    for (let i = from; i < value.length; i++) if (!check(value[i])) return false;
    return true;
  });
}

function toTupleCheck(schemas: unknown, _schema: Keywords, { toCheck }: Build): IsValid | undefined {
  if (!Array.isArray(schemas) || schemas.length === 0) return undefined;
  const checks = schemas.map(toCheck);
  return forArrays((value) => {
    const end = Math.min(checks.length, value.length);
    for (let i = 0; i < end; i++) if (checks[i]?.(value[i]) === false) return false;
    return true;
  });
}

function toContainsCheck(contains: unknown, schema: Keywords, { toCheck }: Build): IsValid | undefined {
  const { minContains: least = 1, maxContains: most = Infinity } = schema;
  if (typeof least !== 'number' || typeof most !== 'number') return undefined;
  const check = toCheck(contains);
  return forArrays((value) => {
    let count = 0;
    for (const item of value) if (check(item)) count++;
    return count >= least && count <= most;
  });
}

function isNames(names: unknown): names is readonly string[] {
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}

/** The checks of a map of schemas by name; undefined where it is not a map. */
function toChecks(
  schemas: unknown,
  { toCheck }: Build,
): readonly (readonly [name: string, check: IsValid])[] | undefined {
  return isObject(schemas) ? Object.keys(schemas).map((name) => [name, toCheck(schemas[name])]) : undefined;
}

/** With more properties than this a check looks up those of the value. */
const MAX_LISTED = 16;

function toPropertiesCheck(schemas: unknown, _schema: Keywords, build: Build): IsValid | undefined {
  const checks = toChecks(schemas, build)?.filter(([, check]) => check !== ANY);
  if (checks === undefined || checks.length === 0) return checks && ANY;
  if (checks.length <= MAX_LISTED) {
    return forObjects((value) => {
      for (const [name, check] of checks) if (hasProperty(value, name) && !check(value[name])) return false;
      return true;
    });
  }
  const byName = new Map(checks);
  return forObjects((value) => {
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member !== undefined && byName.get(name)?.(member) === false) return false;
    }
    return true;
  });
}

function toPatternPropertiesCheck(schemas: unknown, schema: Keywords, build: Build): IsValid | undefined {
  const checks = toChecks(schemas, build)?.map(([pattern, check]) => ({
    check,
    expression: toExpression(pattern, schema, build),
  }));
  return (
    checks &&
    forObjects((value) =>
      Object.keys(value).every((name) =>
        checks.every(({ expression, check }) => !expression.test(name) || check(value[name])),
      ),
    )
  );
}

function toAdditionalCheck(given: unknown, schema: Keywords, build: Build): IsValid {
  const check = build.toCheck(given);
  if (check === ANY) return ANY;
  const isDeclared = toDeclaredCheck(schema, build);
  return forObjects((value) => Object.keys(value).every((name) => isDeclared(name) || check(value[name])));
}

/** Whether `properties` or `patternProperties` of a schema declare a name. */
export function toDeclaredCheck(schema: Keywords, { work }: Pick<CheckParts, 'work'>): (name: string) => boolean {
  const { properties, patternProperties } = schema;
  const known = new Set(isObject(properties) ? Object.keys(properties) : []);
  const texts = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  const patterns = texts.map((text) => readPattern(text, work.spend).pattern);
  return (name) => known.has(name) || patterns.some((pattern) => pattern.test(name));
}

function toNamesCheck(schema: unknown, _schema: Keywords, { toCheck }: Build): IsValid {
  const check = toCheck(schema);
  return check === ANY ? ANY : forObjects((value) => Object.keys(value).every(check));
}

function toUnevaluatedPropertiesCheck(given: unknown, schema: Keywords, build: Build): IsValid {
  const check = build.toCheck(given);
  if (check === ANY) return ANY;
  return forObjects((value) => {
    const evaluated = collectEvaluated(schema, value, build);
    return Object.keys(value).every((name) => evaluated.has(name) || check(value[name]));
  });
}

function toUnevaluatedItemsCheck(given: unknown, schema: Keywords, build: Build): IsValid {
  const check = build.toCheck(given);
  if (check === ANY) return ANY;
  return forArrays((items) => {
    const evaluated = collectEvaluated(schema, items, build);
    return items.every((item, i) => evaluated.has(i) || check(item));
  });
}

function toDependentRequiredCheck(names: unknown): IsValid | undefined {
  if (!isObject(names)) return undefined;
  const needs: readonly (readonly [string, unknown])[] = Object.entries(names);
  const lists = needs.flatMap(([name, list]) => (isNames(list) ? [[name, list] as const] : []));
  if (lists.length < needs.length) return undefined;
  return forObjects((value) => lists.every(([name, list]) => !hasProperty(value, name) || hasAll(value, list)));
}

function toDependentSchemasCheck(schemas: unknown, _schema: Keywords, build: Build): IsValid | undefined {
  const checks = toChecks(schemas, build);
  return checks && forObjects((value) => checks.every(([name, check]) => !hasProperty(value, name) || check(value)));
}
