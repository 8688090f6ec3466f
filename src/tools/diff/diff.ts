import { addTo } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import type { Place } from '../../base/errors.js';
import { readEntries, readString } from '../../contract/pointer.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Direction } from '../../schema/violation.js';
import { type Change, type DiffCode, judge, SEVERITIES, type Severity } from './change.js';
import { type OperationChange, toPlainPath } from './operation-change.js';
import { compareOperation } from './operations.js';
import { comparePushed } from './pushed.js';
import { type ContractPair, createSchemaDiff } from './schemas.js';

/** A change of a contract, and what it means for clients. */
export interface DiffFinding {
  readonly code: DiffCode;
  readonly severity: Severity;
  /** What it concerns: what clients send, or what they receive. */
  readonly direction: Direction;
  /** The operations with this change, by `GET /path`, `webhook NAME` or `callback NAME of POST /path`; none for a change of the document as a whole. */
  readonly operations: readonly string[];
  /** The part of the first of them: `response 200 body /items`; empty for the operation as a whole. */
  readonly where: string;
  /** The change, in one sentence. */
  readonly message: string;
  /** The place in the old document; of something new, what it was added to. */
  readonly old: Place;
  /** The place in the new document; of something removed, what it was removed from. */
  readonly new: Place;
}

/** The changes between two contracts, the worst first. */
export interface ContractDiff {
  readonly findings: readonly DiffFinding[];
  /** The number of findings by severity. */
  readonly counts: Readonly<Record<Severity, number>>;
}

/** Compares two contracts: every change of what clients send and receive, each once, with the operations that have it. */
export function diffContracts(old: Contract, now: Contract): ContractDiff {
  const contracts: ContractPair = { old, now };
  const findings = toFindings(listChanges(contracts), contracts);
  const sorted = SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
  const count = (severity: Severity): number => sorted.filter((finding) => finding.severity === severity).length;
  return {
    findings: sorted,
    counts: { breaking: count('breaking'), risky: count('risky'), compatible: count('compatible') },
  };
}

/** A change with its operation; none for one of the document. */
interface LocatedChange extends OperationChange {
  readonly operation: string | undefined;
}

function listChanges(contracts: ContractPair): readonly LocatedChange[] {
  const { pairs, removed, added } = pairOperations(contracts);
  const schemas = createSchemaDiff(contracts);
  const toLocated = (operation: Operation, change: OperationChange): LocatedChange => {
    return { ...change, operation: toName(operation) };
  };
  return [
    ...compareServers(contracts),
    ...listRemoved(removed, contracts),
    ...pairs.flatMap((pair) => {
      return [...compareBasePaths(pair, contracts), ...compareOperation(pair, contracts, schemas)].map((change) =>
        toLocated(pair.now, change),
      );
    }),
    ...comparePushed(contracts, pairs, schemas),
    ...added.map((operation) => {
      const change: Change = {
        code: 'OPERATION_ADDED',
        text: 'the operation was added',
        old: '/paths',
        now: operation.pointer,
      };
      return toLocated(operation, { direction: 'request', where: '', change });
    }),
  ];
}

function toName({ method, path }: Operation): string {
  return `${method} ${path}`;
}

interface Operations {
  readonly pairs: readonly { readonly old: Operation; readonly now: Operation }[];
  readonly removed: readonly Operation[];
  readonly added: readonly Operation[];
}

function pairOperations({ old, now }: ContractPair): Operations {
  const byPath = new Map<string, Operation>();
  for (const operation of now.operations)
    // A part of a base path can be written in the paths instead.
    for (const key of listKeys(operation)) if (!byPath.has(key)) byPath.set(key, operation);
  const used = new Set<Operation>();
  const removed: Operation[] = [];
  const pairs = old.operations.flatMap((operation) => {
    const found = listKeys(operation).flatMap((key) => byPath.get(key) ?? []);
    const next = found.find((each) => !used.has(each));
    if (next === undefined) {
      removed.push(operation);
      return [];
    }
    used.add(next);
    return [{ old: operation, now: next }];
  });
  return { pairs, removed, added: now.operations.filter((operation) => !used.has(operation)) };
}

/** The method with the path, and with all paths below the servers; the names of parameters do not count. */
function listKeys({ method, path, basePaths }: Operation): readonly string[] {
  const plain = toPlainPath(path);
  return [`${method} ${plain}`, ...basePaths.map((base) => `${method} ${base}${plain}`)];
}

/** Operations that are gone; those of a path that is gone are one change. */
function listRemoved(removed: readonly Operation[], { now }: ContractPair): readonly LocatedChange[] {
  const byPath = new Map<string, Operation[]>();
  for (const operation of removed) addTo(byPath, operation.path, operation);
  const left = new Set(now.operations.map(({ path }) => toPlainPath(path)));
  return [...byPath].flatMap(([path, operations]) =>
    operations.map((operation): LocatedChange => {
      const moved = now.operation(operation.id);
      const more = moved === undefined ? '' : `; "${moved.id}" is ${toName(moved)} now`;
      const isWhole = !left.has(toPlainPath(path));
      const change: Change = {
        code: isWhole ? 'PATH_REMOVED' : 'OPERATION_REMOVED',
        text: `${isWhole ? `the path ${path}` : 'the operation'} was removed${more}`,
        old: isWhole ? operation.pointer.replace(/\/[^/]*$/, '') : operation.pointer,
        now: moved?.pointer ?? '/paths',
      };
      return { direction: 'request', where: '', change, operation: toName(operation) };
    }),
  );
}

function compareBasePaths(
  { old, now }: { readonly old: Operation; readonly now: Operation },
  contracts: ContractPair,
): readonly OperationChange[] {
  if (listServers(contracts.old).length === 0) return [];
  const listPaths = (operation: Operation): readonly string[] =>
    listBases(operation).map((base) => toPlainPath(base + operation.path));
  const kept = new Set(listPaths(now));
  const lost = listPaths(old).filter((path) => !kept.has(path));
  if (lost.length === 0) return [];
  const text = `the base paths were ${showPaths(old)} and are ${showPaths(now)}`;
  const change: Change = { code: 'BASE_PATH_REMOVED', text, old: '/servers', now: '/servers' };
  return [{ direction: 'request', where: 'the server', change }];
}

/** The base paths; the empty one is for requests to the mock, unless it is the only one. */
function listBases({ basePaths }: Operation): readonly string[] {
  return basePaths.length > 1 ? basePaths.filter((base) => base !== '') : basePaths;
}

function showPaths(operation: Operation): string {
  return listBases(operation)
    .map((base) => (base === '' ? '/' : base))
    .join(', ');
}

function compareServers(contracts: ContractPair): readonly LocatedChange[] {
  const [was, is] = [listServers(contracts.old), listServers(contracts.now)];
  const kept = new Set(is.map(readOrigin));
  const lost = [...new Set(was.map(readOrigin))].filter((origin) => origin !== undefined && !kept.has(origin));
  // A document without hosts can be served by any.
  if (![...kept].some((origin) => origin !== undefined)) return [];
  return lost.map((origin) => {
    const change: Change = { code: 'SERVER_REMOVED', text: `${origin} was removed`, old: '/servers', now: '/servers' };
    return { direction: 'request', where: 'servers', change, operation: undefined };
  });
}

function listServers({ document }: Contract): readonly string[] {
  return readEntries({ ...Object(document['servers']) }).flatMap(([, server]) => {
    return readString((server as { readonly url?: unknown } | null)?.url) ?? [];
  });
}

function readOrigin(url: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.exec(url)?.[0];
}

/** Each change once, with all its operations. */
function toFindings(changes: readonly LocatedChange[], { old, now }: ContractPair): readonly DiffFinding[] {
  const groups = new Map<string, LocatedChange[]>();
  for (const each of changes) {
    const { change, direction } = each;
    addTo(groups, JSON.stringify([change.code, direction, change.old, change.now, change.text]), each);
  }
  return [...groups.values()].flatMap((group): readonly DiffFinding[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { change, direction, where } = first;
    const operations = [...new Set(group.flatMap(({ operation }) => operation ?? []))];
    return [
      {
        code: change.code,
        severity: judge(change, direction),
        direction,
        operations,
        where,
        message: where === '' ? change.text : `${where}: ${change.text}`,
        old: old.locate(change.old),
        new: now.locate(change.now),
      },
    ];
  });
}
