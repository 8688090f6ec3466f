#!/usr/bin/env node
import { Command } from 'commander';
import { guardPatterns } from '../contract/upgrade/patterns.js';
import { MockError } from '../errors.js';
import { type Output, readVersion } from './output.js';

/** A command as `vouch --help` lists it; its file is imported only when the command is run. */
interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<{
    /** Adds the arguments, flags, subcommands and actions of the command. */
    readonly defineCommand: (command: Command, output: Output) => void;
  }>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'serve a mock of an OpenAPI document',
    load: () => import('./commands/serve.js'),
  },
  {
    name: 'check',
    summary: 'list the problems of an OpenAPI document; exit code 1 on errors',
    load: () => import('./commands/check.js'),
  },
  {
    name: 'schema',
    summary: 'write JSON Schemas of scenario and fixture files for editors',
    load: () => import('./commands/schema.js'),
  },
  {
    name: 'explain',
    summary: 'explain the code of a violation, problem or error',
    load: () => import('./commands/explain.js'),
  },
  {
    name: 'record',
    summary: 'record a real API through a validating proxy; secrets are redacted',
    load: () => import('./commands/record.js'),
  },
  {
    name: 'replay',
    summary: 'answer from recorded responses only; requests without one get 501 Not Implemented',
    load: () => import('./commands/replay.js'),
  },
  {
    name: 'recordings',
    summary: 'check, compare, promote, prune, import and export recordings',
    load: () => import('./commands/recordings.js'),
  },
  {
    name: 'resources',
    summary: 'show which operations form a resource, with confidence and reason',
    load: () => import('./commands/resources.js'),
  },
  {
    name: 'fixtures',
    summary: 'write fixtures: generated ones, or the state of a running mock',
    load: () => import('./commands/fixtures.js'),
  },
];

const output: Output = {
  write: (line) => void process.stdout.write(`${line}\n`),
  writeError: (line) => void process.stderr.write(`${line}\n`),
};

/** The program with every command; only the one that `words` ask for has its flags and action. */
async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('vouch')
    .description('A mock server for contract testing: every response is checked against the OpenAPI document.')
    .version(readVersion())
    .showHelpAfterError('(for help: vouch --help or vouch <command> --help)');
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  const requested = first === 'help' ? second : first;
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).description(summary);
    if (name === requested) (await load()).defineCommand(command, output);
  }
  return program;
}

async function main(): Promise<void> {
  // `vouch serve | head`: a closed pipe ends the output, not the server.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  try {
    // Safe here because this process runs nothing else (see guardPatterns).
    await guardPatterns();
    const words = process.argv.slice(2);
    const program = await createProgram(words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    output.writeError(describeFailure(error));
    process.exitCode = 1;
  }
}

/** A mistake of the user in one or two lines; anything else with its stack. */
function describeFailure(error: unknown): string {
  if (error instanceof MockError) return error.toString();
  return `vouch failed unexpectedly; please report this:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

await main();
