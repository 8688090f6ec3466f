import type { Operation } from './operation.js';

/** The id of the operation of requests outside of the contract. */
export const UNDOCUMENTED = '*';

/** Whether an operation is the one of requests outside of the contract. */
export function isUndocumented({ id }: Pick<Operation, 'id'>): boolean {
  return id === UNDOCUMENTED;
}

/** Creates the operation of requests outside of the contract: it declares nothing, so that it accepts and answers everything. */
export function createUndocumentedOperation(operations: readonly Operation[]): Operation {
  const basePaths = new Set(['', ...operations.flatMap((operation) => operation.basePaths)]);
  return {
    id: UNDOCUMENTED,
    method: UNDOCUMENTED,
    path: UNDOCUMENTED,
    // The longest first, so that a request is not found below a shorter one.
    basePaths: [...basePaths].toSorted((one, other) => other.length - one.length),
    pointer: '',
    summary: undefined,
    description: undefined,
    tags: [],
    deprecated: false,
    parameters: [],
    body: undefined,
    responses: [],
    streaming: undefined,
    security: [],
    extensions: {},
  };
}
