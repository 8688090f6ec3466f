import { basename, dirname, extname, join } from 'node:path';
import { existsSync } from 'node:fs';
import {
  checkNames,
  createMocks,
  type Mocks,
  type MocksOptions,
  type MocksServer,
} from '../../mock/documents/mocks.js';
import { MockError, type Place, countOf } from '../../base/errors.js';
import type { OptionName } from '../../mock/options-table.js';
import { nestOptions } from '../../mock/read-options.js';
import { hideUrlSecrets } from '../../conventions/secret-forms.js';
import type { CommandSettings, ConfigDocument } from '../config.js';
import { findFolder } from '../flags.js';
import { type ListenFlags, listenUntilSignal } from '../transport.js';
import { logInteractions, printReload } from './log.js';
import { describeControl, linkInspector, openInspector, printProblemsLater, type StartOptions } from './start.js';
import { colour, showPath } from '../output.js';
import type { MockReload } from '../../server/control/reloads.js';
import { host } from '../../base/platform.js';

/** The options that belong to one document. */
const OWN_OPTIONS: readonly OptionName[] = [
  'overlays',
  'preset',
  'fixtures',
  'handlers',
  'basePath',
  'prefix',
  'scenarios.from',
  'scenarios.active',
];

/** A document with its name and folders. */
interface ServedDocument extends ConfigDocument {
  readonly name: string;
  readonly spec: string | object;
  readonly fixtures: unknown;
  readonly scenarios: unknown;
}

/** Serves several documents until a signal. @returns the exit code, 0. */
export async function serveDocuments(given: readonly ConfigDocument[], options: StartOptions): Promise<number> {
  const entries = readEntries(given, options.settings);
  await using all: Mocks = await createMocks(
    entries.map((entry) => {
      const locate = (pointer: string): Place => all.mocks[entry.name]?.contract.locate(pointer) ?? { pointer };
      return toOptions(entry, options, locate);
    }),
  );
  const background = new host.AbortController();
  const signal = await listenUntilSignal(all, options, (server, notes) => {
    if (options.json === true) options.write(JSON.stringify(toJson(entries, all, { server, options })));
    else {
      const lines = entries.flatMap((entry) => describeEntry(entry, all, { server, options }));
      const { file } = options.settings;
      const where = server.socket === undefined ? '' : `  (socket ${showPath(server.socket)})`;
      const config = file === undefined ? [] : [`config ${showPath(file)}`];
      options.write([...lines, ...config, ...notes, `listening on ${colour('bold', server.url)}${where}`].join('\n'));
    }
    openInspector(server.socket === undefined ? `${server.url}/` : null, options);
    for (const { name, spec } of entries) {
      const mock = all.mocks[name];
      if (mock !== undefined) void printProblemsLater(mock, { ...options, spec }, background.signal);
    }
  });
  background.abort();
  if (options.json !== true) options.write(colour('gray', `${signal}: closing`));
  return 0;
}

/**
 * Reads the documents of a configuration file with their names and folders.
 *
 * @throws MockError `OPTION_INVALID` for an option that belongs to one document, for a document without `spec` and for a name that cannot be used.
 */
export function readEntries(given: readonly ConfigDocument[], { options }: CommandSettings): readonly ServedDocument[] {
  const shared = OWN_OPTIONS.find((name) => {
    const value = options[name];
    return value !== undefined && value !== false && JSON.stringify(value) !== '{}';
  });
  if (shared !== undefined) {
    const hint = `give it to a document in vouch.config.yaml: documents: [{ spec: …, ${shared.split('.')[0] ?? ''}: … }]`;
    throw new MockError('OPTION_INVALID', `the option "${shared}" belongs to one document, and there are several`, {
      hint,
    });
  }
  const names = readNames(given);
  const entries = given.map((document, i) => {
    const spec = document.options.spec;
    if (spec === undefined) {
      const hint = 'a document has the options of a mock: documents: [{ spec: api.yaml }]';
      throw new MockError('OPTION_INVALID', `document ${i + 1} has no "spec"`, { hint });
    }
    const name = names[i] ?? '';
    const find = (kind: 'fixtures' | 'scenarios'): string | undefined => findOwnFolder(given, { spec, name, kind });
    const read = (option: OptionName): unknown => document.options[option] ?? options[option];
    return {
      ...document,
      name,
      // The configuration file was checked: it is a path, a URL or a document.
      spec: spec as string | object,
      fixtures: read('fixtures') === false ? undefined : (read('fixtures') ?? find('fixtures')),
      scenarios: read('scenarios.from') ?? find('scenarios') ?? {},
    };
  });
  checkNames(entries);
  return entries;
}

/** The given names, else the names of the files; for files with the same name, the names of their folders. */
function readNames(documents: readonly ConfigDocument[]): readonly string[] {
  const paths = documents.map(({ options: { spec } }) => (typeof spec === 'string' ? spec.replace(/[?#].*$/, '') : ''));
  const files = paths.map((path) => toName(basename(path, extname(path))) || 'document');
  const isRepeated = (name: string): boolean => files.filter((each) => each === name).length > 1;
  return documents.map(({ name }, i) => {
    const file = files[i] ?? '';
    if (name !== undefined || !isRepeated(file)) return name ?? file;
    const folder = dirname(paths[i] ?? '');
    const own = toName(basename(basename(folder) === 'spec' ? dirname(folder) : folder)) || file;
    const others = paths.filter((path, j) => j < i && files[j] === file && dirname(path) === folder).length;
    return others === 0 ? own : `${own}-${others + 1}`;
  });
}

function toName(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-').replace(/^[.-]+/, '');
}

/** `fixtures/NAME` beside the document, or `fixtures` if no other document is beside it. */
function findOwnFolder(
  documents: readonly ConfigDocument[],
  { spec, name, kind }: { readonly spec: unknown; readonly name: string; readonly kind: 'fixtures' | 'scenarios' },
): string | undefined {
  const folder = findFolder(spec, kind);
  if (folder === undefined) return undefined;
  const own = join(folder, name);
  if (existsSync(own)) return own;
  return documents.filter(({ options }) => findFolder(options.spec, kind) === folder).length === 1 ? folder : undefined;
}

/** The options of a mock: the options of its document, then the options of all documents. */
function toOptions(
  entry: ServedDocument,
  { settings, ...options }: StartOptions,
  locate: (pointer: string) => Place,
): MocksOptions {
  const { name, host: own, spec, fixtures, scenarios } = entry;
  const write = (text: string): void => options.write(addName(text, name, options));
  const { onInteraction } = logInteractions({ ...options, write }, locate);
  const { onRefused } = logInteractions(options, locate);
  const log = { ...(onInteraction && { onInteraction }), ...(onRefused && { onRefused }) };
  const reload = { watch: true, onReload: (done: MockReload) => printReload(done, options) };
  const given = { ...reload, ...settings.options, ...entry.options, spec, fixtures, 'scenarios.from': scenarios };
  return {
    ...log,
    ...nestOptions({ ...given, 'scenarios.active': given['scenarios.active'] ?? [] }),
    name,
    ...(own !== undefined && { host: own }),
  };
}

/** Lines of the log with the document that answered. */
function addName(text: string, name: string, { json }: ListenFlags): string {
  if (json === true) return text.replaceAll(/^\{/gm, () => `{"document":${JSON.stringify(name)},`);
  return text.replaceAll(/^/gm, () => `${name} `);
}

interface Served {
  readonly server: MocksServer;
  readonly options: StartOptions;
}

function describeEntry(
  { name, host: own, spec, fixtures }: ServedDocument,
  { mocks }: Mocks,
  { server, options }: Served,
): readonly string[] {
  const mock = mocks[name];
  if (mock === undefined) return [];
  const { title, version, operations } = mock.contract;
  const source = typeof spec === 'string' ? `  ${showPath(hideUrlSecrets(spec))}` : '';
  const shown =
    typeof fixtures === 'string' ? showPath(fixtures) : fixtures === undefined ? 'none' : 'of the configuration';
  const only = own === undefined ? '' : `  for the host ${own}`;
  const control = server.controlUrls[name];
  return [
    `${colour('bold', name)}  ${title} ${version}${source}  ${countOf(operations.length, 'operation')}`,
    `  ${server.baseUrls[name] ?? ''}${only}  fixtures ${shown}  seed ${mock.seed}`,
    ...(control === undefined ? ['  control API disabled'] : [`  ${describeControl(options, control)}`]),
    ...(control === undefined || server.socket !== undefined
      ? []
      : [`  inspector ${linkInspector(options, server, control)}`]),
  ];
}

/** The object that `--json` prints at start. */
function toJson(entries: readonly ServedDocument[], { mocks }: Mocks, { server, options }: Served): object {
  const documents = entries.map(({ name, host: own, spec, fixtures }) => {
    const mock = mocks[name];
    const control = server.controlUrls[name];
    return {
      name,
      listening: server.baseUrls[name],
      host: own ?? null,
      control: control ?? null,
      inspector: control === undefined || server.socket !== undefined ? null : linkInspector(options, server, control),
      seed: mock?.seed,
      spec: typeof spec === 'string' ? hideUrlSecrets(spec) : null,
      preset: mock?.contract.preset ?? null,
      fixtures: typeof fixtures === 'string' ? fixtures : null,
    };
  });
  const { socket } = server;
  return {
    listening: server.url,
    documents,
    config: options.settings.file ?? null,
    ...(socket !== undefined && { socket }),
  };
}
