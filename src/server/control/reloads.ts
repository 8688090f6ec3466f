import { formatPlace } from '../../errors.js';
import type { Reloads } from '../watch.js';

/** What the control API tells about the reloads of a mock. */
export function describeReloads({ isWatching, last }: Reloads): object {
  if (last === undefined) return { watching: isWatching, last: null };
  const { changed, applied, error, loaded, kept, notes, elapsedMs } = last;
  return {
    watching: isWatching,
    last: {
      changed,
      applied,
      loaded,
      kept,
      notes,
      elapsedMs: Math.round(elapsedMs),
      error:
        error === undefined
          ? null
          : { code: error.code, message: error.reason, at: error.at && formatPlace(error.at), hint: error.hint },
    },
  };
}
