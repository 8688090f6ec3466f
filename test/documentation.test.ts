// @module-tag slow
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command, type Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/command-table.js';
import { addOptionFlags } from '../src/cli/flags.js';
import { defineProgram } from '../src/cli/program/program.js';
import { type OptionName, OPTIONS } from '../src/mock/options-table.js';
import { MAIN } from './cli/run-program.js';

const run = promisify(execFile);

interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page. */
function readBlocks(file: string, page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gmu)].map((match) => ({
    file,
    line: page.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }));
}

/** The vouch commands in a shell block as words, without comments: `vouch serve api.yaml --port 0`. */
function readCommands(block: Block): readonly (readonly string[])[] {
  const lines = block.text.replaceAll(/\\\n/gu, ' ').split('\n');
  return lines.flatMap((line) => {
    const command = /(?:^|&& |npx )vouch (?<rest>[^#|]*)/u.exec(line)?.groups?.['rest'];
    return command === undefined ? [] : [command.trim().split(/\s+/u)];
  });
}

function readFlags(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/gu)].map(([flag]) => flag);
}

/** What `--help-all` prints. */
async function readHelp(command: string): Promise<string> {
  const words = command.split(' ').filter((word) => word !== '');
  const program = await defineProgram([...words, '--help-all']);
  let text = '';
  const found = words.reduce((above, word) => above.commands.find((each) => each.name() === word) ?? above, program);
  found.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp();
  return text;
}

/** The commands that a help text lists. */
function readNames(help: string): readonly string[] {
  const list = help.split('\nCommands:\n')[1] ?? '';
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)(?: |$)/gmu)].flatMap((match) =>
    match[1] === 'help' ? [] : (match[1] ?? []),
  );
}

/** The options of a command and of the commands below it. */
async function readOptions(command: string): Promise<readonly string[]> {
  const help = await readHelp(command);
  const own = help
    .split('\n')
    .filter((line) => /^ {2}-/u.test(line))
    .flatMap((line) => readFlags(line).slice(0, 1));
  const below = await Promise.all(readNames(help).map((name) => readOptions(`${command} ${name}`)));
  return [...own, ...below.flat()].filter((flag) => flag !== '--help');
}

const folders = ['docs', 'docs/guides', 'docs/maintainers', 'docs/migration'];
const pages = [
  'README.md',
  'examples/README.md',
  ...folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))),
].filter((path) => path.endsWith('.md'));
const blocks = pages.flatMap((path) => readBlocks(path, readFileSync(path, 'utf8')));
const examples = readdirSync('examples').filter((name) => name !== 'README.md');
const exampleFiles = readdirSync('examples', { recursive: true, withFileTypes: true }).filter((entry) =>
  entry.isFile(),
);

describe('the programs on the pages', () => {
  const folder = 'test/.documentation';
  const isProgram = ({ language, text }: Block): boolean => /^(?:ts|js)$/u.test(language) && text.startsWith('import ');
  const programs = blocks.filter(isProgram);
  const texts = new Set(exampleFiles.map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8')));

  beforeAll(() => mkdirSync(folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are found', () => expect(programs.length).toBeGreaterThan(2));

  it.each(programs.map((block, i) => [`${block.file}:${block.line}`, block, i] as const))(
    '%s runs',
    async (_, block, i) => {
      // A test file cannot run inside a test; it is one of the examples, which the suite runs.
      if (texts.has(block.text)) return;
      expect(block.text).not.toMatch(/from '(?:vitest|node:test)'/u);
      const path = join(folder, `program-${i}.ts`);
      writeFileSync(path, block.text);
      await import(/* @vite-ignore */ join(process.cwd(), path));
    },
  );
});

describe('the examples', () => {
  it('are each listed with the command that runs them', () => {
    const page = readFileSync('examples/README.md', 'utf8');
    for (const name of examples) expect(page).toContain(`[${name}](${name})`);
  });

  it.each(examples.filter((name) => name.endsWith('.mjs')))('%s succeeds and prints its output', async (name) => {
    const path = join('examples', name);
    const { stdout } = await run(
      process.execPath,
      name.includes('.test.') ? ['--test', '--test-reporter=tap', path] : [path],
    );
    expect(stdout.trim()).not.toBe('');
    expect(stdout).toMatch(EXPECTED[name] ?? /no expected output is listed for this example/u);
  });
});

describe('the examples in other languages', () => {
  const env = { ...process.env, VOUCH: `${process.execPath} ${MAIN}` };

  it.for([
    ['python3', ['-B', 'examples/python/test_keys.py'], /^Ran 4 tests[\s\S]*^OK$/mu],
    ['java', ['examples/java/KeysTest.java'], /^# pass 3\n# fail 0$/mu],
  ] as const)('that need %s pass', async ([program, words, want], { skip }) => {
    skip(spawnSync(program, ['--version']).error !== undefined, `${program} is not installed`);
    const { stdout, stderr } = await run(program, words, { env });
    expect(stdout + stderr).toMatch(want);
  });
});

/** Part of the output of each example. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  'openai-client.mjs': /^Refunds[\s\S]*Main Admin Key\nDeployment\n[\s\S]*Break glass\n$/u,
  'socket.test.mjs': /^# pass 2$/mu,
  'any-document.mjs': /^201 Buy milk\nBuy milk\n4\d\d\n204\n404\n$/u,
};

describe('the command lines on the pages', () => {
  const commands = blocks.filter(({ language }) => language === 'sh').flatMap(readCommands);

  it('are found', () => expect(commands.length).toBeGreaterThan(4));

  it.each([...new Set(commands.map((words) => words[0] ?? ''))])(
    'vouch %s exists and has the flags shown',
    async (name) => {
      const options = await readOptions(name);
      const given = commands.filter((words) => words[0] === name).flatMap((words) => readFlags(words.join(' ')));
      expect(options).toEqual(expect.arrayContaining(given));
    },
  );
});

/** A command of `vouch`, defined but not run. */
async function defineCommand(name: string): Promise<Command> {
  const [, load] = COMMANDS[name] ?? [];
  const command = new Command(name);
  (await load?.())?.defineCommand(command, { write: () => undefined, writeError: () => undefined });
  return command;
}

/** A Markdown table without the columns that are empty. */
function toTable(rows: readonly Readonly<Record<string, string>>[]): string {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => rows.some((row) => row[column] !== ''));
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`.replaceAll(/\| {2}(?=\|)/gu, '| ')).join('\n');
}

/** The columns of a flag; pipes in a cell are escaped. */
function toColumns({ flags, description, argChoices, ...more }: Option): readonly string[] {
  const choices = argChoices === undefined || flags.includes('|') ? '' : `: \`${argChoices.join('`, `')}\``;
  const fallback = more.defaultValueDescription ?? (more.defaultValue === undefined ? '' : String(more.defaultValue));
  const names = flags.split(', ').map((flag) => `\`${flag}\``);
  const variable = more.envVar === undefined ? '' : `\`${more.envVar}\``;
  return [names.join(', '), `${description}${choices}`, fallback, variable].map((cell) => cell.replaceAll('|', '\\|'));
}

const SHARED = 'The flags of [`vouch serve`](#vouch-serve): ';
const ALL_SHARED = 'All flags of [`vouch serve`](#vouch-serve).';
const OF_OPTIONS = 'Flags that set an [option](options.md): ';

/** Columns of the flags of options, as they are where a command does not change them. */
const OPTION_FLAGS: ReadonlySet<string> = new Set(
  addOptionFlags(new Command(), Object.keys(OPTIONS) as OptionName[]).options.map(toKey),
);

/** What a flag is, for comparing: two flags with the same columns are described once. */
function toKey(option: Option): string {
  return JSON.stringify(toColumns(option));
}

function listFlags(start: string, options: readonly Option[]): readonly string[] {
  const names = options.map(({ long, short }) => `\`${long ?? short ?? ''}\``);
  return names.length === 0 ? [] : [`${start}${names.join(', ')}.`];
}

/**
 * The flags of a command: a table for each group; by name those that set an option, whose page describes them, and those that `vouch serve` has
 * too. The flags of subcommands are one table with the names of the subcommands.
 */
function describeFlags(command: Command, serve: Command): string {
  const known = new Set(serve.options.map(toKey));
  if (command !== serve && [...known].every((key) => command.options.some((option) => toKey(option) === key)))
    return ALL_SHARED;
  const isOption = (option: Option): boolean => OPTION_FLAGS.has(toKey(option));
  const isShared = (option: Option): boolean => command !== serve && !isOption(option) && known.has(toKey(option));
  const groups = new Map<string, Option[]>();
  for (const option of command.options.filter(({ hidden }) => !hidden)) {
    if (isOption(option) || isShared(option)) continue;
    const group = option.helpGroupHeading ?? '';
    groups.set(group, [...(groups.get(group) ?? []), option]);
  }
  const tables = [...groups].map(([group, options]) => {
    const rows = options.map((option) => {
      const [flag = '', meaning = '', fallback = '', environment = ''] = toColumns(option);
      return { flag, meaning, default: fallback, environment };
    });
    return `${group === '' ? '' : `${group}\n\n`}${toTable(rows)}`;
  });
  const lists = [
    ...listFlags(OF_OPTIONS, command.options.filter(isOption)),
    ...listFlags(SHARED, command.options.filter(isShared)),
  ];
  if (command.commands.length === 0) return [...tables, ...lists].join('\n\n');
  const rows = new Map<string, string[]>();
  for (const below of command.commands) {
    for (const option of below.options) {
      if (!isOption(option)) rows.set(toKey(option), [...(rows.get(toKey(option)) ?? []), below.name()]);
    }
  }
  const ofOptions = command.commands.flatMap((below) => listFlags(OF_OPTIONS, below.options.filter(isOption)));
  const table = toTable(
    [...rows].map(([key, names]) => {
      const [flag = '', meaning = '', fallback = '', environment = ''] = JSON.parse(key) as string[];
      const commands = names.length === command.commands.length ? 'all' : names.join(', ');
      return { flag, commands, meaning, default: fallback, environment };
    }),
  );
  // A command can have flags of its own besides those of its subcommands.
  return [...tables, ...lists, table, ...ofOptions].join('\n\n');
}

describe('docs/cli.md', () => {
  const page = readFileSync('docs/cli.md', 'utf8');
  const sections = page.split(/^(?=## vouch )/mu);
  const nameOf = (section: string): string => /^## vouch (\S+)/u.exec(section)?.[1] ?? '';

  it('has a section for every command', async () => {
    expect(new Set(sections.slice(1).map(nameOf))).toEqual(new Set(readNames(await readHelp(''))));
  });

  // `vitest run test/documentation.test.ts -u` writes the tables.
  it('has the tables of the flags as the commands define them', async () => {
    const serve = await defineCommand('serve');
    const written = sections.map(async (section) => {
      const name = nameOf(section);
      if (name === '') return section;
      const flags = describeFlags(name === 'serve' ? serve : await defineCommand(name), serve);
      return section.replace(/(?<=<!-- flags -->\n)[\s\S]*(?=<!-- \/flags -->)/u, () =>
        flags === '' ? '' : `\n${flags}\n\n`,
      );
    });
    await expect((await Promise.all(written)).join('')).toMatchFileSnapshot('../docs/cli.md');
  });

  it.each(sections.slice(1).map((section) => [nameOf(section), section] as const))(
    'lists the flags of vouch %s, and no others',
    async (name, section) => {
      const rows = section.split('\n').filter((line) => line.startsWith('| `-'));
      const shared = section.split('\n').filter((line) => line.startsWith(SHARED) || line.startsWith(OF_OPTIONS));
      const all = section.includes(ALL_SHARED) ? await readOptions('serve') : [];
      const listed = [
        ...rows.flatMap((row) => readFlags(row.split('|')[1] ?? '')),
        ...shared.flatMap(readFlags),
        ...all,
      ];
      expect(new Set(listed)).toEqual(new Set(await readOptions(name)));
    },
  );
});

it('README.md has at most 1,500 words', () => {
  expect(readFileSync('README.md', 'utf8').split(/\s+/u).length).toBeLessThanOrEqual(1500);
});

it('docs/README.md lists every page', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const others = pages.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
  expect(others.filter((path) => !index.includes(`(${path.slice('docs/'.length)})`))).toEqual([]);
});

it('the checks themselves find blocks, commands and flags', () => {
  const page = 'a\n```sh\nnpx vouch serve a.yaml --port 0 # any\n```\n```ts\nimport 1\n```\n';
  const found = readBlocks('a.md', page);
  expect(found.map(({ language, line }) => [language, line])).toEqual([
    ['sh', 2],
    ['ts', 5],
  ]);
  expect(found.slice(0, 1).flatMap(readCommands)).toEqual([['serve', 'a.yaml', '--port', '0']]);
  expect(readFlags('-p, --port <n>, --no-cors a--b')).toEqual(['--port', '--no-cors']);
});
