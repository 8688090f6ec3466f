import { MockError } from '../errors.js';

/** A mistake as the command line shows it; anything unexpected with its stack, for a report. */
export function describeFailure(error: unknown): string {
  if (error instanceof MockError) return error.toString();
  return `vouch failed unexpectedly; please report this:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
