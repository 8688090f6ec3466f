import type { Violation, ViolationCode } from '../../schema/violation.js';

/** A place where the old mock broke the contract. */
export interface Break {
  /** A file and a JSON pointer. */
  readonly at: string;
  /** The name of the stub, or its request. */
  readonly stub: string;
  readonly operation?: string;
  readonly code: ViolationCode;
  readonly in: Violation['in'];
  /** A JSON pointer in the body or the name of a header. */
  readonly pointer: string;
  readonly message: string;
}
