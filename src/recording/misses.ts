import { MockError } from '../errors.js';
import type { Miss } from './replay-state.js';

/** Fails where calls came that no recording fitted. @throws MockError `RECORDING_MISS` that lists them with what is nearest. */
export function assertNoMisses(misses: readonly Miss[]): void {
  if (misses.length === 0) return;
  const count = misses.length === 1 ? 'one call' : `${misses.length} calls`;
  throw new MockError(
    'RECORDING_MISS',
    `${count} had no recording:\n${misses.map(({ message }) => message).join('\n')}`,
    {
      hint: 'record what is missing with mode "record-missing", or name what need not be the same in the manifest\'s `match`',
    },
  );
}
