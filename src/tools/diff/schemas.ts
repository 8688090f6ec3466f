import type { Contract } from '../../contract/contract.js';
import {
  type Constraints,
  type ConstraintsReader,
  createConstraintsReader,
  type SchemaCase,
} from '../../contract/schema-view/constraints.js';
import type { SchemaPointers } from '../../contract/schema-view/walk.js';
import type { Direction } from '../../schema/violation.js';
import { type Change, judge } from './change.js';
import { pairCases } from './alternatives.js';
import { compareMembers, listElements, type LocalChanges } from './members.js';
import { compareTypes, compareValues } from './values.js';

/** A contract before and after a change. */
export interface ContractPair {
  readonly old: Contract;
  readonly now: Contract;
}

/** The schemas of one value in both documents. */
export interface ValuePair {
  readonly old: SchemaPointers;
  readonly now: SchemaPointers;
  readonly direction: Direction;
  /** Whether the value is sent as text: in a parameter, a header or a form. */
  readonly isText: boolean;
}

/** A change, and where in the value it is. */
interface PlacedChange {
  /** A JSON pointer; `*` is any item or member, and `(Cat)` an alternative. */
  readonly at: string;
  readonly change: Change;
}

/** Compares the schemas of two contracts; each pair of schemas is compared once. */
export interface SchemaDiff {
  /** All changes of a value and its parts, each once, the nearest first. */
  changes(pair: ValuePair): readonly PlacedChange[];
  /** Whether a value of one of the contracts is a string, a number or a boolean. */
  isScalar(side: keyof ContractPair, pointers: SchemaPointers): boolean;
}

/** The cases of a value that are compared, of all or of one alternative. */
interface Node extends Pick<ValuePair, 'direction' | 'isText'> {
  readonly key: string;
  readonly old: readonly SchemaCase[];
  readonly now: readonly SchemaCase[];
  /** Whether it is one alternative: whether null is valid is decided for all of them together. */
  readonly isAlternative: boolean;
}

interface Comparison {
  readonly changes: readonly Change[];
  readonly children: readonly { readonly step: string; readonly node: Node }[];
}

const NOTHING: Comparison = { changes: [], children: [] };

/** Creates the comparison of two contracts. */
export function createSchemaDiff(contracts: ContractPair): SchemaDiff {
  const readers = { old: createConstraintsReader(contracts.old), now: createConstraintsReader(contracts.now) };
  // One node for each key: to look up a node takes much less time than to look up its key, which is long.
  const nodes = new Map<string, Node>();
  const intern = (node: Node): Node => {
    const before = nodes.get(node.key);
    if (before === undefined) nodes.set(node.key, node);
    return before ?? node;
  };
  const known = new Map<Node, Comparison>();
  // Values without any change, also in their parts: most schemas are used in many places.
  const same = new Set<Node>();
  let depth = 0;
  const compare = (node: Node): Comparison => {
    const before = known.get(node);
    if (before !== undefined) return before;
    // A schema that is compared because of itself is the same, unless something else of it differs.
    known.set(node, NOTHING);
    depth += 1;
    const { changes, children } = compareNode(node, { contracts, readers, find });
    depth -= 1;
    const found = { changes, children: children.map((child) => ({ ...child, node: intern(child.node) })) };
    known.set(node, found);
    return found;
  };
  const find = (given: Node): readonly PlacedChange[] => {
    const root = intern(given);
    const seen = new Map([[root, '']]);
    const found: PlacedChange[] = [];
    // The list of nodes grows while it is read, the nearest first.
    for (const [node, at] of seen) {
      if (same.has(node)) continue;
      const { changes, children } = compare(node);
      for (const change of changes) found.push({ at, change });
      for (const { step, node: child } of children) if (!seen.has(child)) seen.set(child, at + step);
    }
    // Inside of a comparison a value can look the same because it is not compared yet.
    if (found.length === 0 && depth === 0) for (const node of seen.keys()) same.add(node);
    return found;
  };
  return {
    changes: (pair) => find(toNode(pair, readers)),
    isScalar: (side, pointers) =>
      readers[side].cases(pointers).every((each) => isScalar(readers[side].constraints(each))),
  };
}

interface Parts {
  readonly contracts: ContractPair;
  readonly readers: { readonly old: ConstraintsReader; readonly now: ConstraintsReader };
  find(node: Node): readonly PlacedChange[];
}

function toNode({ old, now, direction, isText }: ValuePair, readers: Parts['readers']): Node {
  return {
    key: [direction, isText, ...readers.old.targets(old), '', ...readers.now.targets(now)].join('\n'),
    old: readers.old.cases(old),
    now: readers.now.cases(now),
    direction,
    isText,
    isAlternative: false,
  };
}

function toAlternative(old: SchemaCase, now: SchemaCase, { direction, isText }: Node): Node {
  const pointers = ({ parts }: SchemaCase): readonly string[] => parts.map(({ pointer }) => pointer);
  const key = ['alternative', direction, isText, ...pointers(old), '', ...pointers(now)].join('\n');
  return { key, old: [old], now: [now], direction, isText, isAlternative: true };
}

function compareNode(node: Node, parts: Parts): Comparison {
  const { readers } = parts;
  const all = { old: node.old.map(readers.old.constraints), now: node.now.map(readers.now.constraints) };
  const [old, now] = [all.old[0], all.now[0]];
  if (old === undefined || now === undefined) return NOTHING;
  const isSingle = node.old.length === 1 && node.now.length === 1;
  const compared = isSingle ? compareCase({ old, now }, node, parts) : compareCases(node, parts);
  const isOtherType = compared.changes.some(({ code }) => code.startsWith('TYPE_'));
  const nulls = node.isAlternative || isOtherType ? [] : compareNull(all, { old, now });
  return { ...compared, changes: [...nulls, ...compared.changes] };
}

function compareNull(
  all: { readonly old: readonly Constraints[]; readonly now: readonly Constraints[] },
  { old, now }: { readonly old: Constraints; readonly now: Constraints },
): readonly Change[] {
  const [was, is] = [all.old, all.now].map((each) => each.some(({ isNullable }) => isNullable));
  if (was === is) return [];
  const at = { old: old.place('type'), now: now.place('type') };
  if (is === true) return [{ ...at, code: 'NULL_ADDED', text: 'it can be null now' }];
  return [{ ...at, code: 'NULL_REMOVED', text: 'it cannot be null any more' }];
}

function compareCase(
  pair: { readonly old: Constraints; readonly now: Constraints },
  node: Node,
  parts: Parts,
): Comparison {
  const { old, now } = pair;
  const { direction, isText } = node;
  // In a query one value and an array with one item are the same text.
  if (isText && direction === 'request' && isListOf(pair))
    return { changes: [], children: [{ step: '', node: toItem(now, node, parts) }] };
  const types = compareTypes({ ...pair, isText });
  const shared = [...old.types].filter((type) => now.types.has(type));
  const changes = [...types, ...compareAnnotations(pair)];
  if (shared.length === 0) return { changes, children: [] };
  const isObject = shared.includes('object');
  const members: LocalChanges = isObject
    ? compareMembers({ ...pair, direction, contracts: parts.contracts })
    : { changes: [], children: [] };
  const elements = shared.includes('array') ? listElements(old, now) : [];
  const toChild = (each: Pick<ValuePair, 'old' | 'now'>): Node =>
    toNode({ old: each.old, now: each.now, direction, isText }, parts.readers);
  return {
    changes: [
      ...changes,
      ...compareValues({ ...pair, isText }),
      ...members.changes,
      ...compareConditions(pair, (each) => parts.find(toChild(each)).length === 0),
    ],
    children: [...members.children, ...elements].map((each) => ({ step: each.step, node: toChild(each) })),
  };
}

/** Whether a single value has become an array. */
function isListOf({ old, now }: { readonly old: Constraints; readonly now: Constraints }): boolean {
  return isScalar(old) && now.types.size === 1 && now.types.has('array');
}

function isScalar({ types }: Constraints): boolean {
  return !types.has('array') && !types.has('object');
}

/** The same value, compared with the items of what it has become. */
function toItem(now: Constraints, { key, old, ...about }: Node, { readers }: Parts): Node {
  return { ...about, key: `${key}\nitem`, old, now: readers.now.cases(now.elements) };
}

function compareAnnotations({ old, now }: { readonly old: Constraints; readonly now: Constraints }): readonly Change[] {
  const changes: Change[] = [];
  const [was, is] = [old, now].map(({ defaults }) => (defaults.length === 0 ? 'not set' : JSON.stringify(defaults[0])));
  const defaults = { old: old.place('default'), now: now.place('default') };
  if (was !== is) changes.push({ ...defaults, code: 'DEFAULT_CHANGED', text: `the default was ${was} and is ${is}` });
  const deprecated = { old: old.place('deprecated'), now: now.place('deprecated') };
  if (now.isDeprecated && !old.isDeprecated)
    changes.push({ ...deprecated, code: 'DEPRECATED', text: 'it is deprecated now' });
  const discriminator = { old: old.place('discriminator'), now: now.place('discriminator') };
  if (old.discriminator !== undefined && now.discriminator !== undefined && old.discriminator !== now.discriminator) {
    const text = `the discriminator was "${old.discriminator}" and is "${now.discriminator}"`;
    changes.push({ ...discriminator, code: 'DISCRIMINATOR_CHANGED', text });
  }
  return changes;
}

function compareConditions(
  { old, now }: { readonly old: Constraints; readonly now: Constraints },
  isSame: (pair: Pick<ValuePair, 'old' | 'now'>) => boolean,
): readonly Change[] {
  const names = new Set([...old.conditions.keys(), ...now.conditions.keys()]);
  const changes = [...names].flatMap((name): readonly Change[] => {
    const [was, is] = [old.conditions.get(name), now.conditions.get(name)];
    const at = { old: was?.[0] ?? old.place(name), now: is?.[0] ?? now.place(name) };
    if (was === undefined) return [{ ...at, code: 'CONDITION_ADDED', text: `"${name}" was added` }];
    if (is === undefined) return [{ ...at, code: 'CONDITION_REMOVED', text: `"${name}" was removed` }];
    return isSame({ old: was, now: is }) ? [] : [{ ...at, code: 'CONDITION_CHANGED', text: `"${name}" has changed` }];
  });
  const at = { old: old.place('dependentRequired'), now: now.place('dependentRequired') };
  const added = [...now.dependencies].filter((each) => !old.dependencies.has(each));
  const removed = [...old.dependencies].filter((each) => !now.dependencies.has(each));
  return [
    ...changes,
    ...added.map((text): Change => ({ ...at, code: 'CONDITION_ADDED', text: `${text} now` })),
    ...removed.map((text): Change => ({ ...at, code: 'CONDITION_REMOVED', text: `no longer ${text}` })),
  ];
}

function compareCases(node: Node, parts: Parts): Comparison {
  const { readers } = parts;
  const find = (old: SchemaCase, now: SchemaCase): readonly Change[] =>
    parts.find(toAlternative(old, now, node)).map(({ change }) => change);
  const { pairs, removed, added } = pairCases(node, readers, (old, now) => find(old, now).length === 0);
  // A value that fits another alternative is still valid.
  const fits = (changes: readonly Change[], direction: Direction): boolean =>
    changes.every((change) => judge(change, direction) === 'compatible');
  const lost = removed.filter((old) => !node.now.some((now) => fits(find(old, now), 'request')));
  const gained = added.filter((now) => !node.old.some((old) => fits(find(old, now), 'response')));
  const place = {
    old: placeUnion(node.old.map(readers.old.constraints)),
    now: placeUnion(node.now.map(readers.now.constraints)),
  };
  const isKind = node.now.some((each) => readers.now.constraints(each).discriminator !== undefined);
  return {
    changes: [
      ...lost.map((each): Change => {
        const at = { ...place, old: readers.old.constraints(each).place('type') };
        return {
          ...at,
          code: 'ALTERNATIVE_REMOVED',
          text: `the alternative ${describe(each, readers.old)} was removed`,
        };
      }),
      ...gained.map((each): Change => {
        const at = { ...place, now: readers.now.constraints(each).place('type') };
        const code = isKind ? 'ALTERNATIVE_KIND_ADDED' : 'ALTERNATIVE_ADDED';
        return { ...at, code, text: `the alternative ${describe(each, readers.now)} was added` };
      }),
    ],
    children: pairs.map(([old, now]) => {
      return { step: now.name === '' ? '' : `(${now.name})`, node: toAlternative(old, now, node) };
    }),
  };
}

function placeUnion(all: readonly Constraints[]): string {
  return all[0]?.place('oneOf') ?? '';
}

/** The name of an alternative, or its type. */
function describe(chosen: SchemaCase, { constraints }: ConstraintsReader): string {
  if (chosen.name !== '') return chosen.name;
  const { types, values, members } = constraints(chosen);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(', ');
  if (types.size > 1 || !types.has('object')) return types.size >= 6 ? 'of any type' : [...types].join(' or ');
  return members.size === 0 ? 'object' : `object with ${[...members.keys()].slice(0, 4).join(', ')}`;
}
