// The entry point `vouch/contract`: checking real exchanges, without a mock.
import { createChecks, type ContractChecks } from './check.js';
import type { Contract } from '../contract/contract.js';
import { loadContract as load, type LoadOptions } from '../contract/load/load.js';

export { assertSatisfies } from './assert.js';
export type { CheckResult, ContractChecks } from './check.js';
export type { CheckedRequest, CheckedResponse, ExchangeRequest, ExchangeResponse } from './exchange.js';
export { contractMatchers, type ContractMatchers } from './matchers.js';
export { checkHandler, checkMiddleware, type CheckMiddlewareOptions } from './middleware.js';
export { MockError, type ErrorCode, type Place } from '../base/errors.js';
export type { Contract } from '../contract/contract.js';
export type { Violation, ViolationCode, ViolationPlace } from '../schema/violation.js';

/**
 * Loads an OpenAPI document to check exchanges against it, without what a mock needs besides.
 *
 * @param spec - A path, a URL, or the parsed document.
 * @throws MockError `SPEC_NOT_FOUND`, `SPEC_UNREADABLE`, `SPEC_INVALID`, `OVERLAY_INVALID`.
 *
 * @example
 * ```ts
 * import { loadContract } from 'vouch/contract';
 *
 * const contract = await loadContract('spec/openapi.yaml');
 * const request = { url: '/v1/files/file-handbook/content', headers: { authorization: 'Bearer k' } };
 * const { violations } = await contract.check(request, { status: 418 });
 * if (violations[0]?.code !== 'STATUS_UNDECLARED') throw new Error('not checked');
 * ```
 */
export async function loadContract(
  spec: string | URL | Readonly<Record<string, unknown>>,
  options: Pick<LoadOptions, 'conventions' | 'overlays'> = {},
): Promise<Contract & ContractChecks> {
  const contract = await load(spec, options);
  return Object.freeze({ ...contract, ...createChecks(contract) });
}
