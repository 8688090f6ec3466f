import type { Contract } from '../../../contract/contract.js';
import { createRouter } from '../../../contract/router/router.js';
import type { RecordingParts } from '../../../features/recording/cassettes.js';
import { createCallDecoder } from '../../../http/request/call.js';
import { createValidators } from '../../../schema/validate.js';

const BODY_LIMIT_BYTES = 256 * 1024 * 1024;

/** Creates what commands on recordings need of a contract. */
export function createParts(contract: Contract): RecordingParts {
  const validators = createValidators(contract);
  const decoder = createCallDecoder(contract, validators, { bodyLimitBytes: BODY_LIMIT_BYTES });
  const router = createRouter(contract.operations, contract.resolve);
  return { contract, validators, router, decoder, environment: process.env };
}
