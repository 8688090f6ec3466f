import { createHash } from 'node:crypto';
import { type Command, Option } from 'commander';
import { MockError } from '../../../errors.js';
import { colour, type Output } from '../../output.js';

/** A flag of another tool. */
export interface OtherFlag {
  /** As help shows it: `-d, --dynamic`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** The flags of `vouch` that do the same, by the name of their property. */
  readonly set?: (value: string) => Readonly<Record<string, unknown>>;
  /** Why it has no effect, which may depend on its value. */
  readonly note?: string | ((value: string) => string | undefined);
}

const EXAMPLES_OFF = (): Readonly<Record<string, unknown>> => ({ examples: 'none' });

/** The levels of Prism. */
const LEVELS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  trace: { verbose: true },
  debug: { verbose: true },
  info: {},
  warn: { quiet: true },
  error: { quiet: true },
  fatal: { quiet: true },
  silent: { quiet: true },
};

/** The flags that `prism mock` and `prism proxy` share and `vouch serve` lacks. */
export const PRISM_FLAGS: readonly OtherFlag[] = [
  { flags: '-h <host>', description: 'the same as --host', set: (host) => ({ host }) },
  { flags: '--cors', description: 'allow browsers of other origins to read responses, which is the default' },
  {
    flags: '-v, --verboseLevel <level>',
    description: 'what is logged: trace and debug as --verbose, info the requests, the others as --quiet',
    choices: Object.keys(LEVELS),
    set: (level) => LEVELS[level] ?? {},
  },
  {
    flags: '-m, --multiprocess',
    description: 'has no effect',
    note: 'requests are logged in batches by the process that answers them',
  },
];

/** The flags of `prism mock` alone. */
export const PRISM_MOCK_FLAGS: readonly OtherFlag[] = [
  { flags: '-d, --dynamic', description: 'generate bodies although there are examples', set: EXAMPLES_OFF },
  { flags: '--ignoreExamples', description: 'the same as --dynamic', set: EXAMPLES_OFF },
  {
    flags: '--errors',
    description: 'answer requests that break the document with an error, which is the default',
  },
  {
    flags: '--json-schema-faker-fillProperties',
    description: 'has no effect',
    note: 'generated objects have all properties that the schema declares',
  },
];

/** The profiles of `requests.queryProfile` by the formats of Steady; the others are what the document says. */
const ARRAY_FORMATS: Readonly<Record<string, string | undefined>> = {
  auto: undefined,
  repeat: 'repeat',
  comma: 'comma',
  space: undefined,
  pipe: undefined,
  brackets: 'brackets',
};
const OBJECT_FORMATS: Readonly<Record<string, string | undefined>> = {
  auto: undefined,
  flat: undefined,
  'flat-comma': undefined,
  brackets: 'brackets',
  dots: 'dots',
};

const noteForms = (format: string): string | undefined =>
  ['auto', 'brackets', 'repeat', 'flat'].includes(format)
    ? undefined
    : 'forms are read as the document says, and with brackets';
const SCHEMA_NOTE = 'the schemas and the seed decide what is generated';
const STREAM_NOTE = 'a stream has the items that add up to the answer without it';
const CHECK_NOTE = 'to fail on problems of the document, run: vouch check';

/** The flags of `steady`. */
export const STEADY_FLAGS: readonly OtherFlag[] = [
  {
    flags: '--validator-query-array-format <format>',
    description: 'how arrays are written in query strings',
    choices: Object.keys(ARRAY_FORMATS),
    set: (format) => ({ queryArrays: ARRAY_FORMATS[format] }),
  },
  {
    flags: '--validator-query-object-format <format>',
    description: 'how objects are written in query strings',
    choices: Object.keys(OBJECT_FORMATS),
    set: (format) => ({ queryObjects: OBJECT_FORMATS[format] }),
  },
  {
    flags: '--validator-form-array-format <format>',
    description:
      'has no effect: arrays in forms are accepted as the document describes them, repeated and with brackets',
    choices: Object.keys(ARRAY_FORMATS),
    note: noteForms,
  },
  {
    flags: '--validator-form-object-format <format>',
    description: 'has no effect: objects in forms are accepted as the document describes them and with brackets',
    choices: Object.keys(OBJECT_FORMATS),
    note: noteForms,
  },
  { flags: '--validator-strict-oneof', description: 'accept one variant of oneOf only, which is the default' },
  { flags: '--generator-seed <seed>', description: 'the same as --seed', set: (seed) => ({ seed: readSeed(seed) }) },
  { flags: '--generator-array-size <n>', description: 'has no effect', note: SCHEMA_NOTE },
  { flags: '--generator-array-min <n>', description: 'has no effect', note: SCHEMA_NOTE },
  { flags: '--generator-array-max <n>', description: 'has no effect', note: SCHEMA_NOTE },
  { flags: '--stream-count <n>', description: 'has no effect', note: STREAM_NOTE },
  { flags: '--stream-interval <ms>', description: 'has no effect', note: 'a scenario sets the pace of a stream' },
  {
    flags: '--reject-on-sdk-error',
    description: 'answer requests that break the document with an error, which is the default',
    note: (value) => (value === 'false' ? 'requests that break the document are always refused' : undefined),
  },
  { flags: '--no-reject-on-sdk-error', description: 'has no effect' },
  { flags: '-r, --auto-reload', description: 'reload files when they change, which is the default' },
  { flags: '-q', description: 'the same as --quiet', set: () => ({ quiet: true }) },
  {
    flags: '--log-level <level>',
    description: 'what is logged: details and full as --verbose',
    choices: ['summary', 'details', 'full'],
    set: (level) => (level === 'summary' ? {} : { verbose: true }),
  },
  {
    flags: '--log-format <format>',
    description: 'format of the log: json and ci are the same as --json',
    choices: ['text', 'json', 'ci'],
    set: (format) => (format === 'text' ? {} : { json: true }),
  },
  {
    flags: '--log-bodies',
    description: 'has no effect',
    note: 'bodies are in the inspector and in the journal',
  },
  { flags: '--no-color', description: 'print no colours' },
  { flags: '--fail-on-ambiguous', description: 'has no effect', note: CHECK_NOTE },
  { flags: '--fail-on-warnings', description: 'has no effect', note: CHECK_NOTE },
];

/** Adds the flags of another tool. */
export function addOtherFlags(command: Command, group: string, flags: readonly OtherFlag[]): Command {
  command.optionsGroup(group);
  for (const { flags: names, description, choices } of flags) {
    const option = new Option(names, description);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  return command;
}

/** Sets the flags of vouch that those of another tool mean, and says which ones have no effect. */
export function applyOtherFlags(command: Command, flags: readonly OtherFlag[], { writeError }: Output): void {
  const set: Record<string, unknown> = {};
  for (const { flags: names, note, set: toFlags } of flags) {
    const option = new Option(names);
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') continue;
    const value = String(command.getOptionValue(name));
    Object.assign(set, toFlags?.(value));
    const why = typeof note === 'function' ? note(value) : note;
    if (why !== undefined) writeError(colour('yellow', `${option.long ?? option.short} has no effect: ${why}`));
  }
  const { queryArrays, queryObjects, ...others } = set;
  const queryProfile = readProfile(queryArrays, queryObjects);
  for (const [name, value] of Object.entries({ ...others, queryProfile })) {
    if (value !== undefined) command.setOptionValueWithSource(name, value, 'cli');
  }
}

/** The profile for the format of arrays and that of objects: brackets are always read. */
function readProfile(arrays: unknown, objects: unknown): unknown {
  if (objects !== 'dots') return arrays ?? objects;
  if (arrays === undefined || arrays === 'brackets') return objects;
  const hint = 'let `x-mock: { query: dots }` of single operations say how they are read';
  const reason = `arrays with ${JSON.stringify(arrays)} and objects with dots in one query are not supported`;
  throw new MockError('OPTION_INVALID', reason, { hint });
}

/** An integer as it is; of another text one that is always the same. */
export function readSeed(text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  return createHash('sha256').update(text).digest().readUInt32BE();
}

/** The flags that are followed by `true` or `false`, or by neither; some have two spellings. */
const BOOLEANS: ReadonlySet<string> = new Set([
  '--cors',
  '--errors',
  '-d',
  '--dynamic',
  '-m',
  '--multiprocess',
  '--ignoreExamples',
  '--json-schema-faker-fillProperties',
  '--validate-request',
  '--reject-on-sdk-error',
  '--validator-strict-oneof',
]);

const SPELLINGS: Readonly<Record<string, string>> = {
  '--ignore-examples': '--ignoreExamples',
  '--verbose-level': '--verboseLevel',
  '--validateRequest': '--validate-request',
};

/** Those that switch off what vouch has on. */
const NEGATIVES: ReadonlySet<string> = new Set(['--cors', '--validate-request', '--reject-on-sdk-error']);

/** Rewrites the booleans of yargs, which both tools use: `--cors false`, `--errors=true`, `--no-errors`. */
export function readBooleans(words: readonly string[]): readonly string[] {
  const read: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') return [...read, ...words.slice(i)];
    const [given = '', inline] = /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? [word];
    const isNegated = given.startsWith('--no-');
    const bare = isNegated ? `--${given.slice('--no-'.length)}` : given;
    const flag = SPELLINGS[bare] ?? bare;
    if (!BOOLEANS.has(flag)) {
      read.push(inline === undefined ? (isNegated ? given : flag) : `${flag}=${inline}`);
      continue;
    }
    const next = words[i + 1];
    const follows = inline === undefined && (next === 'true' || next === 'false');
    if (follows) i++;
    const isOn = !isNegated && (follows ? next : inline) !== 'false';
    if (isOn) read.push(flag);
    else if (NEGATIVES.has(flag)) read.push(`--no-${flag.slice(2)}`);
  }
  return read;
}
