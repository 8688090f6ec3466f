import { type Command, Option } from 'commander';
import { existsSync } from 'node:fs';
import { type OptionName, OPTIONS } from '../options-table.js';
import { readOptionFlags } from './flags.js';
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
 * @param names - The options that the command has flags for.
 * @param edition - How often they were read before.
 * @throws MockError `OPTION_INVALID` where the configuration file cannot be used.
 */
export async function readSettings(
  command: Command,
  names: readonly OptionName[],
  edition = 0,
): Promise<CommandSettings> {
  const configs = listConfigFiles(command);
  const file = configs.length === 1 ? configs[0] : configs.find(existsSync);
  // Loaded on demand: most folders have no configuration file.
  const { loadConfig } = file === undefined ? {} : await import('./load-config.js');
  const config = file === undefined ? undefined : await loadConfig?.(file, edition);
  const flags = readFlags(command, names);
  const all = mergeLayers([flags('default'), config ?? [], flags('env'), flags('cli')]);
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

/** The settings that commander got from one source. */
function readFlags(
  command: Command,
  names: readonly OptionName[],
): (source: 'default' | 'env' | 'cli') => SettingLayer {
  const values = readOptionFlags(command.opts(), names);
  return (source) => {
    const transport = Object.entries(TRANSPORT_SETTINGS).map(([name, [flag]]) => {
      const long = command.options.find((each) => each.attributeName() === flag)?.long ?? '';
      // The keys of the table are the names of settings.
      return [name as keyof typeof TRANSPORT_SETTINGS, command.opts()[flag] as unknown, long] as const;
    });
    const options = names.map(
      (name) => [name, values[name], OPTIONS[name].flag ?? OPTIONS[name].noFlag ?? ''] as const,
    );
    return [...transport, ...options].flatMap(([name, value, flag]) => {
      const option = new Option(flag);
      if (value === undefined || command.getOptionValueSource(option.attributeName()) !== source) return [];
      // `--no-…` is a default of commander, not of the option.
      if (source === 'default' && value === true) return [];
      const variable = command.options.find((each) => each.attributeName() === option.attributeName())?.envVar ?? '';
      const used = value === false && name in OPTIONS ? OPTIONS[name as OptionName].noFlag : undefined;
      const origin = { default: 'default', env: variable, cli: `flag ${used ?? option.long}` }[source];
      return [expandFolder(name, { value, origin })];
    });
  };
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
