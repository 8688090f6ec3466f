import { checkOperation } from '../journal/journal.js';
import { findDepartures, type Finding, toVerifyError, type VerifyOptions } from '../journal/verify.js';
import type { Scenarios } from '../scenario/scenarios.js';
import type { Session } from './session.js';

/** What a session is held against besides the contract. */
export interface SessionVerifyOptions extends VerifyOptions {
  /** Whether a rule of one of the session's own scenarios that never applied is a finding; default true. */
  readonly unusedRules?: boolean;
}

/**
 * Holds a session against the contract and its scenarios.
 *
 * @throws MockError `VERIFY_FAILED` with every departure of the client, every count that is not as it should be, and every rule
 *   that a test activated and no call met; `OPERATION_UNKNOWN`.
 */
export function verifySession(
  session: Session,
  parts: { readonly scenarios: Scenarios; readonly operations: readonly string[] },
  options: SessionVerifyOptions = {},
): void {
  for (const operation of Object.keys(options.calls ?? {})) checkOperation(operation, parts.operations);
  const findings = findSessionDepartures(session, parts.scenarios, options);
  if (findings.length > 0) throw toVerifyError(findings);
}

/** The same as a list. */
export function findSessionDepartures(
  session: Session,
  scenarios: Scenarios,
  options: SessionVerifyOptions,
): readonly Finding[] {
  const findings = findDepartures(session.journal, options);
  return options.unusedRules === false ? findings : [...findings, ...findUnused(session, scenarios)];
}

/** Rules of the session's own scenarios that no call met; those that scenarios inherit are not the test's own. */
function findUnused({ scenario }: Session, scenarios: Scenarios): readonly Finding[] {
  return scenario.active.flatMap((id) => {
    const definition = scenarios.get(id);
    return (definition?.rules ?? [])
      .filter((rule) => !rule.key.includes(' < ') && scenario.counter(rule.key).applied === 0)
      .map((rule) => ({
        interaction: undefined,
        message: `rule ${rule.key} (${rule.position}) never applied: no call met it`,
      }));
  });
}
