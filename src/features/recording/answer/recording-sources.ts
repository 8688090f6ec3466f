import { memoize } from '../../../base/memoize.js';
import type { RecordingOptions, Recordings } from '../recordings.js';
import type { RecordingParts } from '../cassettes.js';
import type { AnswerSource } from '../../../answer/chain.js';
import type { ErrorAnswers } from '../../../answer/error-answers.js';

/** The recordings of a mock with the sources that answer from them and from the upstream. */
export interface RecordingSources {
  readonly recordings: Recordings;
  readonly sources: readonly AnswerSource[];
}

/** Creates the recordings of a mock; imports them on demand, because most mocks have none. */
export async function createRecordingSources(
  options: RecordingOptions,
  parts: RecordingParts & { readonly errors: ErrorAnswers },
): Promise<RecordingSources> {
  const [{ createRecordings }, { createReplaySource }, { createForwardSource }, { createOwnUrls }] = await Promise.all([
    import('../recordings.js'),
    import('./replay.js'),
    import('./forward.js'),
    import('./own-urls.js'),
  ]);
  const recordings = createRecordings(options, parts);
  const sourceParts = { recordings, errors: parts.errors, ownUrls: memoize(createOwnUrls, MAX_SERVERS) };
  return { recordings, sources: [createReplaySource(sourceParts), createForwardSource(sourceParts)] };
}

/** Upstreams, and the addresses at which clients reach the mock and its sessions. */
const MAX_SERVERS = 100;

/** Restricts a source to the operations that the mock itself owns. */
export function onlyForMock(source: AnswerSource, recordings: Pick<Recordings, 'owners'>): AnswerSource {
  return {
    ...source,
    answer: (exchange, next) => {
      if (recordings.owners.ownerOf(exchange.call.operation.id) === 'mock') return source.answer(exchange, next);
      exchange.note(`${source.name}: the operation belongs to the recordings, which are asked first`);
      return next(exchange);
    },
  };
}
