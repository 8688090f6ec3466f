import { isEqualJson, isObject, type SchemaObject, SCHEMA_TYPES } from '../../base/json.js';
import { memoize } from '../../base/memoize.js';
import type { Contract } from '../contract.js';
import { followBareReferences, toPointer } from '../pointer.js';
import { LOWER_BOUNDS, UPPER_BOUNDS } from './keywords.js';
import { ANY_SCHEMA, type SchemaPart } from './parts.js';
import type { SchemaPointers } from './walk.js';

/** One way in which a value can fit its schemas: all of these schemas apply to it, and no alternatives are left. */
export interface SchemaCase {
  /** The names of the components that were chosen in unions; empty for none. */
  readonly name: string;
  readonly parts: readonly CasePart[];
}

interface CasePart extends SchemaPart {
  /** Whether the union that leads to it also has an alternative for null. */
  readonly orNull: boolean;
  /** The alternatives of unions that would lead to too many cases, as pointers. */
  readonly union?: SchemaPointers;
}

/** All that the schemas of a case say about a value, together. */
export interface Constraints {
  /** The types; a number is also listed as integer, null never is. */
  readonly types: ReadonlySet<string>;
  readonly isNullable: boolean;
  /** The values of `enum` and `const` but null; undefined where any value is valid. */
  readonly values: readonly unknown[] | undefined;
  /** Limits by keyword; those that limit nothing are left out. */
  readonly limits: ReadonlyMap<string, number>;
  readonly patterns: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
  readonly isUnique: boolean;
  readonly members: ReadonlyMap<string, SchemaPointers>;
  readonly required: ReadonlySet<string>;
  /** Whether members that are not declared are forbidden. */
  readonly isClosed: boolean;
  /** The schemas of members that are not declared; none where they can be anything. */
  readonly rest: SchemaPointers;
  /** The schemas of members whose names match a pattern, by pattern. */
  readonly matching: ReadonlyMap<string, SchemaPointers>;
  readonly elements: SchemaPointers;
  /** The schemas of the first items of an array. */
  readonly leading: readonly SchemaPointers[];
  /** Schemas in keywords that are neither of the value nor of its parts alone, such as `not`, by keyword. */
  readonly conditions: ReadonlyMap<string, SchemaPointers>;
  /** The members that others require, as `one requires another`. */
  readonly dependencies: ReadonlySet<string>;
  /** The property that selects an alternative. */
  readonly discriminator: string | undefined;
  readonly isDeprecated: boolean;
  /** The values of `default`, none or one. */
  readonly defaults: readonly unknown[];
  /** The pointer of a keyword; that of the first schema where no schema has it. */
  place(keyword: string): string;
}

/** Reads what schemas say about a value. */
export interface ConstraintsReader {
  /** The pointers of schemas, references without other keywords resolved: equal for all uses of a component. */
  targets(pointers: SchemaPointers): SchemaPointers;
  /** The cases of the schemas at pointers, which apply to one value together. */
  cases(pointers: SchemaPointers): readonly SchemaCase[];
  /** The constraints of a case. */
  constraints(chosen: SchemaCase): Constraints;
}

/** A reader of one contract that reads each list of pointers once. */
export function createConstraintsReader(contract: Contract): ConstraintsReader {
  const toTarget = memoize((pointer: string): string => followBareReferences(contract.document, pointer));
  const known = memoize((key: string): readonly SchemaCase[] => {
    const pointers = key === '' ? [] : key.split('\n');
    return pointers.reduce<readonly SchemaCase[]>(
      (cases, pointer) => join(cases, expand(contract, { pointer, orNull: false, seen: new Set() })),
      [NO_PARTS],
    );
  });
  const read = new Map<SchemaCase, Constraints>();
  return {
    targets: (pointers) => pointers.map(toTarget),
    cases: (pointers) => known(pointers.map(toTarget).join('\n')),
    constraints: (chosen) => {
      const before = read.get(chosen);
      const constraints = before ?? readConstraints(chosen.parts);
      if (before === undefined) read.set(chosen, constraints);
      return constraints;
    },
  };
}

const NO_PARTS: SchemaCase = { name: '', parts: [] };

/** More cases than this are not written out, if they are those of several unions together: one of the unions is left as it is. */
const MAX_CASES = 300;

/** The cases in which both of two lists apply. */
function join(some: readonly SchemaCase[], others: readonly SchemaCase[]): readonly SchemaCase[] {
  return some.flatMap(({ name, parts }) =>
    others.map((other) => ({
      name: [name, other.name].filter((each) => each !== '').join(' + '),
      parts: [...parts, ...other.parts],
    })),
  );
}

interface Expansion {
  readonly pointer: string;
  readonly orNull: boolean;
  /** The schemas that it is a part of: one that is a part of itself says nothing more. */
  readonly seen: ReadonlySet<string>;
}

function expand(contract: Contract, { pointer, orNull, seen }: Expansion): readonly SchemaCase[] {
  const given = contract.at(pointer);
  if (given === false) return [{ name: '', parts: [{ schema: NEVER, pointer, orNull }] }];
  if (!isObject(given) || seen.has(pointer)) return [NO_PARTS];
  const schema: SchemaObject = given;
  const inside = new Set([...seen, pointer]);
  const below = (at: string, isNullable: boolean): readonly SchemaCase[] =>
    expand(contract, { pointer: at, orNull: isNullable, seen: inside });
  // A reference says nothing itself.
  const isBare = schema.$ref !== undefined && Object.keys(schema).length === 1;
  let cases: readonly SchemaCase[] = isBare ? [NO_PARTS] : [{ name: '', parts: [{ schema, pointer, orNull }] }];
  if (schema.$ref !== undefined) {
    const target = contract.resolve({ $ref: schema.$ref }, pointer).pointer;
    if (target !== pointer) cases = join(cases, below(target, orNull));
  }
  for (const i of (schema.allOf ?? []).keys()) cases = join(cases, below(`${pointer}/allOf/${i}`, orNull));
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const alternatives = (schema[keyword] ?? []).map((each, i) => ({ each, at: `${pointer}/${keyword}/${i}` }));
    if (alternatives.length === 0) continue;
    const others = alternatives.filter(({ each }) => !isOnlyNull(each));
    const isNullable = orNull || others.length < alternatives.length;
    const chosen = (others.length === 0 ? alternatives : others).flatMap(({ each, at }) =>
      nameCases(below(at, isNullable), isObject(each) && others.length > 1 ? each.$ref : undefined),
    );
    const joined = joinValues(chosen);
    const isSmall = cases.length === 1 || cases.length * joined.length <= MAX_CASES;
    cases = isSmall ? join(cases, joined) : join(cases, [toUnexpanded({ schema, pointer, orNull }, others)]);
  }
  return cases;
}

/** A case in which a union is left as it is. */
function toUnexpanded({ pointer, orNull }: CasePart, alternatives: readonly { readonly at: string }[]): SchemaCase {
  return { name: '', parts: [{ schema: ANY_SCHEMA, pointer, orNull, union: alternatives.map(({ at }) => at) }] };
}

/** A schema that no value fits. */
const NEVER: SchemaObject = Object.freeze({ enum: [] });

function isOnlyNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, enum: values, const: value } = schema;
  return type === 'null' || value === null || (Array.isArray(values) && values.length === 1 && values[0] === null);
}

function nameCases(cases: readonly SchemaCase[], reference: string | undefined): readonly SchemaCase[] {
  const own = reference?.split('/').at(-1);
  if (own === undefined) return cases;
  return cases.map(({ name, parts }) => ({ name: name === '' ? own : `${own} + ${name}`, parts }));
}

/** Alternatives that differ in a type, or in their values alone, as one case with all of them. */
function joinValues(cases: readonly SchemaCase[]): readonly SchemaCase[] {
  const [first, ...others] = cases;
  const [part] = first?.parts ?? [];
  if (first === undefined || part === undefined || others.length === 0) return cases;
  const schemas = cases.flatMap(({ parts }) => (parts.length === 1 ? parts.map(({ schema }) => schema) : []));
  if (schemas.length < cases.length) return cases;
  const listed = schemas.map((schema) => readListed(schema));
  const orNull = cases.some(({ parts }) => parts.some((each) => each.orNull));
  const known = listed.flatMap((each) => each ?? []);
  if (known.length > 0 && listed.every((each) => each !== undefined))
    return [{ name: '', parts: [{ schema: { enum: known }, pointer: part.pointer, orNull }] }];
  const types = schemas.map((schema) => (hasOnlyType(schema) ? [schema.type ?? []].flat() : []));
  if (types.some((list) => list.length === 0)) return cases;
  return [{ name: '', parts: [{ schema: { type: types.flat() }, pointer: part.pointer, orNull }] }];
}

/** The values of a schema that limits nothing else; undefined for another schema. */
function readListed(schema: SchemaObject): readonly unknown[] | undefined {
  const isListed = Object.keys(schema).every((keyword) => /^(?:enum|const)$/.test(keyword) || isWithoutEffect(keyword));
  return isListed ? readValues(schema) : undefined;
}

function hasOnlyType(schema: SchemaObject): boolean {
  return Object.keys(schema).every(isWithoutEffect);
}

function isWithoutEffect(keyword: string): boolean {
  return /^(?:type|title|description|examples?|\$comment|externalDocs|x-.*)$/.test(keyword);
}

function readValues(schema: SchemaObject): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum;
}

function readConstraints(parts: readonly CasePart[]): Constraints {
  const first = parts[0]?.pointer ?? '';
  const schemas = parts.map(({ schema }) => schema);
  const discriminator = schemas.find((schema) => isObject(schema.discriminator))?.discriminator;
  const defaults = schemas.filter((schema) => 'default' in schema).map((schema) => schema.default);
  return {
    ...readTypes(parts),
    ...readMembers(parts),
    ...readElements(parts),
    limits: readLimits(schemas),
    patterns: new Set(schemas.flatMap(({ pattern }) => pattern ?? [])),
    formats: new Set(schemas.flatMap(readFormats)),
    conditions: readConditions(parts),
    dependencies: new Set(
      schemas.flatMap(({ dependentRequired = {} }) =>
        Object.entries(dependentRequired).flatMap(([name, others]) =>
          others.map((other) => `"${name}" requires "${other}"`),
        ),
      ),
    ),
    discriminator: discriminator?.propertyName,
    isDeprecated: schemas.some(({ deprecated }) => deprecated === true),
    defaults: defaults.slice(0, 1),
    place: (keyword) => {
      const part = parts.find(({ schema }) => Object.hasOwn(schema, keyword));
      return part === undefined ? first : part.pointer + toPointer(keyword);
    },
  };
}

function readTypes(parts: readonly CasePart[]): Pick<Constraints, 'types' | 'isNullable' | 'values'> {
  let types: ReadonlySet<string> | undefined;
  let values: readonly unknown[] | undefined;
  for (const { schema, orNull } of parts) {
    const own = toTypes([schema.type ?? []].flat(), orNull);
    if (own !== undefined) types = types === undefined ? own : new Set([...types].filter((type) => own.has(type)));
    const listed = readValues(schema);
    const all = listed === undefined || !orNull ? listed : [...listed, null];
    if (all !== undefined)
      values = values === undefined ? all : values.filter((value) => all.some((each) => isEqualJson(each, value)));
  }
  const known = types ?? inferTypes(parts, values) ?? ALL_TYPES;
  const isNullable = known.has('null') && (values === undefined || values.includes(null));
  const unique = values?.filter((value, i) => value !== null && values?.indexOf(value) === i);
  return { types: new Set([...known].filter((type) => type !== 'null')), isNullable, values: unique };
}

const ALL_TYPES: ReadonlySet<string> = new Set(SCHEMA_TYPES);

function toTypes(types: readonly string[], orNull: boolean): ReadonlySet<string> | undefined {
  if (types.length === 0) return undefined;
  return new Set([...types, ...(types.includes('number') ? ['integer'] : []), ...(orNull ? ['null'] : [])]);
}

/** The types that schemas without `type` mean: those of their values, or the type that their keywords are about. */
function inferTypes(
  parts: readonly CasePart[],
  values: readonly unknown[] | undefined,
): ReadonlySet<string> | undefined {
  if (values !== undefined) return toTypes([...new Set(values.map(toTypeName))], false) ?? new Set();
  const orNull = parts.every((part) => part.orNull);
  if (parts.some(({ schema }) => schema.properties !== undefined)) return toTypes(['object'], orNull);
  if (parts.some(({ schema }) => schema.contentMediaType === BYTES_TYPE)) return toTypes(['string'], orNull);
  return parts.some(({ schema }) => schema.items !== undefined) ? toTypes(['array'], orNull) : undefined;
}

function toTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The formats of a schema; OpenAPI 3.1 writes `byte` and `binary` of 3.0 with keywords of JSON Schema. */
function readFormats({ format, contentEncoding, contentMediaType }: SchemaObject): readonly string[] {
  if (contentEncoding === 'base64') return ['byte'];
  if (contentEncoding === undefined && contentMediaType === BYTES_TYPE) return ['binary'];
  return format === undefined ? [] : [format];
}

const BYTES_TYPE = 'application/octet-stream';

function readMembers(
  parts: readonly CasePart[],
): Pick<Constraints, 'members' | 'required' | 'isClosed' | 'rest' | 'matching'> {
  const members = new Map<string, string[]>();
  const matching = new Map<string, string[]>();
  const rest: string[] = [];
  let isClosed = false;
  for (const { schema, pointer } of parts) {
    const add = (to: Map<string, string[]>, keyword: 'properties' | 'patternProperties'): void => {
      for (const name of Object.keys(schema[keyword] ?? {}))
        to.set(name, [...(to.get(name) ?? []), pointer + toPointer(keyword, name)]);
    };
    add(members, 'properties');
    add(matching, 'patternProperties');
    for (const keyword of ['additionalProperties', 'unevaluatedProperties'] as const) {
      if (schema[keyword] === false) isClosed = true;
      else if (isObject(schema[keyword]) && Object.keys(schema[keyword]).length > 0) rest.push(`${pointer}/${keyword}`);
    }
  }
  const required = new Set(parts.flatMap(({ schema }) => schema.required ?? []));
  return { members, matching, rest, isClosed, required };
}

function readElements(parts: readonly CasePart[]): Pick<Constraints, 'elements' | 'leading' | 'isUnique'> {
  const leading: string[][] = [];
  for (const { schema, pointer } of parts)
    for (const i of (schema.prefixItems ?? []).keys()) (leading[i] ??= []).push(`${pointer}/prefixItems/${i}`);
  const elements = parts.flatMap(({ schema, pointer }) => (schema.items === undefined ? [] : `${pointer}/items`));
  return { leading, elements, isUnique: parts.some(({ schema }) => schema.uniqueItems === true) };
}

const LOWER = [...LOWER_BOUNDS, 'minContains'] as const;
const UPPER = [...UPPER_BOUNDS, 'maxContains'] as const;

function readLimits(schemas: readonly SchemaObject[]): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  const isInteger = schemas.some(({ type }) => type === 'integer');
  const set = (
    keyword: string,
    values: readonly (number | undefined)[],
    choose: (...all: number[]) => number,
  ): void => {
    const known = values.filter((value) => typeof value === 'number');
    if (known.length > 0) limits.set(keyword, choose(...known));
  };
  for (const keyword of LOWER)
    set(
      keyword,
      schemas.map((schema) => readNumber(schema, keyword)),
      Math.max,
    );
  for (const keyword of UPPER)
    set(
      keyword,
      schemas.map((schema) => readNumber(schema, keyword)),
      Math.min,
    );
  set(
    'multipleOf',
    schemas.map(({ multipleOf }) => multipleOf),
    Math.max,
  );
  for (const keyword of ['minLength', 'minItems', 'minProperties'])
    if (limits.get(keyword) === 0) limits.delete(keyword);
  if (isInteger) {
    // An integer above 0 is at least 1.
    include(limits, ['exclusiveMinimum', 'minimum'], (value) => Math.floor(value) + 1);
    include(limits, ['exclusiveMaximum', 'maximum'], (value) => Math.ceil(value) - 1);
    if (limits.get('multipleOf') === 1) limits.delete('multipleOf');
  }
  return limits;
}

function readNumber(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
}

function include(
  limits: Map<string, number>,
  [exclusive, inclusive]: readonly [string, string],
  convert: (value: number) => number,
): void {
  const value = limits.get(exclusive);
  if (value === undefined) return;
  limits.delete(exclusive);
  const choose = inclusive === 'minimum' ? Math.max : Math.min;
  const own = limits.get(inclusive);
  limits.set(inclusive, own === undefined ? convert(value) : choose(convert(value), own));
}

const CONDITIONS = ['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedItems'] as const;

function readConditions(parts: readonly CasePart[]): ReadonlyMap<string, SchemaPointers> {
  const found = new Map<string, string[]>();
  const add = (name: string, pointer: string): void => void found.set(name, [...(found.get(name) ?? []), pointer]);
  for (const { schema, pointer, union = [] } of parts) {
    for (const [i, at] of union.entries()) add(`alternative ${i}`, at);
    for (const keyword of CONDITIONS) if (schema[keyword] !== undefined) add(keyword, `${pointer}/${keyword}`);
    for (const name of Object.keys(schema.dependentSchemas ?? {}))
      add(`dependentSchemas/${name}`, pointer + toPointer('dependentSchemas', name));
  }
  return found;
}
