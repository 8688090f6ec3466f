import { addTo, isEqualJson, isObject } from '../../base/json.js';
import type { GuardedPattern } from '../../contract/patterns/guarded-pattern.js';
import { escapeSegment } from '../../contract/pointer.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import { CALL_KEYWORD, FORBIDDEN_KEYWORD } from '../schema-unit.js';
import type { IsValid } from '../violation.js';
import type { Work } from '../work.js';
import { findDuplicate, hasAll, hasProperty, isLongEnough, isShortEnough } from './comparisons.js';
import { collectEvaluated } from './evaluated.js';
import { readFormatCheck } from './formats.js';

/** One keyword that a value violates. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON pointer inside the value that is checked. */
  readonly path: string;
  /** Further facts for the sentence about it: the limit, the missing name. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema with the keyword: a copy in a unit, or `false`. */
  readonly schema: unknown;
  /** The value at the path. */
  readonly value: unknown;
}

/** The maximum number of errors of one value: a large body would have a hundred thousand. */
const MAX_ERRORS = 500;

/** The path of a value, and the report of its errors. */
interface CheckedPlace {
  readonly path: string;
  readonly errors: SchemaError[];
  /** The units that were searched, each once for a path: ten levels with two ways each would be searched a thousand times. */
  readonly searched: Map<string, Set<string>>;
}

/** Whether a value is valid. At a place all of its errors are reported; without one, the check ends at the first. */
export type Check<Value = unknown> = (value: Value, place?: CheckedPlace) => boolean;

/** The errors of a value, in the order of the keywords below. */
export function listErrors(check: Check, value: unknown): readonly SchemaError[] {
  const errors: SchemaError[] = [];
  check(value, { path: '', errors, searched: new Map() });
  return errors;
}

/** The parts that the checks of units depend on. */
export interface CheckParts {
  /** Whether `format` is checked. */
  readonly formats: 'assert' | 'annotate';
  readonly work: Work;
  /** The schema of the unit at a pointer. */
  readonly schemaOf: (pointer: string) => unknown;
  /** The check of the unit at a pointer. */
  readonly call: (pointer: string) => Check;
  /** Called with a pattern that is not translated exactly. */
  readonly onPattern: (schema: object, pattern: string, remark: string) => void;
}

/**
 * Creates the function that builds checks of schemas: one closure for each keyword, in a small part of the time that a compilation takes.
 * The check of a schema is built once. A malformed keyword restricts nothing: the upgrade has repaired or removed it, and reported it.
 */
export function createToCheck(parts: CheckParts): (schema: unknown) => Check {
  const known = new WeakMap<object, Check>();
  const toCheck: Build['toCheck'] = (schema) => {
    if (!isObject(schema)) return schema === false ? NOTHING : ANY;
    const before = known.get(schema);
    if (before !== undefined) return before;
    const check = joinChecks(listChecks(schema, build));
    known.set(schema, check);
    return check;
  };
  const build: Build = { ...parts, toCheck };
  return toCheck;
}

/** The parts that the check of one keyword depends on. */
interface Build extends CheckParts {
  readonly toCheck: (schema: unknown) => Check;
}

type Keywords = Readonly<Record<string, unknown>>;

/** A keyword of a schema. */
interface Rule {
  readonly keyword: string;
  readonly given: unknown;
  readonly schema: Keywords;
}

/** Builds the check of one keyword; undefined where its value is malformed. */
type Define<Value> = (rule: Rule, build: Build) => Check<Value> | undefined;

const ANY: Check = () => true;
const NOTHING: Check = (value, place) =>
  place !== undefined && fail({ keyword: 'false schema', schema: false }, { value, place });

/** Reports the error of a keyword where there is a place for it. */
function fail(
  { keyword, schema }: Pick<SchemaError, 'keyword' | 'schema'>,
  of: { readonly value: unknown; readonly place: CheckedPlace | undefined; readonly params?: SchemaError['params'] },
): false {
  const { value, place, params = {} } = of;
  place?.errors.push({ keyword, path: place.path, params, schema, value });
  return false;
}

/** The place of a member or an item. */
function below(place: CheckedPlace | undefined, step: string | number): CheckedPlace | undefined {
  return place && { ...place, path: `${place.path}/${escapeSegment(String(step))}` };
}

/** Whether a test is true for each of a list; at a place it is made for all of them, since each has errors of its own. */
function holdsForAll<Item>(
  list: readonly Item[],
  place: CheckedPlace | undefined,
  test: (item: Item, index: number) => boolean,
): boolean {
  let holds = true;
  for (let i = 0; i < list.length; i++) {
    // The list is not sparse.
    if (test(list[i] as Item, i)) continue;
    if (place === undefined || place.errors.length >= MAX_ERRORS) return false;
    holds = false;
  }
  return holds;
}

function joinChecks(checks: readonly Check[]): Check {
  const [first = ANY] = checks;
  if (checks.length < 2) return first;
  return (value, place) => {
    if (place !== undefined) return holdsForAll(checks, place, (check) => check(value, place));
    // As in some others below: a loop here takes two thirds of the time of a shared one.
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

const TYPES: ReadonlyMap<unknown, IsValid> = new Map<unknown, IsValid>([
  ['array', Array.isArray],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', (value) => Number.isInteger(value)],
  ['null', (value) => value === null],
  // JSON.parse reads a number that is too large as Infinity, which is not a number of JSON.
  ['number', (value) => Number.isFinite(value)],
  ['object', isObject],
  ['string', (value) => typeof value === 'string'],
]);

/** The checks of the keywords of a schema, those for one type together. */
function listChecks(schema: Keywords, build: Build): readonly Check[] {
  const groups = new Map<string, Check[]>();
  const used = Object.keys(schema).flatMap((keyword) => DEFINITIONS.get(keyword) ?? []);
  for (const { type, keyword, define } of used.toSorted((one, other) => one.order - other.order))
    addTo(groups, type, define({ keyword, given: schema[keyword], schema }, build) ?? ANY);
  const types: readonly unknown[] = [schema['type'] ?? []].flat();
  const isType = matchSome(types.flatMap((type) => TYPES.get(type) ?? []));
  const reportType: Check = (value, place) =>
    place !== undefined && fail({ keyword: 'type', schema }, { value, place, params: { type: schema['type'] } });
  // The only type is checked with the keywords for it, where there are any.
  const own = types.length === 1 ? groups.get(String(types[0])) : undefined;
  const first: readonly Check[] =
    types.length === 0 || own !== undefined ? [] : [(value, place) => isType(value) || reportType(value, place)];
  const rest = [...groups].flatMap(([type, all]): Check | readonly Check[] => {
    const checks = all.filter((check) => check !== ANY);
    if (type === '' || (checks.length === 0 && all !== own)) return checks;
    const check = joinChecks(checks);
    const applies = TYPES.get(type) ?? ANY;
    return (value, place) => (applies(value) ? check(value, place) : all !== own || reportType(value, place));
  });
  return [...first, ...rest];
}

function matchSome(checks: readonly IsValid[]): IsValid {
  const [first = ANY] = checks;
  if (checks.length === 1) return first;
  return (value) => {
    for (const check of checks) if (check(value)) return true;
    return false;
  };
}

/** A keyword that is valid or not, whatever other schemas say, and the parameters of its error. */
const simple =
  <Value>(
    toTest: (given: unknown, schema: Keywords, build: Build) => ((value: Value) => boolean) | undefined,
    toParams: (given: unknown, schema: Keywords) => SchemaError['params'] = () => ({}),
  ): Define<Value> =>
  (rule, build) => {
    const test = toTest(rule.given, rule.schema, build);
    if (test === undefined) return undefined;
    return (value, place) => {
      if (test(value)) return true;
      return place !== undefined && fail(rule, { value, place, params: toParams(rule.given, rule.schema) });
    };
  };

const named =
  (name: string) =>
  (given: unknown): SchemaError['params'] => ({ [name]: given });

/** A keyword whose value is a number. */
const bound = <Value>(isWithin: (value: Value, limit: number) => boolean, name = 'limit'): Define<Value> =>
  simple((limit) => (typeof limit === 'number' ? (value) => isWithin(value, limit) : undefined), named(name));

/** The keywords that restrict any value, in the order of their errors. */
const OF_ANY: Readonly<Record<string, Define<unknown>>> = {
  const: simple(toEqual, named('allowedValue')),
  enum: simple((allowed) => (Array.isArray(allowed) ? toOneOf(allowed) : undefined), named('allowedValues')),
  not: simple((schema, _, { toCheck }) => {
    const check = toCheck(schema);
    return (value) => !check(value);
  }),
  allOf: ({ given }, { toCheck }) => (Array.isArray(given) ? joinChecks(given.map(toCheck)) : undefined),
  // `then` and `else` are read with it.
  if: ({ given, schema }, { toCheck }) => {
    const [test, then, otherwise] = [given, schema['then'], schema['else']].map(toCheck);
    if (test === undefined || (then === ANY && otherwise === ANY)) return ANY;
    return (value, place) => (test(value) ? then : otherwise)?.(value, place) ?? true;
  },
  anyOf: simple((given, _, { toCheck }) => (Array.isArray(given) ? matchSome(given.map(toCheck)) : undefined)),
  oneOf: defineOneOf,
  [FORBIDDEN_KEYWORD]: simple(() => () => false),
  [CALL_KEYWORD]: defineCall,
};

const OF_NUMBERS: Readonly<Record<string, Define<number>>> = {
  maximum: bound((value, limit) => value <= limit),
  minimum: bound((value, limit) => value >= limit),
  exclusiveMaximum: bound((value, limit) => value < limit),
  exclusiveMinimum: bound((value, limit) => value > limit),
  multipleOf: bound(isMultiple, 'multipleOf'),
  format: simple((name, _, build) => {
    const format = readFormat(name, build);
    return format?.type === 'number' ? format.check : undefined;
  }, named('format')),
};

const OF_STRINGS: Readonly<Record<string, Define<string>>> = {
  pattern: simple((pattern, schema, build) => {
    if (typeof pattern !== 'string') return undefined;
    const expression = toExpression(pattern, schema, build);
    return (text) => expression.test(text);
  }, named('pattern')),
  format: simple((name, _, build) => {
    const format = readFormat(name, build);
    return format?.type === 'string' ? format.check : undefined;
  }, named('format')),
  minLength: bound(isLongEnough),
  maxLength: bound(isShortEnough),
};

const OF_ARRAYS: Readonly<Record<string, Define<readonly unknown[]>>> = {
  maxItems: bound((items, limit) => items.length <= limit),
  minItems: bound((items, limit) => items.length >= limit),
  items: defineItems,
  // `minContains` and `maxContains` are read with it.
  contains: simple(toContainsTest, (_, { minContains = 1, maxContains }) => ({ minContains, maxContains })),
  uniqueItems: (rule) => {
    if (rule.given !== true) return undefined;
    return (value, place) => {
      const equal = findDuplicate(value);
      return equal === undefined || fail(rule, { value, place, params: { equal } });
    };
  },
  prefixItems: ({ given }, { toCheck }) => {
    if (!Array.isArray(given)) return undefined;
    const checks = given.map(toCheck);
    return (items, place) =>
      holdsForAll(checks, place, (check, i) => i >= items.length || check(items[i], below(place, i)));
  },
  unevaluatedItems: defineUnevaluatedItems,
};

const OF_OBJECTS: Readonly<Record<string, Define<Keywords>>> = {
  maxProperties: bound((value, limit) => Object.keys(value).length <= limit),
  minProperties: bound((value, limit) => Object.keys(value).length >= limit),
  required: (rule) => {
    const { given: names } = rule;
    if (!isNames(names)) return undefined;
    return (value, place) => {
      if (place === undefined) return hasAll(value, names);
      return holdsForAll(names, place, (missing) => {
        return hasProperty(value, missing) || fail(rule, { value, place, params: { missing } });
      });
    };
  },
  additionalProperties: defineOthers((schema, build) => {
    const isDeclared = toDeclaredTest(schema, build);
    return () => isDeclared;
  }),
  properties: defineProperties,
  dependentRequired: (rule) => {
    if (!isObject(rule.given)) return undefined;
    const needs: readonly (readonly [string, unknown])[] = Object.entries(rule.given);
    const lists = needs.flatMap(([name, list]) => (isNames(list) ? [[name, list] as const] : []));
    if (lists.length < needs.length) return undefined;
    return (value, place) =>
      holdsForAll(lists, place, ([property, names]) => {
        if (!hasProperty(value, property)) return true;
        return holdsForAll(names, place, (missing) => {
          return hasProperty(value, missing) || fail(rule, { value, place, params: { property, missing } });
        });
      });
  },
  dependentSchemas: ({ given }, build) => {
    const checks = toChecks(given, build);
    return (
      checks &&
      ((value, place) =>
        holdsForAll(checks, place, ([name, check]) => !hasProperty(value, name) || check(value, place)))
    );
  },
  patternProperties: ({ given, schema }, build) => {
    const checks = toChecks(given, build)?.map(([pattern, check]) => {
      return { check, expression: toExpression(pattern, schema, build) };
    });
    return (
      checks &&
      ((value, place) =>
        holdsForAll(checks, place, ({ expression, check }) =>
          holdsForAll(Object.keys(value), place, (name) => {
            return !expression.test(name) || check(value[name], below(place, name));
          }),
        ))
    );
  },
  propertyNames: (rule, { toCheck }) => {
    const check = toCheck(rule.given);
    if (check === ANY) return ANY;
    return (value, place) =>
      holdsForAll(Object.keys(value), place, (propertyName) => {
        return check(propertyName, place) || fail(rule, { value, place, params: { propertyName } });
      });
  },
  unevaluatedProperties: defineOthers((schema, build) => (value) => {
    const evaluated = collectEvaluated(schema, value, build);
    return (name) => evaluated.has(name);
  }),
};

/** A keyword, the type of the values that it restricts, and its place in the order of errors. */
interface Definition {
  readonly type: string;
  readonly keyword: string;
  readonly order: number;
  readonly define: Define<unknown>;
}

const DEFINITIONS: ReadonlyMap<string, readonly Definition[]> = (() => {
  const tables = { '': OF_ANY, number: OF_NUMBERS, string: OF_STRINGS, array: OF_ARRAYS, object: OF_OBJECTS };
  const byKeyword = new Map<string, Definition[]>();
  for (const [i, [type, table]] of Object.entries(tables).entries()) {
    for (const [order, [keyword, define]] of Object.entries(table).entries()) {
      // Checked with the type first.
      const definition = { type, keyword, order: i * 100 + order, define: define as Define<unknown> };
      addTo(byKeyword, keyword, definition);
    }
  }
  return byKeyword;
})();

function defineOneOf(rule: Rule, { toCheck }: Build): Check | undefined {
  if (!Array.isArray(rule.given)) return undefined;
  const checks = rule.given.map(toCheck);
  return (value, place) => {
    let found = -1;
    for (let i = 0; i < checks.length; i++) {
      if (checks[i]?.(value) !== true) continue;
      if (found >= 0) return fail(rule, { value, place, params: { passing: [found, i] } });
      found = i;
    }
    return found >= 0 || fail(rule, { value, place, params: { passing: [] } });
  };
}

function defineCall({ given: pointer }: Rule, { call, work }: Build): Check | undefined {
  if (typeof pointer !== 'string') return undefined;
  // Found with the first value: a schema can refer to itself.
  let check: Check | undefined;
  return (value, place) => {
    check ??= call(pointer);
    if (work.accepts(check, value)) return true;
    const paths = place?.searched.get(pointer) ?? new Set();
    if (place === undefined || paths.has(place.path)) return false;
    place.searched.set(pointer, paths.add(place.path));
    return check(value, place);
  };
}

function toEqual(allowed: unknown): IsValid {
  return typeof allowed === 'object' && allowed !== null
    ? (value) => isEqualJson(value, allowed)
    : (value) => value === allowed;
}

function toOneOf(allowed: readonly unknown[]): IsValid {
  const scalars = new Set(allowed.filter((one) => typeof one !== 'object' || one === null));
  const others = allowed.filter((one) => typeof one === 'object' && one !== null);
  return (value) => scalars.has(value) || others.some((one) => isEqualJson(value, one));
}

/** `multipleOfPrecision` of ajv. */
const PRECISION = 1e-6;

function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  // NaN, where the quotient is too large for a number, counts as a multiple.
  return step !== 0 && !(Math.abs(Math.round(quotient) - quotient) > PRECISION);
}

function readFormat(name: unknown, { formats }: Build): ReturnType<typeof readFormatCheck> {
  return typeof name === 'string' && formats === 'assert' ? readFormatCheck(name) : undefined;
}

function toExpression(text: string, schema: Keywords, { work, onPattern }: Build): GuardedPattern {
  const { pattern, remark } = readPattern(text, work.spend);
  if (remark !== undefined) onPattern(schema, text, remark);
  return pattern;
}

function defineItems(rule: Rule, { toCheck }: Build): Check<readonly unknown[]> {
  const { prefixItems } = rule.schema;
  const check = toCheck(rule.given);
  const from = Array.isArray(prefixItems) ? prefixItems.length : 0;
  if (check === ANY) return ANY;
  if (check === NOTHING && prefixItems !== undefined)
    return (value, place) => value.length <= from || fail(rule, { value, place, params: { limit: from } });
  return (items, place) => {
    if (place !== undefined) return holdsForAll(items, place, (item, i) => i < from || check(item, below(place, i)));
    for (let i = from; i < items.length; i++) if (!check(items[i])) return false;
    return true;
  };
}

function toContainsTest(
  contains: unknown,
  { minContains: least = 1, maxContains: most = Infinity }: Keywords,
  { toCheck }: Build,
): ((items: readonly unknown[]) => boolean) | undefined {
  if (typeof least !== 'number' || typeof most !== 'number') return undefined;
  const check = toCheck(contains);
  return (items) => {
    const count = items.filter((item) => check(item)).length;
    return count >= least && count <= most;
  };
}

function defineUnevaluatedItems(rule: Rule, build: Build): Check<readonly unknown[]> | undefined {
  const check = build.toCheck(rule.given);
  if (check === ANY) return ANY;
  return (value, place) => {
    const evaluated = collectEvaluated(rule.schema, value, build);
    if (check === NOTHING) return value.every((_, i) => evaluated.has(i)) || fail(rule, { value, place });
    return holdsForAll(value, place, (item, i) => evaluated.has(i) || check(item, below(place, i)));
  };
}

function isNames(names: unknown): names is readonly string[] {
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}

/** The checks of a map of schemas by name; undefined where it is not a map. */
function toChecks(
  schemas: unknown,
  { toCheck }: Build,
): readonly (readonly [name: string, check: Check])[] | undefined {
  return isObject(schemas) ? Object.keys(schemas).map((name) => [name, toCheck(schemas[name])]) : undefined;
}

function defineProperties({ given }: Rule, build: Build): Check<Keywords> | undefined {
  const checks = toChecks(given, build)?.filter(([, check]) => check !== ANY);
  if (checks === undefined || checks.length === 0) return checks && ANY;
  const byName = new Map(checks);
  return (value, place) => {
    if (place !== undefined) {
      return holdsForAll(checks, place, ([name, check]) => {
        return !hasProperty(value, name) || check(value[name], below(place, name));
      });
    }
    // A value has fewer members than most schemas, and the lookup of an absent member takes longer.
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member !== undefined && byName.get(name)?.(member) === false) return false;
    }
    return true;
  };
}

/** Whether `properties` or `patternProperties` of a schema declare a name. */
function toDeclaredTest({ properties, patternProperties }: Keywords, { work }: Build): (name: string) => boolean {
  const known = new Set(isObject(properties) ? Object.keys(properties) : []);
  const texts = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  const patterns = texts.map((text) => readPattern(text, work.spend).pattern);
  return (name) => known.has(name) || patterns.some((pattern) => pattern.test(name));
}

/** A keyword for the properties that nothing declares or evaluates. */
function defineOthers(
  toKnown: (schema: Keywords, build: Build) => (value: Keywords) => (name: string) => boolean,
): Define<Keywords> {
  return (rule, build) => {
    const check = build.toCheck(rule.given);
    if (check === ANY) return ANY;
    const knownIn = toKnown(rule.schema, build);
    return (value, place) => {
      const isKnown = knownIn(value);
      return holdsForAll(Object.keys(value), place, (name) => {
        if (isKnown(name)) return true;
        if (check === NOTHING) return fail(rule, { value, place, params: { name } });
        return check(value[name], below(place, name));
      });
    };
  };
}
