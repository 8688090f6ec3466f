import type { ProblemCode } from '../contract.js';
import type { ReferenceTarget } from '../load/references.js';

/** The version of the specification a file follows: 2.0, 3.0, or 3.1 and later. */
export type Dialect = 20 | 30 | 31;

/** A node as it is repaired: shallow copies are made of it, nothing is written into it. */
export type Node = Readonly<Record<string, unknown>>;

/** A mistake at the node that is being repaired. */
interface Mistake {
  readonly code?: ProblemCode;
  readonly severity?: 'error' | 'warning';
  readonly message: string;
  readonly assumed: string;
  /** The steps from the node to the mistake. */
  readonly inside?: readonly string[];
}

/** What a repair may know and tell about the place it works at. */
export interface Site {
  readonly dialect: Dialect;
  /** Notes a mistake; the code is `SCHEMA_REPAIRED` unless it says otherwise. */
  report(mistake: Mistake): void;
  /** Notes that what stands at `to` of the inner document came from `from` of the text, both in steps from this node. */
  moved(to: readonly string[], from: readonly string[]): void;
  /** What a reference written here leads to. */
  find(reference: string): ReferenceTarget | undefined;
  /** The reference of the inner document to the schema a reference written here leads to; reports it where there is none. */
  toInnerSchema(reference: string): string | undefined;
  /** A member of the root of the file, for the defaults Swagger 2.0 keeps there. */
  readRoot(name: string): unknown;
}

/** A copy without some members. */
export function omit(node: Node, ...names: readonly string[]): Record<string, unknown> {
  const copy = { ...node };
  for (const name of names) delete copy[name];
  return copy;
}

/** A value as it is quoted in a message, cut where it is long. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
