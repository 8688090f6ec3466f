import type { RecordingOptions, RecordingParts, Recordings } from '../../../recording/recordings.js';
import type { AnswerSource } from '../../chain.js';
import type { ErrorAnswers } from '../../error-answers.js';

/** Recordings with the sources that answer from them and from an upstream. */
export interface Foreign {
  readonly recordings: Recordings;
  readonly sources: readonly AnswerSource[];
}

/** Opens the recordings of a mock. Imported where they are asked for: a mock without them starts the faster for it. */
export async function openRecordings(
  options: RecordingOptions,
  parts: RecordingParts & { readonly errors: ErrorAnswers },
): Promise<Foreign> {
  const [{ createRecordings }, { createReplaySource }, { createForwardSource }] = await Promise.all([
    import('../../../recording/recordings.js'),
    import('./replay.js'),
    import('./forward.js'),
  ]);
  const recordings = createRecordings(options, parts);
  const of = { recordings, errors: parts.errors };
  return { recordings, sources: [createReplaySource(of), createForwardSource(of)] };
}
