import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import { createFieldsReader } from '../../src/contract/schema-view/fields.js';
import { createValidators } from '../../src/schema/validate.js';
import { createScenarioContext, type ScenarioContext } from '../../src/features/scenario/definition/kinds.js';

import { inferResources } from '../../src/resources/infer/infer.js';
import { loadCases } from '../load-cases.js';

/** A small contract with everything that a scenario is checked against. */
export const LIBRARY: Readonly<Record<string, unknown>> = loadCases<Record<string, unknown>>('scenario/library.yaml');

/** What scenarios about the library, or about another document, are checked against. */
export async function loadContext(spec: string | object = LIBRARY): Promise<ScenarioContext> {
  const contract = await loadContract(spec);
  const validators = createValidators(contract);
  const generator = createGenerator(contract, validators);
  const { collections } = inferResources(contract);
  return createScenarioContext({
    contract,
    validators,
    generator,
    fieldsOf: createFieldsReader(contract),
    collections: collections.values(),
  });
}
