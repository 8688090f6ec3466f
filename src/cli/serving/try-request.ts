import { URL } from 'node:url';
import { createGenerator } from '../../generate/generate.js';
import { draftRequest, toRequest } from '../../features/inspector/sample-request.js';
import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { findSuccessMedia } from '../../contract/operations/responses.js';
import { isJsonType } from '../../contract/media-type.js';
import { createValidators } from '../../schema/validate.js';
import { writeCurl } from '../../tools/verify/finding.js';

/** A command that asks a mock for something that exists: a list, else an item; undefined for a document without such an operation. */
export function writeTryCommand(contract: Contract, baseUrl: string): string | undefined {
  const [operation] = contract.operations
    .filter(({ method }) => method === 'GET')
    .toSorted((one, other) => rank(one) - rank(other));
  if (operation === undefined) return undefined;
  const generator = createGenerator(contract, createValidators(contract));
  const request = toRequest(draftRequest(contract, generator, operation));
  const { pathname, search } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  return writeCurl({ method: 'GET', target: pathname + search, headers, body: undefined }, baseUrl);
}

/** Operations that need nothing come first: no item whose id has to be known, few parameters, JSON that a terminal shows. */
function rank(operation: Operation): number {
  const { parameters, security } = operation;
  const needed = parameters.filter(({ required }) => required);
  const isJson = isJsonType(findSuccessMedia(operation)?.type ?? '');
  const inPath = needed.filter((parameter) => parameter.in === 'path').length;
  return (isJson ? 0 : 1000) + 100 * inPath + 10 * needed.length + (security.length > 0 ? 1 : 0);
}
