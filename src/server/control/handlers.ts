import { isVirtualClock, toDateTime } from '../../base/clock.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { requireVirtualClock, type Session } from '../../session/session.js';
import type { Item } from '../../resources/store/lists/item-list.js';
import { answerEmpty, answerJson, answerProblem } from './answer.js';
import { mockHandlers } from './contract.js';
import { journalHandlers } from './journal.js';
import { type ControlHandlers, type ControlledParts, readBody, readPath } from './routes.js';
import { sessionHandlers } from './sessions.js';

/**
 * Creates the handlers of every operation of spec/control.openapi.yaml.
 *
 * @param features - The handlers of the operations that features bring.
 * @returns Answers a call; `otherwise` is the session of a call that names none. It throws a MockError if the operation fails.
 */
export function createControlHandlers(
  parts: ControlledParts,
  features: ControlHandlers,
): (call: Call, otherwise: string) => Answer | Promise<Answer> {
  const handlers: ControlHandlers = {
    ...mockHandlers(parts),
    ...sessionHandlers(parts),
    ...stateHandlers(parts),
    ...journalHandlers(parts),
    ...features,
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
