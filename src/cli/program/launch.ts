import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { readCacheFolder } from '../../base/package-folder.js';
import { setTimeout } from '../../base/platform.js';
import { replaceFileSync } from '../../base/replace-file.js';

/** When the code that ran so far is kept: later than the first requests. */
const KEEP_AFTER_MS = 3000;

/**
 * Loads a CommonJS file with what V8 compiled of it in an earlier process of the same command.
 *
 * It saves 70 of 230 ms of CPU time of a start from the cache of documents. `module.enableCompileCache` of Node.js 22 saves a tenth of that,
 * since it keeps code as it is before it runs, without most functions; Node.js 20 has no such cache.
 *
 * @param words - The arguments of the command.
 * @param importModule - Replaces `import` in the file, which a script lacks.
 * @returns Its exports.
 */
export function launch(file: string, words: readonly string[], importModule: (href: string) => unknown): unknown {
  const cache = readCachePath(words);
  const { size, mtimeMs } = statSync(file);
  const key = `${file} ${size} ${mtimeMs}`;
  const cachedData = cache === undefined ? undefined : readCode(cache, key);
  const source = readFileSync(file, 'utf8');
  const script = new Script(`(function (exports, require, module, __filename, importModule) {${source}\n})`, {
    filename: file,
    cachedData,
  });
  // V8 rejects the code of another version of Node.js or of other options.
  if (cache !== undefined && script.cachedDataRejected !== false)
    keepOnce(() => writeCode(cache, key, script.createCachedData()));
  const module = { exports: {} };
  // The form of every CommonJS file.
  const run = script.runInThisContext() as (...values: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, importModule);
  return module.exports;
}

/** The path of the compiled code of a command; undefined where none is to be kept. */
function readCachePath(words: readonly string[]): string | undefined {
  const { NODE_COMPILE_CACHE: folder, NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE } = process.env;
  // Help runs hardly any of the code of a command; coverage of functions that were compiled before is not precise.
  const isHelp = words.some((word) => /^(?:-h|--help|-V|--version)$/.test(word));
  if (isHelp || NODE_DISABLE_COMPILE_CACHE || NODE_V8_COVERAGE) return undefined;
  const command = words.find((word) => /^[a-z]+$/.test(word)) ?? 'help';
  return join(folder || join(readCacheFolder(process.cwd()), 'code'), `vouch-${command}`);
}

function readCode(path: string, key: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    const code = bytes.subarray(CHECKSUM_BYTES);
    // V8 does not check whether the code is whole.
    return bytes.subarray(0, CHECKSUM_BYTES).equals(toChecksum(code, key)) ? code : undefined;
  } catch {
    // None was kept.
    return undefined;
  }
}

function writeCode(path: string, key: string, code: Buffer): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const content = Buffer.concat([toChecksum(code, key), code]);
    replaceFileSync(path, (temporary) => writeFileSync(temporary, content, { mode: 0o600 }));
  } catch {
    // A read-only or full disk only makes the next start slower.
  }
}

/** V8 reads code in words of this size. */
const CHECKSUM_BYTES = 8;

/** The checksum of code and of the file that it was compiled from. */
function toChecksum(code: Buffer, key: string): Buffer {
  return Buffer.from(crc32(code, crc32(key)).toString(16).padStart(CHECKSUM_BYTES, '0'));
}

/** Calls a function when the process has started, or when it ends without a mistake before. */
function keepOnce(keep: () => void): void {
  let isKept = false;
  const once = (exitCode: number): void => {
    if (isKept || exitCode !== 0) return;
    isKept = true;
    keep();
  };
  process.on('exit', once);
  setTimeout(() => once(0), KEEP_AFTER_MS).unref();
}
