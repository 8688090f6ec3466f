import type { Contract } from '../../contract/contract.js';
import { isObject, type Schema } from '../../contract/json.js';
import { readSegments } from '../../contract/pointer.js';

/**
 * How much of a value has to be there.
 *
 * - `whole`: all of it, as the contract says.
 * - `partial`: any part; what is left out is made from the schema; a text may be an expression.
 * - `patch`: any part, and `null` takes a member away.
 */
type Wholeness = 'whole' | 'partial' | 'patch';

/** Any JSON Schema, as it is written down. */
export type SchemaText = Readonly<Record<string, unknown>>;

/** Schemas of a contract as parts of another schema. */
export interface SchemaPool {
  /** A reference to the schema that stands at a pointer of the contract. */
  use(pointer: string, wholeness: Wholeness): SchemaText;
  /** What was referred to, by name, for `$defs`. */
  readonly definitions: Readonly<Record<string, SchemaText>>;
}

/** Keywords that say the same in a part of a value as in the whole of it. */
const KEPT: ReadonlySet<string> = new Set([
  'type',
  'const',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'maxItems',
  'title',
  'description',
  'deprecated',
  'default',
  'examples',
]);

/** An expression, alone or within a text. */
const EXPRESSION: SchemaText = { type: 'string', pattern: '\\$(request|vars)\\b' };

/** A pool of the schemas of one contract; each is written once for each wholeness. */
export function createSchemaPool(contract: Contract): SchemaPool {
  const definitions: Record<string, SchemaText> = {};
  const names = new Map<string, string>();
  const use = (pointer: string, wholeness: Wholeness): SchemaText => {
    // A schema pointer of the contract leads to a schema.
    const target = contract.resolve(contract.at(pointer) as Schema, pointer);
    const key = `${wholeness} ${target.pointer}`;
    const known = names.get(key);
    if (known !== undefined) return toReference(known);
    const name = nameFor(target.pointer, wholeness, definitions);
    names.set(key, name);
    // Reserved first: a schema may refer to itself.
    definitions[name] = {};
    definitions[name] = convert(target.schema, { pointer: target.pointer, wholeness, use });
    return toReference(name);
  };
  return { use, definitions };
}

function toReference(name: string): SchemaText {
  return { $ref: `#/$defs/${name}` };
}

function nameFor(pointer: string, wholeness: Wholeness, taken: SchemaText): string {
  const words = readSegments(pointer).filter((segment) => segment !== 'components' && segment !== 'schemas');
  const base = `${wholeness}.${words.slice(-3).join('.')}`.replaceAll(/[^\w.-]/g, '_');
  if (!Object.hasOwn(taken, base)) return base;
  for (let i = 2; ; i++) if (!Object.hasOwn(taken, `${base}-${i}`)) return `${base}-${i}`;
}

interface Conversion {
  readonly pointer: string;
  readonly wholeness: Wholeness;
  use(pointer: string, wholeness: Wholeness): SchemaText;
}

function convert(schema: Schema, conversion: Conversion): SchemaText {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} };
  const { pointer, wholeness, use } = conversion;
  const at = (step: string): SchemaText => convertChild(schema, step, conversion);
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) if (KEPT.has(keyword)) result[keyword] = value;
  if (schema.properties !== undefined) {
    const names = Object.keys(schema.properties);
    result['properties'] = Object.fromEntries(
      names.map((name) => [name, at(`properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)]),
    );
  }
  if (schema.items !== undefined) result['items'] = at('items');
  if (isObject(schema.additionalProperties)) result['additionalProperties'] = at('additionalProperties');
  const { allOf, anyOf = schema.oneOf } = schema;
  if (allOf !== undefined) result['allOf'] = allOf.map((_, i) => at(`allOf/${i}`));
  // A part of a value may suit several branches of a oneOf.
  const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  if (anyOf !== undefined) result['anyOf'] = anyOf.map((_, i) => at(`${keyword}/${i}`));
  if (schema.$ref !== undefined) {
    const target = contractTarget(schema.$ref);
    if (target !== undefined) result['allOf'] = [...((result['allOf'] as []) ?? []), use(target, wholeness)];
  }
  if (wholeness === 'whole' && schema.required !== undefined) result['required'] = schema.required;
  return pointer === '' || wholeness === 'whole' ? result : loosen(result, wholeness);
}

function convertChild(parent: Exclude<Schema, boolean>, step: string, conversion: Conversion): SchemaText {
  const pointer = `${conversion.pointer}/${step}`;
  const child = readStep(parent, step);
  if (isObject(child) && typeof child['$ref'] === 'string') {
    const target = contractTarget(child['$ref']);
    if (target !== undefined) return conversion.use(target, conversion.wholeness);
  }
  // Keywords that hold schemas hold schemas.
  return convert(child as Schema, { ...conversion, pointer });
}

function readStep(parent: unknown, step: string): unknown {
  let value = parent;
  for (const segment of readSegments(`/${step}`)) value = (value as Readonly<Record<string, unknown>>)[segment];
  return value;
}

/** The pointer of a local reference. */
function contractTarget(reference: string): string | undefined {
  return reference.startsWith('#/') ? decodeURIComponent(reference.slice(1)) : undefined;
}

/** A value that may also be an expression or, in a patch, null. */
function loosen(schema: SchemaText, wholeness: 'partial' | 'patch'): SchemaText {
  const others: SchemaText[] = [];
  if (isNarrow(schema)) others.push(EXPRESSION);
  if (wholeness === 'patch' && Object.keys(schema).length > 0) others.push({ type: 'null' });
  return others.length === 0 ? schema : { anyOf: [schema, ...others] };
}

/** Whether a schema is one of plain values that not every text suits. */
function isNarrow(schema: SchemaText): boolean {
  const types = new Set([schema['type']].flat());
  if (types.has('object') || types.has('array') || schema['properties'] !== undefined) return false;
  const isAnyText =
    types.has('string') && !['enum', 'const', 'pattern', 'format', 'maxLength'].some((name) => name in schema);
  return !isAnyText && (schema['type'] !== undefined || 'enum' in schema || 'const' in schema);
}
