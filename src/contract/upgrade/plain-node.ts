import { isObject } from '../json.js';
import { isOfServer, MEMBERS, type Node, type ObjectType, readFields, REFERABLE_DATA, SCHEMA_MAPS } from './node.js';
import { describesOthers, TYPES } from './repair-keywords.js';
import { areSomeTheSame } from './same-alternatives.js';

/**
 * What an upgrade has to do at a node: `repair` where it may have to be changed, `rename` where `nullable` or `example` of a schema alone are
 * not keywords of the inner dialect, `fields` where only nodes below it may have to be changed, and `nothing`.
 *
 * Most nodes of a document need no change, and to see that takes a fraction of the time of what changes them.
 */
type Need = 'fields' | 'nothing' | 'rename' | 'repair';

/** A field of a node. */
interface KnownField {
  readonly hasNodes: boolean;
  /** Whether a value certainly needs no change. */
  readonly isPlain: (value: unknown, node: Node) => boolean;
}

/** What a node needs. For a node that is not a schema, only references in place of its data are looked for. */
export function readNeed(type: ObjectType, node: Node): Need {
  const known = KNOWN[type];
  if (known === undefined) return 'repair';
  let need: Need = 'nothing';
  let isRenamed = false;
  // A plain object: what a loop finds are its own members.
  for (const name in node) {
    const field = known.get(name);
    if (field === undefined) continue;
    const value = node[name];
    if (!field.isPlain(value, node)) {
      if (type !== 'schema' || !isRename(name, value)) return 'repair';
      isRenamed = true;
    }
    if (field.hasNodes && typeof value !== 'boolean') need = 'fields';
  }
  return isRenamed ? 'rename' : need;
}

/** Whether a keyword of a schema is replaced by others, whatever else the schema has. */
function isRename(name: string, value: unknown): boolean {
  return name === 'nullable' ? typeof value === 'boolean' : name === 'example' && isData(value);
}

const isAny = (): boolean => true;
const isNever = (): boolean => false;
const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

function isReference(value: unknown): boolean {
  return isObject(value) && typeof value['$ref'] === 'string';
}

function isData(value: unknown): boolean {
  return typeof value !== 'object' || !isReference(value);
}

function hasNoReferences(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return !isReference(value) && !Object.values(value).some(isReference);
}

/** Each keyword that `repairSchema` may change, or that it reports, with the values that it leaves as they are. */
const PLAIN_KEYWORDS: ReadonlyMap<string, KnownField['isPlain']> = new Map([
  ...toEntries('title contentEncoding contentMediaType $comment', isString),
  ...toEntries('description', (value) => isString(value) && !isOfServer(value)),
  ...toEntries('minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains', isCount),
  ...toEntries('minimum maximum exclusiveMinimum exclusiveMaximum', isNumber),
  ...toEntries('multipleOf', (value) => isNumber(value) && Number(value) > 0),
  ...toEntries('uniqueItems readOnly writeOnly deprecated', isBoolean),
  ...toEntries('additionalProperties unevaluatedProperties unevaluatedItems additionalItems items', isSchema),
  ...toEntries('allOf anyOf prefixItems', isFilled),
  ...toEntries('oneOf', (value) => isFilled(value) && !areSomeTheSame(value)),
  ...toEntries(SCHEMA_MAPS.join(' '), isObject),
  ...toEntries('examples', (value) => Array.isArray(value)),
  ...toEntries('summary', isData),
  ...toEntries('type', isType),
  ...toEntries('format', (value) => typeof value === 'string' && value !== 'byte' && value !== 'base64'),
  ...toEntries('enum', isPlainEnum),
  ...toEntries('required', areNames),
  ...toEntries('properties', hasNoRequired),
  ...toEntries('nullable x-nullable example discriminator pattern patternProperties dependentRequired xml', isNever),
  ...toEntries('$id $anchor $schema id $ref $dynamicRef', isNever),
]);

function toEntries(
  names: string,
  isPlain: KnownField['isPlain'],
): readonly (readonly [string, KnownField['isPlain']])[] {
  return names.split(' ').map((name) => [name, isPlain]);
}

function isType(value: unknown, node: Node): boolean {
  if (typeof value === 'string') return TYPES.has(value) && (value !== 'null' || !describesOthers(node));
  return Array.isArray(value) && value.length > 0 && areDifferent(value) && value.every((type) => TYPES.has(type));
}

function isPlainEnum(value: unknown, { type }: Node): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  if (type === 'string') return value.every(isString);
  if (type === 'array') return value.some(Array.isArray);
  if (type === 'boolean') return value.every(isBoolean);
  return type === 'integer' || type === 'number' ? value.every(isNumber) : true;
}

function areNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString) && areDifferent(value);
}

/** Comparing each with each is faster than a set for the few that schemas have. */
function areDifferent(values: readonly unknown[]): boolean {
  if (values.length > 16) return new Set(values).size === values.length;
  for (let i = 1; i < values.length; i++) if (values.indexOf(values[i]) < i) return false;
  return true;
}

/** Whether the properties of a schema do not have `required: true` themselves. */
function hasNoRequired(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const name in value) {
    const property = value[name];
    if (isObject(property) && property['required'] === true) return false;
  }
  return true;
}

/** The fields of each type of node; none of a callback, whose names are expressions. */
const KNOWN: Readonly<Partial<Record<ObjectType, ReadonlyMap<string, KnownField>>>> = Object.fromEntries(
  readFields().map(([type, fields]) => {
    const data = REFERABLE_DATA[type] ?? [];
    const plain: ReadonlyMap<string, KnownField['isPlain']> =
      type === 'schema'
        ? PLAIN_KEYWORDS
        : new Map(data.map((name) => [name, MEMBERS.has(name) ? hasNoReferences : isData]));
    const names = new Set([...fields.keys(), ...plain.keys()]);
    const known = [...names].map((name): readonly [string, KnownField] => [
      name,
      { hasNodes: fields.has(name), isPlain: plain.get(name) ?? isAny },
    ]);
    return [type, new Map(known)];
  }),
);
