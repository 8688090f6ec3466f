import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import { escapeSegment, fromReference } from '../contract/pointer.js';
import { isFlagged, isFlaggedProperty } from './shape.js';

/** Which way a value travels: what a client may not send differs from what a server may not answer. */
export type Direction = 'request' | 'response';

/**
 * One schema of the document, copied for the validator: only what it understands, and every `$ref` turned into a call of
 * another unit. The document itself is never handed over: the validator would take strings named `$id` in an example for ids.
 */
export interface SchemaUnit {
  readonly schema: UnitSchema;
  /** Every copied schema object with the place it came from; a child comes before its parent. */
  readonly nodes: readonly UnitNode[];
  /** Pointers of the units this one calls. */
  readonly references: readonly string[];
  /** Where a reference stood that leads nowhere: anything is accepted there. */
  readonly unresolved: readonly { readonly pointer: string; readonly reference: string }[];
}

/** A copied schema object; it is ours, so that a repair may take keywords out. */
export type UnitSchema = Record<string, unknown>;

/** A copied schema object and where the original stands. */
export interface UnitNode {
  readonly schema: UnitSchema;
  readonly pointer: string;
}

/** What `maxContains` says of a schema that sets no bound. */
export const ANY_NUMBER: number = Number.MAX_SAFE_INTEGER;

/** Errors of one value that are looked at: a body of megabytes may have a hundred thousand, and nobody reads them. */
export const MOST_ERRORS = 500;

/** How units name each other: `CALL` compiles the other unit when the first value gets there; `$ref` at once. */
export type UnitLink = 'call' | 'ref';

/** The keyword a `$ref` becomes where the other unit is compiled on first use. */
export const CALL_KEYWORD = 'vouchCall';
/** The keyword on a `writeOnly` property of an answer. */
export const FORBIDDEN_KEYWORD = 'vouchForbidden';

const VALUES = toSet(
  'type const enum format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  'minItems maxItems uniqueItems minContains maxContains minProperties maxProperties dependentRequired required',
);
const SCHEMAS = toSet(
  'items additionalProperties unevaluatedProperties unevaluatedItems contains propertyNames not if then else',
);
const LISTS = toSet('allOf anyOf oneOf prefixItems');
const MAPS = toSet('properties patternProperties dependentSchemas');

/** The id by which the validator knows a unit that is linked by `$ref`. */
export function toUnitId(pointer: string): string {
  // One opaque word per pointer: the validator resolves ids as URIs, and a pointer may hold anything.
  return `vouch:${Buffer.from(pointer).toString('base64url')}`;
}

/** How a unit is copied. */
interface Copying {
  readonly contract: Contract;
  readonly direction: Direction;
  readonly link: UnitLink;
  readonly nodes: UnitNode[];
  readonly references: Set<string>;
  readonly unresolved: { pointer: string; reference: string }[];
}

/** Copies the schema at a pointer; `undefined` where no schema stands there. */
export function readUnit(
  contract: Contract,
  pointer: string,
  how: { readonly direction: Direction; readonly link: UnitLink },
): SchemaUnit | undefined {
  const original = contract.at(pointer);
  if (typeof original === 'boolean')
    return { schema: original ? {} : { not: {} }, nodes: [], references: [], unresolved: [] };
  if (!isObject(original)) return undefined;
  const copying: Copying = { contract, ...how, nodes: [], references: new Set(), unresolved: [] };
  const schema = copyObject(original, { at: pointer, owners: [] }, copying);
  return { schema, nodes: copying.nodes, references: [...copying.references], unresolved: copying.unresolved };
}

/** Where a schema stands, and the schemas whose `allOf` it is part of. */
interface Standing {
  readonly at: string;
  readonly owners: readonly unknown[];
}

function copySchema(schema: unknown, standing: Standing, copying: Copying): UnitSchema | boolean {
  if (typeof schema === 'boolean') return schema;
  return isObject(schema) ? copyObject(schema, standing, copying) : true;
}

function copyObject(schema: Readonly<Record<string, unknown>>, standing: Standing, copying: Copying): UnitSchema {
  const result: UnitSchema = {};
  const owners = [...standing.owners, schema];
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${standing.at}/${escapeSegment(keyword)}`;
    if (VALUES.has(keyword)) result[keyword] = value;
    else if (SCHEMAS.has(keyword)) result[keyword] = copySchema(value, { at, owners: [] }, copying);
    else if (LISTS.has(keyword) && Array.isArray(value)) {
      const below = keyword === 'allOf' ? owners : [];
      result[keyword] = value.map((item, i) => copySchema(item, { at: `${at}/${i}`, owners: below }, copying));
    } else if (MAPS.has(keyword) && isObject(value)) result[keyword] = copyMap(value, at, copying);
  }
  // ajv 8.20 keeps the verdict on one array for an empty one that follows it in the same loop, unless it has to count.
  if ('contains' in result) result['maxContains'] ??= ANY_NUMBER;
  linkReference(result, schema, copying);
  if (Array.isArray(result['required'])) result['required'] = narrowRequired(result['required'], owners, copying);
  copying.nodes.push({ schema: result, pointer: standing.at });
  const lost = schema['x-vouch-unresolved'];
  if (typeof lost === 'string') copying.unresolved.push({ pointer: standing.at, reference: lost });
  return result;
}

function copyMap(map: Readonly<Record<string, unknown>>, at: string, copying: Copying): Record<string, unknown> {
  // Not a literal: a property may be called __proto__.
  const result = Object.create(null) as Record<string, unknown>;
  const isProperties = at.endsWith('/properties');
  for (const [name, value] of Object.entries(map)) {
    const here = `${at}/${escapeSegment(name)}`;
    if (isProperties && copying.direction === 'response' && isFlagged(copying.contract, value, 'writeOnly')) {
      const forbidden = { [FORBIDDEN_KEYWORD]: true };
      copying.nodes.push({ schema: forbidden, pointer: here });
      result[name] = forbidden;
    } else result[name] = copySchema(value, { at: here, owners: [] }, copying);
  }
  return result;
}

function linkReference(result: UnitSchema, schema: Readonly<Record<string, unknown>>, copying: Copying): void {
  // Loading rewrites every reference to a pointer; a dynamic one that is a pointer behaves like a plain one.
  const target = fromReference(schema['$ref'] ?? schema['$dynamicRef']);
  if (target === undefined) return;
  copying.references.add(target);
  if (copying.link === 'ref') result['$ref'] = toUnitId(target);
  else result[CALL_KEYWORD] = target;
}

/** OpenAPI 3.1, Schema Object: `required` on a readOnly property holds in an answer only, on a writeOnly one in a request only. */
function narrowRequired(names: readonly unknown[], owners: readonly unknown[], copying: Copying): readonly unknown[] {
  const flag = copying.direction === 'request' ? 'readOnly' : 'writeOnly';
  const isOneWay = (name: string): boolean =>
    owners.some((owner) => isFlaggedProperty(copying.contract, owner, { name, flag }));
  return names.filter((name) => typeof name !== 'string' || !isOneWay(name));
}

function toSet(...words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap((line) => line.split(' ')));
}
