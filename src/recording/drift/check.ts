import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Router } from '../../contract/router/router.js';
import { nearest } from '../../errors.js';
import { listFields } from '../../http/header-fields.js';
import type { Call, CallDecoder } from '../../http/request/call.js';
import { writeTarget } from '../../http/target.js';
import type { Validators } from '../../schema/validate.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../cassette/exact-json.js';
import { loadBody, writeBody } from '../cassette/recorded-body.js';
import { createResponseCheck } from './conformance.js';
import { checkLists } from './list-check.js';

/** One thing that is wrong with a recording. */
export interface CheckFinding {
  /** The exchange's file; `cassette.json` for the whole. */
  readonly file: string;
  /** A `note` does not fail the check. */
  readonly severity: 'error' | 'note';
  readonly side: 'request' | 'response' | 'list' | 'cassette';
  readonly code: string;
  readonly message: string;
}

/** What recordings are checked with. */
interface CheckParts {
  readonly contract: Contract;
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly validators: Validators;
}

/** Checks every exchange of a cassette against the contract, and its lists against themselves. */
export async function checkCassette(cassette: Cassette, parts: CheckParts): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [...checkManifest(cassette, parts.contract)];
  const checkResponse = createResponseCheck(parts.validators);
  for (const exchange of cassette.exchanges) {
    const operation = parts.contract.operation(exchange.operation);
    if (operation === undefined) {
      findings.push(toUnknown(exchange, parts.contract));
      continue;
    }
    findings.push(...(await checkRequest(exchange, operation, { cassette, parts })));
    if (exchange.response === undefined) continue;
    const { response } = exchange;
    const { body } = loadBody(cassette.folder, response, response.headers);
    for (const { code, message } of checkResponse(operation, { ...response, body: toDoubles(body) })) {
      findings.push({ file: exchange.file, severity: 'error', side: 'response', code, message });
    }
  }
  return [...findings, ...checkLists(cassette)];
}

/** The findings as lines of text, file by file, and a line that counts them. */
export function formatCheck(cassette: Cassette, findings: readonly CheckFinding[]): readonly string[] {
  const lines = findings.map(
    ({ file, severity, side, code, message }) => `${severity}  ${file}  ${side}: ${message} (${code})`,
  );
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const total = `${cassette.exchanges.length} ${cassette.exchanges.length === 1 ? 'exchange' : 'exchanges'}`;
  return [...lines, errors === 0 ? `${total}: all fit the contract` : `${total}: ${errors} errors`];
}

function checkManifest(cassette: Cassette, contract: Contract): readonly CheckFinding[] {
  const recorded = cassette.manifest.contract;
  if (recorded.hash === contract.hash) return [];
  const message = `recorded with ${recorded.title} ${recorded.version}, and the contract has changed since`;
  return [{ file: 'cassette.json', severity: 'note', side: 'cassette', code: 'CONTRACT_CHANGED', message }];
}

function toUnknown({ file, operation }: StoredExchange, contract: Contract): CheckFinding {
  const meant = nearest(
    operation,
    contract.operations.map(({ id }) => id),
  );
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  const message = `operation "${operation}" is not in the contract${hint}`;
  return { file, severity: 'error', side: 'request', code: 'OPERATION_UNKNOWN', message };
}

async function checkRequest(
  exchange: StoredExchange,
  operation: Operation,
  { cassette, parts }: { readonly cassette: Cassette; readonly parts: CheckParts },
): Promise<readonly CheckFinding[]> {
  const { request, response, file } = exchange;
  const target = writeTarget(request);
  const url = new URL(target, 'http://recording');
  const match = parts.router.match(request.method, url.pathname, url.search);
  if (match.kind !== 'operation' || match.operation.id !== operation.id) {
    const found = match.kind === 'operation' ? match.operation.id : 'no operation';
    const message = `${request.method} ${target} is ${found} and not ${operation.id}`;
    return [{ file, severity: 'error', side: 'request', code: 'PATH_MISMATCH', message }];
  }
  const call = await decode(exchange, cassette, (wire) => parts.decoder.decode(operation, match.pathText, wire));
  // A request that was refused was recorded to show the refusal.
  const severity = response !== undefined && response.status >= 400 ? 'note' : 'error';
  return call.violations
    .filter((violation) => violation.severity === 'error')
    .map(({ code, message }) => ({ file, severity, side: 'request', code, message }));
}

async function decode(
  { request }: StoredExchange,
  { folder }: Cassette,
  read: (wire: Request) => Call | Promise<Call>,
): Promise<Call> {
  const headers = new Headers(listFields(request.headers));
  const bytes = writeBody(folder, request, request.headers);
  // The platform's Request takes no body with these.
  const bodiless = request.method === 'GET' || request.method === 'HEAD';
  const body = bytes === undefined || bodiless ? {} : { body: Buffer.from(bytes) };
  return read(
    new Request(new URL(writeTarget(request), 'http://recording'), { method: request.method, headers, ...body }),
  );
}
