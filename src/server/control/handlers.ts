import { isVirtualClock, toDateTime } from '../../clock.js';
import { isObject } from '../../contract/json.js';
import { MockError } from '../../errors.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import type { Recordings } from '../../recording/recordings.js';
import { listScenarios } from '../../scenario/scenarios.js';
import { changeSession, changeSessions } from '../../session/preparation.js';
import { createMockScenarios } from '../../session/scenario-handle.js';
import { requireVirtualClock, type Session } from '../../session/session.js';
import type { Item } from '../../state/store/lists/item-list.js';
import type { ItemProblem } from '../../state/store/items.js';
import { measureValue } from '../../state/store/lists/usage.js';
import type { Steps } from '../../steps.js';
import { answerEmpty, answerJson, answerPieces, answerProblem } from './answer.js';
import { inspectHandlers } from './inspect.js';
import { metricsHandlers } from './metrics.js';
import { mockHandlers } from './contract.js';
import { journalHandlers } from './journal.js';
import { type ControlHandlers, type ControlledParts, readBody, readPath } from './routes.js';
import { sessionHandlers } from './sessions.js';
import { mapInSlices, runInSlices, wrap, writeJson } from './slices.js';

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
    const openSession = async (): Promise<Session> =>
      parts.sessions.get(id) ??
      (parts.requireSession ? session() : await parts.runInTurn(openOnce(parts.sessions, id)));
    return handler({ call, session, openSession });
  };
}

/** The session of that id, opened in steps if a request in between does not open it. */
function* openOnce(sessions: ControlledParts['sessions'], id: string): Steps<Session> {
  try {
    return sessions.get(id) ?? (yield* sessions.openInSteps({ id }));
  } catch (error) {
    const opened = sessions.get(id);
    if (opened === undefined) throw error;
    return opened;
  }
}

function stateHandlers({ editors, startSlices }: ControlledParts): ControlHandlers {
  const replace = async (
    session: Session,
    collection: string,
    items: readonly Item[],
  ): Promise<readonly ItemProblem[]> => runInSlices(editors.replaceInSteps(session, collection, items), startSlices());
  const showItems = (session: Session, collection: string): Answer => {
    const slices = startSlices();
    const items = mapInSlices(editors.list(session, collection), (item) => item, slices);
    return answerPieces(writeJson({ collection, items }, slices));
  };
  return {
    getState: ({ session }) => {
      const slices = startSlices();
      const lists = session().store.exportLists();
      const collections = lists.map(([name, items]) => [name, mapInSlices(items, (item) => item, slices)] as const);
      return answerPieces(wrap('{"collections":', writeJson(Object.fromEntries(collections), slices), '}'));
    },
    getCollection: ({ call, session }) => showItems(session(), readPath(call, 'collection')),
    replaceCollection: async ({ call, openSession }) => {
      const session = await openSession();
      const name = readPath(call, 'collection');
      // The document of the control API says that the body is a list of objects.
      const mistakes = await replace(session, name, call.body as readonly Item[]);
      const [first] = mistakes;
      if (first === undefined) return showItems(session, name);
      const message = `invalid items for "${name}": ${first.pointer}: ${first.message}`;
      const hint = 'an item must be valid against the schema of the collection; nothing was changed';
      return answerProblem({ status: 422, code: 'STATE_INVALID', message, hint, errors: mistakes });
    },
    addItem: async ({ call, openSession }) =>
      answerJson(201, editors.add(await openSession(), readPath(call, 'collection'), readBody(call) as Item)),
    clearCollection: async ({ call, session }) => {
      await replace(session(), readPath(call, 'collection'), []);
      return answerEmpty();
    },
    getClock: ({ session }) => showClock(session()),
    setClock: async ({ call, openSession }) => {
      const session = await openSession();
      requireVirtualClock(session.clock).set((readBody(call) as { readonly now: string | number }).now);
      return showClock(session);
    },
    advanceClock: async ({ call, openSession }) => {
      const session = await openSession();
      requireVirtualClock(session.clock).advance((readBody(call) as { readonly ms: number }).ms);
      return showClock(session);
    },
  };
}

function showClock({ clock }: Session): Answer {
  const ms = Math.round(clock.now()) || 0;
  return answerJson(200, { now: toDateTime(ms), ms, movable: isVirtualClock(clock) });
}

function scenarioHandlers({ scenarios, sessions, startSlices, runInTurn, uploads }: ControlledParts): ControlHandlers {
  /** Ends that an uploaded scenario is counted, by id. */
  const releases = new Map<string, () => void>();
  const whole = createMockScenarios({ scenarios, sessions });
  const activateInSteps = function* (id: string): Steps<void> {
    yield* changeSessions(sessions.list, ({ prepare }) => prepare.begin([id]));
    // In the same step, so that no request sees only one of both.
    scenarios.activate([id]);
  };
  const show = (session: Session, id: string): unknown =>
    listScenarios(scenarios, session.scenario).find((scenario) => scenario.id === id);
  return {
    listScenarios: ({ session }) => answerJson(200, { scenarios: listScenarios(scenarios, session().scenario) }),
    getScenario: ({ call }) => {
      const { id, file, definition } = scenarios.find(readPath(call, 'scenario'));
      return answerJson(200, { id, file, definition });
    },
    checkScenario: async ({ call }) => {
      await runInSlices(scenarios.check(readPath(call, 'scenario'), call.body), startSlices());
      return answerEmpty();
    },
    uploadScenario: async ({ call, openSession }) => {
      const session = await openSession();
      const release = uploads.hold({ items: 0, bytes: measureValue(call.body) });
      try {
        const { id } = await runInSlices(scenarios.add(readPath(call, 'scenario'), call.body), startSlices());
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
    activateScenario: async ({ call, openSession }) => {
      const session = await openSession();
      const { id } = scenarios.find(readPath(call, 'scenario'));
      const isWhole = call.query['scope'] === 'server';
      await runInTurn(isWhole ? activateInSteps(id) : changeSession(session, ({ prepare }) => prepare.use([id])));
      return answerJson(200, show(session, id));
    },
    deactivateScenario: async ({ call, openSession }) => {
      const session = await openSession();
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
    changeRecordings: async ({ call, openSession }) => {
      const { use, owners } = find();
      const session = await openSession();
      // An object by its schema, which was checked.
      const changes = call.body as { readonly cassette?: string; readonly owners?: Record<string, string> };
      if (changes.cassette !== undefined) use(session.replay, changes.cassette);
      owners.assignAll(changes.owners ?? {});
      return answerJson(200, describe(recordings, session));
    },
    startRecording: async ({ call, openSession }) => {
      const session = await openSession();
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
