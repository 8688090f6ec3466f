import { checkExchange, describeResult } from './assert.js';
import type { ContractChecks } from './check.js';

/** The matcher as a method of `expect(response)`: runners merge it into their own interface of matchers. */
export interface ContractMatchers<Result> {
  /** Whether an exchange conforms to a document: a response that has its request, or an array of both. */
  toSatisfyContract(contract: ContractChecks): Result;
}

/**
 * The matcher for `expect.extend(contractMatchers)` of vitest, Jest and Playwright; it imports none of these.
 *
 * @throws MockError `OPTION_INVALID` for another object.
 */
export const contractMatchers = {
  toSatisfyContract: async (
    received: object,
    contract: ContractChecks,
  ): Promise<{ readonly pass: boolean; message(): string }> => {
    const result = await checkExchange(received, contract);
    const pass = result.violations.length === 0;
    const passed = `the exchange conforms to the contract of ${result.operation ?? 'its operation'}, but was not expected to`;
    return { pass, message: () => (pass ? passed : describeResult(result)) };
  },
};
