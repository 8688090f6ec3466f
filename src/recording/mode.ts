import { MockError, nearest } from '../errors.js';

/**
 * What recordings are there for: `replay` answers from them alone, `record-missing` asks the upstream for what they lack,
 * `record-all` asks it for everything, `off` leaves them aside.
 */
export type RecordingMode = 'replay' | 'record-missing' | 'record-all' | 'off';

/** Who answers an operation. */
export type Owner = 'mock' | 'replay' | 'forward' | 'forward-then-mock';

const MODES: readonly RecordingMode[] = ['replay', 'record-missing', 'record-all', 'off'];
const OWNERS: readonly Owner[] = ['mock', 'replay', 'forward', 'forward-then-mock'];

/** What a mode is read from. */
export interface ModeRequest {
  /** As it was given; undefined: `VOUCH_RECORDINGS`, else `replay`. */
  readonly mode: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a live upstream may be asked although this is a CI run. */
  readonly live: boolean;
}

/** The mode that holds. On CI (`CI=true`) nothing is asked live by mistake: whatever records elsewhere replays. @throws MockError `OPTION_INVALID`. */
export function readMode({ mode, environment, live }: ModeRequest): RecordingMode {
  const given = readWord(mode ?? environment['VOUCH_RECORDINGS'] ?? 'replay', MODES, 'recording mode');
  return given !== 'off' && !live && isCi(environment) ? 'replay' : given;
}

/** Whether this is a CI run. */
export function isCi(environment: Readonly<Record<string, string | undefined>>): boolean {
  const value = environment['CI']?.toLowerCase();
  return value === 'true' || value === '1';
}

/** An owner by its name. @throws MockError `OPTION_INVALID` that names the nearest one. */
export function readOwner(owner: string): Owner {
  return readWord(owner, OWNERS, 'owner of an operation');
}

function readWord<T extends string>(word: string, words: readonly T[], noun: string): T {
  const found = words.find((known) => known === word);
  if (found !== undefined) return found;
  const meant = nearest(word, words);
  const hint = meant === undefined ? `known are ${words.join(', ')}` : `did you mean "${meant}"?`;
  throw new MockError('OPTION_INVALID', `"${word}" is no ${noun}`, { hint });
}
