import { isEqualJson } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import type { DeclaredResponse } from '../../contract/operations/operation.js';
import { fromReference, readString, toPointer } from '../../contract/pointer.js';
import type { Change } from './change.js';
import { type OperationChange, type OperationPair, toPlainPath } from './operation-change.js';
import type { ContractPair } from './schemas.js';

/** Compares the links of the responses that both documents have. */
export function compareLinks({ old, now }: OperationPair, contracts: ContractPair): readonly OperationChange[] {
  return old.responses.flatMap((response) => {
    const next = now.responses.find(({ status }) => status === response.status);
    if (next === undefined) return [];
    const names = new Set([...Object.keys(response.links), ...Object.keys(next.links)]);
    return [...names].flatMap((name): readonly OperationChange[] => {
      const change = compareLink(name, { old: response, now: next }, contracts);
      return change === undefined ? [] : [{ direction: 'response', where: toWhere(response, name), change }];
    });
  });
}

function toWhere({ status }: DeclaredResponse, name: string): string {
  return `response ${status} link "${name}"`;
}

function compareLink(
  name: string,
  { old, now }: { readonly old: DeclaredResponse; readonly now: DeclaredResponse },
  contracts: ContractPair,
): Change | undefined {
  const [was, is] = [old.links[name], now.links[name]];
  const pointer = toPointer('links', name);
  if (was === undefined)
    return { code: 'LINK_ADDED', text: 'it was added', old: old.pointer, now: now.pointer + pointer };
  if (is === undefined)
    return { code: 'LINK_REMOVED', text: 'it was removed', old: old.pointer + pointer, now: now.pointer };
  const [from, to] = [readTarget(was, contracts.old), readTarget(is, contracts.now)];
  const at = { old: old.pointer + pointer, now: now.pointer + pointer };
  if (from !== to) return { ...at, code: 'LINK_CHANGED', text: `it led to ${from} and leads to ${to}` };
  const isSame = ['parameters', 'requestBody', 'server'].every((member) => isEqualJson(was[member], is[member]));
  return isSame ? undefined : { ...at, code: 'LINK_CHANGED', text: 'it has other values for the next request' };
}

/** The operation that a link leads to, whatever its `operationId` and its parameters are called. */
function readTarget(link: Readonly<Record<string, unknown>>, contract: Contract): string {
  const [id, reference] = [readString(link['operationId']), readString(link['operationRef'])];
  const pointer = fromReference(reference);
  const found =
    id === undefined ? contract.operations.find((each) => each.pointer === pointer) : contract.operation(id);
  if (found === undefined) return id ?? reference ?? 'no operation';
  return `${found.method} ${toPlainPath(found.path)}`;
}
