import type { Contract } from '../contract/contract.js';
import { MockError, nearest } from '../errors.js';
import { type Owner, readOwner, type RecordingMode } from './mode.js';

/** Who answers which operation; can be changed while the mock runs. */
export interface Ownership {
  ownerOf(operation: string): Owner;
  /** Gives an operation, or all of them as `*`, to another owner. @throws MockError `OPTION_INVALID`. */
  give(operation: string, owner: Owner): void;
  /** The operations that were given away by name. */
  list(): Readonly<Record<string, Owner>>;
  /** Whether somebody named an owner: what has no recording then falls to the mock instead of being refused. */
  readonly isHybrid: boolean;
}

/** What ownership is made from. */
export interface OwnershipRequest {
  readonly mode: RecordingMode;
  readonly owners: Readonly<Record<string, string>> | undefined;
  /** On CI nothing is forwarded: what would be is replayed, and refused where there is no recording. */
  readonly strict: boolean;
  /** Whether there is somebody to forward to. */
  readonly canForward: boolean;
}

/** The owners that a mode means, with those named for single operations. @throws MockError `OPTION_INVALID`. */
export function createOwnership(contract: Contract, request: OwnershipRequest): Ownership {
  const { mode, owners, strict, canForward } = request;
  let rest: Owner = readDefault(mode);
  const named = new Map<string, Owner>();
  const give = (operation: string, owner: Owner): void => {
    if (!canForward && !strict && (owner === 'forward' || owner === 'forward-then-mock')) {
      throw new MockError('OPTION_INVALID', `"${operation}" cannot be forwarded: no upstream was named`, {
        hint: 'give the base URL of the server as `upstream`',
      });
    }
    if (operation === '*') {
      rest = owner;
      named.clear();
      return;
    }
    if (contract.operation(operation) === undefined) throw refuse(contract, operation);
    named.set(operation, owner);
  };
  const entries = Object.entries(owners ?? {}).toSorted(([x], [y]) => Number(y === '*') - Number(x === '*'));
  for (const [operation, owner] of entries) give(operation, readOwner(owner));
  return {
    ownerOf: (operation) => {
      const owner = named.get(operation) ?? rest;
      return strict && owner !== 'mock' ? 'replay' : owner;
    },
    give: (operation, owner) => give(operation, readOwner(owner)),
    list: () => ({ '*': rest, ...Object.fromEntries(named) }),
    isHybrid: entries.length > 0 && !strict,
  };
}

function readDefault(mode: RecordingMode): Owner {
  if (mode === 'off') return 'mock';
  return mode === 'record-all' ? 'forward' : 'replay';
}

function refuse(contract: Contract, operation: string): MockError {
  const ids = contract.operations.map(({ id }) => id);
  const meant = nearest(operation, ids);
  return new MockError('OPTION_INVALID', `operation "${operation}" is not in the contract`, {
    hint: meant === undefined ? `it has ${ids.slice(0, 10).join(', ')}` : `did you mean "${meant}"?`,
  });
}
