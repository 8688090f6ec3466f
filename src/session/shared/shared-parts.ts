import { type Clock, isVirtualClock } from '../../clock.js';
import type { ReplayState } from '../../recording/matching/replay-state.js';
import type { ScenarioState } from '../../scenario/rules/scenario-state.js';
import type { Store } from '../../state/store/store.js';
import type { Change } from './atomic.js';
import { withMethods } from './with-methods.js';

/** Makes a change that other processes repeat. */
export type Write = <Result>(work: () => Result) => Result;
/** Tells what was changed. */
export type Tell = (change: Change) => void;

/** A store whose transactions are changes of all processes. */
export function shareStore(store: Store, write: Write): Store {
  return withMethods(store, {
    transaction: (work) => write(() => store.transaction(work)),
    reset: () => write(store.reset),
    restore: (snapshot) => write(() => store.restore(snapshot)),
  });
}

/** The state of scenarios, whose changes are those of all processes. */
export function shareScenario(state: ScenarioState, write: Write, change: Tell): ScenarioState {
  const share = <Args extends readonly unknown[]>(name: keyof ScenarioState, work: (...args: Args) => void) => {
    return (...args: Args): void =>
      write(() => {
        work(...args);
        change(['scenario', name, args]);
      });
  };
  const setVars = share('setVars', state.setVars);
  return withMethods(state, {
    setActive: share('setActive', state.setActive),
    setVars: (vars) => (Object.keys(vars).length === 0 ? undefined : setVars(vars)),
    setCounter: share('setCounter', state.setCounter),
    setWindow: share('setWindow', state.setWindow),
    resetCounters: share('resetCounters', state.resetCounters),
    resetVars: share('resetVars', state.resetVars),
    restore: share('restore', state.restore),
  });
}

/** The position in the recordings, which is that of all processes. */
export function shareReplay(replay: ReplayState, write: Write, change: Tell): ReplayState {
  /** The position after a change, since a change can depend on the files of the recordings. */
  const moves = <Args extends readonly unknown[], Result>(move: (...args: Args) => Result) => {
    return (...args: Args): Result =>
      write(() => {
        const result = move(...args);
        change(['replay', replay.snapshot()]);
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
        change(['miss', miss]);
      }),
  });
}

/** A clock whose moves are those of all processes. */
export function shareClock(
  clock: Clock,
  {
    write,
    change,
    committed,
  }: { readonly write: Write; readonly change: Tell; readonly committed: () => Promise<void> },
): Clock {
  const sleep: Clock['sleep'] = (ms, signal) => committed().then(() => clock.sleep(ms, signal));
  if (!isVirtualClock(clock)) return withMethods(clock, { sleep });
  const set = (move: () => void): void =>
    write(() => {
      move();
      change(['clock', clock.now()]);
    });
  return withMethods(clock, {
    set: (instant) => set(() => clock.set(instant)),
    advance: (ms) => set(() => clock.advance(ms)),
    sleep: async (ms, signal) => {
      await sleep(ms, signal);
      // The clock has moved here by itself.
      const now = clock.now();
      if (clock.autoAdvance) set(() => clock.set(Math.max(now, clock.now())));
    },
  });
}
