import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Operation } from '../contract/operations/operation.js';
import { MockError } from '../errors.js';
import type { BodyBytes } from '../http/request/body-bytes.js';
import { openCassette } from './cassette/cassette-writer.js';
import {
  type Cassette,
  loadCassette,
  readCassetteFolder,
  type StoredExchange,
  toFolderName,
} from './cassette/cassette.js';
import type { CutOff, NewExchange } from './cassette/exchange.js';
import { lockCassette } from './cassette/lock.js';
import { createManifest, MANIFEST_FILE, type MatchRules, readExpiry } from './cassette/manifest.js';
import { type CheckResponse, createResponseCheck } from './drift/check.js';
import { type CallParts, createMatcher, type Matcher } from './matching/match.js';
import type { ReplayState } from './matching/replay-state.js';
import { createOwners, isCi, type OperationOwners, type Owner, readMode, type RecordingMode } from './mode.js';
import { createRedactor, type WatchedSecret } from './redaction/redact.js';
import { joinRedactions, type RedactionOptions, toPlainRedaction } from './redaction/secret-rules.js';
import { createRecorder, type Recorder } from './upstream/recorder.js';
import { receiveRequest } from './upstream/received.js';
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
  /** Called with each exchange that could not be recorded; its client got the answer of the upstream. */
  readonly onFailure?: (error: MockError) => void;
  /** Returns the exchange to write, which has no secrets any more; undefined or null drops it. */
  readonly beforeWrite?: (exchange: NewExchange) => NewExchange | undefined | null;
  /** Returns the exchange to replay; undefined or null drops it. */
  readonly afterRead?: (exchange: StoredExchange) => StoredExchange | undefined | null;
}

/** The parts of the mock that recordings use. */
export interface RecordingParts extends CallParts {
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
  /** Why exchanges were not recorded. */
  failures(): readonly MockError[];
  /** Ends each response that is still being received: what arrived of it is recorded. */
  readonly open: Set<(cut: CutOff) => Promise<void>>;
  /** The folder of bodies that are too large for memory, removed when the mock is closed. */
  temporaryFolder(): string;
  /** Reads the body of a request to an operation that the mock does not own; a large one goes to a file. */
  readBody(operation: Operation): ReceiveBody | undefined;
  /** Resolves when all recorded exchanges are on disk. */
  settle(): Promise<void>;
  /** Waits for pending writes and closes the connections to the upstream. */
  close(): Promise<void>;
}

/** Reads the body of a request. */
type ReceiveBody = (body: AsyncIterable<Uint8Array>) => Promise<BodyBytes>;

/** An open cassette. */
export interface OpenedCassette {
  readonly name: string;
  read(): Cassette;
  readonly matcher: Matcher;
  /** Undefined if the mode does not record. */
  readonly recorder: Recorder | undefined;
  /** Lets others record to the cassette; undefined if the mode does not record. */
  readonly unlock?: () => void;
}

/** Creates the recordings of a mock. @throws MockError if an option or a cassette is invalid. */
export function createRecordings(options: RecordingOptions, parts: RecordingParts): Recordings {
  const { contract, environment } = parts;
  const live = options.live ?? false;
  const mode = readMode({ mode: options.mode, environment, live });
  const upstream = options.upstream === undefined ? undefined : createUpstream(options.upstream, options);
  const strict = mode === 'replay' && isCi(environment) && !live;
  const owners = createOwners(contract, { mode, owners: options.owners, strict, canForward: upstream !== undefined });
  if (isRecording(mode) && upstream === undefined) {
    const hint = 'set `upstream` to the base URL of the server';
    throw new MockError('OPTION_INVALID', `mode "${mode}" needs an upstream`, { hint });
  }
  const [root, defaultCassette] = readFolder(options);
  const opened = new Map<string, OpenedCassette>();
  const warnings = isRecording(mode) ? listUnset(options, environment) : [];

  const open = (name: string): OpenedCassette => {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const { cassette, warnings: more } = openCassetteOf(name, root, { options, parts, mode });
    warnings.push(...more);
    opened.set(name, cassette);
    return cassette;
  };
  if (defaultCassette !== undefined && mode !== 'off') open(defaultCassette);
  const settle = async (): Promise<void> => {
    for (const { recorder } of opened.values()) await recorder?.settle();
  };
  const temporary = createTemporaryFolder();
  const stops: Recordings['open'] = new Set();

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
    failures: () => [...opened.values()].flatMap(({ recorder }) => recorder?.failures ?? []),
    open: stops,
    temporaryFolder: temporary.path,
    readBody: ({ id }) => (owners.ownerOf(id) === 'mock' ? undefined : temporary.receive),
    settle,
    close: async () => {
      await Promise.all(Array.from(stops, (stop) => stop('recorder')));
      await settle();
      upstream?.close();
      for (const { unlock } of opened.values()) unlock?.();
      await temporary.remove();
    },
  };
}

/** A temporary folder that is created when it is first used. */
function createTemporaryFolder(): { path(): string; readonly receive: ReceiveBody; remove(): Promise<void> } {
  let path: string | undefined;
  const open = (): string => (path ??= mkdtempSync(join(tmpdir(), 'vouch-')));
  return {
    path: open,
    receive: (body) => receiveRequest(body, open()),
    remove: async () => {
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

/** Opens a cassette in one of the modes. @returns it with the warnings about it. @throws MockError if it is invalid or expired. */
function openCassetteOf(
  name: string,
  root: string,
  {
    options,
    parts,
    mode,
  }: { readonly options: RecordingOptions; readonly parts: RecordingParts; readonly mode: RecordingMode },
): { readonly cassette: OpenedCassette; readonly warnings: readonly string[] } {
  const cassette = isRecording(mode)
    ? openToRecord(join(root, toFolderName(name)), options, { parts, replaces: mode === 'record-all' })
    : openToReplay(readCassetteFolder(root, name), options, parts);
  const { manifest, mistakes } = cassette.read();
  const warnings = mistakes.map(String);
  const expiry = readExpiry(manifest, Date.now());
  if (expiry === undefined || mode === 'record-all') return { cassette, warnings };
  const message = `cassette "${name}" was ${expiry}`;
  if (options.expired !== 'fail') return { cassette, warnings: [...warnings, message] };
  throw new MockError('RECORDING_EXPIRED', message, { at: { file: join(root, name) } });
}

function isRecording(mode: RecordingMode): boolean {
  return mode === 'record-all' || mode === 'record-missing';
}

/** The folder of the cassettes and the default one; the folder of a single cassette selects that cassette. */
function readFolder({ folder, cassette }: RecordingOptions): readonly [root: string, cassette: string | undefined] {
  const path = resolve(folder);
  const isCassette = cassette === undefined && existsSync(join(path, MANIFEST_FILE));
  return isCassette ? [dirname(path), basename(path)] : [path, cassette];
}

function openToReplay(folder: string, options: RecordingOptions, parts: RecordingParts): OpenedCassette {
  const cassette = toRead(loadCassette(folder), options);
  const redaction = joinRedactions(cassette.manifest.redact, options.redact);
  const matcher = createMatcher(cassette, { ...parts, redaction });
  return { name: cassette.name, read: () => cassette, matcher, recorder: undefined };
}

/** The cassette with the exchanges that the hook `afterRead` returns. */
function toRead(cassette: Cassette, { afterRead }: RecordingOptions): Cassette {
  if (afterRead === undefined) return cassette;
  return { ...cassette, exchanges: cassette.exchanges.flatMap((exchange) => afterRead(exchange) ?? []) };
}

/** Opens a cassette that is extended, or is replaced by the first recorded exchange. */
function openToRecord(
  folder: string,
  options: RecordingOptions,
  { parts, replaces }: { readonly parts: RecordingParts; readonly replaces: boolean },
): OpenedCassette {
  const { upstream = '', match, maxAge, redact = {} } = options;
  const manifest = createManifest(parts.contract, { upstream, match, maxAge, redact: toPlainRedaction(redact) });
  const unlock = lockCassette(folder);
  const writer = openCassette(folder, manifest);
  const before = replaces ? { ...writer.read(), manifest, exchanges: [], mistakes: [] } : writer.read();
  const redaction = joinRedactions(before.manifest.redact, options.redact);
  const redactor = createRedactor({
    ...parts,
    options: redaction,
    earlier: before.manifest.redacted,
    watched: readWatched({ ...options, redact: redaction }, parts.environment),
  });
  const { isPlaceholder } = redactor.placeholders;
  const matcher = createMatcher(toRead(before, options), { ...parts, redaction, isPlaceholder });
  const { onFailure, beforeWrite } = options;
  const replacement = replaces ? manifest : undefined;
  const recorder = createRecorder({ writer, redactor, replacement, onFailure, beforeWrite });
  return { name: basename(folder), read: writer.read, matcher, recorder, unlock };
}

/** Warnings about environment variables that are to be redacted but are not set. */
function listUnset({ redact }: RecordingOptions, environment: RecordingParts['environment']): string[] {
  const unset = (redact?.env ?? []).filter((name) => (environment[name] ?? '') === '');
  return unset.map((name) => `redact.env contains ${name}, which is not set: its value cannot be redacted`);
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
