import { createHash } from 'node:crypto';
import { createVirtualClock } from '../../base/clock.js';
import type { Contract } from '../../contract/contract.js';
import { createStore, type StoreDefinition } from '../../resources/store/store.js';
import type { RedisClient } from './connection.js';
import type { SharedScenarios, SharedStore } from './shared-store.js';

interface StoreSettings {
  readonly store: { readonly redis: string | RedisClient; readonly prefix: string } | undefined;
  readonly sessions: { readonly idleMs: number };
  readonly journal: { readonly limit: number };
}

/**
 * Opens the state that several processes share; undefined without the option.
 *
 * @throws MockError `STORE_UNREACHABLE`, `STORE_INCOMPATIBLE`, `STORE_CLIENT_MISSING`, `OPTION_INVALID`.
 */
export async function openStore(
  { store, sessions, journal }: StoreSettings,
  of: { readonly contract: Contract; readonly definition: StoreDefinition; readonly seed: number },
): Promise<SharedStore | undefined> {
  if (store === undefined) return undefined;
  // Loaded on demand: most mocks have no such store.
  const { openSharedStore } = await import('./shared-store.js');
  return openSharedStore({
    ...store,
    setup: toSetup(of),
    idleMs: sessions.idleMs,
    journalLimit: journal.limit,
  });
}

/** The same parts, with scenarios that all processes share. */
export function shareParts<Parts extends { readonly scenarios: SharedScenarios }>(
  parts: Parts,
  store: SharedStore | undefined,
): Parts {
  return store === undefined ? parts : { ...parts, scenarios: store.shareScenarios(parts.scenarios) };
}

/** A digest of what decides about the state of a new session. */
export function toSetup({
  contract,
  definition,
  seed,
}: {
  readonly contract: Contract;
  readonly definition: StoreDefinition;
  readonly seed: number;
}): string {
  const { collections } = createStore(definition, { seed, clock: createVirtualClock() }).export();
  return createHash('sha256')
    .update(JSON.stringify([contract.hash, seed, collections]))
    .digest('base64url');
}
