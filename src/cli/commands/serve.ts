import type { Command } from 'commander';
import { isAbsolute } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { countOf } from '../../base/errors.js';
import type { Mock } from '../../mock/handles.js';
import { openMock } from '../../mock/mock.js';
import type { OptionName } from '../../mock/options-table.js';
import { nestOptions, readIds } from '../../mock/read-options.js';
import type { OptionFiles } from '../../mock/reload/reload.js';
import { listFixtureFiles } from '../../resources/fixtures/fixture-file.js';
import type { MockReload } from '../../server/control/reloads.js';
import {
  addOptionFlags,
  DOCUMENT_OPTIONS,
  findFolder,
  findOwnSpec,
  findSpec,
  type FlagChanges,
  listFlagOptions,
  toFolderBeside,
} from '../flags.js';
import { addConfigFlags, type CommandSettings, type ConfigDocument, listConfigFiles, readSettings } from '../config.js';
import { readDerived } from '../serving/item-data.js';
import { logInteractions, printReload } from '../serving/log.js';
import {
  describeControl,
  linkInspector,
  openInspector,
  printProblemsLater,
  showSpec,
  type StartOptions,
} from '../serving/start.js';
import { colour, type Output, showPath } from '../output.js';
import { addListenFlags, listenUntilSignal, readTransportSettings, type TransportFlags } from '../transport.js';
import { host } from '../../base/platform.js';

/** The options that `vouch serve` has flags for, in groups as help lists them. */
const OPTION_GROUPS: Readonly<Record<string, readonly OptionName[]>> = {
  'Document:': DOCUMENT_OPTIONS,
  'Data and behaviour:': listFlagOptions(/^(fixtures|seed|clock|handlers|scenarios|state|responses|watch)\b/),
  'Requests:': listFlagOptions(/^(strict|auth|requests)\b/),
  'Sessions and control API:': listFlagOptions(/^(sessions|journal|store|control)\b/),
};

const FLAG_CHANGES: FlagChanges = {
  fixtures: { description: 'folder with one file per collection', shownDefault: 'fixtures beside the document' },
  scenarios: { description: 'folder with one file per scenario', shownDefault: 'scenarios beside the document' },
  'scenarios.active': { description: 'comma-separated scenarios to activate at start; later ones win' },
  clock: { description: '"real", or a fixed date and time', shownDefault: '2026-01-01T00:00:00Z' },
  'auth.acceptIssued': {
    description: 'with --token: also accept secrets that the mock issued itself',
    shownDefault: '',
  },
  'requests.bodyLimitBytes': {
    description: 'maximum size of a request body, such as 64kb; larger ones get 413 Content Too Large',
    shownDefault: '8mb',
  },
  handlers: { description: 'JavaScript or TypeScript module whose exports answer operations, by operation id' },
  'store.redis': {
    description: 'URL of a Redis server that keeps the state, which several processes can share',
    shownDefault: 'none',
  },
  'control.token': {
    description: 'token that the control API requires',
    shownDefault: 'a random one, printed at start, if other machines can reach the mock, else none',
  },
};

/** The document that `vouch serve` serves, with its settings. */
interface Served extends TransportFlags {
  readonly settings: CommandSettings;
  readonly spec: string | object;
  /** The file of items that the document was derived from; undefined where there is a document. */
  readonly data: string | undefined;
  /** The folder or the items; undefined for none. */
  readonly fixtures: unknown;
  readonly scenarios: unknown;
  /** Whether no document was given, so that the built-in one is served. */
  readonly isBuiltIn: boolean;
}

interface ServeOptions extends Served, StartOptions {}

/** Defines `vouch serve`. */
export function defineCommand(command: Command, output: Output): void {
  addServeFlags(command).action((specs: readonly string[]) => serveCommand(specs, command, output));
}

/** Serves until a signal. */
async function serveCommand(specs: readonly string[], command: Command, output: Output): Promise<void> {
  const flags = command.opts<Omit<StartOptions, keyof Output | 'settings'>>();
  const options = { ...flags, ...(await readServeSettings(specs[0], command)), ...output };
  const documents = listDocuments(specs, options.settings);
  process.exitCode = await (documents === undefined
    ? runServe(options, createOptionFiles(options, [specs[0], command]))
    : (await import('../serving/documents.js')).serveDocuments(documents, options));
}

/** The documents that are served together: those on the command line, else those of the configuration file; undefined for one document. */
export function listDocuments(
  specs: readonly string[],
  { documents }: CommandSettings,
): readonly ConfigDocument[] | undefined {
  if (specs.length > 1) return specs.map((spec) => ({ options: { spec } }));
  return specs.length === 0 ? documents : undefined;
}

/** Adds the argument and the flags of `vouch serve`. */
export function addServeFlags(command: Command): Command {
  const documents = 'OpenAPI documents: files or URLs; several are served together (default: spec/openapi.yaml)';
  addConfigFlags(addListenFlags(command.argument('[spec...]', documents).optionsGroup('Server:'))).option(
    '--open',
    'open the inspector in a browser; ignored if CI is set',
  );
  for (const [group, names] of Object.entries(OPTION_GROUPS)) {
    addOptionFlags(command.optionsGroup(group), names, FLAG_CHANGES);
  }
  return command;
}

/**
 * Reads what `vouch serve` serves, and with which settings.
 *
 * @param given - The document on the command line.
 * @param edition - How often that was read before.
 */
export async function readServeSettings(given: string | undefined, command: Command, edition = 0): Promise<Served> {
  const settings = await readSettings(command, edition);
  const { options, all } = settings;
  const own = given ?? options.spec ?? findOwnSpec();
  const found = own ?? findSpec();
  // The configuration file was checked: `spec` is a path, a URL or a document.
  const spec = found as string | object;
  const { fixtures } = options;
  const derived = readDerived(spec);
  return {
    settings,
    spec: derived?.spec ?? spec,
    data: derived?.file,
    isBuiltIn: own === undefined,
    fixtures: fixtures === false ? undefined : (fixtures ?? derived?.fixtures ?? findFolder(spec, 'fixtures')),
    scenarios: options['scenarios.from'] ?? findFolder(spec, 'scenarios') ?? {},
    ...readTransportSettings(all),
  };
}

function toMockOptions(options: ServeOptions): object {
  const { spec, fixtures, scenarios, settings } = options;
  const given = settings.options;
  return nestOptions({
    ...given,
    spec,
    fixtures,
    'scenarios.from': scenarios,
    'scenarios.active': given['scenarios.active'] ?? [],
    watch: given.watch ?? true,
    onReload: given.onReload ?? ((reload: MockReload) => printReload(reload, options)),
  });
}

/** The files that decide which options the mock has: the configuration file, handlers, folders that are found beside the document. */
function createOptionFiles(options: ServeOptions, from: readonly [string | undefined, Command]): OptionFiles {
  let current: Served = options;
  let edition = 0;
  return {
    list: () => {
      const { data, fixtures, scenarios, settings } = current;
      const { all } = settings;
      const spec = data ?? current.spec;
      const handlers = all.get('handlers')?.value;
      const missing = [
        ...(fixtures === undefined && !all.has('fixtures') ? (['fixtures'] as const) : []),
        ...(typeof scenarios === 'object' && !all.has('scenarios.from') ? (['scenarios'] as const) : []),
      ];
      const beside = missing.flatMap((name) => toFolderBeside(spec, name) ?? []);
      const own = data === undefined ? [] : [data];
      return [...own, ...listConfigFiles(from[1]), ...(typeof handlers === 'string' ? [handlers] : []), ...beside];
    },
    read: async () => {
      edition += 1;
      current = await readServeSettings(...from, edition);
      return toMockOptions({ ...options, ...current });
    },
  };
}

/** Serves until a signal. @returns the exit code, 0. */
async function runServe(options: ServeOptions, files: OptionFiles): Promise<number> {
  const { spec, data, fixtures, settings } = options;
  const log = logInteractions(options, (pointer) => mock.contract.locate(pointer));
  // Closed also where it cannot listen: a store would keep the process running.
  await using mock: Mock<Clock> = await openMock({ ...log, ...toMockOptions(options) }, { files });
  const collections = countCollections(fixtures);
  const background = new host.AbortController();
  const { writeTryCommand } = await import('../serving/try-request.js');
  const signal = await listenUntilSignal(mock, options, (server, notes) => {
    const { url, baseUrl, socket } = server;
    const preset = mock.contract.preset ?? null;
    // A browser cannot connect to a Unix socket.
    const { control, 'control.prefix': prefix = '/__mock' } = settings.options;
    const inspector =
      control === false || socket !== undefined ? null : linkInspector(options, server, url + String(prefix));
    const started = {
      listening: baseUrl,
      inspector,
      seed: mock.seed,
      spec: data ?? showSpec(spec),
      preset,
      fixtures: typeof fixtures === 'string' ? fixtures : null,
      scenarios: mock.scenarios.ids.length,
      repaired: countRepaired(mock),
      config: settings.file ?? null,
      ...(socket !== undefined && { socket }),
    };
    const where = socket === undefined ? '' : `  (socket ${showPath(socket)})`;
    const page = inspector === null ? [] : [`inspector ${inspector}`];
    const attempt = socket === undefined ? writeTryCommand(mock.contract, baseUrl) : undefined;
    const end = [
      describeControl(options, url + String(prefix)),
      ...page,
      ...notes,
      `listening on ${colour('bold', baseUrl)}${where}`,
      ...(attempt === undefined ? [] : [colour('gray', `try: ${attempt}`)]),
    ];
    const lines = [...describeStart(mock, options, collections), ...end];
    options.write(options.json === true ? JSON.stringify(started) : lines.join('\n'));
    openInspector(inspector, options);
    void printProblemsLater(mock, options, background.signal);
  });
  background.abort();
  if (options.json !== true) options.write(colour('gray', `${signal}: closing`));
  return 0;
}

/** The lines that show a new user how to serve another document than the built-in one. */
const BUILT_IN_LINES = [
  'no document given: this is the built-in example',
  '  to serve your own: vouch serve openapi.yaml (a file or URL), or save it as spec/openapi.yaml',
  '  to set up a folder for it: vouch init openapi.yaml',
];

function describeStart(
  mock: Mock<Clock>,
  { spec, data, fixtures, scenarios, settings, isBuiltIn }: ServeOptions,
  collections: number,
): readonly string[] {
  const { title, version, operations, preset } = mock.contract;
  // The type was checked with the flags or the configuration file.
  const ids = readIds((settings.options['scenarios.active'] ?? []) as string | readonly string[]);
  const source = data ?? showSpec(spec);
  const clock = new Date(mock.clock.now()).toISOString();
  const count = countOf(operations.length, 'operation');
  const found = operations.length > 0 ? count : colour('yellow', `${count}: every request is answered with 404`);
  const repaired = countRepaired(mock);
  const known = mock.scenarios.ids.length;
  const active = ids.length === 0 ? '' : `  active ${ids.join(', ')}`;
  const items =
    fixtures === undefined ? 'none' : `${showFolder(fixtures, data)} (${countOf(collections, 'collection')})`;
  return [
    ...(isBuiltIn ? BUILT_IN_LINES.map((line) => colour('yellow', line)) : []),
    `${colour('bold', title)} ${version}  ${source === null ? 'document of the configuration' : showPath(source)}  ${found}`,
    ...(repaired === 0
      ? []
      : [colour('yellow', `repaired ${countOf(repaired, 'mistake')} of the document, see below`)]),
    ...(settings.file === undefined ? [] : [`config ${showPath(settings.file)}`]),
    ...(preset === undefined ? [] : [`preset: ${preset}`]),
    `fixtures ${items}  seed ${mock.seed}  clock ${clock}`,
    ...(known === 0 && ids.length === 0 ? [] : [`scenarios ${showFolder(scenarios)} (${known})${active}`]),
  ];
}

/** How many mistakes of the document for which something is assumed are known at start. */
function countRepaired({ contract }: Mock<Clock>): number {
  return contract.problems.filter(({ assumed }) => assumed !== undefined).length;
}

/** How many collections have fixtures. */
function countCollections(fixtures: unknown): number {
  return typeof fixtures === 'string' ? listFixtureFiles(fixtures).length : Object.keys(fixtures ?? {}).length;
}

/** A folder, as a path that cannot be read as a word. */
function showFolder(folder: unknown, data?: string): string {
  if (typeof folder !== 'string') return data === undefined ? 'of the configuration' : `of ${showPath(data)}`;
  const shown = showPath(folder);
  return isAbsolute(shown) || shown.startsWith('.') ? shown : `./${shown}`;
}
