import { expect, it } from 'vitest';
import { defineProgram } from '../../src/cli/program/program.js';

async function readHelp(...words: readonly string[]): Promise<string> {
  const program = await defineProgram(words);
  const command = program.commands.find((each) => each.name() === words[0]) ?? program;
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp();
  return text;
}

const countFlags = (help: string): number => help.split('\n').filter((line) => /^ {2}-/.test(line)).length;

it.each(['serve', 'record', 'replay'])(
  'vouch %s --help shows at most 25 flags, and how many more there are',
  async (name) => {
    const [usual, all] = [await readHelp(name), await readHelp(name, '--help-all')];
    expect(countFlags(usual)).toBeLessThanOrEqual(25);
    expect(usual).toContain(`${countFlags(all) - countFlags(usual)} more flags: vouch ${name} --help-all`);
    expect(all).not.toContain('more flags');
  },
);

it('vouch check --help shows all of its few flags', async () => {
  expect(await readHelp('check')).toBe(await readHelp('check', '--help-all'));
});

it('vouch --help lists the commands that few need apart', async () => {
  const [usual, rare] = (await readHelp()).split('\nCommands that few need:\n');
  expect([usual?.includes('  serve '), rare?.includes('  completion '), rare?.includes('  serve ')]).toEqual([
    true,
    true,
    false,
  ]);
});
