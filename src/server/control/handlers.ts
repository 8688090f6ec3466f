import type { Contract } from '../../contract/contract.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import type { Recordings } from '../../recording/recordings.js';
import type { Scenarios } from '../../scenario/scenarios.js';
import type { CollectionEditors } from '../../state/store/editors.js';
import type { Session } from '../../session/session.js';
import type { Sessions } from '../../session/sessions.js';
import { answerProblem } from './answer.js';
import { journalHandlers, mockHandlers } from './journal.js';
import { recordingHandlers } from './recordings.js';
import { scenarioHandlers } from './scenarios.js';
import { sessionHandlers } from './sessions.js';
import { stateHandlers } from './state.js';

/** What the control API controls. */
export interface ControlledParts {
  readonly contract: Contract;
  readonly sessions: Sessions;
  readonly scenarios: Scenarios;
  readonly editors: CollectionEditors;
  /** Undefined for a mock without recordings. */
  readonly recordings: Recordings | undefined;
  /** Whether a session has to be opened before it is used. */
  readonly requireSession: boolean;
}

/** One call of the control API. */
export interface ControlExchange {
  readonly call: Call;
  /** The session it refers to. @throws MockError `SESSION_UNKNOWN` that names the nearest. */
  session(): Session;
  /** The same, opened if it is not open yet. @throws MockError `SESSION_UNKNOWN`, `SESSION_LIMIT`. */
  openSession(): Session;
}

/** Answers one operation of the control API. */
export type ControlHandler = (exchange: ControlExchange) => Answer | Promise<Answer>;

/** The handlers of the control API. */
export interface ControlHandlers {
  /** @throws MockError if the operation fails. */
  answer(call: Call, otherwise: string): Answer | Promise<Answer>;
}

/** Creates the handlers of every operation of spec/control.openapi.yaml. */
export function createControlHandlers(parts: ControlledParts): ControlHandlers {
  const handlers: Readonly<Record<string, ControlHandler>> = {
    ...mockHandlers(parts),
    ...sessionHandlers(parts),
    ...scenarioHandlers(parts),
    ...stateHandlers(parts),
    ...journalHandlers(parts),
    ...recordingHandlers(parts),
  };
  return {
    answer: (call, otherwise) => {
      const handler = handlers[call.operation.id];
      if (handler === undefined) {
        return answerProblem({ status: 501, code: 'CONTROL_UNKNOWN', message: `no handler for ${call.operation.id}` });
      }
      // Both are strings by their schema, which was checked.
      const id = (call.query['session'] ?? call.header['x-mock-session'] ?? otherwise) as string;
      const session = (): Session => parts.sessions.find(id);
      const openSession = (): Session => {
        const known = parts.sessions.get(id);
        return known ?? (parts.requireSession ? session() : parts.sessions.open({ id }));
      };
      return handler({ call, session, openSession });
    },
  };
}
