import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Contract } from '../../contract/contract.js';
import { loadContract } from '../../contract/load/load.js';
import { createRouter, type Router } from '../../contract/router/router.js';
import { MockError } from '../../errors.js';
import { type CallDecoder, createCallDecoder } from '../../http/request/call.js';
import { createValidators, type Validators } from '../../schema/validate.js';
import {
  type Cassette,
  listCassettes,
  loadCassette,
  readCassetteFolder,
  toFolderName,
} from '../../recording/cassette/cassette.js';
import { openCassette } from '../../recording/cassette/cassette-writer.js';
import { checkCassette, formatCheck } from '../../recording/drift/check.js';
import { createResponseCheck } from '../../recording/drift/conformance.js';
import { type DriftResult, findDrift } from '../../recording/drift/drift.js';
import { formatDrift, readDriftExit, toDriftJson, toDriftJunit } from '../../recording/drift/drift-report.js';
import { exportHar } from '../../recording/har/har-export.js';
import { importHar } from '../../recording/har/har-import.js';
import { DEFAULT_MATCH, LAYOUT_VERSION, readExpiry } from '../../recording/cassette/manifest.js';
import { findSuperfluous, pruneCassette } from '../../recording/cassette/prune.js';
import { createRecorder } from '../../recording/upstream/recorder.js';
import { createMask, createRedactor, createRequestWalk } from '../../recording/redaction/redact.js';
import { createUpstream } from '../../recording/upstream/upstream.js';
import { createShapeReader } from '../../recording/drift/value-shape.js';
import { colour } from '../log.js';
import { readHeaders } from './record.js';
import { findSpec, packageFolder } from './serve.js';

/** What every command on recordings is told. */
export interface RecordingsOptions {
  /** Undefined: `spec/openapi.*` of this folder, else the built-in contract. */
  readonly spec: string | undefined;
  /** The folder of the cassettes. */
  readonly recordings: string;
  /** Undefined: all of them. */
  readonly cassette: string | undefined;
  readonly format: 'text' | 'json' | 'junit';
  write(line: string): void;
  writeError(line: string): void;
}

/** A contract with what requests and responses are checked by. */
export interface Ground {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly router: Router;
  readonly decoder: CallDecoder;
}

const BODY_LIMIT_BYTES = 256 * 1024 * 1024;

/** Loads the contract that recordings are held against. */
export async function loadGround(spec: string | undefined): Promise<Ground> {
  const contract = await loadContract(spec ?? findSpec());
  const validators = createValidators(contract);
  const decoder = createCallDecoder(contract, validators, { bodyLimitBytes: BODY_LIMIT_BYTES });
  return { contract, validators, router: createRouter(contract.operations, contract.resolve), decoder };
}

/** The cassettes that are meant, loaded. @throws MockError `RECORDING_NOT_FOUND`, `RECORDING_INVALID`. */
export function loadMeant({
  recordings,
  cassette,
}: Pick<RecordingsOptions, 'recordings' | 'cassette'>): readonly Cassette[] {
  const names = cassette === undefined ? listCassettes(recordings) : [cassette];
  if (names.length > 0) return names.map((name) => loadCassette(readCassetteFolder(recordings, name)));
  throw new MockError('RECORDING_NOT_FOUND', `there are no cassettes in ${recordings}`, {
    at: { file: recordings },
    hint: 'record one with `vouch record <spec> --upstream URL --cassette NAME`, or name their folder with --recordings',
  });
}

/** `vouch recordings check`: every exchange against the contract. @returns 1 where something is wrong. */
export async function runRecordingsCheck(options: RecordingsOptions): Promise<number> {
  const ground = await loadGround(options.spec);
  let errors = 0;
  const report: object[] = [];
  for (const cassette of loadMeant(options)) {
    const findings = await checkCassette(cassette, ground);
    errors += findings.filter(({ severity }) => severity === 'error').length;
    report.push({ cassette: cassette.name, exchanges: cassette.exchanges.length, findings });
    if (options.format === 'json') continue;
    const expiry = readExpiry(cassette.manifest, Date.now());
    options.write(colour('bold', cassette.name));
    for (const line of [...(expiry === undefined ? [] : [`note  ${expiry}`]), ...formatCheck(cassette, findings)])
      options.write(`  ${line}`);
  }
  if (options.format === 'json') options.write(JSON.stringify(report, null, 2));
  return errors === 0 ? 0 : 1;
}

/** `vouch recordings drift`: the recorded requests once more. @returns 0, 1, 2 or 3 as `readDriftExit` says. */
export async function runRecordingsDrift(
  options: RecordingsOptions & {
    readonly upstream: string;
    readonly headers: readonly string[];
    readonly operations: readonly string[];
    readonly timeoutMs: number | undefined;
    readonly insecure: boolean;
  },
): Promise<number> {
  const { contract, validators } = await loadGround(options.spec);
  for (const id of options.operations) {
    if (contract.operation(id) === undefined)
      throw new MockError('OPTION_INVALID', `operation "${id}" is not in the contract`);
  }
  const { timeoutMs, insecure } = options;
  const upstream = createUpstream(options.upstream, { insecure, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  let exit = 0;
  try {
    for (const cassette of loadMeant(options)) {
      const results = await findDrift({
        contract,
        cassette,
        upstream,
        headers: readHeaders(options.headers),
        operations: options.operations,
        check: createResponseCheck(validators),
        readShape: createShapeReader(contract),
      });
      exit = Math.max(exit, readDriftExit(results));
      for (const line of toDriftLines(results, cassette, options.format)) options.write(line);
    }
  } finally {
    upstream.close();
  }
  return exit;
}

function toDriftLines(
  results: readonly DriftResult[],
  { name }: Cassette,
  format: RecordingsOptions['format'],
): readonly string[] {
  if (format === 'json') return [toDriftJson(results)];
  if (format === 'junit') return [toDriftJunit(results, name)];
  return [colour('bold', name), ...formatDrift(results)];
}

/** `vouch recordings prune`: takes out what replay never needs and numbers anew. */
export async function runRecordingsPrune(options: RecordingsOptions & { readonly dryRun: boolean }): Promise<number> {
  const ground = await loadGround(options.spec);
  for (const cassette of loadMeant(options)) {
    const mask = createMask(cassette.manifest.redact ?? {}, (text) => Object.hasOwn(cassette.manifest.redacted, text));
    const walk = createRequestWalk({ ...ground, options: cassette.manifest.redact ?? {} });
    const superfluous = findSuperfluous(cassette, { ...ground, walk, mask });
    for (const { exchange, why } of superfluous)
      options.write(`${options.dryRun ? 'would remove' : 'removed'} ${exchange.file}: ${why}`);
    const renamed = options.dryRun ? new Map<string, string>() : await pruneCassette(cassette, superfluous);
    for (const [from, to] of renamed) options.write(`renamed ${from} to ${to}`);
    options.write(
      `${cassette.name}: ${cassette.exchanges.length - superfluous.length} of ${cassette.exchanges.length} exchanges are needed`,
    );
  }
  return 0;
}

/** `vouch recordings import-har`: a HAR 1.2 file becomes a cassette. @returns 1 where nothing in it was a call of the contract. */
export async function runRecordingsImportHar(
  options: RecordingsOptions & { readonly file: string; readonly upstream: string | undefined },
): Promise<number> {
  const ground = await loadGround(options.spec);
  const { title, version, hash } = ground.contract;
  const name =
    options.cassette ??
    basename(options.file)
      .replace(/\.har$/, '')
      .replaceAll(/[^\w. -]/g, '-');
  const writer = openCassette(join(options.recordings, toFolderName(name)), {
    version: LAYOUT_VERSION,
    contract: { title, version, hash },
    upstream: options.upstream ?? '',
    recordedAt: new Date().toISOString(),
    match: DEFAULT_MATCH,
    redacted: {},
    maxAge: undefined,
  });
  const redactor = createRedactor({ ...ground, options: {}, earlier: writer.read().manifest.redacted, watched: [] });
  const recorder = createRecorder({ writer, redactor, fresh: undefined });
  const { written, skipped } = await importHar(options.file, { ...ground, recorder, upstream: options.upstream });
  for (const { entry, why } of skipped) options.writeError(colour('gray', `left out ${entry}: ${why}`));
  options.write(
    `${written.length} exchanges in ${relative(process.cwd(), writer.folder)}, ${skipped.length} entries left out`,
  );
  return written.length === 0 ? 1 : 0;
}

/** `vouch recordings export-har`: a cassette becomes a HAR 1.2 file; without a file it is printed. */
export async function runRecordingsExportHar(
  options: RecordingsOptions & {
    readonly cassette: string;
    readonly file: string | undefined;
    readonly base: string | undefined;
  },
): Promise<number> {
  const { contract } = await loadGround(options.spec);
  const cassette = loadCassette(readCassetteFolder(options.recordings, options.cassette));
  const base = options.base ?? cassette.manifest.upstream;
  if (!URL.canParse(base)) {
    throw new MockError('OPTION_INVALID', `${JSON.stringify(base)} is not the base URL of the exported entries`, {
      hint: 'give one with --base, such as https://api.example.com/v1',
    });
  }
  const text = exportHar(cassette, { contract, base, version: readVersion() });
  if (options.file === undefined) options.write(text.trimEnd());
  else {
    mkdirSync(dirname(options.file), { recursive: true });
    writeFileSync(options.file, text);
    options.write(`${cassette.exchanges.length} exchanges in ${options.file}`);
  }
  return 0;
}

function readVersion(): string {
  // Our own package.json: an object with a version.
  const { version } = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}
