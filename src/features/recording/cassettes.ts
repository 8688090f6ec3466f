import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MockError } from '../../base/errors.js';
import { openCassette } from './cassette/cassette-writer.js';
import {
  applyAfterRead,
  type Cassette,
  loadCassette,
  readCassetteFolder,
  type StoredExchange,
  toFolderName,
} from './cassette/cassette.js';
import type { NewExchange } from './cassette/exchange.js';
import { lockCassette } from './cassette/lock.js';
import { createManifest, MANIFEST_FILE, type MatchRules, readExpiry } from './cassette/manifest.js';
import type { ExclusionOptions } from './exclusion.js';
import { readWatched } from './known-secrets.js';
import { type CallParts } from './matching/exchange-index.js';
import { createMatcher, type MatchExchange, type Matcher } from './matching/match.js';
import { isRecording, type RecordingMode } from './mode.js';
import { createRedactor } from './redaction/redact.js';
import { joinRedactions, type RedactionOptions, toPlainRedaction } from './redaction/secret-rules.js';
import { createFailures, createRecorder, type Recorder } from './upstream/recorder.js';
import type { Upstream } from './upstream/upstream.js';

/** How cassettes are written and read. */
export interface CassetteOptions {
  /** Base URL of the server that requests are forwarded to; default none. */
  readonly upstream?: string;
  /** Header fields added to every forwarded request, such as credentials, which are redacted; `env:NAME` is the value of an environment variable. */
  readonly upstreamHeaders?: Readonly<Record<string, string>>;
  /** Redaction rules besides the defaults. */
  readonly redact?: RedactionOptions;
  /** How requests are compared, for new cassettes; default: everything is compared. */
  readonly match?: Partial<MatchRules>;
  /** Whether a recorded exchange answers a call, if neither its values nor their kinds agree. */
  readonly matcher?: MatchExchange;
  /** What is forwarded and not recorded; default nothing. */
  readonly exclude?: ExclusionOptions;
  /** Days until a new cassette expires; default never. */
  readonly maxAge?: number;
  /** Whether an expired cassette causes a warning (default) or an error. */
  readonly expired?: 'warn' | 'fail';
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

/** An open cassette. */
export interface OpenedCassette {
  readonly name: string;
  /** The name of its positions in a session: another one each time it is opened, so that a new recording is replayed from its start. */
  readonly positions: string;
  read(): Cassette;
  readonly matcher: Matcher;
  /** Undefined if the mode does not record. */
  readonly recorder: Recorder | undefined;
  /** Whether calls without a recording are forwarded and recorded. */
  readonly isExtended: boolean;
  /** Lets others record to the cassette; undefined if the mode does not record. */
  readonly unlock?: () => void;
}

/** The mode that a cassette is opened in. */
interface OpeningMode {
  readonly mode: RecordingMode;
  /** Whether a cassette that another recorder has locked is opened to replay it. */
  readonly mayBeLocked?: boolean;
  readonly upstream: Upstream | undefined;
}

/** The cassettes of one mock, each opened when it is first used. */
export interface OpenCassettes {
  /**
   * @throws MockError `RECORDING_NOT_FOUND`, `RECORDING_INVALID`, `RECORDING_EXPIRED`, `RECORDING_LOCKED`, `RECORDING_UNWRITABLE`; `OPTION_INVALID` for
   * a name that is not that of a folder, or without an upstream to record.
   */
  open(name: string): OpenedCassette;
  /** Opens a cassette to add exchanges to it, and closes it. */
  extend(name: string, record: (cassette: OpenedCassette) => Promise<void>): Promise<void>;
  /** Closes a cassette that is not recorded, so that it is opened again in the mode of then. */
  forget(name: string): void;
  /** Why exchanges were not recorded. */
  failures(): readonly MockError[];
  /** Resolves when all recorded exchanges are on disk. */
  settle(): Promise<void>;
  /** Closes those that are recorded, so that they are replayed when they are opened again. */
  closeRecorded(): Promise<void>;
  /** Lets others record to the cassettes; what they have can still be read. */
  close(): Promise<void>;
}

interface CassettesParts {
  readonly root: string;
  readonly options: CassetteOptions;
  readonly parts: RecordingParts;
  /** Gets the warnings about cassettes. */
  readonly warnings: string[];
  readMode(): OpeningMode;
}

/** Creates the cassettes of a mock; none is open. */
export function createCassettes({ root, options, parts, warnings, readMode }: CassettesParts): OpenCassettes {
  const opened = new Map<string, OpenedCassette>();
  // The failures of closed cassettes.
  let earlier: readonly MockError[] = [];
  let openings = 0;
  const openAs = (name: string, mode: OpeningMode): OpenedCassette => {
    const cassette = openCassetteOf(name, root, { options, parts, warnings, ...mode });
    openings += 1;
    return { ...cassette, positions: `${openings} ${name}` };
  };
  const settle = async (): Promise<void> => {
    for (const { recorder } of opened.values()) await recorder?.settle();
  };
  const close = ({ recorder, unlock }: OpenedCassette): void => {
    earlier = [...earlier, ...(recorder?.failures ?? [])];
    unlock?.();
  };
  return {
    open: (name) => {
      const known = opened.get(name);
      if (known !== undefined) return known;
      const opening = readMode();
      // Tests that run in parallel extend the same cassette.
      const cassette = openAs(name, { ...opening, mayBeLocked: opening.mode === 'record-missing' });
      opened.set(name, cassette);
      return cassette;
    },
    extend: async (name, record) => {
      const cassette = openAs(name, { ...readMode(), mode: 'record-missing' });
      opened.delete(name);
      try {
        await record(cassette);
      } finally {
        close(cassette);
      }
    },
    forget: (name) => void opened.delete(name),
    failures: () => [...earlier, ...[...opened.values()].flatMap(({ recorder }) => recorder?.failures ?? [])],
    settle,
    close: async () => {
      await settle();
      for (const { unlock } of opened.values()) unlock?.();
    },
    closeRecorded: async () => {
      await settle();
      for (const [name, cassette] of opened) {
        if (cassette.recorder === undefined) continue;
        opened.delete(name);
        close(cassette);
      }
    },
  };
}

type UnplacedCassette = Omit<OpenedCassette, 'positions'>;

/** Opens a cassette in one of the modes. @throws MockError if it is invalid or expired. */
function openCassetteOf(
  name: string,
  root: string,
  opening: Pick<CassettesParts, 'options' | 'parts' | 'warnings'> & OpeningMode,
): UnplacedCassette {
  const { options, parts, warnings, mode, upstream, mayBeLocked = false } = opening;
  const folder = join(root, toFolderName(name));
  const exists = existsSync(join(folder, MANIFEST_FILE));
  const isReplayed = !isRecording(mode) || (mode === 'once' && exists);
  if (!isReplayed && upstream === undefined) throw toMissingUpstream(`cassette "${name}", which does not exist,`);
  const from = upstream === undefined ? options : { ...options, upstream: upstream.url.href };
  const open = (): UnplacedCassette => ({
    ...openToRecord(folder, from, { parts, replaces: mode === 'record-all' }),
    isExtended: mode !== 'record-all',
  });
  const openOne = (): UnplacedCassette =>
    isReplayed ? openToReplay(readCassetteFolder(root, name), options, parts) : open();
  const cassette = mayBeLocked && exists ? openShared(folder, { options, parts, warnings, open }) : openOne();
  const { manifest, mistakes } = cassette.read();
  warnings.push(...mistakes.map(String));
  const expiry = mode === 'record-all' ? undefined : readExpiry(manifest, Date.now());
  if (expiry === undefined) return cassette;
  const message = `cassette "${name}" was ${expiry}`;
  if (options.expired === 'fail') {
    throw new MockError('RECORDING_EXPIRED', message, { at: { file: join(root, name) } });
  }
  warnings.push(message);
  return cassette;
}

/** The error for a recording without a server. */
export function toMissingUpstream(what: string): MockError {
  const hint = 'set `upstream` to the base URL of the server';
  return new MockError('OPTION_INVALID', `${what} needs an upstream`, { hint });
}

function openToReplay(folder: string, options: CassetteOptions, parts: RecordingParts): UnplacedCassette {
  const cassette = applyAfterRead(loadCassette(folder), options.afterRead);
  const redaction = joinRedactions(cassette.manifest.redact, options.redact);
  const matcher = createMatcher(cassette, { ...parts, redaction, decide: options.matcher });
  return { name: cassette.name, read: () => cassette, matcher, recorder: undefined, isExtended: false };
}

/** Opens a cassette to extend it or, if another recorder has locked it, to replay it: what is forwarded is not recorded then. */
function openShared(
  folder: string,
  {
    options,
    parts,
    warnings,
    open,
  }: Pick<CassettesParts, 'options' | 'parts' | 'warnings'> & { open(): UnplacedCassette },
): UnplacedCassette {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof MockError) || error.code !== 'RECORDING_LOCKED') throw error;
    const failures = createFailures(options.onFailure);
    const recorder: Recorder = {
      ...failures,
      record: () => {
        failures.fail(error);
        return Promise.resolve({ refused: error });
      },
      settle: () => Promise.resolve(),
    };
    const cassette = { ...openToReplay(folder, options, parts), recorder, isExtended: true };
    const what = 'calls without a recording are forwarded, and not recorded';
    warnings.push(`cassette "${cassette.name}": ${error.reason}: ${what}`);
    return cassette;
  }
}

/** Opens a cassette that is extended, or is replaced by the first recorded exchange. @throws MockError as `open` of the cassettes. */
export function openToRecord(
  folder: string,
  options: CassetteOptions,
  { parts, replaces }: { readonly parts: RecordingParts; readonly replaces: boolean },
): UnplacedCassette & { readonly recorder: Recorder; readonly unlock: () => void } {
  const { upstream = '', maxAge, redact = {}, exclude } = options;
  // Headers that are not recorded cannot be compared.
  const ignoreHeaders = [...(options.match?.ignoreHeaders ?? []), ...(exclude?.headers ?? [])];
  const match = { ...options.match, ...(ignoreHeaders.length > 0 && { ignoreHeaders }) };
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
  const matcher = createMatcher(applyAfterRead(before, options.afterRead), {
    ...parts,
    redaction,
    isPlaceholder,
    decide: options.matcher,
  });
  const { onFailure, beforeWrite } = options;
  const replacement = replaces ? manifest : undefined;
  const recorder = createRecorder({ writer, redactor, replacement, onFailure, beforeWrite });
  return { name: basename(folder), read: writer.read, matcher, recorder, isExtended: false, unlock };
}
