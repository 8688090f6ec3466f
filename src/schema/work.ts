import { LimitError } from '../base/errors.js';
import type { IsValid } from './violation.js';

/**
 * The work that one request may cause. Schemas that refer to each other can be checked a number of times that grows exponentially with the
 * depth of a value or of the document, so their results are kept once there are many of them.
 */
export interface Work {
  /** Starts from zero, until the next `end` or `begin`. */
  begin(): void;
  /** Lets each check start from zero again. */
  end(): void;
  /** Starts from zero for one check, except between `begin` and `end`. */
  beginCheck(): void;
  /** Adds work, in calls of units. @throws LimitError beyond the limit. */
  spend(calls: number): void;
  /** Calls the check of a unit. @throws LimitError beyond the limit. */
  accepts(check: IsValid, value: unknown): boolean;
}

/** Calls of units after which their results are kept; ordinary requests stay below. */
const MANY_CALLS = 10_000;
/** The most calls of units for one request: that of 10 MB of small objects. */
const MAX_CALLS = 2_000_000;
/** The most results that are kept. */
const MAX_RESULTS = 20_000;

/** Creates the counter of one contract. */
export function createWork(): Work {
  let calls = 0;
  let isOpen = false;
  let size = 0;
  const results = new Map<IsValid, Map<unknown, boolean>>();
  const forget = (): void => {
    if (size > 0) results.clear();
    size = 0;
  };
  const reset = (): void => {
    calls = 0;
    forget();
  };
  const spend = (more: number): void => {
    calls += more;
    if (calls > MAX_CALLS) throw new LimitError('the value needs too many checks');
  };
  const acceptKept = (check: IsValid, value: unknown): boolean => {
    spend(0);
    const known = results.get(check)?.get(value);
    if (known !== undefined) return known;
    const isValid = check(value);
    if (size >= MAX_RESULTS) forget();
    const own = results.get(check) ?? new Map<unknown, boolean>();
    results.set(check, own.set(value, isValid));
    size++;
    return isValid;
  };
  return {
    begin: () => {
      reset();
      isOpen = true;
    },
    end: () => {
      isOpen = false;
    },
    beginCheck: () => {
      if (!isOpen) reset();
    },
    spend,
    accepts: (check, value) => (++calls <= MANY_CALLS ? check(value) : acceptKept(check, value)),
  };
}
