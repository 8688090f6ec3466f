import { requireOptions } from '../base/errors.js';
import { type OperationNames, readOperationId } from '../journal/journal.js';
import { findUnexpected, type Finding, toVerifyError } from '../journal/verify.js';
import type { Scenarios } from '../features/scenario/scenarios.js';
import { type ConductOptions, type ConductParts, findConduct, type SessionVerifyOptions } from '../session/conduct.js';
import type { Session } from '../session/session.js';
import { replayOf } from '../features/recording/matching/replay-slot.js';
import { scenarioOf } from '../features/scenario/session-slot.js';

interface VerifyParts extends Pick<ConductParts, 'contract' | 'fieldsOf'> {
  readonly scenarios: Scenarios;
  readonly operations: OperationNames;
  /** The sessions in which scenarios that are active for every session may have applied. */
  readonly everySession?: readonly Session[];
}

/**
 * Verifies a session against the contract, its scenarios and its recordings.
 *
 * @throws MockError `VERIFY_FAILED` with every finding; `OPERATION_UNKNOWN`.
 */
export function verifySession(session: Session, parts: VerifyParts, options: SessionVerifyOptions = {}): void {
  requireOptions('verify', options, VERIFY_OPTIONS);
  const counts = Object.entries(options.calls ?? {});
  const calls = Object.fromEntries(counts.map(([name, count]) => [readOperationId(name, parts.operations), count]));
  const findings = findSessionViolations(session, parts.scenarios, { ...options, calls });
  const shared = options.unusedRules === false ? [] : findSharedUnused(session, parts);
  const all = [...findings, ...findSessionConduct(session, parts, options), ...shared];
  if (all.length > 0) throw toVerifyError(all);
}

const VERIFY_OPTIONS = [
  'calls',
  'ignore',
  'undeclared',
  'unusedRules',
  'missedRecordings',
  'conduct',
] as const satisfies readonly (keyof SessionVerifyOptions)[];

/** Checks only how the client of a session behaved. @throws MockError `VERIFY_FAILED` with every finding; `OPERATION_UNKNOWN`. */
export function checkConduct(session: Session, parts: VerifyParts, options: ConductOptions = {}): void {
  const { journal } = session;
  const isAll = Object.keys(options).length === 0;
  const findings = findConduct(journal.interactions, { ...parts, journal }, isAll ? true : options);
  if (findings.length > 0) throw toVerifyError(findings);
}

function findSessionConduct(
  { journal }: Session,
  parts: VerifyParts,
  { conduct = false, ignore }: SessionVerifyOptions,
): readonly Finding[] {
  if (conduct === false) return [];
  const interactions = journal.interactions.filter((interaction) => ignore?.(interaction) !== true);
  const findings = findConduct(interactions, { ...parts, journal }, conduct);
  // A request that no operation matches is reported already.
  return findings.filter(({ interaction }) => interaction?.operation !== undefined);
}

const MISS_HINT =
  'record the missing calls with mode "record-missing", or ignore what differs with recordings: { match }';

/** The findings of one session. */
export function findSessionViolations(
  session: Session,
  scenarios: Scenarios,
  options: SessionVerifyOptions,
): readonly Finding[] {
  const misses = options.missedRecordings === false ? [] : replayOf(session).misses;
  return [
    ...findUnexpected(session.journal, options),
    ...(options.unusedRules === false ? [] : findUnused(scenarioOf(session).active, scenarios, [session])),
    ...misses.map(({ message }) => ({ interaction: undefined, message, hint: MISS_HINT })),
  ];
}

/** Rules of the scenarios that are active for every session, and that applied in none of them. */
function findSharedUnused(session: Session, { scenarios, everySession }: VerifyParts): readonly Finding[] {
  if (everySession === undefined) return [];
  const shared = scenarios.active.filter((id) => !scenarioOf(session).active.includes(id));
  return findUnused(shared, scenarios, everySession);
}

/** Rules that never applied; inherited rules are not reported. */
function findUnused(ids: readonly string[], scenarios: Scenarios, sessions: readonly Session[]): readonly Finding[] {
  return ids.flatMap((id) =>
    (scenarios.get(id)?.rules ?? [])
      .filter(
        ({ key }) =>
          !key.includes(' < ') && sessions.every((session) => scenarioOf(session).counter(key).applied === 0),
      )
      .map(({ key, readPosition }) => ({
        interaction: undefined,
        message: `rule ${key} (${readPosition()}) never applied: no call matched`,
      })),
  );
}
