import type { Hono } from 'hono';
import { type AnswerSource, createChain, createSharedChain } from '../../answer/chain.js';
import { createHandlerRegistry, type HandlerRegistry } from '../../answer/sources/handler.js';
import { createPreferSource } from '../../answer/sources/prefer.js';
import { onlyForMock, type RecordingSources } from '../../features/recording/answer/recording-sources.js';
import { createRangeSource } from '../../answer/sources/range.js';
import { createRefuseSource } from '../../answer/sources/refuse.js';
import { createVerifySource } from '../../answer/sources/verify.js';
import type { ContractParts } from '../contract-parts.js';
import type { Contract } from '../../contract/contract.js';
import { COVERAGE_FOLDER, createCoverageWriter } from '../../features/coverage/files.js';
import { createCoverageRecorder } from '../../features/coverage/recorder.js';
import type { Interaction } from '../../journal/interaction.js';
import type { Feature } from '../feature.js';
import type { MockCoverage, MockParts } from '../parts.js';
import { collectSources, tellFeatures } from '../features.js';
import type { AuthOptions } from '../options.js';
import type { Settings } from '../read-options.js';
import { createScenarioContext } from '../../features/scenario/definition/kinds.js';
import { openScenarios, type Scenarios } from '../../features/scenario/scenarios.js';
import { createApp } from '../../server/app.js';
import type { Control } from '../../server/control/control.js';
import type { Cors } from '../../server/cors.js';
import { createInteractionRedactor } from '../../features/recording/redaction/redact-interaction.js';
import type { Session } from '../../session/session.js';
import type { Sessions } from '../../session/sessions.js';
import type { SharedStore } from '../../features/redis/shared-store.js';
import { createState } from '../../session/state.js';
import { findFixedIds, loadFixtures } from '../../resources/fixtures/fixtures.js';
import { replayOf } from '../../features/recording/matching/replay-slot.js';

/** The parts that all versions of a mock share. */
export interface SharedParts {
  readonly sessions: Sessions;
  readonly foreign: RecordingSources | undefined;
  readonly control: Control | undefined;
  readonly cors: Cors | undefined;
  readonly features: readonly Feature[];
  /** State that several processes share. */
  readonly store: SharedStore | undefined;
}

/** The parts that answer requests by one state of the files. A request that begins with a version ends with it. */
export interface Version extends MockParts {
  readonly settings: Settings;
  readonly handlers: HandlerRegistry;
  readonly app: Hono;
}

/** The version of a mock that answers by its parts. @throws MockError `HANDLER_INVALID`. */
export function createVersion(parts: MockParts, settings: Settings, shared: SharedParts): Version {
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
    chain: link(listSources({ foreign, handlers, features: shared.features, ...parts }, settings, sessions)),
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
    onInteraction: tellInteractions(settings.onInteraction, parts, shared.features),
  });
  return { settings, handlers, app, ...parts };
}

/**
 * Loads what belongs to one mock: its fixtures, scenarios and everything that follows from its options.
 *
 * @param before - The version that answers while this one is loaded.
 * @throws MockError where a file or an option cannot be used.
 */
export function loadParts(shared: ContractParts, settings: Settings, before?: Version): MockParts {
  const { seed } = settings;
  const { resources } = shared;
  const definition = loadFixtures(settings.fixtures, { seed, ...shared });
  const { unknownIds }: Partial<Exclude<Settings['state'], false>> = settings.state || {};
  // Handlers can add items to any collection.
  const isOpen = Object.keys(settings.handlers ?? {}).length > 0;
  const fixed = isOpen ? undefined : findFixedIds(shared, { definition, unknownIds });
  const collections = Array.from(resources.collections.values(), ({ name, schema, idProperty }) => {
    return { name, schema, idProperty, ids: fixed?.get(name) };
  });
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
  parts: MockParts & Pick<SharedParts, 'features' | 'foreign'> & { readonly handlers: HandlerRegistry },
  settings: Settings,
  sessions: Sessions,
): readonly AnswerSource[] {
  const { answerPreferred, errors, foreign, handlers } = parts;
  const { example, generate, pages, repeats, results, state, stream } = parts.sources;
  const accepts = readAccepts(settings.auth, sessions);
  const { lenientAccept } = settings.requests;
  const refuse = createRefuseSource({ errors, accepts, lenientAccept, strict: settings.strict, answerPreferred });
  const added = new Map(collectSources(parts.features, parts));
  const take = (name: string): readonly AnswerSource[] => {
    const source = added.get(name);
    added.delete(name);
    return source === undefined ? [] : [source];
  };
  const sources = [
    repeats,
    foreign === undefined || foreign.recordings.enforce === 'all' ? refuse : onlyForMock(refuse, foreign.recordings),
    stream,
    results,
    createPreferSource(answerPreferred),
    ...take('scenario'),
    handlers.source,
    ...take('replay'),
    ...take('forward'),
    // A call that neither of the two answers is left to the mock, which refuses it if it breaks the contract.
    ...(foreign === undefined ? [] : [refuse]),
    ...(parts.answersRanges ? [createRangeSource(parts)] : []),
    // Sources of further features, which this list does not name.
    ...added.values(),
    ...(settings.state === false ? [] : [state]),
    ...(settings.responses.examples === 'verbatim' ? [] : [pages]),
    example,
    generate,
  ];
  return [createVerifySource({ ...parts, sources }), ...sources];
}

/** Tells the features, and calls the user's function, for which texts are redacted only if it asks for them. */
function tellInteractions(
  onInteraction: Settings['onInteraction'],
  parts: MockParts,
  features: readonly Feature[],
): (interaction: Interaction) => void {
  const tell = tellFeatures(features, parts);
  return (interaction) => {
    tell(interaction);
    onInteraction?.(interaction, () => parts.redactor.toTexts(interaction));
  };
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
