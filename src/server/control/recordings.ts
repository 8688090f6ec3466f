import { isObject } from '../../contract/json.js';
import { MockError } from '../../errors.js';
import { readOwner } from '../../recording/mode.js';
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
      const { cassette, owners } = call.body as { readonly cassette?: string; readonly owners?: object };
      if (cassette !== undefined) recordings.use(session.replay, cassette);
      // `*` first: it takes back what single operations were given.
      const given = Object.entries(owners ?? {}).toSorted(([x], [y]) => Number(y === '*') - Number(x === '*'));
      for (const [operation, owner] of given) recordings.ownership.give(operation, readOwner(String(owner)));
      return answerJson(200, describe(recordings, session));
    },
  };
}

function describe(recordings: Recordings | undefined, { replay }: Session): unknown {
  const cassette = recordings?.current(replay);
  const owners = recordings?.ownership.list();
  return {
    mode: recordings?.mode ?? 'off',
    cassette: cassette?.name ?? null,
    exchanges: cassette?.read().exchanges.length ?? 0,
    owners: isObject(owners) ? owners : { '*': 'mock' },
    misses: replay.misses,
  };
}
