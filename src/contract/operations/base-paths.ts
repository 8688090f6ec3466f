import { MockError } from '../../base/errors.js';
import { memoize } from '../../base/memoize.js';
import type { Contract } from '../contract.js';
import { withBasePaths } from './outline.js';

/** Where the operations of a document are served, if not below the paths of its `servers`. */
interface Placement {
  /** Replaces the paths of `servers`; empty for the root. */
  readonly basePath?: string | undefined;
  /** A path in front of the base paths. */
  readonly prefix?: string | undefined;
}

/** The contract with its operations below other paths. @throws MockError `OPTION_INVALID`. */
export function placeOperations(contract: Contract, { basePath, prefix }: Placement): Contract {
  const [own, front = ''] = [readPath('basePath', basePath), readPath('prefix', prefix)];
  if (own === undefined && front === '') return contract;
  // Most operations share the list of base paths, and share that of the new ones.
  const place = memoize((paths: readonly string[]) => paths.map((path) => front + path));
  const replaced = own === undefined ? undefined : [own];
  const operations = contract.operations.map((operation) =>
    withBasePaths(operation, place(replaced ?? operation.basePaths)),
  );
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  return { ...contract, operations, operation: (id) => byId.get(id) };
}

/** A path without a slash at its end. */
function readPath(name: keyof Placement, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (/^(?:(?:\/[^\s/?#{}]+)*\/?)$/.test(path)) return path.replace(/\/$/, '');
  const hint = 'start with a slash, without variables, query and fragment: "/api/v1"';
  throw new MockError('OPTION_INVALID', `the option "${name}" cannot be ${JSON.stringify(path)}`, { hint });
}
