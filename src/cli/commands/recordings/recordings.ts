import { URL } from 'node:url';
import { type Command, Option } from 'commander';
import { basename, join } from 'node:path';
import { MockError, countOf } from '../../../base/errors.js';
import type { OptionName } from '../../../mock/options-table.js';
import {
  applyAfterRead,
  type Cassette,
  listCassettes,
  loadCassette,
  readCassetteFolder,
  toFolderName,
} from '../../../features/recording/cassette/cassette.js';
import { readExpiry } from '../../../features/recording/cassette/manifest.js';
import { findRedundant, pruneCassette } from '../../../features/recording/cassette/prune.js';
import { checkCassette, formatCheck } from '../../../features/recording/drift/check.js';
import { createResponseCheck } from '../../../http/response/response-check.js';
import {
  type DriftExit,
  formatDrift,
  readDriftExit,
  readWorstExit,
  toDriftJson,
  toDriftJunit,
} from '../../../features/recording/drift/drift-report.js';
import { findDrift } from '../../../features/recording/drift/drift.js';
import { recordHar } from '../../../tools/import/har.js';
import { exportHar } from '../../../features/recording/har.js';
import type { RecordingParts } from '../../../features/recording/cassettes.js';
import { createUpstream } from '../../../features/recording/upstream/upstream.js';
import { loadDocument } from '../../document.js';
import { addOptionFlags, addRecordingsFlag, collect, findOwnSpec, listFlagOptions } from '../../flags.js';
import { addHooksFlag, type HooksFlag, loadHooks } from '../../hooks.js';
import { readVersion } from '../../../base/package-folder.js';
import { colour, type Output, showPath, writeOutputFile } from '../../output.js';
import { createParts } from './parts.js';
import type { PromoteFlags } from './promote-report.js';
import type { Refreshed } from './refresh.js';

/** The flags of all subcommands; each subcommand has some of them. */
interface Flags extends PromoteFlags, HooksFlag {
  readonly spec?: string;
  /** The folder of the cassettes. */
  readonly recordings: string;
  readonly cassette?: string;
  readonly upstream?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly operation?: readonly string[];
  readonly timeout?: number;
  readonly insecure?: boolean;
  readonly dryRun?: boolean;
  readonly allowUnsafe?: boolean;
  readonly all?: boolean;
  readonly summary?: string;
  readonly out?: string;
  readonly base?: string;
}

const DRIFT_OPTIONS: readonly OptionName[] = listFlagOptions(
  /^recordings\.(upstream|upstreamHeaders|timeoutMs|insecure)$/,
);

/** Defines the subcommands of `vouch recordings`. */
export function defineCommand(command: Command, output: Output): void {
  // The argument is the name of a cassette, which may be missing, or a file.
  const define = (usage: string, run: (argument: string, flags: Flags, output: Output) => Promise<number>): Command =>
    addRecordingsFlag(command.command(usage))
      .option('--spec <spec>', 'OpenAPI document: a file or URL (default: spec/openapi.yaml or openapi.yaml)')
      .action(async (argument: string, flags: Flags) => {
        process.exitCode = await run(argument, flags, output);
      });
  const defineReader: typeof define = (usage, run) => addHooksFlag(define(usage, run), 'afterRead');
  defineReader('check [cassette]', runCheck)
    .description('check recorded exchanges against the document; exit code 1 on errors')
    .addOption(formatOption('text', 'json'));
  addOptionFlags(defineReader('drift [cassette]', runDrift), DRIFT_OPTIONS, {
    'recordings.upstream': { description: 'base URL of the API', required: true },
    'recordings.upstreamHeaders': { description: 'header to send, such as a credential, as "name: value"' },
  })
    .description('repeat recorded requests against the API and report differences; exit codes 0 to 5')
    .option('--operation <id>', 'operation to send although its method is not safe; repeatable', collect)
    .addOption(formatOption('text', 'json', 'junit'));
  addOptionFlags(addHooksFlag(define('refresh [cassette]', runRefresh), 'beforeWrite'), DRIFT_OPTIONS, {
    'recordings.upstream': { description: 'base URL of the API (default: the one of each recording)' },
    'recordings.upstreamHeaders': { description: 'header to send, such as a credential, as "name: value"' },
  })
    .description('record cassettes again in which the API has changed or that have expired; exit codes 0 to 5')
    .option('--allow-unsafe', 'send requests that may change something, such as POST')
    .option('--all', 'replace cassettes in which nothing has changed too')
    .option('--dry-run', 'only report what would be replaced')
    .option('--summary <file>', 'Markdown file to write, such as the text of a pull request')
    .addOption(formatOption('text', 'json'));
  defineReader('promote <cassette>', runPromote)
    .description('convert a recording to fixtures, and list the responses in which the mock then differs')
    .option('--into <folder>', 'folder to write fixtures to', 'fixtures')
    .option('--scenarios <folder>', 'folder for recorded errors (default: scenarios beside the fixtures)')
    .option('--final', 'write the state after the last exchange instead of before the first')
    .option('--force', 'overwrite existing files')
    .addOption(formatOption('text', 'json'));
  define('prune [cassette]', runPrune)
    .description('remove exchanges that replay never uses, and renumber the others')
    .option('--dry-run', 'only list what would be removed');
  define('import-har <file>', runImportHar)
    .description('convert a HAR 1.2 file, such as a browser or Playwright writes, to a recording')
    .option('--cassette <name>', 'name of the recording (default: the name of the file)')
    .option(
      '--upstream <url>',
      'base URL of the API; entries for other URLs are skipped, other requests to it imported',
    );
  defineReader('export-har <cassette>', runExportHar)
    .description('convert a recording to a HAR 1.2 file')
    .option('--out <file>', 'file to write (default: standard output)')
    .option('--base <url>', 'base URL of the entries (default: the recorded upstream)');
}

function formatOption(...formats: readonly string[]): Option {
  return new Option('--format <format>', 'output format').choices(formats).default('text');
}

/** The given document, else that of the folder: files of another API cannot be compared with the built-in one. @throws MockError `SPEC_NOT_FOUND`. */
function requireSpec(given: string | undefined): string {
  const spec = given ?? findOwnSpec();
  if (spec !== undefined) return spec;
  const hint = 'name the OpenAPI document of the API: --spec openapi.yaml';
  throw new MockError('SPEC_NOT_FOUND', 'there is no spec/openapi.yaml and no openapi.yaml here', { hint });
}

/** The parts that read recordings. */
export async function loadParts(spec: string | undefined): Promise<RecordingParts> {
  return createParts(await loadDocument({ spec: requireSpec(spec) }));
}

/** Loads one cassette, or all, as the hook `afterRead` returns them; prints the mistakes of invalid exchanges. @throws MockError `RECORDING_NOT_FOUND`, `RECORDING_INVALID`. */
async function loadCassettes(
  name: string | undefined,
  { recordings, hooks }: Flags,
  { writeError }: Pick<Output, 'writeError'>,
): Promise<readonly Cassette[]> {
  const { afterRead } = await loadHooks(hooks === undefined ? {} : { hooks });
  const names = name === undefined ? listCassettes(recordings) : [name];
  if (names.length > 0) {
    const cassettes = names.map((each) => loadCassette(readCassetteFolder(recordings, each)));
    for (const mistake of cassettes.flatMap(({ mistakes }) => mistakes)) writeError(String(mistake));
    return cassettes.map((cassette) => applyAfterRead(cassette, afterRead));
  }
  throw new MockError('RECORDING_NOT_FOUND', `there are no cassettes in ${recordings}`, {
    at: { file: recordings },
    hint: 'record one with `vouch record <spec> --upstream URL --cassette NAME`, or give their folder with --recordings',
  });
}

async function runCheck(name: string | undefined, flags: Flags, output: Output): Promise<number> {
  const parts = await loadParts(flags.spec);
  let errors = 0;
  const report: object[] = [];
  const { write } = output;
  for (const cassette of await loadCassettes(name, flags, output)) {
    const findings = await checkCassette(cassette, parts);
    errors += findings.filter(({ severity }) => severity === 'error').length + cassette.mistakes.length;
    report.push({ cassette: cassette.name, exchanges: cassette.exchanges.length, findings });
    if (flags.format === 'json') continue;
    const expiry = readExpiry(cassette.manifest, Date.now());
    write(colour('bold', cassette.name));
    const notes = expiry === undefined ? [] : [`note  ${expiry}`];
    for (const line of [...notes, ...formatCheck(cassette, findings)]) write(`  ${line}`);
  }
  if (flags.format === 'json') write(JSON.stringify(report, null, 2));
  return errors === 0 ? 0 : 1;
}

async function runDrift(name: string | undefined, flags: Flags, output: Output): Promise<number> {
  const { upstream: url = '', header: headers = {}, operation: operations = [], insecure = false, timeout } = flags;
  const { contract, validators } = await loadParts(flags.spec);
  const check = createResponseCheck(validators);
  const unknown = operations.find((id) => contract.operation(id) === undefined);
  if (unknown !== undefined) throw new MockError('OPTION_INVALID', `operation "${unknown}" is not in the contract`);
  const upstream = createUpstream(url, { insecure, ...(timeout !== undefined && { timeoutMs: timeout }) }, process.env);
  const exits: DriftExit[] = [];
  try {
    for (const cassette of await loadCassettes(name, flags, output)) {
      const results = await findDrift({ contract, cassette, upstream, headers, operations, check });
      exits.push(readDriftExit(results));
      if (flags.format === 'json') output.write(toDriftJson(results));
      else if (flags.format === 'junit') output.write(toDriftJunit(results, cassette.name));
      else output.write([colour('bold', cassette.name), ...formatDrift(results)].join('\n'));
    }
  } finally {
    upstream.close();
  }
  return readWorstExit(exits);
}

async function runRefresh(name: string | undefined, flags: Flags, output: Output): Promise<number> {
  const [{ readRefreshExit, refreshCassette }, { formatRefreshed, toRefreshMarkdown }] = await Promise.all([
    import('./refresh.js'),
    import('./refresh-summary.js'),
  ]);
  const { recordings, upstream, header: upstreamHeaders, timeout: timeoutMs, insecure = false } = flags;
  const { allowUnsafe = false, all = false, dryRun = false, hooks } = flags;
  if (upstreamHeaders !== undefined && upstream === undefined) {
    // A changed file of a recording would get the credential otherwise.
    const hint = 'add --upstream with the base URL that may get the headers';
    throw new MockError('OPTION_INVALID', '--header needs --upstream', { hint });
  }
  const spec = requireSpec(flags.spec);
  const parts = await loadParts(spec);
  const { beforeWrite } = await loadHooks(hooks === undefined ? {} : { hooks });
  const options = { spec, recordings, upstream, upstreamHeaders, timeoutMs, insecure, allowUnsafe, all, dryRun };
  const refreshed: Refreshed[] = [];
  const { hooks: _hooks, ...read } = flags;
  for (const cassette of await loadCassettes(name, read, output)) {
    refreshed.push(await refreshCassette(cassette, parts, { ...options, beforeWrite }));
  }
  if (flags.summary !== undefined) writeOutputFile(flags.summary, toRefreshMarkdown(refreshed, upstream));
  const exitCode = readRefreshExit(refreshed);
  const lines = formatRefreshed(refreshed);
  output.write(
    flags.format === 'json' ? JSON.stringify({ exitCode, cassettes: refreshed }, null, 2) : lines.join('\n'),
  );
  return exitCode;
}

async function runPromote(name: string, flags: Flags, output: Output): Promise<number> {
  const [{ promoteCassette }, { printPromotion }] = await Promise.all([
    import('./promote.js'),
    import('./promote-report.js'),
  ]);
  const spec = requireSpec(flags.spec);
  const parts = await loadParts(spec);
  let exit = 0;
  for (const cassette of await loadCassettes(name, flags, output)) {
    exit = printPromotion(await promoteCassette(cassette, parts, { ...flags, spec }), { ...flags, spec }, output.write);
  }
  return exit;
}

async function runPrune(name: string | undefined, flags: Flags, output: Output): Promise<number> {
  const parts = await loadParts(flags.spec);
  const { write } = output;
  for (const cassette of await loadCassettes(name, flags, output)) {
    const { exchanges, mistakes } = cassette;
    // Other exchanges could get the number of an invalid one.
    if (mistakes.length > 0) return 1;
    const redundant = findRedundant(cassette, parts);
    const verb = flags.dryRun === true ? 'would remove' : 'removed';
    for (const { exchange, why } of redundant) write(`${verb} ${exchange.file}: ${why}`);
    const renamed = flags.dryRun === true ? new Map<string, string>() : await pruneCassette(cassette, redundant);
    for (const [from, to] of renamed) write(`renamed ${from} to ${to}`);
    const total = countOf(exchanges.length, 'exchange');
    write(`${cassette.name}: ${exchanges.length - redundant.length} of ${total} needed`);
  }
  return 0;
}

/** @returns the exit code: 1 if no entry of the file is imported. */
async function runImportHar(file: string, flags: Flags, { write, writeError }: Output): Promise<number> {
  const { recordings, cassette, upstream } = flags;
  const parts = await loadParts(flags.spec);
  const ownName = basename(file, '.har').replaceAll(/[^\w. -]/g, '-');
  const folder = join(recordings, toFolderName(cassette ?? ownName));
  const { written, undocumented, skipped } = await recordHar(file, { folder, upstream }, parts);
  for (const each of undocumented) writeError(colour('gray', `note ${each}: its request is outside of the contract`));
  for (const { entry, why } of skipped) writeError(colour('gray', `skipped ${entry}: ${why}`));
  write(`imported ${countOf(written.length, 'exchange')} to ${showPath(folder)}, skipped ${skipped.length}`);
  return written.length === 0 ? 1 : 0;
}

async function runExportHar(name: string, flags: Flags, output: Output): Promise<number> {
  const { contract } = await loadParts(flags.spec);
  for (const cassette of await loadCassettes(name, flags, output)) {
    const base = flags.base ?? cassette.manifest.upstream;
    if (!URL.canParse(base)) {
      const hint = 'give one with --base, such as https://api.example.com/v1';
      throw new MockError('OPTION_INVALID', `the base URL ${JSON.stringify(base)} is not a valid URL`, { hint });
    }
    const har = exportHar(cassette, { contract, base, version: readVersion() });
    if (flags.out === undefined) output.write(har.trimEnd());
    else {
      writeOutputFile(flags.out, har);
      output.write(`exported ${countOf(cassette.exchanges.length, 'exchange')} to ${flags.out}`);
    }
  }
  return 0;
}
