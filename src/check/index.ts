// The entry point `vouch/contract`: checking real exchanges, without a mock.
import { MockError } from '../base/errors.js';
import { createChecks, type ContractChecks } from './check.js';
import type { Contract } from '../contract/contract.js';
import { loadContract as load, type LoadOptions } from '../contract/load/load.js';
import type { Coverage } from '../features/coverage/coverage.js';
import { COVERAGE_FOLDER, createCoverageWriter } from '../features/coverage/files.js';
import { createCoverageRecorder } from '../features/coverage/recorder.js';

export { assertSatisfies } from './assert.js';
export type { CheckResult, ContractChecks } from './check.js';
export type { CheckedRequest, CheckedResponse, ExchangeRequest, ExchangeResponse } from './exchange.js';
export { contractMatchers, type ContractMatchers } from './matchers.js';
export { checkHandler, checkMiddleware, type CheckMiddlewareOptions } from './middleware.js';
export { MockError, type ErrorCode, type Place } from '../base/errors.js';
export type { Contract } from '../contract/contract.js';
export type {
  Coverage,
  CoverageCounts,
  CoverageDocument,
  CoverageItem,
  CoverageItemKind,
  CoverageKind,
  CoverageShare,
  OperationCoverage,
  RuleCoverage,
} from '../features/coverage/coverage.js';
export type { Violation, ViolationCode, ViolationPlace } from '../schema/violation.js';

/** Options of `loadContract` of `vouch/contract`. */
export interface CheckOptions extends Pick<LoadOptions, 'conventions' | 'overlays'> {
  /**
   * Counts which parts of the document the checked exchanges exercise, as mocks do.
   *
   * `folder` is where the counts are written for `vouch coverage`, default `coverage/vouch`; `false` writes none.
   */
  readonly coverage?: boolean | { readonly folder?: string | false };
}

/** A document that exchanges are checked against. */
export interface CheckedContract extends Contract, ContractChecks {
  /**
   * Which parts of the document the exchanges exercised until now whose responses were checked; also writes them to the folder.
   *
   * @throws MockError `OPTION_INVALID` without the option `coverage`, and where the folder cannot be written to.
   */
  coverage(): Coverage;
}

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
  options: CheckOptions = {},
): Promise<CheckedContract> {
  const { coverage = false, ...loading } = options;
  const contract = await load(spec, loading);
  if (coverage === false) return Object.freeze({ ...contract, ...createChecks(contract), coverage: refuseCoverage });
  const recorder = createCoverageRecorder(contract);
  const { folder = COVERAGE_FOLDER } = coverage === true ? {} : coverage;
  const writer = folder === false ? undefined : createCoverageWriter(recorder, folder);
  const checks = createChecks(contract, (exchange) => {
    recorder.addExchange(exchange);
    writer?.touch();
  });
  const read = (): Coverage => {
    writer?.close();
    return recorder.read();
  };
  return Object.freeze({ ...contract, ...checks, coverage: read });
}

function refuseCoverage(): never {
  const hint = 'switch it on: loadContract(spec, { coverage: true })';
  throw new MockError('OPTION_INVALID', 'the contract does not count its coverage', { hint });
}
