import { isObject } from '../../contract/json.js';
import { escapeSegment } from '../../contract/pointer.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import { CALL_KEYWORD, FORBIDDEN_KEYWORD } from '../schema-unit.js';
import { type Build, toDeclaredCheck, toKeywordCheck, toTypeCheck } from './check.js';
import { findDuplicate } from './comparisons.js';
import { collectEvaluated } from './evaluated.js';

/** One keyword that a value violates. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON pointer inside the value that is checked. */
  readonly path: string;
  /** What the sentence about it says besides: the limit, the name that is missing. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema with the keyword: a copy in a unit, or `false`. */
  readonly schema: unknown;
  /** The value at the path. */
  readonly value: unknown;
}

/** The maximum number of errors of one value: a large body would have a hundred thousand. */
const MAX_ERRORS = 500;

/** The errors of one value, and the units that were searched, each once for a path: ten levels with two ways each would be searched a thousand times. */
interface Report {
  readonly errors: SchemaError[];
  readonly searched: Map<string, Set<string>>;
}

/** Adds the errors of the value at a path. */
type FindErrors = (value: unknown, path: string, report: Report) => void;

type Keywords = Readonly<Record<string, unknown>>;

/**
 * Creates the function that finds the errors of a value, in the order of the keywords below. What is computed from a schema is kept, and
 * computed when the first value reaches it.
 */
export function createErrorFinder(build: Build): (schema: unknown, value: unknown) => readonly SchemaError[] {
  const known = new WeakMap<object, readonly FindErrors[]>();
  const find: Finder['find'] = (schema, value, { path, report }) => {
    if (schema === false) report.errors.push({ keyword: 'false schema', path, params: {}, schema, value });
    if (!isObject(schema)) return;
    const steps = known.get(schema) ?? listSteps(schema, { ...build, find });
    known.set(schema, steps);
    for (const step of steps) {
      if (report.errors.length >= MAX_ERRORS) return;
      step(value, path, report);
    }
  };
  return (schema, value) => {
    const report: Report = { errors: [], searched: new Map() };
    find(schema, value, { path: '', report });
    return report.errors;
  };
}

/** Finds the errors of the keywords of one schema. */
interface Finder extends Build {
  find(schema: unknown, value: unknown, at: { readonly path: string; readonly report: Report }): void;
}

/** The keywords in the order of their errors, by the type of the values that they apply to. */
const GROUPS: readonly (readonly [type: string, keywords: readonly string[]])[] = (
  [
    ['', `const enum not allOf if anyOf oneOf ${FORBIDDEN_KEYWORD} ${CALL_KEYWORD}`],
    ['number', 'maximum minimum exclusiveMaximum exclusiveMinimum multipleOf format'],
    ['string', 'pattern format minLength maxLength'],
    ['array', 'maxItems minItems items maxContains minContains contains uniqueItems prefixItems unevaluatedItems'],
    [
      'object',
      'maxProperties minProperties required additionalProperties properties dependentRequired dependentSchemas ' +
        'patternProperties propertyNames unevaluatedProperties',
    ],
  ] as const
).map(([type, keywords]) => [type, keywords.split(' ')]);

function listSteps(schema: Keywords, finder: Finder): readonly FindErrors[] {
  const types: readonly unknown[] = [schema['type'] ?? []].flat();
  const reportType: FindErrors = (value, path, { errors }) =>
    errors.push({ keyword: 'type', path, params: { type: schema['type'] }, schema, value });
  const used = GROUPS.map(([type, keywords]) => ({
    type,
    keywords: keywords.filter((keyword) => schema[keyword] !== undefined),
  })).filter(({ keywords }) => keywords.length > 0);
  // The only type is checked with the keywords for it, where there are any.
  const own = types.length === 1 ? used.find(({ type }) => type === types[0]) : undefined;
  const isType = types.length === 0 || own !== undefined ? undefined : toTypeCheck(types);
  const first: readonly FindErrors[] =
    isType === undefined ? [] : [(value, path, report) => isType(value) || reportType(value, path, report)];
  const rest = used.map((group): FindErrors => {
    const steps = group.keywords.flatMap((keyword) => toStep(keyword, schema, finder) ?? []);
    const applies = group.type === '' ? undefined : toTypeCheck(group.type);
    return (value, path, report) => {
      if (applies?.(value) !== false) for (const step of steps) step(value, path, report);
      else if (group === own) reportType(value, path, report);
    };
  });
  return [...first, ...rest];
}

/** Finds the errors of one keyword; undefined for one that another keyword reads. */
function toStep(keyword: string, schema: Keywords, finder: Finder): FindErrors | undefined {
  const define = APPLICATORS.get(keyword);
  if (define !== undefined) return define(schema[keyword], schema, finder);
  const toParams = PARAMS.get(keyword);
  if (toParams === undefined) return undefined;
  const isValid = toKeywordCheck(keyword, schema, finder);
  return (value, path, { errors }) => {
    if (!isValid(value)) errors.push({ keyword, path, params: toParams(schema[keyword], schema), schema, value });
  };
}

/** The parameters of the error of a keyword. */
type ToParams = (value: unknown, schema: Keywords) => SchemaError['params'];

const LIMITS =
  'maximum minimum exclusiveMaximum exclusiveMinimum minLength maxLength minItems maxItems minProperties maxProperties';

/** The keywords that have one error without those of other schemas. */
const PARAMS: ReadonlyMap<string, ToParams> = new Map<string, ToParams>([
  ...LIMITS.split(' ').map((keyword) => [keyword, (limit: unknown) => ({ limit })] as const),
  ...['not', 'anyOf', FORBIDDEN_KEYWORD].map((keyword) => [keyword, () => ({})] as const),
  ['const', (allowedValue) => ({ allowedValue })],
  ['enum', (allowedValues) => ({ allowedValues })],
  ['multipleOf', (multipleOf) => ({ multipleOf })],
  ['pattern', (pattern) => ({ pattern })],
  ['format', (format) => ({ format })],
  ['contains', (_, { minContains = 1, maxContains }) => ({ minContains, maxContains })],
]);

/** Finds the errors of a keyword in a value of its type. */
type DefineStep = (given: unknown, schema: Keywords, finder: Finder) => FindErrors;

/** The keywords with schemas for the value or parts of it, or with more than one error. */
const APPLICATORS: ReadonlyMap<string, DefineStep> = new Map<string, DefineStep>([
  [CALL_KEYWORD, findInUnit],
  [
    'allOf',
    (schemas, _, { find }) =>
      (value, path, report) => {
        for (const schema of toList(schemas)) find(schema, value, { path, report });
      },
  ],
  ['oneOf', findPassing],
  ['if', findConditional],
  ['required', findRequired],
  ['dependentRequired', findDependent],
  ['uniqueItems', findEqualItems],
  ['items', findItems],
  [
    'prefixItems',
    (schemas, _, { find }) =>
      (value, path, report) => {
        const items = toList(value);
        for (const [i, schema] of toList(schemas).entries())
          if (i < items.length) find(schema, items[i], { path: `${path}/${i}`, report });
      },
  ],
  ['unevaluatedItems', findUnevaluatedItems],
  [
    'properties',
    (schemas, _, { find }) =>
      (value, path, report) => {
        for (const [name, schema] of toMembers(schemas)) {
          const member = readProperty(value, name);
          if (member !== undefined) find(schema, member, { path: `${path}/${escapeSegment(name)}`, report });
        }
      },
  ],
  [
    'dependentSchemas',
    (schemas, _, { find }) =>
      (value, path, report) => {
        for (const [name, schema] of toMembers(schemas))
          if (readProperty(value, name) !== undefined) find(schema, value, { path, report });
      },
  ],
  ['patternProperties', findPatternProperties],
  [
    'additionalProperties',
    (given, schema, finder) => {
      const isDeclared = toDeclaredCheck(schema, finder);
      return findOthers('additionalProperties', { given, schema, finder }, () => isDeclared);
    },
  ],
  [
    'unevaluatedProperties',
    (given, schema, finder) =>
      findOthers('unevaluatedProperties', { given, schema, finder }, (value) => {
        const evaluated = collectEvaluated(schema, value, finder);
        return (name) => evaluated.has(name);
      }),
  ],
  [
    'propertyNames',
    (given, schema, { find }) =>
      (value, path, report) => {
        for (const propertyName of Object.keys(toObject(value))) {
          const { length } = report.errors;
          find(given, propertyName, { path, report });
          if (report.errors.length > length)
            report.errors.push({ keyword: 'propertyNames', path, params: { propertyName }, schema, value });
        }
      },
  ],
]);

function findInUnit(pointer: unknown, _schema: Keywords, { call, schemaOf, work, find }: Finder): FindErrors {
  // Found with the first value: a schema can refer to itself. The keyword's value is a string.
  const at = pointer as string;
  return (value, path, report) => {
    if (work.accepts(call(at), value)) return;
    const paths = report.searched.get(at) ?? new Set();
    if (paths.has(path)) return;
    report.searched.set(at, paths.add(path));
    find(schemaOf(at), value, { path, report });
  };
}

function findPassing(schemas: unknown, schema: Keywords, { toCheck }: Finder): FindErrors {
  const checks = toList(schemas).map(toCheck);
  return (value, path, { errors }) => {
    const passing: number[] = [];
    for (let i = 0; i < checks.length && passing.length < 2; i++) if (checks[i]?.(value) === true) passing.push(i);
    if (passing.length !== 1) errors.push({ keyword: 'oneOf', path, params: { passing }, schema, value });
  };
}

function findConditional(condition: unknown, schema: Keywords, { find, toCheck }: Finder): FindErrors {
  const test = toCheck(condition);
  return (value, path, report) => find(schema[test(value) ? 'then' : 'else'], value, { path, report });
}

function findRequired(names: unknown, schema: Keywords): FindErrors {
  return (value, path, { errors }) => {
    for (const missing of toList(names)) {
      // The check of the keyword proves that names are strings.
      if (readProperty(value, missing as string) === undefined)
        errors.push({ keyword: 'required', path, params: { missing }, schema, value });
    }
  };
}

function findDependent(needs: unknown, schema: Keywords): FindErrors {
  return (value, path, { errors }) => {
    for (const [property, names] of toMembers(needs)) {
      if (readProperty(value, property) === undefined) continue;
      for (const missing of toList(names)) {
        if (errors.length >= MAX_ERRORS) return;
        if (readProperty(value, missing as string) === undefined)
          errors.push({ keyword: 'dependentRequired', path, params: { property, missing }, schema, value });
      }
    }
  };
}

function findEqualItems(isOn: unknown, schema: Keywords): FindErrors {
  return (value, path, { errors }) => {
    const equal = isOn === true ? findDuplicate(toList(value)) : undefined;
    if (equal !== undefined) errors.push({ keyword: 'uniqueItems', path, params: { equal }, schema, value });
  };
}

function findItems(items: unknown, schema: Keywords, { find }: Finder): FindErrors {
  const { prefixItems } = schema;
  const from = toList(prefixItems).length;
  return (value, path, report) => {
    const list = toList(value);
    if (items === false && prefixItems !== undefined) {
      if (list.length > from) report.errors.push({ keyword: 'items', path, params: { limit: from }, schema, value });
      return;
    }
    for (let i = from; i < list.length && report.errors.length < MAX_ERRORS; i++)
      find(items, list[i], { path: `${path}/${i}`, report });
  };
}

function findUnevaluatedItems(given: unknown, schema: Keywords, finder: Finder): FindErrors {
  return (value, path, report) => {
    const evaluated = collectEvaluated(schema, value, finder);
    const others = [...toList(value).entries()].filter(([i]) => !evaluated.has(i));
    if (given === false && others.length > 0)
      report.errors.push({ keyword: 'unevaluatedItems', path, params: {}, schema, value });
    else for (const [i, item] of others) finder.find(given, item, { path: `${path}/${i}`, report });
  };
}

function findPatternProperties(schemas: unknown, _schema: Keywords, { find, work }: Finder): FindErrors {
  const parts = toMembers(schemas).map(([text, schema]) => ({
    pattern: readPattern(text, work.spend).pattern,
    schema,
  }));
  return (value, path, report) => {
    const members = Object.entries(toObject(value));
    for (const { pattern, schema } of parts) {
      for (const [name, member] of members)
        if (pattern.test(name)) find(schema, member, { path: `${path}/${escapeSegment(name)}`, report });
    }
  };
}

/** Finds the errors of properties that nothing declares or evaluates. */
function findOthers(
  keyword: string,
  { given, schema, finder }: { readonly given: unknown; readonly schema: Keywords; readonly finder: Finder },
  toKnown: (value: Keywords) => (name: string) => boolean,
): FindErrors {
  return (value, path, report) => {
    const isKnown = toKnown(toObject(value));
    for (const [name, member] of Object.entries(toObject(value))) {
      if (isKnown(name)) continue;
      if (given === false) report.errors.push({ keyword, path, params: { name }, schema, value });
      else finder.find(given, member, { path: `${path}/${escapeSegment(name)}`, report });
    }
  };
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toObject(value: unknown): Keywords {
  return isObject(value) ? value : {};
}

function toMembers(schemas: unknown): readonly (readonly [name: string, schema: unknown])[] {
  return Object.entries(toObject(schemas));
}

/** An own property that is present: one that is undefined is not in JSON. */
function readProperty(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
