import { measureValue, type Usage } from '../../resources/store/lists/usage.js';
import { answerEmpty, answerJson, answerProblem } from '../../server/control/answer.js';
import { type ControlHandlers, type ControlledParts, readPath } from '../../server/control/routes.js';
import type { Session } from '../../session/session.js';
import { scenarioSchema } from './definition/schema.js';
import { createMockScenarios } from './scenario-handle.js';
import { listScenarios } from './scenarios.js';
import { activateScenarios, deactivateScenarios, scenarioOf, type ScenarioParts } from './session-slot.js';

interface ControlledScenarios extends ScenarioParts, Pick<ControlledParts, 'contract' | 'resources' | 'sessions'> {
  /** Counts uploaded scenarios. */
  readonly uploads: Pick<Usage, 'hold'>;
}

/** The operations on scenarios. */
export function scenarioHandlers(parts: ControlledScenarios): ControlHandlers {
  return { ...readHandlers(parts), ...changeHandlers(parts) };
}

function readHandlers({ contract, resources, scenarios }: ControlledScenarios): ControlHandlers {
  return {
    listScenarios: ({ session }) => answerJson(200, { scenarios: listScenarios(scenarios, scenarioOf(session())) }),
    getScenarioSchema: () => answerJson(200, scenarioSchema(contract, [...resources.collections.values()])),
    getScenario: ({ call }) => {
      const { id, file, definition } = scenarios.find(readPath(call, 'scenario'));
      return answerJson(200, { id, file, definition });
    },
    checkScenario: ({ call }) => {
      scenarios.check(readPath(call, 'scenario'), call.body);
      return answerEmpty();
    },
  };
}

function changeHandlers(parts: ControlledScenarios): ControlHandlers {
  const { scenarios, sessions, uploads } = parts;
  /** Ends that an uploaded scenario is counted, by id. */
  const releases = new Map<string, () => void>();
  const whole = createMockScenarios(parts);
  const show = (session: Session, id: string): unknown =>
    listScenarios(scenarios, scenarioOf(session)).find((scenario) => scenario.id === id);
  return {
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
      for (const session of sessions.list()) if (scenarios.get(id) === undefined) deactivateScenarios(session, [id]);
      return answerEmpty();
    },
    activateScenario: ({ call, openSession }) => {
      const session = openSession();
      const { id } = scenarios.find(readPath(call, 'scenario'));
      if (call.query['scope'] === 'server') whole.activate(id);
      else activateScenarios(session, parts, [id]);
      return answerJson(200, show(session, id));
    },
    deactivateScenario: ({ call, openSession }) => {
      const session = openSession();
      const { id } = scenarios.find(readPath(call, 'scenario'));
      if (call.query['scope'] === 'server') whole.deactivate(id);
      else deactivateScenarios(session, [id]);
      return answerJson(200, show(session, id));
    },
  };
}
