import { type Command, Option } from 'commander';
import type { Clock } from '../../../base/clock.js';
import { MockError } from '../../../base/errors.js';
import type { Mock } from '../../../mock/handles.js';
import { createMock } from '../../../mock/mock.js';
import type { OptionName } from '../../../mock/options-table.js';
import { nestOptions } from '../../../mock/read-options.js';
import { addConfigFlags, type CommandSettings, readSettings } from '../../config.js';
import {
  addOptionalSpec,
  addOptionFlags,
  addRecordingsFlag,
  type FlagChanges,
  findFolder,
  findOwnSpec,
} from '../../flags.js';
import { addHooksFlag, type HooksFlag, loadHooks } from '../../hooks.js';
import { colour, type Output } from '../../output.js';
import { logInteractions } from '../../serving/log.js';
import { addListenFlags, type ListenFlags, listenUntilSignal, readTransportSettings } from '../../transport.js';

/** The settings with which `vouch record` and `vouch replay` serve; other flags become options of the mock. */
export interface RecordingSettings extends ListenFlags, HooksFlag {
  /** The words behind `--`: a program and its arguments, as JSON. */
  readonly run?: string;
  readonly cassette: string;
  readonly spec: string | object | undefined;
  readonly settings: CommandSettings;
}

/** Adds the argument `[spec]` and the flags of a command that serves a mock with recordings. */
export function addRecordingFlags(command: Command, names: readonly OptionName[], changes: FlagChanges): Command {
  addHooksFlag(
    addRecordingsFlag(addConfigFlags(addListenFlags(addOptionalSpec(command)))),
    'beforeWrite',
    'afterRead',
    'matcher',
  );
  command.addOption(new Option('--run <words>').hideHelp());
  command.addHelpText('after', '\nA program after -- is run, and its requests are recorded or replayed for each host.');
  const owners =
    'who answers an operation (* for all others): mock, replay, forward, forward-then-mock or forward-except-501';
  return addOptionFlags(command, names, {
    'recordings.owners': { description: owners },
    ...changes,
  });
}

/**
 * Reads the settings of `vouch record` or `vouch replay`.
 *
 * @param given - The document on the command line.
 */
export async function readRecordingSettings(given: string | undefined, command: Command): Promise<RecordingSettings> {
  const settings = await readSettings(command);
  const { options, all } = settings;
  return {
    ...command.opts<ListenFlags & HooksFlag>(),
    settings,
    // The configuration file was checked: `spec` is a path, a URL or a document.
    spec: given ?? (options.spec as string | object | undefined) ?? findOwnSpec(),
    cassette: String(options['recordings.cassette']),
    ...readTransportSettings(all),
  };
}

/** Serves a mock with recordings until a signal; `describe` gives the lines to print at start. @returns the closed mock. */
export async function serveRecordings(
  options: RecordingSettings & Output,
  more: Partial<Readonly<Record<OptionName, unknown>>>,
  describe: (mock: Mock<Clock>, baseUrl: string) => readonly string[],
): Promise<Mock<Clock>> {
  const { spec, settings, write, writeError } = options;
  const given = settings.options;
  // Without owners the mock itself, which needs fixtures, answers no operation.
  const fixtures =
    given.fixtures ?? (given['recordings.owners'] === undefined ? undefined : findFolder(spec, 'fixtures'));
  const hasScenarios = Object.keys(given).some((name) => name.startsWith('scenarios.'));
  const scenarios = given['scenarios.from'] ?? (hasScenarios ? (findFolder(spec, 'scenarios') ?? {}) : undefined);
  const hooks = Object.entries(await loadHooks(options)).map(([name, hook]) => [`recordings.${name}`, hook]);
  await using mock: Mock<Clock> = await createMock({
    ...nestOptions({
      clock: 'real',
      ...given,
      spec,
      fixtures,
      'scenarios.from': scenarios,
      ...Object.fromEntries(hooks),
      ...more,
    }),
    ...logInteractions(options, (pointer) => mock.contract.locate(pointer)),
  });
  for (const warning of mock.recordings?.warnings ?? []) writeError(colour('yellow', warning));
  await listenUntilSignal(mock, options, ({ baseUrl }, notes) => {
    for (const line of [...notes, ...describe(mock, baseUrl)]) write(line);
  });
  return mock;
}

/** The words of `--run`. @throws MockError `OPTION_INVALID` where there is no program. */
export function readWords(run: string): readonly string[] {
  const words = JSON.parse(run) as readonly string[];
  if (words.length > 0) return words;
  const hint = 'name a program and its arguments: vouch record -- npm test';
  throw new MockError('OPTION_INVALID', 'there is no program after --', { hint });
}
