import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCacheFolder } from '../../package-folder.js';
import { replaceFileSync } from '../../replace-file.js';

/** A file of code, as it was when it was compiled. */
export interface CodeStamp {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** A file, and what V8 has compiled of it. */
export interface CompiledFile extends CodeStamp {
  readonly code: Buffer;
}

/** Compiled code of one command on disk. A failure is not an error: the code is compiled again. */
interface CodeCache {
  /** Whether it had all that was read, and enough processes have added to it. */
  isComplete(): boolean;
  /** The code of a file; undefined where it is not known, or the file has changed. */
  read(file: CodeStamp): Buffer | undefined;
  /** Says that V8 did not take the code: it is written again. */
  refuse(): void;
  write(files: readonly CompiledFile[]): void;
}

/** Increased whenever the layout changes. */
const FORMAT = 1;

/** How many processes add the functions that they ran: the first one may have ended before its first request. */
const MAX_WRITES = 3;

/** The maximum number of files in the folder; the oldest are removed. */
const MAX_FILES = 20;

/** The position of code in a file, which V8 reads in words of this size. */
const ALIGNMENT = 8;

/**
 * The path of the compiled code of a command; undefined where the user wants none.
 *
 * It depends on all that V8 refuses code for: its version, and its options.
 *
 * @param root - The folder of the program.
 * @param words - The arguments of the command.
 */
export function readCodeCachePath(root: string, words: readonly string[]): string | undefined {
  const { NODE_DISABLE_COMPILE_CACHE, NODE_COMPILE_CACHE, NODE_V8_COVERAGE, NODE_OPTIONS = '' } = process.env;
  // Coverage of functions that were compiled before is not precise.
  if (isSet(NODE_DISABLE_COMPILE_CACHE) || isSet(NODE_V8_COVERAGE)) return undefined;
  // Help runs hardly any of the code of a command.
  if (words.some((word) => /^(?:-h|--help|-V|--version)$/.test(word))) return undefined;
  const folder = isSet(NODE_COMPILE_CACHE) ? NODE_COMPILE_CACHE : join(readCacheFolder(process.cwd()), 'code');
  const command = words.find((word) => /^[a-z]+$/.test(word)) ?? '';
  const { version, arch, versions, execArgv } = process;
  const key = [FORMAT, root, version, arch, versions.v8, execArgv.join(' '), NODE_OPTIONS, command].join('\0');
  return join(folder, `vouch-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** What is written before the code. */
interface Index {
  /** How many processes have added to the code. */
  readonly writes: number;
  readonly files: readonly (CodeStamp & { readonly start: number; readonly length: number })[];
}

/** Reads the compiled code at a path. */
export function createCodeCache(path: string): CodeCache {
  const { index, body } = readEntry(path);
  const known = new Map(index.files.map((file) => [file.name, file]));
  const find = ({ name, size, mtimeMs }: CodeStamp): Buffer | undefined => {
    const file = known.get(name);
    if (file?.size !== size || file.mtimeMs !== mtimeMs) return undefined;
    return body.subarray(file.start, file.start + file.length);
  };
  let isMissing = false;
  return {
    isComplete: () => !isMissing && index.writes >= MAX_WRITES,
    read: (file) => {
      const code = find(file);
      isMissing ||= code === undefined;
      return code;
    },
    refuse: () => void (isMissing = true),
    write: (files) => {
      const names = new Set(files.map(({ name }) => name));
      // What only other processes have loaded is kept.
      const others = index.files.flatMap((file) => {
        const code = names.has(file.name) || !isUnchanged(file) ? undefined : find(file);
        return code === undefined ? [] : [{ ...file, code }];
      });
      writeEntry(path, isMissing ? 1 : index.writes + 1, [...files, ...others]);
    },
  };
}

function isUnchanged({ name, size, mtimeMs }: CodeStamp): boolean {
  const found = statSync(name, { throwIfNoEntry: false });
  return found?.size === size && found.mtimeMs === mtimeMs;
}

const NOTHING = { index: { writes: 0, files: [] }, body: Buffer.alloc(0) } as const;

function readEntry(path: string): { readonly index: Index; readonly body: Buffer } {
  try {
    const bytes = readFileSync(path);
    const end = bytes.indexOf('\n');
    const [digest, length = ''] = bytes.toString('latin1', 0, end).split(' ');
    const content = bytes.subarray(align(end + 1));
    // V8 does not check whether the code is whole.
    if (end < 0 || toDigest([content]) !== digest) return NOTHING;
    const size = Number(length);
    // The digest proves that this version wrote it.
    const index = JSON.parse(content.toString('utf8', 0, size)) as Index;
    return { index, body: content.subarray(align(size)) };
  } catch {
    return NOTHING;
  }
}

function writeEntry(path: string, writes: number, compiled: readonly CompiledFile[]): void {
  let start = 0;
  const files = compiled.map(({ name, size, mtimeMs, code }) => {
    const file = { name, size, mtimeMs, start, length: code.length };
    start = align(start + code.length);
    return file;
  });
  const index = Buffer.from(JSON.stringify({ writes, files }));
  const content = [index, ...compiled.map(({ code }) => code)].map(pad);
  const header = Buffer.from(`${toDigest(content)} ${index.length}\n`);
  const entry = Buffer.concat([pad(header), ...content]);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFileSync(path, (temporary) => writeFileSync(temporary, entry, { mode: 0o600 }));
    removeOldest(dirname(path));
  } catch {
    // A read-only or full disk only makes the next start slower.
  }
}

function align(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes], align(bytes.length));
}

function toDigest(parts: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function removeOldest(folder: string): void {
  const files = readdirSync(folder).filter((name) => /^\.?vouch-/.test(name));
  const ages = files.map((name) => ({ name, time: statSync(join(folder, name)).mtimeMs }));
  const old = ages.toSorted((one, other) => other.time - one.time).slice(MAX_FILES);
  for (const { name } of old) rmSync(join(folder, name), { force: true });
}
