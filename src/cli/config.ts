import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import type { OptionName } from '../options-table.js';
import { listFlagOptions, readFlagProperty } from './flags.js';
import type { ConfigDocument, Setting, SettingLayer, SettingName } from './load-config.js';
import { isTransportName, TRANSPORT_SETTINGS } from './transport.js';

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
  // Loaded on demand: most folders have no configuration file.
  const { loadConfig } = file === undefined ? {} : await import('./load-config.js');
  const config = file === undefined ? undefined : await loadConfig?.(file, edition);
  const read = (source: 'default' | 'env' | 'cli'): SettingLayer => readFlags(command, source);
  const all = mergeLayers([read('default'), config ?? [], read('env'), read('cli')]);
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
  const { loadModule, readExports } = await import('./load-module.js');
  return { ...options, handlers: Object.fromEntries(readExports(await loadModule(handlers, 'the handlers', edition))) };
}

/** The files that may be the configuration file: the one that is named, or those of the current folder. */
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

/** Merges layers; the last one wins. What a layer says about a group replaces members of weaker layers, and the other way round. */
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
