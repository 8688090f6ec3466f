import { isObject } from '../../base/json.js';
import { readEntries, readSegments, toPointer } from '../pointer.js';
import { type Node, readField, readObjectType } from '../upgrade/node.js';
import type { Identified, ReferenceBase, References, ReferenceTarget } from './references.js';

/** The schemas that `$dynamicRef`s lead to, by the name of their anchor. */
export type Bindings = ReadonlyMap<string, Identified>;

/** JSON Schema 2020-12 core section 7.1: the schemas on the way to the current one, which bind dynamic anchors. */
export interface DynamicScope {
  /** What was bound before; it wins. */
  readonly bindings: Bindings;
  /** The schemas that were entered since, outermost first. */
  readonly entered: readonly Identified[];
}

/** The place of a reference. */
interface DynamicPlace {
  readonly at: Identified;
  readonly base: ReferenceBase;
  readonly scope: DynamicScope;
}

/** Resolves `$dynamicRef`s (JSON Schema 2020-12 core section 8.2.3.2), so that a loaded document has only `$ref`s. */
export interface DynamicReferences {
  /**
   * The target of a `$dynamicRef`. Undefined: it works like a `$ref`; `ambiguous`: nothing is bound, and several schemas have an anchor of
   * its name.
   */
  find(reference: string, place: DynamicPlace): ReferenceTarget | 'ambiguous' | undefined;
  /** What a scope binds for a target and all that it refers to; undefined where the target means the same without the scope. */
  narrow(scope: DynamicScope, target: Identified): Bindings | undefined;
}

/** The dynamic references of a set of files. */
export function createDynamicReferences(references: References): DynamicReferences {
  const { dynamicAnchors, read } = references;
  const { findOwn, findBound } = createAnchorFinders(references);
  const listNames = createNameLister(references);
  const findInScope = ({ bindings, entered }: DynamicScope, name: string): Identified | undefined => {
    let found = bindings.get(name);
    for (const schema of entered) found ??= findBound(name, schema);
    return found;
  };
  return {
    find: (reference, { at, base, scope }) => {
      const name = readAnchorName(reference);
      const all = name === undefined ? undefined : dynamicAnchors.get(name);
      if (name === undefined || all === undefined) return undefined;
      const plain = references.find(reference, base);
      // An anchor that is not dynamic, or a file that cannot be read.
      const isPlain = typeof plain === 'string' ? !reference.startsWith('#') : !isAnchor(plain.value, name);
      if (isPlain) return undefined;
      // A template without an anchor of its own is still one: it refers to those of the schemas that use it.
      const own = reference.startsWith('#') ? findOwn(name, at) : (plain as ReferenceTarget);
      const found = findInScope(scope, name) ?? own ?? (all.length === 1 ? all[0] : undefined);
      return found === undefined ? 'ambiguous' : read(found);
    },
    narrow: (scope, target) => {
      const bindings = new Map<string, Identified>();
      let isChanged = false;
      for (const name of listNames(target)) {
        const own = findBound(name, target);
        const bound = findInScope(scope, name) ?? own;
        if (bound !== undefined) bindings.set(name, bound);
        isChanged ||= bound !== undefined && (own === undefined || toKey(bound) !== toKey(own));
      }
      return isChanged ? bindings : undefined;
    },
  };
}

/** The name of the anchor of a reference; undefined for a pointer, or a reference without fragment. */
function readAnchorName(reference: string): string | undefined {
  const [, name = ''] = /#(.*)$/u.exec(reference) ?? [];
  return name === '' || name.startsWith('/') ? undefined : name;
}

function isAnchor(schema: unknown, name: string): boolean {
  return isObject(schema) && schema['$dynamicAnchor'] === name;
}

function toKey({ file, pointer }: Identified): string {
  return `${file} ${pointer}`;
}

/** Bindings as a string that is the same for the same bindings. */
export function toBindingsKey(bindings: Bindings): string {
  return [...bindings].map(([name, anchor]) => `${name} ${toKey(anchor)}`).join('\n');
}

/** Finds the anchor of a name that a schema has, or refers to where nothing else is bound. */
type AnchorFinder = (name: string, from: Identified) => Identified | undefined;

/**
 * Creates the functions that find the anchor of a name in the resource of a schema.
 *
 * The schemas of an OpenAPI document without `$id` are one resource, in which an anchor is only once. Many documents still have one of the
 * same name in each schema: the innermost one around the place counts, and only those of the same component are bound.
 */
function createAnchorFinders({ dynamicAnchors, baseAt, read, enter }: References): {
  readonly findOwn: AnchorFinder;
  readonly findBound: AnchorFinder;
} {
  const readResource = (at: Identified): string => {
    const around = baseAt(at.file, at.pointer);
    const schema = read(at).value;
    const id = isObject(schema) ? schema['$id'] : undefined;
    return (typeof id === 'string' ? enter(id, at.pointer, around) : around).pointer;
  };
  const createFinder = (readEnd: (resource: string, from: Identified) => string): AnchorFinder => {
    const known = new Map<string, Identified | undefined>();
    return (name, from) => {
      const key = `${toKey(from)} ${name}`;
      if (known.has(key)) return known.get(key);
      const resource = readResource(from);
      const all = dynamicAnchors.get(name) ?? [];
      const anchors = all.filter((anchor) => anchor.file === from.file && anchor.resource === resource);
      const found = anchors.length === 0 ? undefined : findNearest(anchors, from.pointer, readEnd(resource, from));
      known.set(key, found);
      return found;
    };
  };
  return {
    findOwn: createFinder((resource) => resource),
    findBound: createFinder((resource, { pointer }) => (resource === '' ? readRootSchema(pointer) : resource)),
  };
}

/** The schema of an OpenAPI document around a pointer that is in no other schema; the root in other files. */
function readRootSchema(pointer: string): string {
  const segments = readSegments(pointer);
  for (let length = 1; length <= segments.length; length++) {
    const around = segments.slice(0, length);
    if (readObjectType(around)?.type === 'schema') return toPointer(...around);
  }
  return '';
}

const IN_DEFINITIONS = /^\/(?:\$defs|definitions)\/[^/]+$/u;

/** Of anchors with one name, the only one in the innermost schema around a pointer that has one. */
function findNearest(anchors: readonly Identified[], from: string, end: string): Identified | undefined {
  for (let at = from; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const inside = anchors.filter(({ pointer }) => pointer === at || pointer.startsWith(`${at}/`));
    const own = inside.filter(({ pointer }) => pointer === at);
    const defined = inside.filter(({ pointer }) => IN_DEFINITIONS.test(pointer.slice(at.length)));
    const [found] = [own, defined, inside].find(({ length }) => length === 1) ?? [];
    if (found !== undefined || at.length <= end.length) return found;
  }
}

/** What a schema refers to. */
interface Uses {
  /** The names of the anchors of its `$dynamicRef`s. */
  readonly names: Set<string>;
  readonly targets: Map<string, Identified>;
}

/** Creates the function that lists the anchors of all `$dynamicRef`s that are reached from a schema, sorted. */
function createNameLister(references: References): (from: Identified) => readonly string[] {
  const known = new Map<string, Uses>();
  const lists = new Map<string, readonly string[]>();
  const readUses = (key: string, at: Identified): Uses => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const uses: Uses = { names: new Set(), targets: new Map() };
    collectUses(references, { schema: references.read(at).value, at }, uses);
    known.set(key, uses);
    return uses;
  };
  return (from) => {
    const start = toKey(from);
    const before = lists.get(start);
    if (before !== undefined) return before;
    const names = new Set<string>();
    const reached = new Map([[start, from]]);
    // The iteration includes schemas that are added meanwhile.
    for (const [key, at] of reached) {
      const uses = readUses(key, at);
      for (const name of uses.names) names.add(name);
      // In many documents, all schemas that refer to each other use the same few anchors.
      if (names.size === references.dynamicAnchors.size) break;
      for (const [target, value] of uses.targets) if (!reached.has(target)) reached.set(target, value);
    }
    const list = [...names].toSorted();
    lists.set(start, list);
    return list;
  };
}

/** Collects what a schema and the schemas in it refer to; its definitions count where they are referred to. */
function collectUses(
  references: References,
  { schema, at, base = references.baseAt(at.file, at.pointer) }: UsePlace,
  uses: Uses,
): void {
  if (!isObject(schema)) return;
  const own = typeof schema['$id'] === 'string' ? references.enter(schema['$id'], at.pointer, base) : base;
  const { $dynamicRef: dynamic } = schema;
  const name = typeof dynamic === 'string' ? readAnchorName(dynamic) : undefined;
  const anchors = name === undefined ? undefined : references.dynamicAnchors.get(name);
  if (name !== undefined && anchors !== undefined) uses.names.add(name);
  for (const anchor of anchors ?? []) uses.targets.set(toKey(anchor), anchor);
  for (const reference of listReferences(schema)) {
    const target = references.find(reference, own);
    if (typeof target !== 'string') uses.targets.set(toKey(target), target);
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = keyword === '$defs' || keyword === 'definitions' ? undefined : readField('schema', keyword)?.shape;
    const below = { file: at.file, pointer: at.pointer + toPointer(keyword) };
    if (shape === 'one') collectUses(references, { schema: value, at: below, base: own }, uses);
    else if (shape !== undefined)
      for (const [key, member] of Object.entries(value ?? {})) {
        const inside = { ...below, pointer: below.pointer + toPointer(key) };
        collectUses(references, { schema: member, at: inside, base: own }, uses);
      }
  }
}

/** A schema in a file. */
interface UsePlace {
  readonly schema: unknown;
  readonly at: Identified;
  readonly base?: ReferenceBase;
}

/** The references of a schema: `$ref`, `$dynamicRef`, and the `mapping` of its discriminator. */
function listReferences({ $ref, $dynamicRef, discriminator }: Node): readonly string[] {
  const mapping = isObject(discriminator) ? readEntries(discriminator['mapping']).map(([, target]) => target) : [];
  return [$ref, $dynamicRef, ...mapping].filter((reference) => typeof reference === 'string');
}
