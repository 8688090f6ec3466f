import type { Reading } from '../ground.js';
import { findExpressions } from '../rules/expression.js';
import type { Changes, CollectionChanges } from '../rules/rule.js';
import { type Against, checkExpressions, checkPartial, checkParts } from './check-value.js';
import { checkCollection } from './read-when.js';
import { describe, type Given, isRecord, member, readFlag, readItems, readMembers, readWhole } from './read.js';

const CHANGE_KEYS = ['clear', 'generate', 'add', 'update', 'remove'] as const;

/** How many items one change may make. */
const MOST_ITEMS = 100_000;

/** What a change of nothing is. */
export const NO_CHANGES: Changes = { collections: [], vars: {} };

/** The changes of `state` or `then`: collections by name, and `vars`. */
export function readChanges(given: Given, what: string, reading: Reading): Changes {
  if (given.value === undefined) return NO_CHANGES;
  const names = readMembers(given, what) ?? [];
  const collections = names
    .filter((name) => name !== 'vars')
    .flatMap((name) => {
      const change = member(given, name);
      checkCollection(change, name, reading);
      const read = readChange(change, name, reading);
      return read === undefined ? [] : [read];
    });
  return { collections, vars: readVars(member(given, 'vars'), reading) };
}

/** The first values of vars, or their new ones. */
export function readVars(given: Given, reading: Reading): Readonly<Record<string, unknown>> {
  if (given.value === undefined) return {};
  const names = readMembers(given, '"vars"') ?? [];
  checkExpressions(given, reading);
  return Object.fromEntries(names.map((name) => [name, member(given, name).value]));
}

function readChange(given: Given, name: string, reading: Reading): CollectionChanges | undefined {
  if (!isRecord(given, 'a change of a collection', CHANGE_KEYS)) return undefined;
  checkExpressions(given, reading);
  const shape = reading.ground.collections.find((collection) => collection.name === name);
  const pointers = shape?.schemaPointer === undefined ? [] : [shape.schemaPointer];
  const against: Against = { ground: reading.ground, pointers, direction: 'response', what: `an item of ${name}` };
  return {
    name,
    clear: member(given, 'clear').value === undefined ? false : readFlag(member(given, 'clear'), '"clear"'),
    generate: readGenerate(member(given, 'generate')),
    add: readAdd(member(given, 'add'), against, reading),
    update: readUpdate(member(given, 'update'), against, reading),
    remove: readRemove(member(given, 'remove')),
  };
}

function readGenerate(given: Given): number {
  if (given.value === undefined) return 0;
  return readWhole(given, '"generate"', [0, MOST_ITEMS]) ?? 0;
}

function readAdd(given: Given, against: Against, reading: Reading): readonly unknown[] {
  if (given.value === undefined) return [];
  return readItems(given, '"add"').map((item) => {
    if (readMembers(item, `an item of "add"`) !== undefined && !reading.violates) checkPartial(item, against);
    return item.value;
  });
}

function readUpdate(given: Given, against: Against, reading: Reading): Readonly<Record<string, unknown>> {
  if (given.value === undefined) return {};
  const ids = readMembers(given, '"update"') ?? [];
  for (const id of ids) {
    const patch = member(given, id);
    if (readMembers(patch, `the patch of ${JSON.stringify(id)}`) !== undefined && !reading.violates) {
      checkParts(patch, against);
    }
  }
  return Object.fromEntries(ids.map((id) => [id, member(given, id).value]));
}

function readRemove(given: Given): readonly unknown[] {
  if (given.value === undefined) return [];
  return readItems(given, '"remove"').flatMap((item) => {
    if (typeof item.value === 'string' || typeof item.value === 'number') return [item.value];
    if (findExpressions(item.value).length > 0) return [item.value];
    item.notes.wrong(item.pointer, `an id must be a text or a number, not ${describe(item.value)}`);
    return [];
  });
}
