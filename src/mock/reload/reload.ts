import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { CONTRACT_OPTIONS, isLoadedContract, loadShared, readParts } from '../contract-parts.js';
import type { Contract } from '../../contract/contract.js';
import { formatPlace, MockError, toReason } from '../../base/errors.js';
import { readOptions, type Settings } from '../read-options.js';
import { carryScenarios, type Reload, reloadScenarios } from '../../features/scenario/scenarios.js';
import type { Fetch } from '../../server/app.js';
import { createWatcher } from '../watch.js';
import type { MockReload, Reloads } from '../../server/control/reloads.js';
import type { Snapshot } from '../../resources/store/store.js';
import { shareParts, toSetup } from '../../features/redis/open.js';
import { host, isPromise, readMonotonic } from '../../base/platform.js';
import { moveState } from './move-state.js';
import { createVersion, loadParts, type SharedParts, type Version } from './version.js';

/** The version that answers requests now. */
export interface Live {
  version: Version;
  /** Answers a request; while a file has a mistake, with a header that says so. */
  fetch: Fetch;
}

/** Files that decide which options a mock has, such as a configuration file. */
export interface OptionFiles {
  list(): readonly string[];
  /** The options as the files say now. */
  read(): Promise<object>;
}

/** Reloads the files of one mock. */
export interface Reloader extends Reloads {
  /** Resolves once changes of the files are seen. */
  readonly ready: Promise<void> | undefined;
  close(): void;
}

/** The header that responses have while a file has a mistake. */
const RELOAD_HEADER = 'x-mock-reload-error';

/** Creates what reloads the files of a mock, one reload at a time, and watches them where that is switched on. */
export function createReloader(
  live: Live,
  shared: SharedParts,
  { files, since }: { readonly files: OptionFiles | undefined; readonly since: number },
): Reloader {
  const watchers = new Set<() => void>();
  let last: MockReload | undefined;
  let reported: string | undefined;
  // Files of a document that was not applied, and those with mistakes: what corrects them may be written there.
  let further: readonly string[] = [];
  let running: Promise<unknown> = Promise.resolve();

  const run = async (changed: readonly string[] | undefined): Promise<MockReload> => {
    const startedAt = readMonotonic();
    const before = live.version.contract;
    const isWhole = changed === undefined || last?.applied === false;
    const note = (paths: readonly string[]): void => void (further = paths);
    const result = await apply({ live, shared, files, note }, isWhole ? undefined : changed).then(
      (done) => ({ ...done, applied: true }),
      toFailure,
    );
    const { error } = result;
    const file = error?.at?.file;
    further = [...(result.applied ? [] : further), ...(file === undefined ? [] : [resolve(file)])];
    const elapsedMs = readMonotonic() - startedAt;
    const { settings, app, contract } = live.version;
    live.fetch = error === undefined ? app.fetch : markAnswers(app.fetch, error);
    const breaking = await listBreaking(before, contract);
    const done: MockReload = { ...result, breaking, changed: (changed ?? []).map(showPath).toSorted(), elapsedMs };
    last = done;
    for (const watcher of watchers) watcher();
    const mistakes = error?.toString();
    const isNews = mistakes === undefined || mistakes !== reported;
    reported = mistakes;
    if (isNews) report(settings, done);
    return done;
  };
  const queue = (changed?: readonly string[]): Promise<MockReload> => {
    const next = running.then(() => run(changed));
    running = next.catch(() => undefined);
    return next;
  };
  const { settings } = live.version;
  const isWatching = isWatched(settings) || isScenarioWatched(settings);
  const list = (): readonly string[] => [...new Set([...listPaths(live.version, files), ...further])];
  const onChange = async (changed: readonly string[]): Promise<void> => void (await queue(changed));
  const watcher = isWatching ? createWatcher(list, onChange, since) : undefined;
  return {
    get last() {
      return last;
    },
    isWatching,
    ready: watcher?.ready,
    // What is reloaded on request is not reloaded again because it changed before.
    reload: (changed) => watcher?.passOver(() => queue(changed), changed) ?? queue(changed),
    watch: (each) => {
      watchers.add(each);
      return () => void watchers.delete(each);
    },
    close: () => watcher?.close(),
  };
}

/** What a reload did that was not applied. */
function toFailure(cause: unknown): Omit<MockReload, 'changed' | 'breaking' | 'elapsedMs'> {
  return { applied: false, error: toReloadError(cause), loaded: [], kept: [], invalid: [], notes: [] };
}

function toReloadError(cause: unknown): MockError {
  if (cause instanceof MockError) return cause;
  return new MockError('RELOAD_FAILED', `the files could not be reloaded: ${toReason(cause)}`, { cause });
}

/** Calls what the user gave for a reload. */
function report({ onReload, scenarios }: Settings, reload: MockReload): void {
  onReload?.(reload);
  const { loaded, kept, invalid, error } = reload;
  const isOfScenarios = loaded.length + kept.length > 0 || error?.code.startsWith('SCENARIO') === true;
  if (isOfScenarios) scenarios?.onReload?.({ loaded, kept, invalid, error });
}

interface Applying {
  readonly live: Live;
  readonly shared: SharedParts;
  readonly files: OptionFiles | undefined;
  /** Receives files to watch besides the files of the version that answers. */
  note(paths: readonly string[]): void;
}

/** Answers by the files as they are now. @throws MockError for a mistake; then nothing has changed. */
async function apply(
  { live, shared, files, note }: Applying,
  changed: readonly string[] | undefined,
): Promise<Reload & Pick<MockReload, 'notes'>> {
  const before = live.version;
  const folder = before.settings.scenarios?.from;
  if (typeof folder === 'string' && changed?.every((path) => isBelow(path, [folder])) === true) {
    return { ...reloadScenarios(folder, before.scenarioContext, before.scenarios), notes: [] };
  }
  const isOfOptions = files !== undefined && (changed?.some((path) => isBelow(path, files.list())) ?? true);
  const { settings, restart } = isOfOptions
    ? keepFixed(before.settings, readOptions(await files.read()))
    : { settings: before.settings, restart: [] };
  const contract = await renewContract(before, settings, { changed, note });
  if (contract !== before.contract && shared.foreign !== undefined) {
    const hint = 'restart it: a running recording uses the document that it was started with';
    throw new MockError('RELOAD_FAILED', 'a mock with recordings does not reload its document', { hint });
  }
  const loaded = loadParts(readParts(contract, settings.strict), settings, before);
  if (shared.store !== undefined && toSetup({ ...loaded, contract }) !== shared.store.setup) {
    const hint = 'restart all processes with another prefix: store: { prefix } (--store-prefix)';
    throw new MockError('RELOAD_FAILED', 'a mock whose state is shared does not reload its document or its fixtures', {
      hint,
    });
  }
  const parts = shareParts(loaded, shared.store);
  const next = createVersion(parts, settings, shared);
  const moved = swap(live, next, shared);
  const names = restart.map((name) => `the option "${name}" changes at the next start`);
  return { ...parts.reload, notes: [...names, ...moved] };
}

/** To compare a document with more operations takes longer than to reload it. */
const MAX_COMPARED = 200;

/** The changes between two versions of a document that break clients. */
async function listBreaking(old: Contract, now: Contract): Promise<readonly string[]> {
  if (old === now || now.operations.length > MAX_COMPARED) return [];
  const { diffContracts } = await import('../../tools/diff/diff.js');
  const breaking = diffContracts(old, now).findings.filter(({ severity }) => severity === 'breaking');
  return breaking.map(({ operations: [operation], message }) =>
    operation === undefined ? message : `${operation}: ${message}`,
  );
}

/** Lets a version answer, with all that is in the sessions. @returns what could not be kept. */
function swap(live: Live, next: Version, { sessions }: SharedParts): readonly string[] {
  const before = live.version;
  const open = sessions.list();
  const held: (readonly [restore: (snapshot: Snapshot) => void, snapshot: Snapshot])[] = [];
  live.version = next;
  try {
    const gone = next.handlers.takeOver(before.handlers, open);
    const dropped = carryScenarios(before.scenarios, next.scenarios);
    const moved = open.flatMap(({ id, store }) => {
      held.push([store.restore, store.snapshot()]);
      return moveState(store, before, next).map((line) => (id === 'default' ? line : `session ${id}: ${line}`));
    });
    if (next.coverage === before.coverage) next.coverage?.use(next.scenarios);
    else before.coverage?.writer?.close();
    return [
      ...gone.map((id) => `dropped the handlers of ${id}, which is not an operation any more`),
      ...dropped.map((id) => `dropped the scenario ${id}, which is not valid any more`),
      ...moved,
    ];
  } catch (error) {
    live.version = before;
    for (const [restore, snapshot] of held) restore(snapshot);
    throw error;
  }
}

/** The contract of the files as they are now; the one that answers where they have not changed. @throws MockError */
async function renewContract(
  before: Version,
  settings: Settings,
  { changed, note }: { readonly changed: readonly string[] | undefined } & Pick<Applying, 'note'>,
): Promise<Parameters<typeof readParts>[0]> {
  // `loadShared` made it.
  const known = before.contract as Parameters<typeof readParts>[0];
  const isSame = DOCUMENT_OPTIONS.every((name) => isDeepStrictEqual(settings[name], before.settings[name]));
  const isUnchanged = changed !== undefined && !changed.some((path) => isBelow(path, listDocument(before)));
  const isFixed =
    isLoadedContract(settings.spec) || (typeof settings.spec === 'object' && settings.overlays.length === 0);
  if (isSame && (isUnchanged || isFixed)) return known;
  const loaded = await loadShared(settings);
  if (loaded.hash === known.hash && isSame) return known;
  note(loaded.files);
  const error = isSame ? findNewError(known, loaded) : undefined;
  if (error !== undefined) throw error;
  return loaded;
}

/** The first error of a document that another version of it does not have: a mock starts with it, but an edit with it is a mistake. */
function findNewError(before: Contract, { problems }: Contract): MockError | undefined {
  const isError = ({ severity }: (typeof problems)[number]): boolean => severity === 'error';
  const known = new Set(before.problems.filter(isError).map(({ code, message }) => `${code} ${message}`));
  const added = problems.filter((problem) => isError(problem) && !known.has(`${problem.code} ${problem.message}`));
  const [first] = added;
  if (first === undefined) return undefined;
  const more = added.length === 1 ? '' : ` (and ${added.length - 1} more)`;
  return new MockError('SPEC_INVALID', `${first.message}${more}`, {
    at: first.at,
    hint: 'correct it; a restart serves the document as it is',
  });
}

/** The options that decide what the contract is. */
const DOCUMENT_OPTIONS = ['spec', ...CONTRACT_OPTIONS] as const;

/** The options that a running mock can change. */
const LIVE_OPTIONS: ReadonlySet<string> = new Set<keyof Settings>([
  ...DOCUMENT_OPTIONS,
  'fixtures',
  'handlers',
  'strict',
  'state',
  'auth',
  'requests',
  'responses',
  'scenarios',
  'middleware',
]);

/** The settings, with the earlier values where only a restart changes them, and the names of these. */
function keepFixed(
  before: Settings,
  settings: Settings,
): { readonly settings: Settings; readonly restart: readonly string[] } {
  const known: ReadonlyMap<string, unknown> = new Map(Object.entries(before));
  const given = new Map(Object.entries(settings));
  const names = [...new Set([...known.keys(), ...given.keys()])].filter((name) => !LIVE_OPTIONS.has(name));
  const fixed = Object.fromEntries(names.map((name) => [name, known.get(name)]));
  // Functions cannot be compared.
  const isSame = (name: string): boolean =>
    typeof known.get(name) === 'function' || isDeepStrictEqual(known.get(name), given.get(name));
  const restart = names.filter((name) => !isSame(name));
  return { settings: { ...settings, ...fixed }, restart };
}

function isWatched({ watch, onReload }: Settings): boolean {
  return watch ?? onReload !== undefined;
}

function isScenarioWatched(settings: Settings): boolean {
  const { watch, onReload } = settings.scenarios ?? {};
  return watch ?? (onReload !== undefined || isWatched(settings));
}

/** The files and folders whose changes are reloaded. */
function listPaths(version: Version, files: OptionFiles | undefined): readonly string[] {
  const { settings } = version;
  const { fixtures } = settings;
  const from = settings.scenarios?.from;
  const scenarios = typeof from === 'string' && isScenarioWatched(settings) ? [from] : [];
  const own = typeof fixtures === 'string' ? [fixtures] : [];
  const others = isWatched(settings) ? [...listDocument(version), ...own, ...(files?.list() ?? [])] : [];
  return [...others, ...scenarios].map((path) => resolve(path));
}

/** The files that the contract of a version is made of. */
function listDocument({ contract, settings }: Version): readonly string[] {
  const overlays = settings.overlays.map((path) => (path.startsWith('file:') ? fileURLToPath(path) : path));
  return [...contract.files, ...overlays];
}

/** Whether a path is one of others, or below one. */
function isBelow(path: string, others: readonly string[]): boolean {
  return others.some((other) => path === resolve(other) || path.startsWith(resolve(other) + sep));
}

function showPath(path: string): string {
  const shown = relative(process.cwd(), path);
  return shown.startsWith('..') || isAbsolute(shown) ? path : shown;
}

const MAX_HEADER_LENGTH = 300;

/** Answers with a header that says that a file has a mistake. */
function markAnswers(fetch: Fetch, { code, at, reason }: MockError): Fetch {
  const place = at === undefined ? '' : ` ${formatPlace(at)}`;
  const line = `${code}${place} ${reason}`.replaceAll(/\s+/g, ' ');
  const text = line.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MAX_HEADER_LENGTH);
  const mark = (response: Response): Response => {
    try {
      response.headers.set(RELOAD_HEADER, text);
      return response;
    } catch {
      // Middleware can answer with a response whose headers cannot be changed.
      const { status, statusText } = response;
      const headers = new host.Headers(response.headers);
      headers.set(RELOAD_HEADER, text);
      return new host.Response(response.body, { status, statusText, headers });
    }
  };
  return (request, environment) => {
    const response = fetch(request, environment);
    return isPromise(response) ? response.then(mark) : mark(response);
  };
}
