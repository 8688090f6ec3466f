import { type Command, InvalidArgumentError, Option } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MockError } from '../base/errors.js';
import { type OptionName, OPTIONS } from '../mock/options-table.js';
import { toPackageUrl } from '../base/package-folder.js';

/** How flags differ from the options they set, by option. */
export type FlagChanges = Partial<Readonly<Record<OptionName, FlagChange>>>;

/** How a flag differs from the option it sets. */
interface FlagChange {
  readonly description?: string;
  readonly default?: string;
  /** The default as help shows it; empty for none. */
  readonly shownDefault?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
}

/** The descriptions of the flags that switch an option off. */
const NO_FLAGS: Partial<Readonly<Record<OptionName, string>>> = {
  preset: 'use no preset',
  fixtures: 'start without fixtures',
  scenarios: 'start without scenarios',
  state: 'stateless: answer from examples and schemas only',
  watch: 'do not reload the document and other files when they change',
  control: 'disable the control API',
  'control.token': 'require no token for the control API, even from other machines',
  cors: 'do not allow browsers of other origins to read responses',
};

/** Adds the flags of options; name, meaning, default and environment variable come from the table of options. */
export function addOptionFlags(command: Command, names: readonly OptionName[], changes: FlagChanges = {}): Command {
  for (const name of names) {
    const { flag, noFlag } = OPTIONS[name];
    if (flag !== undefined) command.addOption(createFlag(name, flag, changes[name]));
    if (noFlag !== undefined) command.option(noFlag, NO_FLAGS[name]);
  }
  return command;
}

/** Reads the flags of options, as values by option name. */
export function readOptionFlags(
  flags: object,
  names: readonly OptionName[],
): Partial<Readonly<Record<OptionName, unknown>>> {
  const given = new Map(Object.entries(flags));
  const values = names.map((name) => {
    const value: unknown = given.get(readFlagProperty(name));
    // Commander sets `true` where `--no-…` was not given.
    const isDefault = value === true && !OPTIONS[name].kinds.includes('boolean');
    return [name, isDefault || !isFlagOf(name, value) ? undefined : value];
  });
  return Object.fromEntries(values) as Partial<Readonly<Record<OptionName, unknown>>>; // the keys are `names`
}

/** Whether the flag of an option has set a value: `--state <file>` and `--no-state` set different options, and have one property. */
export function isFlagOf(name: OptionName, value: unknown): boolean {
  const { flag, noFlag } = OPTIONS[name];
  if (typeof value === 'boolean') return value || noFlag !== undefined;
  return flag !== undefined;
}

/** The property that commander gives the flag of an option. */
export function readFlagProperty(name: OptionName): string {
  const { flag, noFlag = '' } = OPTIONS[name];
  return new Option(flag ?? noFlag).attributeName();
}

function createFlag(name: OptionName, flag: string, change: FlagChange = {}): Option {
  const { description, default: fallback, otherwise, env, values } = OPTIONS[name];
  const repeatable = isRepeatable(name) ? '; repeatable' : '';
  const option = new Option(flag, `${change.description ?? toHelpText(description)}${repeatable}`);
  const choices = change.choices ?? values;
  if (choices === undefined) addParser(option, name);
  else option.choices(choices);
  if (change.required === true) return option.makeOptionMandatory();
  if (change.default !== undefined) return option.default(change.default);
  if (env !== undefined) option.env(env);
  const value = typeof fallback === 'string' || typeof fallback === 'number' ? String(fallback) : '';
  const shown = change.shownDefault ?? otherwise?.replaceAll('`', '') ?? value;
  return shown === '' ? option : option.default(undefined, shown);
}

/** A sentence as help text: `Base URL of the server.` becomes `base URL of the server`. */
function toHelpText(sentence: string): string {
  const text = sentence.replaceAll('`', '').replace(/\.$/, '');
  return text.replace(/^[A-Z][a-z]*\b/, (word) => word.toLowerCase());
}

function isRepeatable(name: OptionName): boolean {
  const { kinds, flag } = OPTIONS[name];
  if (kinds.includes('string') || name === 'handlers' || flag?.includes('<') !== true) return false;
  return (['strings', 'patterns', 'object'] as const).some((kind) => kinds.includes(kind));
}

function addParser(option: Option, name: OptionName): void {
  const { kinds } = OPTIONS[name];
  if (name === 'recordings.upstreamHeaders') option.argParser(collectHeader);
  else if (name === 'recordings.owners') option.argParser(collectOwner);
  else if (name.endsWith('Bytes')) option.argParser(readSize);
  else if (PEM_FILES.has(name)) option.argParser(readPem);
  else if (isRepeatable(name)) option.argParser(collect);
  else if (kinds.includes('integer')) option.argParser(readInteger);
  else if (kinds.includes('number') && !kinds.includes('string')) option.argParser(readNumber);
}

/** The meaning of a flag with its default and environment variable, as help prints it. */
export function describeFlag(option: Option): string {
  const { description, flags, argChoices, defaultValue, defaultValueDescription, envVar } = option;
  const shown = defaultValueDescription ?? (defaultValue === undefined ? undefined : String(defaultValue));
  const choices = flags.includes('|') ? undefined : argChoices?.join(', ');
  const facts = { 'one of ': choices, 'default: ': shown, 'env: ': envVar };
  const notes = Object.entries(facts).flatMap(([label, fact]) => (fact === undefined ? [] : [label + fact]));
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/** The options that have a flag, in the order of the table. */
export function listFlagOptions(names: RegExp): readonly OptionName[] {
  const all = Object.keys(OPTIONS) as OptionName[]; // the type of the table has no other keys
  return all.filter((name) => names.test(name) && (OPTIONS[name].flag ?? OPTIONS[name].noFlag) !== undefined);
}

/** Options of every command that loads a document. */
export const DOCUMENT_OPTIONS: readonly OptionName[] = listFlagOptions(/^(overlays$|preset$|document\.)/);

/** Adds the optional argument `[spec]`; `findSpec` is its default. */
export function addOptionalSpec(command: Command): Command {
  return command.argument('[spec]', 'OpenAPI document: a file or URL (default: spec/openapi.yaml or openapi.yaml)');
}

/** The document that `findOwnSpec` finds, otherwise the built-in contract. */
export function findSpec(): string {
  return findOwnSpec() ?? fileURLToPath(toPackageUrl('spec/openapi.yaml'));
}

/** `openapi.yaml`, `.yml` or `.json` in the folder `spec`, or in the current folder. */
export function findOwnSpec(): string | undefined {
  const names = ['openapi.yaml', 'openapi.yml', 'openapi.json'];
  return [...names.map((name) => join('spec', name)), ...names].find((path) => existsSync(path));
}

/** A folder of that name beside the document, or beside the folder `spec` that contains the document; undefined if there is none. */
export function findFolder(spec: unknown, name: 'fixtures' | 'scenarios'): string | undefined {
  const candidate = toFolderBeside(spec, name);
  return candidate !== undefined && existsSync(candidate) ? candidate : undefined;
}

/** The path that such a folder has; undefined for a document that is not a file. */
export function toFolderBeside(spec: unknown, name: 'fixtures' | 'scenarios'): string | undefined {
  if (typeof spec !== 'string' || /^https?:/.test(spec)) return undefined;
  const folder = dirname(spec);
  return basename(folder) === 'spec' ? join(folder, '..', name) : join(folder, name);
}

/** Adds the flag `--recordings`. */
export function addRecordingsFlag(command: Command): Command {
  const recordings = { description: 'folder of the cassettes', default: 'fixtures/recordings' };
  return addOptionFlags(command, ['recordings'], { recordings });
}

/** Reads an integer. */
export function readInteger(value: string): number {
  const number = Number(value);
  if (/^-?\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('It must be an integer.');
}

/** @throws InvalidArgumentError for what is not a non-negative number. */
export function readNumber(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new InvalidArgumentError('It must be a non-negative number.');
}

/** `512`, `64kb`, `10mb` in bytes. */
function readSize(value: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(value);
  if (match === null) {
    throw new InvalidArgumentError('It must be a number of bytes, or a number with kb, mb or gb: 10mb.');
  }
  const factor = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }[(match[2] ?? 'b').toLowerCase()] ?? 1;
  return Math.floor(Number(match[1]) * factor);
}

/** Options whose flags name a file with their value. */
const PEM_FILES: ReadonlySet<OptionName> = new Set<OptionName>(['recordings.ca', 'recordings.cert', 'recordings.key']);

/** Reads the file that a flag names. */
export function readPem(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InvalidArgumentError(`The file cannot be read: ${(cause as Error).message}`);
  }
  if (text.includes('-----BEGIN')) return text;
  throw new InvalidArgumentError('The file is not PEM: it has no line that starts with -----BEGIN.');
}

/** Collects the values of a repeatable flag. */
export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

type Pairs = Readonly<Record<string, string>>;

export function collectHeader(line: string, previous: Pairs | undefined): Pairs {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line) ?? [];
  if (name !== undefined && value !== undefined) return { ...previous, [name.toLowerCase()]: value };
  const hint = 'for example: --header "authorization: Bearer $TOKEN"';
  // The line is not quoted because it may contain a credential.
  throw new MockError('OPTION_INVALID', 'a --header value does not have the form "name: value"', { hint });
}

/** The operation ends at the last `=`. */
function collectOwner(pair: string, previous: Pairs | undefined): Pairs {
  const [, operation, owner] = /^(.+)=([\w-]+)$/.exec(pair) ?? [];
  if (operation !== undefined && owner !== undefined) return { ...previous, [operation]: owner };
  const hint =
    'for example: --owner listKeys=replay; owners are mock, replay, forward, forward-then-mock and forward-except-501';
  const reason = `--owner ${JSON.stringify(pair)} does not have the form operation=owner`;
  throw new MockError('OPTION_INVALID', reason, { hint });
}
