#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { addRecordAndReplay } from './recording-commands.js';

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const writeError = (line: string): void => void process.stderr.write(`${line}\n`);

/** A port number of the command line. */
function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError('a port is a whole number from 0 (any free one) to 65535.');
}

function readWhole(text: string): number {
  const number = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('this is not a whole number.');
}

/** `512`, `64kb`, `10mb`: bytes. */
function readSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(text);
  if (match === null) throw new InvalidArgumentError('a size is a number of bytes, or one with kb, mb or gb: 10mb.');
  const factor = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }[(match[2] ?? 'b').toLowerCase()] ?? 1;
  return Math.floor(Number(match[1]) * factor);
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Options that every command that loads a document takes. */
function withDocument(command: Command): Command {
  return command
    .option('--overlay <file>', 'an Overlay 1.0 document to apply; may be repeated', collect)
    .option('--allow-http-refs', 'follow $refs to http(s) addresses', false);
}

interface DocumentFlags {
  readonly overlay?: readonly string[];
  readonly allowHttpRefs: boolean;
}

function addServe(program: Command): void {
  withDocument(
    program.command('serve').argument('[spec]', 'an OpenAPI document: file or URL (default: spec/openapi.yaml)'),
  )
    .description('serve a mock of the document')
    .addOption(
      new Option('-p, --port <port>', '0 takes any free one').default(4010).argParser(readPort).env('VOUCH_PORT'),
    )
    .addOption(new Option('--host <host>', 'address to listen on').default('127.0.0.1').env('VOUCH_HOST'))
    .addOption(
      new Option(
        '--fixtures <folder>',
        'one file per collection (default: the folder fixtures beside the document)',
      ).env('VOUCH_FIXTURES'),
    )
    .option('--no-fixtures', 'start without fixtures')
    .addOption(
      new Option('--seed <n>', 'same seed, same requests, same bytes (default: 1)')
        .argParser(readWhole)
        .env('VOUCH_SEED'),
    )
    .addOption(new Option('--token <token>', 'accept this credential only; may be repeated').argParser(collect))
    .option('--issued-tokens', 'accept secrets that the mock itself issued', false)
    .addOption(
      new Option('--clock <clock>', '"real", or an instant to stand still at (default: 2026-01-01T00:00:00Z)').env(
        'VOUCH_CLOCK',
      ),
    )
    .option('--strict', 'refuse undeclared query parameters and properties, and a missing content type', false)
    .option('--lenient-accept', 'answer although the Accept header rules it out', false)
    .addOption(
      new Option('--examples <how>', 'serve examples that fit their schemas, or all as they are')
        .choices(['fitting', 'verbatim'])
        .default('fitting'),
    )
    .addOption(new Option('--body-limit <size>', 'larger bodies are refused with 413: 8mb').argParser(readSize))
    .option('--no-state', 'do not remember: answer from examples and schemas alone')
    .option('--no-cors', 'do not let browsers of other origins read the answers')
    .option('--json', 'log one JSON object a line', false)
    .option('--quiet', 'do not log requests', false)
    .action(async (spec: string | undefined, flags: ServeFlags) => {
      const { runServe } = await import('./serve.js');
      process.exitCode = await runServe({
        spec,
        port: flags.port,
        host: flags.host,
        fixtures: flags.fixtures === true ? undefined : flags.fixtures,
        seed: flags.seed,
        tokens: flags.token,
        issuedTokens: flags.issuedTokens,
        clock: flags.clock,
        json: flags.json,
        quiet: flags.quiet,
        more: {
          overlays: flags.overlay ?? [],
          allowHttpRefs: flags.allowHttpRefs,
          strict: flags.strict,
          lenientAccept: flags.lenientAccept,
          examples: flags.examples,
          state: flags.state,
          cors: flags.cors,
          ...(flags.bodyLimit === undefined ? {} : { bodyLimitBytes: flags.bodyLimit }),
        },
        write,
        writeError,
      });
    });
}

interface ServeFlags extends DocumentFlags {
  readonly port: number;
  readonly host: string;
  readonly fixtures?: string | boolean;
  readonly seed?: number;
  readonly token?: readonly string[];
  readonly issuedTokens: boolean;
  readonly clock?: string;
  readonly strict: boolean;
  readonly lenientAccept: boolean;
  readonly examples: 'fitting' | 'verbatim';
  readonly bodyLimit?: number;
  readonly state: boolean;
  readonly cors: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

function addQuestions(program: Command): void {
  withDocument(program.command('check').argument('<spec>', 'an OpenAPI document: file or URL'))
    .description('print every mistake in the document; exit code 1 on errors')
    .option('--json', 'print JSON', false)
    .action(async (spec: string, flags: DocumentFlags & { readonly json: boolean }) => {
      const { runCheck } = await import('./check.js');
      const { json, allowHttpRefs } = flags;
      process.exitCode = await runCheck({ spec, json, allowHttpRefs, overlays: flags.overlay ?? [], write });
    });
  program
    .command('explain')
    .argument('[code]', 'a code such as REQUIRED (default: all of them)')
    .description('say what the code of a violation means')
    .action(async (code: string | undefined) => {
      const { runExplain } = await import('./explain.js');
      process.exitCode = runExplain({ code, write, writeError });
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
  const program = new Command('vouch')
    .description('A mock server for contract testing: every answer is vouched for by the OpenAPI document.')
    .version(readVersion())
    .showHelpAfterError('(vouch --help and vouch <command> --help tell more)');
  addServe(program);
  addRecordAndReplay(program, { write, writeError });
  addQuestions(program);
  try {
    await program.parseAsync();
  } catch (error) {
    const { describeFailure } = await import('./failure.js');
    writeError(describeFailure(error));
    process.exitCode = 1;
  }
}

await main();
