import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Contract } from '../contract/contract.js';
import type { Router } from '../contract/router/router.js';
import { MockError, nearest } from '../errors.js';
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
import { type CheckResponse, createResponseCheck } from './drift/conformance.js';
import { createMatcher, type Matcher } from './matching/match.js';
import type { ReplayState } from './matching/replay-state.js';
import { isCi, type Owner, readMode, readOwner, type RecordingMode } from './mode.js';
import { createMask, createRedactor, createRequestWalk } from './redaction/redact.js';
import { joinRedactions, type RedactionOptions, toPlainRedaction } from './redaction/secret-rules.js';
import { createRecorder, type Recorder } from './upstream/recorder.js';
import { createUpstream, type Upstream, type UpstreamOptions } from './upstream/upstream.js';

/** How a mock records and replays. */
export interface RecordingOptions extends UpstreamOptions {
  /** The folder that holds the cassettes, or one cassette itself. */
  readonly folder: string;
  /** The cassette in use until a session puts in another one. */
  readonly cassette?: string;
  /** `replay`, `record-missing`, `record-all` or `off`; default the variable VOUCH_RECORDINGS, else `replay`. */
  readonly mode?: string;
  /** Base URL of the one server that requests are forwarded to. */
  readonly upstream?: string;
  /** Header fields that every forwarded request gets, such as the recorder's own credentials; they are secrets. */
  readonly upstreamHeaders?: Readonly<Record<string, string>>;
  readonly redact?: RedactionOptions;
  /** Owners of single operations: `mock`, `replay`, `forward` or `forward-then-mock`; `*` means all others. */
  readonly owners?: Readonly<Record<string, string>>;
  /** What counts when requests are compared, for cassettes that are begun. */
  readonly match?: Partial<MatchRules>;
  /** Days after which a cassette that is begun counts as old. */
  readonly maxAge?: number;
  /** What an old cassette does: `warn` (default) or `fail`. It never asks the upstream by itself. */
  readonly expired?: 'warn' | 'fail';
  /** Whether the upstream may be asked although this is a CI run. */
  readonly live?: boolean;
  /** Whether streams are replayed at the speed they were recorded at; default: at once. */
  readonly pace?: 'recorded' | 'none';
}

/** What recordings are made of besides their options. */
export interface RecordingParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly router: Router;
  readonly decoder: CallDecoder;
  /** Variables of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The recordings of one mock. */
export interface Recordings {
  readonly mode: RecordingMode;
  readonly ownership: Ownership;
  readonly upstream: Upstream | undefined;
  readonly upstreamHeaders: Readonly<Record<string, string>>;
  readonly pace: 'recorded' | 'none';
  readonly check: CheckResponse;
  /** What a user should hear of: recordings that are old. */
  readonly warnings: readonly string[];
  /** Puts a cassette into a session. @throws MockError `RECORDING_NOT_FOUND`, `RECORDING_INVALID`. */
  use(state: ReplayState, name: string): Cassette;
  /** The cassette a session uses; undefined where none was chosen. */
  current(state: Pick<ReplayState, 'cassette'>): OpenedCassette | undefined;
  /** Exchanges that were not written because a secret was left in them. */
  refusals(): readonly MockError[];
  /** Resolves once everything that was recorded is on disk. */
  settle(): Promise<void>;
  /** Waits for what is being written and lets go of the upstream. */
  close(): Promise<void>;
}

/** A cassette that is in use. */
export interface OpenedCassette {
  readonly name: string;
  read(): Cassette;
  readonly matcher: Matcher;
  /** Undefined where nothing is recorded. */
  readonly recorder: Recorder | undefined;
}

/** The recordings of a mock. @throws MockError where an option or a cassette cannot be used. */
export function createRecordings(options: RecordingOptions, parts: RecordingParts): Recordings {
  const { contract, environment } = parts;
  const live = options.live ?? false;
  const mode = readMode({ mode: options.mode, environment, live });
  const strict = mode === 'replay' && isCi(environment) && !live;
  const upstream = options.upstream === undefined ? undefined : createUpstream(options.upstream, options);
  const canForward = upstream !== undefined;
  const ownership = createOwnership(contract, { mode, owners: options.owners, strict, canForward });
  const records = mode === 'record-all' || mode === 'record-missing';
  if (records && upstream === undefined) {
    throw new MockError('OPTION_INVALID', `mode "${mode}" needs an upstream`, {
      hint: 'give its base URL as `upstream`',
    });
  }
  const place = readPlace(options);
  const opened = new Map<string, OpenedCassette>();
  const unset = records ? (options.redact?.env ?? []).filter((name) => (environment[name] ?? '') === '') : [];
  const warnings = unset.map((name) => `redact.env names ${name}, which is not set: its value cannot be looked for`);

  const open = (name: string): OpenedCassette => {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const cassette = records
      ? openToRecord(join(place.root, toFolderName(name)), mode, { options, parts })
      : openToReplay(readCassetteFolder(place.root, name), { options, parts });
    opened.set(name, cassette);
    const expiry = readExpiry(cassette.read().manifest, Date.now());
    if (expiry !== undefined && mode !== 'record-all') {
      const message = `cassette "${name}" was ${expiry}`;
      if (options.expired === 'fail')
        throw new MockError('RECORDING_EXPIRED', message, { at: { file: join(place.root, name) } });
      warnings.push(message);
    }
    return cassette;
  };
  if (place.cassette !== undefined && mode !== 'off') open(place.cassette);

  return {
    mode,
    ownership,
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
      const name = state.cassette ?? place.cassette;
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

/** A folder that is a cassette itself stands for the folder around it. */
function readPlace({ folder, cassette }: RecordingOptions): {
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
  const walk = createRequestWalk({ ...parts, options: redaction });
  const mask = createMask(redaction, (text) => Object.hasOwn(cassette.manifest.redacted, text));
  const matcher = createMatcher(cassette, { ...parts, walk, mask });
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
  const walk = createRequestWalk({ ...parts, options: redaction });
  const mask = createMask(redaction, redactor.vault.isPlaceholder);
  const matcher = createMatcher(fresh ? { ...writer.read(), exchanges: [] } : writer.read(), { ...parts, walk, mask });
  const recorder = createRecorder({ writer, redactor, fresh: fresh ? manifest : undefined });
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

/** A URL without the user and the password it may carry. */
function readPublicUrl(base: string): string {
  if (!URL.canParse(base)) return base;
  const url = new URL(base);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}

function readWatched(
  options: RecordingOptions,
  environment: RecordingParts['environment'],
): readonly { readonly rule: string; readonly value: string }[] {
  const named = (options.redact?.env ?? []).map((name) => ({ rule: `env:${name}`, value: environment[name] ?? '' }));
  const own = Object.entries(options.upstreamHeaders ?? {}).flatMap(([name, value]) => {
    // The scheme is no part of the secret.
    const credential = value.replace(/^[A-Za-z][\w-]* +/, '');
    return [{ rule: `own:${name.toLowerCase()}`, value: credential }];
  });
  return [...named, ...own].filter(({ value }) => value.length >= 4);
}

/** Who answers which operation; can be changed while the mock runs. */
export interface Ownership {
  ownerOf(operation: string): Owner;
  /** Gives an operation, or all of them as `*`, to another owner. @throws MockError `OPTION_INVALID`. */
  give(operation: string, owner: Owner): void;
  /** The operations that were given away by name. */
  list(): Readonly<Record<string, Owner>>;
  /** Whether somebody named an owner: what has no recording then falls to the mock instead of being refused. */
  readonly isHybrid: boolean;
}

/** What ownership is made from. */
export interface OwnershipRequest {
  readonly mode: RecordingMode;
  readonly owners: Readonly<Record<string, string>> | undefined;
  /** On CI nothing is forwarded: what would be is replayed, and refused where there is no recording. */
  readonly strict: boolean;
  /** Whether there is somebody to forward to. */
  readonly canForward: boolean;
}

/** The owners that a mode means, with those named for single operations. @throws MockError `OPTION_INVALID`. */
export function createOwnership(contract: Contract, request: OwnershipRequest): Ownership {
  const { mode, owners, strict, canForward } = request;
  let rest: Owner = readDefault(mode);
  const named = new Map<string, Owner>();
  const give = (operation: string, owner: Owner): void => {
    if (!canForward && !strict && (owner === 'forward' || owner === 'forward-then-mock')) {
      throw new MockError('OPTION_INVALID', `"${operation}" cannot be forwarded: no upstream was named`, {
        hint: 'give the base URL of the server as `upstream`',
      });
    }
    if (operation === '*') {
      rest = owner;
      named.clear();
      return;
    }
    if (contract.operation(operation) === undefined) throw refuse(contract, operation);
    named.set(operation, owner);
  };
  const entries = Object.entries(owners ?? {}).toSorted(([x], [y]) => Number(y === '*') - Number(x === '*'));
  for (const [operation, owner] of entries) give(operation, readOwner(owner));
  return {
    ownerOf: (operation) => {
      const owner = named.get(operation) ?? rest;
      return strict && owner !== 'mock' ? 'replay' : owner;
    },
    give: (operation, owner) => give(operation, readOwner(owner)),
    list: () => ({ '*': rest, ...Object.fromEntries(named) }),
    isHybrid: entries.length > 0 && !strict,
  };
}

function readDefault(mode: RecordingMode): Owner {
  if (mode === 'off') return 'mock';
  return mode === 'record-all' ? 'forward' : 'replay';
}

function refuse(contract: Contract, operation: string): MockError {
  const ids = contract.operations.map(({ id }) => id);
  const meant = nearest(operation, ids);
  return new MockError('OPTION_INVALID', `operation "${operation}" is not in the contract`, {
    hint: meant === undefined ? `it has ${ids.slice(0, 10).join(', ')}` : `did you mean "${meant}"?`,
  });
}
