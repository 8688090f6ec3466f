import { type Command, Option } from 'commander';
import { createMock } from '../../mock.js';
import { addCassetteFlags, addOptionalSpec, type CassetteFlags, findFolder, findSpec, readOwners } from '../flags.js';
import { addListenFlags, type ListenFlags, listenUntilSignal, logInteractions } from '../listen.js';
import { colour, countOf, type Output } from '../output.js';

interface ReplayFlags extends ListenFlags, CassetteFlags {
  readonly expired: 'warn' | 'fail';
  readonly pace: 'recorded' | 'none';
}

/** Defines `vouch replay`. */
export function defineCommand(command: Command, output: Output): void {
  addCassetteFlags(addListenFlags(addOptionalSpec(command)))
    .addOption(
      new Option('--expired <action>', 'what to do if the recording is expired')
        .choices(['warn', 'fail'])
        .default('warn'),
    )
    .addOption(
      new Option('--pace <pace>', 'timing of streamed responses: as recorded, or without delays')
        .choices(['none', 'recorded'])
        .default('none'),
    )
    .action(async (spec: string | undefined, flags: ReplayFlags) => {
      process.exitCode = await runReplay({ spec: spec ?? findSpec(), ...flags, ...output });
    });
}

/** Answers from a cassette until a signal. @returns the exit code: 1 if a request had no recorded response, otherwise 0. */
async function runReplay(options: ReplayFlags & Output & { readonly spec: string }): Promise<number> {
  const { spec, cassette, recordings: folder, expired, pace, json, write, writeError } = options;
  const owners = readOwners(options.owner);
  // Without owners nothing is answered by the mock itself, which is the only one that needs fixtures.
  const fixtures = owners === undefined ? undefined : findFolder(spec, 'fixtures');
  const mock = await createMock({
    spec,
    clock: 'real',
    ...(fixtures === undefined ? {} : { fixtures }),
    recordings: { folder, cassette, mode: 'replay', owners, expired, pace },
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
    mock.assertNoMisses();
  } catch (error) {
    writeError(String(error));
    return 1;
  }
  return 0;
}
