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
export function createOutlinedOperation(outline: OperationOutline, read: () => Operation): Operation {
  // The prototype has the other members.
  return new OutlinedOperation(outline, read) as object as Operation;
}

/** The members of an operation that are read when one of them is needed. */
const LATER = [
  'summary',
  'description',
  'tags',
  'deprecated',
  'parameters',
  'body',
  'responses',
  'security',
  'extensions',
  'streaming',
] as const satisfies readonly (keyof Operation)[];

/** What is known of an operation at first. The getters of the rest are those of the prototype: each operation with its own would take 1 kB more. */
class OutlinedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly basePaths: readonly string[];
  readonly pointer: string;
  readonly spanned: Operation['spanned'];
  readonly #read: () => Operation;
  /** Private to the language, so that it can be set where a user has frozen the operation. */
  #whole: Operation | undefined;

  constructor({ id, method, basePaths, pointer, key, isSpanned }: OperationOutline, read: () => Operation) {
    this.id = id;
    this.method = method;
    this.path = toPath(key);
    this.basePaths = basePaths;
    this.pointer = pointer;
    this.#read = read;
    this.spanned = isSpanned === true ? this.#all.spanned : undefined;
  }

  static {
    for (const name of LATER) {
      const get = function (this: OutlinedOperation): Operation[typeof name] {
        return this.#all[name];
      };
      Object.defineProperty(this.prototype, name, { get, enumerable: true });
    }
  }

  /** The operation as a whole. */
  get #all(): Operation {
    this.#whole ??= this.#read();
    return this.#whole;
  }

  /** The same operation below other base paths. */
  at(basePaths: readonly string[]): Operation {
    const { id, method, path, pointer, spanned } = this;
    const outline = { id, method, basePaths, pointer, key: path, isSpanned: spanned !== undefined };
    return createOutlinedOperation(outline, () => this.#all);
  }

  /** As JSON it is an object with all members. */
  toJSON(): Operation {
    return { ...this.#all, basePaths: this.basePaths };
  }
}

/** The operation with other base paths; what was not read of it is not read. */
export function withBasePaths(operation: Operation, basePaths: readonly string[]): Operation {
  return operation instanceof OutlinedOperation ? operation.at(basePaths) : { ...operation, basePaths };
}
