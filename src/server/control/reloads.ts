import { formatPlace, type MockError } from '../../base/errors.js';

/** The result of a reload of the files of a mock. */
export interface MockReload {
  /** The files that changed, in the order of their names; empty where the reload was asked for. */
  readonly changed: readonly string[];
  /** Whether requests are answered by the files as they are now; of scenarios, by those without a mistake. */
  readonly applied: boolean;
  /** Every mistake, as one error; undefined where there is none. */
  readonly error: MockError | undefined;
  /** Ids of the scenarios that match their files now. */
  readonly loaded: readonly string[];
  /** Ids of the scenarios whose last valid version is kept, because their file has a mistake. */
  readonly kept: readonly string[];
  /** The files of scenarios that have a mistake. */
  readonly invalid: readonly string[];
  /** The state that could not be kept unchanged, such as items that the document no longer allows, one sentence each. */
  readonly notes: readonly string[];
  /** The changes of the document that break clients of its version before, one sentence each; of a large document they are not searched. */
  readonly breaking: readonly string[];
  /** Milliseconds from the discovery of the change, or from the call. */
  readonly elapsedMs: number;
}

/** The reloads of a mock, as the control API uses them. */
export interface Reloads {
  /** The last one; undefined where there was none. */
  readonly last: MockReload | undefined;
  /** Whether files are watched. */
  readonly isWatching: boolean;
  /** Reloads files. @param changed - Their paths; undefined for all. */
  reload(changed?: readonly string[]): Promise<MockReload>;
  /** Calls back after each reload. @returns what ends that. */
  watch(watcher: () => void): () => void;
}

/** The answer of the control API about the reloads of a mock. */
export function describeReloads({ isWatching, last }: Reloads): object {
  if (last === undefined) return { watching: isWatching, last: null };
  const { changed, applied, error, loaded, kept, notes, breaking, elapsedMs } = last;
  const done = { changed, applied, loaded, kept, notes, breaking, elapsedMs: Math.round(elapsedMs) };
  if (error === undefined) return { watching: isWatching, last: { ...done, error: null } };
  const { code, reason: message, at, hint } = error;
  return { watching: isWatching, last: { ...done, error: { code, message, at: at && formatPlace(at), hint } } };
}
