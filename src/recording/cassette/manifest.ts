import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../contract/json.js';
import { MockError, nearest, type Place } from '../../errors.js';
import { REDACTION_MEMBERS, type RedactionOptions } from '../redaction/secret-rules.js';
import { readJson } from './exact-json.js';

/** What `cassette.json` says about the exchanges beside it. */
export interface Manifest {
  /** Of the layout; this is 1. */
  readonly version: number;
  /** The contract that was in force. */
  readonly contract: { readonly title: string; readonly version: string; readonly hash: string };
  /** Base URL of the upstream. */
  readonly upstream: string;
  /** ISO 8601, UTC: when the cassette was begun. */
  readonly recordedAt: string;
  readonly match: MatchRules;
  /** Placeholder -> the rule that put it there. */
  readonly redacted: Readonly<Record<string, string>>;
  /** What was added to the rules by which secrets are known; a replay needs it to compare requests. */
  readonly redact?: RedactionOptions;
  /** Days after which the recording counts as old; undefined: never. */
  readonly maxAge: number | undefined;
}

/** What counts and what does not when a request is matched to an exchange. */
export interface MatchRules {
  /** JSON pointers into the body that do not count; `*` stands for any one step. */
  readonly ignoreBody: readonly string[];
  /** Query parameters that do not count. */
  readonly ignoreQuery: readonly string[];
  /** Headers that count although the contract does not declare them. */
  readonly headers: readonly string[];
  /** Headers that do not count although the contract declares them. */
  readonly ignoreHeaders: readonly string[];
}

/** The file's name in every cassette. */
export const MANIFEST_FILE = 'cassette.json';

/** The version of the layout that this code writes. */
export const LAYOUT_VERSION = 1;

/** Nothing is ignored that the contract declares. */
export const DEFAULT_MATCH: MatchRules = Object.freeze({
  ignoreBody: [],
  ignoreQuery: [],
  headers: [],
  ignoreHeaders: [],
});

/** The manifest of a cassette folder. @throws MockError `RECORDING_INVALID`, `RECORDING_NOT_FOUND`. */
export function loadManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new MockError('RECORDING_NOT_FOUND', `there is no cassette in ${folder}`, {
      at: { file },
      hint: 'record one with `vouch record <spec> --upstream URL --cassette NAME`',
      cause,
    });
  }
  const value = readJsonFile(text, file);
  if (!isObject(value)) throw invalidRecording('the manifest must be an object', { file });
  if (value['version'] !== LAYOUT_VERSION) {
    const given = JSON.stringify(value['version']) ?? 'nothing';
    throw invalidRecording(`version must be ${LAYOUT_VERSION}, not ${given}`, { file, pointer: '/version' });
  }
  const contract = isObject(value['contract']) ? value['contract'] : {};
  return {
    version: LAYOUT_VERSION,
    contract: {
      title: readText(contract, 'title'),
      version: readText(contract, 'version'),
      hash: readText(contract, 'hash'),
    },
    upstream: readText(value, 'upstream'),
    recordedAt: readText(value, 'recordedAt'),
    match: readMatch(value['match'], file),
    redacted: readRedacted(value['redacted'], file),
    ...readRedact(value['redact'], file),
    maxAge: readMaxAge(value['maxAge'], file),
  };
}

/** Whether a recording is older than its manifest allows, and by how much: a sentence, or undefined. */
export function readExpiry(manifest: Manifest, now: number): string | undefined {
  const age = Math.floor((now - Date.parse(manifest.recordedAt)) / 86_400_000);
  if (manifest.maxAge === undefined || !(age > manifest.maxAge)) return undefined;
  return `recorded ${age} days ago, and its maxAge is ${manifest.maxAge} days: record it again`;
}

/** The fixed order of the members in the file. */
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

function readMatch(value: unknown, file: string): MatchRules {
  if (value === undefined) return DEFAULT_MATCH;
  if (!isObject(value)) throw invalidRecording('match must be an object', { file, pointer: '/match' });
  checkLists(value, { name: 'match', known: Object.keys(DEFAULT_MATCH), file });
  // Every member was checked above to be a list of texts under a known name.
  return { ...DEFAULT_MATCH, ...(value as Partial<MatchRules>) };
}

/** Refuses a member of the manifest that is not made of lists of texts under known names. */
function checkLists(
  value: Readonly<Record<string, unknown>>,
  of: { readonly name: string; readonly known: readonly string[]; readonly file: string },
): void {
  const { name: whole, known, file } = of;
  for (const [name, list] of Object.entries(value)) {
    const pointer = `/${whole}/${name}`;
    if (!known.includes(name)) {
      const meant = nearest(name, known);
      const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`;
      throw invalidRecording(`${whole} has no setting "${name}"`, { file, pointer }, hint);
    }
    if (!Array.isArray(list) || list.some((entry) => typeof entry !== 'string')) {
      throw invalidRecording(`${whole}.${name} must be a list of texts`, { file, pointer });
    }
  }
}

function readRedacted(value: unknown, file: string): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isObject(value) || Object.values(value).some((rule) => typeof rule !== 'string')) {
    throw invalidRecording('redacted must map placeholders to rules', { file, pointer: '/redacted' });
  }
  // Checked on the line above.
  return value as Readonly<Record<string, string>>;
}

function readRedact(value: unknown, file: string): { readonly redact?: RedactionOptions } {
  if (value === undefined) return {};
  if (!isObject(value)) throw invalidRecording('redact must be an object', { file, pointer: '/redact' });
  checkLists(value, { name: 'redact', known: REDACTION_MEMBERS, file });
  return { redact: value };
}

function readMaxAge(value: unknown, file: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && value >= 0) return value;
  throw invalidRecording('maxAge must be a number of days', { file, pointer: '/maxAge' });
}

/** A mistake in a cassette's file. */
export function invalidRecording(message: string, at: Place, hint?: string): MockError {
  return new MockError('RECORDING_INVALID', message, hint === undefined ? { at } : { at, hint });
}

/** The JSON value of a cassette's file. @throws MockError `RECORDING_INVALID` with the line where the text stops being JSON. */
export function readJsonFile(text: string, file: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new MockError('RECORDING_INVALID', `not a JSON file: ${toReason(message)}`, {
      at: { file, ...toLineAndColumn(text, readOffset(message, text)) },
      hint: 'the file was edited or cut off; restore it, or delete it and record again',
      cause,
    });
  }
}

/** V8 quotes the text around the mistake, which says nothing once the line is known. */
function toReason(message: string): string {
  return message.replace(/,? (?:\.\.\.)?"[\s\S]*$/, '').replace(/ in JSON at position \d+.*$/, '');
}

function readOffset(message: string, text: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  // Node 20: `Unexpected token '}', ..."  "a": }" is not valid JSON`: the snippet ends or is centred at the mistake.
  const [, token = '', snippet = ''] =
    /^Unexpected token '?(.+?)'?, (?:\.\.\.)?"([\s\S]*?)"(?:\.\.\.)? is not valid/.exec(message) ?? [];
  const start = snippet === '' ? -1 : text.indexOf(snippet);
  if (start === -1) return text.length;
  const inside = snippet.lastIndexOf(token);
  return start + (inside === -1 ? 0 : inside);
}

function toLineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
