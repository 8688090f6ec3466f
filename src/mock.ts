import type { Hono } from 'hono';
import { type AnswerSource, createChain } from './answer/chain.js';
import { createErrorAnswers, type ErrorAnswers } from './answer/error-answers.js';
import { createExampleSource } from './answer/sources/example.js';
import { createGenerateSource } from './answer/sources/generate.js';
import { createHandlerSource } from './answer/sources/handler.js';
import { createPreferSource } from './answer/sources/prefer.js';
import { createRecordingSources, onlyForMock, type RecordingSources } from './answer/sources/recordings/recordings.js';
import { createRefuseSource } from './answer/sources/refuse.js';
import { createScenarioSource } from './answer/sources/scenario/scenario.js';
import { createStateSource } from './answer/sources/state/state.js';
import { createVerifySource } from './answer/sources/verify.js';
import type { Clock } from './clock.js';
import type { Contract, Problem } from './contract/contract.js';
import { loadContract } from './contract/load/load.js';
import { createRouter } from './contract/router/router.js';
import { createGenerator, type Generator } from './generate/generate.js';
import { createCallDecoder } from './http/request/call.js';
import { createEncoder } from './http/response/encode.js';
import { createXmlWriter } from './http/xml.js';
import type { AuthOptions, MockOptions, Settings } from './options.js';
import { readOptions } from './read-options.js';
import type { Recordings } from './recording/recordings.js';
import type { ScenarioContext } from './scenario/definition/kinds.js';
import { openScenarios, type Scenarios } from './scenario/scenarios.js';
import { createValidators, prepareSchemas, type Validators } from './schema/validate.js';
import { createApp } from './server/app.js';
import { isSocketEnvironment } from './server/arrival.js';
import { createControl } from './server/control/control.js';
import { listen, type Listening, type ListenOptions } from './server/listen.js';
import { type Watcher, watchScenarios } from './server/watch.js';
import { readReserved } from './session/choice.js';
import {
  createHandle,
  createScenarioHandle,
  createState,
  type HandleParts,
  heedAbort,
  type ScenarioHandle,
  type SessionHandle,
  toRequest,
} from './session/handle.js';
import { createInteractionRedactor } from './session/redact-interaction.js';
import { createScenarioContext } from './session/scenario-context.js';
import { createSessionClocks } from './session/session-clock.js';
import { createSession, type Session } from './session/session.js';
import { createSessions, type SessionOpening, type Sessions } from './session/sessions.js';
import { loadFixtures } from './state/fixtures/fixtures.js';
import { inferResources } from './state/inference/infer.js';
import type { Resources } from './state/resource.js';
import { type CollectionEditors, createCollectionEditors } from './state/store/editors.js';
import { createItems, type Items } from './state/store/items.js';
import { createStore, type StoreDefinition } from './state/store/store.js';

/** A mock server, in-process or on a socket. What belongs to a session means the default one here. */
export interface Mock extends Omit<
  SessionHandle,
  'id' | 'headers' | 'prefix' | 'close' | 'fork' | typeof Symbol.dispose
> {
  readonly contract: Contract;
  /** What is wrong with the document, as far as it is known: some of it shows only when a schema is compiled. */
  readonly problems: readonly Problem[];
  readonly seed: number;
  /** Who answers what, and what was recorded; undefined where no recordings were asked for. */
  readonly recordings: Recordings | undefined;
  /**
   * The Hono app that answers every request: each operation is one of its routes (`showRoutes(mock.app)` of `hono/dev` lists them), and
   * `other.route('/api', mock.app)` serves them below a prefix in another app.
   */
  readonly app: Hono;
  /**
   * Answers a request without a socket; takes what the platform's `fetch` takes. The path is enough of a URL.
   * `other.mount('/api', mock.fetch)` serves the mock below a prefix of another Hono app.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Serves on a socket; port 0 by default. */
  listen(options?: ListenOptions): Promise<MockServer>;
  /** A session of its own: the one of that id, opened where it is not open yet; a new one where no id is given. */
  session(id?: string, opening?: Omit<SessionOpening, 'id'>): SessionHandle;
  /** Its scenarios; what is activated here holds in every session. */
  readonly scenarios: ScenarioHandle;
  /** Compiles every schema ahead of the requests that would, one a step; then `problems` is complete. */
  prepare(): Iterator<string, void>;
  /** Closes every server of this mock. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A mock that listens. */
export interface MockServer extends Listening {
  /** `url` with the contract's first base path: what a client is pointed at. */
  readonly baseUrl: string;
}

/**
 * Makes a mock of a contract.
 *
 * @throws MockError where the document, the fixtures or an option cannot be used; its `toString()` says where and what to do.
 */
export async function createMock(options: MockOptions): Promise<Mock> {
  const settings = readOptions(options);
  const parts = await loadParts(settings);
  const { contract, validators, errors } = parts;
  const sessions = openSessions(parts, settings);
  const router = createRouter(contract.operations, contract.resolve);
  const { control, strict, requests } = settings;
  const decoder = createCallDecoder(contract, validators, { ...requests, strict });
  const foreign =
    settings.recordings &&
    (await createRecordingSources(settings.recordings, { ...parts, router, decoder, environment: process.env }));
  const recordings = foreign?.recordings;
  const app = createApp({
    contract,
    router,
    decoder,
    chain: createChain(listSources({ ...parts, foreign }, settings, sessions)),
    encode: createEncoder([createXmlWriter(contract)]),
    errors,
    sessions,
    control:
      control === false
        ? undefined
        : createControl(
            { ...control, token: control.token },
            { ...parts, sessions, recordings, requireSession: settings.sessions.required },
          ),
    cors: settings.cors,
    middleware: settings.middleware,
    onInteraction: settings.onInteraction ?? ((): void => undefined),
  });
  const operations = contract.operations.map((operation) => operation.id);
  const watcher = watchFolder(parts, settings.scenarios);
  return assemble(parts, { ...parts, sessions, operations, recordings, watcher, fetch: app.fetch }, app);
}

/** What a mock is put together from. */
interface Parts {
  readonly contract: Contract;
  readonly seed: number;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly resources: Resources;
  readonly definition: StoreDefinition;
  readonly errors: ErrorAnswers;
  /** What scenarios are checked against. */
  readonly scenarioContext: ScenarioContext;
  readonly scenarios: Scenarios;
  readonly items: Items;
  readonly editors: CollectionEditors;
}

async function loadParts(settings: Settings): Promise<Parts> {
  const { seed, overlays } = settings;
  const contract = await loadContract(settings.spec, { ...settings.document, overlays });
  const validators = createValidators(contract);
  const generator = createGenerator(contract, validators);
  const resources = inferResources(contract);
  const definition = await loadFixtures(settings.fixtures, { contract, resources, validators, generator, seed });
  const complete = (pointer: string, partial: unknown): unknown =>
    generator.complete(pointer, partial, { seed, key: pointer, direction: 'response', now: 0 });
  const errors = createErrorAnswers(contract, validators, complete);
  const scenarioContext = createScenarioContext({ contract, validators, generator, resources });
  const scenarios = await openScenarios(settings.scenarios?.from, scenarioContext);
  const { unknownIds, initialItems } = settings.state === false ? {} : settings.state;
  const items = createItems({ contract, resources, validators, generator, unknownIds, initialItems });
  const editors = createCollectionEditors(items);
  const state = { resources, definition, items, editors };
  return { contract, seed, validators, generator, errors, scenarioContext, scenarios, ...state };
}

/** The answer sources, first to last: their order is the behaviour. */
function listSources(
  parts: Parts & { readonly foreign: RecordingSources | undefined },
  settings: Settings,
  sessions: Sessions,
): readonly AnswerSource[] {
  const { editors, errors, foreign } = parts;
  const { handlers, state, requests, auth, responses } = settings;
  const refuse = createRefuseSource({
    errors,
    accepts: readAccepts(auth, sessions),
    lenientAccept: requests.lenientAccept,
  });
  const sources = [
    foreign === undefined ? refuse : onlyForMock(refuse, foreign.recordings.owners),
    createPreferSource({ ...parts, examples: responses.examples }),
    createScenarioSource({
      ...parts,
      viewCollections: editors.view,
      changeCollections: editors.change,
    }),
    ...(handlers === undefined
      ? []
      : [createHandlerSource({ ...parts, handlers, openState: (session) => createState(session, editors) })]),
    // What neither of the two answers falls to the mock, which refuses a call that breaks the contract.
    ...(foreign === undefined ? [] : [...foreign.sources, refuse]),
    ...(state === false ? [] : [createStateSource(parts)]),
    createExampleSource({ ...parts, examples: responses.examples }),
    createGenerateSource(parts),
  ];
  return [createVerifySource({ ...parts, sources }), ...sources];
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

interface AssemblyParts extends HandleParts {
  readonly watcher: Watcher | undefined;
}

function assemble(parts: Parts, handleParts: AssemblyParts, app: Hono): Mock {
  const { contract, seed } = parts;
  const { sessions, recordings, watcher } = handleParts;
  const initial = createHandle(sessions.default, handleParts);
  const servers = new Set<Listening>();
  const close = async (): Promise<void> => {
    watcher?.close();
    await Promise.all([...servers].map((server) => server.close()));
    servers.clear();
    await recordings?.close();
  };
  return {
    ...initial,
    contract,
    get problems() {
      return [...contract.problems, ...parts.validators.problems()];
    },
    prepare: () => prepareSchemas(contract, parts.validators),
    seed,
    recordings,
    app,
    fetch: async (input, init) => {
      // A Hono app that mounts this function passes its bindings where `fetch` takes its options.
      if (input instanceof Request && isSocketEnvironment(init)) return app.fetch(input, init);
      return heedAbort(toRequest(input, init), app.fetch);
    },
    listen: async (where) => {
      const server = await listen(app.fetch, where);
      servers.add(server);
      return { ...server, baseUrl: server.url + readBasePath(contract) };
    },
    session: (id, opening) => {
      const known = id === undefined ? undefined : sessions.get(id);
      return createHandle(known ?? sessions.open({ ...opening, id }), handleParts);
    },
    scenarios: createScenarioHandle(handleParts),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The base path that most operations name first; single paths may have servers of their own. */
function readBasePath({ operations }: Contract): string {
  const counts = new Map<string, number>();
  for (const { basePaths } of operations) {
    const first = basePaths.find((path) => path !== '') ?? '';
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

/** What the sessions of one mock share. */
interface SessionsGround {
  readonly contract: Contract;
  readonly seed: number;
  readonly validators: Validators;
  readonly scenarios: Scenarios;
  readonly definition: StoreDefinition;
  readonly editors: CollectionEditors;
}

/** The sessions of a mock, with nothing but the default one open. @throws MockError `OPTION_INVALID`, `SCENARIO_UNKNOWN`. */
function openSessions(parts: SessionsGround, settings: Settings): Sessions {
  const { contract, seed, validators, scenarios, definition, editors } = parts;
  const { operations, securitySchemes } = contract;
  const { required, idleMs, max } = settings.sessions;
  const sessionParts = {
    seed,
    journalLimit: settings.journal.limit,
    operations: operations.map((operation) => operation.id),
    toPlain: createInteractionRedactor(contract, validators),
    createClock: createSessionClocks(settings.clock),
    createStore: (clock: Clock) => createStore(definition, { seed, clock }),
    scenarios,
    changeCollections: editors.change,
  };
  return createSessions({
    requireSession: required,
    idleMs,
    limit: max,
    reserved: readReserved(operations.flatMap((operation) => operation.basePaths.map((base) => base + operation.path))),
    credentialHeaders: Object.values(securitySchemes).flatMap((scheme) =>
      scheme.in === 'header' ? (scheme.key?.toLowerCase() ?? []) : [],
    ),
    now: Date.now,
    opening: settings.scenarios?.active ?? [],
    create: (id, opening) => createSession(id, sessionParts, opening),
  });
}

/** Which credentials a session takes; undefined: any. */
function readAccepts(
  { tokens, acceptIssued }: AuthOptions,
  sessions: Sessions,
): ((session: Session, credential: string) => boolean) | undefined {
  if (tokens === undefined && acceptIssued !== true) return undefined;
  const accepted = new Set(tokens);
  return (session, credential) =>
    accepted.has(credential) ||
    // A token that was registered for a session was made to be used there.
    sessions.owns(session, credential) ||
    (acceptIssued === true && session.store.holdsSecret(credential));
}
