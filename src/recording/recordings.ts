import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Contract } from '../contract/contract.js';
import type { Router } from '../contract/router/router.js';
import { MockError } from '../errors.js';
import type { CallDecoder } from '../http/request/call.js';
import type { Validators } from '../schema/validate.js';
import { openCassette } from './cassette/cassette-writer.js';
import { type Cassette, loadCassette, readCassetteFolder, toFolderName } from './cassette/cassette.js';
import {
  DEFAULT_MATCH,
  LAYOUT_VERSION,
  type Manifest,
  MANIFEST_FILE,
  type MatchRules,
  readExpiry,
} from './cassette/manifest.js';
import { type CheckResponse, createResponseCheck } from './drift/check.js';
import { createMatcher, type Matcher } from './matching/match.js';
import type { ReplayState } from './matching/replay-state.js';
import { createOwners, isCi, type OperationOwners, type Owner, readMode, type RecordingMode } from './mode.js';
import { createRedactor, type WatchedSecret } from './redaction/redact.js';
import { joinRedactions, type RedactionOptions, toPlainRedaction } from './redaction/secret-rules.js';
import { createRecorder, type Recorder } from './upstream/recorder.js';
import { createUpstream, type Upstream, type UpstreamOptions } from './upstream/upstream.js';

/** How a mock records and replays; `createMock({ recordings })` takes it, or the folder alone. */
export interface RecordingOptions extends UpstreamOptions {
  /** The folder of the cassettes, or the folder of one cassette. */
  readonly folder: string;
  /** The cassette of every session that has not selected another one. */
  readonly cassette?: string;
  /** Defaults to the variable `VOUCH_RECORDINGS`, then to `replay`. */
  readonly mode?: RecordingMode;
  /** Base URL of the server that requests are forwarded to. */
  readonly upstream?: string;
  /** Header fields added to every forwarded request, such as credentials; their values are redacted. */
  readonly upstreamHeaders?: Readonly<Record<string, string>>;
  /** Redaction rules besides the defaults. */
  readonly redact?: RedactionOptions;
  /** Owners by operation id; `*` stands for all others. Calls without a recording then fall through to the mock. */
  readonly owners?: Readonly<Record<string, Owner>>;
  /** How requests are compared, for new cassettes. */
  readonly match?: Partial<MatchRules>;
  /** Days until a new cassette expires; default never. */
  readonly maxAge?: number;
  /** Whether an expired cassette causes a warning (default) or an error. */
  readonly expired?: 'warn' | 'fail';
  /** Whether a CI run may call the upstream; default false. */
  readonly live?: boolean;
  /** Whether event streams are replayed at the recorded speed; default `none`, without delays. */
  readonly pace?: 'recorded' | 'none';
}

/** The parts of the mock that recordings use. */
export interface RecordingParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly router: Router;
  readonly decoder: CallDecoder;
  /** Environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The recordings engine of one mock; not public. */
export interface Recordings {
  readonly mode: RecordingMode;
  readonly owners: OperationOwners;
  readonly upstream: Upstream | undefined;
  readonly upstreamHeaders: Readonly<Record<string, string>>;
  readonly pace: 'recorded' | 'none';
  readonly check: CheckResponse;
  /** Warnings for the user, such as an expired cassette. */
  readonly warnings: readonly string[];
  /** Selects the cassette of a session. @throws MockError `RECORDING_NOT_FOUND`, `RECORDING_INVALID`. */
  use(state: ReplayState, name: string): Cassette;
  /** The cassette of a session; undefined if none is selected. */
  current(state: Pick<ReplayState, 'cassette'>): OpenedCassette | undefined;
  /** Errors of exchanges that were not written because they still contained a secret. */
  refusals(): readonly MockError[];
  /** Resolves when all recorded exchanges are on disk. */
  settle(): Promise<void>;
  /** Waits for pending writes and closes the connections to the upstream. */
  close(): Promise<void>;
}

/** An open cassette. */
export interface OpenedCassette {
  readonly name: string;
  read(): Cassette;
  readonly matcher: Matcher;
  /** Undefined if the mode does not record. */
  readonly recorder: Recorder | undefined;
}

/** Creates the recordings of a mock. @throws MockError if an option or a cassette is invalid. */
export function createRecordings(options: RecordingOptions, parts: RecordingParts): Recordings {
  const { contract, environment } = parts;
  const live = options.live ?? false;
  const mode = readMode({ mode: options.mode, environment, live });
  const strict = mode === 'replay' && isCi(environment) && !live;
  const upstream = options.upstream === undefined ? undefined : createUpstream(options.upstream, options);
  const canForward = upstream !== undefined;
  const owners = createOwners(contract, { mode, owners: options.owners, strict, canForward });
  const records = mode === 'record-all' || mode === 'record-missing';
  if (records && upstream === undefined) {
    throw new MockError('OPTION_INVALID', `mode "${mode}" needs an upstream`, {
      hint: 'set `upstream` to the base URL of the server',
    });
  }
  const { root, cassette: defaultCassette } = readFolder(options);
  const opened = new Map<string, OpenedCassette>();
  const unset = records ? (options.redact?.env ?? []).filter((name) => (environment[name] ?? '') === '') : [];
  const warnings = unset.map((name) => `redact.env contains ${name}, which is not set: its value cannot be redacted`);

  const open = (name: string): OpenedCassette => {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const cassette = records
      ? openToRecord(join(root, toFolderName(name)), mode, { options, parts })
      : openToReplay(readCassetteFolder(root, name), { options, parts });
    const expiry = readExpiry(cassette.read().manifest, Date.now());
    if (expiry !== undefined && mode !== 'record-all') {
      const message = `cassette "${name}" was ${expiry}`;
      if (options.expired === 'fail')
        throw new MockError('RECORDING_EXPIRED', message, { at: { file: join(root, name) } });
      warnings.push(message);
    }
    opened.set(name, cassette);
    return cassette;
  };
  if (defaultCassette !== undefined && mode !== 'off') open(defaultCassette);

  return {
    mode,
    owners,
    upstream,
    upstreamHeaders: options.upstreamHeaders ?? {},
    pace: options.pace ?? 'none',
    check: createResponseCheck(parts.validators),
    warnings,
    use: (state, name) => {
      const cassette = open(name).read();
      state.use(name);
      return cassette;
    },
    current: (state) => {
      const name = state.cassette ?? defaultCassette;
      return name === undefined || mode === 'off' ? undefined : open(name);
    },
    refusals: () => [...opened.values()].flatMap(({ recorder }) => recorder?.refusals ?? []),
    settle: () => settle(opened.values()),
    close: async () => {
      await settle(opened.values());
      upstream?.close();
    },
  };
}

async function settle(cassettes: Iterable<OpenedCassette>): Promise<void> {
  await Promise.all(Array.from(cassettes, async ({ recorder }) => recorder?.settle()));
}

/** The folder of the cassettes; the folder of a single cassette selects that cassette. */
function readFolder({ folder, cassette }: RecordingOptions): {
  readonly root: string;
  readonly cassette: string | undefined;
} {
  const path = resolve(folder);
  if (cassette !== undefined || !existsSync(join(path, MANIFEST_FILE))) return { root: path, cassette };
  return { root: dirname(path), cassette: basename(path) };
}

interface Opening {
  readonly options: RecordingOptions;
  readonly parts: RecordingParts;
}

function openToReplay(folder: string, { options, parts }: Opening): OpenedCassette {
  const cassette = loadCassette(folder);
  const redaction = joinRedactions(cassette.manifest.redact ?? {}, options.redact ?? {});
  const matcher = createMatcher(cassette, { ...parts, redaction });
  return { name: cassette.name, read: () => cassette, matcher, recorder: undefined };
}

function openToRecord(folder: string, mode: RecordingMode, { options, parts }: Opening): OpenedCassette {
  const manifest = createManifest(options, parts.contract);
  const writer = openCassette(folder, manifest);
  const fresh = mode === 'record-all';
  const before = writer.read().manifest;
  const redaction = joinRedactions(fresh ? {} : (before.redact ?? {}), options.redact ?? {});
  const redactor = createRedactor({
    ...parts,
    options: redaction,
    earlier: fresh ? {} : before.redacted,
    watched: readWatched({ ...options, redact: redaction }, parts.environment),
  });
  const { isPlaceholder } = redactor.placeholders;
  const initial = fresh ? { ...writer.read(), exchanges: [] } : writer.read();
  const matcher = createMatcher(initial, { ...parts, redaction, isPlaceholder });
  const recorder = createRecorder({ writer, redactor, replacement: fresh ? manifest : undefined });
  return { name: basename(folder), read: writer.read, matcher, recorder };
}

function createManifest(options: RecordingOptions, contract: Contract): Manifest {
  return {
    version: LAYOUT_VERSION,
    contract: { title: contract.title, version: contract.version, hash: contract.hash },
    upstream: readPublicUrl(options.upstream ?? ''),
    recordedAt: new Date().toISOString(),
    match: { ...DEFAULT_MATCH, ...options.match },
    redact: toPlainRedaction(options.redact ?? {}),
    redacted: {},
    maxAge: options.maxAge,
  };
}

/** A URL without its user and password. */
function readPublicUrl(base: string): string {
  if (!URL.canParse(base)) return base;
  const url = new URL(base);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}

/** The secrets whose values are known: environment variables and the credentials for the upstream. */
function readWatched(options: RecordingOptions, environment: RecordingParts['environment']): readonly WatchedSecret[] {
  const named = (options.redact?.env ?? []).map((name) => ({ rule: `env:${name}`, value: environment[name] ?? '' }));
  const own = Object.entries(options.upstreamHeaders ?? {}).map(([name, value]) => ({
    rule: `own:${name.toLowerCase()}`,
    // The scheme is not secret.
    value: value.replace(/^[A-Za-z][\w-]* +/, ''),
  }));
  return [...named, ...own].filter(({ value }) => value.length >= 4);
}
