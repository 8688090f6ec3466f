import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findJsonMistake, isObject } from '../../contract/json.js';
import { MockError, nearest, type Place } from '../../errors.js';
import { REDACTION_MEMBERS, type RedactionOptions } from '../redaction/secret-rules.js';
import { readJson } from './exact-json.js';

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
  /** Declared headers to ignore. */
  readonly ignoreHeaders: readonly string[];
}

/** The file name of the manifest. */
export const MANIFEST_FILE = 'cassette.json';

/** The version of the layout. */
export const LAYOUT_VERSION = 1;

/** Compares everything that the contract declares. */
export const DEFAULT_MATCH: MatchRules = Object.freeze({
  ignoreBody: [],
  ignoreQuery: [],
  headers: [],
  ignoreHeaders: [],
});

const MATCH_MEMBERS: readonly string[] = Object.keys(DEFAULT_MATCH);

/** Loads the manifest of a cassette. @throws MockError `RECORDING_INVALID`, `RECORDING_NOT_FOUND`. */
export function loadManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new MockError('RECORDING_NOT_FOUND', `no cassette found in ${folder}`, {
      at: { file },
      hint: 'record one with `vouch record <spec> --upstream URL --cassette NAME`',
      cause,
    });
  }
  const value = readJsonFile(text, file);
  if (!isObject(value)) throw invalidRecording('the manifest must be an object', { file });
  if (value['version'] !== LAYOUT_VERSION) {
    const given = JSON.stringify(value['version']) ?? 'nothing';
    throw invalidRecording(`version must be ${LAYOUT_VERSION}, got ${given}`, { file, pointer: '/version' });
  }
  const contract = isObject(value['contract']) ? value['contract'] : {};
  const { redact } = value;
  return {
    version: LAYOUT_VERSION,
    contract: {
      title: readText(contract, 'title'),
      version: readText(contract, 'version'),
      hash: readText(contract, 'hash'),
    },
    upstream: readText(value, 'upstream'),
    recordedAt: readText(value, 'recordedAt'),
    match: { ...DEFAULT_MATCH, ...readSettings(value['match'] ?? {}, { name: 'match', known: MATCH_MEMBERS, file }) },
    redacted: readRedacted(value['redacted'], file),
    ...(redact === undefined
      ? {}
      : { redact: readSettings(redact, { name: 'redact', known: REDACTION_MEMBERS, file }) }),
    maxAge: readMaxAge(value['maxAge'], file),
  };
}

/** A sentence if the recording is older than its `maxAge`, else undefined. */
export function readExpiry(manifest: Manifest, now: number): string | undefined {
  const age = Math.floor((now - Date.parse(manifest.recordedAt)) / 86_400_000);
  if (manifest.maxAge === undefined || !(age > manifest.maxAge)) return undefined;
  return `recorded ${age} days ago, and its maxAge is ${manifest.maxAge} days; record it again`;
}

/** The manifest as it is written: members in a fixed order. */
export function toManifestFile(manifest: Manifest): Readonly<Record<string, unknown>> {
  const { version, contract, upstream, recordedAt, match, redacted, redact, maxAge } = manifest;
  return {
    version,
    contract,
    upstream,
    recordedAt,
    match,
    ...(redact === undefined || Object.keys(redact).length === 0 ? {} : { redact }),
    redacted,
    ...(maxAge === undefined ? {} : { maxAge }),
  };
}

function readText(value: Readonly<Record<string, unknown>>, name: string): string {
  const text = value[name];
  return typeof text === 'string' ? text : '';
}

/** A member of the manifest that consists of arrays of strings under known names. */
function readSettings(
  value: unknown,
  of: { readonly name: string; readonly known: readonly string[]; readonly file: string },
): Readonly<Record<string, readonly string[]>> {
  const { name, known, file } = of;
  if (!isObject(value)) throw invalidRecording(`${name} must be an object`, { file, pointer: `/${name}` });
  for (const [setting, list] of Object.entries(value)) {
    const pointer = `/${name}/${setting}`;
    if (!known.includes(setting)) {
      const meant = nearest(setting, known);
      const hint = meant === undefined ? `known settings: ${known.join(', ')}` : `did you mean "${meant}"?`;
      throw invalidRecording(`${name} has no setting "${setting}"`, { file, pointer }, hint);
    }
    if (!Array.isArray(list) || list.some((entry) => typeof entry !== 'string')) {
      throw invalidRecording(`${name}.${setting} must be an array of strings`, { file, pointer });
    }
  }
  // The loop has verified the members.
  return value as Readonly<Record<string, readonly string[]>>;
}

function readRedacted(value: unknown, file: string): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isObject(value) || Object.values(value).some((rule) => typeof rule !== 'string')) {
    throw invalidRecording('redacted must be an object of strings', { file, pointer: '/redacted' });
  }
  // Checked above.
  return value as Readonly<Record<string, string>>;
}

function readMaxAge(value: unknown, file: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= 0) return value;
  throw invalidRecording('maxAge must be a non-negative number of days', { file, pointer: '/maxAge' });
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
