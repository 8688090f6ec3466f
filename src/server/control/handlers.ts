import { isVirtualClock, toDateTime } from '../../base/clock.js';
import { isObject } from '../../base/json.js';
import { MockError } from '../../base/errors.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import type { Recordings } from '../../features/recording/recordings.js';
import { listScenarios } from '../../features/scenario/scenarios.js';
import { createMockScenarios } from '../../features/scenario/scenario-handle.js';
import { requireVirtualClock, type Session } from '../../session/session.js';
import type { Item } from '../../resources/store/lists/item-list.js';
import { measureValue } from '../../resources/store/lists/usage.js';
import { answerEmpty, answerJson, answerProblem } from './answer.js';
import { inspectHandlers } from '../../features/inspector/inspect.js';
import { metricsHandlers } from '../../features/metrics/control.js';
import { mockHandlers } from './contract.js';
import { journalHandlers } from './journal.js';
import { type ControlHandlers, type ControlledParts, readBody, readPath } from './routes.js';
import { sessionHandlers } from './sessions.js';

/**
 * Creates the handlers of every operation of spec/control.openapi.yaml.
 *
 * @returns Answers a call; `otherwise` is the session of a call that names none. It throws a MockError if the operation fails.
 */
export function createControlHandlers(
  parts: ControlledParts,
): (call: Call, otherwise: string) => Answer | Promise<Answer> {
  const handlers: ControlHandlers = {
    ...mockHandlers(parts),
    ...metricsHandlers(parts),
    ...sessionHandlers(parts),
    ...scenarioHandlers(parts),
    ...stateHandlers(parts),
    ...journalHandlers(parts),
    ...recordingHandlers(parts),
    ...inspectHandlers(parts),
  };
  return (call, otherwise) => {
    const handler = handlers[call.operation.id];
    if (handler === undefined) {
      return answerProblem({ status: 501, code: 'CONTROL_UNKNOWN', message: `no handler for ${call.operation.id}` });
    }
    // Both are strings by their schema, which was checked.
    const id = (call.query['session'] ?? call.header['x-mock-session'] ?? otherwise) as string;
    const session = (): Session => parts.sessions.find(id);
    const openSession = (): Session =>
      parts.sessions.get(id) ?? (parts.requireSession ? session() : parts.sessions.open({ id }));
    return handler({ call, session, openSession });
  };
}

function stateHandlers({ editors }: ControlledParts): ControlHandlers {
  const showItems = (session: Session, collection: string): Answer =>
    answerJson(200, { collection, items: editors.list(session, collection) });
  return {
    getState: ({ session }) => answerJson(200, session().store.export()),
    getCollection: ({ call, session }) => showItems(session(), readPath(call, 'collection')),
    replaceCollection: ({ call, openSession }) => {
      const session = openSession();
      const name = readPath(call, 'collection');
      // The document of the control API says that the body is a list of objects.
      const mistakes = editors.replace(session, name, call.body as readonly Item[]);
      const [first] = mistakes;
      if (first === undefined) return showItems(session, name);
      const message = `invalid items for "${name}": ${first.pointer}: ${first.message}`;
      const hint = 'an item must be valid against the schema of the collection; nothing was changed';
      return answerProblem({ status: 422, code: 'STATE_INVALID', message, hint, errors: mistakes });
    },
    addItem: ({ call, openSession }) =>
      answerJson(201, editors.add(openSession(), readPath(call, 'collection'), readBody(call) as Item)),
    clearCollection: ({ call, session }) => {
      editors.replace(session(), readPath(call, 'collection'), []);
      return answerEmpty();
    },
    getClock: ({ session }) => showClock(session()),
    setClock: ({ call, openSession }) => {
      const session = openSession();
      requireVirtualClock(session.clock).set((readBody(call) as { readonly now: string | number }).now);
      return showClock(session);
    },
    advanceClock: ({ call, openSession }) => {
      const session = openSession();
      requireVirtualClock(session.clock).advance((readBody(call) as { readonly ms: number }).ms);
      return showClock(session);
    },
  };
}

function showClock({ clock }: Session): Answer {
  const ms = Math.round(clock.now()) || 0;
  return answerJson(200, { now: toDateTime(ms), ms, movable: isVirtualClock(clock) });
}

function scenarioHandlers({ scenarios, sessions, uploads }: ControlledParts): ControlHandlers {
  /** Ends that an uploaded scenario is counted, by id. */
  const releases = new Map<string, () => void>();
  const whole = createMockScenarios({ scenarios, sessions });
  const show = (session: Session, id: string): unknown =>
    listScenarios(scenarios, session.scenario).find((scenario) => scenario.id === id);
  return {
    listScenarios: ({ session }) => answerJson(200, { scenarios: listScenarios(scenarios, session().scenario) }),
    getScenario: ({ call }) => {
      const { id, file, definition } = scenarios.find(readPath(call, 'scenario'));
      return answerJson(200, { id, file, definition });
    },
    checkScenario: ({ call }) => {
      scenarios.check(readPath(call, 'scenario'), call.body);
      return answerEmpty();
    },
    uploadScenario: ({ call, openSession }) => {
      const session = openSession();
      const release = uploads.hold({ items: 0, bytes: measureValue(call.body) });
      try {
        const { id } = scenarios.add(readPath(call, 'scenario'), call.body);
        releases.get(id)?.();
        releases.set(id, release);
        return answerJson(200, show(session, id));
      } catch (error) {
        release();
        throw error;
      }
    },
    deleteScenario: ({ call }) => {
      const { id } = scenarios.find(readPath(call, 'scenario'));
      if (!scenarios.remove(id)) {
        const message = `scenario "${id}" was not uploaded and cannot be deleted`;
        const hint = 'deactivate it, or delete its file';
        return answerProblem({ status: 409, code: 'SCENARIO_INVALID', message, hint });
      }
      releases.get(id)?.();
      releases.delete(id);
      for (const session of sessions.list()) if (scenarios.get(id) === undefined) session.drop([id]);
      return answerEmpty();
    },
    activateScenario: ({ call, openSession }) => {
      const session = openSession();
      const { id } = scenarios.find(readPath(call, 'scenario'));
      if (call.query['scope'] === 'server') whole.activate(id);
      else session.use([id]);
      return answerJson(200, show(session, id));
    },
    deactivateScenario: ({ call, openSession }) => {
      const session = openSession();
      const { id } = scenarios.find(readPath(call, 'scenario'));
      if (call.query['scope'] === 'server') whole.deactivate(id);
      else session.drop([id]);
      return answerJson(200, show(session, id));
    },
  };
}

function recordingHandlers({ recordings }: ControlledParts): ControlHandlers {
  const find = (): Recordings => {
    if (recordings !== undefined) return recordings;
    throw new MockError('OPTION_INVALID', 'the mock was made without recordings', {
      hint: 'serve them with vouch replay or vouch record, or name their folder: recordings: "fixtures/recordings"',
    });
  };
  return {
    getRecordings: ({ session }) => answerJson(200, describe(recordings, session())),
    changeRecordings: ({ call, openSession }) => {
      const { use, owners } = find();
      const session = openSession();
      // An object by its schema, which was checked.
      const changes = call.body as { readonly cassette?: string; readonly owners?: Record<string, string> };
      if (changes.cassette !== undefined) use(session.replay, changes.cassette);
      owners.assignAll(changes.owners ?? {});
      return answerJson(200, describe(recordings, session));
    },
    startRecording: ({ call, openSession }) => {
      const session = openSession();
      find().start(readBody(call));
      return answerJson(200, describe(recordings, session));
    },
    stopRecording: async () => answerJson(200, await find().stop()),
    snapshotRecording: async ({ call }) => {
      const { cassette } = readBody(call) as { readonly cassette?: string };
      return answerJson(200, await find().snapshot(cassette));
    },
  };
}

function describe(recordings: Recordings | undefined, { replay }: Session): unknown {
  const cassette = recordings?.current(replay);
  const owners = recordings?.owners.list();
  return {
    mode: recordings?.mode ?? 'off',
    cassette: cassette?.name ?? null,
    exchanges: cassette?.read().exchanges.length ?? 0,
    owners: isObject(owners) ? owners : { '*': 'mock' },
    misses: replay.misses,
  };
}
