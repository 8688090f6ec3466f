import type { Contract } from '../../contract/contract.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import type { JournalPool } from '../../journal/journal.js';
import type { Finding } from '../../journal/verify.js';
import type { Resources } from '../../resources/item/resource.js';
import type { CollectionEditors } from '../../resources/store/editors.js';
import type { Generator } from '../../generate/generate.js';
import type { InteractionRedactor } from '../../journal/interaction.js';
import type { Session } from '../../session/session.js';
import type { Sessions } from '../../session/sessions.js';
import type { SharedState } from '../../session/shared.js';
import type { Reloads } from './reloads.js';

/** One operation of the control API as a route: method, path in Hono's syntax, operation id in spec/control.openapi.yaml. */
export type ControlRoute = readonly [method: string, path: string, operationId: string];

/** Every operation of the control API. Written out, because the document itself is only loaded with the first request. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  ['GET', '/', 'getInspector'],
  ['GET', '/health', 'getHealth'],
  ['GET', '/metrics', 'getMetrics'],
  ['GET', '/reload', 'getReload'],
  ['POST', '/reload', 'reloadFiles'],
  ['GET', '/contract', 'getContract'],
  ['GET', '/contract/document', 'getContractDocument'],
  ['GET', '/openapi.json', 'getOpenApiJson'],
  ['GET', '/openapi.yaml', 'getOpenApiYaml'],
  ['GET', '/contract/scenario-schema', 'getScenarioSchema'],
  ['GET', '/contract/operations/:operation/sample', 'getSampleRequest'],
  ['GET', '/sessions', 'listSessions'],
  ['POST', '/sessions', 'createSession'],
  ['GET', '/sessions/:id', 'getSession'],
  ['DELETE', '/sessions/:id', 'deleteSession'],
  ['POST', '/sessions/:id/snapshots', 'createSnapshot'],
  ['POST', '/sessions/:id/restore', 'restoreSession'],
  ['POST', '/sessions/:id/fork', 'forkSession'],
  ['GET', '/scenarios', 'listScenarios'],
  ['GET', '/scenarios/:scenario', 'getScenario'],
  ['PUT', '/scenarios/:scenario', 'uploadScenario'],
  ['DELETE', '/scenarios/:scenario', 'deleteScenario'],
  ['PUT', '/scenarios/:scenario/file', 'writeScenario'],
  ['POST', '/scenarios/:scenario/check', 'checkScenario'],
  ['POST', '/scenarios/:scenario/activate', 'activateScenario'],
  ['POST', '/scenarios/:scenario/deactivate', 'deactivateScenario'],
  ['GET', '/recordings', 'getRecordings'],
  ['PATCH', '/recordings', 'changeRecordings'],
  ['POST', '/recordings/start', 'startRecording'],
  ['POST', '/recordings/stop', 'stopRecording'],
  ['POST', '/recordings/snapshot', 'snapshotRecording'],
  ['GET', '/state', 'getState'],
  ['GET', '/state/:collection', 'getCollection'],
  ['PUT', '/state/:collection', 'replaceCollection'],
  ['POST', '/state/:collection', 'addItem'],
  ['DELETE', '/state/:collection', 'clearCollection'],
  ['GET', '/clock', 'getClock'],
  ['PUT', '/clock', 'setClock'],
  ['POST', '/clock/advance', 'advanceClock'],
  ['POST', '/reset', 'resetSession'],
  ['GET', '/journal', 'getJournal'],
  ['DELETE', '/journal', 'clearJournal'],
  ['GET', '/journal/stream', 'streamJournal'],
  ['GET', '/journal/wait', 'waitForCall'],
  ['GET', '/journal/verification', 'verifyJournal'],
  ['GET', '/journal/:number', 'getInteraction'],
  ['POST', '/journal/:number/replay', 'replayInteraction'],
];

/** The parts that the control API controls. */
export interface ControlledParts {
  readonly contract: Contract;
  readonly sessions: Sessions;
  readonly editors: CollectionEditors;
  readonly resources: Resources;
  readonly generator: Generator;
  readonly redactor: InteractionRedactor;
  /** The pool of all journals. */
  readonly pool: Pick<JournalPool, 'watch'>;
  /** Reloads its files. */
  readonly reloads: Reloads;
  /** Ids of the scenarios that are active in a session. */
  listActive(session: Session): readonly string[];
  /** The findings of `verify` in a session. */
  findViolations(session: Session): readonly Finding[];
  /** Answers a request as the mock does. */
  send(request: Request): Response | Promise<Response>;
  /** Aborted when the mock is closed. */
  readonly closing: AbortSignal;
  /** State that several processes share; undefined where this process is the only one. */
  readonly shared: Pick<SharedState, 'refresh' | 'flush'> | undefined;
  /** Whether a session has to be opened before it is used. */
  readonly requireSession: boolean;
  /** The prefix of the paths of the control API. */
  readonly prefix: string;
}

interface ControlExchange {
  readonly call: Call;
  /** The session it refers to. @throws MockError `SESSION_UNKNOWN` that names the nearest. */
  session(): Session;
  /** The same, opened if it is not open yet. @throws MockError `SESSION_UNKNOWN`, `SESSION_LIMIT`. */
  openSession(): Session;
}

/** Answers operations of the control API, by operation id. */
export type ControlHandlers = Readonly<Record<string, (exchange: ControlExchange) => Answer | Promise<Answer>>>;

/** A parameter of the path: a string by its schema. */
export function readPath(call: Call, name: 'id' | 'scenario' | 'collection' | 'number' | 'operation'): string {
  return call.path[name] as string;
}

/** The body of a call; an empty object without one. Its schema was checked, so a cast repeats what the schema says. */
export function readBody(call: Call): object {
  return call.body ?? {};
}
