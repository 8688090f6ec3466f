import type { Command } from 'commander';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.js';
import { MockError, countOf } from '../../../base/errors.js';
import type { Mock } from '../../../mock/handles.js';
import type { OptionName } from '../../../mock/options-table.js';
import { rejectOwnAddress } from '../../../features/recording/upstream/own-address.js';
import { hideUrlSecrets } from '../../../conventions/secret-forms.js';
import { listFlagOptions } from '../../flags.js';
import {
  addRecordingFlags,
  readRecordingSettings,
  type RecordingSettings,
  readWords,
  serveRecordings,
} from './serve-recordings.js';
import { colour, type Output, showPath } from '../../output.js';

const RECORDING_OPTIONS: readonly OptionName[] = listFlagOptions(/^recordings\.(?!expired|pace)/);

type RecordMode = 'record-all' | 'record-missing' | 'once';

const MODES: readonly RecordMode[] = ['record-all', 'record-missing', 'once'];

type RecordOptions = RecordingSettings & Output & { readonly upstream: string; readonly mode: RecordMode };

/** Defines `vouch record`. */
export function defineCommand(command: Command, output: Output): void {
  command.description('record a real API through a proxy that checks every exchange and redacts secrets');
  addRecordingFlags(command, RECORDING_OPTIONS, {
    'recordings.upstream': { description: 'base URL of the API to record' },
    'recordings.upstreamHeaders': { description: 'header to send upstream, as "name: value"' },
    'recordings.mode': {
      description: 'replace the cassette, add only the requests that it lacks, or record only if there is none',
      choices: MODES,
      default: 'record-all',
    },
    'recordings.cassette': { description: 'cassette to write', default: 'default' },
  }).action(async (spec: string | undefined) => {
    const settings = await readRecordingSettings(spec, command);
    const { 'recordings.upstream': upstream, 'recordings.mode': given } = settings.settings.options;
    // A configuration file may have the mode of `vouch serve`.
    const mode = MODES.find((each) => each === given) ?? 'record-all';
    if (settings.run !== undefined) {
      const { runCommand } = await import('./run/run-command.js');
      process.exitCode = await runCommand({ ...settings, ...output, mode, words: readWords(settings.run) });
      return;
    }
    if (typeof upstream !== 'string') {
      const hint = 'give --upstream <url>, or recordings.upstream in a configuration file';
      throw new MockError('OPTION_INVALID', 'the base URL of the API to record is missing', { hint });
    }
    process.exitCode = await runRecord({ ...settings, ...output, upstream, mode });
  });
}

/** Forwards and records until a signal. @returns the exit code: 1 if exchanges were not recorded. */
async function runRecord(options: RecordOptions): Promise<number> {
  const { cassette, json, write, writeError } = options;
  rejectOwnAddress(options.upstream, options);
  // This command is always run to reach the upstream, also in CI.
  const onFailure = (error: MockError): void => writeError(colour('red', String(error)));
  const more = {
    'recordings.live': true,
    'recordings.onFailure': onFailure,
    'recordings.mode': options.mode,
  };
  const mock = await serveRecordings(options, more, (started, baseUrl) => describeStart(started, options, baseUrl));
  const failures = mock.recordings?.failures ?? [];
  const { exchanges, manifest } = mock.cassette(cassette);
  const placeholders = Object.keys(manifest.redacted).length;
  if (json === true) write(JSON.stringify({ exchanges: exchanges.length, placeholders, failed: failures.length }));
  else write(`${countOf(exchanges.length, 'exchange')}, ${countOf(placeholders, 'secret')} replaced by placeholders`);
  if (failures.length > 0) writeError(`${countOf(failures.length, 'exchange')} not recorded, see above`);
  return failures.length === 0 ? 0 : 1;
}

function describeStart(mock: Mock<Clock>, options: RecordOptions, baseUrl: string): readonly string[] {
  const { spec, json, settings } = options;
  const { 'recordings.insecure': insecure, 'recordings.folder': recordings } = settings.options;
  const upstream = hideUrlSecrets(options.upstream);
  if (json === true)
    return [JSON.stringify({ listening: baseUrl, upstream, spec: typeof spec === 'string' ? spec : null })];
  const { title, version, operations } = mock.contract;
  const folder = colour('bold', showPath(join(String(recordings), options.cassette)));
  const action = options.mode === 'record-missing' ? 'adding missing exchanges to' : 'recording to';
  return [
    spec === undefined
      ? `${colour('bold', 'no contract')}: nothing is validated`
      : `${colour('bold', title)} ${version}  ${countOf(operations.length, 'operation')}`,
    `upstream ${upstream}${insecure === true ? colour('yellow', '  (TLS certificate not verified)') : ''}`,
    `${action} ${folder}; secrets are replaced by placeholders`,
    `listening on ${colour('bold', baseUrl)}`,
  ];
}
