import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { requireInside } from '../../../base/inside-folder.js';
import { isObject, DATA_EXTENSIONS } from '../../../base/json.js';
import { toPointer } from '../../../contract/pointer.js';
import { MockError, suggest } from '../../../base/errors.js';
import type { Changes, Rule, Scenario } from '../rules/rule.js';
import { type RulePart, SCENARIO } from './grammar.js';
import { type CheckContext, type ScenarioContext, UNKNOWN_VALUE } from './kinds.js';
import {
  child,
  type Mistake,
  report,
  type Source,
  type SourceNode,
  toFileMistake,
} from '../../../contract/load/source-node.js';
import { parseSource, toScenarioError, toSource } from './source.js';

interface LoadedScenarios {
  /** The scenarios without a mistake. */
  readonly scenarios: readonly Scenario[];
  /** Every mistake, in the order of the files. */
  readonly mistakes: readonly Mistake[];
  /** Every id that has a file. */
  readonly ids: readonly string[];
}

/** A valid scenario id: ids are separated by commas in headers and lists. */
const SCENARIO_ID = /^[\w][\w.-]{0,127}$/;

/**
 * Reads every scenario of a folder and checks it against the contract.
 *
 * @param cwd - The folder that file names in messages are relative to.
 * @throws MockError `SCENARIO_UNREADABLE` if the folder cannot be read; mistakes inside files are returned.
 */
export function readScenarios(folder: string, context: ScenarioContext, cwd: string = process.cwd()): LoadedScenarios {
  const names = listFiles(folder);
  const mistakes: Mistake[] = [];
  const sources = new Map<string, Source>();
  for (const name of names) {
    const file = relative(cwd, join(folder, name)) || name;
    const id = basename(name, extname(name));
    const invalid = checkId(id, { file }, sources.get(id));
    try {
      requireInside(folder, join(folder, name), 'SCENARIO_UNREADABLE');
      if (invalid !== undefined) mistakes.push(invalid);
      else sources.set(id, parseSource(readFileSync(join(folder, name), 'utf8').replace(/^\uFEFF/, ''), file));
    } catch (error) {
      mistakes.push(toFileMistake(error, file, 'SCENARIO_UNREADABLE'));
    }
  }
  const read = readSources(sources, context, new Map());
  const ids = [...new Set(names.map((name) => basename(name, extname(name))))];
  return { scenarios: read.scenarios, mistakes: [...mistakes, ...read.mistakes], ids };
}

/** Reads every scenario of a folder. @throws MockError `SCENARIO_INVALID` that lists every mistake. */
export function loadScenarios(folder: string, context: ScenarioContext, cwd?: string): readonly Scenario[] {
  return withoutMistakes(readScenarios(folder, context, cwd));
}

/** Reads one scenario that was passed as an object, or as the text of a file. @param known - The scenarios it can extend. @throws MockError `SCENARIO_INVALID`. */
export function toScenario(
  named: { readonly id: string } & (
    | { readonly definition: unknown }
    | { readonly text: string; readonly file: string }
  ),
  context: ScenarioContext,
  known: ReadonlyMap<string, Scenario>,
): Scenario {
  const source = 'text' in named ? parseSource(named.text, named.file) : toSource(named.definition);
  const sources = new Map([[named.id, source]]);
  const [scenario] = readDefinitions(sources, context, known);
  // A source without mistakes is a scenario.
  return scenario as Scenario;
}

/** Reads scenarios that were passed as objects, in any order. @throws MockError `SCENARIO_INVALID` that lists every mistake. */
export function toScenarios(
  definitions: Readonly<Record<string, unknown>>,
  context: ScenarioContext,
): readonly Scenario[] {
  const entries = Object.entries(definitions);
  const sources = entries.map(([id, value]) => [id, toSource(value, toPointer('scenarios', id))] as const);
  return readDefinitions(new Map(sources), context, new Map());
}

function readDefinitions(...given: Parameters<typeof readSources>): readonly Scenario[] {
  const invalid = toScenarioError([...given[0].keys()].flatMap((id) => checkId(id, { pointer: '' }) ?? []));
  if (invalid !== undefined) throw invalid;
  return withoutMistakes(readSources(...given));
}

function withoutMistakes({ scenarios, mistakes }: Omit<LoadedScenarios, 'ids'>): readonly Scenario[] {
  const error = toScenarioError(mistakes);
  if (error !== undefined) throw error;
  return scenarios;
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => DATA_EXTENSIONS.has(extname(name)) && !name.startsWith('.'))
      .toSorted();
  } catch (error) {
    throw new MockError('SCENARIO_UNREADABLE', `the folder ${JSON.stringify(folder)} cannot be read`, {
      at: { file: folder },
      hint: 'check the path, or omit the option to use no scenarios',
      cause: error,
    });
  }
}

function checkId(id: string, at: Mistake['at'], other?: Source): Mistake | undefined {
  const code = 'SCENARIO_INVALID';
  if (!SCENARIO_ID.test(id)) {
    const hint = 'use up to 128 letters, digits, "_", "-" and ".", and begin with a letter or digit';
    return { code, message: `${JSON.stringify(id)} is not a valid scenario id`, at, hint };
  }
  if (other === undefined) return undefined;
  const message = `scenario ${JSON.stringify(id)} is already defined in ${other.file}`;
  return { code, message, at, hint: 'the id is the file name without its extension: rename one of the two' };
}

/** A scenario of one source, before what it extends is added. */
interface ScenarioPart extends Pick<Scenario, 'id' | 'description' | 'extends' | 'start'> {
  readonly root: SourceNode;
  readonly rules: readonly RulePart[];
}

/** Checks sources, and adds to each scenario what it extends. @param known - Other scenarios that they can extend. */
function readSources(
  sources: ReadonlyMap<string, Source>,
  context: ScenarioContext,
  known: ReadonlyMap<string, Scenario>,
): Omit<LoadedScenarios, 'ids'> {
  const parts = new Map<string, ScenarioPart>();
  const added = listAddedItems(sources, known, context);
  for (const [id, source] of sources) {
    const root = { value: source.value, pointer: '', label: 'a scenario', source };
    const variables = listVariables(id, sources, known);
    const operations = context.contract.operations;
    const rest = { operations, violates: false, variables, added, value: UNKNOWN_VALUE };
    const read = SCENARIO.read(root, { ...context, ...rest });
    const { description, state = { collections: [], vars: {} }, vars, extends: parents = [] } = read ?? {};
    const start = { ...state, vars: { ...state.vars, ...vars } };
    parts.set(id, { id, root, description, extends: parents, start, rules: read?.operations ?? [] });
  }
  for (const part of parts.values()) checkParents(part, parts, known);
  const resolve = (id: string): Scenario | undefined => {
    const part = parts.get(id);
    if (part === undefined) return known.get(id);
    // A cycle is a mistake of each of its members, so the recursion ends there.
    if (part.root.source.mistakes.length > 0) return undefined;
    const parents = part.extends.map(resolve);
    return parents.every((parent) => parent !== undefined) ? link(part, parents) : undefined;
  };
  const scenarios = [...parts.keys()].flatMap((id) => resolve(id) ?? []);
  return { scenarios, mistakes: [...sources.values()].flatMap((source) => source.mistakes) };
}

/** Names of the variables that a scenario and those it extends set: at the top, in `state`, or in the `then` of a rule. */
function listVariables(
  id: string,
  sources: ReadonlyMap<string, Source>,
  known: ReadonlyMap<string, Scenario>,
): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const visit = (next: string): void => {
    if (seen.has(next)) return;
    seen.add(next);
    const written = sources.get(next)?.value ?? known.get(next)?.definition;
    if (!isObject(written)) return;
    for (const { vars } of [written, ...findWrittenChanges(written)])
      if (isObject(vars)) for (const name of Object.keys(vars)) names.add(name);
    for (const parent of [written['extends']].flat()) if (typeof parent === 'string') visit(parent);
  };
  visit(id);
  return names;
}

/** The ids of the items that scenarios add, by collection; `any` where one of them is not known before there is a call. */
function listAddedItems(
  sources: ReadonlyMap<string, Source>,
  known: ReadonlyMap<string, Scenario>,
  { collections }: ScenarioContext,
): CheckContext['added'] {
  const added = new Map<string, Set<string> | 'any'>();
  const include = (name: string, { add = [], generate = 0 }: Readonly<Record<string, unknown>>): void => {
    const idProperty = collections.find((collection) => collection.name === name)?.idProperty ?? 'id';
    const items = Array.isArray(add) ? add.filter(isObject) : [];
    const ids = items.map((item) => item['$id'] ?? item[idProperty]);
    const isKnown = ids.every((id) => typeof id === 'number' || (typeof id === 'string' && !id.includes('$')));
    const before = added.get(name) ?? new Set();
    if (before === 'any' || generate !== 0 || !isKnown) added.set(name, 'any');
    else added.set(name, new Set([...before, ...ids.map(String)]));
  };
  const definitions = [...known.values()].map(({ definition }) => definition);
  const written = [...sources.values()].map(({ value }) => value);
  for (const [name, change] of [...written, ...definitions]
    .flatMap(findWrittenChanges)
    .flatMap(Object.entries<unknown>))
    if (isObject(change)) include(name, change);
  return added;
}

function findWrittenChanges(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isObject(value)) return [];
  const { state, operations } = value;
  const rules = isObject(operations) ? Object.values(operations).flat() : [];
  return [state, ...rules.filter(isObject).map((rule) => rule['then'])].filter(isObject);
}

/** Reports extended scenarios that do not exist, and cycles. */
function checkParents(
  part: ScenarioPart,
  parts: ReadonlyMap<string, ScenarioPart>,
  known: ReadonlyMap<string, Scenario>,
): void {
  const list = child(part.root, 'extends');
  for (const id of part.extends) {
    const node = Array.isArray(list.value) ? child(list, list.value.indexOf(id)) : list;
    if (!parts.has(id) && !known.has(id)) {
      const ids = [...parts.keys(), ...known.keys()].filter((other) => other !== part.id);
      const all = ids.length === 0 ? 'there is no other scenario' : `scenarios: ${ids.join(', ')}`;
      report(node, `scenario ${JSON.stringify(id)} does not exist`, suggest(id, ids) ?? all);
      continue;
    }
    const cycle = findCycle(part.id, id, parts);
    if (cycle !== undefined) report(node, `${JSON.stringify(part.id)} extends itself: ${cycle.join(' -> ')}`);
  }
}

/** The path from a scenario back to itself, through one of those it extends. */
function findCycle(
  start: string,
  next: string,
  parts: ReadonlyMap<string, ScenarioPart>,
): readonly string[] | undefined {
  const seen = new Set<string>();
  const walk = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (id === start) return [...path, id];
    if (seen.has(id)) return undefined;
    seen.add(id);
    for (const parent of parts.get(id)?.extends ?? []) {
      const found = walk(parent, [...path, id]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(next, [start]);
}

/** The scenario of a part: its own rules first, then those of the scenarios it extends, the last named first. */
function link({ root, rules: own, ...part }: ScenarioPart, parents: readonly Scenario[]): Scenario {
  const { id } = part;
  const toRule = (rule: Omit<Rule, 'key' | 'scenario'>, key: string): Rule => ({ ...rule, scenario: id, key });
  const inherited = parents.toReversed().flatMap((parent) => parent.rules);
  const rules = [
    ...own.map(({ name, ...rule }) => toRule(rule, `${id}/${name}`)),
    ...inherited.map((rule) => toRule(rule, `${id} < ${rule.key}`)),
  ];
  const origins = new Set<string | undefined>();
  const layers = new Map([...parents.flatMap((parent) => [...parent.layers]), [id, part.start]]);
  const starts = [...layers.values()];
  return {
    ...part,
    file: root.source.file,
    definition: root.value,
    start: {
      collections: starts.flatMap(({ collections }) => collections),
      vars: Object.assign({}, ...starts.map(({ vars }) => vars)) as Changes['vars'],
    },
    layers,
    // A rule that is inherited in two ways counts once.
    rules: rules.filter(({ key }) => origins.size < origins.add(key.split(' < ').at(-1)).size),
  };
}
