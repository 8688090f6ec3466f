import { DEFAULT_INSTANT } from '../clock.js';
import type { Contract } from '../contract/contract.js';
import type { Generator } from '../generate/generate.js';
import type { ScenarioContext } from '../scenario/definition/kinds.js';
import type { Validators } from '../schema/validate.js';
import type { Resources } from '../state/resource.js';

/** Creates what scenarios are checked against: a contract, and the collections that were inferred from it. */
export function createScenarioContext(parts: {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly resources: Resources;
}): ScenarioContext {
  const { contract, validators, generator, resources } = parts;
  return {
    contract,
    check: validators.check,
    complete: (pointer, partial) =>
      generator.complete(pointer, partial, { seed: 1, key: pointer, direction: 'response', now: DEFAULT_INSTANT }),
    collections: [...resources.collections.values()].map(({ name, schema }) => ({ name, schemaPointer: schema })),
  };
}
