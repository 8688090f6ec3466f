import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DriftExit, readDriftExit, readWorstExit } from '../../../features/recording/drift/drift-report.js';
import type { Cassette, StoredExchange } from '../../../features/recording/cassette/cassette.js';
import { loadCassette } from '../../../features/recording/cassette/cassette.js';
import { lockCassette } from '../../../features/recording/cassette/lock.js';
import { readExpiry } from '../../../features/recording/cassette/manifest.js';
import type { CassetteOptions, RecordingParts } from '../../../features/recording/cassettes.js';
import { createResponseCheck } from '../../../http/response/response-check.js';
import {
  compareAnswers,
  type ComparedPair,
  type DriftResult,
  type DriftVerdict,
  omitSecrets,
  readSkipReason,
} from '../../../features/recording/drift/drift.js';
import { resend } from '../../../features/recording/promote/rerun.js';
import { SAFE_METHODS } from '../../../contract/operations/operation.js';
import { countOf, type MockError } from '../../../base/errors.js';
import { loadBody } from '../../../features/recording/cassette/recorded-body.js';
import { readField } from '../../../http/header-fields.js';
import { createMock } from '../../../mock/mock.js';
import { inferResources } from '../../../resources/infer/infer.js';

/** What became of one cassette. */
export interface Refreshed {
  readonly cassette: string;
  /** `current`: nothing had changed. `kept`: it could not be recorded again as a whole, and is as it was. */
  readonly outcome: 'replaced' | 'current' | 'kept';
  /** Why it was replaced or kept. */
  readonly why: string;
  /** The recorded answers in comparison with those of now; empty if no request was sent. */
  readonly results: readonly DriftResult[];
}

/** How cassettes are recorded again. */
export interface RefreshOptions extends Pick<CassetteOptions, 'upstreamHeaders' | 'beforeWrite'> {
  readonly spec: string;
  /** The folder of the cassettes. */
  readonly recordings: string;
  /** Base URL of the API; undefined for the one of each cassette. */
  readonly upstream: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly insecure: boolean;
  /** Whether requests that change something are sent. */
  readonly allowUnsafe: boolean;
  /** Whether cassettes are replaced in which nothing has changed. */
  readonly all: boolean;
  readonly dryRun: boolean;
}

/**
 * Sends the requests of a cassette to the API again, in order, and replaces the cassette by the new recording if something has
 * changed or it has expired. Nothing is replaced if one of the requests could not be sent, or its answer not be compared.
 */
export async function refreshCassette(
  cassette: Cassette,
  parts: RecordingParts,
  options: RefreshOptions,
): Promise<Refreshed> {
  const kept = (why: string, results: readonly DriftResult[] = []): Refreshed => {
    return { cassette: cassette.name, outcome: 'kept', why, results };
  };
  const obstacle = findObstacle(cassette, options);
  if (obstacle !== undefined) return kept(obstacle);
  const unlock = lockCassette(cassette.folder);
  const folder = mkdtempSync(join(options.recordings, '.refresh-'));
  try {
    const failures = await recordAgain(cassette, folder, { parts, options });
    if (failures[0] !== undefined) return kept(failures[0].reason);
    const fresh = loadCassette(join(folder, cassette.name));
    const results = compare(cassette, fresh, { parts, options });
    const open = results.filter(({ verdict }) => OPEN.has(verdict));
    if (open.length > 0) return kept(`${countOf(open.length, 'answer')} could not be compared`, results);
    if (fresh.exchanges.length !== cassette.exchanges.length) {
      const count = `${fresh.exchanges.length} of ${countOf(cassette.exchanges.length, 'exchange')}`;
      return kept(`the new recording has ${count}`, results);
    }
    const changed = results.filter(({ verdict }) => verdict !== 'in-sync').length;
    const why = changed > 0 ? `${countOf(changed, 'answer')} changed` : readExpiry(cassette.manifest, Date.now());
    if (why === undefined && !options.all) {
      return { cassette: cassette.name, outcome: 'current', why: 'nothing changed', results };
    }
    if (!options.dryRun) replaceFolder(cassette.folder, fresh.folder, join(folder, 'before'));
    return { cassette: cassette.name, outcome: 'replaced', why: why ?? 'nothing changed', results };
  } finally {
    unlock();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Verdicts of answers that say nothing about the recorded ones. */
const OPEN: ReadonlySet<DriftVerdict> = new Set(['unreachable', 'gone', 'list-empty']);

/** The exit code: a cassette that was replaced is up to date. */
export function readRefreshExit(refreshed: readonly Refreshed[]): DriftExit {
  const exits = refreshed.map(({ outcome, results }): DriftExit => {
    if (outcome === 'kept' && results.length === 0) return 3;
    const left = outcome === 'kept' ? results : results.filter(({ verdict }) => !SETTLED.has(verdict));
    return left.length === 0 ? 0 : readDriftExit(left);
  });
  return readWorstExit(exits);
}

/** Verdicts that a new recording settles. */
const SETTLED: ReadonlySet<DriftVerdict> = new Set(['recording-old', 'recording-stale', 'recorded-list-empty']);

/** Why a cassette cannot be recorded again; undefined if it can. */
function findObstacle(cassette: Cassette, { allowUnsafe }: RefreshOptions): string | undefined {
  if (cassette.mistakes.length > 0) return 'it has invalid files';
  for (const exchange of cassette.exchanges) {
    const { file, request } = exchange;
    const reason = readSkipReason(exchange, cassette);
    if (reason !== undefined) return `${file}: ${reason}`;
    if (allowUnsafe || SAFE_METHODS.includes(request.method)) continue;
    return `${file}: ${request.method} may change something; --allow-unsafe sends it`;
  }
  return cassette.exchanges.length === 0 ? 'it has no exchange' : undefined;
}

interface Again {
  readonly parts: RecordingParts;
  readonly options: RefreshOptions;
}

/** Records the requests of a cassette to a cassette of the same name in another folder; returns why exchanges were not recorded. */
async function recordAgain(
  cassette: Cassette,
  folder: string,
  { parts, options }: Again,
): Promise<readonly MockError[]> {
  const failures: MockError[] = [];
  const { match, redact, maxAge, upstream } = cassette.manifest;
  const { upstreamHeaders, beforeWrite, insecure, timeoutMs } = options;
  const { bindings } = inferResources(parts.contract);
  await using mock = await createMock({
    spec: options.spec,
    recordings: {
      folder,
      cassette: cassette.name,
      mode: 'record-all',
      upstream: options.upstream ?? upstream,
      live: true,
      insecure,
      match,
      onFailure: (error) => failures.push(error),
      ...(redact !== undefined && { redact }),
      ...(maxAge !== undefined && { maxAge }),
      ...(upstreamHeaders !== undefined && { upstreamHeaders }),
      ...(beforeWrite !== undefined && { beforeWrite }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
  });
  const toSent = (exchange: StoredExchange): StoredExchange => {
    // The headers of the upstream are not recorded; those that were recorded are, with the credentials of now.
    const given = Object.entries(upstreamHeaders ?? {}).filter(([name]) => readField(exchange.request.headers, name));
    const headers = { ...omitSecrets(exchange.request, cassette), ...Object.fromEntries(given) };
    return { ...exchange, request: { ...exchange.request, headers } };
  };
  const requests = cassette.exchanges.map(toSent);
  const fetch = (request: Request): Promise<Response> => mock.fetch(request);
  const creates = ({ operation }: StoredExchange): boolean => bindings.get(operation)?.action === 'create';
  const sent = resend({ ...cassette, exchanges: requests }, { fetch, creates, generated: new Map() });
  for await (const { recorded, answer } of sent) {
    // The cassette is kept then, and each of the other requests may take as long as this one.
    if (answer.status >= 500 && recorded.status < 500) break;
  }
  return failures;
}

function compare(cassette: Cassette, fresh: Cassette, { parts, options }: Again): readonly DriftResult[] {
  const { contract, validators } = parts;
  const check = createResponseCheck(validators);
  const pairs = cassette.exchanges.flatMap((recorded, i): readonly ComparedPair[] => {
    const { response, failure } = fresh.exchanges[i] ?? {};
    if (response === undefined) return failure === undefined ? [] : [[recorded, failure.message]];
    return [[recorded, { ...response, ...loadBody(fresh.folder, response) }]];
  });
  return compareAnswers(pairs, { contract, cassette, check, headers: options.upstreamHeaders ?? {} });
}

/** Puts a new folder in the place of another one, which is there again if that fails. */
function replaceFolder(folder: string, fresh: string, before: string): void {
  renameSync(folder, before);
  try {
    renameSync(fresh, folder);
  } catch (error) {
    renameSync(before, folder);
    throw error;
  }
}
