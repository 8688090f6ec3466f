import { createAnswerSetters } from '../answer/set-answers.js';
import { createRecordingSources } from '../features/recording/answer/recording-sources.js';
import { resolve } from 'node:path';
import type { Clock, VirtualClock } from '../base/clock.js';
import type { Coverage } from '../features/coverage/coverage.js';
import type { Contract } from '../contract/contract.js';
import { checkContractOptions, loadShared, readParts } from './contract-parts.js';
import { createHandle, createRecordingsHandle, type HandleParts, type Mock } from './handles.js';
import { withAbortSignal } from '../http/request/in-process.js';
import { fetchInProcess } from '../http/request/redirects.js';
import { requireOrigin } from '../http/request/own-origin.js';
import { MockError } from '../base/errors.js';
import type { Feature, FeatureKind } from './feature.js';
import { closeFeatures, type FeatureParts, listFeatures } from './features.js';
import type { MockOptions } from './options.js';
import { readOptionOf, readOptions, type Settings } from './read-options.js';
import { follow } from './reload/follow.js';
import { createReloader, type Live, type OptionFiles, type Reloader } from './reload/reload.js';
import { createVersion, loadParts } from './reload/version.js';
import type { MockCoverage, MockParts } from './parts.js';
import { prepareSchemas } from '../schema/validate.js';
import type { Fetch } from '../server/app.js';
import { isSocketEnvironment } from '../server/arrival.js';
import { createInterceptions } from '../features/intercept/intercept.js';
import { createCors } from '../server/cors.js';
import { type Control, createControl } from '../server/control/control.js';
import type { ControlledParts } from '../server/control/routes.js';
import { mapValues } from '../base/json.js';
import { answerWelcome } from '../features/inspector/pages.js';
import type { Finding } from '../journal/verify.js';
import type { listen as Listen, Listening, ListenOptions } from '../server/listen.js';
import type { Interaction } from '../journal/interaction.js';
import { createJournalPool, type JournalPool } from '../journal/journal.js';
import { createRequestMetrics } from '../features/metrics/request-metrics.js';
import { createMockScenarios } from '../features/scenario/scenario-handle.js';
import { activateScenarios, scenarioOf } from '../features/scenario/session-slot.js';
import type { StateFile } from './state-file.js';
import { createSession, createSessionClocks, type Session, type SessionSlot } from '../session/session.js';
import { createSessions, type Sessions } from '../session/sessions.js';
import { openStore, shareParts } from '../features/redis/open.js';
import type { SharedStore } from '../features/redis/shared-store.js';
import { findSessionViolations, verifySession } from './verify.js';
import { createStore, type OnStoreWrite } from '../resources/store/store.js';
import { createUsage, type TotalUsage, type Usage } from '../resources/store/lists/usage.js';
import { host, isRequest, readMonotonic } from '../base/platform.js';

/**
 * Creates a mock of an OpenAPI document.
 *
 * `mock.clock` has `set` and `advance`, unless the clock is `'real'`, or an object of the caller that lacks them.
 *
 * @throws MockError with a code for what cannot be used: an option (`OPTION_INVALID`, `CLOCK_INVALID`, `HANDLER_INVALID`), the document
 * (`SPEC_NOT_FOUND`, `SPEC_UNREADABLE`, `SPEC_INVALID`, `OVERLAY_INVALID`, `HINT_INVALID`), fixtures (`FIXTURE_UNREADABLE`, `FIXTURE_INVALID`),
 * scenarios (`SCENARIO_UNREADABLE`, `SCENARIO_INVALID`, `SCENARIO_UNKNOWN`, and `STATE_INVALID` or `STATE_LIMIT` where one that is active from the start
 * changes collections), recordings (`RECORDING_NOT_FOUND`, `RECORDING_INVALID`, `RECORDING_LOCKED`, `RECORDING_UNWRITABLE`, `RECORDING_EXPIRED`) or
 * the store (`STORE_UNREACHABLE`, `STORE_INCOMPATIBLE`, `STORE_CLIENT_MISSING`).
 *
 * @example
 * ```ts
 * import { createMock } from 'vouch';
 *
 * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures', seed: 7 });
 * const response = await mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
 * if (response.status !== 200) throw new Error(`answered ${response.status}`);
 * ```
 */
export function createMock<Operations = unknown, Collections = unknown>(
  options: MockOptions<Operations, Collections> & { readonly clock: VirtualClock },
): Promise<Mock<VirtualClock, Operations, Collections>>;
export function createMock<Operations = unknown, Collections = unknown>(
  options: MockOptions<Operations, Collections> & { readonly clock: 'real' | Clock },
): Promise<Mock<Clock, Operations, Collections>>;
export function createMock<Operations = unknown, Collections = unknown>(
  options: MockOptions<Operations, Collections>,
): Promise<Mock<VirtualClock, Operations, Collections>>;
export async function createMock(options: object): Promise<Mock<Clock>> {
  return openMock(options);
}

/** How a mock is created besides its options. */
interface MockMeans {
  /** Files that decide which options it has, for a mock that watches its files. */
  readonly files?: OptionFiles | undefined;
  /** Features that it has besides the features of vouch. */
  readonly features?: readonly FeatureKind[];
}

/** Creates a mock, as `createMock`. */
export async function openMock(options: object, means: MockMeans = {}): Promise<Mock<Clock>> {
  const opened: Opened = [];
  try {
    return await createParts(options, means, opened);
  } catch (error) {
    // The mistake is reported, whatever cannot be closed after it.
    await Promise.allSettled(opened.toReversed().map(async (close) => close()));
    throw error;
  }
}

/** Closes what a mock has opened until now: a connection or a timer would keep a process running whose mock could not be created. */
type Opened = (() => void | Promise<void>)[];

async function createParts(options: object, means: MockMeans, opened: Opened): Promise<Mock<Clock>> {
  // Files that are written while they are loaded are reloaded; file systems count in parts of a millisecond.
  const since = Date.now() + 1;
  const { files, features: kinds = [] } = means;
  const { given, values } = takeFeatureOptions(options, kinds);
  const settings = readOptions(given);
  checkContractOptions({ ...given });
  const contract = await loadShared(settings);
  const own = loadParts(readParts(contract, settings.strict), settings);
  const store = await openStore(settings, own);
  opened.push(async () => store?.close());
  const parts = shareParts(own, store);
  // Objects that live longer than one version read the parts of the version that answers.
  const now: { live?: Live; reloader?: Reloader } = {};
  const readNow = (): MockParts => now.live?.version ?? parts;
  const followed = followParts(readNow);
  const openUsage = createUsages(settings);
  const pool = createJournalPool(settings.journal.totalBytes);
  const foreign =
    settings.recordings && (await createRecordingSources(settings.recordings, { ...parts, environment: process.env }));
  const recordings = foreign?.recordings;
  opened.push(async () => recordings?.close());
  const closing = new host.AbortController();
  opened.push(() => closing.abort());
  const metrics = createRequestMetrics();
  const interceptions = createInterceptions();
  const counted = settings.control === false ? undefined : metrics;
  const features: readonly Feature[] = [
    ...listFeatures({ scenarios: followed, foreign, metrics: counted, interceptions, store }, () => controlled),
    ...kinds.map((kind, i) => kind.open({ options: values[i] ?? {}, current: readNow })),
  ];
  const slots = features.flatMap(({ slot }) => slot ?? []);
  const stateFile = await openStateFile(settings, followed);
  opened.push(() => stateFile?.close());
  const sessions = openSessions({ pool, readNow, store, slots, stateFile, ...followed }, settings, openUsage);
  const controlled: ControlledByFeatures = {
    requireSession: settings.sessions.required,
    send: (request) => ready(now.live).fetch(request),
    metrics,
    uploads: openUsage(),
    store,
    sessions,
    pool,
    closing: closing.signal,
    reloads: follow(() => ready(now.reloader)),
    ...followed,
  };
  const control = settings.control === false ? undefined : openControl(settings.control, controlled, features);
  const cors = createCors(settings.cors);
  const shared = { sessions, foreign, cors, control, store, features };
  const version = createVersion(parts, settings, shared);
  const live: Live = { version, fetch: version.app.fetch };
  const reloader = createReloader(live, shared, { files, since });
  opened.push(reloader.close);
  Object.assign(now, { live, reloader });
  await Promise.all([reloader.ready, store?.start(sessions, followed.scenarios)]);
  stateFile?.open(sessions.default);
  const running = { recordings, reloader, live, closing, interceptions, stateFile };
  const handlers = follow(() => live.version.handlers);
  const fetch: Fetch = (request, environment) => live.fetch(request, environment);
  return assemble({ ...running, handlers, fetch, ...shared, ...followed }, { ...settings, cors });
}

/** The values of the options that features bring, and the options that are left. @throws MockError `OPTION_INVALID`. */
function takeFeatureOptions(
  options: object,
  kinds: readonly FeatureKind[],
): { readonly given: object; readonly values: readonly Readonly<Record<string, unknown>>[] } {
  const given: Record<string, unknown> = { ...options };
  const values = kinds.map(({ options: rows = {} }) =>
    mapValues(rows, (row, name) => {
      const value = given[name];
      delete given[name];
      return readOptionOf(name, row, value);
    }),
  );
  return { given: kinds.length === 0 ? options : given, values };
}

/** The parts that operations of the control API use, also operations of features. */
type ControlledByFeatures = FeatureParts &
  Omit<ControlledParts, 'findViolations' | 'listActive' | 'prefix' | 'shared'> & {
    readonly store: SharedStore | undefined;
  };

/** The control API with the operations of the features, which are loaded with the first request. */
function openControl(
  options: Exclude<Settings['control'], false>,
  parts: ControlledByFeatures,
  features: readonly Feature[],
): Control {
  const findViolations = (session: Session): readonly Finding[] => findSessionViolations(session, parts.scenarios, {});
  const listActive = (session: Session): readonly string[] => scenarioOf(session).active;
  return createControl(
    options,
    { ...parts, findViolations, listActive, shared: parts.store },
    { operations: features.flatMap(({ control }) => control ?? []), welcome: answerWelcome },
  );
}

/** A part that exists once the mock is created. */
function ready<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('a request came before the mock was ready');
  return part;
}

/** The parts that sessions, their handles and the control API use, each of the version that answers. */
function followParts(read: () => MockParts) {
  return {
    contract: follow(() => read().contract),
    operations: follow(() => read().operations),
    generator: follow(() => read().generator),
    resources: follow(() => read().resources),
    redactor: follow(() => read().redactor),
    scenarios: follow(() => read().scenarios),
    editors: follow(() => read().editors),
    definition: follow(() => read().definition),
    fieldsOf: (pointers: readonly string[]) => read().fieldsOf(pointers),
  };
}

/** The options of a server that depend on the mock. */
type ServedOptions = Omit<Parameters<typeof Listen>[1], keyof ListenOptions>;

/** The parts that only the mock itself uses. */
interface OwnParts {
  readonly live: Live;
  readonly reloader: Reloader;
  /** Aborted when the mock is closed. */
  readonly closing: AbortController;
  readonly store: SharedStore | undefined;
  readonly features: readonly Feature[];
  readonly stateFile: StateFile | undefined;
  readonly fetch: Fetch;
}

function assemble(parts: HandleParts & OwnParts, { connections, cors, onRefused }: ServedOptions): Mock<Clock> {
  const { sessions, handlers, recordings, live, reloader } = parts;
  const initial = createHandle(sessions.default, parts);
  const servers = new Set<Listening>();
  const close = (): Promise<void> => closeMock(parts, servers);
  const answer = (request: Request): Response | Promise<Response> => withAbortSignal(request, parts.fetch);
  const fetch: Mock['fetch'] = async (input, init, ...mounted: readonly unknown[]) => {
    // A Hono app that mounts this function passes its bindings where `fetch` takes its options, then its context.
    if (isRequest(input) && isSocketEnvironment(init)) return parts.fetch(input, init);
    if (mounted.length > 0 && isRequest(input)) return answer(input);
    requireOrigin(live.version.contract, input);
    return fetchInProcess(input, init, answer);
  };
  return {
    ...initial,
    get contract() {
      return live.version.contract;
    },
    get problems() {
      const { contract, validators } = live.version;
      return [...contract.problems, ...validators.problems()];
    },
    prepare: () => prepareSchemas(live.version.contract, live.version.validators),
    seed: live.version.seed,
    recordings: recordings && createRecordingsHandle(recordings),
    get app() {
      return live.version.app;
    },
    fetch,
    reload: reloader.reload,
    intercept: (origin, options) => {
      // The interceptor follows redirects where its client does.
      return parts.interceptions.open(live, { ...options, origin, fetch: async (request) => answer(request) });
    },
    listen: async (where) => {
      // Loaded on demand: a mock that is called in-process never needs it.
      const { listen } = await import('../server/listen.js');
      const server = await listen(parts.fetch, { ...where, connections, cors, onRefused });
      servers.add(server);
      return { ...server, baseUrl: server.url + readBasePath(live.version.contract) };
    },
    session: (id, opening) => {
      const known = id === undefined ? undefined : sessions.get(id);
      return createHandle(known ?? sessions.open({ ...opening, id }), parts);
    },
    scenarios: createMockScenarios(parts),
    use: (added) => handlers.add(added),
    ...createAnswerSetters((added) => handlers.add(added)),
    resetHandlers: () => handlers.reset(),
    verify: (options) => verifySession(sessions.default, { ...parts, everySession: sessions.list() }, options),
    coverage: () => readCoverage(live.version.coverage),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closeMock(
  { closing, features, live, reloader, stateFile, store }: OwnParts,
  servers: Set<Listening>,
): Promise<void> {
  reloader.close();
  closing.abort();
  const stopping = [...servers].map((server) => server.close());
  servers.clear();
  // Ends the responses that the servers wait for.
  await Promise.all([...stopping, closeFeatures(features)]);
  stateFile?.close();
  await store?.close();
  live.version.coverage?.writer?.close();
}

/** @throws MockError `OPTION_INVALID` where nothing is counted. */
function readCoverage(coverage: MockCoverage | undefined): Coverage {
  if (coverage !== undefined) return coverage.recorder.read();
  const hint = 'switch it on: createMock({ spec, coverage: true })';
  throw new MockError('OPTION_INVALID', 'the mock does not count its coverage', { hint });
}

/** The first base path of most operations; single paths may have their own servers. */
export function readBasePath({ operations }: Contract): string {
  const counts = new Map<string, number>();
  for (const { basePaths } of operations) {
    const first = basePaths.find((path) => path !== '') ?? '';
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

/** Counts the state of all sessions of a mock together; where operations have no state, tests can still add items. */
function createUsages({ spec, state }: Settings): (total?: TotalUsage) => Usage {
  const ofAll = { items: 0, bytes: 0 };
  const limits = state === false ? readOptions({ spec }).state : state;
  return (total = ofAll) => createUsage(limits === false ? undefined : limits, total);
}

/** What keeps the items of the default session in a file; undefined without one. */
async function openStateFile(
  { state, watch, onReload }: Settings,
  parts: Pick<MockParts, 'editors' | 'resources'>,
): Promise<StateFile | undefined> {
  if (state === false || state.file === undefined) return undefined;
  const { createStateFile } = await import('./state-file.js');
  return createStateFile(resolve(state.file), { ...parts, onReload, isWatched: watch ?? onReload !== undefined });
}

/** The sessions of a mock; only the default one is open. @throws MockError `OPTION_INVALID`, `SCENARIO_UNKNOWN`. */
function openSessions(
  parts: Pick<MockParts, 'definition' | 'editors' | 'operations' | 'redactor' | 'scenarios'> & {
    readonly pool: JournalPool;
    readonly readNow: () => MockParts;
    readonly store: SharedStore | undefined;
    readonly slots: readonly SessionSlot[];
    readonly stateFile: StateFile | undefined;
  },
  settings: Settings,
  openUsage: ReturnType<typeof createUsages>,
): Sessions {
  const { operations, redactor, definition, pool, readNow, store, slots, stateFile } = parts;
  const { seed } = settings;
  const { required, idleMs, max } = settings.sessions;
  const sessionParts = {
    seed,
    journal: { pool, ...settings.journal },
    operations,
    toPlain: (interaction: Interaction) => redactor.toPlain(interaction),
    toTexts: (interaction: Interaction) => redactor.toTexts(interaction),
    ...createSessionClocks(settings.clock),
    createStore: (clock: Clock, usage?: Usage, onWrite?: OnStoreWrite) =>
      createStore(definition, { seed, clock, usage, onWrite }),
    onWrite: (id: string) => (id === 'default' ? stateFile?.onWrite : undefined),
    share: (id: string) => store?.share(id),
    createUsage: openUsage,
    slots,
  };
  return createSessions({
    requireSession: required,
    idleMs,
    limit: max,
    get reserved() {
      return readNow().reserved;
    },
    get credentialHeaders() {
      return readNow().credentialHeaders;
    },
    now: readMonotonic,
    opening: settings.scenarios?.active ?? [],
    events: store?.events,
    create: (id, opening) => createSession(id, sessionParts, opening),
    activate: (session, ids) => activateScenarios(session, parts, ids),
  });
}
