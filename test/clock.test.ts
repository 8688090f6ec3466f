import { describe, expect, it } from 'vitest';
import { type Clock, createRealClock, createVirtualClock, toSocketClock } from '../src/clock.js';

/** How many more timers keep the process alive while somebody sleeps by a clock. */
async function countTimers(clock: Clock): Promise<number> {
  const count = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = count();
  const left = new AbortController();
  const asleep = clock.sleep(3_600_000, left.signal);
  const held = count() - before;
  left.abort(new Error('woken'));
  await expect(asleep).rejects.toThrow('woken');
  return held;
}

describe('somebody who sleeps', () => {
  it.each<readonly [string, Clock, number]>([
    ['by the real clock holds the process', createRealClock(), 1],
    ['by the real clock on a socket does not', toSocketClock(createRealClock()), 0],
    ['by a standing clock on a socket does not', toSocketClock(createVirtualClock(0, { autoAdvance: true })), 0],
  ])('%s', async (_name, clock, want) => {
    expect(await countTimers(clock)).toBe(want);
  });

  it('for longer than a timer can be set is not woken at once', async () => {
    const left = new AbortController();
    const asleep = createRealClock().sleep(30 * 86_400_000, left.signal);
    const first = await Promise.race([
      asleep.then(() => 'woken'),
      createRealClock()
        .sleep(20)
        .then(() => 'asleep'),
    ]);
    expect(first).toBe('asleep');
    left.abort(new Error('enough'));
    await expect(asleep).rejects.toThrow('enough');
  });
});
