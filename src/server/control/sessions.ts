import { toDateTime } from '../../base/clock.js';
import { MockError, suggest } from '../../base/errors.js';
import type { Call } from '../../http/request/call.js';
import type { ResetKind, Session, SessionSnapshot } from '../../session/session.js';
import type { SessionOpening } from '../../session/sessions.js';
import { answerEmpty, answerJson, answerProblem } from './answer.js';
import { type ControlHandlers, type ControlledParts, readBody, readPath } from './routes.js';

/** A snapshot keeps the state it was taken of in memory. */
const SNAPSHOT_LIMIT = 100;

/** The operations on sessions. */
export function sessionHandlers({ sessions, listActive }: ControlledParts): ControlHandlers {
  const { list: listNames, handlers } = snapshotHandlers(sessions, (session) => show(session));
  const show = (session: Session): unknown => ({
    id: session.id,
    scenarios: listActive(session),
    tokens: sessions.tokensOf(session.id).length,
    interactions: session.journal.size,
    now: toDateTime(session.clock.now()),
    headers: { 'x-mock-session': session.id },
    prefix: `/~${session.id}`,
    snapshots: listNames(session),
  });
  const find = (call: Call): Session => sessions.find(readPath(call, 'id'));
  return {
    listSessions: () => answerJson(200, { sessions: sessions.list().map(show) }),
    createSession: ({ call }) => answerJson(201, show(sessions.open(readBody(call)))),
    getSession: ({ call }) => answerJson(200, show(find(call))),
    deleteSession: ({ call }) => {
      const session = find(call);
      if (sessions.close(session.id)) return answerEmpty();
      const message = 'the default session cannot be closed';
      return answerProblem({ status: 409, code: 'SESSION_INVALID', message, hint: 'reset it instead' });
    },
    ...handlers,
    forkSession: ({ call }) => {
      const opening = { ...(readBody(call) as SessionOpening), from: find(call).id };
      return answerJson(201, show(sessions.open(opening)));
    },
    resetSession: ({ call, openSession }) => {
      const session = openSession();
      const { what } = readBody(call) as { readonly what?: ResetKind };
      session.reset(what);
      return answerJson(200, show(session));
    },
  };
}

/** The operations on the snapshots of sessions. @param show - A session as JSON. */
function snapshotHandlers(
  sessions: ControlledParts['sessions'],
  show: (session: Session) => unknown,
): { readonly list: (session: Session) => readonly string[]; readonly handlers: ControlHandlers } {
  // Removed with the session.
  const snapshots = new WeakMap<Session, Map<string, KeptSnapshot>>();
  const listNames = (session: Session): readonly string[] =>
    session.shared?.snapshots ?? [...(snapshots.get(session)?.keys() ?? [])];
  const find = (call: Call): Session => sessions.find(readPath(call, 'id'));
  const handlers: ControlHandlers = {
    createSnapshot: async ({ call }) => {
      const session = find(call);
      const names = listNames(session);
      const { name = generateName(names) } = readBody(call) as { readonly name?: string };
      if (names.length >= SNAPSHOT_LIMIT && !names.includes(name)) {
        const message = `session "${session.id}" already has ${SNAPSHOT_LIMIT} snapshots, the maximum`;
        const hint = 'reuse a name to replace that snapshot';
        return answerProblem({ status: 409, code: 'SESSION_LIMIT', message, hint });
      }
      if (session.shared === undefined) {
        const kept = snapshots.get(session) ?? new Map<string, KeptSnapshot>();
        keepSnapshot(kept, name, session);
        snapshots.set(session, kept);
      } else await session.shared.saveSnapshot(name);
      return answerJson(201, { name, session: session.id });
    },
    restoreSession: async ({ call }) => {
      const session = find(call);
      const { snapshot } = readBody(call) as { readonly snapshot: string };
      if ((await session.shared?.restoreSnapshot(snapshot)) === true) return answerJson(200, show(session));
      const kept = snapshots.get(session)?.get(snapshot);
      if (kept === undefined) {
        const names = listNames(session);
        const known = names.length === 0 ? 'it has no snapshots' : `its snapshots are ${names.join(', ')}`;
        const reason = `session "${session.id}" has no snapshot "${snapshot}"`;
        throw new MockError('SNAPSHOT_UNKNOWN', reason, { hint: suggest(snapshot, names) ?? known });
      }
      session.restore(kept.snapshot);
      return answerJson(200, show(session));
    },
  };
  return { list: listNames, handlers };
}

/** Keeps a snapshot in place of the one of that name. @throws MockError `STATE_LIMIT`; then that one stays. */
function keepSnapshot(kept: Map<string, KeptSnapshot>, name: string, session: Session): void {
  const before = kept.get(name);
  before?.release();
  const snapshot = session.snapshot();
  try {
    kept.set(name, { snapshot, release: session.hold(snapshot) });
  } catch (error) {
    if (before !== undefined) kept.set(name, { ...before, release: session.hold(before.snapshot) });
    throw error;
  }
}

interface KeptSnapshot {
  readonly snapshot: SessionSnapshot;
  /** It is not counted any more. */
  readonly release: () => void;
}

function generateName(names: readonly string[]): string {
  let number = names.length + 1;
  while (names.includes(`snapshot-${number}`)) number += 1;
  return `snapshot-${number}`;
}
