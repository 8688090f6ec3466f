import type { Contract } from '../../contract/contract.js';
import { MockError, suggest } from '../../base/errors.js';

/**
 * How recordings are used: `replay` answers from them, `record-missing` forwards and records calls without a recording,
 * `record-all` forwards and records every call, `once` records a cassette that does not exist and replays one that does, `off` ignores them.
 */
export type RecordingMode = 'replay' | 'record-missing' | 'record-all' | 'once' | 'off';

/**
 * Who answers an operation: the mock itself, the recordings, the upstream, the upstream with the mock for what it does not
 * have (404, 501) or if it cannot be reached, or the upstream with the mock for what it does not implement (501).
 */
export type Owner = 'mock' | 'replay' | 'forward' | 'forward-then-mock' | 'forward-except-501';

/** Every recording mode. */
export const RECORDING_MODES: readonly RecordingMode[] = ['replay', 'record-missing', 'record-all', 'once', 'off'];

/** Every owner of an operation. */
export const OWNERS: readonly Owner[] = ['mock', 'replay', 'forward', 'forward-then-mock', 'forward-except-501'];

/** The inputs that determine the mode. */
export interface ModeRequest {
  /** Defaults to the variable `VOUCH_RECORDINGS`, then to `replay`. */
  readonly mode: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a CI run may call the upstream. */
  readonly live: boolean;
}

/** The effective mode: on CI (`CI=true`) every mode but `off` is `replay`, unless `live`. @throws MockError `OPTION_INVALID`. */
export function readMode({ mode, environment, live }: ModeRequest): RecordingMode {
  const given = readWord(mode ?? environment['VOUCH_RECORDINGS'] ?? 'replay', RECORDING_MODES, 'recording mode');
  return given !== 'off' && !live && isCi(environment) ? 'replay' : given;
}

/** Whether this is a CI run. */
export function isCi(environment: Readonly<Record<string, string | undefined>>): boolean {
  const value = environment['CI']?.toLowerCase();
  return value === 'true' || value === '1';
}

/** Whether a mode can write to a cassette. */
export function isRecording(mode: RecordingMode): boolean {
  return mode === 'record-all' || mode === 'record-missing' || mode === 'once';
}

function readWord<T extends string>(word: string, words: readonly T[], noun: string): T {
  const found = words.find((known) => known === word);
  if (found !== undefined) return found;
  const hint = suggest(word, words) ?? `use one of ${words.join(', ')}`;
  throw new MockError('OPTION_INVALID', `"${word}" is not a valid ${noun}`, { hint });
}

/** The owners of the operations of one mock, which can change while it runs. */
export interface OperationOwners {
  ownerOf(operation: string): Owner;
  /** Assigns an operation, or all of them as `*`, to an owner. @throws MockError `OPTION_INVALID`. */
  assign(operation: string, owner: Owner): void;
  /** Assigns several operations; `*` first, because it resets the others. @throws MockError `OPTION_INVALID`. */
  assignAll(owners: Readonly<Record<string, string>>): void;
  /** The assigned operations by id, and the owner of the others as `*`. */
  list(): Readonly<Record<string, Owner>>;
  /** Whether calls without a recording fall through to the mock, which is so if owners were configured. */
  readonly isHybrid: boolean;
}

interface OwnersRequest {
  readonly mode: RecordingMode;
  readonly owners: Readonly<Record<string, string>> | undefined;
  /** Whether every operation that the mock does not own is replayed, as on CI. */
  readonly strict: boolean;
  /** Whether there is an upstream. */
  readonly canForward: boolean;
}

/** Creates the owners of a mode, with those configured for single operations. @throws MockError `OPTION_INVALID`. */
export function createOwners(contract: Contract, request: OwnersRequest): OperationOwners {
  const { mode, strict, canForward } = request;
  let rest: Owner = mode === 'off' ? 'mock' : mode === 'record-all' ? 'forward' : 'replay';
  const assigned = new Map<string, Owner>();
  const assign = (operation: string, name: string): void => {
    const owner = readWord(name, OWNERS, 'owner');
    if (!canForward && !strict && owner.startsWith('forward')) {
      const hint = 'set `upstream` to the base URL of the server';
      throw new MockError('OPTION_INVALID', `"${operation}" cannot be forwarded without an upstream`, { hint });
    }
    if (operation === '*') {
      rest = owner;
      assigned.clear();
      return;
    }
    if (contract.operation(operation) === undefined) {
      const ids = contract.operations.map(({ id }) => id);
      const hint = suggest(operation, ids) ?? `it has ${ids.slice(0, 10).join(', ')}`;
      throw new MockError('OPTION_INVALID', `operation "${operation}" is not in the contract`, { hint });
    }
    assigned.set(operation, owner);
  };
  const assignAll = (owners: Readonly<Record<string, string>>): void => {
    const entries = Object.entries(owners).toSorted(([x], [y]) => Number(y === '*') - Number(x === '*'));
    for (const [operation, owner] of entries) assign(operation, owner);
  };
  assignAll(request.owners ?? {});
  return {
    ownerOf: (operation) => {
      const owner = assigned.get(operation) ?? rest;
      return strict && owner !== 'mock' ? 'replay' : owner;
    },
    assign,
    assignAll,
    list: () => ({ '*': rest, ...Object.fromEntries(assigned) }),
    isHybrid: Object.keys(request.owners ?? {}).length > 0 && !strict,
  };
}
