#!/usr/bin/env node
import { Command } from 'commander';
import { MockError } from '../errors.js';
import { describeFlag } from './flags.js';
import { delayOptimization, keepCompiledCode } from './optimization.js';
import { type Output, readVersion } from './output.js';
import { isError } from '../platform.js';

/** A command as `vouch --help` lists it, and its file, which is imported only when the command is requested. */
type CommandEntry = readonly [
  summary: string,
  load: () => Promise<{
    /** Adds the description, arguments, flags, subcommands and actions of the command. */
    readonly defineCommand: (command: Command, output: Output) => void;
  }>,
];

const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: ['serve a mock of an OpenAPI document', () => import('./commands/serve.js')],
  check: ['list the problems of an OpenAPI document', () => import('./commands/check.js')],
  resources: ['show which operations form a resource', () => import('./commands/resources.js')],
  fixtures: ['write fixtures: generated ones, or the state of a running mock', () => import('./commands/fixtures.js')],
  coverage: [
    'report which parts of a document the requests of a run exercised',
    () => import('./commands/coverage.js'),
  ],
  pact: ['write the requests of a run as a Pact file', () => import('./commands/pact.js')],
  types: ['write TypeScript types of operations and schemas', () => import('./commands/types.js')],
  schema: ['write JSON Schemas of scenario and fixture files for editors', () => import('./commands/schema.js')],
  record: ['record a real API through a validating proxy', () => import('./commands/record.js')],
  replay: ['answer from recorded responses only', () => import('./commands/replay.js')],
  recordings: [
    'check, compare, promote, prune, import and export recordings',
    () => import('./commands/recordings.js'),
  ],
  'explain-last': ['explain an answer of a running mock', () => import('./commands/explain-last.js')],
  explain: ['explain the code of a violation, problem or error', () => import('./commands/explain.js')],
};

const output: Output = {
  write: (line) => void process.stdout.write(`${line}\n`),
  writeError: (line) => void process.stderr.write(`${line}\n`),
};

/** The program with all commands, of which only the requested one is loaded. */
async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('vouch')
    .description('A mock server for contract testing: every response is checked against the OpenAPI document.')
    .version(readVersion())
    .configureHelp({ optionDescription: describeFlag })
    .showHelpAfterError('(for help: vouch --help or vouch <command> --help)');
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  const requested = first === 'help' ? second : first;
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary);
    if (name === requested) (await load()).defineCommand(command, output);
  }
  return program;
}

async function main(): Promise<void> {
  delayOptimization();
  keepCompiledCode();
  // `vouch serve | head`: a closed pipe ends the output, not the server.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  try {
    const words = process.argv.slice(2);
    const program = await createProgram(words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // A mistake of the user in one or two lines; anything else with its stack.
    const stack = isError(error) ? (error.stack ?? error.message) : String(error);
    const isMistake = error instanceof MockError;
    output.writeError(isMistake ? error.toString() : `vouch failed unexpectedly; please report this:\n${stack}`);
    process.exitCode = 1;
  }
}

await main();
