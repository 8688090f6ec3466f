import { expect, it } from 'vitest';
import { type Clock, createRealClock, createVirtualClock, toSocketClock } from '../src/base/clock.js';

/** The number of timers that keep the process alive during `sleep`. */
async function countTimers(clock: Clock): Promise<number> {
  const count = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = count();
  const left = new AbortController();
  const sleeping = clock.sleep(3_600_000, left.signal);
  const held = count() - before;
  left.abort(new Error('aborted'));
  await expect(sleeping).rejects.toThrow('aborted');
  return held;
}

it.each<readonly [string, Clock, number]>([
  ['by the real clock keeps the process alive', createRealClock(), 1],
  ['by the real clock on a socket does not', toSocketClock(createRealClock()), 0],
  ['by a virtual clock on a socket does not', toSocketClock(createVirtualClock(0, { autoAdvance: true })), 0],
])('sleeping: %s', async (_name, clock, want) => {
  expect(await countTimers(clock)).toBe(want);
});

it('sleeping for longer than the maximum of a timer does not end immediately', async () => {
  const left = new AbortController();
  const sleeping = createRealClock().sleep(30 * 86_400_000, left.signal);
  const first = await Promise.race([
    sleeping.then(() => 'aborted'),
    createRealClock()
      .sleep(20)
      .then(() => 'still sleeping'),
  ]);
  expect(first).toBe('still sleeping');
  left.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
});
