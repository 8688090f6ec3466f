import type { Clock } from './clock.js';
import type { Contract } from './contract/contract.js';
import type { Validators } from './schema/validate.js';
import { readCount, readScenarioIds, type MockOptions } from './mock-options.js';
import type { Scenarios } from './scenario/scenarios.js';
import { readReserved } from './session/choice.js';
import type { CollectionEditors } from './session/collections.js';
import { createInteractionRedactor } from './session/redact-interaction.js';
import { createSession, type Session } from './session/session.js';
import { createSessionClocks } from './session/session-clock.js';
import { createSessions, type Sessions } from './session/sessions.js';
import { createStore, type StoreDefinition } from './state/store/store.js';

/** What the sessions of one mock share. */
export interface SessionsGround {
  readonly contract: Contract;
  readonly seed: number;
  readonly validators: Validators;
  readonly scenarios: Scenarios;
  readonly definition: StoreDefinition;
  readonly editors: CollectionEditors;
}

const DEFAULT_JOURNAL_LIMIT = 1000;
const DEFAULT_IDLE_MS = 30 * 60 * 1000;
const DEFAULT_MAXIMUM_SESSIONS = 10_000;

/** The sessions of a mock, with nothing but the default one open. @throws MockError `OPTION_INVALID`, `SCENARIO_UNKNOWN`. */
export function openSessions(parts: SessionsGround, options: MockOptions): Sessions {
  const { contract, seed, validators, scenarios, definition, editors } = parts;
  const { operations, securitySchemes } = contract;
  const sessionParts = {
    seed,
    journalLimit: readCount('journalLimit', options.journalLimit, DEFAULT_JOURNAL_LIMIT),
    operations: operations.map((operation) => operation.id),
    toPlain: createInteractionRedactor(contract, validators),
    createClock: createSessionClocks(options.clock),
    createStore: (clock: Clock) => createStore(definition, { seed, clock }),
    scenarios,
    changeCollections: editors.change,
  };
  return createSessions({
    requireSession: options.requireSession ?? false,
    idleMs: readCount('sessionIdleMs', options.sessionIdleMs, DEFAULT_IDLE_MS),
    limit: readCount('maxSessions', options.maxSessions, DEFAULT_MAXIMUM_SESSIONS),
    reserved: readReserved(operations.flatMap((operation) => operation.basePaths.map((base) => base + operation.path))),
    credentialHeaders: Object.values(securitySchemes).flatMap((scheme) =>
      scheme.in === 'header' ? (scheme.key?.toLowerCase() ?? []) : [],
    ),
    now: Date.now,
    opening: readScenarioIds(options.scenario),
    create: (id, opening) => createSession(id, sessionParts, opening),
  });
}

/** Which credentials a session takes; undefined: any. */
export function readAccepts(
  { tokens, issuedTokens }: MockOptions,
  sessions: Sessions,
): ((session: Session, credential: string) => boolean) | undefined {
  if (tokens === undefined && issuedTokens !== true) return undefined;
  const accepted = new Set(tokens);
  return (session, credential) =>
    accepted.has(credential) ||
    // A token that was registered for a session was made to be used there.
    sessions.owns(session, credential) ||
    (issuedTokens === true && session.store.holdsSecret(credential));
}
