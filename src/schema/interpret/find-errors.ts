import type { ErrorObject } from 'ajv';
import { isObject } from '../../contract/json.js';
import { escapeSegment } from '../../contract/pointer.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import { type InterpreterParts, interpretKeyword, interpretSchema } from './interpret-schema.js';
import {
  CALL_KEYWORD,
  findDuplicate,
  findMissing,
  FORBIDDEN_KEYWORD,
  removeDuplicates,
  type Validate,
} from '../schema-unit.js';

/** Adds the errors of the value at a path. */
type FindErrors = (value: unknown, path: string, found: ErrorObject[]) => void;

/** What finding errors depends on. */
interface FinderParts extends InterpreterParts {
  /** The check of the unit at a pointer that finds its errors. */
  readonly explain: (pointer: string) => Validate;
}

type Keywords = Readonly<Record<string, unknown>>;

/**
 * Creates what finds the errors of values without compiling their schemas: those that the compiled schema finds, in its order. It is for
 * schemas of which `interpretSchema` reads all.
 *
 * What is computed from a schema is kept, and computed when the first value reaches it.
 */
export function createErrorFinder(parts: FinderParts): (schema: unknown) => FindErrors {
  const known = new WeakMap<object, readonly FindErrors[]>();
  const find: Finder['find'] = (schema, value, { path, found }) => {
    if (schema === false) found.push(toError({ keyword: 'false schema', schema }, value, path));
    if (!isObject(schema)) return;
    const steps = known.get(schema) ?? listSteps(schema, { ...parts, find });
    known.set(schema, steps);
    for (const step of steps) step(value, path, found);
  };
  return (schema) => (value, path, found) => find(schema, value, { path, found });
}

/** Finds the errors of the keywords of one schema. */
interface Finder extends FinderParts {
  find(schema: unknown, value: unknown, at: { readonly path: string; readonly found: ErrorObject[] }): void;
}

/** The keywords in the order of the compiler, by the type of the values that they apply to. */
const GROUPS: readonly (readonly [type: string, keywords: readonly string[]])[] = (
  [
    ['', `const enum not allOf if anyOf oneOf ${FORBIDDEN_KEYWORD} ${CALL_KEYWORD}`],
    ['number', 'maximum minimum exclusiveMaximum exclusiveMinimum multipleOf format'],
    ['string', 'pattern format minLength maxLength'],
    ['array', 'maxItems minItems items maxContains minContains contains uniqueItems prefixItems'],
    [
      'object',
      'maxProperties minProperties required additionalProperties properties dependentRequired dependentSchemas ' +
        'patternProperties propertyNames',
    ],
  ] as const
).map(([type, keywords]) => [type, keywords.split(' ')]);

function listSteps(schema: Keywords, finder: Finder): readonly FindErrors[] {
  const types: readonly unknown[] = [schema['type'] ?? []].flat();
  const reportType: FindErrors = (value, path, found) =>
    found.push(toError({ keyword: 'type', schema, params: { type: schema['type'] } }, value, path));
  const used = GROUPS.map(([type, keywords]) => ({
    type,
    keywords: keywords.filter((keyword) => schema[keyword] !== undefined),
  })).filter(({ keywords }) => keywords.length > 0);
  // The only type is checked with the keywords for it, where there are any.
  const own = types.length === 1 ? used.find(({ type }) => type === types[0]) : undefined;
  const isType = types.length === 0 || own !== undefined ? undefined : interpretKeyword('type', schema, finder);
  const first: readonly FindErrors[] =
    isType === undefined ? [] : [(value, path, found) => isType(value) || reportType(value, path, found)];
  const rest = used.map((group): FindErrors => {
    const steps = group.keywords.flatMap((keyword) => toStep(keyword, schema, finder) ?? []);
    const applies = group.type === '' ? undefined : interpretKeyword('type', { type: group.type }, finder);
    return (value, path, found) => {
      if (applies?.(value) !== false) for (const step of steps) step(value, path, found);
      else if (group === own) reportType(value, path, found);
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
  const isValid = interpretKeyword(keyword, schema, finder);
  return (value, path, found) => {
    if (isValid?.(value) === false)
      found.push(toError({ keyword, schema, params: toParams(schema[keyword], schema) }, value, path));
  };
}

function toError(
  { keyword, schema, params = {} }: Pick<ErrorObject, 'keyword'> & { schema: unknown; params?: ErrorObject['params'] },
  data: unknown,
  instancePath: string,
): ErrorObject {
  // A schema is an object or `false`, as in the errors of the compiler.
  return { keyword, instancePath, schemaPath: '', params, parentSchema: schema as Keywords, data };
}

/** The parameters of the error of a keyword. */
type ToParams = (value: unknown, schema: Keywords) => ErrorObject['params'];

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
  [
    CALL_KEYWORD,
    (pointer, _, { explain, work }) => {
      let validate: Validate | undefined;
      return (value, path, found) => {
        // The keyword's value is a string. Found with the first value: a schema can refer to itself.
        validate ??= explain(pointer as string);
        if (work.call(validate, value, { ...TOP, instancePath: path })) return;
        const errors = validate.errors ?? [];
        found.push(...(errors.length < 2 ? errors : removeDuplicates(errors)));
      };
    },
  ],
  [
    'allOf',
    (schemas, _, { find }) =>
      (value, path, found) => {
        for (const schema of toList(schemas)) find(schema, value, { path, found });
      },
  ],
  ['oneOf', findPassing],
  ['if', findConditional],
  ['required', findRequired],
  [
    'dependentRequired',
    (names, schema) => (value, path, found) => {
      // Its values are checked by the interpreter.
      const needs = Object.entries(names as Readonly<Record<string, readonly string[]>>);
      for (const [property, missingProperty] of findMissing(value as Keywords, needs)) {
        const params = { property, missingProperty };
        found.push(toError({ keyword: 'dependentRequired', schema, params }, value, path));
      }
    },
  ],
  [
    'uniqueItems',
    (isOn, schema) => (value, path, found) => {
      const pair = isOn === true ? findDuplicate(toList(value)) : undefined;
      if (pair === undefined) return;
      const [i, j] = pair;
      found.push(toError({ keyword: 'uniqueItems', schema, params: { i, j } }, value, path));
    },
  ],
  ['items', findItems],
  [
    'prefixItems',
    (schemas, _, { find }) =>
      (value, path, found) => {
        const items = toList(value);
        for (const [i, schema] of toList(schemas).entries())
          if (i < items.length) find(schema, items[i], { path: `${path}/${i}`, found });
      },
  ],
  [
    'properties',
    (schemas, _, { find }) =>
      (value, path, found) => {
        for (const [name, schema] of toMembers(schemas)) {
          const member = readProperty(value, name);
          if (member !== undefined) find(schema, member, { path: `${path}/${escapeSegment(name)}`, found });
        }
      },
  ],
  [
    'dependentSchemas',
    (schemas, _, { find }) =>
      (value, path, found) => {
        for (const [name, schema] of toMembers(schemas))
          if (readProperty(value, name) !== undefined) find(schema, value, { path, found });
      },
  ],
  ['patternProperties', findPatternProperties],
  ['additionalProperties', findAdditional],
  [
    'propertyNames',
    (schema, owner, { find }) =>
      (value, path, found) => {
        for (const propertyName of Object.keys(toObject(value))) {
          const { length } = found;
          find(schema, propertyName, { path, found });
          if (found.length > length)
            found.push(toError({ keyword: 'propertyNames', schema: owner, params: { propertyName } }, value, path));
        }
      },
  ],
]);

const TOP = { parentData: {}, parentDataProperty: '', rootData: {}, dynamicAnchors: {} };

function findPassing(schemas: unknown, schema: Keywords, finder: Finder): FindErrors {
  const checks = toList(schemas).map((one) => interpretSchema(one, finder));
  return (value, path, found) => {
    const passing: number[] = [];
    for (let i = 0; i < checks.length && passing.length < 2; i++) if (checks[i]?.(value) === true) passing.push(i);
    if (passing.length === 1) return;
    const passingSchemas = passing.length === 0 ? null : passing;
    found.push(toError({ keyword: 'oneOf', schema, params: { passingSchemas } }, value, path));
  };
}

function findConditional(condition: unknown, schema: Keywords, finder: Finder): FindErrors {
  const test = interpretSchema(condition, finder);
  return (value, path, found) => {
    const failingKeyword = test?.(value) === true ? 'then' : 'else';
    const { length } = found;
    finder.find(schema[failingKeyword], value, { path, found });
    if (found.length > length) found.push(toError({ keyword: 'if', schema, params: { failingKeyword } }, value, path));
  };
}

function findRequired(names: unknown, schema: Keywords): FindErrors {
  return (value, path, found) => {
    for (const missingProperty of toList(names)) {
      // The interpreter checks that names are strings.
      if (readProperty(value, missingProperty as string) !== undefined) continue;
      found.push(toError({ keyword: 'required', schema, params: { missingProperty } }, value, path));
    }
  };
}

function findItems(items: unknown, schema: Keywords, { find }: Finder): FindErrors {
  const { prefixItems } = schema;
  const from = toList(prefixItems).length;
  return (value, path, found) => {
    const list = toList(value);
    if (items === false && prefixItems !== undefined) {
      if (list.length > from) found.push(toError({ keyword: 'items', schema, params: { limit: from } }, value, path));
      return;
    }
    for (let i = from; i < list.length; i++) find(items, list[i], { path: `${path}/${i}`, found });
  };
}

function findPatternProperties(schemas: unknown, _schema: Keywords, { find, work }: Finder): FindErrors {
  const parts = toMembers(schemas).map(([text, schema]) => ({
    pattern: readPattern(text, work.spend).pattern,
    schema,
  }));
  return (value, path, found) => {
    const members = Object.entries(toObject(value));
    for (const { pattern, schema } of parts) {
      for (const [name, member] of members)
        if (pattern.test(name)) find(schema, member, { path: `${path}/${escapeSegment(name)}`, found });
    }
  };
}

function findAdditional(additional: unknown, schema: Keywords, { find, work }: Finder): FindErrors {
  const declared = toObject(schema['properties']);
  const patterns = Object.keys(toObject(schema['patternProperties'])).map(
    (text) => readPattern(text, work.spend).pattern,
  );
  return (value, path, found) => {
    for (const [additionalProperty, member] of Object.entries(toObject(value))) {
      if (Object.hasOwn(declared, additionalProperty)) continue;
      if (patterns.some((pattern) => pattern.test(additionalProperty))) continue;
      if (additional !== false)
        find(additional, member, { path: `${path}/${escapeSegment(additionalProperty)}`, found });
      else
        found.push(toError({ keyword: 'additionalProperties', schema, params: { additionalProperty } }, value, path));
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
