import type { MockReload } from '../../server/watch.js';
import { colour, type Output, showPath } from '../output.js';

/** Lines below that of a reload. */
const MAX_NOTES = 10;

/** Prints what a reload did: one line, then what could not be kept, or the mistake. */
export function printReload(
  reload: MockReload,
  { json, write, writeError }: Output & { readonly json?: boolean },
): void {
  const { changed, applied, error, kept, notes, loaded } = reload;
  const elapsedMs = Math.round(reload.elapsedMs);
  if (json === true) {
    write(
      JSON.stringify({ reloaded: applied, changed, loaded, kept, notes, elapsedMs, error: error?.toString() ?? null }),
    );
    return;
  }
  if (error !== undefined) writeError(colour('red', error.toString()));
  const files = changed.length === 0 ? 'all files' : changed.map(showPath).join(', ');
  if (!applied) {
    write(colour('yellow', `not reloaded: ${files}; the last valid version answers until this is corrected`));
    return;
  }
  const unchanged = kept.length === 0 ? '' : `; kept the last valid version of: ${kept.join(', ')}`;
  write(colour('gray', `reloaded ${files} in ${elapsedMs} ms${unchanged}`));
  const hidden = notes.length - MAX_NOTES;
  const more = hidden > 0 ? [`… and ${hidden} more`] : [];
  for (const line of [...notes.slice(0, MAX_NOTES), ...more]) write(colour('yellow', `  ${line}`));
}
