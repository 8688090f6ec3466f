import type { Command } from 'commander';
import { createMock } from '../../mock.js';
import type { OptionName } from '../../options.js';
import { nestOptions } from '../../read-options.js';
import {
  addOptionalSpec,
  addOptionFlags,
  addRecordingsFlag,
  findFolder,
  findSpec,
  listFlagOptions,
  OWNER_FLAG,
  readOptionFlags,
} from '../flags.js';
import { addListenFlags, type ListenFlags, listenUntilSignal, logInteractions } from '../listen.js';
import { colour, countOf, type Output } from '../output.js';

const RECORDING_OPTIONS: readonly OptionName[] = listFlagOptions(/^recordings\.(cassette|owners|expired|pace)$/);

/** The flags that this file reads itself; the others become options of the mock. */
interface ReplayFlags extends ListenFlags {
  readonly recordings: string;
  readonly cassette: string;
  readonly owner?: object;
}

/** Defines `vouch replay`. */
export function defineCommand(command: Command, output: Output): void {
  command.description('answer from recorded responses only; requests without one get 501 Not Implemented');
  addRecordingsFlag(addListenFlags(addOptionalSpec(command)));
  addOptionFlags(command, RECORDING_OPTIONS, {
    'recordings.cassette': { description: 'cassette to replay', default: 'default' },
    'recordings.owners': OWNER_FLAG,
  }).action(async (spec: string | undefined, flags: ReplayFlags) => {
    process.exitCode = await runReplay({ spec: spec ?? findSpec(), ...flags, ...output });
  });
}

/** Answers from a cassette until a signal. @returns the exit code: 1 if a request had no recorded response, otherwise 0. */
async function runReplay(options: ReplayFlags & Output & { readonly spec: string }): Promise<number> {
  const { spec, cassette, json, write, writeError } = options;
  // Without `--owner` the mock itself, which needs fixtures, answers no operation.
  const fixtures = options.owner === undefined ? undefined : findFolder(spec, 'fixtures');
  const mock = await createMock({
    spec,
    clock: 'real',
    ...nestOptions({
      fixtures,
      'recordings.folder': options.recordings,
      'recordings.mode': 'replay',
      ...readOptionFlags(options, RECORDING_OPTIONS),
    }),
    ...logInteractions(options),
  });
  for (const warning of mock.recordings?.warnings ?? []) writeError(colour('yellow', warning));
  await listenUntilSignal(mock, options, ({ baseUrl }) => {
    const exchanges = mock.cassette(cassette).exchanges.length;
    if (json === true) {
      write(JSON.stringify({ listening: baseUrl, cassette, exchanges }));
      return;
    }
    write(`${colour('bold', mock.contract.title)} ${mock.contract.version}`);
    write(`replaying ${countOf(exchanges, 'exchange')} of "${cassette}"; no requests are sent upstream`);
    write(`listening on ${colour('bold', baseUrl)}`);
  });
  await mock.close();
  try {
    // Only missing recordings count here, not violations of the client.
    mock.verify({ ignore: () => true, unusedRules: false });
  } catch (error) {
    writeError(String(error));
    return 1;
  }
  return 0;
}
