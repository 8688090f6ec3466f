import { MockError, type Place } from '../../errors.js';
import type { Finding } from '../contract.js';
import { isObject, setOwn } from '../json.js';
import { toPointer } from '../pointer.js';
import { quote } from '../upgrade/node.js';
import { createLineFinder } from './source-map.js';
import { parseText } from './parse.js';

/** The text of an Overlay document, and the name its errors carry. */
export interface OverlayText {
  readonly text: string;
  readonly file: string;
}

/** A document with an overlay on it, and the actions that did nothing. */
export interface OverlaidDocument {
  readonly document: unknown;
  readonly findings: readonly Finding[];
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

/** A step from the root to a node. */
type Location = readonly (string | number)[];

/**
 * Applies an Overlay 1.0 document: the actions in order, each to the result of the one before. The document given stays as it is.
 *
 * @throws MockError `OVERLAY_INVALID` with the line in the overlay.
 */
export async function applyOverlay(document: unknown, overlay: OverlayText): Promise<OverlaidDocument> {
  const { file, text } = overlay;
  const lines = createLineFinder(text);
  const place = (pointer: string): Place => ({ file, ...lines.find(pointer), pointer });
  const { value } = parseText(text, file, 'OVERLAY_INVALID');
  const actions = readActions(value, place);
  // Loaded where it is needed: few documents have an overlay.
  const { query } = await import('json-p3');
  const select = (root: unknown, path: string, pointer: string): readonly Location[] => {
    try {
      // The document came from JSON or YAML text, and is JSON.
      return query(path, root as Parameters<typeof query>[1]).locations();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new MockError('OVERLAY_INVALID', `${quote(path)} is no JSONPath: ${reason}`, {
        at: place(pointer),
        hint: `RFC 9535 is the syntax: $.paths['/pets'].get, $.paths.*.get, $..[?@.name=='limit']`,
        cause,
      });
    }
  };
  let current = document;
  const findings: Finding[] = [];
  for (const action of actions) {
    const locations = select(current, action.target, `${action.pointer}/target`);
    if (locations.length === 0) findings.push(describeNoMatch(action, file));
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

function describeNoMatch(action: Action, file: string): Finding {
  return {
    code: 'OVERLAY_NO_MATCH',
    severity: 'warning',
    message: `the target ${quote(action.target)} of ${file} (#${action.pointer}) selects nothing`,
    pointer: '',
    assumed: 'the action changes nothing',
  };
}

function readUpdate(root: unknown, action: Action, select: (path: string) => readonly Location[]): unknown {
  if (action.copy === undefined) return action.update;
  const from = select(action.copy)[0];
  return from?.reduce<unknown>((node, step) => (node as Readonly<Record<string | number, unknown>>)[step], root);
}

/** The actions of an overlay; everything that would make one mean nothing is an error. */
function readActions(value: unknown, place: (pointer: string) => Place): readonly Action[] {
  const fail = (message: string, pointer: string, hint: string): MockError =>
    new MockError('OVERLAY_INVALID', message, { at: place(pointer), hint });
  if (!isObject(value) || typeof value['overlay'] !== 'string') {
    throw fail('the file is no Overlay document: it has no "overlay"', '', 'it starts with "overlay: 1.0.0"');
  }
  if (!/^1\.\d+(?:\.\d+)?/u.test(value['overlay'])) {
    throw fail(
      `version "${value['overlay']}" of the Overlay Specification is not known`,
      '/overlay',
      'write "overlay: 1.0.0"',
    );
  }
  const list = value['actions'];
  if (!Array.isArray(list) || list.length === 0) {
    throw fail('an overlay needs a list of "actions"', '/actions', 'each one has a "target" and "update" or "remove"');
  }
  return list.map((action: unknown, index): Action => {
    const pointer = toPointer('actions', index);
    if (!isObject(action) || typeof action['target'] !== 'string') {
      throw fail('an action needs a "target"', pointer, `a JSONPath, such as $.paths['/pets'].get`);
    }
    const { target, update, remove, copy } = action;
    if (remove !== undefined && typeof remove !== 'boolean') {
      throw fail(`"remove" cannot be ${quote(remove)}`, `${pointer}/remove`, 'it is true or false');
    }
    if (copy !== undefined && typeof copy !== 'string') {
      throw fail(`"copy" cannot be ${quote(copy)}`, `${pointer}/copy`, 'it is a JSONPath');
    }
    if (remove !== true && update === undefined && copy === undefined) {
      throw fail('an action needs "update" or "remove: true"', pointer, 'see the Overlay Specification, Action Object');
    }
    return { target, update, remove: remove === true, copy, pointer };
  });
}

/** Later items and deeper nodes first, so that no removal moves what is still to be removed. */
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

/** A copy of a tree in which one node is another; everything beside the way there is shared. */
function changeAt(root: unknown, location: Location, change: (node: unknown) => unknown): unknown {
  const [step, ...rest] = location;
  if (step === undefined) return change(root);
  if (Array.isArray(root)) return root.with(Number(step), changeAt(root[Number(step)], rest, change));
  if (!isObject(root) || !Object.hasOwn(root, step)) return root;
  const copy: Record<string, unknown> = { ...root };
  setOwn(copy, String(step), changeAt(root[String(step)], rest, change));
  return copy;
}

/** Objects are merged, a list takes the update as a further entry, anything else is replaced. */
function merge(node: unknown, update: unknown): unknown {
  if (Array.isArray(node)) return Array.isArray(update) ? [...node, ...update] : [...node, update];
  if (!isObject(node)) return update;
  if (!isObject(update)) return node;
  const copy: Record<string, unknown> = { ...node };
  for (const [name, value] of Object.entries(update)) {
    const own = Object.hasOwn(node, name) ? node[name] : undefined;
    // An empty member of a structured overlay mirrors the document; it does not wipe out what is there.
    if (value === null && typeof own === 'object') continue;
    const isBoth = (isObject(own) && isObject(value)) || (Array.isArray(own) && Array.isArray(value));
    setOwn(copy, name, isBoth ? merge(own, value) : value);
  }
  return copy;
}
