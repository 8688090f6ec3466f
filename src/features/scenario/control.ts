import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatPlace, MockError, toReason } from '../../base/errors.js';
import { requireFile } from '../../base/inside-folder.js';
import { isBytes } from '../../base/platform.js';
import { replaceFileSync } from '../../base/replace-file.js';
import type { Answer } from '../../http/answer.js';
import { measureValue, type Usage } from '../../resources/store/lists/usage.js';
import { answerEmpty, answerJson, answerProblem } from '../../server/control/answer.js';
import { type ControlHandlers, type ControlledParts, readPath } from '../../server/control/routes.js';
import type { Session } from '../../session/session.js';
import { scenarioSchema } from './definition/schema.js';
import { createMockScenarios } from './scenario-handle.js';
import { listScenarios, type Scenarios } from './scenarios.js';
import { activateScenarios, deactivateScenarios, scenarioOf, type ScenarioParts } from './session-slot.js';

interface ControlledScenarios
  extends ScenarioParts, Pick<ControlledParts, 'contract' | 'reloads' | 'resources' | 'sessions'> {
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
      const { id, file: own, definition } = scenarios.find(readPath(call, 'scenario'));
      const file = scenarios.fileOf(id);
      const text = file === undefined ? undefined : readText(file);
      const hash = text === undefined ? undefined : toHash(text);
      // One that was uploaded in place of a file is not what the file says.
      return answerJson(200, { id, file, hash, text: own === undefined ? undefined : text, definition });
    },
    checkScenario: ({ call }) => {
      const id = readPath(call, 'scenario');
      scenarios.check(id, readDefinition(scenarios, { id }, call.body));
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
        const named = readPath(call, 'scenario');
        const { id } = scenarios.add(named, readDefinition(scenarios, { id: named }, call.body));
        releases.get(id)?.();
        releases.set(id, release);
        return answerJson(200, show(session, id));
      } catch (error) {
        release();
        throw error;
      }
    },
    writeScenario: async ({ call, openSession }) => {
      const session = openSession();
      const { id } = scenarios.find(readPath(call, 'scenario'));
      const refusal = writeFile(parts, id, { text: readYaml(call.body) ?? '', hash: call.query['hash'] });
      if (refusal !== undefined) return refusal;
      // The file applies again, and not what was uploaded in its place.
      if (scenarios.remove(id)) releases.get(id)?.();
      releases.delete(id);
      await parts.reloads.reload([resolve(scenarios.fileOf(id) ?? '')]);
      return answerJson(200, show(session, id));
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

/** The definition in a body: of YAML, what it says. @throws MockError with the line of a mistake. */
function readDefinition(
  scenarios: Scenarios,
  { id, file }: { readonly id: string; readonly file?: string },
  body: unknown,
): unknown {
  const text = typeof body === 'string' ? body : readYaml(body);
  if (text === undefined) return body;
  try {
    return scenarios.read(id, text, file);
  } catch (error) {
    if (!(error instanceof MockError) || error.at === undefined) throw error;
    const { code, reason, at, hint } = error;
    throw new MockError(code, `${formatPlace(at)}: ${reason}`, { hint, cause: error });
  }
}

/** The text of a body in YAML, which arrives as bytes; undefined for one in JSON. */
function readYaml(body: unknown): string | undefined {
  return isBytes(body)
    ? Buffer.from(body)
        .toString('utf8')
        .replace(/^\uFEFF/, '')
    : undefined;
}

/** Writes a valid text to the file of a scenario. @returns why it was not written; undefined if it was. @throws MockError for a mistake in the text. */
function writeFile(
  { scenarios }: Pick<ControlledScenarios, 'scenarios'>,
  id: string,
  { text, hash }: { readonly text: string; readonly hash: unknown },
): Answer | undefined {
  const refuse = (message: string, hint: string): Answer =>
    answerProblem({ status: 409, code: 'SCENARIO_INVALID', message, hint });
  const file = scenarios.fileOf(id);
  if (file === undefined) return refuse(`scenario "${id}" has no file`, 'upload it, or add its file to the folder');
  readDefinition(scenarios, { id, file }, text);
  const before = readText(file);
  if (hash !== undefined && (before === undefined || toHash(before) !== hash))
    return refuse(`${file} has changed since it was read; it was not written`, 'read the scenario again');
  try {
    // The target of a link is replaced, and not the link.
    replaceFileSync(realpathSync(file), (temporary) => writeFileSync(temporary, text));
    return undefined;
  } catch (error) {
    const hint = 'let the mock write to the folder, or download the text';
    return refuse(`${file} cannot be written: ${toReason(error)}`, hint);
  }
}

/** The text of a file; undefined if it cannot be read. */
function readText(file: string): string | undefined {
  try {
    requireFile(file);
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function toHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
