import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { toPointer } from '../../contract/pointer.js';
import { MockError } from '../../errors.js';
import type { Ground } from '../ground.js';
import type { Scenario } from '../rules/rule.js';
import { linkScenarios } from './link.js';
import { findParents, findVars, readScenario } from './read-scenario.js';
import { isFilled, type Mistake, readSource, type Source, toError, toSource } from './source.js';

/** What a folder of scenarios holds. */
interface LoadedScenarios {
  /** Those without a mistake. */
  readonly scenarios: readonly Scenario[];
  /** Everything that is wrong, in the order of the files. */
  readonly mistakes: readonly Mistake[];
  /** Every id there is a file for. */
  readonly ids: readonly string[];
}

/** The endings that make a file a scenario. */
const ENDINGS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** What a scenario may be called: it stands in headers and lists, separated by commas. */
const SCENARIO_ID = /^[\w][\w.-]{0,127}$/;

/**
 * Reads every scenario of a folder and checks it against the contract.
 *
 * @param cwd - What file names in messages are relative to.
 * @throws MockError `SCENARIO_UNREADABLE` where the folder cannot be read; mistakes inside files are returned.
 */
export async function readScenarios(
  folder: string,
  ground: Ground,
  cwd: string = process.cwd(),
): Promise<LoadedScenarios> {
  const names = await listFiles(folder);
  const mistakes: Mistake[] = [];
  const sources = new Map<string, Source>();
  for (const name of names) {
    const file = relative(cwd, join(folder, name)) || name;
    const id = basename(name, extname(name));
    const invalid = checkId(id, sources.get(id), file);
    try {
      if (invalid === undefined) sources.set(id, readSource(await readText(join(folder, name)), file));
      else mistakes.push(invalid);
    } catch (error) {
      mistakes.push(toMistake(error, file));
    }
  }
  const parts = [...sources].map(([id, source]) =>
    readScenario({ id, inherited: findInherited(source.value, sources) }, source, ground),
  );
  const linked = linkScenarios(parts, new Map());
  const ids = [...new Set(names.map((name) => basename(name, extname(name))))];
  return { scenarios: linked.scenarios, mistakes: [...mistakes, ...linked.mistakes], ids };
}

async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
}

/** The names of the vars of everything a scenario extends. */
function findInherited(value: unknown, sources: ReadonlyMap<string, Source>): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const waiting = [...findParents(value)];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const parent = sources.get(id);
    if (parent === undefined || seen.has(id)) continue;
    seen.add(id);
    for (const name of findVars(parent.value)) names.add(name);
    waiting.push(...findParents(parent.value));
  }
  return names;
}

/** Reads every scenario of a folder. @throws MockError `SCENARIO_INVALID` that lists everything that is wrong. */
export async function loadScenarios(folder: string, ground: Ground, cwd?: string): Promise<readonly Scenario[]> {
  const { scenarios, mistakes } = await readScenarios(folder, ground, cwd);
  if (isFilled(mistakes)) throw toError(mistakes);
  return scenarios;
}

/**
 * One scenario that is handed over as an object.
 *
 * @param known - What it may extend.
 * @throws MockError `SCENARIO_INVALID`.
 */
export function toScenario(
  named: { readonly id: string; readonly definition: unknown },
  ground: Ground,
  known: ReadonlyMap<string, Scenario>,
): Scenario {
  const [scenario] = readSources(new Map([[named.id, toSource(named.definition)]]), ground, known);
  // What could not be read was thrown.
  return scenario as Scenario;
}

/** Scenarios that are handed over as objects, in any order. @throws MockError `SCENARIO_INVALID` that lists everything. */
export function toScenarios(definitions: Readonly<Record<string, unknown>>, ground: Ground): readonly Scenario[] {
  const entries = Object.entries(definitions);
  const sources = entries.map(([id, value]) => [id, toSource(value, toPointer('scenarios', id))] as const);
  return readSources(new Map(sources), ground, new Map());
}

function readSources(
  sources: ReadonlyMap<string, Source>,
  ground: Ground,
  known: ReadonlyMap<string, Scenario>,
): readonly Scenario[] {
  const invalid = [...sources.keys()].flatMap((id) => checkId(id, undefined, undefined) ?? []);
  if (isFilled(invalid)) throw toError(invalid);
  const parts = [...sources].map(([id, source]) => {
    const own = findInherited(source.value, sources);
    const others = findParents(source.value).flatMap((parent) => listVars(known.get(parent)));
    return readScenario({ id, inherited: new Set([...own, ...others]) }, source, ground);
  });
  const linked = linkScenarios(parts, known);
  if (isFilled(linked.mistakes)) throw toError(linked.mistakes);
  return linked.scenarios;
}

/** The names of the vars a scenario sets at its start or in a rule. */
function listVars(scenario: Scenario | undefined): readonly string[] {
  if (scenario === undefined) return [];
  const changes = [scenario.start, ...scenario.rules.flatMap((rule) => rule.changes ?? [])];
  return changes.flatMap(({ vars }) => Object.keys(vars));
}

async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => ENDINGS.has(extname(name)) && !name.startsWith('.')).toSorted();
  } catch (error) {
    throw new MockError('SCENARIO_UNREADABLE', `the folder ${JSON.stringify(folder)} cannot be read`, {
      at: { file: folder },
      hint: 'check the path, or leave the option out to go without scenarios',
      cause: error,
    });
  }
}

function checkId(id: string, other: Source | undefined, file: string | undefined): Mistake | undefined {
  const at = file === undefined ? { pointer: '' } : { file };
  if (!SCENARIO_ID.test(id)) {
    const hint = 'use up to 128 letters, digits, "_", "-" and ".", and begin with a letter or digit';
    return { code: 'SCENARIO_INVALID', message: `${JSON.stringify(id)} cannot be the id of a scenario`, at, hint };
  }
  if (other === undefined) return undefined;
  const message = `scenario ${JSON.stringify(id)} is already defined in ${other.file ?? 'another place'}`;
  return {
    code: 'SCENARIO_INVALID',
    message,
    at,
    hint: 'the id is the file name without its ending: rename one of the two',
  };
}

function toMistake(error: unknown, file: string): Mistake {
  if (error instanceof MockError && error.code === 'SCENARIO_UNREADABLE') {
    return { code: 'SCENARIO_UNREADABLE', message: error.message, at: error.at ?? { file }, hint: error.hint };
  }
  // A file that vanished between listing and reading, or may not be read; a mistake of ours goes on up.
  if (error instanceof Error && 'syscall' in error) {
    return {
      code: 'SCENARIO_UNREADABLE',
      message: `the file cannot be read: ${error.message}`,
      at: { file },
      hint: undefined,
    };
  }
  throw error;
}
