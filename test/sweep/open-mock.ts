import { type ContractParts, isLoadedContract, readParts } from '../../src/contract-parts.js';
import { type Contract, createMock, loadContract, type Mock, type MockOptions } from '../../src/index.js';
import { memoize } from '../../src/memoize.js';

/** A document, and the preset that it is loaded with; without one the figures are those of the engine. */
const load = memoize((key: string): Promise<Contract> => {
  const [preset, spec] = JSON.parse(key) as readonly [string | false, string];
  return loadContract(spec, { preset });
}, 4);

/** A mock of a document, which is loaded once for all sweeps of it: compiling its schemas takes most of their time. */
export async function openMock(spec: string, { preset = false, ...options }: Partial<MockOptions>): Promise<Mock> {
  return createMock({ ...options, spec: await load(JSON.stringify([preset, spec])) });
}

/** What checks and generates the values of requests: the schemas that the mock has compiled, too. */
export function readSchemas({ contract }: Mock): Pick<ContractParts, 'validators' | 'generator'> {
  if (!isLoadedContract(contract)) throw new Error('not the contract of a mock');
  return readParts(contract, false);
}
