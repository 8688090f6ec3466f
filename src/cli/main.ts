#!/usr/bin/env node
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { guardPatterns } from '../contract/upgrade/patterns.js';
import { MockError } from '../errors.js';
import { addRecordAndReplay } from './commands/record-commands.js';
import { addRecordings } from './commands/recordings-commands.js';
import { addServe } from './commands/serve-command.js';
import { addState } from './commands/state-commands.js';
import { type DocumentFlags, type Output, withDocument } from './flags.js';

const output: Output = {
  write: (line) => void process.stdout.write(`${line}\n`),
  writeError: (line) => void process.stderr.write(`${line}\n`),
};

/** Commands that answer a question about a document and end. */
function addQuestions(program: Command): void {
  const { write } = output;
  withDocument(program.command('check').argument('<spec>', 'an OpenAPI document: file or URL'))
    .description('print every mistake in the document; exit code 1 on errors')
    .option('--json', 'print JSON', false)
    .action(async (spec: string, flags: DocumentFlags & { readonly json: boolean }) => {
      const { runCheck } = await import('./commands/check.js');
      const { json, allowHttpRefs } = flags;
      process.exitCode = await runCheck({ spec, json, allowHttpRefs, overlays: flags.overlay ?? [], write });
    });
  program
    .command('schema')
    .argument('<spec>', 'an OpenAPI document: file or URL')
    .description('write JSON Schemas of scenario and fixture files, for an editor')
    .option('--out <folder>', 'where to', '.vouch')
    .action(async (spec: string, { out }: { readonly out: string }) => {
      const { runSchema } = await import('./commands/schema.js');
      process.exitCode = await runSchema({ spec, out, write });
    });
  program
    .command('explain')
    .argument('[code]', 'a code such as REQUIRED (default: all of them)')
    .description('say what the code of a violation means')
    .action(async (code: string | undefined) => {
      const { runExplain } = await import('./commands/explain.js');
      process.exitCode = runExplain({ code, ...output });
    });
}

/** The version of the installed package. */
function readVersion(): string {
  // Our own package.json: an object with a version.
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}

async function main(): Promise<void> {
  // `vouch serve | head`: a reader that goes away ends the output, not the server with a stack trace.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  const program = new Command('vouch')
    .description('A mock server for contract testing: every answer is vouched for by the OpenAPI document.')
    .version(readVersion())
    .showHelpAfterError('(vouch --help and vouch <command> --help tell more)');
  addServe(program, output);
  addQuestions(program);
  addRecordAndReplay(program, output);
  addRecordings(program, output);
  addState(program, output);
  try {
    // The process is ours alone, so its regular expressions may be kept from running away (see guardPatterns).
    await guardPatterns();
    await program.parseAsync();
  } catch (error) {
    output.writeError(describeFailure(error));
    process.exitCode = 1;
  }
}

/** A mistake as the command line shows it; anything unexpected with its stack, for a report. */
function describeFailure(error: unknown): string {
  if (error instanceof MockError) return error.toString();
  return `vouch failed unexpectedly; please report this:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

await main();
