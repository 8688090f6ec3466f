import type { Hono } from 'hono';
import { type AnswerSource, createChain, createSharedChain } from '../../answer/chain.js';
import { createHandlerRegistry, type HandlerRegistry } from '../../answer/sources/handler.js';
import { createPreferSource } from '../../answer/sources/prefer.js';
import { onlyForMock, type RecordingSources } from '../../features/recording/answer/recordings.js';
import { createRangeSource } from '../../answer/sources/range.js';
import { createRefuseSource } from '../../answer/sources/refuse.js';
import { createScenarioSource } from '../../features/scenario/answer/scenario.js';
import { createVerifySource } from '../../answer/sources/verify.js';
import type { ContractAnswers, ContractParts } from '../contract-parts.js';
import type { Contract } from '../../contract/contract.js';
import { COVERAGE_FOLDER, type CoverageWriter, createCoverageWriter } from '../../features/coverage/files.js';
import { type CoverageRecorder, createCoverageRecorder } from '../../features/coverage/recorder.js';
import type { Interaction } from '../../journal/interaction.js';
import type { RequestMetrics } from '../../features/metrics/request-metrics.js';
import type { AuthOptions } from '../options.js';
import type { Settings } from '../read-options.js';
import { readMonotonic } from '../../base/platform.js';
import { createScenarioContext, type ScenarioContext } from '../../features/scenario/definition/kinds.js';
import { openScenarios, type Reload, type Scenarios } from '../../features/scenario/scenarios.js';
import { createApp } from '../../server/app.js';
import type { Control } from '../../server/control/control.js';
import type { Cors } from '../../server/cors.js';
import { createInteractionRedactor } from '../../features/recording/redaction/redact-interaction.js';
import type { InteractionRedactor } from '../../journal/interaction.js';
import type { Session } from '../../session/session.js';
import type { Sessions } from '../../session/sessions.js';
import type { SharedStore } from '../../features/redis/shared-store.js';
import { createState } from '../../session/state.js';
import { findFixedIds, loadFixtures } from '../../resources/fixtures/fixtures.js';
import type { StoreDefinition } from '../../resources/store/store.js';
import { replayOf } from '../../features/recording/matching/replay-slot.js';

/** What follows from the files of a mock and its options, without what answers requests. */
export interface Parts extends ContractParts, ContractAnswers {
  readonly seed: number;
  /** The headers besides Authorization that carry credentials, in lower case. */
  readonly credentialHeaders: readonly string[];
  readonly redactor: InteractionRedactor;
  readonly scenarioContext: ScenarioContext;
  readonly scenarios: Scenarios;
  /** How the scenarios were reloaded. */
  readonly reload: Reload;
  /** Undefined where nothing is counted. */
  readonly coverage: MockCoverage | undefined;
  readonly definition: StoreDefinition;
}

/** What all versions of a mock share. */
export interface SharedParts {
  readonly sessions: Sessions;
  readonly foreign: RecordingSources | undefined;
  readonly control: Control | undefined;
  readonly cors: Cors | undefined;
  /** Counts requests; undefined where nothing can read it. */
  readonly metrics: RequestMetrics | undefined;
  /** State that several processes share. */
  readonly store: SharedStore | undefined;
}

/** What answers requests by one state of the files. A request that begins with a version ends with it. */
export interface Version extends Parts {
  readonly settings: Settings;
  readonly handlers: HandlerRegistry;
  readonly app: Hono;
}

/** The version of a mock that answers by its parts. @throws MockError `HANDLER_INVALID`. */
export function createVersion(parts: Parts, settings: Settings, shared: SharedParts): Version {
  const { sessions, foreign, control, cors, store } = shared;
  const link = store === undefined ? createChain : createSharedChain;
  const recordings = foreign?.recordings;
  const handlers = createHandlerRegistry({
    handlers: settings.handlers ?? {},
    timeoutMs: settings.responses.handlerTimeoutMs,
    openState: (session) => createState(session, parts.editors),
    ...parts,
  });
  const app = createApp({
    ...parts,
    chain: link(listSources({ foreign, handlers, ...parts }, settings, sessions)),
    sessions,
    control,
    readBody: recordings?.readBody,
    releaseFile: recordings?.files.release,
    undocumented: foreign && {
      operation: foreign.recordings.undocumented,
      chain: link(foreign.sources),
      accepts: (session) => foreign.recordings.acceptsUndocumented(replayOf(session)),
    },
    cors,
    shared: store,
    middleware: settings.middleware,
    onInteraction: tellInteractions(settings.onInteraction, parts, shared),
  });
  return { settings, handlers, app, ...parts };
}

/**
 * Loads what belongs to one mock: its fixtures, scenarios and everything that follows from its options.
 *
 * @param before - The version that answers while this one is loaded.
 * @throws MockError where a file or an option cannot be used.
 */
export function loadParts(shared: ContractParts, settings: Settings, before?: Version): Parts {
  const { seed } = settings;
  const { resources } = shared;
  const definition = loadFixtures(settings.fixtures, { seed, ...shared });
  const { unknownIds }: Partial<Exclude<Settings['state'], false>> = settings.state || {};
  // Handlers can add items to any collection.
  const isOpen = Object.keys(settings.handlers ?? {}).length > 0;
  const fixed = isOpen ? undefined : findFixedIds(shared, { definition, unknownIds });
  const collections = [...resources.collections.values()].map((each) => ({ ...each, ids: fixed?.get(each.name) }));
  const scenarioContext = createScenarioContext({ collections, ...shared });
  const { scenarios, reload } = openScenarios(settings.scenarios?.from, scenarioContext, before?.scenarios);
  // It remembers texts of requests.
  const redactor = createInteractionRedactor(shared.contract, shared.validators);
  const isSame = before?.contract === shared.contract;
  const coverage = isSame ? before.coverage : openCoverage({ scenarios, ...shared }, settings.coverage);
  const schemes = Object.values(shared.contract.securitySchemes);
  return {
    ...shared,
    ...shared.readAnswers(settings),
    credentialHeaders: schemes.flatMap(({ in: place, key }) => (place === 'header' ? (key?.toLowerCase() ?? []) : [])),
    scenarioContext,
    scenarios,
    reload,
    coverage,
    seed,
    redactor,
    definition,
  };
}

/** The answer sources, first to last: their order is the behaviour. */
function listSources(
  parts: Parts & { readonly foreign: RecordingSources | undefined; readonly handlers: HandlerRegistry },
  settings: Settings,
  sessions: Sessions,
): readonly AnswerSource[] {
  const { answerPreferred, editors, errors, foreign, handlers } = parts;
  const { example, generate, pages, results, state, stream } = parts.sources;
  const accepts = readAccepts(settings.auth, sessions);
  const { lenientAccept } = settings.requests;
  const refuse = createRefuseSource({ errors, accepts, lenientAccept, strict: settings.strict, answerPreferred });
  const sources = [
    foreign === undefined || foreign.recordings.enforce === 'all' ? refuse : onlyForMock(refuse, foreign.recordings),
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
    ...(parts.answersRanges ? [createRangeSource(parts)] : []),
    ...(settings.state === false ? [] : [state]),
    ...(settings.responses.examples === 'verbatim' ? [] : [pages]),
    example,
    generate,
  ];
  return [createVerifySource({ ...parts, sources }), ...sources];
}

/** Calls the user's function, for which texts are redacted only if it asks for them, and counts the interaction where that is switched on. */
function tellInteractions(
  onInteraction: Settings['onInteraction'],
  { redactor: { toTexts }, coverage }: Pick<Parts, 'coverage' | 'redactor'>,
  { metrics, store }: Pick<SharedParts, 'metrics' | 'store'>,
): (interaction: Interaction) => void {
  return (interaction) => {
    // The interaction itself does not know how long it takes until it is written to a store.
    const { startedAt, elapsedMs } = interaction;
    metrics?.add(interaction, store === undefined ? elapsedMs : readMonotonic() - startedAt);
    coverage?.recorder.addInteraction(interaction);
    coverage?.writer?.touch();
    onInteraction?.(interaction, () => toTexts(interaction));
  };
}

/** What counts the requests of a mock, and writes what was counted. */
export interface MockCoverage {
  readonly recorder: CoverageRecorder;
  /** Undefined where no file is written. */
  readonly writer: CoverageWriter | undefined;
  /** Counts the rules of these scenarios from now on. */
  use(scenarios: Scenarios): void;
}

function openCoverage(
  { contract, scenarios }: { readonly contract: Contract; readonly scenarios: Scenarios },
  options: Settings['coverage'],
): MockCoverage | undefined {
  if (options === false) return undefined;
  let used = scenarios;
  const recorder = createCoverageRecorder(contract, () => used.ids.flatMap((id) => used.get(id)?.rules ?? []));
  const { folder = COVERAGE_FOLDER } = options;
  return {
    recorder,
    writer: folder === false ? undefined : createCoverageWriter(recorder, folder),
    use: (others) => void (used = others),
  };
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
