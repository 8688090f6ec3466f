import type { Operation } from '../../contract/operations/operation.js';
import type { Direction } from '../../schema/violation.js';
import type { Change } from './change.js';
import type { ValuePair } from './schemas.js';

/** A change of one operation. */
export interface OperationChange {
  readonly direction: Direction;
  /** The part of the request or of the response: `response 200 body /items`; empty for the operation as a whole. */
  readonly where: string;
  readonly change: Change;
}

/** An operation before and after a change. */
export interface OperationPair {
  readonly old: Operation;
  readonly now: Operation;
}

/** Compares values in a part of requests or responses. */
export type CompareValue = (pair: ValuePair, where: string) => readonly OperationChange[];

/** A path without the names of its parameters, which clients do not see. */
export function toPlainPath(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}');
}
