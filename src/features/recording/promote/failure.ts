import { isObject, readMember } from '../../../base/json.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { means } from '../../../conventions/conventions.js';

/** Statuses with which services refuse for any reason. */
export const INVALID: ReadonlySet<number> = new Set([400, 422]);

/** A cassette, and which of its requests failed, as their answers say. */
export interface JudgedCassette extends Cassette {
  hasFailed(exchange: StoredExchange): boolean;
}

/** A request and its answer. */
interface Call {
  readonly sent: Item;
  readonly shown: Item;
  readonly status: number;
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Creates the check whether one of the calls of a method failed: also one with parameters whose result is `null` where others have an object, or
 * `false` where others have `true`.
 */
export function createFailureCheck(calls: readonly Call[]): (call: Call) => boolean {
  const hasOther = (name: string, test: (value: unknown) => boolean): boolean =>
    !means(name, 'envelopes.failure') && calls.some(({ shown }) => test(readMember(shown, name)));
  const isNothing = ([name, value]: readonly [string, unknown]): boolean =>
    (value === null && hasOther(name, isObject)) || (value === false && hasOther(name, (other) => other === true));
  const hasParameters = ({ sent }: Call): boolean =>
    Object.entries(sent).some(
      ([name, value]) => means(name, 'envelopes.parameters') && Object.keys(value ?? {}).length > 0,
    );
  return (call) =>
    isFailure(call.status, call.shown) || (hasParameters(call) && Object.entries(call.shown).some(isNothing));
}

/** Whether an answer says that its request failed: by its status, or in the body of a success. */
export function isFailure(status: number, body: unknown): boolean {
  if (status >= 400) return true;
  if (!isObject(body)) return false;
  const { error } = body;
  const isFlagged = Object.entries(body).some(([name, value]) => value === false && means(name, 'envelopes.success'));
  return isFlagged || (error !== undefined && error !== null && error !== false && error !== '' && error !== 0);
}
