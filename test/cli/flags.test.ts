import { Command, CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.js';
import { addOptionFlags, listFlagOptions, readOptionFlags } from '../../src/cli/flags.js';
import { OPTIONS } from '../../src/mock/options-table.js';

const ALL = listFlagOptions(/./);

/** The options given by flags; those that are not given are left out. */
function parse(...words: readonly string[]): object {
  const command = addOptionFlags(new Command(), ALL)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const values = readOptionFlags(command.parse(words, { from: 'user' }).opts(), ALL);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

async function readHelp(name: string): Promise<string> {
  const [, load] = COMMANDS[name] ?? [];
  const command = new Command(name);
  (await load?.())?.defineCommand(command, { write: () => undefined, writeError: () => undefined });
  return command.helpInformation();
}

it('the flags of options are all flags of a command that starts a mock', async () => {
  const help = (await Promise.all(['serve', 'record', 'replay'].map(readHelp))).join('\n');
  const flags = Object.values(OPTIONS).flatMap(({ flag, noFlag }) => [flag ?? [], noFlag ?? []].flat());
  expect(flags.length).toBeGreaterThan(40);
  expect(flags.filter((flag) => !help.includes(`  ${flag} `))).toEqual([]);
});

it.each<readonly [name: string, words: readonly string[], want: object]>([
  ['no flags', [], {}],
  ['a boolean', ['--strict'], { strict: true }],
  ['an integer', ['--seed', '-7'], { seed: -7 }],
  ['a number', ['--max-age', '0.5'], { 'recordings.maxAge': 0.5 }],
  ['a size', ['--body-limit', '1.5kb'], { 'requests.bodyLimitBytes': 1536 }],
  ['a word of a closed set', ['--unknown-ids', 'create'], { 'state.unknownIds': 'create' }],
  ['a repeated flag', ['--token', 'a', '--token', 'b'], { 'auth.tokens': ['a', 'b'] }],
  ['headers', ['--header', 'A: b: c', '--header', 'd:'], { 'recordings.upstreamHeaders': { a: 'b: c', d: '' } }],
  ['owners', ['--owner', 'GET /a=b=replay'], { 'recordings.owners': { 'GET /a=b': 'replay' } }],
  ['a group that is switched off', ['--no-state', '--no-control'], { state: false, control: false }],
  ['a value that is switched off', ['--no-control-token'], { 'control.token': false }],
  ['a value with a flag to switch it off', ['--control-token', 'x'], { 'control.token': 'x' }],
  ['a boolean that is switched off', ['--no-cors', '--no-watch'], { cors: false, watch: false }],
])('the flags of options read %s', (_, words, want) => {
  expect(parse(...words)).toEqual({ cors: true, watch: true, ...want });
});

it.each<readonly [words: readonly string[], message: RegExp]>([
  [['--seed', '1.5'], /It must be an integer\.$/],
  [['--max-age', '-1'], /It must be a non-negative number\.$/],
  [['--body-limit', 'big'], /It must be a number of bytes, or a number with kb, mb or gb: 10mb\.$/],
  [['--mode', 'replya'], /Allowed choices are replay, record-missing, record-all, once, off\.$/],
  [['--prot', '1'], /unknown option '--prot'/],
])('the flags of options refuse %j with a reason', (words, message) => {
  expect(() => parse(...words)).toThrow(CommanderError);
  expect(() => parse(...words)).toThrow(message);
});

it('the flags of options do not repeat a header that has the wrong form, because it may be a credential', () => {
  expect(() => parse('--header', 'sk-secret')).toThrow('a --header value does not have the form "name: value"');
});
