import type { Contract } from '../contract/contract.js';
import { escapeSegment } from '../contract/pointer.js';
import { isObject } from '../contract/schema.js';
import { isFlagged, isFlaggedProperty, toTarget } from './read-write.js';

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
}

/** A copied schema object; it is ours, so that a repair may take keywords out. */
export type UnitSchema = Record<string, unknown>;

/** A copied schema object and where the original stands. */
export interface UnitNode {
  readonly schema: UnitSchema;
  readonly pointer: string;
}

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

/** Copies the schema at a pointer; `undefined` where no schema stands there. */
export function readUnit(
  contract: Contract,
  pointer: string,
  how: { readonly direction: Direction; readonly link: UnitLink },
): SchemaUnit | undefined {
  const nodes: UnitNode[] = [];
  const references = new Set<string>();

  const copy = (schema: unknown, at: string, owners: readonly unknown[]): UnitSchema | boolean => {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) return true;
    const result: UnitSchema = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const here = `${at}/${escapeSegment(keyword)}`;
      if (VALUES.has(keyword)) result[keyword] = value;
      else if (SCHEMAS.has(keyword)) result[keyword] = copy(value, here, []);
      else if (LISTS.has(keyword) && Array.isArray(value)) {
        const below = keyword === 'allOf' ? [...owners, schema] : [];
        result[keyword] = value.map((item, i) => copy(item, `${here}/${i}`, below));
      } else if (MAPS.has(keyword) && isObject(value)) result[keyword] = copyMap(value, here, keyword);
    }
    link(result, schema);
    narrowRequired(result, [...owners, schema]);
    nodes.push({ schema: result, pointer: at });
    return result;
  };

  const copyMap = (map: Readonly<Record<string, unknown>>, at: string, keyword: string): Record<string, unknown> => {
    // Not a literal: a property may be called __proto__.
    const result = Object.create(null) as Record<string, unknown>;
    for (const [name, value] of Object.entries(map)) {
      const here = `${at}/${escapeSegment(name)}`;
      if (keyword === 'properties' && how.direction === 'response' && isFlagged(contract, value, 'writeOnly')) {
        const forbidden = { [FORBIDDEN_KEYWORD]: true };
        nodes.push({ schema: forbidden, pointer: here });
        result[name] = forbidden;
      } else result[name] = copy(value, here, []);
    }
    return result;
  };

  const link = (result: UnitSchema, schema: Readonly<Record<string, unknown>>): void => {
    const target = toTarget(schema['$ref'] ?? schema['$dynamicRef']);
    if (target === undefined) return;
    references.add(target);
    if (how.link === 'ref') result['$ref'] = toUnitId(target);
    else result[CALL_KEYWORD] = target;
  };

  const narrowRequired = (result: UnitSchema, owners: readonly unknown[]): void => {
    const names = result['required'];
    if (!Array.isArray(names)) return;
    // OpenAPI 3.1, Schema Object: `required` on a readOnly property holds in an answer only, on a writeOnly one in a request only.
    const flag = how.direction === 'request' ? 'readOnly' : 'writeOnly';
    result['required'] = names.filter(
      (name) => typeof name !== 'string' || !owners.some((owner) => isFlaggedProperty(contract, owner, { name, flag })),
    );
  };

  const original = contract.at(pointer);
  if (typeof original === 'boolean') return { schema: original ? {} : { not: {} }, nodes: [], references: [] };
  if (!isObject(original)) return undefined;
  // An object in, an object out.
  const schema = copy(original, pointer, []) as UnitSchema;
  return { schema, nodes, references: [...references] };
}

function toSet(...words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap((line) => line.split(' ')));
}
