import { cpSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MockError } from '../errors.js';
import { loadCassette, toFolderName } from './cassette/cassette.js';
import { type OpenCassettes, type RecordingParts, toMissingUpstream } from './cassettes.js';
import type { Exclusion } from './exclusion.js';
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
import { createUpstream, type Upstream, type UpstreamOptions } from './upstream/upstream.js';

/** A recording that is started while the mock runs. */
export interface RecordingStart {
  /** Default: the cassette of the mock. */
  readonly cassette?: string | undefined;
  /** Base URL of the server; default: that of the mock. */
  readonly upstream?: string | undefined;
  /** `record-all` (default), `record-missing` or `once`. */
  readonly mode?: RecordingMode | undefined;
}

/** What a cassette has after a recording or a snapshot. */
export interface RecordingReport {
  /** Its name. */
  readonly cassette: string;
  /** The number of its exchanges. */
  readonly exchanges: number;
  /** The number of exchanges that could not be recorded since the mock was created. */
  readonly failed: number;
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
export interface Runs {
  current(): Run;
  /** Begins a recording. @throws MockError `OPTION_INVALID` without an upstream, or for a mode that does not record here. */
  begin(request: RecordingStart & { readonly cassette: string }): void;
  /** Ends the recording: calls are answered as before, or replayed if the mock was created to record. */
  end(): void;
  /** Closes the connections to the upstreams. */
  close(): void;
}

interface RunOptions extends UpstreamOptions {
  readonly mode?: RecordingMode;
  readonly upstream?: string;
  readonly owners?: Readonly<Record<string, Owner>>;
  readonly live?: boolean;
}

/** Creates the way in which a mock answers first. @throws MockError `OPTION_INVALID`. */
export function createRuns(options: RunOptions, { contract, environment }: RecordingParts): Runs {
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
    current: () => run,
    begin: ({ cassette, upstream, mode = 'record-all' }) => {
      const next = readMode({ mode, environment, live });
      if (!isRecording(next)) {
        throw toInvalidUse(
          `mode "${mode}" does not record here`,
          'use record-all, record-missing or once; on CI, set `live: true`',
        );
      }
      run = createRun(next, upstream === undefined ? initial.upstream : connect(upstream), cassette);
    },
    end: () => {
      closeOwn(run);
      run = isRecording(initial.mode) ? createRun('replay', initial.upstream) : initial;
    },
    close: () => {
      closeOwn(run);
      initial.upstream?.close();
    },
  };
}

/** Starts, stops and copies recordings. */
export interface RecordingControls {
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

interface ControlParts {
  readonly root: string;
  readonly defaultCassette: string | undefined;
  readonly runs: Runs;
  readonly cassettes: OpenCassettes;
  readonly kept: KeptExchanges;
  readonly exclusion: Exclusion;
  /** Ends the responses that are still being received. */
  stopOpen(): Promise<unknown>;
}

/** Creates the controls of the recordings of a mock. */
export function createRecordingControls(parts: ControlParts): RecordingControls {
  const { root, defaultCassette, runs, cassettes, kept, exclusion } = parts;
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
      await parts.stopOpen();
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
interface KeptExchanges {
  add(exchange: ObservedExchange, bodyBytes: number): void;
  /** All of them, oldest first; none are left. */
  take(): readonly ObservedExchange[];
}

/** Creates the list of kept exchanges, which is empty. */
export function createKeptExchanges(): KeptExchanges {
  let kept: (readonly [exchange: ObservedExchange, bodyBytes: number])[] = [];
  let total = 0;
  return {
    add: (exchange, bodyBytes) => {
      const { call, outcome } = exchange;
      // The temporary file of a large body does not outlive its exchange.
      if (call.file !== undefined || ('response' in outcome && 'file' in outcome.response.body)) return;
      kept.push([exchange, bodyBytes]);
      total += bodyBytes;
      while (kept.length > MAX_KEPT || total > MAX_KEPT_BYTES) total -= kept.shift()?.[1] ?? 0;
    },
    take: () => {
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
