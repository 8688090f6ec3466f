import { MockError, nearest } from '../../errors.js';
import type { Call } from '../../http/request/call.js';
import type { Session, SessionSnapshot } from '../../session/session.js';
import type { SessionOpening, Sessions } from '../../session/sessions.js';
import { answerEmpty, answerJson, answerProblem } from './answer.js';
import { type ControlHandler, type ControlledParts, readBody } from './routes.js';

/** A snapshot keeps the state it was taken of in memory. */
const SNAPSHOT_LIMIT = 100;

/** The snapshots of every session; removed with the session. */
type Snapshots = WeakMap<Session, Map<string, SessionSnapshot>>;

/** The operations on sessions. */
export function sessionHandlers({ sessions }: ControlledParts): Readonly<Record<string, ControlHandler>> {
  const snapshots: Snapshots = new WeakMap();
  const show = (session: Session): unknown => showSession(session, sessions, snapshots);
  const find = (call: Call): Session => sessions.find(readId(call));
  return {
    listSessions: () => answerJson(200, { sessions: sessions.list().map(show) }),
    createSession: ({ call }) => answerJson(201, show(sessions.open(readBody(call)))),
    getSession: ({ call }) => answerJson(200, show(find(call))),
    deleteSession: ({ call }) => {
      const session = find(call);
      if (sessions.close(session.id)) return answerEmpty();
      return answerProblem({
        status: 409,
        code: 'SESSION_INVALID',
        message: 'the default session cannot be closed',
        hint: 'reset it instead',
      });
    },
    createSnapshot: ({ call }) => {
      const session = find(call);
      const kept = snapshots.get(session) ?? new Map<string, SessionSnapshot>();
      const { name = generateName(kept) } = readBody(call) as { readonly name?: string };
      if (kept.size >= SNAPSHOT_LIMIT && !kept.has(name)) return answerFull(session);
      kept.set(name, session.snapshot());
      snapshots.set(session, kept);
      return answerJson(201, { name, session: session.id });
    },
    restoreSession: ({ call }) => {
      const session = find(call);
      const { snapshot } = readBody(call) as { readonly snapshot: string };
      const kept = snapshots.get(session)?.get(snapshot);
      if (kept === undefined) throw toUnknownSnapshot(session, snapshot, [...(snapshots.get(session)?.keys() ?? [])]);
      session.restore(kept);
      return answerJson(200, show(session));
    },
    forkSession: ({ call }) => {
      const from = find(call).id;
      return answerJson(201, show(sessions.open({ ...(readBody(call) as SessionOpening), from })));
    },
    resetSession: ({ call, openSession }) => {
      const session = openSession();
      session.reset((readBody(call) as { readonly what?: 'counters' | 'state' | 'all' }).what);
      return answerJson(200, show(session));
    },
  };
}

/** The state of a session. */
function showSession(session: Session, sessions: Sessions, snapshots: Snapshots): unknown {
  const { id, scenario, journal, clock } = session;
  return {
    id,
    scenarios: scenario.active,
    tokens: sessions.tokensOf(id).length,
    interactions: journal.interactions.length,
    now: new Date(clock.now()).toISOString(),
    headers: { 'x-mock-session': id },
    prefix: `/~${id}`,
    snapshots: [...(snapshots.get(session)?.keys() ?? [])],
  };
}

/** The session in the path: a string by its schema. */
function readId(call: Call): string {
  return call.path['id'] as string;
}

function generateName(kept: ReadonlyMap<string, unknown>): string {
  let number = kept.size + 1;
  while (kept.has(`snapshot-${number}`)) number += 1;
  return `snapshot-${number}`;
}

function answerFull(session: Session): ReturnType<typeof answerProblem> {
  return answerProblem({
    status: 409,
    code: 'SESSION_LIMIT',
    message: `session "${session.id}" already has ${SNAPSHOT_LIMIT} snapshots, the maximum`,
    hint: 'reuse a name to replace that snapshot',
  });
}

function toUnknownSnapshot(session: Session, name: string, names: readonly string[]): MockError {
  const meant = nearest(name, names);
  const known = names.length === 0 ? 'it has no snapshots' : `its snapshots are ${names.join(', ')}`;
  return new MockError('SNAPSHOT_UNKNOWN', `session "${session.id}" has no snapshot "${name}"`, {
    hint: meant === undefined ? known : `did you mean "${meant}"?`,
  });
}
