import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import type { Place } from '../../errors.js';
import type { Finding } from '../contract.js';
import { isObject } from '../json.js';
import type { OperationOutline } from '../operations/outline.js';
import { type DocumentOutline, readLazily, toAscii, writeLazily } from './lazy-document.js';
import type { SourceMap } from './source-map.js';
import { replaceFile } from '../../replace-file.js';

/** A bundled document on disk. */
export interface CachedDocument {
  readonly document: Readonly<Record<string, unknown>>;
  /** Those of the operations too. */
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

/** Bundled documents on disk. A failure is not an error: the document is loaded from its text. */
export interface DocumentCache {
  readonly folder: string;
  read(key: string): CachedDocument | undefined;
  write(key: string, document: CachedDocument): Promise<void>;
  /** Reads the file of what was computed from a document; undefined where nothing is known. */
  readDerived(file: string): unknown;
  /** Writes what was computed from a document: plain data, maps and sets. */
  writeDerived(file: string, value: unknown): Promise<void>;
}

/** Increased whenever the layout of a cached document changes. */
const FORMAT = 4;

/** The maximum number of documents in a folder, and of files of what was computed from them; the oldest are removed. */
const MAX_ENTRIES = 20;

/** Creates a cache in a folder, which is created when the first document is written. */
export function createDocumentCache(folder: string): DocumentCache {
  const read = <Value>(name: string, decode: (body: Buffer) => Value): Value | undefined => {
    try {
      const body = readBody(readFileSync(join(folder, name)));
      return body && decode(body);
    } catch {
      // Missing, unreadable or truncated: the document is loaded from its text and written again.
      return undefined;
    }
  };
  const write = async (name: string, body: readonly Uint8Array[]): Promise<void> => {
    const content = [toAscii(`${readHeader(body)}\n`), ...body];
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(join(folder, name), (temporary) => writeFile(temporary, content, { mode: 0o600 }));
      await removeOldest(folder, extname(name));
    } catch {
      // A read-only or full disk only makes the next start slower.
    }
  };
  return {
    folder,
    read: (key) => read(`${key}.json`, toDocument),
    write: async (key, document) => write(`${key}.json`, toBody(document)),
    // V8 keeps maps, and properties without a value, so that objects have the shapes that they were computed with.
    readDerived: (file) => read(file, (body): unknown => deserialize(body)),
    writeDerived: (file, value) => write(file, [serialize(value)]),
  };
}

/** The key of a document: a hash of its text and options and of this build of vouch. */
export function readCacheKey(parts: readonly string[]): string {
  const hash = createHash('sha256').update(`${FORMAT}\0${readBuild()}`);
  for (const part of parts) hash.update(`\0${part.length}\0`).update(part);
  return hash.digest('hex');
}

/** The SHA-256 of a string in UTF-8, or of bytes, in hex. */
export function digestText(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** One line with everything but the large objects of the document, then their members. */
function toBody({ document, ...rest }: CachedDocument): readonly Uint8Array[] {
  const members: Uint8Array[] = [];
  const outline = writeLazily(document, (bytes) => members.push(bytes));
  return [toAscii(`${JSON.stringify({ ...rest, ...outline })}\n`), ...members];
}

function readHeader(body: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const chunk of body) hash.update(chunk);
  return `vouch ${FORMAT} ${hash.digest('hex')}`;
}

/** The bytes after the header; undefined where they are not those that were written. */
function readBody(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf('\n');
  const body = bytes.subarray(end + 1);
  return end < 0 || bytes.toString('latin1', 0, end) !== readHeader([body]) ? undefined : body;
}

function toDocument(body: Buffer): CachedDocument | undefined {
  const end = body.indexOf('\n');
  const entry: unknown = JSON.parse(body.toString('latin1', 0, end));
  if (!isObject(entry) || !isObject(entry['document']) || !Array.isArray(entry['files'])) return undefined;
  // The header proves that this version wrote it.
  const { sections, ...rest } = entry as unknown as CachedDocument & DocumentOutline;
  return { ...rest, document: readLazily({ document: rest.document, sections }, body.subarray(end + 1)) };
}

/** The sizes and times of the files beside this one, which are those of the build or of the sources: a changed build does not read what another one wrote. */
function readBuild(): string {
  const folder = dirname(fileURLToPath(import.meta.url));
  const lines = readdirSync(folder).map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
  return lines.toSorted().join('\n');
}

async function removeOldest(folder: string, ending: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[\da-f]{64}\./u.test(name) && name.includes(ending));
  if (names.length <= MAX_ENTRIES) return;
  const ages = await Promise.all(names.map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })));
  const old = ages.toSorted((one, other) => other.time - one.time).slice(MAX_ENTRIES);
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })));
}
