import type { Command } from 'commander';
import type { OptionName } from '../../../mock/options-table.js';
import { listFlagOptions } from '../../flags.js';
import {
  addRecordingFlags,
  readRecordingSettings,
  type RecordingSettings,
  readWords,
  serveRecordings,
} from './serve-recordings.js';
import { colour, type Output } from '../../output.js';
import { countOf } from '../../../base/errors.js';

const RECORDING_OPTIONS: readonly OptionName[] = listFlagOptions(/^recordings\.(cassette|owners|expired|pace)$/);

/** Defines `vouch replay`. */
export function defineCommand(command: Command, output: Output): void {
  command.description('answer from recorded responses only; requests without one get 501 Not Implemented');
  addRecordingFlags(command, RECORDING_OPTIONS, {
    'recordings.cassette': { description: 'cassette to replay', default: 'default' },
  }).action(async (spec: string | undefined) => {
    const settings = await readRecordingSettings(spec, command);
    if (settings.run === undefined) {
      process.exitCode = await runReplay({ ...settings, ...output });
      return;
    }
    const { runCommand } = await import('./run/run-command.js');
    process.exitCode = await runCommand({ ...settings, ...output, mode: 'replay', words: readWords(settings.run) });
  });
}

/** Answers from a cassette until a signal. @returns the exit code: 1 if a request had no recorded response, otherwise 0. */
async function runReplay(options: RecordingSettings & Output): Promise<number> {
  const { cassette, json, writeError } = options;
  const more = { 'recordings.mode': 'replay' };
  const mock = await serveRecordings(options, more, ({ contract, cassette: load }, baseUrl) => {
    const exchanges = load(cassette).exchanges.length;
    if (json === true) return [JSON.stringify({ listening: baseUrl, cassette, exchanges })];
    return [
      `${colour('bold', contract.title)} ${contract.version}`,
      `replaying ${countOf(exchanges, 'exchange')} of "${cassette}"; no requests are sent upstream`,
      `listening on ${colour('bold', baseUrl)}`,
    ];
  });
  try {
    // Only missing recordings count here, not violations of the client.
    mock.verify({ ignore: () => true, unusedRules: false });
  } catch (error) {
    writeError(String(error));
    return 1;
  }
  return 0;
}
