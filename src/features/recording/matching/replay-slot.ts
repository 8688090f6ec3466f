import type { Session, SessionSlot, SharedChanges } from '../../../session/session.js';
import { withMethods } from '../../../session/shared.js';
import { createReplayState, type ReplaySnapshot, type ReplayState } from './replay-state.js';

const SLOT = 'replay';

/** The position of a session in the recordings. */
export function replayOf({ slots }: Pick<Session, 'slots'>): ReplayState {
  // The slot below creates it.
  return slots[SLOT] as ReplayState;
}

/** The state that recordings keep for each session. */
export const REPLAY_SLOT: SessionSlot<ReplayState> = {
  name: SLOT,
  create: createReplayState,
  reset: (session, what) => {
    if (what !== 'state') replayOf(session).reset();
  },
  snapshot: (state) => state.snapshot(),
  // Taken by `snapshot`.
  restore: (state, snapshot) => state.restore(snapshot as ReplaySnapshot),
  undo: (state, snapshot) => {
    // A restored position keeps the misses.
    state.reset();
    state.restore(snapshot as ReplaySnapshot);
  },
  share: shareReplay,
};

/** The position in the recordings, which is that of all processes. */
function shareReplay(replay: ReplayState, { write, tell }: SharedChanges): ReplayState {
  /** The position after a change, since a change can depend on the files of the recordings. */
  const moves = <Args extends readonly unknown[], Result>(move: (...args: Args) => Result) => {
    return (...args: Args): Result =>
      write(() => {
        const result = move(...args);
        tell('restore', [replay.snapshot()]);
        return result;
      });
  };
  return withMethods(replay, {
    next: moves(replay.next),
    pass: moves(replay.pass),
    learn: (replaced) => (replaced.length === 0 ? undefined : moves(replay.learn)(replaced)),
    use: moves(replay.use),
    reset: moves(replay.reset),
    restore: moves(replay.restore),
    miss: (miss) =>
      write(() => {
        replay.miss(miss);
        tell('miss', [miss]);
      }),
  });
}
