import { addTo } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { type PushedOperation, readPushedOperations } from '../../contract/operations/path-item.js';
import type { Change } from './change.js';
import type { OperationChange, OperationPair } from './operation-change.js';
import { comparePushedOperation } from './operations.js';
import type { ContractPair, SchemaDiff } from './schemas.js';

/** A change of a webhook or of a callback, with its name. */
interface PushedChange extends OperationChange {
  readonly operation: string;
}

/** Compares the webhooks of two contracts, and the callbacks of the operations that both have. */
export function comparePushed(
  contracts: ContractPair,
  pairs: readonly OperationPair[],
  schemas: SchemaDiff,
): readonly PushedChange[] {
  const [was, is] = [groupByOwner(contracts.old), groupByOwner(contracts.now)];
  const owners = [{ old: undefined, now: undefined }, ...pairs];
  return owners.flatMap(({ old, now }) => {
    const groups = { old: was.get(old) ?? [], now: is.get(now) ?? [] };
    return compareGroups(groups, { old: old?.pointer ?? WEBHOOKS, now: now?.pointer ?? WEBHOOKS }, schemas);
  });
}

const WEBHOOKS = '/webhooks';

function groupByOwner({ document, operations }: Contract): ReadonlyMap<Operation | undefined, PushedOperation[]> {
  const groups = new Map<Operation | undefined, PushedOperation[]>();
  for (const each of readPushedOperations(document, operations)) addTo(groups, each.owner, each);
  return groups;
}

/** @param parents - The pointers of what declares them. */
function compareGroups(
  { old, now }: { readonly old: readonly PushedOperation[]; readonly now: readonly PushedOperation[] },
  parents: Pick<Change, 'now' | 'old'>,
  schemas: SchemaDiff,
): readonly PushedChange[] {
  const left = new Set(now);
  const take = (before: PushedOperation): PushedOperation | undefined => {
    const named = [...left].filter(
      (each) => each.name === before.name && each.operation.method === before.operation.method,
    );
    // A callback can be called at several URLs; one that is left has another URL now.
    const isFree = ({ url }: PushedOperation): boolean =>
      !old.some((each) => each.name === before.name && each.url === url);
    const next = named.find(({ url }) => url === before.url) ?? named.find(isFree);
    if (next !== undefined) left.delete(next);
    return next;
  };
  const kept = old.flatMap((before): readonly PushedChange[] => {
    const next = take(before);
    const operation = toName(next ?? before);
    if (next === undefined)
      return [toChange('OPERATION_REMOVED', before, { ...parents, old: before.operation.pointer })];
    const pair = { old: before.operation, now: next.operation };
    const changes = comparePushedOperation(pair, schemas).map((change) => ({ ...change, operation }));
    return before.url === next.url ? changes : [toMoved(before, next), ...changes];
  });
  const added = [...left].map((each) => toChange('OPERATION_ADDED', each, { ...parents, now: each.operation.pointer }));
  return [...kept, ...added];
}

function toName({ name, owner }: PushedOperation): string {
  return owner === undefined ? `webhook ${name}` : `callback ${name} of ${owner.method} ${owner.path}`;
}

function toChange(
  code: 'OPERATION_ADDED' | 'OPERATION_REMOVED',
  pushed: PushedOperation,
  at: Pick<Change, 'now' | 'old'>,
): PushedChange {
  const what = pushed.owner === undefined ? 'the webhook' : 'the callback';
  const text = `${what} was ${code === 'OPERATION_ADDED' ? 'added' : 'removed'}`;
  return { direction: 'response', where: '', change: { code, text, ...at }, operation: toName(pushed) };
}

function toMoved(before: PushedOperation, next: PushedOperation): PushedChange {
  const text = `its URL was ${before.url} and is ${next.url}`;
  const at = { old: before.operation.pointer, now: next.operation.pointer };
  return { direction: 'request', where: '', change: { code: 'CALLBACK_MOVED', text, ...at }, operation: toName(next) };
}
