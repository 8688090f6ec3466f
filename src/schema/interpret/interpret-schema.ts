import { isEqualJson, isObject } from '../../contract/json.js';
import type { GuardedPattern } from '../../contract/patterns/guarded-pattern.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import { CALL_KEYWORD, findDuplicate, FORBIDDEN_KEYWORD, LENGTH_CHECKS, type Work } from '../schema-unit.js';
import type { IsValid } from '../violation.js';
import { readFormatCheck } from './formats.js';

/** What the interpretation of a unit depends on. */
export interface InterpreterParts {
  /** Whether `format` is checked. */
  readonly formats: 'assert' | 'annotate';
  readonly work: Work;
  /** The check of the unit at a pointer. */
  readonly call: (pointer: string) => IsValid;
}

/**
 * Builds the check of the schema of a unit, or of a part of it, from one closure for each keyword, in a small part of the time that a compilation takes; it decides as the
 * compiled schema does.
 *
 * @returns Undefined where it has a keyword that only the compiler reads: one that is malformed, or needs evaluated properties.
 */
export function interpretSchema(schema: unknown, parts: InterpreterParts): IsValid | undefined {
  const build: Build = { ...parts, isExact: true };
  const check = toCheck(schema, build);
  return build.isExact ? check : undefined;
}

/** As `interpretSchema`, for one keyword of a schema; undefined where it is not known. */
export function interpretKeyword(keyword: string, schema: Keywords, parts: InterpreterParts): IsValid | undefined {
  return KEYWORDS.get(keyword)?.(schema[keyword], schema, { ...parts, isExact: true });
}

/** The check of one unit while it is built. */
interface Build extends InterpreterParts {
  /** False after a keyword that cannot be interpreted. */
  isExact: boolean;
}

type Keywords = Readonly<Record<string, unknown>>;

/** Builds the check of one keyword; undefined where its value is malformed. */
type DefineKeyword = (value: unknown, schema: Keywords, build: Build) => IsValid | undefined;

const ANY: IsValid = () => true;
const NOTHING: IsValid = () => false;

function toCheck(schema: unknown, build: Build): IsValid {
  if (!isObject(schema)) return schema === false ? NOTHING : ANY;
  const checks: IsValid[] = [];
  for (const keyword of Object.keys(schema)) {
    const check = KEYWORDS.get(keyword)?.(schema[keyword], schema, build);
    if (check === undefined) build.isExact = false;
    else if (keyword === 'type') checks.unshift(check);
    else if (check !== ANY) checks.push(check);
  }
  return joinChecks(checks);
}

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
    typeof limit === 'number' && Number.isFinite(limit) ? toBoundCheck(limit) : undefined;

/** A keyword whose value is a list of schemas for the same value. */
const union =
  (toUnionCheck: (checks: readonly IsValid[]) => IsValid): DefineKeyword =>
  (schemas, _schema, build) =>
    Array.isArray(schemas) && schemas.length > 0
      ? toUnionCheck(schemas.map((schema) => toCheck(schema, build)))
      : undefined;

/** A keyword that another one reads. */
const companion: DefineKeyword = () => ANY;

/** `multipleOfPrecision` of the compiler. */
const PRECISION = 1e-6;

const KEYWORDS: ReadonlyMap<string, DefineKeyword> = new Map<string, DefineKeyword>([
  [
    'type',
    (given) => {
      const names: readonly unknown[] = [given].flat();
      const checks = names.flatMap((name) => TYPES.get(name) ?? []);
      return names.length === 0 || checks.length < names.length ? undefined : matchSome(checks);
    },
  ],
  ['const', (allowed) => toEqual(allowed)],
  ['enum', (allowed) => (Array.isArray(allowed) && allowed.length > 0 ? toOneOf(allowed) : undefined)],
  ['format', toFormatCheck],
  ['pattern', toPatternCheck],
  ['minLength', bound((limit) => forStrings((text) => LENGTH_CHECKS.minLength(text, limit)))],
  ['maxLength', bound((limit) => forStrings((text) => LENGTH_CHECKS.maxLength(text, limit)))],
  ['minimum', bound((limit) => forNumbers((value) => value >= limit))],
  ['maximum', bound((limit) => forNumbers((value) => value <= limit))],
  ['exclusiveMinimum', bound((limit) => forNumbers((value) => value > limit))],
  ['exclusiveMaximum', bound((limit) => forNumbers((value) => value < limit))],
  ['multipleOf', bound((step) => forNumbers((value) => isMultiple(value, step)))],
  ['minItems', bound((limit) => forArrays((items) => items.length >= limit))],
  ['maxItems', bound((limit) => forArrays((items) => items.length <= limit))],
  [
    'uniqueItems',
    (isOn) =>
      isOn === true ? forArrays((items) => findDuplicate(items) === undefined) : isOn === false ? ANY : undefined,
  ],
  ['items', toItemsCheck],
  ['prefixItems', toTupleCheck],
  ['contains', toContainsCheck],
  ['minContains', companion],
  ['maxContains', companion],
  ['minProperties', bound((limit) => forObjects((value) => Object.keys(value).length >= limit))],
  ['maxProperties', bound((limit) => forObjects((value) => Object.keys(value).length <= limit))],
  ['required', (names) => (isNames(names) ? forObjects((value) => hasAll(value, names)) : undefined)],
  ['properties', toPropertiesCheck],
  ['patternProperties', toPatternPropertiesCheck],
  ['additionalProperties', toAdditionalCheck],
  ['propertyNames', toNamesCheck],
  ['dependentRequired', toDependentRequiredCheck],
  ['dependentSchemas', toDependentSchemasCheck],
  ['allOf', union(joinChecks)],
  ['anyOf', union(matchSome)],
  ['oneOf', union(matchOne)],
  ['not', (schema, _owner, build) => negate(toCheck(schema, build))],
  ['if', toConditionCheck],
  ['then', companion],
  ['else', companion],
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

function toConditionCheck(condition: unknown, schema: Keywords, build: Build): IsValid {
  const test = toCheck(condition, build);
  const [then, otherwise] = [toCheck(schema['then'], build), toCheck(schema['else'], build)];
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

function toPatternCheck(pattern: unknown, _schema: Keywords, build: Build): IsValid | undefined {
  const expression = toExpression(pattern, build);
  return expression && forStrings((text) => expression.test(text));
}

/** Undefined where the translation is not exact, which the compiler reports. */
function toExpression(pattern: unknown, { work }: Build): GuardedPattern | undefined {
  if (typeof pattern !== 'string') return undefined;
  const reading = readPattern(pattern, work.spend);
  return reading.remark === undefined ? reading.pattern : undefined;
}

function toItemsCheck(items: unknown, { prefixItems }: Keywords, build: Build): IsValid {
  const check = toCheck(items, build);
  const from = Array.isArray(prefixItems) ? prefixItems.length : 0;
  if (check === ANY) return ANY;
  return forArrays((value) => {
    for (let i = from; i < value.length; i++) if (!check(value[i])) return false;
    return true;
  });
}

function toTupleCheck(schemas: unknown, _schema: Keywords, build: Build): IsValid | undefined {
  if (!Array.isArray(schemas) || schemas.length === 0) return undefined;
  const checks = schemas.map((schema) => toCheck(schema, build));
  return forArrays((value) => {
    const end = Math.min(checks.length, value.length);
    for (let i = 0; i < end; i++) if (checks[i]?.(value[i]) === false) return false;
    return true;
  });
}

function toContainsCheck(contains: unknown, schema: Keywords, build: Build): IsValid | undefined {
  const { minContains: least = 1, maxContains: most = Infinity } = schema;
  if (typeof least !== 'number' || typeof most !== 'number') return undefined;
  const check = toCheck(contains, build);
  return forArrays((value) => {
    let count = 0;
    for (const item of value) if (check(item)) count++;
    return count >= least && count <= most;
  });
}

function isNames(names: unknown): names is readonly string[] {
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}

function hasProperty(value: Keywords, name: string): boolean {
  // In this order: most properties are not there, and reading one of those takes several times as long, since prototypes are searched.
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function hasAll(value: Keywords, names: readonly string[]): boolean {
  for (const name of names) if (!hasProperty(value, name)) return false;
  return true;
}

/** The checks of a map of schemas; undefined for one with `__proto__`, which the compiler leaves out in some places. */
function toChecks(schemas: unknown, build: Build): readonly (readonly [name: string, check: IsValid])[] | undefined {
  if (!isObject(schemas) || Object.hasOwn(schemas, '__proto__')) return undefined;
  return Object.keys(schemas).map((name) => [name, toCheck(schemas[name], build)]);
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

function toPatternPropertiesCheck(schemas: unknown, _schema: Keywords, build: Build): IsValid | undefined {
  const checks = toChecks(schemas, build)?.map(([pattern, check]) => ({
    check,
    expression: toExpression(pattern, build),
  }));
  if (checks === undefined || checks.some(({ expression }) => expression === undefined)) return undefined;
  return forObjects((value) =>
    Object.keys(value).every((name) =>
      checks.every(({ expression, check }) => expression?.test(name) !== true || check(value[name])),
    ),
  );
}

function toAdditionalCheck(schema: unknown, owner: Keywords, build: Build): IsValid | undefined {
  const check = toCheck(schema, build);
  if (check === ANY) return ANY;
  const { properties = {}, patternProperties = {} } = owner;
  if (!isObject(properties) || !isObject(patternProperties)) return undefined;
  const known = new Set(Object.keys(properties));
  const patterns = Object.keys(patternProperties).map((pattern) => toExpression(pattern, build));
  return forObjects((value) => {
    for (const name of Object.keys(value)) {
      if (known.has(name) || patterns.some((pattern) => pattern?.test(name) === true)) continue;
      if (!check(value[name])) return false;
    }
    return true;
  });
}

function toNamesCheck(schema: unknown, _schema: Keywords, build: Build): IsValid {
  const check = toCheck(schema, build);
  return check === ANY ? ANY : forObjects((value) => Object.keys(value).every(check));
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
