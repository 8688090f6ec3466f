import { type Command, Option } from 'commander';
import { collect, type Output, readNumber } from '../flags.js';

/** Adds `recordings` and its subcommands to the program. */
export function addRecordings(program: Command, output: Output): void {
  const recordings = program
    .command('recordings')
    .description('check, compare, promote, prune, import and export recordings');
  withCassettes(recordings.command('check'), '[cassette]')
    .description('hold every exchange against the document; exit code 1 on errors')
    .addOption(new Option('--format <format>').choices(['text', 'json']).default('text'))
    .action(async (cassette: string | undefined, flags: Flags) => {
      const { runRecordingsCheck } = await import('./recordings.js');
      process.exitCode = await runRecordingsCheck({ ...readFlags(cassette, flags), ...output });
    });
  withCassettes(recordings.command('drift'), '[cassette]')
    .description('ask the real server again and say whose fault a difference is; exit codes 0 to 3')
    .requiredOption('--upstream <url>', 'base URL of the real server')
    .option('--header <line>', '"name: value" to send, such as the credential; may be repeated', collect)
    .option('--operation <id>', 'also send this operation, which is not safe; may be repeated', collect)
    .addOption(new Option('--timeout <ms>', 'how long the server may be silent').argParser(readNumber))
    .option('--insecure', 'do not check its certificate', false)
    .addOption(new Option('--format <format>').choices(['text', 'json', 'junit']).default('text'))
    .action(async (cassette: string | undefined, flags: DriftFlags) => {
      const { runRecordingsDrift } = await import('./recordings.js');
      const { upstream, header = [], operation = [], timeout, insecure } = flags;
      const more = { upstream, headers: header, operations: operation, timeoutMs: timeout, insecure };
      process.exitCode = await runRecordingsDrift({ ...readFlags(cassette, flags), ...more, ...output });
    });
  withCassettes(recordings.command('promote'), '<cassette>')
    .description('turn a recording into fixtures, and list what the mock then answers differently')
    .option('--into <folder>', 'the folder of the fixtures', 'fixtures')
    .option('--scenarios <folder>', 'the folder for recorded errors (default: scenarios beside the fixtures)')
    .option('--final', 'the state after the last exchange, not before the first', false)
    .option('--force', 'write over files that are there', false)
    .addOption(new Option('--format <format>').choices(['text', 'json']).default('text'))
    .action(async (cassette: string, flags: PromoteFlags) => {
      const { runRecordingsPromote } = await import('./recordings-promote.js');
      const { into, scenarios, final, force } = flags;
      process.exitCode = await runRecordingsPromote({
        ...readFlags(cassette, flags),
        cassette,
        into,
        scenarios,
        final,
        force,
        ...output,
      });
    });
  withCassettes(recordings.command('prune'), '[cassette]')
    .description('take out what replay never needs, and number anew')
    .option('--dry-run', 'say what would be done', false)
    .action(async (cassette: string | undefined, flags: Flags & { readonly dryRun: boolean }) => {
      const { runRecordingsPrune } = await import('./recordings.js');
      process.exitCode = await runRecordingsPrune({ ...readFlags(cassette, flags), dryRun: flags.dryRun, ...output });
    });
  addHar(recordings, output);
}

function addHar(recordings: Command, output: Output): void {
  withCassettes(recordings.command('import-har'), '<file>')
    .description('turn a HAR 1.2 file of a browser or of Playwright into a recording')
    .option('--cassette <name>', 'name of the recording (default: the name of the file)')
    .option('--upstream <url>', 'base URL of the API; entries elsewhere are left out')
    .action(async (file: string, flags: Flags & { readonly cassette?: string; readonly upstream?: string }) => {
      const { runRecordingsImportHar } = await import('./recordings.js');
      const common = readFlags(flags.cassette, flags);
      process.exitCode = await runRecordingsImportHar({ ...common, file, upstream: flags.upstream, ...output });
    });
  withCassettes(recordings.command('export-har'), '<cassette>')
    .description('turn a recording into a HAR 1.2 file')
    .option('--out <file>', 'where to write it (default: print it)')
    .option('--base <url>', 'base URL of the entries (default: the upstream that was recorded)')
    .action(async (cassette: string, flags: Flags & { readonly out?: string; readonly base?: string }) => {
      const { runRecordingsExportHar } = await import('./recordings.js');
      const { out: file, base } = flags;
      process.exitCode = await runRecordingsExportHar({
        ...readFlags(cassette, flags),
        cassette,
        file,
        base,
        ...output,
      });
    });
}

function withCassettes(command: Command, argument: string): Command {
  return command
    .argument(argument)
    .option('--spec <spec>', 'an OpenAPI document: file or URL (default: spec/openapi.yaml)')
    .option('--recordings <folder>', 'the folder of the recordings', 'fixtures/recordings');
}

interface Flags {
  readonly spec?: string;
  readonly recordings: string;
  readonly format?: 'text' | 'json' | 'junit';
}

interface DriftFlags extends Flags {
  readonly upstream: string;
  readonly header?: readonly string[];
  readonly operation?: readonly string[];
  readonly timeout?: number;
  readonly insecure: boolean;
}

interface PromoteFlags extends Flags {
  readonly into: string;
  readonly scenarios?: string;
  readonly final: boolean;
  readonly force: boolean;
}

function readFlags(cassette: string | undefined, { spec, recordings, format }: Flags) {
  return { spec, recordings, cassette, format: format ?? 'text' } as const;
}
