import { MockError } from '../base/errors.js';
import type { CheckResult, ContractChecks } from './check.js';
import type { CheckedRequest, CheckedResponse } from './exchange.js';

/**
 * Asserts that an exchange conforms to the document.
 *
 * @param exchange - A response that has its request, or an array of the request and the response.
 * @throws MockError `CONTRACT_BROKEN` with every violation; `OPTION_INVALID`.
 *
 * @example
 * ```ts no-run
 * import { assertSatisfies, loadContract } from 'vouch/contract';
 *
 * const contract = await loadContract('openapi.yaml');
 * const request = new Request('http://localhost:3000/stations');
 * await assertSatisfies([request, await fetch(request.clone())], contract);
 * ```
 */
export async function assertSatisfies(
  exchange: CheckedResponse | readonly [request: CheckedRequest, response: CheckedResponse],
  contract: ContractChecks,
): Promise<void> {
  const result = await checkExchange(exchange, contract);
  if (result.violations.length === 0) return;
  const hint = 'correct the service, or the document if it is outdated';
  throw new MockError('CONTRACT_BROKEN', describeResult(result), { hint });
}

/** Checks an exchange in one of the forms of `assertSatisfies`. */
export function checkExchange(
  exchange: CheckedResponse | readonly [request: CheckedRequest, response: CheckedResponse],
  contract: ContractChecks,
): Promise<CheckResult> {
  // An array is a pair.
  const pair = exchange as readonly [CheckedRequest, CheckedResponse];
  return Array.isArray(exchange) ? contract.check(pair[0], pair[1]) : contract.check(exchange);
}

/** The violations, each on a line. */
export function describeResult({ operation, violations }: CheckResult): string {
  const lines = violations.map(({ code, message }) => `\n  ${code}  ${message}`);
  return `the exchange breaks the contract${operation === undefined ? '' : ` of ${operation}`}:${lines.join('')}`;
}
