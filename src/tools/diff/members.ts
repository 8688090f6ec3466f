import type { Contract } from '../../contract/contract.js';
import type { Constraints } from '../../contract/schema-view/constraints.js';
import { isFlagged } from '../../contract/schema-view/shape.js';
import type { SchemaPointers } from '../../contract/schema-view/walk.js';
import type { Direction } from '../../schema/violation.js';
import type { Change } from './change.js';

/** The schemas of a part of a value in both documents. */
export interface ChildPair {
  /** A JSON pointer from the value to its part; `*` is any item or member. */
  readonly step: string;
  readonly old: SchemaPointers;
  readonly now: SchemaPointers;
}

/** The changes of a value itself, and its parts. */
export interface LocalChanges {
  readonly changes: readonly Change[];
  readonly children: readonly ChildPair[];
}

interface MemberPair {
  readonly old: Constraints;
  readonly now: Constraints;
  readonly direction: Direction;
  readonly contracts: { readonly old: Contract; readonly now: Contract };
}

/** Compares the members of an object. */
export function compareMembers(pair: MemberPair): LocalChanges {
  const { old, now, direction, contracts } = pair;
  const seen = {
    old: listVisible(contracts.old, old, direction),
    now: listVisible(contracts.now, now, direction),
  };
  const names = new Set([...seen.old.names, ...seen.now.names]);
  const all = [...names].map((name) => compareMember(name, pair, seen));
  const patterns = [...old.matching.keys()].filter((pattern) => now.matching.has(pattern));
  return {
    changes: [...all.flatMap(({ changes }) => changes), ...comparePatterns(pair), ...compareOpenness(pair)],
    children: [
      ...all.flatMap(({ children }) => children),
      ...patterns.map((pattern) => {
        return { step: '/*', old: old.matching.get(pattern) ?? [], now: now.matching.get(pattern) ?? [] };
      }),
      ...(hasRest(pair) ? [{ step: '/*', old: old.rest, now: now.rest }] : []),
    ],
  };
}

/** Whether both documents say something about members that they do not name. */
function hasRest({ old, now }: MemberPair): boolean {
  if (old.isClosed || now.isClosed || old.rest.length + now.rest.length === 0) return false;
  // A document that names members and says nothing of others has none in mind.
  const says = ({ rest, members }: Constraints): boolean => rest.length > 0 || members.size === 0;
  return says(old) && says(now);
}

interface VisibleMembers {
  readonly members: ReadonlyMap<string, SchemaPointers>;
  readonly required: ReadonlySet<string>;
  /** The names of both. */
  readonly names: ReadonlySet<string>;
}

/** The members that are sent in a direction. */
function listVisible(contract: Contract, { members, required }: Constraints, direction: Direction): VisibleMembers {
  const flag = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isHidden = (pointers: SchemaPointers = []): boolean =>
    pointers.some((pointer) => isFlagged(contract, contract.at(pointer), flag));
  const visible = new Map([...members].filter(([, pointers]) => !isHidden(pointers)));
  const needed = new Set([...required].filter((name) => !isHidden(members.get(name))));
  return { members: visible, required: needed, names: new Set([...visible.keys(), ...needed]) };
}

function compareMember(
  name: string,
  { old, now, direction }: MemberPair,
  seen: { readonly old: VisibleMembers; readonly now: VisibleMembers },
): LocalChanges {
  const [was, is] = [seen.old.members.get(name), seen.now.members.get(name)];
  const [wasRequired, isRequired] = [seen.old.required.has(name), seen.now.required.has(name)];
  const at = { old: was?.[0] ?? old.place('properties'), now: is?.[0] ?? now.place('properties') };
  const quoted = JSON.stringify(name);
  const step = `/${name}`;
  if (was === undefined && is !== undefined) {
    const changes: Change[] = [];
    if (old.isClosed)
      changes.push({ ...at, code: 'MEMBER_UNEXPECTED', text: `${quoted} was added, and there were no others` });
    else if (!isRequired || wasRequired) changes.push({ ...at, code: 'MEMBER_ADDED', text: `${quoted} was added` });
    if (isRequired && !wasRequired)
      changes.push({ ...at, code: 'MEMBER_REQUIRED', text: `${quoted} was added and is required` });
    return { changes, children: old.rest.length === 0 ? [] : [{ step, old: old.rest, now: is }] };
  }
  if (was !== undefined && is === undefined) {
    const isForbidden = direction === 'request' && now.isClosed;
    const isLost = wasRequired && !isRequired;
    const code = isForbidden ? 'MEMBER_FORBIDDEN' : isLost ? 'MEMBER_REQUIRED_REMOVED' : 'MEMBER_REMOVED';
    const what = isForbidden ? 'was removed and is forbidden' : isLost ? 'was required and was removed' : 'was removed';
    const children = now.rest.length === 0 ? [] : [{ step, old: was, now: now.rest }];
    return { changes: [{ ...at, code, text: `${quoted} ${what}` }], children };
  }
  const required = { ...at, now: now.place('required') };
  const changes: Change[] = [];
  if (isRequired && !wasRequired)
    changes.push({ ...required, code: 'MEMBER_REQUIRED', text: `${quoted} is required now` });
  if (wasRequired && !isRequired)
    changes.push({
      ...at,
      old: old.place('required'),
      code: 'MEMBER_OPTIONAL',
      text: `${quoted} is no longer required`,
    });
  return { changes, children: was === undefined || is === undefined ? [] : [{ step, old: was, now: is }] };
}

/** Members whose names match a pattern that only one of the documents has. */
function comparePatterns({ old, now, direction }: MemberPair): readonly Change[] {
  const at = { old: old.place('patternProperties'), now: now.place('patternProperties') };
  const removed = [...old.matching.keys()].filter((pattern) => !now.matching.has(pattern));
  const added = [...now.matching.keys()].filter((pattern) => !old.matching.has(pattern));
  const lost = direction === 'request' && now.isClosed ? 'MEMBER_FORBIDDEN' : 'MEMBER_REMOVED';
  return [
    ...removed.map((pattern): Change => ({ ...at, code: lost, text: `members that match ${pattern} were removed` })),
    ...added.map((pattern): Change => {
      const code = old.isClosed ? 'MEMBER_UNEXPECTED' : 'MEMBER_ADDED';
      return { ...at, code, text: `members that match ${pattern} were added` };
    }),
  ];
}

function compareOpenness({ old, now }: MemberPair): readonly Change[] {
  if (old.isClosed === now.isClosed) return [];
  const at = { old: old.place('additionalProperties'), now: now.place('additionalProperties') };
  if (now.isClosed) return [{ ...at, code: 'MEMBERS_CLOSED', text: 'members that are not declared are forbidden now' }];
  return [{ ...at, code: 'MEMBERS_OPENED', text: 'members that are not declared are no longer forbidden' }];
}

/** The items of an array. */
export function listElements(old: Constraints, now: Constraints): readonly ChildPair[] {
  const count = Math.max(old.leading.length, now.leading.length);
  const leading = Array.from({ length: count }, (_, i) => {
    return { step: `/${i}`, old: old.leading[i] ?? old.elements, now: now.leading[i] ?? now.elements };
  });
  if (old.elements.length + now.elements.length === 0) return leading;
  return [...leading, { step: '/*', old: old.elements, now: now.elements }];
}
