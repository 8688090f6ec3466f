import { type ContractParts, isLoadedContract, readParts } from '../../src/mock/contract-parts.js';
import { type Contract, createMock, loadContract, type Mock, type MockOptions } from '../../src/index.js';
import { memoize } from '../../src/base/memoize.js';

/** A document, and the preset that it is loaded with; without one the figures are those of the engine. */
const load = memoize((key: string): Promise<Contract> => {
  const [preset, spec] = JSON.parse(key) as readonly [string | false, string];
  return loadContract(spec, { preset });
}, 4);

/** Options of the mock of a sweep, and what is told of each request that it sends. */
export interface SweepOptions extends Partial<MockOptions> {
  readonly onExchange?: (request: Request, response: Response) => Promise<void>;
}

/** A mock of a document, which is loaded once for all sweeps of it: compiling its schemas takes most of their time. */
export async function openMock(spec: string, { preset = false, onExchange, ...options }: SweepOptions): Promise<Mock> {
  const mock = await createMock({ ...options, spec: await load(JSON.stringify([preset, spec])) });
  if (onExchange === undefined) return mock;
  const fetch: Mock['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    const sent = request.clone();
    const response = await mock.fetch(request);
    await onExchange(sent, response.clone());
    return response;
  };
  return Object.create(mock, { fetch: { value: fetch } }) as Mock;
}

/** What checks and generates the values of requests: the schemas that the mock has compiled, too. */
export function readSchemas({ contract }: Mock): Pick<ContractParts, 'validators' | 'generator'> {
  if (!isLoadedContract(contract)) throw new Error('not the contract of a mock');
  return readParts(contract, false);
}
