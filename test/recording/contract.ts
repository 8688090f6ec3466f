import type { Contract } from '../../src/contract/contract.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createRouter, type Router } from '../../src/contract/router/router.js';
import { createCallDecoder, type CallDecoder } from '../../src/http/request/call.js';
import { createValidators, type Validators } from '../../src/schema/validate.js';
import { loadCases } from '../load-cases.js';

/** The parts of a contract that recordings are made of. */
export interface ContractParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The parts over a document. */
export async function loadParts(document: string | object): Promise<ContractParts> {
  const contract = await loadContract(document);
  const validators = createValidators(contract);
  return {
    contract,
    validators,
    router: createRouter(contract.operations),
    decoder: createCallDecoder(contract, validators, { bodyLimitBytes: 1_000_000 }),
    environment: {},
  };
}

/** A shop with every way to write a request that matching has to see through. */
export const SHOP: Readonly<Record<string, unknown>> = loadCases<Record<string, unknown>>('recording/shop.yaml');
