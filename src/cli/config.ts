import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { isObject } from '../base/json.js';
import { parseText } from '../contract/load/parse.js';
import { createLineFinder } from '../contract/load/source-map.js';
import { MockError, type Place } from '../base/errors.js';
import { loadTextFile } from '../base/inside-folder.js';
import { type OptionName, OPTIONS } from '../mock/options-table.js';
import { flattenOptions, type NamedOption } from '../mock/read-options.js';
import { isFlagOf, listFlagOptions, readFlagProperty } from './flags.js';
import { loadModule, readExports } from './load-module.js';
import { showPath } from './output.js';
import { isTransportName, readTransportMember, TRANSPORT_SETTINGS, type TransportName } from './transport.js';

/** The names of settings of configuration files and flags: the options of a mock, and how its server is reached. */
export type SettingName = OptionName | TransportName | 'documents';

/** One of several documents, with its options by dotted name. */
export interface ConfigDocument {
  readonly name?: string;
  readonly host?: string;
  readonly options: Partial<Readonly<Record<OptionName, unknown>>>;
}

/** A value, and where it comes from: `flag --seed`, `VOUCH_SEED`, `vouch.config.yaml` or `default`. */
export interface Setting {
  readonly value: unknown;
  readonly origin: string;
}

/** Settings of one origin. */
type SettingLayer = readonly (readonly [name: SettingName, setting: Setting])[];

/** The settings of a command, of each the strongest: flag > environment > configuration file > default. */
export interface CommandSettings {
  readonly all: ReadonlyMap<SettingName, Setting>;
  /** The configuration file that was read. */
  readonly file: string | undefined;
  /** The values of options by dotted name. */
  readonly options: Partial<Readonly<Record<OptionName, unknown>>>;
  /** The documents that the configuration file serves together. */
  readonly documents?: readonly ConfigDocument[];
}

const CONFIG_NAMES = ['ts', 'mts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((extension) => `vouch.config.${extension}`);

/** Adds the flags that choose the configuration file. */
export function addConfigFlags(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'configuration file (default: vouch.config.ts, .js, .json or .yaml in the current folder)',
    )
    .option('--no-config', 'read no configuration file');
}

/**
 * Reads the settings of a command from its flags, the environment and the configuration file.
 *
 * @param edition - How often they were read before.
 * @throws MockError `OPTION_INVALID` where the configuration file cannot be used.
 */
export async function readSettings(command: Command, edition = 0): Promise<CommandSettings> {
  const configs = listConfigFiles(command);
  const file = configs.length === 1 ? configs[0] : configs.find(existsSync);
  const config = file === undefined ? [] : await loadConfig(file, edition);
  const read = (source: 'default' | 'env' | 'cli'): SettingLayer => readFlags(command, source);
  const all = mergeLayers([read('default'), config, read('env'), read('cli')]);
  const options = new Map(
    [...all].flatMap(([name, { value }]) => (isTransportName(name) || name === 'documents' ? [] : [[name, value]])),
  );
  // `loadConfig` has read them.
  const documents = all.get('documents')?.value as readonly ConfigDocument[] | undefined;
  return {
    all,
    file,
    options: await loadHandlers(Object.fromEntries(options), edition),
    ...(documents && {
      documents: await Promise.all(
        documents.map(async (document) => ({ ...document, options: await loadHandlers(document.options, edition) })),
      ),
    }),
  };
}

/** The options with the handlers of the module that they name. */
async function loadHandlers(options: CommandSettings['options'], edition: number): Promise<CommandSettings['options']> {
  const { handlers } = options;
  if (typeof handlers !== 'string') return options;
  return { ...options, handlers: Object.fromEntries(readExports(await loadModule(handlers, 'the handlers', edition))) };
}

/** The files that may be the configuration file: the one that is named, or the ones of the current folder. */
export function listConfigFiles(command: Command): readonly string[] {
  const given: unknown = command.opts()['config'];
  return typeof given === 'string' ? [given] : given === false ? [] : CONFIG_NAMES;
}

/** The settings that have a flag, each with the property that commander gives the flag. */
const FLAGS: readonly (readonly [name: SettingName, property: string])[] = [
  // The keys of the table are the names of settings.
  ...Object.entries(TRANSPORT_SETTINGS).map(([name, [flag]]) => [name as SettingName, flag] as const),
  ...listFlagOptions(/./).map((name) => [name, readFlagProperty(name)] as const),
];

/** The settings that commander got from one source. */
function readFlags(command: Command, source: 'default' | 'env' | 'cli'): SettingLayer {
  return FLAGS.flatMap(([name, property]) => {
    const value: unknown = command.opts()[property];
    if (value === undefined || command.getOptionValueSource(property) !== source) return [];
    if (name in OPTIONS && !isFlagOf(name as OptionName, value)) return [];
    // `--no-…` is a default of commander, not of the option.
    if (source === 'default' && value === true) return [];
    const used = command.options.find((each) => each.attributeName() === property && each.negate === (value === false));
    const origin = { default: 'default', env: used?.envVar ?? '', cli: `flag ${used?.long ?? ''}` }[source];
    return [expandFolder(name, { value, origin })];
  });
}

/** `--scenarios folder` and `--recordings folder` are short for a member of the group. */
function expandFolder(name: SettingName, setting: Setting): readonly [SettingName, Setting] {
  if (name === 'scenarios') {
    return ['scenarios.from', setting.value === false ? { ...setting, value: {} } : setting];
  }
  return [name === 'recordings' ? 'recordings.folder' : name, setting];
}

/** Merges layers; the last one wins. A group in a layer replaces its members in weaker layers, and the other way round. */
function mergeLayers(layers: readonly SettingLayer[]): ReadonlyMap<SettingName, Setting> {
  const merged = new Map<SettingName, Setting>();
  for (const layer of layers) {
    for (const [name] of layer) {
      const weaker = [...merged.keys()].filter((known) => known.startsWith(`${name}.`) || name.startsWith(`${known}.`));
      for (const known of weaker) merged.delete(known);
    }
    for (const [name, setting] of layer) merged.set(name, setting);
  }
  return merged;
}

/** The options whose values are paths. */
const PATHS: ReadonlySet<SettingName> = new Set<SettingName>([
  'spec',
  'overlays',
  'fixtures',
  'handlers',
  'scenarios.from',
  'state.file',
  'recordings.folder',
  'document.cacheFolder',
  'socket',
  'portFile',
  'tls.cert',
  'tls.key',
]);

interface LoadedConfig {
  readonly value: unknown;
  /** The place of a member of the configuration. */
  locate(member: string): Place;
}

/** Loads a configuration file. @param edition - How often it was loaded before. @throws MockError `OPTION_INVALID` with the place of what is wrong. */
async function loadConfig(file: string, edition: number): Promise<SettingLayer> {
  const { value, locate } = /\.(?:json|ya?ml)$/.test(file) ? loadData(file) : await loadCode(file, edition);
  const at = { file };
  if (!isObject(value)) {
    const hint = 'a JavaScript or TypeScript module exports it: export default defineConfig({ … })';
    throw new MockError('OPTION_INVALID', 'the configuration is not an object', { at, hint });
  }
  const folder = relative(process.cwd(), dirname(resolve(file)));
  const origin = showPath(file);
  return Object.entries(value).flatMap(([member, given]) => {
    try {
      return readMember(member, given).map(([name, each]): readonly [SettingName, Setting] => {
        return [name, { value: toOwnValue(folder, name, each), origin }];
      });
    } catch (cause) {
      if (!(cause instanceof MockError)) throw cause;
      const { code, reason, hint } = cause;
      throw new MockError(code, reason, { at: locate(member), cause, ...(hint !== undefined && { hint }) });
    }
  });
}

function toOwnValue(folder: string, name: SettingName, value: unknown): unknown {
  if (name !== 'documents') return PATHS.has(name) ? toOwnPath(folder, value) : value;
  // `readMember` has made it of the documents.
  return (value as readonly ConfigDocument[]).map(({ options, ...document }) => {
    const own = Object.entries(options).map(([option, each]) => [
      option,
      toOwnValue(folder, option as OptionName, each),
    ]);
    return { ...document, options: Object.fromEntries(own) as ConfigDocument['options'] };
  });
}

type NamedSetting = NamedOption | readonly [name: TransportName | 'documents', value: unknown];

function readMember(member: string, value: unknown): readonly NamedSetting[] {
  if (member === '$schema') return [];
  if (member === 'documents') return [[member, readDocuments(value)]];
  if (member === 'handlers' && typeof value === 'string') return [['handlers', value]];
  if (isTransportName(member)) return readTransportMember(member, value);
  return flattenOptions({ [member]: value }, SERVER_MEMBERS);
}

/** The members of a configuration file that are not options of a mock. */
const SERVER_MEMBERS = [...Object.keys(TRANSPORT_SETTINGS).filter((name) => !name.includes('.')), 'documents'];

function readDocuments(given: unknown): readonly ConfigDocument[] {
  if (!Array.isArray(given) || !given.every(isObject)) {
    const hint = 'each document has options of its own: documents: [{ spec: api.yaml, prefix: /api }]';
    throw new MockError('OPTION_INVALID', 'the option "documents" must be an array of objects', { hint });
  }
  return given.map(({ name, host, ...options }) => {
    for (const [member, value] of Object.entries({ name, host })) {
      if (value !== undefined && typeof value !== 'string')
        throw new MockError('OPTION_INVALID', `the option "${member}" of a document must be a string`);
    }
    const members = Object.entries(options).flatMap(([member, value]): readonly NamedOption[] =>
      member === 'handlers' && typeof value === 'string'
        ? [['handlers', value]]
        : flattenOptions({ [member]: value }, ['name', 'host']),
    );
    return {
      ...(typeof name === 'string' && { name }),
      ...(typeof host === 'string' && { host }),
      options: Object.fromEntries(members),
    };
  });
}

function loadData(file: string): LoadedConfig {
  const text = loadTextFile(file, 'OPTION_INVALID', { what: 'the configuration file' });
  const findLine = createLineFinder(text);
  return {
    value: parseText(text, file, 'OPTION_INVALID').value,
    locate: (member) => ({ file, ...findLine(`/${member}`) }),
  };
}

async function loadCode(file: string, edition: number): Promise<LoadedConfig> {
  const { default: main } = await loadModule(file, 'the configuration', edition);
  return { value: main, locate: () => ({ file }) };
}

/** Relative paths start at the folder of the configuration file. */
function toOwnPath(folder: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => toOwnPath(folder, each));
  if (typeof value !== 'string' || folder === '' || isAbsolute(value)) return value;
  // A URL, or a certificate instead of its file.
  if (/^[a-z][a-z+.-]+:\/\/|-----BEGIN /i.test(value)) return value;
  return relative(process.cwd(), resolve(folder, value)) || '.';
}
