import { type Command, Option } from 'commander';
import { dump } from 'js-yaml';
import { existsSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Contract } from '../../contract/contract.js';
import { MockError, countOf } from '../../base/errors.js';
import type { Break } from '../../tools/import/check.js';
import { readImport } from '../../tools/import/detect.js';
import { findRecordedBreaks, recordHar } from '../../tools/import/har.js';
import { type Imported, importMock } from '../../tools/import/import.js';
import { FORMAT_NAMES, type Format, FORMATS, type Remark } from '../../tools/import/stub.js';
import { toFolderName } from '../../features/recording/cassette/cassette.js';
import type { RecordingParts } from '../../features/recording/cassettes.js';
import { alignColumns, colour, type Output, showPath, writeOutputFile } from '../output.js';
import { loadParts } from './recordings/recordings.js';

interface ImportFlags {
  readonly spec?: string;
  readonly into: string;
  readonly format?: Format;
  readonly name?: string;
  readonly upstream?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** The files that were written, and the findings. */
interface Report {
  readonly format: Format;
  /** The files and folders that were written. */
  readonly files: readonly string[];
  /** `17 stubs and 2 collections`. */
  readonly imported: string;
  readonly breaks: readonly Break[];
  readonly remarks: readonly Remark[];
  /** How to serve what was imported. */
  readonly next: readonly string[];
}

/** Defines `vouch import`. */
export function defineCommand(command: Command, output: Output): void {
  command
    .argument('<source>', 'HAR, WireMock folder, Mockoon environment, Postman collection, list of handlers or db.json')
    .description('convert the files of another mock server, and list where they broke the contract; exit codes 0 and 1')
    .option('--spec <spec>', 'OpenAPI document: a file or URL (default: spec/openapi.yaml or openapi.yaml)')
    .option('-o, --into <folder>', 'folder for fixtures, scenarios and recordings', '.')
    .addOption(
      new Option('--format <format>', 'format of the source; detected from its content if not given').choices(FORMATS),
    )
    .option('--name <name>', 'name of the scenario or recording (default: the format, or the name of the HAR)')
    .option('--upstream <url>', 'base URL of the API in a HAR; entries for other URLs are skipped')
    .option('--force', 'overwrite existing files')
    .option('--json', 'print one JSON object instead of text')
    .action(async (source: string, flags: ImportFlags) => {
      const report = await runImport(source, flags);
      print(report, flags, output.write);
      process.exitCode = report.breaks.length > 0 || report.files.length === 0 ? 1 : 0;
    });
}

async function runImport(path: string, flags: ImportFlags): Promise<Report> {
  const { format, mock, prefix } = readImport(path, flags.format);
  const parts = await loadParts(flags.spec);
  if (mock === undefined) return importRecording(path, flags, parts);
  const imported = await importMock(mock, { ...parts, format, prefix });
  const name = flags.name ?? format;
  const files = listFiles(imported, { name, flags, contract: parts.contract, format });
  rejectOverwriting(files, flags);
  for (const { path: file, content } of files) writeOutputFile(file, content);
  const into = flags.into === '.' ? '' : `cd ${flags.into} && `;
  const { scenario, fixtures, carried, breaks, remarks } = imported;
  return {
    format,
    files: files.map((file) => file.path),
    imported: [
      ...(carried > 0 ? [countOf(carried, 'stub')] : []),
      ...(fixtures.length > 0 ? [countOf(fixtures.length, 'collection')] : []),
    ].join(' and '),
    breaks,
    remarks,
    next: [
      ...(scenario === undefined ? [] : [`answers as in the old mock: ${into}npx vouch serve --scenario ${name}`]),
      ...(fixtures.length === 0 ? [] : [`a stateful mock with its items: ${into}npx vouch serve`]),
    ],
  };
}

function listFiles(
  { scenario, fixtures }: Imported,
  about: { readonly name: string; readonly flags: ImportFlags; readonly contract: Contract; readonly format: Format },
): readonly { readonly path: string; readonly content: string | Uint8Array }[] {
  const { name, flags, contract, format } = about;
  const note = `# Imported from ${FORMAT_NAMES[format]} and checked against ${contract.title} ${contract.version}.\n`;
  const text = scenario === undefined ? '' : note + dump(scenario, { lineWidth: 120, noRefs: true });
  return [
    ...(scenario === undefined ? [] : [{ path: join(flags.into, 'scenarios', `${name}.yaml`), content: text }]),
    ...fixtures.map(({ path, content }) => ({ path: join(flags.into, 'fixtures', path), content })),
  ];
}

function rejectOverwriting(files: readonly { readonly path: string }[], { force }: ImportFlags): void {
  const taken = force === true ? [] : files.filter(({ path }) => existsSync(path)).map(({ path }) => showPath(path));
  if (taken.length === 0) return;
  const hint = 'add --force to overwrite, or name another folder with --into';
  throw new MockError('FILE_EXISTS', `these files exist: ${taken.join(', ')}; no file was written`, { hint });
}

async function importRecording(file: string, flags: ImportFlags, parts: RecordingParts): Promise<Report> {
  const name = toFolderName(flags.name ?? basename(file, extname(file)).replaceAll(/[^\w. -]/g, '-'));
  const folder = join(flags.into, 'fixtures', 'recordings', name);
  rejectOverwriting([{ path: join(folder, 'cassette.json') }], flags);
  const { written, skipped } = await recordHar(file, { folder, upstream: flags.upstream }, parts);
  const unknown = skipped.filter(({ isUnknown = false }) => isUnknown);
  const upstreamHint =
    flags.upstream === undefined ? ' (to skip other servers, name the base URL of the API with --upstream)' : '';
  return {
    format: 'har',
    files: written.length === 0 ? [] : [folder],
    imported: countOf(written.length, 'exchange'),
    breaks: [
      ...(written.length === 0 ? [] : findRecordedBreaks(folder, parts)),
      ...unknown.map(({ entry, why }): Break => {
        const message = why + upstreamHint;
        return { at: basename(file), stub: entry, code: 'PATH_UNKNOWN', in: 'path', pointer: '', message };
      }),
    ],
    remarks: skipped
      .filter(({ isUnknown = false }) => !isUnknown)
      .map(({ entry, why }) => ({ at: basename(file), what: entry, why })),
    next: [
      `answers as recorded: npx vouch replay --cassette ${name} --recordings ${join(flags.into, 'fixtures', 'recordings')}`,
      `fixtures from it: npx vouch recordings promote ${name} --recordings ${join(flags.into, 'fixtures', 'recordings')}`,
    ],
  };
}

function print(report: Report, { json = false }: ImportFlags, write: Output['write']): void {
  const { format, files, imported, breaks, remarks, next } = report;
  if (json) {
    write(JSON.stringify({ format, files: files.map(showPath), imported, breaks, notCarriedOver: remarks }, null, 2));
    return;
  }
  write(`${imported === '' ? 'nothing was imported' : `imported ${imported}`} from ${FORMAT_NAMES[format]}`);
  for (const file of files) write(`wrote ${showPath(file)}`);
  if (breaks.length > 0) {
    write(colour('bold', `\nthe old mock broke the contract in ${countOf(breaks.length, 'place')}:`));
    const rows = breaks.map(({ at, stub, operation = '-', in: place, pointer, code, message }) => {
      return [at, stub, operation, `${place} ${pointer}`.trim(), code, message];
    });
    for (const line of alignColumns([['where', 'stub', 'operation', 'part', 'code', 'what'], ...rows]))
      write(`  ${line}`);
  }
  if (remarks.length > 0) {
    write(colour('bold', '\nnot carried over, or not exactly:'));
    const rows = remarks.map(({ at, what, why, hint }) => [
      at,
      what,
      hint === undefined ? why : `${why} (hint: ${hint})`,
    ]);
    for (const line of alignColumns([['where', 'what', 'why'], ...rows])) write(`  ${line}`);
  }
  if (next.length > 0) write('');
  for (const line of next) write(line);
}
