import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Contract } from '../contract/contract.js';
import type { Operation } from '../contract/operations/operation.js';
import { createUndocumentedOperation, UNDOCUMENTED } from '../contract/operations/undocumented.js';
import type { MockError } from '../errors.js';
import type { Cassette } from './cassette/cassette.js';
import type { CutOff } from './cassette/exchange.js';
import { MANIFEST_FILE } from './cassette/manifest.js';
import {
  type CassetteOptions,
  createCassettes,
  type OpenCassettes,
  type OpenedCassette,
  type RecordingParts,
} from './cassettes.js';
import { type CheckResponse, createResponseCheck } from './drift/check.js';
import { createExclusion, type Exclusion } from './exclusion.js';
import { listUnset, resolveHeaders } from './known-secrets.js';
import type { ReplayState } from './matching/replay-state.js';
import { isRecording, type OperationOwners, type Owner, type RecordingMode } from './mode.js';
import {
  createKeptExchanges,
  createRecordingControls,
  createRuns,
  type RecordingControls,
  type Runs,
} from './running.js';
import type { ObservedExchange } from './upstream/recorder.js';
import { createTemporaryFolder, type ReceiveBody } from './upstream/received.js';
import type { Upstream, UpstreamOptions } from './upstream/upstream.js';

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

/** The recordings engine of one mock; not public. */
export interface Recordings extends RecordingControls {
  readonly mode: RecordingMode;
  readonly owners: OperationOwners;
  readonly upstream: Upstream | undefined;
  readonly upstreamHeaders: Readonly<Record<string, string>>;
  readonly pace: 'recorded' | 'none';
  readonly check: CheckResponse;
  readonly enforce: RecordingOptions['enforce'];
  /** What is not recorded. */
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
  return {
    ...createLookups({ defaultCassette, runs, cassettes, contract, enforce: options.enforce }),
    ...createRecordingControls({ root, defaultCassette, runs, cassettes, kept, exclusion, stopOpen }),
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

interface LookupParts {
  readonly defaultCassette: string | undefined;
  readonly runs: Runs;
  readonly cassettes: OpenCassettes;
  readonly contract: Contract;
  readonly enforce: RecordingOptions['enforce'];
}

/** What the sources ask about a call. */
function createLookups({
  defaultCassette,
  runs,
  cassettes,
  contract,
  enforce,
}: LookupParts): Pick<Recordings, 'undocumented' | 'acceptsUndocumented' | 'current' | 'fillsGaps'> {
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
      if (owner === 'mock' || enforce !== undefined) return false;
      if (owner !== 'replay') return upstream !== undefined;
      return fillsGaps(state) || contract.operations.length === 0 || current(state)?.matcher.hasUndocumented() === true;
    },
  };
}

/** The folder of the cassettes and the default one; the folder of a single cassette selects that cassette. */
function readFolder({ folder, cassette }: RecordingOptions): readonly [root: string, cassette: string | undefined] {
  const path = resolve(folder);
  const isCassette = cassette === undefined && existsSync(join(path, MANIFEST_FILE));
  return isCassette ? [dirname(path), basename(path)] : [path, cassette];
}
