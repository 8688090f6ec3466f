import { randomUUID } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createUndocumentedOperation, UNDOCUMENTED } from '../../contract/operations/undocumented.js';
import type { Operation } from '../../contract/operations/operation.js';
import { MockError } from '../../base/errors.js';
import { type Cassette, loadCassette, toFolderName } from './cassette/cassette.js';
import type { CutOff } from './cassette/exchange.js';
import { MANIFEST_FILE } from './cassette/manifest.js';
import {
  type CassetteOptions,
  createCassettes,
  type OpenCassettes,
  type OpenedCassette,
  type RecordingParts,
  toMissingUpstream,
} from './cassettes.js';
import { type CheckResponse, createResponseCheck } from '../../http/response/response-check.js';
import { createExclusion, type Exclusion } from './exclusion.js';
import { listUnset, resolveHeaders } from './known-secrets.js';
import type { ReplayState } from './matching/replay-state.js';
import {
  createOwners,
  isCi,
  isRecording,
  type OperationOwners,
  type Owner,
  readMode,
  type RecordingMode,
} from './mode.js';
import { type ObservedExchange, toNewExchange } from './upstream/recorder.js';
import { createTemporaryFolder, type ReceiveBody } from './upstream/received.js';
import { createUpstream, type Upstream, type UpstreamOptions } from './upstream/upstream.js';

/** How a mock records and replays; `createMock({ recordings })` takes it, or the folder alone. */
export interface RecordingOptions extends UpstreamOptions, CassetteOptions {
  /** The folder of the cassettes, or the folder of one cassette. */
  readonly folder: string;
  /** The cassette of every session that has not selected another one; default none. */
  readonly cassette?: string;
  /** Defaults to the variable `VOUCH_RECORDINGS`, then to `replay`. */
  readonly mode?: RecordingMode;
  /** Owners by operation id; `*` means all others. Calls without a recording then fall through to the mock. Default: given by the mode. */
  readonly owners?: Readonly<Record<string, Owner>>;
  /** What is answered with an error if it breaks the contract, instead of being passed on: answers of the upstream, or requests too; default nothing. */
  readonly enforce?: 'answers' | 'all';
  /** Whether a CI run may call the upstream; default false. */
  readonly live?: boolean;
  /** Whether answers and the events of streams are replayed at the recorded speed; default `none`, without delays. */
  readonly pace?: 'recorded' | 'none';
}

/** A recording that is started while the mock runs. */
export interface RecordingStart {
  /** Default: the cassette of the mock. */
  readonly cassette?: string | undefined;
  /** Base URL of the server; default: that of the mock. */
  readonly upstream?: string | undefined;
  /** `record-all` (default), `record-missing` or `once`. */
  readonly mode?: RecordingMode | undefined;
}

/** The state of a cassette after a recording or a snapshot. */
export interface RecordingReport {
  /** Its name. */
  readonly cassette: string;
  /** The number of its exchanges. */
  readonly exchanges: number;
  /** The number of exchanges that could not be recorded since the mock was created. */
  readonly failed: number;
}

/** Starts, stops and copies recordings. */
interface RecordingControls {
  /**
   * Records calls from now on.
   *
   * @throws MockError `OPTION_INVALID`, `RECORDING_LOCKED`, `RECORDING_UNWRITABLE`, `RECORDING_INVALID`, `RECORDING_EXPIRED`.
   */
  start(request: RecordingStart): void;
  /** Ends the recording; calls are answered as before. @throws MockError `OPTION_INVALID` if nothing is being recorded. */
  stop(): Promise<RecordingReport>;
  /**
   * Writes what was forwarded so far to a cassette, or copies the one that is being recorded.
   *
   * @throws MockError `OPTION_INVALID`, `RECORDING_LOCKED`, `RECORDING_UNWRITABLE`, `RECORDING_INVALID`, `RECORDING_EXPIRED`.
   */
  snapshot(cassette?: string): Promise<RecordingReport>;
}

/** The recordings engine of one mock; not public. */
export interface Recordings extends RecordingControls {
  readonly mode: RecordingMode;
  readonly owners: OperationOwners;
  readonly upstream: Upstream | undefined;
  readonly upstreamHeaders: Readonly<Record<string, string>>;
  /** The name of the mock in the field `Via` of forwarded requests (RFC 9110 7.6.3). */
  readonly pseudonym: string;
  readonly pace: 'recorded' | 'none';
  readonly check: CheckResponse;
  readonly enforce: RecordingOptions['enforce'];
  /** The exchanges that are not recorded. */
  readonly exclusion: Exclusion;
  /** Warnings for the user, such as an expired cassette. */
  readonly warnings: readonly string[];
  /** Selects the cassette of a session. @throws MockError as `open` of the cassettes. */
  use(state: ReplayState, name: string): Cassette;
  /** The operation of requests outside of the contract. */
  readonly undocumented: Operation;
  /** Whether requests outside of the contract are forwarded, or answered from the cassette of a session. */
  acceptsUndocumented(state: Pick<ReplayState, 'cassette'>): boolean;
  /** The cassette of a session; undefined if none is selected. */
  current(state: Pick<ReplayState, 'cassette'>): OpenedCassette | undefined;
  /** Whether a call of a session without a recording is forwarded and recorded. */
  fillsGaps(state: Pick<ReplayState, 'cassette'>): boolean;
  /** Remembers an exchange that was forwarded without being recorded, for a snapshot. */
  keep(exchange: ObservedExchange, bodyBytes: number): void;
  /** Why exchanges were not recorded. */
  failures(): readonly MockError[];
  /** Ends each response that is still being received: what arrived of it is recorded. */
  readonly open: Set<(cut: CutOff) => Promise<void>>;
  /** The bodies that are too large for memory. */
  readonly files: Pick<ReturnType<typeof createTemporaryFolder>, 'path' | 'hold' | 'release'>;
  /** Reads the body of a request to an operation that the mock does not own; a large one goes to a file. */
  readBody(operation: Operation): ReceiveBody | undefined;
  /** Resolves when all recorded exchanges are on disk. */
  settle(): Promise<void>;
  /** Waits for pending writes and closes the connections to the upstream. */
  close(): Promise<void>;
}

/** Creates the recordings of a mock. @throws MockError if an option or a cassette is invalid. */
export function createRecordings(given: RecordingOptions, parts: RecordingParts): Recordings {
  const { contract, environment } = parts;
  const upstreamHeaders = resolveHeaders(given.upstreamHeaders ?? {}, environment);
  const options = { ...given, upstreamHeaders };
  const runs = createRuns(options, parts);
  const [root, defaultCassette] = readFolder(options);
  const warnings = isRecording(runs.current().mode) ? listUnset(options, environment) : [];
  const cassettes = createCassettes({ root, options, parts, warnings, readMode: runs.current });
  if (defaultCassette !== undefined && runs.current().mode !== 'off') cassettes.open(defaultCassette);
  const temporary = createTemporaryFolder();
  const open: Recordings['open'] = new Set();
  const stopOpen = (): Promise<unknown> => Promise.all(Array.from(open, (stop) => stop('recorder')));
  const kept = createKeptExchanges();
  const exclusion = createExclusion(options.exclude ?? {}, contract);
  const engine = { ...parts, options, root, defaultCassette, runs, cassettes, kept, exclusion, stopOpen };
  return {
    ...createLookups(engine),
    ...createControls(engine),
    get mode() {
      return runs.current().mode;
    },
    get owners() {
      return runs.current().owners;
    },
    get upstream() {
      return runs.current().upstream;
    },
    upstreamHeaders,
    pseudonym: `vouch-${randomUUID()}`,
    pace: options.pace ?? 'none',
    check: createResponseCheck(parts.validators),
    enforce: options.enforce,
    exclusion,
    warnings,
    use: (state, name) => {
      const cassette = cassettes.open(name).read();
      state.use(name);
      return cassette;
    },
    keep: kept.add,
    failures: cassettes.failures,
    open,
    files: temporary,
    readBody: ({ id }) => (runs.current().owners.ownerOf(id) === 'mock' ? undefined : temporary.receive),
    settle: cassettes.settle,
    close: async () => {
      await stopOpen();
      await cassettes.close();
      runs.close();
      await temporary.remove();
    },
  };
}

/** The values that the parts of the engine share. */
interface Engine extends RecordingParts {
  readonly options: RecordingOptions;
  readonly root: string;
  readonly defaultCassette: string | undefined;
  readonly runs: Runs;
  readonly cassettes: OpenCassettes;
  readonly kept: KeptExchanges;
  readonly exclusion: Exclusion;
  /** Ends the responses that are still being received. */
  stopOpen(): Promise<unknown>;
}

/** The folder of the cassettes and the default one; the folder of a single cassette selects that cassette. */
function readFolder({ folder, cassette }: RecordingOptions): readonly [root: string, cassette: string | undefined] {
  const path = resolve(folder);
  const isCassette = cassette === undefined && existsSync(join(path, MANIFEST_FILE));
  return isCassette ? [dirname(path), basename(path)] : [path, cassette];
}

/** How calls are answered now. */
interface Run {
  readonly mode: RecordingMode;
  readonly owners: OperationOwners;
  readonly upstream: Upstream | undefined;
  /** The cassette of every session; undefined for that of the session or the mock. */
  readonly cassette?: string;
}

/** The way in which calls are answered, which changes while a recording is running. */
type Runs = ReturnType<typeof createRuns>;

/** Creates the way in which a mock answers first. @throws MockError `OPTION_INVALID`. */
function createRuns(options: RecordingOptions, { contract, environment }: RecordingParts) {
  const { live = false, owners: given } = options;
  const connect = (url: string): Upstream => createUpstream(url, options, environment);
  const createRun = (mode: RecordingMode, upstream: Upstream | undefined, cassette?: string): Run => {
    const strict = mode === 'replay' && isCi(environment) && !live;
    const canForward = upstream !== undefined;
    const owners = createOwners(contract, { mode, owners: given, strict, canForward });
    if (isRecording(mode) && mode !== 'once' && !canForward) throw toMissingUpstream(`mode "${mode}"`);
    return { mode, owners, upstream, ...(cassette !== undefined && { cassette }) };
  };
  const first = readMode({ mode: options.mode, environment, live });
  const initial = createRun(first, options.upstream === undefined ? undefined : connect(options.upstream));
  let run = initial;
  const closeOwn = ({ upstream }: Run): void => {
    if (upstream !== initial.upstream) upstream?.close();
  };
  return {
    current: (): Run => run,
    /** Begins a recording. @throws MockError `OPTION_INVALID` without an upstream, or for a mode that does not record here. */
    begin: ({ cassette, upstream, mode = 'record-all' }: RecordingStart & { readonly cassette: string }): void => {
      const next = readMode({ mode, environment, live });
      if (!isRecording(next)) {
        throw toInvalidUse(
          `mode "${mode}" does not record here`,
          'use record-all, record-missing or once; on CI, set `live: true`',
        );
      }
      run = createRun(next, upstream === undefined ? initial.upstream : connect(upstream), cassette);
    },
    /** Ends the recording: calls are answered as before, or replayed if the mock was created to record. */
    end: (): void => {
      closeOwn(run);
      run = isRecording(initial.mode) ? createRun('replay', initial.upstream) : initial;
    },
    /** Closes the connections to the upstreams. */
    close: (): void => {
      closeOwn(run);
      initial.upstream?.close();
    },
  };
}

/** Creates the lookups of the sources for a call. */
function createLookups({
  options,
  defaultCassette,
  runs,
  cassettes,
  contract,
}: Engine): Pick<Recordings, 'undocumented' | 'acceptsUndocumented' | 'current' | 'fillsGaps'> {
  const current: Recordings['current'] = (state) => {
    const { mode, cassette } = runs.current();
    const name = cassette ?? state.cassette ?? defaultCassette;
    return name === undefined || mode === 'off' ? undefined : cassettes.open(name);
  };
  const fillsGaps: Recordings['fillsGaps'] = (state) => {
    const { mode } = runs.current();
    return mode === 'record-missing' || (mode === 'once' && current(state)?.isExtended === true);
  };
  return {
    current,
    fillsGaps,
    undocumented: createUndocumentedOperation(contract.operations),
    acceptsUndocumented: (state) => {
      const { owners, upstream } = runs.current();
      const owner = owners.ownerOf(UNDOCUMENTED);
      if (owner === 'mock' || options.enforce !== undefined) return false;
      if (owner !== 'replay') return upstream !== undefined;
      return fillsGaps(state) || contract.operations.length === 0 || current(state)?.matcher.hasUndocumented() === true;
    },
  };
}

/** Creates the controls of the recordings of a mock. */
function createControls({
  root,
  defaultCassette,
  runs,
  cassettes,
  kept,
  exclusion,
  stopOpen,
}: Engine): RecordingControls {
  const report = (name: string): RecordingReport => {
    const { exchanges } = loadCassette(join(root, toFolderName(name)));
    return { cassette: name, exchanges: exchanges.length, failed: cassettes.failures().length };
  };
  const readRunning = (): string | undefined => {
    const { mode, cassette = defaultCassette } = runs.current();
    return isRecording(mode) ? cassette : undefined;
  };
  return {
    start: ({ cassette = defaultCassette, ...request }) => {
      if (isRecording(runs.current().mode)) throw toInvalidUse('a recording is already running', 'stop it first');
      if (cassette === undefined) throw toInvalidUse('no cassette is given to record to', NAME_ONE);
      runs.begin({ ...request, cassette });
      try {
        cassettes.forget(cassette);
        cassettes.open(cassette);
      } catch (error) {
        runs.end();
        throw error;
      }
    },
    stop: async () => {
      const name = readRunning();
      if (name === undefined) throw toInvalidUse('no recording is running', 'start one first');
      runs.end();
      await stopOpen();
      await cassettes.closeRecorded();
      return report(name);
    },
    snapshot: async (wanted) => {
      const running = readRunning();
      const name = wanted ?? running;
      if (name === undefined) throw toInvalidUse('no cassette is given for the snapshot', NAME_ONE);
      await cassettes.settle();
      if (running === undefined) {
        await cassettes.extend(name, async ({ recorder }) => {
          for (const observed of kept.take()) {
            const exchange = toNewExchange(observed);
            if (exchange !== undefined) await recorder?.record(exclusion.apply(exchange), observed.call.operation);
          }
        });
      } else if (name !== running) copyCassette(root, { from: running, to: name });
      return report(name);
    },
  };
}

const NAME_ONE = 'name one: { "cassette": "checkout" }';

/** The error of an operation on recordings that is not possible now. */
function toInvalidUse(message: string, hint: string): MockError {
  return new MockError('OPTION_INVALID', message, { hint });
}

/** Limits of what is kept for a snapshot. */
const MAX_KEPT = 1000;
const MAX_KEPT_BYTES = 33_554_432;

/** The latest exchanges that were forwarded without being recorded, for a snapshot. */
type KeptExchanges = ReturnType<typeof createKeptExchanges>;

/** Creates the list of kept exchanges, which is empty. */
function createKeptExchanges() {
  let kept: (readonly [exchange: ObservedExchange, bodyBytes: number])[] = [];
  let total = 0;
  return {
    add: (exchange: ObservedExchange, bodyBytes: number): void => {
      const { call, outcome } = exchange;
      // The temporary file of a large body does not outlive its exchange.
      if (call.file !== undefined || ('response' in outcome && 'file' in outcome.response.body)) return;
      kept.push([exchange, bodyBytes]);
      total += bodyBytes;
      while (kept.length > MAX_KEPT || total > MAX_KEPT_BYTES) total -= kept.shift()?.[1] ?? 0;
    },
    /** All of them, oldest first; none are left. */
    take: (): readonly ObservedExchange[] => {
      const taken = kept.map(([exchange]) => exchange);
      [kept, total] = [[], 0];
      return taken;
    },
  };
}

/** Copies the files of a cassette that is being recorded. @throws MockError `OPTION_INVALID` if the other one exists. */
function copyCassette(root: string, { from, to }: { readonly from: string; readonly to: string }): void {
  const target = join(root, toFolderName(to));
  if (existsSync(target)) {
    throw toInvalidUse(`the cassette "${to}" already exists`, 'choose another name');
  }
  cpSync(join(root, toFolderName(from)), target, {
    recursive: true,
    filter: (path) => !basename(path).startsWith('.'),
  });
}
