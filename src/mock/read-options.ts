import { closedObject, eitherOf } from '../base/json-schema.js';
import { types } from 'node:util';
import { addTo, isObject } from '../base/json.js';
import { joinWords, MockError, nearest, suggest } from '../base/errors.js';
import { type GroupOf, type OptionEntry, type OptionKind, type OptionName, OPTIONS } from './options-table.js';
import type { MockOptions, ScenarioOptions } from './options.js';
import { isUrl } from '../base/platform.js';
import type { StateLimits } from '../resources/store/lists/usage.js';

/** An option type whose members `Key` have a default. */
type WithDefaults<Options, Key extends keyof Options> = Options & Required<Pick<Options, Key>>;

type Group<Name extends keyof MockOptions> = GroupOf<MockOptions, Name>;

/** Checked options: short forms are expanded and defaults are filled in. */
export interface Settings extends WithDefaults<
  Omit<MockOptions, 'cors' | 'coverage' | 'scenarios' | 'recordings' | 'store'>,
  'spec' | 'overlays' | 'seed' | 'strict' | 'middleware'
> {
  readonly document: WithDefaults<Group<'document'>, 'allowHttpRefs'>;
  readonly state: false | WithDefaults<Group<'state'>, keyof StateLimits>;
  readonly auth: Group<'auth'>;
  readonly requests: WithDefaults<Group<'requests'>, 'bodyLimitBytes' | 'lenientAccept'>;
  readonly responses: Required<Group<'responses'>>;
  readonly sessions: Required<Group<'sessions'>>;
  readonly journal: Required<Group<'journal'>>;
  readonly store: Required<Group<'store'>> | undefined;
  readonly control: false | WithDefaults<Group<'control'>, 'prefix' | 'origins'>;
  readonly coverage: false | Group<'coverage'>;
  readonly cors: false | Required<Group<'cors'>>;
  readonly connections: Required<Group<'connections'>>;
  readonly scenarios: (ScenarioOptions & { readonly active: readonly string[] }) | undefined;
  readonly recordings: Group<'recordings'> | undefined;
}

const EXAMPLE = "try createMock({ spec: 'spec/openapi.yaml' })";
/** The document of a mock that only records and replays. */
const NO_CONTRACT = { openapi: '3.1.0', info: { title: 'No contract', version: '-' }, paths: {} };
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
/** A proxy leaves it to the server behind it what is too large. */
const FORWARDED_BODY_LIMIT_BYTES = 256 * 1024 * 1024;

/** The options by name; names are looked up as plain strings. */
const ENTRIES: ReadonlyMap<string, OptionEntry> = new Map(Object.entries(OPTIONS));

/** The members of each group by their own names. */
const MEMBERS = groupMembers();

function groupMembers(): ReadonlyMap<string, readonly OptionMember[]> {
  const groups = new Map<string, OptionMember[]>();
  for (const [name, entry] of ENTRIES) {
    const start = name.lastIndexOf('.') + 1;
    addTo(groups, name.slice(0, start), [name.slice(start), entry]);
  }
  return groups;
}

type OptionMember = readonly [member: string, entry: OptionEntry];

/** The members of a group. @param prefix - The name of the group and a dot; empty for the options themselves. */
function listMembers(prefix: string): readonly OptionMember[] {
  return MEMBERS.get(prefix) ?? [];
}

/**
 * The settings of a mock: options are checked, short forms are expanded and defaults are filled in.
 *
 * @throws MockError `OPTION_INVALID` that names the option, what it accepts, and the nearest name of an unknown one.
 */
export function readOptions(options: object): Settings {
  if (!isObject(options)) refuse('createMock was called without options', EXAMPLE);
  if (options['spec'] === undefined && options['recordings'] === undefined) {
    // A misspelled name is the more probable mistake.
    flattenMembers(expandShortForms(options), '', () => undefined);
    refuse('the option "spec" is missing', EXAMPLE);
  }
  const expanded = { ...expandShortForms(options), spec: options['spec'] ?? NO_CONTRACT };
  flattenMembers(expanded, '', checkRequired);
  const filled = fillDefaults(expanded, '');
  // Every member was checked against the table, and the table is held to the type of the options.
  const settings = filled as unknown as Settings;
  const { requests, control, cors, state, store } = settings;
  if (state !== false && state.file !== undefined && store !== undefined) {
    refuse(
      'the options "state.file" and "store" exclude each other',
      'leave one out: the store keeps the items as well',
    );
  }
  if (control !== false) checkControl(control);
  if (cors !== false) checkOrigins('cors.origins', cors.origins);
  const limit = settings.recordings?.upstream === undefined ? BODY_LIMIT_BYTES : FORWARDED_BODY_LIMIT_BYTES;
  return {
    ...settings,
    requests: { ...requests, bodyLimitBytes: requests.bodyLimitBytes ?? limit },
    scenarios: settings.scenarios && { ...settings.scenarios, active: readIds(settings.scenarios.active) },
  };
}

function expandShortForms(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { scenarios, recordings } = options;
  return {
    ...options,
    scenarios: scenarios === undefined || isScenarioOptions(scenarios) ? scenarios : { from: scenarios },
    recordings: typeof recordings === 'string' ? { folder: recordings } : recordings,
  };
}

/** Whether `scenarios` is given with options: then it has a `from`, or a member that is not a scenario. */
function isScenarioOptions(given: unknown): boolean {
  return isObject(given) && ('from' in given || !Object.values(given).every(isObject));
}

/** @throws MockError `OPTION_INVALID` where a group lacks a member. */
function checkRequired(given: Readonly<Record<string, unknown>>, prefix: string): void {
  for (const [member, { otherwise, description }] of listMembers(prefix)) {
    const isMissing = otherwise === 'required' && given[member] === undefined;
    if (isMissing) refuse(`the option "${prefix}${member}" is missing`, description);
  }
}

/** The value of an option of a feature, or its default. @throws MockError `OPTION_INVALID`. */
export function readOptionOf(name: string, entry: OptionEntry, value: unknown): unknown {
  if (value === undefined) return entry.default;
  checkValue(name, entry, value);
  return value;
}

function checkValue(name: string, entry: OptionEntry, value: unknown): void {
  const { kinds, values, memberValues, minimum } = entry;
  const isSmall = typeof value === 'number' && minimum !== undefined && value < minimum;
  if (isSmall || !kinds.some((kind) => KINDS[kind].accepts(value))) {
    refuse(`the option "${name}" must be ${describeEntry(entry)}, got ${describeValue(value)}`, describeHint(entry));
  }
  if (values !== undefined && typeof value === 'string') checkWord(name, value, values);
  if (memberValues === undefined || !isObject(value)) return;
  for (const [member, word] of Object.entries(value)) checkWord(`${name}["${member}"]`, word, memberValues);
}

function checkWord(name: string, word: unknown, words: readonly string[]): void {
  if (typeof word === 'string' && words.includes(word)) return;
  const list = words.map((known) => JSON.stringify(known)).join(', ');
  const message = `the option "${name}" must be one of ${list}, got`;
  if (typeof word === 'string') refuse(`${message} ${JSON.stringify(word)}`, suggest(word, words));
  refuse(`${message} ${describeValue(word)}`, undefined);
}

interface KindRules {
  readonly noun: string;
  /** JSON Schema of the values that a file can hold; undefined where there are none. */
  readonly schema?: Readonly<Record<string, unknown>>;
  accepts(value: unknown): boolean;
}

const isString = (value: unknown): boolean => typeof value === 'string';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isPattern = (value: unknown): boolean => isString(value) || types.isRegExp(value);
const isArrayOf =
  (accepts: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(accepts);
const STRINGS = { type: 'array', items: { type: 'string' } };

/** The rules of the kinds of values, for checks, messages and JSON Schemas. */
export const KINDS: Readonly<Record<OptionKind, KindRules>> = {
  string: { noun: 'a string', schema: { type: 'string' }, accepts: isString },
  boolean: { noun: 'a boolean', schema: { type: 'boolean' }, accepts: (value) => typeof value === 'boolean' },
  false: { noun: 'false', schema: { const: false }, accepts: (value) => value === false },
  integer: { noun: 'an integer', schema: { type: 'integer' }, accepts: Number.isSafeInteger },
  number: { noun: 'a number', schema: { type: 'number' }, accepts: Number.isFinite },
  object: { noun: 'an object', schema: { type: 'object' }, accepts: isObject },
  strings: { noun: 'an array of strings', schema: STRINGS, accepts: isArrayOf(isString) },
  patterns: { noun: 'an array of strings and regular expressions', schema: STRINGS, accepts: isArrayOf(isPattern) },
  function: { noun: 'a function', accepts: isFunction },
  functions: { noun: 'an array of functions', accepts: isArrayOf(isFunction) },
  URL: { noun: 'a URL', accepts: (value) => isUrl(value) },
  Date: { noun: 'a Date', accepts: types.isDate },
  Clock: { noun: 'a clock', accepts: (value) => isObject(value) && [value['now'], value['sleep']].every(isFunction) },
};

function describeEntry({ kinds, minimum }: OptionEntry): string {
  const nouns = kinds.map((kind) => KINDS[kind].noun);
  return joinWords(minimum === 0 ? nouns.map((noun) => noun.replace(/^an? /, 'a non-negative ')) : nouns);
}

/** A value in a message. Strings are not quoted: they may be credentials. */
function describeValue(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function describeHint({ description, default: value }: OptionEntry): string {
  return value === undefined ? description : `${description} Default: ${JSON.stringify(value)}`;
}

/** @param others - Names that are known beside the members of the group. */
function refuseUnknown(member: string, prefix: string, others: readonly string[] = []): never {
  const siblings = [...listMembers(prefix).map(([name]) => prefix + name), ...others];
  const elsewhere = [...ENTRIES.keys()].find((name) => name.endsWith(`.${member}`));
  const meant = nearest(prefix + member, siblings) ?? elsewhere;
  const list = siblings.map((name) => name.slice(prefix.length)).join(', ');
  const all = `the options${prefix === '' ? '' : ` of "${prefix.slice(0, -1)}"`} are ${list}`;
  refuse(`there is no option "${prefix}${member}"`, meant === undefined ? all : `did you mean "${meant}"?`);
}

function isGroup(name: string): boolean {
  return MEMBERS.has(`${name}.`);
}

/** Fills in defaults; `recordings` and `scenarios` exist only where they were given. */
function fillDefaults(given: Readonly<Record<string, unknown>>, prefix: string): Readonly<Record<string, unknown>> {
  const filled: Record<string, unknown> = { ...given };
  for (const [member, entry] of listMembers(prefix)) {
    const name = prefix + member;
    const value = given[member] ?? entry.default;
    if (isGroup(name) && value !== false && (value !== undefined || !OPTIONAL_GROUPS.has(name))) {
      filled[member] = fillDefaults(isObject(value) ? value : {}, `${name}.`);
    } else if (value !== undefined) filled[member] = value;
  }
  return filled;
}

const OPTIONAL_GROUPS = new Set(['scenarios', 'store', 'recordings', 'recordings.redact', 'recordings.match']);

/** The ids of scenarios: an array, or a string with commas. */
export function readIds(given: string | readonly string[]): readonly string[] {
  const list = typeof given === 'string' ? given.split(',') : given;
  return list.map((id) => id.trim()).filter((id) => id !== '');
}

function checkControl({ prefix, token, origins }: Exclude<Settings['control'], false>): void {
  if (!/^(?:\/[\w.-]+)+$/.test(prefix)) {
    const hint = 'start with a slash and end without one: "/__mock"';
    refuse(`the option "control.prefix" cannot be ${JSON.stringify(prefix)}`, hint);
  }
  if (token === '') {
    const hint = 'give a string, or control: { token: false } for no token (--no-control-token)';
    refuse('the option "control.token" is empty', hint);
  }
  checkOrigins('control.origins', origins);
}

function checkOrigins(name: OptionName, origins: readonly string[]): void {
  const wrong = origins.find((origin) => !/^[a-z][a-z0-9+.-]*:\/\/[^/\s*]+$/i.test(origin));
  if (wrong === undefined) return;
  const hint = 'an origin is a scheme, a host and a port: "http://localhost:5173"';
  refuse(`the option "${name}" has ${JSON.stringify(wrong)}, which is not an origin`, hint);
}

function refuse(message: string, hint: string | undefined): never {
  throw new MockError('OPTION_INVALID', message, { hint });
}

/** The JSON Schema (2020-12) of a configuration file: every option that JSON can express. */
export function optionsSchema(): Readonly<Record<string, unknown>> {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...createGroupSchema('') };
}

function createGroupSchema(prefix: string): Readonly<Record<string, unknown>> {
  const properties = listMembers(prefix).flatMap(([member, entry]) => {
    const schema = createSchema(prefix + member, entry);
    return schema === undefined ? [] : [[member, schema]];
  });
  return closedObject(Object.fromEntries(properties));
}

function createSchema(name: string, entry: OptionEntry): Readonly<Record<string, unknown>> | undefined {
  const { kinds, values, memberValues, minimum, description } = entry;
  const schemas = kinds.flatMap((kind) => {
    const { schema } = KINDS[kind];
    if (schema === undefined || name === 'handlers') return [];
    if (kind === 'string' && values !== undefined) return [{ enum: values }];
    if (kind !== 'object') return [minimum === undefined ? schema : { ...schema, minimum }];
    if (memberValues !== undefined) return [{ ...schema, additionalProperties: { enum: memberValues } }];
    return isGroup(name) && name !== 'scenarios' ? [createGroupSchema(`${name}.`)] : [schema];
  });
  if (schemas.length === 0) return undefined;
  const shape = schemas.length === 1 ? schemas[0] : eitherOf(...schemas);
  return { description, ...(entry.default === undefined ? {} : { default: entry.default }), ...shape };
}

/** An option by its dotted name, and its value. */
export type NamedOption = readonly [name: OptionName, value: unknown];

/**
 * The options by dotted name, as `nestOptions` takes them; short forms are expanded.
 *
 * @param others - Names that the caller reads itself, for the message about an unknown one.
 * @throws MockError `OPTION_INVALID` as `readOptions`, except for options that are missing.
 */
export function flattenOptions(
  options: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): readonly NamedOption[] {
  const unknown = Object.keys(options).find((name) => options[name] !== undefined && !ENTRIES.has(name));
  if (unknown !== undefined) refuseUnknown(unknown, '', others);
  return flattenMembers(expandShortForms(options), '');
}

/** The checked members of a group, by dotted name. @param checkGroup - Called with each group below it, once its members are checked. */
function flattenMembers(
  given: Readonly<Record<string, unknown>>,
  prefix: string,
  checkGroup: typeof checkRequired = () => undefined,
): readonly NamedOption[] {
  return Object.entries(given).flatMap(([member, value]): readonly NamedOption[] => {
    const name = prefix + member;
    if (value === undefined) return [];
    const entry = ENTRIES.get(name);
    if (entry === undefined) return refuseUnknown(member, prefix);
    if (isGroup(name) && isObject(value)) {
      const members = flattenMembers(value, `${name}.`, checkGroup);
      checkGroup(value, `${name}.`);
      return members;
    }
    checkValue(name, entry, value);
    // The table has the names of options.
    return [[name as OptionName, value]];
  });
}

/**
 * Nests values by dotted name: `{ 'state.unknownIds': 'create' }` becomes `{ state: { unknownIds: 'create' } }`.
 *
 * @param values - Undefined values are left out; a group that is `false` stays `false`.
 * @throws MockError `OPTION_INVALID` where a group is `false` and one of its members is given.
 */
export function nestOptions(values: Partial<Readonly<Record<OptionName, unknown>>>): Partial<MockOptions> {
  const nested: Record<string, unknown> = {};
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  // Groups first, so that a member of a group that is `false` is seen.
  for (const [name, value] of given.toSorted(([one], [other]) => one.split('.').length - other.split('.').length)) {
    const steps = name.split('.');
    const last = steps.pop() ?? '';
    let group = nested;
    for (const step of steps) {
      if (group[step] === false) {
        refuse(`the option "${name}" is given, but "${step}" is switched off`, 'leave one of them out');
      }
      // `true` is a group with its defaults.
      if (group[step] === true) group[step] = {};
      // Only objects and booleans are put where a group belongs.
      group = (group[step] ??= {}) as Record<string, unknown>;
    }
    group[last] = value;
  }
  // The names are names of options; `createMock` checks the values.
  return nested;
}
