import type { Contract } from '../../contract/contract.js';
import { createScenarioContext } from '../../features/scenario/definition/kinds.js';
import type { Validators } from '../../schema/validate.js';
import { readItemModels } from '../../resources/item/item-models.js';
import type { Break } from './check.js';
import { createAnswerCheck } from '../../features/recording/drift/answer-check.js';
import { toItems } from './items.js';
import { toRules } from './rules.js';
import { FORMAT_NAMES, type Format, type OldMock, type Remark } from './stub.js';

interface ImportParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly format: Format;
  /** A path that the old mock adds to each of its paths. */
  readonly prefix: string;
}

/** The result of the import of an old mock. */
export interface Imported {
  /** The scenario with its answers; undefined without stubs. */
  readonly scenario: Readonly<Record<string, unknown>> | undefined;
  /** The number of stubs that are in it. */
  readonly carried: number;
  /** The files of fixtures, relative to their folder. */
  readonly fixtures: readonly { readonly path: string; readonly content: string | Uint8Array }[];
  /** Where the old mock broke the contract. */
  readonly breaks: readonly Break[];
  /** The parts that are not carried over, or not exactly. */
  readonly remarks: readonly Remark[];
}

/** Turns an old mock into a scenario with its answers and fixtures with its items. */
export async function importMock(
  mock: OldMock,
  { contract, validators, format, prefix }: ImportParts,
): Promise<Imported> {
  const parts = { ...readItemModels(contract, validators), seed: 1 };
  const context = createScenarioContext({ ...parts, collections: parts.resources.collections.values() });
  const check = createAnswerCheck(validators);
  const rules = toRules(mock.stubs, { contract, context, check, tool: FORMAT_NAMES[format], prefix });
  const items = await toItems(mock, { ...parts, prefix });
  return {
    scenario: rules.scenario,
    carried: rules.count,
    fixtures: items.files,
    breaks: withoutRepeats([...rules.breaks, ...items.breaks]),
    remarks: withoutRepeats([...mock.remarks, ...rules.remarks, ...items.remarks]),
  };
}

function withoutRepeats<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
