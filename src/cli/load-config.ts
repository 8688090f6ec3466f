import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { isObject } from '../contract/json.js';
import { parseText } from '../contract/load/parse.js';
import { createLineFinder } from '../contract/load/source-map.js';
import { MockError, type Place, toReason } from '../errors.js';
import type { OptionName } from '../options-table.js';
import { flattenOptions, type NamedOption } from '../read-options.js';
import { loadModule } from './load-module.js';
import { showPath } from './output.js';
import { isTransportName, readTransportMember, type TransportName } from './transport.js';

/** What a configuration file and flags can set: the options of a mock, and how its server is reached. */
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
export type SettingLayer = readonly (readonly [name: SettingName, setting: Setting])[];

/** The options whose values are paths. */
const PATHS: ReadonlySet<SettingName> = new Set<SettingName>([
  'spec',
  'overlays',
  'fixtures',
  'handlers',
  'scenarios.from',
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
export async function loadConfig(file: string, edition = 0): Promise<SettingLayer> {
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
  return flattenOptions({ [member]: value });
}

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
      member === 'handlers' && typeof value === 'string' ? [['handlers', value]] : flattenOptions({ [member]: value }),
    );
    return {
      ...(typeof name === 'string' && { name }),
      ...(typeof host === 'string' && { host }),
      options: Object.fromEntries(members),
    };
  });
}

function loadData(file: string): LoadedConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = `the configuration file cannot be read: ${toReason(cause)}`;
    throw new MockError('OPTION_INVALID', reason, { at: { file }, cause });
  }
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
