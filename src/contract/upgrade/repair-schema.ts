import { isObject } from '../../base/json.js';
import { readEntries } from '../pointer.js';
import { readBoolean, readNumber, repairKeyword, repairRequired, repairType } from './repair-keywords.js';
import { ANNOTATIONS, repairOneOf } from './same-alternatives.js';
import { isOfServer, type Node, omit, quote, type RepairContext } from './node.js';

/** The names of a schema: every reference is a pointer after loading, and the validator would read them. */
const IDENTITY = ['$id', '$anchor', '$dynamicAnchor', '$schema', 'id'];

/**
 * In this order: later upgrades read what earlier ones repaired. `nullable` can wrap a schema into another one, so all except `type` come
 * after it: they get the outer schema here, and the inner one when it is visited.
 */
const UPGRADES: readonly {
  readonly keywords: readonly string[];
  readonly apply: (node: Node, context: RepairContext) => Node;
}[] = [
  { keywords: ['type'], apply: repairType },
  { keywords: ['nullable', 'x-nullable'], apply: upgradeNullable },
  { keywords: IDENTITY, apply: dropIdentity },
  { keywords: ['properties'], apply: repairRequired },
  { keywords: ['exclusiveMinimum', 'exclusiveMaximum'], apply: upgradeExclusive },
  { keywords: ['items'], apply: upgradeItems },
  { keywords: ['example', 'examples'], apply: upgradeExamples },
  { keywords: ['format'], apply: upgradeFormat },
  { keywords: ['enum'], apply: repairEnumTypes },
  { keywords: ['oneOf'], apply: repairOneOf },
  { keywords: ['discriminator'], apply: repairDiscriminator },
  { keywords: ['description'], apply: markReadOnly },
];

/**
 * Upgrades and repairs one schema without its subschemas; the same object where nothing changes.
 *
 * The version of the document does not matter: real 3.1 documents have `nullable`, and real 3.0 documents have arrays of types.
 */
export function repairSchema(node: Node, context: RepairContext): Node {
  let current = node;
  for (const keyword of Object.keys(node)) {
    const value = repairKeyword(keyword, node[keyword], context);
    if (value === node[keyword]) continue;
    current = value === undefined ? omit(current, keyword) : { ...current, [keyword]: value };
  }
  for (const { keywords, apply } of UPGRADES) {
    const before = current;
    if (keywords.some((keyword) => keyword in before)) current = apply(before, context);
  }
  return current;
}

function dropIdentity(node: Node): Node {
  const names = IDENTITY.filter((name) => typeof node[name] === 'string');
  return names.length === 0 ? node : omit(node, ...names);
}

/** Adds `readOnly` where only the description says it: "Output only. The time of the creation." */
function markReadOnly(node: Node): Node {
  if (!isOfServer(node['description'])) return node;
  return node['readOnly'] === undefined && node['writeOnly'] === undefined ? { ...node, readOnly: true } : node;
}

/** OpenAPI 3.0 has the booleans of JSON Schema draft 4. */
function upgradeExclusive(node: Node, context: RepairContext): Node {
  let current = node;
  for (const [exclusive, plain] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = current[exclusive];
    if (value === undefined || typeof value === 'number') continue;
    if (context.dialect === 31 || typeof value !== 'boolean') {
      const assumed = value === true ? `"${plain}" itself is excluded` : 'it is ignored';
      context.report(`"${exclusive}" must be a number, got ${quote(value)}`, assumed, { inside: [exclusive] });
    }
    const limit = current[plain];
    current = omit(current, exclusive);
    if (value === true && typeof limit === 'number') current = { ...omit(current, plain), [exclusive]: limit };
    const number = readNumber(value);
    if (number !== undefined) current = { ...current, [exclusive]: number };
  }
  return current;
}

/** An array in `items` becomes `prefixItems` of 2020-12, and `additionalItems` becomes `items`. */
function upgradeItems(node: Node, context: RepairContext): Node {
  const { items } = node;
  if (isObject(items) || typeof items === 'boolean') return node;
  if (!Array.isArray(items)) {
    const message = `"items" must be a schema, got ${quote(items)}`;
    if (items !== null) context.report(message, 'any item is accepted', { inside: ['items'] });
    return omit(node, 'items');
  }
  if (context.dialect === 31) {
    context.report('"items" must be a schema, got an array', 'it means "prefixItems"', { inside: ['items'] });
  }
  context.recordMove(['prefixItems'], ['items']);
  const { additionalItems, ...rest } = omit(node, 'items');
  const further = additionalItems === undefined ? {} : { items: additionalItems };
  return { ...rest, ...(items.length === 0 ? {} : { prefixItems: items }), ...further };
}

/** `example` of 3.0 becomes the first of `examples`; a map of Example Objects, which is a mistake here, becomes its values. */
function upgradeExamples(node: Node): Node {
  const listed = node['examples'];
  const own = Object.hasOwn(node, 'example') ? [node['example']] : [];
  if (Array.isArray(listed) && own.length === 0) return node;
  const more = Array.isArray(listed) ? listed : isObject(listed) ? Object.values(listed).map(readExampleValue) : [];
  const upgraded = omit(node, 'example');
  upgraded['examples'] = [...own, ...more];
  return upgraded;
}

function readExampleValue(value: unknown): unknown {
  return isObject(value) && Object.hasOwn(value, 'value') ? value['value'] : value;
}

/** Base64 always has `format: byte` and `contentEncoding`. */
function upgradeFormat(node: Node): Node {
  const { format } = node;
  if (format !== 'byte' && format !== 'base64') return node;
  return { ...node, format: 'byte', contentEncoding: node['contentEncoding'] ?? 'base64' };
}

/** YAML reads `enum: [1, 2]` of a string as numbers; of an array, `enum` has the values of its items. */
function repairEnumTypes(node: Node, context: RepairContext): Node {
  const members = node['enum'];
  const { type } = node;
  if (type === 'array' && Array.isArray(members)) return moveEnum(node, members, context);
  const primitive = PRIMITIVES.get(type);
  if (primitive === undefined || !Array.isArray(members)) return node;
  const isRight = (member: unknown): boolean => typeof member === primitive.type;
  if (members.some(isRight) || members.every((member) => member === null)) return node;
  const message = `no value of "enum" is of type ${String(type)}`;
  const meant = members.map((member) => primitive.read(member) ?? member);
  if (!meant.some(isRight)) {
    // No value fits both; the list says more.
    context.report(message, 'the type is ignored', { inside: ['type'] });
    return omit(node, 'type');
  }
  context.report(message, `it means ${quote(meant)}`, { inside: ['enum'] });
  return { ...node, enum: meant };
}

/** For each type, how JavaScript calls it, and the value of this type that a member of `enum` means. */
const PRIMITIVES: ReadonlyMap<unknown, { readonly type: string; readonly read: (member: unknown) => unknown }> =
  new Map([
    ['string', { type: 'string', read: readText }],
    ['integer', { type: 'number', read: readNumber }],
    ['number', { type: 'number', read: readNumber }],
    ['boolean', { type: 'boolean', read: readBoolean }],
  ]);

function readText(member: unknown): string | undefined {
  return typeof member === 'number' || typeof member === 'boolean' ? String(member) : undefined;
}

/** An array whose `enum` has no array fits nothing: every tool that takes such a document reads it as that of the items. */
function moveEnum(node: Node, members: readonly unknown[], context: RepairContext): Node {
  const { items = {} } = node;
  if (members.some((member) => member === null || Array.isArray(member)) || !isObject(items)) return node;
  context.report('no value of "enum" is an array', 'it is that of the items', { inside: ['enum'] });
  const isOpen = items['enum'] === undefined && items['$ref'] === undefined;
  return { ...omit(node, 'enum'), items: isOpen ? { ...items, enum: members } : items };
}

/**
 * Completes a `discriminator`: its `mapping` has a local reference for every alternative, with the implicit names of OpenAPI 3.1 section
 * 4.8.25, the last segment of each reference.
 */
function repairDiscriminator(node: Node, context: RepairContext): Node {
  const given = node['discriminator'];
  // Swagger 2.0 has only the name of the property.
  const discriminator: unknown = typeof given === 'string' ? { propertyName: given } : given;
  if (!isObject(discriminator) || typeof discriminator['propertyName'] !== 'string') {
    const message = `"discriminator" needs a "propertyName", got ${quote(given)}`;
    context.report(message, 'it is ignored', { inside: ['discriminator'] });
    return omit(node, 'discriminator');
  }
  const mapping = readMapping(node, discriminator['mapping'], context);
  const rest = omit(discriminator, 'mapping');
  return { ...node, discriminator: Object.keys(mapping).length === 0 ? rest : { ...rest, mapping } };
}

function readMapping(node: Node, declared: unknown, context: RepairContext): Readonly<Record<string, string>> {
  const resolve = ([name, reference]: readonly [string, unknown]): readonly (readonly [string, string])[] => {
    const inner = typeof reference === 'string' ? context.resolveReference('schema', reference) : undefined;
    return inner === undefined ? [] : [[name, inner]];
  };
  const explicit = readEntries(declared).flatMap(resolve);
  const taken = new Set(explicit.map(([, inner]) => inner));
  const branches: readonly unknown[] = [node['oneOf'] ?? [], node['anyOf'] ?? []].flat();
  const references = branches.map((branch) => (isObject(branch) ? branch['$ref'] : undefined));
  const implicit = references.flatMap((reference) => resolve([readName(String(reference)), reference]));
  return Object.fromEntries([...implicit.filter(([, inner]) => !taken.has(inner)), ...explicit]);
}

function readName(reference: string): string {
  const last = reference.split(/[#/]/u).findLast((part) => part !== '') ?? reference;
  return last.replace(/\.(?:ya?ml|json)$/u, '');
}

/** Keywords that can refuse null without a `type`; all others apply to other types only. */
const NULL_SENSITIVE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'const'];

/**
 * `nullable` of OpenAPI 3.0 and `x-nullable` of 2.0 add null to `type` and `enum`. A schema with other keywords that can refuse null is
 * wrapped into an `anyOf` with null.
 */
function upgradeNullable(node: Node, context: RepairContext): Node {
  const isNullable = node['nullable'] === true || node['x-nullable'] === true;
  const rest = omit(node, 'nullable', 'x-nullable');
  if (!isNullable) return rest;
  if (context.dialect === 31 && node['nullable'] === true) {
    context.report('"nullable" is a keyword of OpenAPI 3.0', 'null is accepted here', { inside: ['nullable'] });
  }
  if (NULL_SENSITIVE.some((keyword) => rest[keyword] !== undefined)) return wrapNullable(rest, context);
  addNull(rest);
  return rest;
}

/** Adds null to the types and values of a new schema. */
function addNull(schema: Record<string, unknown>): void {
  const { type, enum: members } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length > 0 && !types.includes('null')) schema['type'] = [...types, 'null'];
  // OpenAPI 3.0.3 requires null in `enum`; most authors forget it.
  if (Array.isArray(members) && !members.includes(null)) schema['enum'] = [...(members as unknown[]), null];
}

function wrapNullable(node: Node, context: RepairContext): Node {
  // Keywords that describe the schema stay in the outer one.
  const outside = Object.keys(node).filter((keyword) => ANNOTATIONS.has(keyword) || keyword.startsWith('x-'));
  const inside = Object.keys(node).filter((keyword) => !outside.includes(keyword));
  context.recordMove(['anyOf', '0'], []);
  return { ...omit(node, ...inside), anyOf: [omit(node, ...outside), { type: 'null' }] };
}
