import { isVirtualClock } from '../../clock.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import type { ItemProblem } from '../../state/store/items.js';
import { movable } from '../../session/handle.js';
import type { Session } from '../../session/session.js';
import type { Item } from '../../state/store/collection.js';
import { answerEmpty, answerJson, answerProblem } from './answer.js';
import type { ControlHandler, ControlledParts } from './handlers.js';
import { readBody } from './sessions.js';

/** The operations on collections and the clock. */
export function stateHandlers({ editors }: ControlledParts): Readonly<Record<string, ControlHandler>> {
  const showItems = (session: Session, collection: string): Answer =>
    answerJson(200, { collection, items: editors.list(session, collection) });
  return {
    getState: ({ session }) => answerJson(200, session().store.export()),
    getCollection: ({ call, session }) => showItems(session(), readName(call)),
    replaceCollection: ({ call, openSession }) => {
      const session = openSession();
      const name = readName(call);
      // The document of the control API says that the body is a list of objects.
      const mistakes = editors.replace(session, name, call.body as readonly Item[]);
      return mistakes.length === 0 ? showItems(session, name) : answerMistakes(name, mistakes);
    },
    addItem: ({ call, openSession }) =>
      answerJson(201, editors.add(openSession(), readName(call), readBody(call) as Item)),
    clearCollection: ({ call, session }) => {
      editors.replace(session(), readName(call), []);
      return answerEmpty();
    },
    getClock: ({ session }) => showClock(session()),
    setClock: ({ call, openSession }) => {
      const session = openSession();
      movable(session.clock).set((readBody(call) as { readonly now: string | number }).now);
      return showClock(session);
    },
    advanceClock: ({ call, openSession }) => {
      const session = openSession();
      movable(session.clock).advance((readBody(call) as { readonly ms: number }).ms);
      return showClock(session);
    },
  };
}

function showClock({ clock }: Session): Answer {
  const ms = clock.now();
  return answerJson(200, { now: new Date(ms).toISOString(), ms, movable: isVirtualClock(clock) });
}

function answerMistakes(name: string, mistakes: readonly ItemProblem[]): Answer {
  const [first] = mistakes;
  return answerProblem({
    status: 422,
    code: 'STATE_INVALID',
    message: `invalid items for "${name}": ${first?.pointer ?? ''}: ${first?.message ?? ''}`,
    hint: 'an item must be valid against the schema of the collection; nothing was changed',
    errors: mistakes,
  });
}

/** The collection in the path: a string by its schema. */
function readName(call: Call): string {
  return call.path['collection'] as string;
}
