import { memoize } from '../../memoize.js';
import type { Operation } from './operation.js';

/** What finds an operation and names it; the cache has it, so that a start reads only the operations that are called. */
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

/** What is not in an outline. */
const REST = [
  ...(['summary', 'description', 'tags', 'deprecated', 'parameters', 'body'] as const),
  ...(['responses', 'security', 'extensions', 'streaming'] as const),
];

/** An operation of which no more than its outline is known, until something else of it is needed. @param read - Reads it as a whole. */
export function createOutlinedOperation(
  { id, method, basePaths, pointer, key, isSpanned }: OperationOutline,
  read: () => Operation,
): Operation {
  const known = memoize<undefined, Operation>(read);
  const spanned = isSpanned === true ? known(undefined).spanned : undefined;
  const rest = REST.map((name) => [name, { get: () => known(undefined)[name], enumerable: true, configurable: true }]);
  // It has the properties of an operation.
  return Object.defineProperties(
    { id, method, path: toPath(key), spanned, basePaths, pointer },
    Object.fromEntries(rest) as PropertyDescriptorMap,
  ) as Operation;
}

/** A copy of an operation with other base paths; what was not read of it is not read. */
export function withBasePaths(operation: Operation, basePaths: readonly string[]): Operation {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(operation));
  // It has the properties of an operation.
  return Object.defineProperty(copy, 'basePaths', { value: basePaths }) as Operation;
}
