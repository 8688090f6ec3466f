import { memoize } from '../../base/memoize.js';
import type { Operation } from './operation.js';

/** The members that find and name an operation; the cache has them, so that a start reads only the operations that are called. */
export interface OperationOutline extends Pick<Operation, 'id' | 'method' | 'basePaths' | 'pointer'> {
  /** The key under `paths`. */
  readonly key: string;
  /** Whether parameters of its path take several segments. */
  readonly isSpanned?: boolean;
  /** Whether it declares errors only, so that its success is assumed. */
  readonly isAssumed?: boolean;
}

/** The outline of an operation. @param keys - The keys under `paths`. */
export function outlineOperation(operation: Operation, keys: ReadonlySet<string>): OperationOutline {
  const { id, method, path, basePaths, pointer, spanned, responses } = operation;
  // A path without a slash at its start got one.
  const key = keys.has(path) ? path : path.slice(1);
  const outline = { id, method, basePaths, pointer, key };
  return {
    ...outline,
    ...(spanned !== undefined && { isSpanned: true }),
    ...(responses.some(({ isAssumed }) => isAssumed) && { isAssumed: true }),
  };
}

/** The path of a key under `paths`. */
export function toPath(key: string): string {
  return key.startsWith('/') ? key : `/${key}`;
}

/** Creates an operation from its outline; the other members are read when one of them is needed. @param read - Reads it as a whole. */
export function createOutlinedOperation(
  { id, method, basePaths, pointer, key, isSpanned }: OperationOutline,
  read: () => Operation,
): Operation {
  const known = memoize<undefined, Operation>(read);
  return {
    id,
    method,
    path: toPath(key),
    spanned: isSpanned === true ? known(undefined).spanned : undefined,
    basePaths,
    pointer,
    get summary() {
      return known(undefined).summary;
    },
    get description() {
      return known(undefined).description;
    },
    get tags() {
      return known(undefined).tags;
    },
    get deprecated() {
      return known(undefined).deprecated;
    },
    get parameters() {
      return known(undefined).parameters;
    },
    get body() {
      return known(undefined).body;
    },
    get responses() {
      return known(undefined).responses;
    },
    get security() {
      return known(undefined).security;
    },
    get extensions() {
      return known(undefined).extensions;
    },
    get streaming() {
      return known(undefined).streaming;
    },
  };
}

/** A copy of an operation with other base paths; what was not read of it is not read. */
export function withBasePaths(operation: Operation, basePaths: readonly string[]): Operation {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(operation));
  // It has the properties of an operation.
  return Object.defineProperty(copy, 'basePaths', { value: basePaths }) as Operation;
}
