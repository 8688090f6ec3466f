import type { Call } from '../../http/request/call.js';
import { listScenarios } from '../../scenario/scenarios.js';
import { createScenarioHandle } from '../../session/handle.js';
import type { Session } from '../../session/session.js';
import { answerEmpty, answerJson, answerProblem } from './answer.js';
import type { ControlHandler, ControlledParts } from './handlers.js';

/** The operations on scenarios. */
export function scenarioHandlers({ scenarios, sessions }: ControlledParts): Readonly<Record<string, ControlHandler>> {
  const whole = createScenarioHandle({ scenarios, sessions });
  const show = (session: Session, id: string): unknown =>
    listScenarios(scenarios, session.scenario).find((scenario) => scenario.id === id);
  return {
    listScenarios: ({ session }) => answerJson(200, { scenarios: listScenarios(scenarios, session().scenario) }),
    uploadScenario: ({ call, openSession }) => {
      const session = openSession();
      const { id } = scenarios.add(readId(call), call.body);
      return answerJson(200, show(session, id));
    },
    deleteScenario: ({ call }) => {
      const { id } = scenarios.find(readId(call));
      if (!scenarios.remove(id)) {
        return answerProblem({
          status: 409,
          code: 'SCENARIO_INVALID',
          message: `scenario "${id}" was not uploaded and cannot be deleted`,
          hint: 'deactivate it, or delete its file',
        });
      }
      for (const session of sessions.list()) if (scenarios.get(id) === undefined) session.drop([id]);
      return answerEmpty();
    },
    activateScenario: ({ call, openSession }) => {
      const session = openSession();
      const { id } = scenarios.find(readId(call));
      if (call.query['scope'] === 'server') {
        whole.activate(id);
      } else {
        session.use([id]);
      }
      return answerJson(200, show(session, id));
    },
    deactivateScenario: ({ call, openSession }) => {
      const session = openSession();
      const { id } = scenarios.find(readId(call));
      if (call.query['scope'] === 'server') whole.deactivate(id);
      else session.drop([id]);
      return answerJson(200, show(session, id));
    },
  };
}

/** The scenario in the path: a string by its schema. */
function readId(call: Call): string {
  return call.path['scenario'] as string;
}
