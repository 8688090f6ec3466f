import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Contract } from '../contract/contract.js';
import { isObject, readOwn } from '../contract/json.js';
import { escapeSegment, fromReference } from '../contract/pointer.js';
import { readField } from '../contract/upgrade/node.js';
import { createFlagFinder, isFlagged } from './shape.js';
import { LimitError } from '../errors.js';
import { isBytes } from '../platform.js';
import type { Direction, IsValid } from './violation.js';

/**
 * One schema of the document, copied for the validator with its keywords only, and every `$ref` as a call of another unit. The document
 * itself is not passed: the validator would read an `$id` in an example as an id.
 */
export interface SchemaUnit {
  readonly schema: UnitSchema;
  /** Every copied schema object with its pointer; a child comes before its parent. */
  readonly nodes: readonly UnitNode[];
  /** Pointers of the units this one calls. */
  readonly references: readonly string[];
  /** References that cannot be resolved: anything is accepted there. */
  readonly unresolved: readonly { readonly pointer: string; readonly reference: string }[];
}

/** A copied schema object, from which repairs can remove keywords. */
export type UnitSchema = Record<string, unknown>;

/** A copied schema object and the pointer of the original. */
export interface UnitNode {
  readonly schema: UnitSchema;
  readonly pointer: string;
}

/** The `maxContains` of a schema without a limit. */
export const ANY_NUMBER: number = Number.MAX_SAFE_INTEGER;

/** The maximum number of errors of one value: a large body would have a hundred thousand. */
export const MAX_ERRORS = 500;

/** How units refer to each other: `call` compiles the other unit for its first value; `ref` compiles it at once. */
export type UnitLink = 'call' | 'ref';

/** The keyword of a `$ref` that is compiled on first use. */
export const CALL_KEYWORD = 'vouchCall';
/** The keyword of a `$ref` that is compiled together with its target: it counts the calls. */
export const COUNT_KEYWORD = 'vouchCount';
/** The keyword of a `writeOnly` property of an answer. */
export const FORBIDDEN_KEYWORD = 'vouchForbidden';

const VALUES: ReadonlySet<string> = new Set(
  (
    'type const enum format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'minItems maxItems uniqueItems minContains maxContains minProperties maxProperties dependentRequired required'
  ).split(' '),
);

/** Keywords whose schemas do not apply to the value, or, for `contentSchema`, to a string in it. */
const IGNORED: ReadonlySet<string> = new Set(['$defs', 'definitions', 'contentSchema']);

/** The id of a unit that is linked by `$ref`. */
export function toUnitId(pointer: string): string {
  // Encoded, because the validator resolves ids as URIs.
  return `vouch:${Buffer.from(pointer).toString('base64url')}`;
}

/** The copy of one unit. */
interface UnitCopy {
  readonly contract: Contract;
  readonly direction: Direction;
  readonly link: UnitLink;
  readonly nodes: UnitNode[];
  readonly references: Set<string>;
  /** Whether only values of the other direction have a property of a schema. */
  readonly oneWay: Map<unknown, ReturnType<typeof createFlagFinder>>;
  readonly unresolved: { pointer: string; reference: string }[];
}

/** Copies the schema at a pointer; undefined where there is none. */
export function readUnit(
  contract: Contract,
  pointer: string,
  how: { readonly direction: Direction; readonly link: UnitLink },
): SchemaUnit | undefined {
  const original = contract.at(pointer);
  if (typeof original !== 'boolean' && !isObject(original)) return undefined;
  const copy: UnitCopy = { contract, ...how, nodes: [], references: new Set(), oneWay: new Map(), unresolved: [] };
  const schema = isObject(original) ? copyObject(original, { at: pointer, owners: [] }, copy) : { not: !original };
  return { schema, nodes: copy.nodes, references: [...copy.references], unresolved: copy.unresolved };
}

/** The pointer of a schema, and the schemas around it that apply to the same value. */
type SchemaPlace = { readonly at: string; readonly owners: readonly unknown[] };

function copySchema(schema: unknown, place: SchemaPlace, copy: UnitCopy): UnitSchema | boolean {
  if (typeof schema === 'boolean') return schema;
  return isObject(schema) ? copyObject(schema, place, copy) : true;
}

function copyObject(schema: Readonly<Record<string, unknown>>, place: SchemaPlace, copy: UnitCopy): UnitSchema {
  const result: UnitSchema = {};
  const owners = [...place.owners, schema];
  for (const [keyword, value] of Object.entries(schema)) {
    if (VALUES.has(keyword)) {
      result[keyword] = value;
      continue;
    }
    const shape = IGNORED.has(keyword) ? undefined : readField('schema', keyword)?.shape;
    // Most other keywords are texts for people.
    if (shape === undefined) continue;
    const at = `${place.at}/${escapeSegment(keyword)}`;
    if (shape === 'one') result[keyword] = copySchema(value, { at, owners: [] }, copy);
    else if (shape === 'list' && Array.isArray(value)) {
      // These apply to the same value.
      const below = keyword === 'prefixItems' ? [] : owners;
      result[keyword] = value.map((item, i) => copySchema(item, { at: `${at}/${i}`, owners: below }, copy));
    } else if (shape === 'map' && isObject(value)) result[keyword] = copyMap(value, at, copy);
  }
  // ajv 8.20 keeps the result of an array for an empty one that follows in the same loop, unless it counts.
  if ('contains' in result) result['maxContains'] ??= ANY_NUMBER;
  linkReference(result, schema, copy);
  if (Array.isArray(result['required'])) result['required'] = narrowRequired(result['required'], owners, copy);
  copy.nodes.push({ schema: result, pointer: place.at });
  const lost = schema['x-vouch-unresolved'];
  if (typeof lost === 'string') copy.unresolved.push({ pointer: place.at, reference: lost });
  return result;
}

function copyMap(map: Readonly<Record<string, unknown>>, at: string, copy: UnitCopy): Record<string, unknown> {
  // Not a literal: a property may be called __proto__.
  const result = Object.create(null) as Record<string, unknown>;
  const isProperties = at.endsWith('/properties');
  for (const [name, value] of Object.entries(map)) {
    const here = `${at}/${escapeSegment(name)}`;
    if (isProperties && copy.direction === 'response' && isFlagged(copy.contract, value, 'writeOnly')) {
      const forbidden = { [FORBIDDEN_KEYWORD]: true };
      copy.nodes.push({ schema: forbidden, pointer: here });
      result[name] = forbidden;
    } else result[name] = copySchema(value, { at: here, owners: [] }, copy);
  }
  return result;
}

function linkReference(result: UnitSchema, schema: Readonly<Record<string, unknown>>, copy: UnitCopy): void {
  // After loading, every reference is local; a dynamic reference with a pointer works like a plain one.
  const target = fromReference(schema['$ref'] ?? schema['$dynamicRef']);
  if (target === undefined) return;
  copy.references.add(target);
  if (copy.link === 'ref') {
    result[COUNT_KEYWORD] = true;
    result['$ref'] = toUnitId(target);
  } else result[CALL_KEYWORD] = target;
}

/** OpenAPI 3.1, Schema Object: a required `readOnly` property is required in answers only, a `writeOnly` one in requests only. */
function narrowRequired(names: readonly unknown[], owners: readonly unknown[], copy: UnitCopy): readonly unknown[] {
  const flag = copy.direction === 'request' ? 'readOnly' : 'writeOnly';
  const finders = owners.map((owner) => {
    const find = copy.oneWay.get(owner) ?? createFlagFinder(copy.contract, owner, flag);
    copy.oneWay.set(owner, find);
    return find;
  });
  return names.filter((name) => typeof name !== 'string' || !finders.some((isOneWay) => isOneWay(name)));
}

/** A compiled schema: whether a value is valid, and the `errors` of the last invalid value. */
export interface Validate {
  (value: unknown, context?: Parameters<ValidateFunction>[1]): boolean;
  errors?: readonly ErrorObject[] | null;
}

/**
 * The work that one request may cause. Schemas that refer to each other can be checked a number of times that grows exponentially with the
 * depth of a value or of the document, so their results are kept once there are many of them.
 */
export interface Work {
  /** Starts from zero, until the next `end` or `begin`. */
  begin(): void;
  /** Lets each check start from zero again. */
  end(): void;
  /** Starts from zero for one check, except between `begin` and `end`. */
  beginCheck(): void;
  /** Adds work, in calls of units. @throws LimitError beyond the limit. */
  spend(calls: number): void;
  /** Whether schemas with so many objects may be compiled for this request; those of one request are few, since a compilation blocks all others. */
  mayCompile(nodes: number): boolean;
  /** Calls a check without details. @throws LimitError beyond the limit. */
  accepts(check: IsValid, value: unknown): boolean;
  /** Calls a unit, or sets its errors to those of the same call before. @throws LimitError beyond the limit. */
  call(validate: Validate, value: unknown, at: Parameters<Validate>[1]): boolean;
}

/** Calls of units after which their results are kept; ordinary requests stay below. */
const MANY_CALLS = 10_000;
/** The most calls of units for one request: that of 10 MB of small objects. */
const MAX_CALLS = 2_000_000;
/** The most schema objects that are compiled for one request, unless one schema has more: that takes about 20 ms. */
const MAX_COMPILED_NODES = 500;
/** The most results that are kept. */
const MAX_RESULTS = 20_000;

/** The result of one call. */
interface Result {
  readonly path: string | undefined;
  readonly valid: boolean;
  readonly errors: Validate['errors'];
}

/** Creates the counter of one contract. */
export function createWork(): Work {
  let calls = 0;
  let isOpen = false;
  const compilations = createCompilations();
  const results = createResults();
  const reset = (): void => {
    calls = 0;
    compilations.begin();
    results.clear();
  };
  const spend = (more: number): void => {
    calls += more;
    if (calls > MAX_CALLS) throw new LimitError('the value needs too many checks');
  };

  const callKept = (validate: Validate, value: unknown, at: Parameters<Validate>[1]): boolean => {
    spend(0);
    const path = at?.instancePath;
    const kept = results.find(validate, value);
    // Equal strings or numbers at two places have errors of their own.
    if (kept !== undefined && (kept.valid || kept.path === path)) {
      // A copy: the caller may add to it.
      validate.errors = kept.errors?.slice() ?? null;
      return kept.valid;
    }
    const valid = validate(value, at);
    results.keep(validate, value, { path, valid, errors: validate.errors?.slice() ?? null });
    return valid;
  };

  const acceptKept = (check: IsValid, value: unknown): boolean => {
    spend(0);
    const kept = results.find(check, value);
    if (kept !== undefined) return kept.valid;
    const valid = check(value);
    results.keep(check, value, { path: undefined, valid, errors: null });
    return valid;
  };

  return {
    begin: () => {
      reset();
      isOpen = true;
    },
    end: () => {
      isOpen = false;
    },
    beginCheck: () => {
      if (!isOpen) reset();
    },
    spend,
    mayCompile: compilations.mayCompile,
    accepts: (check, value) => (++calls <= MANY_CALLS ? check(value) : acceptKept(check, value)),
    call: (validate, value, at) => (++calls <= MANY_CALLS ? validate(value, at) : callKept(validate, value, at)),
  };
}

/** The results of calls, the oldest ones forgotten all at once. */
interface Results {
  find(check: IsValid, value: unknown): Result | undefined;
  keep(check: IsValid, value: unknown, result: Result): void;
  clear(): void;
}

function createResults(): Results {
  let size = 0;
  const results = new Map<IsValid, Map<unknown, Result>>();
  const clear = (): void => {
    if (size === 0) return;
    size = 0;
    results.clear();
  };
  return {
    find: (check, value) => results.get(check)?.get(value),
    keep: (check, value, result) => {
      if (size >= MAX_RESULTS) clear();
      const own = results.get(check) ?? new Map<unknown, Result>();
      results.set(check, own.set(value, result));
      size++;
    },
    clear,
  };
}

function createCompilations(): Pick<Work, 'begin' | 'mayCompile'> {
  let compiled = 0;
  return {
    begin: () => {
      compiled = 0;
    },
    mayCompile: (nodes) => {
      if (compiled > 0 && compiled + nodes > MAX_COMPILED_NODES) return false;
      compiled += nodes;
      return true;
    },
  };
}

/** Without the errors that another way to the same schema has found: two ways on each of ten levels would find a thousand. */
export function removeDuplicates(found: readonly ErrorObject[]): readonly ErrorObject[] {
  const seen = new Map<unknown, Set<string>>();
  return found.filter(({ parentSchema, keyword, instancePath, params }) => {
    const names = Object.values(params).filter((value) => typeof value === 'string');
    const known = seen.get(parentSchema) ?? new Set();
    const { size } = known;
    seen.set(parentSchema, known.add([keyword, instancePath, ...names].join(' ')));
    return known.size > size;
  });
}

/** The indices of two equal items, the later one first. */
export function findDuplicate(items: readonly unknown[]): readonly [number, number] | undefined {
  const seen = new Map<unknown, number>();
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const key = typeof item === 'object' && item !== null ? `object ${toComparableText(item)}` : item;
    // No string is equal to that of an object.
    const own = typeof item === 'string' ? `string ${item}` : key;
    const before = seen.get(own);
    if (before !== undefined) return [i, before];
    seen.set(own, i);
  }
  return undefined;
}

/** The properties that others of a value require, up to `MAX_ERRORS`. */
export function findMissing(
  value: Readonly<Record<string, unknown>>,
  needs: readonly (readonly [property: string, names: readonly string[]])[],
): readonly (readonly [property: string, missing: string])[] {
  const pairs: [string, string][] = [];
  for (const [property, names] of needs) {
    if (pairs.length >= MAX_ERRORS) break;
    if (readOwn(value, property) === undefined) continue;
    for (const name of names) if (readOwn(value, name) === undefined) pairs.push([property, name]);
  }
  return pairs;
}

/** What limits on the length of a string mean. A string that is far from the limit is not read: one of megabytes takes milliseconds. */
export const LENGTH_CHECKS = {
  minLength: (text: string, limit: number): boolean =>
    text.length >= 2 * limit || (text.length >= limit && countCodePoints(text) >= limit),
  maxLength: (text: string, limit: number): boolean =>
    text.length <= limit || (text.length <= 2 * limit && countCodePoints(text) <= limit),
} as const;

/** The characters of a string as JSON Schema counts them. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

/** Ends the loops over items and properties in the code of ajv when a value has enough errors. */
export function stopAtLimit(code: string): string {
  return code.replaceAll(
    /for\((?:const key\d+ of Object\.keys\([^)]*\)|let i\d+=[^)]*)\)\{/g,
    `$&if(errors >= ${MAX_ERRORS})break;`,
  );
}

/** A string that is the same for equal values, whatever the order of their properties. */
function toComparableText(value: unknown): string {
  if (isBytes(value)) return `bytes ${Buffer.from(value).toString('base64')}`;
  if (Array.isArray(value)) return `[${value.map(toComparableText).join(',')}]`;
  // -0 equals 0, and JSON cannot represent what JSON.parse makes of 1e999.
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? String(value) : JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${toComparableText(member)}`);
  return `{${members.toSorted().join(',')}}`;
}
