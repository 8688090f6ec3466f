import type { Ajv, Code, CodeKeywordDefinition, KeywordCxt, Options } from 'ajv';
import type * as ajv2020 from 'ajv/dist/2020.js';
import { createRequire } from 'node:module';
import type { GuardedPattern } from '../contract/patterns/guarded-pattern.js';
import { readPattern } from '../contract/upgrade/patterns.js';
import { FORMAT_CHECKS } from './interpret/formats.js';
import { PARTED_KEYWORDS, type PartedKeyword } from './parts-check.js';
import {
  CALL_KEYWORD,
  COUNT_KEYWORD,
  findDuplicate,
  findMissing,
  FORBIDDEN_KEYWORD,
  LENGTH_CHECKS,
  MAX_ERRORS,
  removeDuplicates,
  stopAtLimit,
  type UnitLink,
  type Validate,
  type Work,
} from './schema-unit.js';
import type { IsValid } from './violation.js';

/** Options of a validator. */
export interface ValidatorOptions {
  /** `quick` stops at the first error; `full` finds all, with the schema of each. */
  readonly depth: 'quick' | 'full';
  readonly link: UnitLink;
  /** Whether `format` is checked (JSON Schema 2020-12 leaves it open). */
  readonly formats: 'assert' | 'annotate';
  /** The compiled unit at a pointer, for its first value. */
  readonly call: (pointer: string) => Validate;
  readonly work: Work;
  /** The check of an alternative of a large union; undefined where it has to be compiled. */
  readonly interpret?: ((schema: unknown) => IsValid | undefined) | undefined;
  /** The check of a keyword with very many schemas, one by one; undefined for any other keyword. */
  readonly checkParts?: ((keyword: PartedKeyword, schema: unknown) => Validate | undefined) | undefined;
  /** Called for a pattern that is not translated exactly. */
  readonly onPattern: (pattern: string, remark: string) => void;
}

/** What is used of ajv to write code. */
type Writer = Pick<typeof ajv2020, '_' | 'str' | 'Name'>;

/** Creates a schema compiler with the fastest options (no inlining, no optimiser) and the keywords of units. */
export function createValidator(options: ValidatorOptions): Ajv {
  // Loaded with the first schema that is compiled: the first values of a schema are interpreted, so many processes compile none.
  const writer = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof ajv2020;
  const { Ajv2020, _ } = writer;
  const regExp = (pattern: string): GuardedPattern => {
    const reading = readPattern(pattern, options.work.spend);
    if (reading.remark !== undefined) options.onPattern(pattern, reading.remark);
    return reading.pattern;
  };
  regExp.code = 'new RegExp';
  const settings: Options = {
    strict: false,
    // JSON.parse reads a number that is too large as Infinity, which JSON cannot represent.
    strictNumbers: true,
    allErrors: options.depth === 'full',
    verbose: options.depth === 'full',
    messages: false,
    meta: false,
    validateSchema: false,
    logger: false,
    addUsedSchema: false,
    inlineRefs: false,
    ownProperties: true,
    // 19.99 is a multiple of 0.01, in spite of binary fractions.
    multipleOfPrecision: 6,
    validateFormats: options.formats === 'assert',
    code: { optimize: false, regExp, ...(options.depth === 'full' && { process: stopAtLimit }) },
  };
  const ajv = new Ajv2020(settings);
  // A called unit does not return its evaluated properties; units that need them are linked by `$ref`.
  ajv.opts.unevaluated = options.link === 'ref';
  for (const [name, check] of Object.entries(FORMAT_CHECKS)) ajv.addFormat(name, check);
  repairKeywords(ajv, writer);
  for (const keyword of ['anyOf', 'oneOf'] as const)
    rewrite(ajv, keyword, (context) => (writeUnion(context, keyword, { ...options, _ }) ? undefined : context));
  for (const keyword of PARTED_KEYWORDS)
    rewrite(ajv, keyword, (context) => {
      const parts = options.checkParts?.(keyword, context.schema);
      return parts === undefined ? context : writeValidate(context, parts, writer);
    });
  // After the keywords above, among which its place is.
  rewrite(ajv, 'patternProperties', (context, writeStock) => collectApart(context, writeStock, writer));
  rewrite(ajv, 'dependentRequired', (context) => writeDependentRequired(context, writer));
  ajv.addKeyword({ keyword: FORBIDDEN_KEYWORD, schemaType: 'boolean', code: (context) => context.fail() });
  ajv.addKeyword({
    keyword: CALL_KEYWORD,
    schemaType: 'string',
    code: (context) => writeCall(context, options, writer),
  });
  ajv.addKeyword({
    keyword: COUNT_KEYWORD,
    schemaType: 'boolean',
    code: ({ gen }) => gen.code(_`${gen.scopeValue('func', { ref: options.work.spend })}(1)`),
  });
  return ajv;
}

/** Generates the call of another unit, which is compiled for its first value. */
function writeCall(
  context: KeywordCxt,
  { call, work, depth }: Pick<ValidatorOptions, 'call' | 'work' | 'depth'>,
  writer: Writer,
): void {
  // The keyword's schema type is string.
  const pointer = context.schema as string;
  let validate: Validate | undefined;
  const lazy: Validate = (value, at) => {
    validate ??= call(pointer);
    const valid = work.call(validate, value, at);
    const found = validate.errors ?? null;
    lazy.errors = found === null || found.length < 2 || depth === 'quick' ? found : removeDuplicates(found);
    return valid;
  };
  writeValidate(context, lazy, writer);
}

/** Generates the call of a function that checks the value. */
function writeValidate(context: KeywordCxt, validate: Validate, { _, str, Name }: Writer): undefined {
  const { gen, data, it } = context;
  // The names in the code of ajv (ajv/dist/compile/names.js).
  const [vErrors, errors, path] = [new Name('vErrors'), new Name('errors'), new Name('instancePath')];
  const source = gen.scopeValue('validate', { ref: validate });
  // As ajv calls the function of a `$ref` (ajv/dist/vocabularies/code.js).
  const at = gen.object(
    [path, str`${path}${it.errorPath}`],
    ['parentData', it.parentData],
    ['parentDataProperty', it.parentDataProperty],
    ['rootData', new Name('rootData')],
    ['dynamicAnchors', new Name('dynamicAnchors')],
  );
  context.result(_`${source}(${data}, ${at})`, undefined, () => {
    // Limited, because joining the errors of each item of a long array to all before is quadratic.
    const joined = _`${vErrors}.length < ${MAX_ERRORS} ? ${vErrors}.concat(${source}.errors) : ${vErrors}`;
    gen.assign(vErrors, _`${vErrors} === null ? ${source}.errors : ${joined}`);
    gen.assign(errors, _`${vErrors}.length`);
  });
}

/** The stock code has two lines for each pair of names: for 200 names that require each other, it takes seconds to compile. */
function writeDependentRequired(context: KeywordCxt, { _ }: Writer): KeywordCxt | undefined {
  const { gen, data, allErrors } = context;
  // Its values are checked here.
  const needs = Object.entries((context.schema ?? {}) as Readonly<Record<string, readonly string[]>>);
  if (needs.some(([, names]) => !Array.isArray(names))) return context;
  const find = (value: Readonly<Record<string, unknown>>): readonly unknown[] => findMissing(value, needs);
  const pairs = gen.const('pairs', _`${gen.scopeValue('func', { ref: find })}(${data})`);
  const none = { depsCount: 1, deps: '' };
  const toParams = (pair: Code) => ({ ...none, property: _`${pair}[0]`, missingProperty: _`${pair}[1]` });
  if (allErrors === true) {
    gen.forOf('pair', pairs, (pair) => {
      context.setParams(toParams(pair));
      context.error();
    });
  } else {
    context.setParams(toParams(_`${pairs}[0]`));
    context.fail(_`${pairs}.length > 0`);
  }
  return undefined;
}

/**
 * Changes the code of some keywords, not their meaning.
 * Unions report one error instead of those of all alternatives: `explain.ts` finds the alternative that was meant. Four keywords have
 * defects in ajv 8.20.
 */
function repairKeywords(ajv: Ajv, writer: Writer): void {
  for (const keyword of ['anyOf', 'oneOf', 'contains']) rewrite(ajv, keyword, quiet);
  for (const keyword of ['prefixItems', 'propertyNames'])
    rewrite(ajv, keyword, (context) => continueWhenUnset(context, writer));
  rewrite(ajv, 'unevaluatedItems', (context) => countFromZero(context, writer));
  rewrite(ajv, 'uniqueItems', (context) => writeUniqueItems(context, writer));
  for (const keyword of ['minLength', 'maxLength'] as const)
    rewrite(ajv, keyword, (context) => writeLength(context, LENGTH_CHECKS[keyword], writer));
}

function writeLength(context: KeywordCxt, check: (typeof LENGTH_CHECKS)['minLength'], { _ }: Writer): undefined {
  context.fail(_`!${context.gen.scopeValue('func', { ref: check })}(${context.data}, ${context.schemaCode})`);
}

/** Finds equal items in linear time; ajv compares each pair of objects. */
function writeUniqueItems(context: KeywordCxt, { _ }: Writer): undefined {
  if (context.schema !== true) return;
  const { gen, data } = context;
  const found = gen.const('found', _`${gen.scopeValue('func', { ref: findDuplicate })}(${data})`);
  context.setParams({ i: _`${found}[0]`, j: _`${found}[1]` });
  context.fail(_`${found} !== undefined`);
}

/** The keyword after one that keeps its place; `unevaluatedItems` comes after all that evaluates items. */
const BEFORE: Readonly<Record<string, string>> = {
  allOf: 'if',
  dependentRequired: 'dependentSchemas',
  patternProperties: 'unevaluatedProperties',
  properties: 'patternProperties',
};

/** @param change - Returns undefined where it has generated the code, of which the stock code can be a part. */
function rewrite(
  ajv: Ajv,
  keyword: string,
  change: (context: KeywordCxt, writeStock: () => void) => KeywordCxt | undefined,
): void {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition === 'boolean' || !('code' in definition)) return;
  // Only this type of definition has `code`.
  const stock = definition as CodeKeywordDefinition;
  const isOfArrays = [stock.type].flat().includes('array') && keyword !== 'unevaluatedItems';
  const before = BEFORE[keyword] ?? (isOfArrays ? 'unevaluatedItems' : undefined);
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    ...stock,
    keyword,
    ...(before !== undefined && { before }),
    code: (context, ruleType) => {
      const changed = change(context, () => stock.code(context, ruleType));
      if (changed !== undefined) stock.code(changed, ruleType);
    },
  });
}

/** The stock code nests a block for each alternative, so that a thousand take seconds to compile, or more stack than there is. */
const MAX_NESTED = 64;

/** Generates the code of a large union, which reports one error without details anyway; false for any other. */
function writeUnion(
  context: KeywordCxt,
  keyword: 'anyOf' | 'oneOf',
  { link, interpret, _ }: Pick<ValidatorOptions, 'interpret' | 'link'> & Pick<Writer, '_'>,
): boolean {
  const schemas: readonly unknown[] = Array.isArray(context.schema) ? context.schema : [];
  if (schemas.length <= MAX_NESTED || link === 'ref' || interpret === undefined) return false;
  const checks = schemas.flatMap((schema) => interpret(schema) ?? []);
  if (checks.length < schemas.length) return false;
  const { gen } = context;
  const most = keyword === 'anyOf' ? 1 : 2;
  const find = (value: unknown): readonly number[] => {
    const found: number[] = [];
    for (let i = 0; i < checks.length && found.length < most; i++) if (checks[i]?.(value) === true) found.push(i);
    return found;
  };
  const passing = gen.const('passing', _`${gen.scopeValue('validate', { ref: find })}(${context.data})`);
  context.setParams({ passing: _`${passing}.length > 1 ? ${passing} : null` });
  context.pass(_`${passing}.length === 1`);
  return true;
}

/** Replaces the errors of the subschemas of a keyword by its own error. */
function quiet(context: KeywordCxt): KeywordCxt {
  const error = context.error.bind(context);
  const subschema = context.subschema.bind(context);
  context.error = (...report) => {
    context.reset();
    error(...report);
  };
  context.subschema = (part, valid) => subschema({ ...part, createErrors: false, allErrors: false }, valid);
  return context;
}

/**
 * Continues with the next keyword where there is nothing to check: an array shorter than `prefixItems`, an object without properties. ajv
 * leaves the result unset there, and with `allErrors: false` treats that as a failure without an error.
 */
function continueWhenUnset(context: KeywordCxt, { _ }: Writer): KeywordCxt {
  context.ok = (verdict) => {
    if (context.allErrors !== true) context.gen.if(_`${verdict} !== false`);
  };
  return context;
}

/**
 * Makes the number of evaluated items a number for `unevaluatedItems`. At run time it can be `true` for all items, or unset where a branch
 * was not taken; ajv compares lengths with either.
 */
function countFromZero(context: KeywordCxt, { _ }: Writer): KeywordCxt {
  const { items } = context.it;
  if (items === undefined || typeof items === 'boolean' || typeof items === 'number') return context;
  const { gen } = context;
  context.it.items = gen.const('evaluated', _`${items} === true ? Infinity : ${items} || 0`);
  return context;
}

/**
 * Collects the properties that patterns evaluate in an object of their own. Those that other keywords evaluated are unset at run time where
 * a branch was not taken, or `true` for all; ajv adds a property to either, which throws.
 */
function collectApart(context: KeywordCxt, writeStock: () => void, { _, Name }: Writer): KeywordCxt | undefined {
  const { gen, it } = context;
  const others = it.props;
  if (it.opts.unevaluated !== true || !(others instanceof Name)) return context;
  const own = gen.var('props', _`{}`);
  it.props = own;
  writeStock();
  gen.if(_`${others} !== true`, () => gen.assign(others, _`Object.assign(${others} || {}, ${own})`));
  it.props = others;
  return undefined;
}
