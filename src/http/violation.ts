import type { ViolationCode } from './violation-codes.js';

/** The place in a call or an answer that a violation speaks of. */
export type ViolationPlace = 'path' | 'query' | 'header' | 'cookie' | 'body' | 'security' | 'method' | 'status';

/** One departure from the contract, in a call or in an answer. */
export interface Violation {
  /** Stable; `vouch explain CODE` tells more. */
  readonly code: ViolationCode;
  /** `error` refuses a call; `note` is only remembered. */
  readonly severity: 'error' | 'note';
  readonly in: ViolationPlace;
  /** The place inside, as a JSON pointer: `/name` in the body, `/limit` in the query. */
  readonly pointer: string;
  /** A whole sentence without its full stop, that names the place in words: `query parameter "limit" must be at least 1, not 0`. */
  readonly message: string;
  /** Who departed from the contract. */
  readonly by: 'client' | 'contract' | 'mock' | 'upstream';
  /** Where the rule stands in the inner document. */
  readonly schemaPointer?: string;
  /** The status this calls for, where it is not simply "invalid request": 401, 403, 406, 413, 415. */
  readonly status?: number;
  /** For a 401: what `WWW-Authenticate` says of the scheme (RFC 9110 11.6.1). */
  readonly challenge?: string;
}

/** What a check of valid data returns, every time the same. */
export const NO_VIOLATIONS: readonly Violation[] = Object.freeze([]);
