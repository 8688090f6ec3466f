import { Command, Help, type Option } from 'commander';
import { setFlagsFromString } from 'node:v8';
import { MockError } from '../../base/errors.js';
import { COMMANDS } from '../command-table.js';
import type { FeatureCommand } from '../../mock/feature.js';
import { describeFlag } from '../flags.js';
import { readVersion } from '../../base/package-folder.js';
import type { Output } from '../output.js';
import { isError } from '../../base/platform.js';

const output: Output = {
  write: (line) => void process.stdout.write(`${line}\n`),
  writeError: (line) => void process.stderr.write(`${line}\n`),
};

/** Commands of Prism, and the commands of vouch that do the same. */
const PRISM_COMMANDS = new Map([
  ['mock', 'use vouch serve; docs/migration/prism.md has its flags'],
  ['proxy', 'use vouch record; docs/migration/prism.md has its flags'],
]);

/** What to use in place of an unknown command, such as `vouch recordings drift` for `drift`; undefined if that is not known. */
async function findReplacement(requested: string): Promise<string | undefined> {
  const replacement = PRISM_COMMANDS.get(requested);
  if (replacement !== undefined) return replacement;
  for (const [name, [, load]] of Object.entries(COMMANDS)) {
    const command = new Command(name);
    (await load()).defineCommand(command, output);
    if (command.commands.some((nested) => nested.name() === requested)) return `use vouch ${name} ${requested}`;
  }
  return undefined;
}

/** Defines the program with all commands; only the requested one is loaded. @param added - Commands of further features. */
export async function defineProgram(
  words: readonly string[],
  added: Readonly<Record<string, FeatureCommand>> = {},
): Promise<Command> {
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  const requested = first === 'help' ? second : first;
  const commands = { ...COMMANDS, ...added };
  const isUnknown = requested !== undefined && !Object.hasOwn(commands, requested);
  const replacement = isUnknown ? await findReplacement(requested) : undefined;
  const program = new Command('vouch')
    .description('A mock server for contract testing: every response is checked against the OpenAPI document.')
    .version(readVersion())
    .configureHelp({
      optionDescription: describeFlag,
      ...(words.includes(HELP_ALL) ? {} : { visibleOptions: listUsualOptions }),
    })
    // "mock" is similar to "mcp", and "drift" to "diff", which do something else.
    .showSuggestionAfterError(replacement === undefined)
    .showHelpAfterError(
      replacement === undefined ? '(for help: vouch --help or vouch <command> --help)' : `(${replacement})`,
    );
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const command = program.command(name).description(summary);
    if (RARE.has(name)) command.helpGroup('Commands that few need:');
    if (name !== requested) continue;
    (await load()).defineCommand(command, output);
    if (!words.includes(HELP_ALL)) command.addHelpText('after', () => describeRest(command));
  }
  return program;
}

/** Commands that few need. */
const RARE: ReadonlySet<string> = new Set(['completion', 'config', 'explain', 'pact', 'schema']);

/** Shows all flags of a command with many. */
const HELP_ALL = '--help-all';

/** How many flags the help of a command shows; those with more show the usual ones. */
const MAX_SHOWN = 25;

/** The flags that most people need, of commands with many. */
const USUAL: ReadonlySet<string | undefined> = new Set(
  [
    ['port', 'host', 'tls', 'json', 'quiet', 'trace', 'base-path', 'coverage', 'cors-origin', 'config', 'open', 'help'],
    ['overlay', 'fixtures', 'scenarios', 'scenario', 'seed', 'clock', 'handlers', 'no-state', 'unknown-ids'],
    ['no-watch', 'strict', 'token'],
    ['recordings', 'cassette', 'mode', 'upstream', 'header', 'owner', 'redact-key', 'redact-env', 'ignore-body'],
    ['exclude-operation', 'insecure'],
  ]
    .flat()
    .map((name) => `--${name}`),
);

function listAllOptions(command: Command): Option[] {
  return new Help().visibleOptions(command);
}

function listUsualOptions(command: Command): Option[] {
  const all = listAllOptions(command);
  return all.length <= MAX_SHOWN ? all : all.filter(({ long }) => USUAL.has(long ?? undefined));
}

function describeRest(command: Command): string {
  const left = listAllOptions(command).length - listUsualOptions(command).length;
  return left === 0 ? '' : `\n${left} more flags: vouch ${command.name()} ${HELP_ALL}`;
}

/** The words with a program behind `--` as the value of one flag: the parser of commands takes it for arguments of the command. */
function foldProgram(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--');
  if (at < 0 || !WITH_PROGRAM.has(words[0] ?? '')) return words;
  return [...words.slice(0, at), '--run', JSON.stringify(words.slice(at + 1))];
}

/** Commands that run a program. */
const WITH_PROGRAM: ReadonlySet<string> = new Set(['record', 'replay']);

/** Runs the command that the arguments of the process name. */
export async function runProgram(): Promise<void> {
  const words = foldProgram(process.argv.slice(2));
  // `vouch serve | head`: a closed pipe ends the output, not the server.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (stream === process.stdout) output.writeError(`the output cannot be written: ${error.message}`);
      process.exit(1);
    });
  }
  process.once('beforeExit', reportUnended);
  try {
    if (words[0] === '__complete') {
      const { listWords } = await import('../commands/completion.js');
      const line = words.slice(1);
      for (const word of listWords(await defineProgram(line), line)) output.write(word);
      return;
    }
    const program = await defineProgram(words);
    // After the command is loaded: V8 takes compiled code only with the options that it was compiled with.
    limitCollectorThreads();
    await program.parseAsync(
      words.map((word) => (word === HELP_ALL ? '--help' : word)),
      { from: 'user' },
    );
  } catch (error) {
    output.writeError(describeFailure(error));
    process.exitCode = 1;
  } finally {
    process.off('beforeExit', reportUnended);
  }
}

/** Nothing is left that could end the command: Node.js would exit with 0. */
function reportUnended(): void {
  output.writeError('the command did not end: a module that it loads waits for something that never happens');
  process.exitCode = 1;
}

/** A mistake of the user in one or two lines; anything else with its stack. */
function describeFailure(error: unknown): string {
  if (error instanceof MockError) return error.toString();
  const { path, message } = error as NodeJS.ErrnoException;
  if (isError(error) && typeof path === 'string') {
    const hint = 'name a file or folder that you may read and write';
    return new MockError('OPTION_INVALID', message, { at: { file: path }, hint }).toString();
  }
  const stack = isError(error) ? (error.stack ?? error.message) : String(error);
  return `vouch failed unexpectedly; please report this:\n${stack}`;
}

/**
 * Collects garbage in one thread, unless the user has chosen otherwise. Each minor collection of a mock takes 1 to 3 ms, most of it to copy interactions of the
 * journal. A second thread makes it hardly shorter, but waits for work all the time: 5 to 10 % of the CPU time of a request.
 */
function limitCollectorThreads(): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
  const isChosen = given.some((option) => /parallel[-_]scavenge|single[-_]threaded/.test(option));
  if (!isChosen) setFlagsFromString('--no-parallel-scavenge');
}
