import type { Ajv, CodeKeywordDefinition, KeywordCxt } from 'ajv';
import type * as ajv2020 from 'ajv/dist/2020.js';
import { createRequire } from 'node:module';
import { readPattern } from '../contract/upgrade/patterns.js';
import { memoize } from '../base/memoize.js';
import { findDuplicate, hasAll, hasProperty } from './checker/comparisons.js';
import { FORMAT_CHECKS } from './checker/formats.js';
import type { CheckParts } from './checker/check.js';
import { CALL_KEYWORD, COUNT_KEYWORD, type SchemaUnit, toUnitId } from './schema-unit.js';
import type { DirectedUnits } from './units.js';
import type { IsValid } from './violation.js';

/** The exports of ajv that write code. */
type Writer = Pick<typeof ajv2020, '_' | 'Name'>;

/**
 * The most schema objects that ajv compiles as one function: its code nests a block for each of them, so that a thousand take a quarter of a
 * second, and two thousand more stack than there is. A larger schema, or one that ajv cannot compile, is left to the checker.
 */
const MAX_COMPILED_NODES = 500;

/**
 * Creates the checks of what clients send: the schema of each unit is compiled by ajv for its first value.
 *
 * Only whether a value is valid is asked of it; `checker/` finds out why one is not, in the same way for both directions.
 */
export function createAjvChecks(
  units: DirectedUnits,
  { formats, work }: Pick<CheckParts, 'formats' | 'work'>,
): (pointer: string) => IsValid {
  let ajv: Ajv | undefined;
  const check = memoize((pointer: string): IsValid => {
    const other = units.check(pointer);
    const unit = units.read(pointer, 'call');
    if (unit.nodes.length > MAX_COMPILED_NODES) return other;
    ajv ??= createAjv({ formats, work, call: check });
    try {
      if (!has(unit, 'unevaluatedProperties', 'unevaluatedItems')) return ajv.compile(unit.schema);
      // To ajv, `contains` evaluates all items (JSON Schema 2020-12 Core, section 10.3.1.3: those that match).
      if (has(unit, 'unevaluatedItems') && has(unit, 'contains')) return other;
      // A called unit does not return its evaluated properties.
      const linked = units.read(pointer, 'ref');
      addReferences(ajv, linked.references, units);
      return ajv.compile(linked.schema);
    } catch {
      return other;
    }
  });
  return check;
}

/** Whether a schema or a part of it has one of some keywords. */
function has({ nodes }: SchemaUnit, ...keywords: readonly string[]): boolean {
  return nodes.some(({ schema }) => keywords.some((keyword) => keyword in schema));
}

/** Adds every referenced unit to ajv, each once. */
function addReferences(ajv: Ajv, references: readonly string[], units: DirectedUnits): void {
  const waiting = [...references];
  for (let pointer = waiting.pop(); pointer !== undefined; pointer = waiting.pop()) {
    const id = toUnitId(pointer);
    if (ajv.schemas[id] !== undefined) continue;
    const unit = units.read(pointer, 'ref');
    ajv.addSchema(unit.schema, id);
    waiting.push(...unit.references);
  }
}

function createAjv({
  formats,
  work,
  call,
}: Pick<CheckParts, 'formats' | 'work'> & { readonly call: (pointer: string) => IsValid }): Ajv {
  // Loaded with the first value of a request: many processes only check what they answer.
  const writer = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof ajv2020;
  const regExp = (pattern: string): RegExp => readPattern(pattern, work.spend).pattern as RegExp;
  regExp.code = 'new RegExp';
  const ajv = new writer.Ajv2020({
    strict: false,
    // JSON.parse reads a number that is too large as Infinity, which JSON cannot represent.
    strictNumbers: true,
    messages: false,
    meta: false,
    validateSchema: false,
    logger: false,
    addUsedSchema: false,
    inlineRefs: false,
    ownProperties: true,
    // 19.99 is a multiple of 0.01, in spite of binary fractions.
    multipleOfPrecision: 6,
    validateFormats: formats === 'assert',
    code: { optimize: false, regExp },
  });
  for (const [name, format] of Object.entries(FORMAT_CHECKS)) ajv.addFormat(name, format);
  avoidDefects(ajv, writer);
  limitWork(ajv);
  ajv.addKeyword({
    keyword: CALL_KEYWORD,
    schemaType: 'string',
    errors: false,
    compile: (pointer: string) => {
      // Found with the first value: a schema can refer to itself.
      let check: IsValid | undefined;
      return (value: unknown) => work.accepts((check ??= call(pointer)), value);
    },
  });
  ajv.addKeyword({
    keyword: COUNT_KEYWORD,
    schemaType: 'boolean',
    errors: false,
    validate: () => {
      work.spend(1);
      return true;
    },
  });
  return ajv;
}

/** Replaces keywords that take quadratic time: `uniqueItems` for each value, `dependentRequired` when it is compiled. */
function limitWork(ajv: Ajv): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (isOn: boolean, items: readonly unknown[]) => !isOn || findDuplicate(items) === undefined,
  });
  ajv.removeKeyword('dependentRequired');
  ajv.addKeyword({
    keyword: 'dependentRequired',
    type: 'object',
    schemaType: 'object',
    errors: false,
    validate: (needs: Readonly<Record<string, readonly string[]>>, value: Readonly<Record<string, unknown>>) =>
      Object.entries(needs).every(([name, names]) => !hasProperty(value, name) || hasAll(value, names)),
  });
}

/**
 * Changes the code of four keywords that have defects in ajv 8.20, not their meaning. (A fifth is avoided in `schema-unit.ts`: `contains`
 * without `maxContains` keeps the result of an array for an empty one that follows in the same loop.)
 */
function avoidDefects(ajv: Ajv, writer: Writer): void {
  for (const keyword of ['prefixItems', 'propertyNames'])
    rewrite(ajv, keyword, (context, writeStock) => writeStock(continueWhenUnset(context, writer)));
  rewrite(ajv, 'patternProperties', (context, writeStock) => collectApart(context, writeStock, writer));
  rewrite(ajv, 'unevaluatedItems', (context, writeStock) => writeStock(countFromZero(context, writer)));
}

/** The keyword after one that keeps its place among those that evaluate items or properties. */
const BEFORE: Readonly<Record<string, string>> = {
  prefixItems: 'unevaluatedItems',
  patternProperties: 'unevaluatedProperties',
};

function rewrite(
  ajv: Ajv,
  keyword: string,
  write: (context: KeywordCxt, writeStock: (context: KeywordCxt) => void) => void,
): void {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition === 'boolean' || !('code' in definition)) return;
  // Only this type of definition has `code`.
  const stock = definition as CodeKeywordDefinition;
  const before = BEFORE[keyword];
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    ...stock,
    keyword,
    ...(before !== undefined && { before }),
    code: (context, ruleType) => write(context, (changed) => stock.code(changed, ruleType)),
  });
}

/**
 * Continues with the next keyword where there is nothing to check: an array shorter than `prefixItems`, an object without properties. ajv
 * leaves the result unset there, and treats that as a failure without an error.
 */
function continueWhenUnset(context: KeywordCxt, { _ }: Writer): KeywordCxt {
  context.ok = (verdict) => void context.gen.if(_`${verdict} !== false`);
  return context;
}

/**
 * Makes the number of evaluated items a number for `unevaluatedItems`. At run time it can be `true` for all items, or unset where a branch
 * was not taken; ajv compares lengths with either.
 */
function countFromZero(context: KeywordCxt, { _ }: Writer): KeywordCxt {
  const { items } = context.it;
  if (items === undefined || typeof items === 'boolean' || typeof items === 'number') return context;
  context.it.items = context.gen.const('evaluated', _`${items} === true ? Infinity : ${items} || 0`);
  return context;
}

/**
 * Collects the properties that patterns evaluate in an object of their own. Those that other keywords evaluated are unset at run time where
 * a branch was not taken, or `true` for all; ajv adds a property to either, which throws.
 */
function collectApart(context: KeywordCxt, writeStock: (context: KeywordCxt) => void, { _, Name }: Writer): void {
  const { gen, it } = context;
  const others = it.props;
  if (it.opts.unevaluated !== true || !(others instanceof Name)) return writeStock(context);
  const own = gen.var('props', _`{}`);
  it.props = own;
  writeStock(context);
  gen.if(_`${others} !== true`, () => gen.assign(others, _`Object.assign(${others} || {}, ${own})`));
  it.props = others;
}
