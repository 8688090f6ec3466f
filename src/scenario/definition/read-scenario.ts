import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Ground } from '../ground.js';
import type { Changes } from '../rules/rule.js';
import { isRateLimit } from './read-fault.js';
import { readRule, type RuleBody } from './read-rule.js';
import { NO_CHANGES, readChanges, readVars } from './read-state.js';
import { type Given, isRecord, member, readItems, readMembers, readText } from './read.js';
import { createNotes, didYouMean, type Mistake, type Source } from './source.js';

const SCENARIO_KEYS = ['$schema', 'description', 'extends', 'state', 'vars', 'operations'] as const;

/** A scenario as it stands in its own file: what it extends is not yet added. */
export interface ScenarioPart {
  readonly id: string;
  readonly file: string | undefined;
  readonly description: string | undefined;
  readonly extends: readonly { readonly id: string; readonly given: Given }[];
  readonly start: Changes;
  readonly rules: readonly (RuleBody & { readonly target: string; readonly name: string })[];
  /** Grows while what it extends is looked up. */
  readonly mistakes: readonly Mistake[];
}

/**
 * Reads and checks one scenario; every mistake ends up in `mistakes`.
 *
 * @param named - Its id, and the names of the vars of what it extends.
 */
export function readScenario(
  named: { readonly id: string; readonly inherited: ReadonlySet<string> },
  source: Source,
  ground: Ground,
): ScenarioPart {
  const { id } = named;
  const notes = createNotes(source);
  const given: Given = { value: source.value, pointer: '', notes };
  const about = { id, file: source.file, mistakes: notes.mistakes };
  if (!isRecord(given, 'a scenario', SCENARIO_KEYS)) {
    return { ...about, description: undefined, extends: [], start: NO_CHANGES, rules: [] };
  }
  const vars = new Set([...findVars(source.value), ...named.inherited]);
  const base = { ground, operations: ground.contract.operations, vars };
  const description = member(given, 'description');
  const start = readChanges(member(given, 'state'), '"state"', { ...base, violates: false });
  return {
    ...about,
    description: description.value === undefined ? undefined : readText(description, '"description"'),
    extends: readExtends(member(given, 'extends')),
    start: { ...start, vars: { ...start.vars, ...readVars(member(given, 'vars'), { ...base, violates: false }) } },
    rules: readOperations(member(given, 'operations'), base),
  };
}

/** The ids a scenario, as it is written, extends. */
export function findParents(value: unknown): readonly string[] {
  const parents = isObject(value) ? value['extends'] : undefined;
  return [parents].flat().filter((id) => typeof id === 'string');
}

function readExtends(given: Given): ScenarioPart['extends'] {
  if (given.value === undefined) return [];
  const items = typeof given.value === 'string' ? [given] : readItems(given, '"extends"');
  return items.flatMap((item) => {
    const id = readText(item, 'an id in "extends"');
    return id === undefined ? [] : [{ id, given: item }];
  });
}

type Base = Omit<Parameters<typeof readRule>[1], never>;

function readOperations(given: Given, base: Base): ScenarioPart['rules'] {
  if (given.value === undefined) return [];
  return (readMembers(given, '"operations"') ?? []).flatMap((key) => {
    const list = member(given, key);
    const operations = findOperations(list, key, base.ground);
    if (operations === undefined) return [];
    const items = Array.isArray(list.value) ? readItems(list, 'the rules of an operation') : [list];
    const target = key === '*' ? '*' : (operations[0]?.id ?? key);
    noteUnreachable(items);
    return items.flatMap((item, index) => {
      const rule = readRule(item, { ...base, operations });
      return rule === undefined ? [] : [{ ...rule, target, name: `${key}[${index}]` }];
    });
  });
}

/** The operations a key means: an operationId, `"GET /path"`, or `"*"` for all of them. */
function findOperations(given: Given, key: string, ground: Ground): readonly Operation[] | undefined {
  const { operations } = ground.contract;
  if (key === '*') return operations;
  const found = ground.contract.operation(key) ?? operations.find((operation) => toRoute(operation) === normalise(key));
  if (found !== undefined) return [found];
  const isRoute = /^\S+\s+\//.test(key);
  const names = operations.map((operation) => (isRoute ? toRoute(operation) : operation.id));
  const hint = didYouMean(key, names, `vouch operations lists them; there are ${names.length}`);
  given.notes.wrong(given.pointer, `operation ${JSON.stringify(key)} is not in the contract`, hint);
  return undefined;
}

function toRoute(operation: Operation): string {
  return `${operation.method} ${operation.path}`;
}

function normalise(key: string): string {
  const [method = '', ...path] = key.trim().split(/\s+/);
  return `${method.toUpperCase()} ${path.join(' ')}`;
}

/** A rule that always answers hides those after it. */
function noteUnreachable(items: readonly Given[]): void {
  const blocker = items.findIndex((item) => isObject(item.value) && isFinal(item.value));
  const hidden = items[blocker + 1];
  if (blocker === -1 || hidden === undefined) return;
  const hint = `rule ${blocker + 1} of this operation answers every call: give it "when" or "times", or move it to the end`;
  hidden.notes.wrong(hidden.pointer, 'this rule can never be reached', hint);
}

function isFinal(rule: Readonly<Record<string, unknown>>): boolean {
  const isConditional = ['when', 'times', 'probability'].some((name) => rule[name] !== undefined);
  const isLimit = isRateLimit(rule['fault']);
  const steps = rule['sequence'];
  const letsThrough = Array.isArray(steps) && (steps.includes('engine') || rule['onEnd'] === 'fallthrough');
  const answers = rule['respond'] !== undefined || rule['fault'] !== undefined || steps !== undefined;
  return answers && !isConditional && !isLimit && !letsThrough;
}

/** The names of the vars a scenario, as it is written, sets anywhere: at its top, in `state` and in the `then` of its rules. */
export function findVars(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (vars: unknown): void => {
    if (isObject(vars)) for (const name of Object.keys(vars)) names.add(name);
  };
  if (!isObject(value)) return names;
  add(value['vars']);
  if (isObject(value['state'])) add(value['state']['vars']);
  const lists = isObject(value['operations']) ? Object.values(value['operations']) : [];
  for (const rule of lists.flat()) {
    if (isObject(rule) && isObject(rule['then'])) add(rule['then']['vars']);
  }
  return names;
}
