import { URL } from 'node:url';
import { MockError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { answerJson } from '../../server/control/answer.js';
import { type ControlHandlers, readBody } from '../../server/control/routes.js';
import type { Session } from '../../session/session.js';
import type { Recordings, RecordingStart } from './recordings.js';
import { rejectOwnAddress } from './upstream/own-address.js';
import { replayOf } from './matching/replay-slot.js';

/** The operations on recordings. @param recordings - Undefined for a mock without recordings. */
export function recordingHandlers(recordings: Recordings | undefined): ControlHandlers {
  const find = (): Recordings => {
    if (recordings !== undefined) return recordings;
    throw new MockError('OPTION_INVALID', 'the mock was made without recordings', {
      hint: 'serve them with vouch replay or vouch record, or name their folder: recordings: "fixtures/recordings"',
    });
  };
  return {
    getRecordings: ({ session }) => answerJson(200, describe(recordings, session())),
    changeRecordings: ({ call, openSession }) => {
      const { use, owners } = find();
      const session = openSession();
      // An object by its schema, which was checked.
      const changes = call.body as { readonly cassette?: string; readonly owners?: Record<string, string> };
      if (changes.cassette !== undefined) use(replayOf(session), changes.cassette);
      owners.assignAll(changes.owners ?? {});
      return answerJson(200, describe(recordings, session));
    },
    startRecording: ({ call, openSession }) => {
      const session = openSession();
      const request: RecordingStart = readBody(call);
      const host = `http://${call.headers.get('host') ?? ''}`;
      if (request.upstream !== undefined && URL.canParse(host)) {
        const own = new URL(host);
        rejectOwnAddress(request.upstream, { host: own.hostname, port: Number(own.port || 80) });
      }
      find().start(request);
      return answerJson(200, describe(recordings, session));
    },
    stopRecording: async () => answerJson(200, await find().stop()),
    snapshotRecording: async ({ call }) => {
      const { cassette } = readBody(call) as { readonly cassette?: string };
      return answerJson(200, await find().snapshot(cassette));
    },
  };
}

function describe(recordings: Recordings | undefined, session: Session): unknown {
  const replay = replayOf(session);
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
