import { createResponseCheck } from '../../../http/response/response-check.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { UNDOCUMENTED } from '../../../contract/operations/undocumented.js';
import { suggest, countOf } from '../../../base/errors.js';
import { writeTarget } from '../../../http/target.js';
import { listErrors } from '../../../schema/violation.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../../../base/exact-json.js';
import { loadBody, toRequest, writeBody } from '../cassette/recorded-body.js';
import { type CallParts, matchRequest } from '../matching/exchange-index.js';
import { checkLists } from './lists.js';

/** One problem of a recording. */
interface CheckFinding {
  /** The file of the exchange, or `cassette.json`. */
  readonly file: string;
  /** A `note` does not fail the check. */
  readonly severity: 'error' | 'note';
  readonly side: 'request' | 'response' | 'list' | 'cassette';
  readonly code: string;
  readonly message: string;
}

/** Validates every exchange of a cassette against the contract, and the pages of its lists against each other. */
export async function checkCassette(cassette: Cassette, parts: CallParts): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  const { contract: recorded } = cassette.manifest;
  if (recorded.hash !== parts.contract.hash) {
    const message = `recorded with ${recorded.title} ${recorded.version}; the contract has changed since`;
    findings.push({ file: 'cassette.json', severity: 'note', side: 'cassette', code: 'CONTRACT_CHANGED', message });
  }
  const checkResponse = createResponseCheck(parts.validators);
  for (const exchange of cassette.exchanges) {
    const { file, response } = exchange;
    const operation = parts.contract.operation(exchange.operation);
    if (exchange.operation === UNDOCUMENTED) {
      findings.push(...(await checkUndocumented(exchange, { cassette, parts })));
      continue;
    }
    if (operation === undefined) {
      const ids = parts.contract.operations.map(({ id }) => id);
      const hints = [`operation "${exchange.operation}" is not in the contract`, suggest(exchange.operation, ids)];
      const message = hints.filter((hint) => hint !== undefined).join('; ');
      findings.push({ file, severity: 'error', side: 'request', code: 'OPERATION_UNKNOWN', message });
      continue;
    }
    findings.push(...(await checkRequest(exchange, operation, { cassette, parts })));
    if (response === undefined) continue;
    const { body } = loadBody(cassette.folder, response);
    for (const { code, message } of checkResponse(operation, { ...response, body: toDoubles(body) })) {
      findings.push({ file, severity: 'error', side: 'response', code, message });
    }
  }
  for (const error of checkLists(cassette)) findings.push({ ...error, severity: 'error', side: 'list' });
  return findings;
}

/** An endpoint that the API has and the contract does not; a note if the API does not have it either. */
async function checkUndocumented(
  exchange: StoredExchange,
  { cassette, parts }: { readonly cassette: Cassette; readonly parts: CallParts },
): Promise<readonly CheckFinding[]> {
  const { request, response, file } = exchange;
  const match = matchRequest(toRequest(request, writeTarget(request), undefined), parts.router);
  // The contract has it now.
  if (match.kind === 'operation') return checkRequest(exchange, match.operation, { cassette, parts });
  const status = response?.status ?? 404;
  const severity = status === 404 || status === 405 || status === 501 ? 'note' : 'error';
  const message = `${request.method} ${request.path} is undocumented: the contract has no such operation; the API answered ${status}`;
  return [{ file, severity, side: 'request', code: 'UNDOCUMENTED', message }];
}

/** The findings as lines of text, followed by their count. */
export function formatCheck(cassette: Cassette, findings: readonly CheckFinding[]): readonly string[] {
  const lines = findings.map((finding) => {
    return `${finding.severity}  ${finding.file}  ${finding.side}: ${finding.message} (${finding.code})`;
  });
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const result = errors === 0 ? 'all valid' : countOf(errors, 'error');
  return [...lines, `${countOf(cassette.exchanges.length, 'exchange')}: ${result}`];
}

async function checkRequest(
  { request, response, file }: StoredExchange,
  operation: Operation,
  { cassette, parts }: { readonly cassette: Cassette; readonly parts: CallParts },
): Promise<readonly CheckFinding[]> {
  const target = writeTarget(request);
  const wire = toRequest(request, target, writeBody(cassette.folder, request));
  const match = matchRequest(wire, parts.router);
  if (match.kind !== 'operation' || match.operation.id !== operation.id) {
    const found = match.kind === 'operation' ? match.operation.id : 'no operation';
    const message = `${request.method} ${target} matches ${found}, not ${operation.id}`;
    return [{ file, severity: 'error', side: 'request', code: 'PATH_MISMATCH', message }];
  }
  const { pathText, isFormOfGet } = match;
  const call = await parts.decoder.decode({ operation, pathText, isFormOfGet, request: wire });
  // A recorded refusal is expected to have an invalid request.
  const severity = response !== undefined && response.status >= 400 ? 'note' : 'error';
  return listErrors(call.violations).map(({ code, message }) => ({ file, severity, side: 'request', code, message }));
}
