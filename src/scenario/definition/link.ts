import type { Operation } from '../../contract/operations/operation.js';
import { type Changes, type Layer, type Rule, type Scenario, selectRules } from '../rules/rule.js';
import type { ScenarioPart } from './read-scenario.js';
import { didYouMean, type Mistake } from './source.js';

/** Scenarios with what they extend added, and everything that is wrong with any of them. */
interface Linked {
  readonly scenarios: readonly Scenario[];
  readonly mistakes: readonly Mistake[];
}

/** Adds to each scenario what it extends, and finds what it extends that is not there or that goes round in a circle. */
export function linkScenarios(parts: readonly ScenarioPart[], known: ReadonlyMap<string, Scenario>): Linked {
  const byId = new Map(parts.map((part) => [part.id, part]));
  for (const part of parts) noteAncestors(part, byId, known);
  const mistakes = parts.flatMap((part) => part.mistakes);
  // A circle is a mistake of each of its members, so that this walk ends there.
  const isSound = (part: ScenarioPart): boolean =>
    part.mistakes.length === 0 &&
    part.extends.every(({ id }) => {
      const parent = byId.get(id);
      return parent === undefined ? known.has(id) : isSound(parent);
    });
  const scenarios = parts.filter(isSound).map((part) => toScenario(part, byId, known));
  return { scenarios, mistakes };
}

function noteAncestors(
  part: ScenarioPart,
  byId: ReadonlyMap<string, ScenarioPart>,
  known: ReadonlyMap<string, Scenario>,
): void {
  for (const { id, given } of part.extends) {
    if (!byId.has(id) && !known.has(id)) {
      const ids = [...byId.keys(), ...known.keys()].filter((other) => other !== part.id);
      const hint = didYouMean(
        id,
        ids,
        ids.length === 0 ? 'there is no other scenario' : `scenarios: ${ids.join(', ')}`,
      );
      given.notes.wrong(given.pointer, `scenario ${JSON.stringify(id)} does not exist`, hint);
      continue;
    }
    const circle = findCircle(part.id, id, byId);
    if (circle !== undefined) {
      given.notes.wrong(given.pointer, `${JSON.stringify(part.id)} extends itself: ${circle.join(' -> ')}`);
    }
  }
}

/** The way from a scenario back to itself, over one of those it extends. */
function findCircle(
  start: string,
  next: string,
  byId: ReadonlyMap<string, ScenarioPart>,
): readonly string[] | undefined {
  const seen = new Set<string>();
  const walk = (id: string, way: readonly string[]): readonly string[] | undefined => {
    if (id === start) return [...way, id];
    if (seen.has(id)) return undefined;
    seen.add(id);
    for (const parent of byId.get(id)?.extends ?? []) {
      const found = walk(parent.id, [...way, id]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(next, [start]);
}

function toScenario(
  part: ScenarioPart,
  byId: ReadonlyMap<string, ScenarioPart>,
  known: ReadonlyMap<string, Scenario>,
): Scenario {
  const parents = part.extends.flatMap(({ id }) => {
    const parent = byId.get(id);
    const scenario = parent === undefined ? known.get(id) : toScenario(parent, byId, known);
    return scenario === undefined ? [] : [scenario];
  });
  const own = part.rules.map(({ name, ...rule }): Rule => ({ ...rule, scenario: part.id, key: `${part.id}/${name}` }));
  const inherited = parents
    .toReversed()
    .flatMap((parent) => parent.rules)
    .map((rule) => inheritRule(rule, part.id));
  const rules = unique([...own, ...inherited]);
  const layers = uniqueLayers([...parents.flatMap((parent) => parent.layers), { id: part.id, start: part.start }]);
  const byOperation = new Map<string, readonly Rule[]>();
  return {
    id: part.id,
    description: part.description,
    file: part.file,
    extends: part.extends.map(({ id }) => id),
    start: joinChanges(layers.map((layer) => layer.start)),
    layers,
    rules,
    rulesFor: (operation: Operation) => {
      const found = byOperation.get(operation.id) ?? selectRules(rules, operation);
      byOperation.set(operation.id, found);
      return found;
    },
  };
}

function inheritRule(rule: Rule, heir: string): Rule {
  return { ...rule, scenario: heir, key: `${heir} < ${rule.key}` };
}

/** A rule that came by two ways counts once. */
function unique(rules: readonly Rule[]): readonly Rule[] {
  const places = new Set<string>();
  return rules.filter((rule) => {
    const origin = rule.key.split(' < ').at(-1) ?? rule.key;
    if (places.has(origin)) return false;
    places.add(origin);
    return true;
  });
}

function uniqueLayers(layers: readonly Layer[]): readonly Layer[] {
  return [...new Map(layers.map((layer) => [layer.id, layer])).values()];
}

function joinChanges(list: readonly Changes[]): Changes {
  return {
    collections: list.flatMap((changes) => changes.collections),
    vars: Object.assign({}, ...list.map((changes) => changes.vars)) as Readonly<Record<string, unknown>>,
  };
}
