import { OTHER_VALUES } from '../contract/schema-view/keywords.js';
import type { Contract } from '../contract/contract.js';
import { isObject } from '../base/json.js';
import { escapeSegment, fromReference } from '../contract/pointer.js';
import { readField } from '../contract/upgrade/node.js';
import { createFlagFinder, isFlagged } from '../contract/schema-view/shape.js';
import type { Direction } from './violation.js';

/**
 * One schema of the document, copied for ajv and the checker with its keywords only, and every `$ref` as a call of another unit. The document
 * itself is not passed: ajv would read an `$id` in an example as an id.
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
    const shape = OTHER_VALUES.has(keyword) ? undefined : readField('schema', keyword)?.shape;
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
  // After loading, every reference is local.
  const target = fromReference(schema['$ref']);
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
