import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { MockError } from '../../../base/errors.js';
import { clearInterval, setInterval } from '../../../base/platform.js';
import type { Contract } from '../../../contract/contract.js';
import { createWatcher } from '../../../mock/watch.js';
import { diffContracts } from '../../../tools/diff/diff.js';
import {
  type DiffReport,
  formatDiff,
  formatMarkdown,
  type ReportStyle,
  toDiffJson,
} from '../../../tools/diff/report.js';
import { addOptionFlags, DOCUMENT_OPTIONS } from '../../flags.js';
import { loadModule, readExports } from '../../load-module.js';
import { checkFiles, checkHandlers } from '../../../tools/diff/files/check-files.js';
import { createParts } from '../recordings/parts.js';
import { type DocumentFlags, loadDocument } from '../../document.js';
import { waitForSignal } from '../../transport.js';
import { colour, type Output, showPath } from '../../output.js';

interface DiffFlags extends Omit<DocumentFlags, 'spec'> {
  readonly format: 'text' | 'json' | 'markdown';
  readonly json?: boolean;
  readonly failOn: 'breaking' | 'risky';
  readonly all?: boolean;
  readonly watch?: boolean;
}

/** The arguments and flags of the command. */
interface DiffOptions extends DiffFlags, Output {
  readonly specs: readonly [old: string, now: string];
  readonly files: readonly string[];
}

/** The exit code for a file that cannot be read, and for a mistake in the command line. */
const UNUSABLE = 2;

/** Defines `vouch diff`. */
export function defineCommand(command: Command, output: Output): void {
  command
    .argument('<old>', 'OpenAPI document before the change: a file or URL')
    .argument('<new>', 'OpenAPI document after the change: a file or URL')
    .argument('[files...]', 'fixtures, scenarios, recordings, HARs, Pact files, journals and handlers to check')
    .description('list the changes of a document that break clients; exit codes 0 to 2');
  addOptionFlags(command, DOCUMENT_OPTIONS)
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json', 'markdown']).default('text'))
    .option('--json', 'print JSON')
    .addOption(
      new Option('--fail-on <severity>', 'exit code 1 from this severity on')
        .choices(['breaking', 'risky'])
        .default('breaking'),
    )
    .option('--all', 'also list compatible changes')
    .option('--watch', 'print again when a document or a file changes')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : UNUSABLE))
    .action(async (...[old, now, files, flags]: readonly [string, string, readonly string[], DiffFlags]) => {
      const options = { ...flags, ...output, specs: [old, now], files } as const;
      process.exitCode = flags.watch === true ? await watchDiff(options) : (await runDiff(options)).exit;
    });
}

/** The exit code of a comparison, and the files that it depends on. */
interface Outcome {
  readonly exit: number;
  readonly read: readonly string[];
}

/** Prints the changes. @param edition - How often that was done before. */
async function runDiff(options: DiffOptions, edition = 0): Promise<Outcome> {
  try {
    const { report, read } = await createReport(options, edition);
    print(report, options);
    return { exit: readExit(report, options), read };
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    options.writeError(error.toString());
    return { exit: UNUSABLE, read: [] };
  }
}

/** A timer keeps a process alive for so long. */
const LONG_MS = 2 ** 31 - 1;

/** Prints the changes again whenever a file changes, until a signal. @returns the last exit code. */
async function watchDiff(options: DiffOptions): Promise<number> {
  const { specs, files, write } = options;
  const received = waitForSignal();
  const since = Date.now();
  let last = await runDiff(options);
  let edition = 0;
  const given = [...specs, ...files].filter((path) => !/^https?:/.test(path));
  const watcher = createWatcher(
    () => [...new Set([...given.map((path) => resolve(path)), ...last.read])],
    async () => {
      edition += 1;
      write('');
      last = await runDiff(options, edition);
    },
    since,
  );
  // The watcher does not keep the process alive.
  const timer = setInterval(() => undefined, LONG_MS);
  await received;
  clearInterval(timer);
  watcher.close();
  return last.exit;
}

/** Compares the documents. @throws MockError for a file that cannot be read. */
async function createReport(
  { specs, files, ...flags }: DiffOptions,
  edition: number,
): Promise<{ readonly report: DiffReport } & Pick<Outcome, 'read'>> {
  // Documents are compared while they are edited: caching each version would fill the disk.
  const load = (spec: string): Promise<Contract> => loadDocument({ ...flags, spec }, { 'document.cacheFolder': false });
  const [old, now] = [await load(specs[0]), await load(specs[1])];
  const isModule = (file: string): boolean => /\.[cm]?[jt]s$/.test(file);
  const contracts = { old, now };
  const others = files.filter((file) => !isModule(file));
  const modules = await Promise.all(
    files.filter(isModule).map(async (file) => [file, await listHandlers(file, edition)] as const),
  );
  const found =
    others.length === 0
      ? { breaks: [], outside: 0 }
      : await checkFiles(others, { old: createParts(old), now: createParts(now) });
  const lost = modules.flatMap(([file, names]) => checkHandlers(file, names, contracts));
  const name = (spec: string, { title, version }: Contract) => ({ spec, title, version });
  const report = {
    ...diffContracts(old, now),
    old: name(specs[0], old),
    new: name(specs[1], now),
    breaks: [...found.breaks, ...lost],
    outside: found.outside,
    checked: files.length,
  };
  return { report, read: [...old.files, ...now.files] };
}

async function listHandlers(file: string, edition: number): Promise<readonly string[]> {
  return readExports(await loadModule(file, 'the handlers', edition)).map(([name]) => name);
}

function readExit({ counts, breaks }: DiffReport, { failOn }: DiffFlags): number {
  const isRisky = failOn === 'risky' && counts.risky > 0;
  return counts.breaking > 0 || breaks.length > 0 || isRisky ? 1 : 0;
}

const COLOURS = { title: 'bold', breaking: 'red', risky: 'yellow', compatible: 'green' } as const;

function print(report: DiffReport, { format, json = false, all = false, write }: DiffOptions): void {
  if (json || format === 'json') return write(toDiffJson(report));
  const isText = format === 'text';
  const paint: ReportStyle['paint'] = (severity, text) => (isText ? colour(COLOURS[severity], text) : text);
  write((isText ? formatDiff : formatMarkdown)(report, { all, showPath, paint }).join('\n'));
}
