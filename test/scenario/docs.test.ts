import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { FAULT_NAMES } from '../../src/features/scenario/definition/faults.js';
import type { ScenarioContext } from '../../src/features/scenario/definition/kinds.js';
import { loadScenarios, toScenario } from '../../src/features/scenario/definition/load.js';
import type { Scenario } from '../../src/features/scenario/rules/rule.js';
import { loadContext } from './library.js';

const page = readFileSync('docs/scenarios.md', 'utf8');
const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');

describe('the scenarios in docs/scenarios.md', () => {
  let context: ScenarioContext;
  let known: ReadonlyMap<string, Scenario>;
  beforeAll(async () => {
    context = await loadContext('spec/openapi.yaml');
    known = new Map(loadScenarios('scenarios', context).map((scenario) => [scenario.id, scenario]));
  });

  it('are found', () => expect(blocks.length).toBeGreaterThan(8));

  it.each(blocks.map((text) => [(load(text) as { description: string }).description, text] as const))(
    'are valid: %s',
    (_description, text) => {
      expect(toScenario({ id: 'documented', definition: load(text) }, context, known).id).toBe('documented');
    },
  );

  it('each shipped scenario is in the table', () => {
    for (const id of known.keys()) expect(page).toContain(`\`${id}\``);
  });

  it('each fault is in the table', () => {
    for (const name of FAULT_NAMES) expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  });
});
