import type { Hono } from 'hono';
import { type AnswerSource, createChain } from './answer/chain.js';
import { createHandlerRegistry, type HandlerRegistry } from './answer/sources/handler.js';
import { createPreferSource } from './answer/sources/prefer.js';
import { createRecordingSources, onlyForMock, type RecordingSources } from './answer/sources/recordings/recordings.js';
import { createRefuseSource } from './answer/sources/refuse.js';
import { createScenarioSource } from './answer/sources/scenario/scenario.js';
import { createStateSource } from './answer/sources/state/state.js';
import { createVerifySource } from './answer/sources/verify.js';
import type { Clock, VirtualClock } from './clock.js';
import type { Coverage } from './coverage/coverage.js';
import { COVERAGE_FOLDER, type CoverageWriter, createCoverageWriter } from './coverage/files.js';
import { type CoverageRecorder, createCoverageRecorder } from './coverage/recorder.js';
import type { Contract } from './contract/contract.js';
import { checkContractOptions, type ContractParts, loadShared, readParts } from './contract-parts.js';
import { createHandle, createRecordingsHandle, type HandleParts, type Mock } from './handles.js';
import { toRequest, withAbortSignal } from './http/request/in-process.js';
import { MockError } from './errors.js';
import type { AuthOptions, MockOptions, Settings } from './options.js';
import { readOptions } from './read-options.js';
import { createScenarioContext } from './scenario/definition/kinds.js';
import { openScenarios, type Scenarios } from './scenario/scenarios.js';
import { prepareSchemas } from './schema/validate.js';
import { createApp } from './server/app.js';
import { isSocketEnvironment } from './server/arrival.js';
import { createInterceptions } from './server/intercept.js';
import { createCors } from './server/cors.js';
import { type Control, createControl } from './server/control/control.js';
import type { listen as Listen, Listening, ListenOptions } from './server/listen.js';
import { type Watcher, watchScenarios } from './server/watch.js';
import type { Interaction } from './journal/interaction.js';
import { createJournalPool, type JournalPool } from './journal/journal.js';
import { createInteractionRedactor } from './session/redact-interaction.js';
import { createMockScenarios } from './session/scenario-handle.js';
import { createSession, createSessionClocks, type Session } from './session/session.js';
import { createSessions, type Sessions } from './session/sessions.js';
import { createState } from './session/state.js';
import { verifySession } from './session/verify.js';
import { findFixedIds, loadFixtures } from './state/fixtures/fixtures.js';
import { createCollectionEditors } from './state/store/editors.js';
import { createItems } from './state/store/items.js';
import { createStore } from './state/store/store.js';
import { createUsage, type TotalUsage, type Usage } from './state/store/usage.js';
import { host, isPromise, isRequest, readMonotonic } from './platform.js';

/**
 * Creates a mock of an OpenAPI document.
 *
 * `mock.clock` has `set` and `advance`, unless the clock is `'real'`, or an object of the caller that lacks them.
 *
 * @throws MockError where the document, the fixtures or an option cannot be used; its `toString()` says where and what to do.
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
  const settings = readOptions(options);
  checkContractOptions({ ...options });
  const contract = await loadShared(settings);
  const parts = await loadParts(readParts(contract, settings.strict), settings);
  const { router, errors, encode } = parts;
  const openUsage = createUsages(settings);
  const pool = createJournalPool(settings.journal.totalBytes);
  const sessions = openSessions({ ...parts, pool }, settings, openUsage);
  const decoder = parts.readDecoder(settings.requests);
  const foreign =
    settings.recordings &&
    (await createRecordingSources(settings.recordings, { ...parts, decoder, environment: process.env }));
  const recordings = foreign?.recordings;
  const { editors } = parts;
  const handlers = createHandlerRegistry({
    ...parts,
    handlers: settings.handlers ?? {},
    timeoutMs: settings.responses.handlerTimeoutMs,
    openState: (session) => createState(session, editors),
  });
  const closing = new host.AbortController();
  const controlled = { ...parts, sessions, uploads: openUsage(), recordings, pool, closing: closing.signal };
  const cors = createCors(settings.cors);
  const app: Hono = createApp({
    contract,
    router,
    routes: parts.routes,
    decoder,
    chain: createChain(listSources({ ...parts, foreign, handlers }, settings, sessions)),
    encode,
    errors,
    sessions,
    control: openControl(controlled, settings, (request) => app.fetch(request)),
    readBody: recordings?.readBody,
    releaseFile: recordings?.files.release,
    undocumented: foreign && {
      operation: foreign.recordings.undocumented,
      chain: createChain(foreign.sources),
      accepts: (session) => foreign.recordings.acceptsUndocumented(session.replay),
    },
    cors,
    middleware: settings.middleware,
    onInteraction: tellInteractions(settings.onInteraction, parts),
  });
  const watcher = watchFolder(parts, settings.scenarios);
  const { connections, onRefused } = settings;
  const served = { connections, onRefused, cors };
  const own = {
    sessions,
    handlers,
    recordings,
    watcher,
    closing,
    served,
    interceptions: createInterceptions(),
    fetch: app.fetch,
  };
  return assemble({ ...parts, ...own }, app);
}

/** The control API; undefined if it is switched off. */
function openControl(
  parts: Omit<Parameters<typeof createControl>[1], 'requireSession' | 'send'>,
  { control, sessions }: Settings,
  send: (request: Request) => Response | Promise<Response>,
): Control | undefined {
  return control === false ? undefined : createControl(control, { ...parts, requireSession: sessions.required, send });
}

type Parts = Awaited<ReturnType<typeof loadParts>>;

/** What belongs to one mock: its fixtures, scenarios and everything that follows from its options. */
async function loadParts(shared: ContractParts, settings: Settings) {
  const { seed } = settings;
  const { resources } = shared;
  const { errors, answerPreferred, sources } = shared.readAnswers(seed, settings.responses.examples);
  const definition = await loadFixtures(settings.fixtures, { ...shared, seed });
  const { unknownIds, initialItems } = settings.state === false ? {} : settings.state;
  // Handlers can add items to any collection.
  const isOpen = Object.keys(settings.handlers ?? {}).length > 0;
  const fixed = isOpen ? undefined : findFixedIds(shared, { definition, unknownIds });
  const collections = [...resources.collections.values()].map(({ name, schema, idProperty }) => ({
    name,
    schema,
    idProperty,
    ids: fixed?.get(name),
  }));
  const scenarioContext = createScenarioContext({ ...shared, collections });
  const scenarios = await openScenarios(settings.scenarios?.from, scenarioContext);
  const items = createItems(shared, { unknownIds, initialItems });
  const editors = createCollectionEditors(items);
  const state = { definition, items, editors };
  // It remembers texts of requests.
  const redactor = createInteractionRedactor(shared.contract, shared.validators);
  const coverage = openCoverage({ ...shared, scenarios }, settings.coverage);
  return {
    ...shared,
    seed,
    errors,
    answerPreferred,
    sources,
    redactor,
    scenarioContext,
    scenarios,
    coverage,
    ...state,
  };
}

/** The answer sources, first to last: their order is the behaviour. */
function listSources(
  parts: Parts & { readonly foreign: RecordingSources | undefined; readonly handlers: HandlerRegistry },
  settings: Settings,
  sessions: Sessions,
): readonly AnswerSource[] {
  const { answerPreferred, editors, errors, foreign, handlers } = parts;
  const { example, generate, results, stream } = parts.sources;
  const { state, requests, auth } = settings;
  const accepts = readAccepts(auth, sessions);
  const { lenientAccept } = requests;
  const refuse = createRefuseSource({ errors, accepts, lenientAccept, strict: settings.strict, answerPreferred });
  const sources = [
    foreign === undefined ? refuse : onlyForMock(refuse, foreign.recordings),
    stream,
    results,
    createPreferSource(answerPreferred),
    createScenarioSource({
      ...parts,
      onRule: parts.coverage?.recorder.addRule,
      viewCollections: editors.view,
      changeCollections: editors.change,
    }),
    handlers.source,
    // What neither of the two answers is left to the mock, which refuses a call that breaks the contract.
    ...(foreign === undefined ? [] : [...foreign.sources, refuse]),
    ...(state === false ? [] : [createStateSource(parts)]),
    example,
    generate,
  ];
  return [createVerifySource({ ...parts, sources }), ...sources];
}

/** Calls the user's function, for which texts are redacted only if it asks for them, and counts the interaction where that is switched on. */
function tellInteractions(
  tell: Settings['onInteraction'],
  { redactor: { toTexts }, coverage }: Pick<Parts, 'coverage' | 'redactor'>,
): (interaction: Interaction) => void {
  const tellUser = tell && ((interaction: Interaction): void => tell(interaction, () => toTexts(interaction)));
  if (coverage === undefined) return tellUser ?? ((): void => undefined);
  const { recorder, writer } = coverage;
  return (interaction) => {
    recorder.addInteraction(interaction);
    writer?.touch();
    tellUser?.(interaction);
  };
}

/** What counts the requests of a mock, and writes what was counted. */
interface MockCoverage {
  readonly recorder: CoverageRecorder;
  /** Undefined where no file is written. */
  readonly writer: CoverageWriter | undefined;
}

function openCoverage(
  { contract, scenarios }: { readonly contract: Contract; readonly scenarios: Scenarios },
  options: Settings['coverage'],
): MockCoverage | undefined {
  if (options === false) return undefined;
  const recorder = createCoverageRecorder(contract, scenarios);
  const { folder = COVERAGE_FOLDER } = options;
  return { recorder, writer: folder === false ? undefined : createCoverageWriter(recorder, folder) };
}

/** Reloads scenarios when files of their folder change. */
function watchFolder(
  { scenarioContext: context, scenarios }: Parts,
  options: Settings['scenarios'],
): Watcher | undefined {
  const { from: folder, onReload, watch = onReload !== undefined } = options ?? {};
  if (typeof folder !== 'string' || !watch) return undefined;
  return watchScenarios({ folder, context, scenarios, onReload: onReload ?? ((): void => undefined) });
}

/** What a server of a mock depends on. */
type ServedOptions = Omit<Parameters<typeof Listen>[1], keyof ListenOptions>;

/** What only the mock itself uses. */
interface OwnParts {
  readonly watcher: Watcher | undefined;
  /** Aborted when the mock is closed. */
  readonly closing: AbortController;
  readonly served: ServedOptions;
}

function assemble(parts: Parts & HandleParts & OwnParts, app: Hono): Mock<Clock> {
  const { contract, seed, validators, sessions, handlers, recordings, watcher, closing, served, coverage } = parts;
  const initial = createHandle(sessions.default, parts);
  const servers = new Set<Listening>();
  const close = async (): Promise<void> => {
    parts.interceptions.close();
    watcher?.close();
    closing.abort();
    const stopping = [...servers].map((server) => server.close());
    servers.clear();
    // Ends the responses that the servers wait for.
    await Promise.all([...stopping, recordings?.close()]);
    coverage?.writer?.close();
  };
  const fetch: Mock['fetch'] = async (input, init) => {
    // A Hono app that mounts this function passes its bindings where `fetch` takes its options.
    if (isRequest(input) && isSocketEnvironment(init)) return app.fetch(input, init);
    const request = toRequest(input, init);
    return withAbortSignal(isPromise(request) ? await request : request, app.fetch);
  };
  return {
    ...initial,
    contract,
    get problems() {
      return [...contract.problems, ...validators.problems()];
    },
    prepare: () => prepareSchemas(contract, validators),
    seed,
    recordings: recordings && createRecordingsHandle(recordings),
    app,
    fetch,
    intercept: (origin, options) => parts.interceptions.open(app, { ...options, origin, fetch }),
    listen: async (where) => {
      // Loaded on demand: a mock that is called in-process never needs it.
      const { listen } = await import('./server/listen.js');
      const server = await listen(app.fetch, { ...where, ...served });
      servers.add(server);
      return { ...server, baseUrl: server.url + readBasePath(contract) };
    },
    session: (id, opening) => {
      const known = id === undefined ? undefined : sessions.get(id);
      return createHandle(known ?? sessions.open({ ...opening, id }), parts);
    },
    scenarios: createMockScenarios(parts),
    use: (added) => handlers.add(added),
    resetHandlers: () => handlers.reset(),
    verify: (options) => verifySession(sessions.default, { ...parts, everySession: sessions.list() }, options),
    coverage: () => readCoverage(coverage),
    close,
    [Symbol.asyncDispose]: close,
  };
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

/** What the sessions of a mock hold is counted together; where operations have no state, tests can still add items. */
function createUsages({ spec, state }: Settings): (total?: TotalUsage) => Usage {
  const ofAll = { items: 0, bytes: 0 };
  const limits = state === false ? readOptions({ spec }).state : state;
  return (total = ofAll) => createUsage(limits === false ? undefined : limits, total);
}

/** The sessions of a mock; only the default one is open. @throws MockError `OPTION_INVALID`, `SCENARIO_UNKNOWN`. */
function openSessions(
  parts: Parts & { readonly pool: JournalPool },
  settings: Settings,
  openUsage: ReturnType<typeof createUsages>,
): Sessions {
  const { contract, seed, operations, reserved, redactor, scenarios, definition, editors, pool } = parts;
  const schemes = Object.values(contract.securitySchemes);
  const { required, idleMs, max } = settings.sessions;
  const sessionParts = {
    seed,
    journal: { ...settings.journal, pool },
    operations,
    ...redactor,
    createClock: createSessionClocks(settings.clock),
    createStore: (clock: Clock, usage?: Usage) => createStore(definition, { seed, clock, usage }),
    createUsage: openUsage,
    scenarios,
    changeCollections: editors.change,
    changeInSteps: editors.changeInSteps,
  };
  return createSessions({
    requireSession: required,
    idleMs,
    limit: max,
    reserved,
    credentialHeaders: schemes.flatMap(({ in: place, key }) => (place === 'header' ? (key?.toLowerCase() ?? []) : [])),
    now: readMonotonic,
    opening: settings.scenarios?.active ?? [],
    create: (id, opening) => createSession(id, sessionParts, opening),
  });
}

/** Which credentials a session accepts; undefined for any. */
function readAccepts(
  { tokens, acceptIssued }: AuthOptions,
  sessions: Sessions,
): ((session: Session, credential: string) => boolean) | undefined {
  if (tokens === undefined && acceptIssued !== true) return undefined;
  const accepted = new Set(tokens);
  return (session, credential) =>
    accepted.has(credential) ||
    // A token that was registered for a session is accepted there.
    sessions.owns(session, credential) ||
    (acceptIssued === true && session.store.holdsSecret(credential));
}
