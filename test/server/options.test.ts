import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMock, createVirtualClock, type MockOptions } from '../../src/index.js';
import { OPTIONS } from '../../src/mock/options-table.js';
import { nestOptions, optionsSchema, readOptions } from '../../src/mock/read-options.js';
import { messageOf } from '../message-of.js';

const SPEC = 'spec/openapi.yaml';

it.each([
  [
    'none at all',
    undefined,
    "createMock was called without options\n  hint: try createMock({ spec: 'spec/openapi.yaml' })",
  ],
  [
    'no document',
    { fixtures: 'fixtures' },
    'the option "spec" is missing\n  hint: try createMock({ spec: \'spec/openapi.yaml\' })',
  ],
  ['a misspelt name of the document', { spec2: SPEC }, 'there is no option "spec2"\n  hint: did you mean "spec"?'],
  [
    'a misspelt name',
    { spec: SPEC, fixture: 'fixtures' },
    'there is no option "fixture"\n  hint: did you mean "fixtures"?',
  ],
  [
    'a misspelt name in a group',
    { spec: SPEC, state: { unknownId: 'create' } },
    'there is no option "state.unknownId"\n  hint: did you mean "state.unknownIds"?',
  ],
  [
    'a name outside of its group',
    { spec: SPEC, acceptIssued: true },
    'there is no option "acceptIssued"\n  hint: did you mean "auth.acceptIssued"?',
  ],
  [
    'a name that is like no other, in a group',
    { spec: SPEC, control: { certificate: 'x' } },
    'there is no option "control.certificate"\n  hint: the options of "control" are prefix, token, origins',
  ],
  [
    'a number that is not an integer',
    { spec: SPEC, seed: 1.5 },
    'the option "seed" must be an integer, got 1.5\n  hint: Seed of generated values: the same seed and the same requests give the same responses. Default: 1',
  ],
  [
    'a negative count',
    { spec: SPEC, sessions: { max: -1 } },
    'the option "sessions.max" must be a non-negative integer, got -1\n  hint: Maximum number of open sessions, besides the default one. Default: 10000',
  ],
  [
    'a string for an array, without quoting it: it may be a credential',
    { spec: SPEC, auth: { tokens: 'sk-secret' } },
    'the option "auth.tokens" must be an array of strings, got a string\n  hint: Accepted bearer tokens and API keys.',
  ],
  [
    'true for a group that can only be switched off',
    { spec: SPEC, state: true },
    'the option "state" must be false or an object, got true\n  hint: Stateful collections; `false` answers from examples and schemas only.',
  ],
  [
    'a misspelt word of a closed set',
    { spec: SPEC, recordings: { folder: 'r', mode: 'replya' } },
    'the option "recordings.mode" must be one of "replay", "record-missing", "record-all", "once", "off", got "replya"\n  hint: did you mean "replay"?',
  ],
  [
    'a misspelt owner',
    { spec: SPEC, recordings: { folder: 'r', owners: { '*': 'mokc' } } },
    'the option "recordings.owners["*"]" must be one of "mock", "replay", "forward", "forward-then-mock", "forward-except-501", got "mokc"\n  hint: did you mean "mock"?',
  ],
  [
    'a member of a nested group with the wrong type',
    { spec: SPEC, recordings: { folder: 'r', match: { ignoreBody: '/id' } } },
    'the option "recordings.match.ignoreBody" must be an array of strings, got a string\n  hint: JSON pointers into the request body to ignore; `*` matches any one segment.',
  ],
  [
    'scenario options without the scenarios',
    { spec: SPEC, scenarios: { active: ['a'] } },
    'the option "scenarios.from" is missing\n  hint: A folder with one scenario per file, or scenarios by id.',
  ],
  [
    'a mode without a folder',
    { spec: SPEC, recordings: { mode: 'replay' } },
    'the option "recordings.folder" is missing\n  hint: The folder that holds the cassettes, or one cassette.',
  ],
])('options are refused with what to do: %s', async (_, options, want) => {
  // What a program without types may hand over.
  expect(await messageOf(() => createMock(options as MockOptions))).toBe(`OPTION_INVALID  ${want}`);
});

describe('settings', () => {
  it('have every default that the table names, and no group that was not given and has none', () => {
    const settings = readOptions({ spec: SPEC });
    for (const [name, { default: value }] of Object.entries(OPTIONS)) {
      if (value === undefined || /^(?:recordings|scenarios|store)\./.test(name)) continue;
      const [group = '', member] = name.split('.');
      const given = (settings as unknown as Record<string, Record<string, unknown>>)[group];
      expect(member === undefined ? given : given?.[member], name).toEqual(value);
    }
    expect([settings.recordings, settings.scenarios, settings.store]).toEqual([undefined, undefined, undefined]);
    expect(settings.requests.bodyLimitBytes).toBe(8 * 1024 ** 2);
  });

  it('expand the short forms of scenarios and recordings', () => {
    const read = (options: Omit<MockOptions, 'spec'>): unknown[] => {
      const { scenarios, recordings } = readOptions({ spec: SPEC, ...options });
      return [scenarios, recordings?.folder, recordings?.pace];
    };
    const flaky = { operations: {} };
    expect(read({ scenarios: 'folder', recordings: 'tapes' })).toEqual([
      { from: 'folder', active: [] },
      'tapes',
      'none',
    ]);
    expect(read({ scenarios: { flaky } })).toEqual([{ from: { flaky }, active: [] }, undefined, undefined]);
    expect(read({ scenarios: { active: flaky } })).toEqual([
      { from: { active: flaky }, active: [] },
      undefined,
      undefined,
    ]);
    expect(read({ scenarios: { from: { flaky }, active: ' flaky, other' } })).toEqual([
      { from: { flaky }, active: ['flaky', 'other'] },
      undefined,
      undefined,
    ]);
  });

  it('keep what was given, a clock and functions included', () => {
    const clock = createVirtualClock();
    const onInteraction = (): void => undefined;
    const settings = readOptions({
      spec: new URL('file:///api.yaml'),
      clock,
      onInteraction,
      state: false,
      control: false,
    });
    expect(settings).toMatchObject({ clock, onInteraction, state: false, control: false });
  });
});

describe('nested options', () => {
  it('come from dotted names, without those that are undefined', () => {
    expect(
      nestOptions({ seed: 2, 'state.unknownIds': 'create', 'auth.tokens': undefined, 'recordings.match.headers': [] }),
    ).toEqual({ seed: 2, state: { unknownIds: 'create' }, recordings: { match: { headers: [] } } });
  });

  it('refuse a member of a group that is switched off, in any order', () => {
    // A flag that switches a group off is true where it is not given.
    expect(nestOptions({ cors: true, 'cors.origins': ['http://a'] })).toEqual({ cors: { origins: ['http://a'] } });
    const make = (): unknown => nestOptions({ 'control.prefix': '/x', control: false });
    expect(make).toThrow('the option "control.prefix" is given, but "control" is switched off');
  });
});

const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(optionsSchema());

it.each([
  ['nothing but a document', { spec: SPEC }, true],
  ['nested options', { spec: SPEC, state: { initialItems: 0 }, control: { token: false }, clock: 0 }, true],
  ['a group that is switched off', { spec: SPEC, state: false, document: { cacheFolder: false } }, true],
  ['recordings with owners', { recordings: { folder: 'r', mode: 'replay', owners: { '*': 'mock' } } }, true],
  ['scenarios in place', { scenarios: { from: { a: { operations: {} } }, active: ['a'] } }, true],
  ['an unknown option', { fixture: 'x' }, false],
  ['an unknown member', { state: { unknown: true } }, false],
  ['a wrong word', { recordings: { folder: 'r', mode: 'replya' } }, false],
  ['a wrong owner', { recordings: { folder: 'r', owners: { '*': 'nobody' } } }, false],
  ['a negative count', { sessions: { max: -1 } }, false],
  ['a function', { onInteraction: {} }, false],
])('the JSON Schema of a configuration file: %s', (_, file, want) => {
  expect(validate(file)).toBe(want);
});

it('docs/options.md has one row for every option of the table (vitest -u updates it)', async () => {
  const page = readFileSync('docs/options.md', 'utf8');
  const rows = Object.entries(OPTIONS).map(([name, entry]) => `${toRow(name, entry)}\n`);
  const written = page.replace(/(?<=^\| --- [^\n]*\n)(?:\|[^\n]*\n)*/mu, () => rows.join(''));
  expect(written).toContain('| `spec` |');
  await expect(written).toMatchFileSnapshot('../../docs/options.md');
});

it('the doc comment of an option is the sentence of the table, with the default', () => {
  const files = ['src/mock/options.ts', 'src/features/recording/recordings.ts', 'src/server/connections.ts'];
  const source = files.map((file) => readFileSync(file, 'utf8')).join('');
  const comments = source.replaceAll(/\n *\*(?!\/)/gu, ' ').replaceAll(/\s+/gu, ' ');
  const missing = Object.entries(OPTIONS).filter(
    ([name, entry]) => !name.startsWith('recordings.') && !comments.includes(`/** ${toComment(entry)} */`),
  );
  expect(missing.map(([name]) => name)).toEqual([]);
});

/** The doc comment of an option: the sentence, then what is used if the option is not given. */
function toComment({ description, default: value, otherwise }: (typeof OPTIONS)[keyof typeof OPTIONS]): string {
  if (otherwise?.startsWith('required') === true) return `${description} Required${otherwise.slice(8)}.`;
  if (otherwise !== undefined) return `${description} Default: ${otherwise}.`;
  if (value === undefined) return description;
  return `${description} Default: \`${typeof value === 'string' ? value : JSON.stringify(value)}\`.`;
}

function toRow(name: string, entry: (typeof OPTIONS)[keyof typeof OPTIONS]): string {
  const { kinds, values, otherwise, flag, noFlag, env, description } = entry;
  const type =
    values === undefined
      ? kinds.map((kind) => NAMES[kind] ?? kind).join(' or ')
      : values.map((value) => `\`${value}\``).join(', ');
  const fallback = entry.default === undefined ? otherwise : `\`${JSON.stringify(entry.default)}\``;
  // The values of a flag such as `<a|b>` are those of the option.
  const flags = [flag?.replace(/ <[^>]*\|.*/u, ''), noFlag, env].flatMap((text) =>
    text === undefined ? [] : `\`${text}\``,
  );
  const value = fallback === undefined ? type : `${type} (${fallback})`;
  return ['', `\`${name}\``, value, flags.join(' '), description, ''].join(' | ').trim();
}

const NAMES: Readonly<Record<string, string>> = {
  false: '`false`',
  strings: 'array of strings',
  functions: 'array of functions',
  patterns: 'array of strings or regular expressions',
};
