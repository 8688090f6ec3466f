import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type Coverage,
  COVERAGE_KINDS,
  type CoverageShortfall,
  type CoverageThresholds,
  findShortfalls,
  mergeCoverage,
} from '../../features/coverage/coverage.js';
import { COVERAGE_FOLDER, readCoverageFiles, removeCoverageFiles } from '../../features/coverage/files.js';
import { toCoverageHtml } from '../../features/coverage/html.js';
import {
  describeDocument,
  describeShortfall,
  formatCoverage,
  toCoverageSuite,
} from '../../features/coverage/report.js';
import { writeJunit } from '../../base/junit.js';
import { colour, type Output, showPath, writeOutputFile } from '../output.js';

const FORMATS = ['text', 'json', 'junit', 'html'] as const;

interface CoverageFlags {
  readonly format: (typeof FORMATS)[number];
  /** The file to write; default: print the report. */
  readonly output?: string;
  readonly coverageThreshold?: CoverageThresholds;
  /** Remove the files that were read. */
  readonly clean?: boolean;
}

/** Defines `vouch coverage`. */
export function defineCommand(command: Command, output: Output): void {
  const names = ['total', ...Object.keys(COVERAGE_KINDS)].join(', ');
  command
    .argument('[folder]', 'folder with the files of the run', COVERAGE_FOLDER)
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('text'))
    .option('-o, --output <file>', 'file to write (default: print to standard output)')
    .addOption(
      new Option(
        '--coverage-threshold <percent>',
        `exit code 1 if fewer percent are covered: in total (80) or of one kind (operations=100); kinds: ${names}; repeatable`,
      ).argParser(collectThreshold),
    )
    .option('--clean', 'remove the files that were read, for the next run')
    .action((folder: string, flags: CoverageFlags) => {
      process.exitCode = runCoverage({ folder, ...flags, ...output });
    });
}

/** `80` or `operations=100`. */
function collectThreshold(value: string, previous: CoverageThresholds | undefined): CoverageThresholds {
  const [, kind = 'total', percent = ''] = /^(?:(\w+)=)?(\d+(?:\.\d+)?)%?$/.exec(value) ?? [];
  const isKnown = kind === 'total' || Object.hasOwn(COVERAGE_KINDS, kind);
  if (isKnown && percent !== '' && Number(percent) <= 100) return { ...previous, [kind]: Number(percent) };
  const kinds = ['total', ...Object.keys(COVERAGE_KINDS)].join(', ');
  throw new InvalidArgumentError(`It must be a percentage from 0 to 100, or KIND=PERCENTAGE with one of ${kinds}.`);
}

/**
 * Prints the coverage of a run, merged from the files of all its processes.
 *
 * @returns the exit code: 1 if a share is below its threshold. @throws MockError `COVERAGE_UNREADABLE`.
 */
function runCoverage(options: CoverageFlags & Output & { readonly folder: string }): number {
  const { folder, format, output: file, coverageThreshold = {}, clean, write, writeError } = options;
  const reports = mergeCoverage(readCoverageFiles(folder));
  const found = reports.map((report) => ({ report, shortfalls: findShortfalls(report, coverageThreshold) }));
  const text = writeReports(found, format, file === undefined ? colour : (_, plain) => plain);
  if (file === undefined) write(text.trimEnd());
  else {
    writeOutputFile(file, `${text.trimEnd()}\n`);
    for (const { report } of found) write(`${showPath(file)}  ${describeDocument(report)}: ${report.total.percent}%`);
  }
  for (const { report, shortfalls } of found) {
    for (const shortfall of shortfalls)
      writeError(colour('red', `${describeDocument(report)}: ${describeShortfall(shortfall)}`));
  }
  if (clean === true) removeCoverageFiles(folder);
  return found.some(({ shortfalls }) => shortfalls.length > 0) ? 1 : 0;
}

interface Found {
  readonly report: Coverage;
  readonly shortfalls: readonly CoverageShortfall[];
}

function writeReports(found: readonly Found[], format: CoverageFlags['format'], paint: typeof colour): string {
  if (format === 'html') return toCoverageHtml(found.map(({ report }) => report));
  if (format === 'junit') return writeJunit(found.map(({ report, shortfalls }) => toCoverageSuite(report, shortfalls)));
  if (format === 'text') return found.map(({ report }) => formatCoverage(report, paint)).join('\n\n');
  const documents = found.map(({ report, shortfalls }) => ({ ...report, shortfalls }));
  return JSON.stringify({ documents }, undefined, 2);
}
