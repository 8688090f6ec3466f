import { MockError, type Place } from '../../base/errors.js';
import type { Finding } from '../contract.js';
import { changeAt, isObject, readOwn, setOwn } from '../../base/json.js';
import { toPointer } from '../pointer.js';
import { quote } from '../upgrade/node.js';
import { createLineFinder } from './source-map.js';
import { parseDocument } from './parse.js';
import { isError } from '../../base/platform.js';

/** The text of an Overlay document, and the file name in its errors. */
export interface OverlayText {
  readonly text: string;
  readonly file: string;
}

/** One entry of `actions` (Overlay 1.0 section "Action Object"; `copy` is of 1.1). */
interface Action {
  readonly target: string;
  readonly remove: boolean;
  readonly copy: string | undefined;
  /** Undefined for none; null is a value. */
  readonly update: unknown;
  readonly pointer: string;
}

/** The path from the root to a node. */
type Location = readonly (string | number)[];

/**
 * Applies an Overlay 1.0 document: the actions in order, each to the result of the one before. The given document is not changed.
 *
 * @throws MockError `OVERLAY_INVALID` with the line in the overlay.
 */
export async function applyOverlay(
  document: unknown,
  overlay: OverlayText,
): Promise<{ readonly document: unknown; readonly findings: readonly Finding[] }> {
  const { file, text } = overlay;
  const lines = createLineFinder(text);
  const place = (pointer: string): Place => ({ file, ...lines(pointer), pointer });
  const { value } = parseDocument(text, file, 'OVERLAY_INVALID');
  const actions = readActions(value, place);
  // Loaded on demand: few documents have an overlay.
  const { query } = await import('json-p3');
  const select = (root: unknown, path: string, pointer: string): readonly Location[] => {
    try {
      // The document came from JSON or YAML text, and is JSON.
      return query(path, root as Parameters<typeof query>[1]).locations();
    } catch (cause) {
      const reason = isError(cause) ? cause.message : String(cause);
      const message = `${quote(path)} is not a valid JSONPath: ${reason}`;
      const hint = `examples of RFC 9535: $.paths['/pets'].get, $.paths.*.get, $..[?@.name=='limit']`;
      throw new MockError('OVERLAY_INVALID', message, { at: place(pointer), hint, cause });
    }
  };
  let current = document;
  const findings: Finding[] = [];
  for (const action of actions) {
    const locations = select(current, action.target, `${action.pointer}/target`);
    if (locations.length === 0) {
      const message = `the target ${quote(action.target)} of ${file} (#${action.pointer}) matches nothing`;
      findings.push({ code: 'OVERLAY_NO_MATCH', message, pointer: '', assumed: 'the action changes nothing' });
    }
    if (action.remove) {
      current = removeAll(current, locations);
      continue;
    }
    const update = readUpdate(current, action, (path) => select(current, path, `${action.pointer}/copy`));
    if (update === undefined) continue;
    for (const location of locations) {
      current = changeAt(current, location, (node) => merge(node, update));
    }
  }
  return { document: current, findings };
}

function readUpdate(root: unknown, action: Action, select: (path: string) => readonly Location[]): unknown {
  if (action.copy === undefined) return action.update;
  const from = select(action.copy)[0];
  return from?.reduce<unknown>((node, step) => (node as Readonly<Record<string | number, unknown>>)[step], root);
}

/** The actions of an overlay. @throws MockError `OVERLAY_INVALID` where one has no effect as written. */
function readActions(value: unknown, place: (pointer: string) => Place): readonly Action[] {
  const fail = (message: string, pointer: string, hint: string): MockError =>
    new MockError('OVERLAY_INVALID', message, { at: place(pointer), hint });
  if (!isObject(value) || typeof value['overlay'] !== 'string') {
    throw fail('this is not an Overlay document: it has no "overlay"', '', 'start it with "overlay: 1.0.0"');
  }
  if (!/^1\.\d+(?:\.\d+)?/u.test(value['overlay'])) {
    const message = `version "${value['overlay']}" of the Overlay Specification is not supported`;
    throw fail(message, '/overlay', 'write "overlay: 1.0.0"');
  }
  const list = value['actions'];
  if (!Array.isArray(list) || list.length === 0) {
    throw fail('"actions" must be an array', '/actions', 'each action has a "target" and "update" or "remove"');
  }
  return list.map((action: unknown, index): Action => {
    const pointer = toPointer('actions', index);
    if (!isObject(action) || typeof action['target'] !== 'string') {
      throw fail('an action needs a "target"', pointer, `use a JSONPath such as $.paths['/pets'].get`);
    }
    const { target, update, remove, copy } = action;
    if (remove !== undefined && typeof remove !== 'boolean') {
      throw fail(`"remove" must be a boolean, got ${quote(remove)}`, `${pointer}/remove`, 'use true or false');
    }
    if (copy !== undefined && typeof copy !== 'string') {
      throw fail(`"copy" must be a string, got ${quote(copy)}`, `${pointer}/copy`, 'use a JSONPath');
    }
    if (remove !== true && update === undefined && copy === undefined) {
      throw fail('an action needs "update" or "remove: true"', pointer, 'see the Overlay Specification, Action Object');
    }
    return { target, update, remove: remove === true, copy, pointer };
  });
}

/** Removes later items and deeper nodes first, so that the other locations stay valid. */
function removeAll(root: unknown, locations: readonly Location[]): unknown {
  let current = root;
  const unique = new Map(locations.map((location) => [JSON.stringify(location), location]));
  for (const location of [...unique.values()].toSorted(compareLocations)) {
    const last = location.at(-1);
    if (last === undefined) continue;
    current = changeAt(current, location.slice(0, -1), (parent) => removeMember(parent, last));
  }
  return current;
}

function compareLocations(one: Location, other: Location): number {
  for (let i = 0; i < Math.min(one.length, other.length); i++) {
    const [left, right] = [one[i], other[i]];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return right - left;
    return String(left) < String(right) ? -1 : 1;
  }
  return other.length - one.length;
}

function removeMember(parent: unknown, name: string | number): unknown {
  if (Array.isArray(parent)) return parent.toSpliced(Number(name), 1);
  if (!isObject(parent)) return parent;
  const { [String(name)]: _, ...rest } = parent;
  return rest;
}

/** Merges objects, appends to arrays and replaces everything else (Overlay 1.0, Action Object). */
function merge(node: unknown, update: unknown): unknown {
  if (Array.isArray(node)) return Array.isArray(update) ? [...node, ...update] : [...node, update];
  if (!isObject(node)) return update;
  if (!isObject(update)) return node;
  const copy: Record<string, unknown> = { ...node };
  for (const [name, value] of Object.entries(update)) {
    const own = readOwn(node, name);
    // An empty member of an overlay mirrors the structure of the document; it removes nothing.
    if (value === null && typeof own === 'object') continue;
    const isBoth = (isObject(own) && isObject(value)) || (Array.isArray(own) && Array.isArray(value));
    setOwn(copy, name, isBoth ? merge(own, value) : value);
  }
  return copy;
}
