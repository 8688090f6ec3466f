import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import type { Place } from '../../base/errors.js';
import type { Finding } from '../contract.js';
import { isObject, mapValues } from '../../base/json.js';
import type { OperationOutline } from '../operations/outline.js';
import type { SourceMap } from './source-map.js';
import { isBytes } from '../../base/platform.js';
import { replaceFile } from '../../base/replace-file.js';

/** A bundled document on disk. */
export interface CachedDocument {
  readonly document: Readonly<Record<string, unknown>>;
  /** The findings of the document and of its operations. */
  readonly findings: readonly Finding[];
  readonly operations: readonly OperationOutline[];
  readonly origins: ReturnType<SourceMap['list']>;
  /** The places of the problems by pointer: to find a line, the whole text is parsed again. */
  readonly places: readonly (readonly [pointer: string, place: Place])[];
  /** The name of the preset that was applied. */
  readonly preset?: string | undefined;
  /** Every file except the main one, with the SHA-256 of its text: an entry is valid while all are the same. */
  readonly files: readonly { readonly uri: string; readonly hash: string }[];
}

/** Bundled documents, and what was computed from them, on disk. A failure is not an error: the document is loaded from its text. */
export interface DocumentCache {
  read(key: string): CachedDocument | undefined;
  write(key: string, document: CachedDocument): Promise<void>;
  /** Plain data, maps and sets that were computed from a document. */
  readFacts(key: string): unknown;
  writeFacts(key: string, facts: unknown): Promise<void>;
}

/** Increased whenever the layout of a cached document changes. */
const FORMAT = 6;

/** The maximum number of files of each kind in a folder; the oldest are removed. */
const MAX_ENTRIES = 20;

/** Creates a cache in a folder, which is created when the first document is written. */
export function createDocumentCache(folder: string): DocumentCache {
  const read = (name: string): unknown => {
    try {
      return readEntry(readFileSync(join(folder, name)));
    } catch {
      // Missing, unreadable or truncated: the document is loaded from its text and written again.
      return undefined;
    }
  };
  const write = async (name: string, pack: () => unknown): Promise<void> => {
    try {
      const content = writeEntry(pack());
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(join(folder, name), (temporary) => writeFile(temporary, content, { mode: 0o600 }));
      await removeOldest(folder, extname(name));
    } catch {
      // A read-only or full disk only makes the next start slower.
    }
  };
  return {
    read: (key) => {
      // The header proves that this version wrote it.
      const entry = read(`${key}.v8`) as CachedDocument | undefined;
      return entry && { ...entry, document: mapSections(entry.document, parseLater) };
    },
    write: (key, entry) =>
      write(`${key}.v8`, () => {
        return { ...entry, document: mapSections(entry.document, (members) => mapValues(members, toAscii)) };
      }),
    readFacts: (key) => read(`${key}.facts`),
    writeFacts: (key, facts) => write(`${key}.facts`, () => facts),
  };
}

/** The key of a document: a hash of its text and options, of this build of vouch and of the version of V8, which decides what is written. */
export function readCacheKey(parts: readonly string[]): string {
  const hash = createHash('sha256').update(`${FORMAT}\0${process.versions.v8}\0${readBuild()}`);
  for (const part of parts) hash.update(`\0${part.length}\0`).update(part);
  return hash.digest('hex');
}

/** The SHA-256 of a string in UTF-8, or of bytes, in hex. */
export function digestText(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A line with the hash of the rest, which V8 writes: maps, and properties without a value, come back unchanged. */
function writeEntry(entry: unknown): readonly Uint8Array[] {
  const body = serialize(entry);
  return [Buffer.from(`${readHeader(body)}\n`), body];
}

function readEntry(bytes: Buffer): unknown {
  const end = bytes.indexOf('\n');
  const body = bytes.subarray(end + 1);
  if (end < 0 || bytes.toString('latin1', 0, end) !== readHeader(body)) return undefined;
  return deserialize(body);
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Changes the objects of a document with a member for each path or component. On disk their members are JSON, which is parsed when it is read
 * for the first time: if all of GitHub's document were parsed, a start would take 3.3 times as long as that of bare Hono instead of 2.8.
 */
function mapSections(document: Members, change: (members: Members) => Members): Members {
  const changeIfObject = (value: unknown): unknown => (isObject(value) ? change(value) : value);
  return mapValues(document, (value, name) => {
    if (name === 'components' && isObject(value)) return mapValues(value, changeIfObject);
    return name === 'paths' ? changeIfObject(value) : value;
  });
}

function parseLater(texts: Members): Members {
  const object = {};
  for (const [name, text] of Object.entries(texts)) {
    if (!isBytes(text)) continue;
    let value: unknown;
    const get = (): unknown =>
      (value ??= JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1')));
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object;
}

function readHeader(body: Uint8Array): string {
  return `vouch ${FORMAT} ${createHash('sha256').update(body).digest('hex')}`;
}

/** JSON in ASCII, which takes half of the memory; undefined for a member without a value. */
function toAscii(member: unknown): Buffer | undefined {
  const json = JSON.stringify(member) as string | undefined;
  const escape = (unit: string): string => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json === undefined ? undefined : Buffer.from(json.replaceAll(/[^\0-\x7f]/g, escape), 'latin1');
}

/** The sizes and times of the files beside this one, of the build or of the sources: a changed build does not read what another one wrote. */
function readBuild(): string {
  const folder = dirname(fileURLToPath(import.meta.url));
  const lines = readdirSync(folder).map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
  return lines.toSorted().join('\n');
}

async function removeOldest(folder: string, extension: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[\da-f]{64}\./u.test(name) && name.endsWith(extension));
  if (names.length <= MAX_ENTRIES) return;
  const ages = await Promise.all(names.map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })));
  const old = ages.toSorted((one, other) => other.time - one.time).slice(MAX_ENTRIES);
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })));
}
