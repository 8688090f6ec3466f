import type { Command } from 'commander';
import type { OptionName } from '../../options.js';
import { findOwnSpec, listFlagOptions, readOptionFlags } from '../flags.js';
import { addRecordingFlags, type RecordingFlags, serveRecordings } from '../listen.js';
import { colour, countOf, type Output } from '../output.js';

const RECORDING_OPTIONS: readonly OptionName[] = listFlagOptions(/^recordings\.(cassette|owners|expired|pace)$/);

/** Defines `vouch replay`. */
export function defineCommand(command: Command, output: Output): void {
  command.description('answer from recorded responses only; requests without one get 501 Not Implemented');
  addRecordingFlags(command, RECORDING_OPTIONS, {
    'recordings.cassette': { description: 'cassette to replay', default: 'default' },
  }).action(async (spec: string | undefined, flags: RecordingFlags) => {
    process.exitCode = await runReplay({ spec: spec ?? findOwnSpec(), ...flags, ...output });
  });
}

/** Answers from a cassette until a signal. @returns the exit code: 1 if a request had no recorded response, otherwise 0. */
async function runReplay(options: RecordingFlags & Output & { readonly spec: string | undefined }): Promise<number> {
  const { cassette, json, writeError } = options;
  const more = { 'recordings.mode': 'replay', ...readOptionFlags(options, RECORDING_OPTIONS) };
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
