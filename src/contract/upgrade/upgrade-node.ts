import { MockError } from '../../base/errors.js';
import { isObject, mapValues, setOwn } from '../../base/json.js';
import type { ReferenceBase } from '../load/references.js';
import { toPointer } from '../pointer.js';
import {
  type Field,
  isReferable,
  MEMBERS,
  type Node,
  type ObjectType,
  omit,
  quote,
  readField,
  REFERABLE_DATA,
} from './node.js';
import { isSuspect } from './closed-parts.js';
import { readTaggedUnion } from './tagged-unions.js';
import { readTypeName } from './repair-keywords.js';
import { repairNode } from './repair-objects.js';
import { upgradeOperation } from './swagger.js';
import { createContext, type NodeSource, type Position, type UpgradeParts } from './upgrade-context.js';

interface Upgrade {
  readonly parts: UpgradeParts;
  readonly position: Position;
  readonly context: ReturnType<typeof createContext>;
  nodes: number;
  /** The files and pointers whose contents are being included, outermost first. */
  readonly included: Set<string>;
}

/** More nodes than any real document has. */
const MAX_NODES = 5_000_000;

/** Deeper, in segments of a pointer, than any real document nests. */
const MAX_DEPTH = 600;

/** Objects that are useful when empty, so that an empty YAML value is kept. */
const MAY_BE_EMPTY: ReadonlySet<ObjectType> = new Set(['mediaType', 'operation', 'pathItem', 'response']);

/**
 * Creates a function that upgrades a node and everything below it to the inner dialect. Parts without change are shared; the result is
 * undefined where the node cannot be used.
 */
export function createUpgrader(parts: UpgradeParts): (source: NodeSource) => unknown {
  const start: NodeSource = { type: 'document', value: undefined, inner: '', file: 0, pointer: '', dialect: 31 };
  const position: Position = { source: start, base: parts.references.rootBase(0), scope: undefined, path: [] };
  const upgrade: Upgrade = {
    parts,
    position,
    context: createContext(parts, position),
    nodes: 0,
    included: new Set<string>(),
  };
  return (source) => {
    position.source = source;
    position.base = parts.references.baseAt(source.file, source.pointer);
    position.scope = source.bindings && { bindings: source.bindings, entered: [] };
    position.path.length = 0;
    const { type, value, dialect } = source;
    // An operation of 2.0 is upgraded with its path item; this one is in none.
    const isBare = type === 'operation' && dialect === 20 && isObject(value);
    return visit(upgrade, type, isBare ? upgradeOperation(value, [], { context: upgrade.context, at: [] }) : value);
  };
}

function visit(upgrade: Upgrade, type: ObjectType, value: unknown): unknown {
  if (type === 'schema' && typeof value === 'boolean') return value;
  if (!isObject(value)) return repairMistyped(upgrade, type, value);
  const { position, context, parts } = upgrade;
  upgrade.nodes += 1;
  if (upgrade.nodes > MAX_NODES || position.path.length > MAX_DEPTH) throw toLimitError(upgrade);
  const components = type === 'components' ? value['$ref'] : undefined;
  if (typeof components === 'string')
    return includeTarget(upgrade, components, (target) => visit(upgrade, type, target));
  const visitObject = '$ref' in value && isReferable(type) ? visitReference : visitNode;
  const isResource = type === 'schema' && typeof value['$id'] === 'string';
  const isEntered = type === 'schema' && parts.dynamic !== undefined && (isResource || isBinding(position, value));
  if (!isResource && !isEntered) return visitObject(upgrade, type, value);
  const { base, scope } = position;
  const at = parts.sourceMap.find(context.pointerOf());
  if (isResource) position.base = parts.references.enter(String(value['$id']), at.pointer, base);
  if (isEntered) position.scope = { bindings: scope?.bindings ?? new Map(), entered: [...(scope?.entered ?? []), at] };
  const node = visitObject(upgrade, type, value);
  Object.assign(position, { base, scope });
  return node;
}

/** Whether a schema can bind dynamic anchors: one that is in no other schema, or has definitions. */
function isBinding({ scope }: Position, schema: Node): boolean {
  return scope === undefined || '$defs' in schema;
}

/** OpenAPI 3.0 section 4.7.23 and 3.1 section 4.8.23: siblings of a `$ref` count in schemas of 3.1 and in path items only. */
function visitReference(upgrade: Upgrade, type: ObjectType, value: Node): unknown {
  const { context, position } = upgrade;
  const reference = value['$ref'];
  if (typeof reference !== 'string') {
    const more = { code: 'TYPE_MISMATCH', inside: ['$ref'] } as const;
    context.report(`"$ref" must be a string, got ${quote(reference)}`, 'it is ignored', more);
    return visitNode(upgrade, type, omit(value, '$ref'));
  }
  const isBare = Object.keys(value).length === 1;
  const keepsSiblings = type === 'pathItem' || (type === 'schema' && position.source.dialect === 31);
  if (keepsSiblings && !isBare) return visitNode(upgrade, type, value);
  const node = resolveNode(upgrade, type, reference);
  // Most references are local already: nothing around them is copied then.
  return isBare && node?.['$ref'] === reference ? value : node;
}

/** A node that refers to the target of a reference; a schema records one that cannot be resolved. */
function resolveNode({ context, parts, position }: Upgrade, type: ObjectType, reference: string): Node | undefined {
  // A schema that contains itself is cut where the files are bundled.
  if (type !== 'schema' && parts.references.isCircular(reference, position.base)) {
    const more = { code: 'REFERENCE_UNRESOLVED', severity: 'error', inside: ['$ref'] } as const;
    context.report(`the reference "${reference}" is circular`, 'it is ignored', more);
    return undefined;
  }
  const target = context.resolveReference(type, reference);
  if (target !== undefined) return { $ref: target };
  return type === 'schema' ? { 'x-vouch-unresolved': reference } : undefined;
}

function visitNode(upgrade: Upgrade, type: ObjectType, value: Node): Node {
  if (type === 'schema') {
    if (isSuspect(value)) upgrade.parts.suspects.push(upgrade.context.pointerOf());
    const union = readTaggedUnion(value);
    if (union !== undefined) upgrade.parts.unions.push({ pointer: upgrade.context.pointerOf(), ...union });
  }
  const node = repairNode(type, resolveData(upgrade, type, value), upgrade.context);
  const dynamic = type === 'schema' ? resolveDynamic(upgrade, node) : undefined;
  if (dynamic === undefined) return visitRepaired(upgrade, type, node);
  return addReference(upgrade, visitRepaired(upgrade, type, omit(node, '$dynamicRef')), dynamic);
}

function visitRepaired(upgrade: Upgrade, type: ObjectType, node: Node): Node {
  const reference = isReferable(type) ? node['$ref'] : undefined;
  if (typeof reference !== 'string') return visitFields(upgrade, type, node);
  const target = resolveNode(upgrade, type, reference);
  return visitFields(upgrade, type, { ...omit(node, '$ref'), ...target });
}

/** A `$dynamicRef` as a plain reference to the schema that is bound; one to any of several schemas accepts anything. */
function resolveDynamic(upgrade: Upgrade, node: Node): Node | undefined {
  const reference = node['$dynamicRef'];
  const { position, context, parts } = upgrade;
  if (typeof reference !== 'string' || position.scope === undefined || parts.dynamic === undefined) return undefined;
  const at = parts.sourceMap.find(context.pointerOf());
  const target = parts.dynamic.find(reference, { at, base: position.base, scope: position.scope });
  if (target === 'ambiguous') return {};
  if (target === undefined) return resolveNode(upgrade, 'schema', reference);
  const local = context.placeSchema(target);
  return local === undefined ? { 'x-vouch-unresolved': reference } : { $ref: local };
}

/** A schema with one more reference: beside a `$ref` in `allOf`. */
function addReference({ context }: Upgrade, schema: Node, reference: Node): Node {
  if (schema['$ref'] === undefined) return { ...schema, ...reference };
  const all: readonly unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  context.recordMove(['allOf', String(all.length)], ['$dynamicRef']);
  return { ...schema, allOf: [...all, reference] };
}

/** A node with its fields upgraded; the same one without change. */
function visitFields(upgrade: Upgrade, type: ObjectType, node: Node): Node {
  return changeMembers(upgrade, node, (value, name) => {
    // References lead to copies of definitions, so that copies with bindings do not need theirs.
    if (name === '$defs' && type === 'schema' && upgrade.position.source.bindings !== undefined) return undefined;
    const field = readField(type, name);
    return field === undefined ? value : visitField(upgrade, field, value);
  });
}

/** An object with each member changed, without those that become undefined; the same one without change. */
function changeMembers(upgrade: Upgrade, object: Node, change: (value: unknown, name: string) => unknown): Node {
  const { path } = upgrade.position;
  let copy: Record<string, unknown> | undefined;
  // A plain object: what a loop finds are its own members.
  for (const name in object) {
    const value = object[name];
    path.push(name);
    const changed = change(value, name);
    path.pop();
    if (changed === value) continue;
    copy ??= { ...object };
    if (changed === undefined) delete copy[name];
    else setOwn(copy, name, changed);
  }
  return copy ?? object;
}

/** A node with the targets of references in place of data; an example that cannot be resolved stays as it is. */
function resolveData(upgrade: Upgrade, type: ObjectType, node: Node): Node {
  const { context, parts } = upgrade;
  const { references } = parts;
  let copy: Record<string, unknown> | undefined;
  for (const name of REFERABLE_DATA[type] ?? []) {
    const value = node[name];
    const reference = isObject(value) ? value['$ref'] : undefined;
    if (typeof reference !== 'string') {
      const members = MEMBERS.has(name) ? resolveMembers(upgrade, value, { base: upgrade.position.base, name }) : value;
      if (members !== value) copy = { ...(copy ?? node), [name]: members };
      continue;
    }
    const isExample = name === 'example' || name === 'value';
    // An example can have a property with this name.
    if (isExample && Object.keys(value as Node).length > 1) continue;
    const found = isExample ? undefined : context.requireTarget(reference, [name]);
    const target = isExample ? context.findTarget(reference) : found?.value;
    if (target === undefined && isExample) continue;
    copy ??= { ...node };
    if (target === undefined) delete copy[name];
    else if (found === undefined || !MEMBERS.has(name)) copy[name] = target;
    else copy[name] = resolveMembers(upgrade, target, { base: references.baseAt(found.file, found.pointer), name });
  }
  return copy ?? node;
}

/** An object or array with the targets of references in place of its members; the same one where there are none. */
function resolveMembers(
  { context, parts: { references } }: Upgrade,
  value: unknown,
  { base, name }: { readonly base: ReferenceBase; readonly name: string },
): unknown {
  const isReference = (member: unknown): member is Node => isObject(member) && typeof member['$ref'] === 'string';
  const resolve = (member: unknown, key: string | number): unknown => {
    if (!isReference(member)) return member;
    const target = references.find(String(member['$ref']), base);
    if (typeof target !== 'string') return target.value;
    const more = { code: 'REFERENCE_UNRESOLVED', severity: 'error', inside: [name, String(key)] } as const;
    context.report(`the reference "${String(member['$ref'])}" cannot be resolved: ${target}`, 'it is ignored', more);
    return undefined;
  };
  if (Array.isArray(value))
    return value.some(isReference) ? value.map(resolve).filter((member) => member !== undefined) : value;
  return isObject(value) && Object.values(value).some(isReference) ? mapValues(value, resolve) : value;
}

/** Visits the target of a reference as if it were written in place of the reference; undefined where it cannot be resolved. */
function includeTarget(upgrade: Upgrade, reference: string, visitTarget: (value: unknown) => unknown): unknown {
  const { parts, position, context, included } = upgrade;
  const target = context.requireTarget(reference);
  const key = `${target?.file} ${target?.pointer}`;
  if (target === undefined || included.has(key)) {
    const more = { code: 'REFERENCE_UNRESOLVED', severity: 'error' } as const;
    if (target !== undefined) context.report(`the reference "${reference}" is circular`, 'it is ignored', more);
    return undefined;
  }
  const { source, base } = position;
  const { file, pointer, value } = target;
  const path = [...position.path];
  const inner = context.pointerOf();
  parts.sourceMap.add(inner, { file, pointer });
  Object.assign(position, {
    source: { ...source, value, inner, file, pointer },
    base: parts.references.baseAt(file, pointer),
  });
  position.path.length = 0;
  included.add(key);
  const visited = visitTarget(value);
  included.delete(key);
  Object.assign(position, { source, base });
  position.path.push(...path);
  return visited;
}

/** The members of the target of a reference in place of a map, and those beside the reference, which win. */
function includeMap(upgrade: Upgrade, field: Field, { $ref: reference, ...siblings }: Node): unknown {
  const { parts, context } = upgrade;
  const inner = context.pointerOf();
  const { file, pointer } = parts.sourceMap.find(inner);
  const target = includeTarget(upgrade, String(reference), (value) => visitField(upgrade, field, value));
  for (const name of Object.keys(siblings))
    parts.sourceMap.add(inner + toPointer(name), { file, pointer: pointer + toPointer(name) });
  const own = visitField(upgrade, field, siblings);
  return isObject(target) && isObject(own) ? { ...target, ...own } : own;
}

function visitField(upgrade: Upgrade, field: Field, value: unknown): unknown {
  const { type, shape } = field;
  if (shape === 'one') return visit(upgrade, type, value);
  // A member with this name is an object.
  const reference = isObject(value) && typeof value['$ref'] === 'string' ? value['$ref'] : undefined;
  if (shape === 'list') {
    if (reference !== undefined) return includeTarget(upgrade, reference, (list) => visitField(upgrade, field, list));
    return Array.isArray(value) ? visitList(upgrade, type, value) : leaveOut(upgrade, 'array', value);
  }
  if (!isObject(value)) return leaveOut(upgrade, 'object', value);
  if (reference !== undefined) return includeMap(upgrade, field, value);
  return visitMembers(upgrade, type, value);
}

/** A map with its members upgraded, without those that cannot be used; the same one without change. */
function visitMembers(upgrade: Upgrade, type: ObjectType, members: Node): Node {
  // Paths and responses may have extensions; among properties and components `x-…` is a name like any other.
  const hasExtensions = type === 'pathItem' || type === 'response' || type === 'operation';
  return changeMembers(upgrade, members, (value, name) =>
    hasExtensions && name.startsWith('x-') ? value : visit(upgrade, type, value),
  );
}

/** An array keeps its length, so that pointers into it stay valid: null replaces what is left out. */
function visitList(upgrade: Upgrade, type: ObjectType, list: readonly unknown[]): readonly unknown[] {
  const { path } = upgrade.position;
  const visited = list.map((value, index) => {
    path.push(String(index));
    const changed = visit(upgrade, type, value) ?? null;
    path.pop();
    return changed;
  });
  return visited.every((value, index) => value === list[index]) ? list : visited;
}

/** The replacement of a value that must be an object; undefined leaves it out. */
function repairMistyped(upgrade: Upgrade, type: ObjectType, value: unknown): unknown {
  const meant = type === 'schema' ? readTypeName(value) : undefined;
  const isEmpty = type === 'schema' || (value === null && MAY_BE_EMPTY.has(type));
  const assumed = meant === undefined ? (isEmpty ? 'it is empty' : 'it is ignored') : `it means ${quote(meant)}`;
  const isDropped = meant === undefined && !isEmpty;
  const more = { code: 'TYPE_MISMATCH', ...(isDropped && { severity: 'error' as const }) } as const;
  upgrade.context.report(`expected a ${type} object, got ${quote(value)}`, assumed, more);
  return meant ?? (isEmpty ? {} : undefined);
}

function leaveOut(upgrade: Upgrade, expected: 'array' | 'object', value: unknown): undefined {
  // An empty YAML value is an empty object or array.
  if (value === null) return undefined;
  const message = `expected an ${expected}, got ${quote(value)}`;
  upgrade.context.report(message, 'it is ignored', { code: 'TYPE_MISMATCH', severity: 'error' });
  return undefined;
}

function toLimitError({ nodes, position, context, parts }: Upgrade): MockError {
  const file = parts.files[position.source.file]?.name;
  const what = nodes > MAX_NODES ? `has more than ${MAX_NODES} nodes` : `is nested more than ${MAX_DEPTH} levels deep`;
  const pointer = context.pointerOf().slice(0, 200);
  return new MockError('SPEC_INVALID', `the document ${what}`, {
    at: file === undefined ? { pointer } : { file, pointer },
    hint: 'write a schema that contains itself as a $ref to itself',
  });
}
