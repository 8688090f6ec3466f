import { requireFile, requireInside } from '../../../base/inside-folder.js';
import { DAY_MS } from '../../../base/clock.js';
import { URL } from 'node:url';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from '../../../contract/contract.js';
import { findJsonMistake, isObject } from '../../../base/json.js';
import { readString } from '../../../contract/pointer.js';
import { MockError, type Place, suggest } from '../../../base/errors.js';
import { REDACTION_MEMBERS, type RedactionOptions } from '../redaction/secret-rules.js';
import { readJson, writeJson } from '../../../base/exact-json.js';
import { replaceFileSync } from '../../../base/replace-file.js';

/** The content of `cassette.json`. */
export interface Manifest {
  /** The version of the layout, 1. */
  readonly version: number;
  /** The contract at the time of recording. */
  readonly contract: { readonly title: string; readonly version: string; readonly hash: string };
  /** Base URL of the upstream. */
  readonly upstream: string;
  /** ISO 8601, UTC: when the cassette was created. */
  readonly recordedAt: string;
  readonly match: MatchRules;
  /** The rule behind each placeholder. */
  readonly redacted: Readonly<Record<string, string>>;
  /** Redaction rules besides the defaults; replay needs them to compare requests. */
  readonly redact?: RedactionOptions;
  /** Days until the recording expires; undefined for never. */
  readonly maxAge: number | undefined;
}

/** Which parts of a request are compared when it is matched to an exchange. */
export interface MatchRules {
  /** JSON pointers into the body to ignore; `*` matches any one segment. */
  readonly ignoreBody: readonly string[];
  /** Query parameters to ignore. */
  readonly ignoreQuery: readonly string[];
  /** Headers to compare although the contract does not declare them. */
  readonly headers: readonly string[];
  /** Headers to ignore: declared ones, `range`, `accept`, `cookie` and headers with credentials. */
  readonly ignoreHeaders: readonly string[];
}

/** The file name of the manifest. */
export const MANIFEST_FILE = 'cassette.json';

/**
 * The file of placeholders that the manifest does not have yet, one `["placeholder","rule"]` a line: writing the whole manifest for each new
 * one would cost as much as the exchanges themselves where each request has a new credential.
 */
const PLACEHOLDERS_FILE = 'placeholders.jsonl';

/** A placeholder and the rule behind it. */
export type IssuedPlaceholder = readonly [placeholder: string, rule: string];

/** The version of the layout. */
const LAYOUT_VERSION = 1;

/** Compares everything that the contract declares. */
export const DEFAULT_MATCH: MatchRules = { ignoreBody: [], ignoreQuery: [], headers: [], ignoreHeaders: [] };

const MATCH_MEMBERS: readonly string[] = Object.keys(DEFAULT_MATCH);

/** The settings of a new cassette. */
interface NewManifest {
  readonly upstream: string;
  readonly match?: Partial<MatchRules> | undefined;
  readonly redact?: RedactionOptions;
  readonly maxAge?: number | undefined;
}

/** Creates the manifest of a new cassette. */
export function createManifest(
  { title, version, hash }: Contract,
  { upstream, match, redact, maxAge }: NewManifest,
): Manifest {
  const url = URL.canParse(upstream) ? new URL(upstream) : undefined;
  // Without user and password, which are secret.
  if (url !== undefined) Object.assign(url, { username: '', password: '' });
  return {
    version: LAYOUT_VERSION,
    contract: { title, version, hash },
    upstream: url?.href.replace(/\/$/, '') ?? upstream,
    recordedAt: new Date().toISOString(),
    match: { ...DEFAULT_MATCH, ...match },
    ...(redact !== undefined && { redact }),
    redacted: {},
    maxAge,
  };
}

/** Loads the manifest of a cassette. @throws MockError `RECORDING_INVALID`, `RECORDING_NOT_FOUND`. */
export function loadManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST_FILE);
  let text: string;
  try {
    requireFile(file);
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new MockError('RECORDING_NOT_FOUND', `no cassette found in ${folder}`, {
      at: { file },
      hint: 'record one with `vouch record <spec> --upstream URL --cassette NAME`',
      cause,
    });
  }
  requireInside(folder, file, 'RECORDING_INVALID');
  const value = readJsonFile(text, file);
  if (!isObject(value)) throw invalidRecording('the manifest must be an object', { file });
  const invalid: Invalid = (message, name, hint) => invalidRecording(message, { file, pointer: `/${name}` }, hint);
  const { version, match, redact, redacted = {}, maxAge = null } = value;
  if (version !== LAYOUT_VERSION) {
    throw invalid(`version must be ${LAYOUT_VERSION}, got ${JSON.stringify(version) ?? 'nothing'}`, 'version');
  }
  if (!isObject(redacted) || Object.values(redacted).some((rule) => typeof rule !== 'string')) {
    throw invalid('redacted must be an object of strings', 'redacted');
  }
  if (maxAge !== null && !(typeof maxAge === 'number' && maxAge >= 0)) {
    throw invalid('maxAge must be a non-negative number of days', 'maxAge');
  }
  const contract = isObject(value['contract']) ? value['contract'] : {};
  const readText = (of: Readonly<Record<string, unknown>>, name: string): string => readString(of[name]) ?? '';
  const [title, hash] = [readText(contract, 'title'), readText(contract, 'hash')];
  return {
    version,
    contract: { title, version: readText(contract, 'version'), hash },
    upstream: readText(value, 'upstream'),
    recordedAt: readText(value, 'recordedAt'),
    match: { ...DEFAULT_MATCH, ...readSettings('match', match ?? {}, { known: MATCH_MEMBERS, invalid }) },
    // Checked above.
    redacted: { ...(redacted as Readonly<Record<string, string>>), ...loadPlaceholders(folder) },
    ...(redact !== undefined && { redact: readSettings('redact', redact, { known: REDACTION_MEMBERS, invalid }) }),
    maxAge: maxAge ?? undefined,
  };
}

/** The placeholders that a recorder has not added to the manifest, or could not add because it was killed. */
function loadPlaceholders(folder: string): Readonly<Record<string, string>> {
  const file = join(folder, PLACEHOLDERS_FILE);
  if (!existsSync(file)) return {};
  requireInside(folder, file, 'RECORDING_INVALID');
  return Object.fromEntries(readFileSync(file, 'utf8').split('\n').flatMap(readPlaceholder));
}

/** A line of the file; none for one that was not written to its end. */
function readPlaceholder(line: string): readonly IssuedPlaceholder[] {
  try {
    const value: unknown = JSON.parse(line);
    const isPair = Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');
    return isPair ? [value as unknown as IssuedPlaceholder] : [];
  } catch {
    return [];
  }
}

/** Keeps placeholders until they are added to the manifest; synchronous, as small appends are faster so. */
export function appendPlaceholders(folder: string, issued: readonly IssuedPlaceholder[]): void {
  // The break is before each line, so that one that was not written to its end does not spoil the next one.
  const lines = issued.map((each) => `\n${JSON.stringify(each)}`);
  appendFileSync(join(folder, PLACEHOLDERS_FILE), lines.join(''));
}

/** Adds the placeholders that were kept to the manifest; undefined without any. */
export function mergePlaceholders(folder: string): Manifest | undefined {
  if (!existsSync(join(folder, PLACEHOLDERS_FILE))) return undefined;
  const manifest = loadManifest(folder);
  writeManifest(folder, manifest);
  return manifest;
}

/** Writes the manifest with all placeholders. Synchronous, because sessions switch cassettes synchronously. */
export function writeManifest(folder: string, manifest: Manifest): void {
  const text = toManifestText(manifest);
  replaceFileSync(join(folder, MANIFEST_FILE), (temporary) => writeFileSync(temporary, text));
  rmSync(join(folder, PLACEHOLDERS_FILE), { force: true });
}

/** A sentence if the recording is older than its `maxAge`, else undefined. */
export function readExpiry(manifest: Manifest, now: number): string | undefined {
  const age = Math.floor((now - Date.parse(manifest.recordedAt)) / DAY_MS);
  if (manifest.maxAge === undefined || !(age > manifest.maxAge)) return undefined;
  return `recorded ${age} days ago, and its maxAge is ${manifest.maxAge} days; record it again`;
}

/** The text of the manifest: members in a fixed order. */
function toManifestText(manifest: Manifest): string {
  const { version, contract, upstream, recordedAt, match, redact = {}, redacted, maxAge } = manifest;
  const rules = Object.keys(redact).length === 0 ? undefined : redact;
  const file = { version, contract, upstream, recordedAt, match, redact: rules, redacted, maxAge };
  return `${writeJson(file, 2)}\n`;
}

type Invalid = (message: string, name: string, hint?: string) => MockError;

/** A member of the manifest that consists of arrays of strings under known names. */
function readSettings(
  name: string,
  value: unknown,
  { known, invalid }: { readonly known: readonly string[]; readonly invalid: Invalid },
): Readonly<Record<string, readonly string[]>> {
  if (!isObject(value)) throw invalid(`${name} must be an object`, name);
  for (const [setting, list] of Object.entries(value)) {
    if (!known.includes(setting)) {
      const hint = suggest(setting, known) ?? `known settings: ${known.join(', ')}`;
      throw invalid(`${name} has no setting "${setting}"`, `${name}/${setting}`, hint);
    }
    if (!Array.isArray(list) || list.some((entry) => typeof entry !== 'string')) {
      throw invalid(`${name}.${setting} must be an array of strings`, `${name}/${setting}`);
    }
  }
  // The loop has verified the members.
  return value as Readonly<Record<string, readonly string[]>>;
}

/** The error for an invalid file of a cassette. */
export function invalidRecording(message: string, at: Place, hint?: string): MockError {
  return new MockError('RECORDING_INVALID', message, hint === undefined ? { at } : { at, hint });
}

/** The JSON value of a cassette's file. @throws MockError `RECORDING_INVALID` with the line and column of a syntax error. */
export function readJsonFile(text: string, file: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    const { line, column, says } = findJsonMistake(text);
    throw new MockError('RECORDING_INVALID', `not valid JSON: ${says}`, {
      at: { file, line, column },
      hint: 'restore the file, or delete it and record again',
      cause,
    });
  }
}
