import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Clock } from '../clock.js';
import type { Mock } from '../handles.js';
import { createMock } from '../mock.js';
import type { OptionName } from '../options-table.js';
import { nestOptions } from '../read-options.js';
import {
  addOptionalSpec,
  addOptionFlags,
  addRecordingsFlag,
  type FlagChanges,
  findFolder,
  findOwnSpec,
  listFlagOptions,
} from './flags.js';
import { addConfigFlags, type CommandSettings, readSettings } from './config.js';
import { addHooksFlag, type HooksFlag, loadHooks } from './hooks.js';
import { colour, type Output } from './output.js';
import {
  addTransportFlags,
  readTransport,
  readTransportSettings,
  type Transport,
  type TransportFlags,
  writePortFile,
} from './transport.js';
import { type LogFlags, logInteractions } from './serving/log.js';
import type { Listening, ListenOptions } from '../server/listen.js';

/** Flags of every command that starts a server. */
export interface ListenFlags extends TransportFlags, LogFlags {}

/** What `vouch record` and `vouch replay` need to serve; other flags become options of the mock. */
export interface RecordingSettings extends ListenFlags, HooksFlag {
  readonly cassette: string;
  readonly spec: string | object | undefined;
  readonly settings: CommandSettings;
}

/** Options of the mock that every command that starts a server has flags for. */
const SERVER_OPTIONS: readonly OptionName[] = listFlagOptions(/^(basePath|connections|cors|coverage)\b/);

/** Adds the flags of every command that starts a server. */
export function addListenFlags(command: Command): Command {
  command
    .addOption(
      new Option('-p, --port <port>', 'port to listen on; 0 picks a free port')
        .default(4010)
        .argParser(readPort)
        .env('VOUCH_PORT'),
    )
    .addOption(new Option('--host <host>', 'address to listen on').default('127.0.0.1').env('VOUCH_HOST'));
  addTransportFlags(command)
    .option('--json', 'print one JSON object per line instead of text')
    .option('--quiet', 'do not log requests')
    .option('--trace', 'log with each request why each answer source did or did not answer')
    .option(
      '--verbose',
      'log with each request the trace, and every violation with the line of the document that it violates',
    );
  return addOptionFlags(command, SERVER_OPTIONS);
}

function readPort(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65535) return port;
  throw new InvalidArgumentError('A port must be an integer from 0 (any free port) to 65535.');
}

/** Serves a mock until SIGINT or SIGTERM; `announce` gets its address. @returns the signal; the mock is still open. */
export async function listenUntilSignal<Server extends Pick<Listening, 'port'>>(
  mock: { listen(where: ListenOptions): Promise<Server> },
  flags: ListenFlags,
  announce: (server: Server, notes: Transport['notes']) => void,
): Promise<NodeJS.Signals> {
  const { options, notes } = readTransport(flags);
  const server = await mock.listen(options);
  // Registered before the address is printed: a reader of the output may send the signal at once.
  const received = waitForSignal();
  const removePortFile = writePortFile(flags, server);
  announce(server, notes);
  return received.finally(removePortFile);
}

function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

/** Adds the argument `[spec]` and the flags of a command that serves a mock with recordings. */
export function addRecordingFlags(command: Command, names: readonly OptionName[], changes: FlagChanges): Command {
  addHooksFlag(
    addRecordingsFlag(addConfigFlags(addListenFlags(addOptionalSpec(command)))),
    'beforeWrite',
    'afterRead',
    'matcher',
  );
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
