import { readFileSync, writeFileSync } from 'node:fs';
import { writeJson } from '../base/exact-json.js';
import { MockError, suggestId } from '../base/errors.js';
import { requireFile } from '../base/inside-folder.js';
import { isObject } from '../base/json.js';
import { clearTimeout, isError, readMonotonic, setTimeout } from '../base/platform.js';
import { replaceFileSync } from '../base/replace-file.js';
import { parseItems } from '../contract/load/parse.js';
import { createLineFinder } from '../contract/load/source-map.js';
import { toPointer } from '../contract/pointer.js';
import type { Resources } from '../resources/item/resource.js';
import type { CollectionEditors } from '../resources/store/editors.js';
import type { Session } from '../session/session.js';
import type { MockReload } from '../server/control/reloads.js';
import { createWatcher } from './watch.js';

/** A file that keeps the items of one session over restarts: an object with an array for each collection, in the form of fixtures. */
export interface StateFile {
  /** Lets the file be written soon; called with each change of the session. */
  onWrite(): void;
  /** Brings the items of the file to the session, or creates the file, and follows both afterwards. @throws MockError `STATE_INVALID`, `STATE_UNWRITABLE`. */
  open(session: Session): void;
  /** Writes what is not written yet. */
  close(): void;
}

interface StateFileParts {
  readonly resources: Pick<Resources, 'collections'>;
  readonly editors: CollectionEditors;
  /** Whether changes of the file are read. */
  readonly isWatched: boolean;
  /** Called when another program has changed the file, and when it could not be written. */
  readonly onReload: ((reload: MockReload) => void) | undefined;
}

/** Milliseconds in which changes are written together. */
const PAUSE_MS = 50;

/** Creates what keeps the items of a session in a file. */
export function createStateFile(path: string, parts: StateFileParts): StateFile {
  let session: Session | undefined;
  let timer: NodeJS.Timeout | undefined;
  // What the file has, as far as this process knows.
  let known: string | undefined;
  let watcher: { close(): void } | undefined;

  const load = (text: string): void => {
    if (session !== undefined) applyState(session, readState(text, path, parts), { text, path, parts });
    known = text;
  };
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (session === undefined) return;
    const text = `${writeJson(session.store.export().collections, 2)}\n`;
    if (text !== known) writeState(path, text);
    known = text;
  };
  const follow = (): void => {
    const text = readOwn(path);
    // Only other texts than the one that this process wrote are changes, and a removed file is written again with the next change.
    if (text === undefined) known = undefined;
    else if (text !== known) {
      const startedAt = readMonotonic();
      report(parts, { path, error: findMistake(() => load(text)), startedAt });
    }
  };
  return {
    onWrite: () => {
      timer ??= setTimeout(() => {
        const error = findMistake(save);
        if (error !== undefined) report(parts, { path, error, startedAt: readMonotonic() });
      }, PAUSE_MS);
    },
    open: (opened) => {
      session = opened;
      const text = readOwn(path);
      if (text === undefined) save();
      else load(text);
      clearTimeout(timer);
      timer = undefined;
      watcher = parts.isWatched ? createWatcher(() => [path], follow) : undefined;
    },
    close: () => {
      watcher?.close();
      if (timer !== undefined) save();
    },
  };
}

/** Why work failed; undefined where it did not. */
function findMistake(work: () => void): MockError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof MockError) return error;
    throw error;
  }
}

function report(
  { onReload }: StateFileParts,
  {
    path,
    error,
    startedAt,
  }: { readonly path: string; readonly error: MockError | undefined; readonly startedAt: number },
): void {
  const elapsedMs = readMonotonic() - startedAt;
  onReload?.({
    changed: [path],
    applied: error === undefined,
    error,
    loaded: [],
    kept: [],
    notes: [],
    breaking: [],
    invalid: error === undefined ? [] : [path],
    elapsedMs,
  });
}

/** @throws MockError `STATE_UNWRITABLE`. */
function writeState(path: string, text: string): void {
  try {
    replaceFileSync(path, (temporary) => writeFileSync(temporary, text));
  } catch (cause) {
    throw new MockError('STATE_UNWRITABLE', `the state cannot be written: ${(cause as Error).message}`, {
      at: { file: path },
      hint: 'choose a file that can be written; the items are kept in memory',
      cause,
    });
  }
}

/** The text of a file; undefined where there is none. @throws MockError `STATE_INVALID` where it cannot be read. */
function readOwn(path: string): string | undefined {
  try {
    requireFile(path);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (isError(cause) && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new MockError('STATE_INVALID', `the file of the state cannot be read: ${(cause as Error).message}`, {
      at: { file: path },
      cause,
    });
  }
}

type Items = readonly (readonly [name: string, items: readonly unknown[]])[];

/** The items of a file, parents before what belongs to them. @throws MockError `STATE_INVALID`. */
function readState(text: string, path: string, { resources }: Pick<StateFileParts, 'resources'>): Items {
  const { value } = parseItems(text, path, 'STATE_INVALID');
  const invalid = (message: string, pointer: string, hint?: string): MockError => {
    const at = { file: path, ...createLineFinder(text)(pointer), pointer };
    return new MockError('STATE_INVALID', message, { at, ...(hint !== undefined && { hint }) });
  };
  if (!isObject(value)) throw invalid('the state must be an object with an array for each collection', '');
  const names = [...resources.collections.keys()];
  const entries = Object.entries(value).map(([name, items]): readonly [string, readonly unknown[]] => {
    if (!names.includes(name)) {
      const hint = suggestId(name, names) ?? `the collections are ${names.join(', ')}`;
      throw invalid(`there is no collection "${name}"`, toPointer(name), hint);
    }
    if (!Array.isArray(items)) throw invalid(`"${name}" must be an array of items`, toPointer(name));
    return [name, items];
  });
  const depth = (name: string): number => resources.collections.get(name)?.parents.length ?? 0;
  return entries.toSorted(([one], [other]) => depth(one) - depth(other));
}

/** Replaces the items of a session, all or none. @throws MockError `STATE_INVALID`. */
function applyState(
  session: Session,
  items: Items,
  { text, path, parts }: { readonly text: string; readonly path: string; readonly parts: StateFileParts },
): void {
  session.store.transaction(() => {
    for (const [name, values] of items) {
      const [problem] = parts.editors.replace(session, name, values);
      if (problem === undefined) continue;
      const pointer = toPointer(name) + problem.pointer;
      throw new MockError('STATE_INVALID', `not a valid item of "${name}": ${problem.message}`, {
        at: { file: path, ...createLineFinder(text)(pointer), pointer },
        hint: 'correct it, or remove the file to start with the fixtures',
      });
    }
  });
}
