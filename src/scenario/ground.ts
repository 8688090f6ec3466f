import type { Contract } from '../contract/contract.js';
import type { Operation } from '../contract/operations/operation.js';
import type { Violation, ViolationPlace } from '../schema/violation.js';

/** What scenarios are checked against. */
export interface Ground {
  readonly contract: Contract;
  /** The check of one schema; the same one every time. */
  check(
    schemaPointer: string,
    direction: 'request' | 'response',
  ): (value: unknown, place: ViolationPlace) => readonly Violation[];
  /** A partial value made whole, with some fixed seed. */
  complete(schemaPointer: string, partial: unknown): unknown;
  readonly collections: readonly CollectionShape[];
}

/** A collection that scenarios may change. */
export interface CollectionShape {
  readonly name: string;
  /** Where the schema of its items stands; undefined where nobody knows. */
  readonly schemaPointer: string | undefined;
}

/** What a rule is read with. */
export interface Reading {
  readonly ground: Ground;
  /** The operations the rule speaks of: one, or all of them for `*`. */
  readonly operations: readonly Operation[];
  /** Whether the rule says that it breaks the contract on purpose. */
  readonly violates: boolean;
  /** Names of vars that the scenario, one it extends, or one of its rules sets. */
  readonly vars: ReadonlySet<string>;
}
