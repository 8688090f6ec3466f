// The names of parameters that clients send by position: answers show their values as members.
import { addTo, isObject, readMember } from '../../../base/json.js';
import { type Positions, SPREAD } from '../../../contract/operations/positions.js';
import { means } from '../../../conventions/conventions.js';
import { isFailure } from './failure.js';
import type { Body as Item, SentAndShown } from './repeated-members.js';

interface Call extends SentAndShown {
  readonly status: number;
}

/** A parameter of a method at one position. */
interface Slot {
  readonly method: string;
  /** The method without its last word. */
  readonly noun: string;
  readonly index: number;
  readonly values: ReadonlySet<unknown>;
  readonly isSpread: boolean;
  /** The name that answers show; undefined if none does. */
  readonly shown: string | undefined;
}

/** The positions of each method whose calls have them, by the member of the body that has the parameters. */
export function learnPositions(byMethod: ReadonlyMap<string, readonly Call[]>): ReadonlyMap<string, Positions> {
  const all = [...byMethod.values()].flat();
  const names = new Set(all.flatMap(({ sent }) => Object.keys(sent)));
  const member = [...names].find((name) => means(name, 'envelopes.parameters') && all.some((call) => has(call, name)));
  if (member === undefined) return new Map();
  const slots = [...byMethod].flatMap(([method, calls]) => readSlots(method, calls, member));
  const found = new Map<string, string[]>();
  const shownOf = (noun: string): readonly Item[] =>
    [...byMethod].flatMap(([method, calls]) =>
      readNoun(method) === noun ? calls.flatMap(({ shown }) => Object.values(shown).flatMap(listItems)) : [],
    );
  for (const slot of slots) addTo(found, slot.method, nameSlot(slot, slots, shownOf(slot.noun)));
  const own = [...byMethod].filter(([, calls]) => calls.some((call) => has(call, member)));
  return new Map(own.map(([method]) => [method, { [member]: found.get(method) ?? [] }]));
}

/** A method without its last word. */
function readNoun(method: string): string {
  return method.replace(/[^./:_-]*$/, '');
}

function has({ sent }: Call, member: string): boolean {
  return Array.isArray(readMember(sent, member));
}

function readSlots(method: string, calls: readonly Call[], member: string): readonly Slot[] {
  const lists = calls.map((call) => ({ call, list: [readMember(call.sent, member)].flat() as readonly unknown[] }));
  const length = Math.max(...lists.map(({ list }) => list.length));
  const used = new Set<string>();
  const isObjects = (index: number): boolean =>
    lists.every(({ list }) => index >= list.length || isObject(list[index]));
  const first = Array.from({ length }, (_, index) => index).find(isObjects);
  return Array.from({ length }, (_, index): Slot => {
    const own = lists.filter(({ list }) => index < list.length);
    const shown = findShown(own.map(({ call, list }) => ({ call, value: list[index] }))).find(
      (name) => !used.has(name),
    );
    if (shown !== undefined) used.add(shown);
    const values = new Set(own.map(({ list }) => list[index]));
    return { method, noun: readNoun(method), index, values, isSpread: index === first, shown };
  });
}

/** The members that the results of all calls show with the value of a parameter, ids first. */
function findShown(calls: readonly { readonly call: Call; readonly value: unknown }[]): readonly string[] {
  const shown = calls.flatMap(({ call, value }) => {
    const result = isFailure(call.status, call.shown) ? undefined : Object.values(call.shown).find(isObject);
    const names = result && Object.keys(result).filter((name) => isText(value) && result[name] === value);
    return names === undefined ? [] : [names];
  });
  const [first = [], ...others] = shown;
  const common = first.filter((name) => others.every((names) => names.includes(name)));
  return sortNames(common);
}

/** The name of a slot: what its answers show, else what other answers on the same noun do, else that of a parameter with the same values. */
function nameSlot(slot: Slot, slots: readonly Slot[], shown: readonly Item[]): string {
  if (slot.isSpread) return SPREAD;
  if (slot.shown !== undefined) return slot.shown;
  const isOf = (name: string): boolean => shown.some((item) => isText(item[name]) && slot.values.has(item[name]));
  const [known] = sortNames([...new Set(shown.flatMap((item) => Object.keys(item)))].filter(isOf));
  if (known !== undefined) return known;
  const near = slots.filter((other) => other !== slot && other.noun === slot.noun && other.shown !== undefined);
  const countShared = ({ values }: Slot): number => [...values].filter((value) => slot.values.has(value)).length;
  const [closest] = near.toSorted((one, other) => countShared(other) - countShared(one));
  const isKnown = closest !== undefined && (countShared(closest) > 0 || closest.index === slot.index);
  return isKnown ? (closest.shown ?? '') : slot.index === 0 ? 'value' : `value${slot.index}`;
}

/** Whether equal values are hardly equal by chance. */
function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function sortNames(names: readonly string[]): readonly string[] {
  return names.toSorted((one, other) => Number(means(other, 'ids.id')) - Number(means(one, 'ids.id')));
}

/** The object that a value is, or the objects in an array. */
function listItems(value: unknown): readonly Item[] {
  if (Array.isArray(value)) return value.flatMap(listItems);
  return isObject(value) ? [value] : [];
}
