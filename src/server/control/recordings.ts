import { isObject } from '../../contract/json.js';
import { MockError } from '../../errors.js';
import type { Recordings } from '../../recording/recordings.js';
import type { Session } from '../../session/session.js';
import { answerJson } from './answer.js';
import type { ControlHandler, ControlledParts } from './handlers.js';

/** The operations on recordings. */
export function recordingHandlers({ recordings }: ControlledParts): Readonly<Record<string, ControlHandler>> {
  return {
    getRecordings: ({ session }) => answerJson(200, describe(recordings, session())),
    changeRecordings: ({ call, openSession }) => {
      if (recordings === undefined) {
        throw new MockError('OPTION_INVALID', 'the mock was made without recordings', {
          hint: 'serve them with vouch replay or vouch record, or name their folder: recordings: "fixtures/recordings"',
        });
      }
      const session = openSession();
      // An object by its schema, which was checked.
      const { cassette, owners } = call.body as {
        readonly cassette?: string;
        readonly owners?: Record<string, string>;
      };
      if (cassette !== undefined) recordings.use(session.replay, cassette);
      recordings.owners.assignAll(owners ?? {});
      return answerJson(200, describe(recordings, session));
    },
  };
}

function describe(recordings: Recordings | undefined, { replay }: Session): unknown {
  const cassette = recordings?.current(replay);
  const owners = recordings?.owners.list();
  return {
    mode: recordings?.mode ?? 'off',
    cassette: cassette?.name ?? null,
    exchanges: cassette?.read().exchanges.length ?? 0,
    owners: isObject(owners) ? owners : { '*': 'mock' },
    misses: replay.misses,
  };
}
