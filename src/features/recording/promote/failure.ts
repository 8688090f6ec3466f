import { isObject } from '../../../base/json.js';
import { means } from '../../../conventions/conventions.js';

/** Statuses with which services refuse for any reason. */
export const INVALID: ReadonlySet<number> = new Set([400, 422]);

/** Whether an answer says that its request failed: by its status, or in the body of a success. */
export function isFailure(status: number, body: unknown): boolean {
  if (status >= 400) return true;
  if (!isObject(body)) return false;
  const { error } = body;
  const isFlagged = Object.entries(body).some(([name, value]) => value === false && means(name, 'envelopes.success'));
  return isFlagged || (error !== undefined && error !== null && error !== false && error !== '' && error !== 0);
}
