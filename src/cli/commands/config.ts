import { cutText } from '../../base/errors.js';
import type { Command } from 'commander';
import { access } from 'node:fs/promises';
import { toFileError } from '../../contract/load/load.js';
import { type OptionName, OPTIONS } from '../../mock/options-table.js';
import { hideUrlSecrets } from '../../conventions/secret-forms.js';
import { isUrl } from '../../base/platform.js';
import type { ConfigDocument, Setting, SettingName } from '../config.js';
import { alignColumns, colour, type Output, showPath } from '../output.js';
import { TRANSPORT_SETTINGS, type TransportName } from '../transport.js';
import { addServeFlags, listDocuments, readServeSettings } from './serve.js';

/** The settings whose values are credentials. */
const SECRETS: ReadonlySet<SettingName> = new Set<OptionName>([
  'auth.tokens',
  'control.token',
  'recordings.upstreamHeaders',
  'recordings.cert',
  'recordings.key',
]);

/** Defines `vouch config`, which has the flags of `vouch serve`. */
export function defineCommand(command: Command, { write }: Output): void {
  addServeFlags(command.description('print the settings of `vouch serve` and where each value comes from')).action(
    async (specs: readonly string[], { json }: { readonly json?: boolean }) => {
      const served = await readServeSettings(specs[0], command);
      const { file, all } = served.settings;
      const given = new Map(all);
      const add = (name: OptionName, value: unknown, origin: string): void => {
        if (value !== undefined && !given.has(name)) given.set(name, { value, origin });
      };
      if (specs.length > 0) given.set('spec', { value: specs.length > 1 ? specs : specs[0], origin: 'argument' });
      else if (!given.has('documents')) add('spec', served.spec, 'default');
      if (specs.length < 2 && !given.has('documents')) add('fixtures', served.fixtures, 'default');
      if (typeof served.scenarios === 'string') add('scenarios.from', served.scenarios, 'default');
      const settings = addDefaults(given);
      if (json === true) write(JSON.stringify({ config: file ?? null, settings: Object.fromEntries(settings) }));
      else for (const line of describeSettings(settings, file)) write(line);
      const documents = listDocuments(specs, served.settings);
      const entries = documents && (await import('../serving/documents.js')).readEntries(documents, served.settings);
      for (const { spec } of entries ?? [served]) await checkFile(spec);
    },
  );
}

/** @throws MockError `SPEC_NOT_FOUND`, `SPEC_UNREADABLE` for a document whose file cannot be read. */
async function checkFile(spec: unknown): Promise<void> {
  if (typeof spec !== 'string' || /^(?:https?|file):/.test(spec)) return;
  await access(spec).catch((cause: unknown) => {
    throw toFileError(cause, spec, process.cwd());
  });
}

/** The settings in the order of the table of options, as they are shown, with the defaults of those that are not given. */
function addDefaults(given: ReadonlyMap<SettingName, Setting>): ReadonlyMap<SettingName, Setting> {
  const has = (group: string): boolean => [...given.keys()].some((name) => name.startsWith(group));
  const isOff = (name: string): boolean =>
    given.get(name.split('.')[0] as OptionName)?.value === false && name.includes('.');
  // The tables have the names of settings.
  const transport = Object.keys(TRANSPORT_SETTINGS) as TransportName[];
  const names: readonly SettingName[] = [...transport, 'documents', ...(Object.keys(OPTIONS) as OptionName[])];
  const settings = names.flatMap((name): readonly (readonly [SettingName, Setting])[] => {
    const setting = given.get(name);
    if (setting !== undefined) return [[name, { ...setting, value: showValue(name, setting.value) }]];
    if (!(name in OPTIONS) || isOff(name) || (name.startsWith('recordings.') && !has('recordings.'))) return [];
    const { default: value } = OPTIONS[name as OptionName];
    return value === undefined ? [] : [[name, { value, origin: 'default' }]];
  });
  return new Map(settings);
}

/** A value without credentials and functions. */
function showValue(name: SettingName, value: unknown): unknown {
  if (SECRETS.has(name) && value !== false) return '(hidden)';
  if (typeof value === 'string' && value.includes('-----BEGIN ')) return '(PEM)';
  if (name === 'handlers' && typeof value === 'object') return Object.keys(value ?? {});
  if (typeof value === 'function') return '(function)';
  if (name === 'documents') return showDocuments(value);
  if (isUrl(value) || typeof value === 'string') return hideUrlSecrets(String(value));
  return Array.isArray(value) ? value.map((each) => (typeof each === 'function' ? '(function)' : each)) : value;
}

/** The documents as the configuration file has them, without credentials. */
function showDocuments(value: unknown): unknown {
  // `loadConfig` has read them.
  return (value as readonly ConfigDocument[]).map(({ options, ...document }) => {
    const shown = Object.entries(options).map(([name, each]) => [name, showValue(name as OptionName, each)]);
    return { ...document, ...(Object.fromEntries(shown) as object) };
  });
}

/** How many characters of a value are printed. */
const MAX_SHOWN = 60;

function describeSettings(settings: ReadonlyMap<SettingName, Setting>, file: string | undefined): readonly string[] {
  const rows = [...settings].map(([name, { value, origin }]) => {
    return [name, cutText(JSON.stringify(value), MAX_SHOWN), origin] as const;
  });
  return [
    file === undefined ? 'no configuration file' : `configuration file ${colour('bold', showPath(file))}`,
    ...alignColumns(rows).map((line, i) => (rows[i]?.[2] === 'default' ? colour('gray', line) : line)),
  ];
}
