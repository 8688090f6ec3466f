import { statSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { setTimeout } from '../../platform.js';
import { type CodeStamp, type CompiledFile, createCodeCache, readCodeCachePath } from './code-cache.js';

/** When the code that ran so far is kept: later than the first requests, and than the start as `start-flags.ts` counts it. */
const KEEP_AFTER_MS = 3000;

/** A file of the program that was loaded. */
interface LoadedFile extends CodeStamp {
  readonly module: { exports: unknown };
  readonly script: Script;
}

/**
 * Loads a file of the build and what it requires, with what V8 has compiled of it at an earlier start.
 *
 * To compile the code of the program takes a quarter of a start. `module.enableCompileCache` of Node.js 22 keeps code as it is before it
 * runs, which leaves out most functions; and Node.js 20 has no cache. So the files of the program are CommonJS, which `vm.Script` can load.
 *
 * @param file - The path of a CommonJS file. All files in its folder and below are loaded in this way, everything else by `require`.
 * @param words - The arguments of the command.
 * @returns Its exports.
 */
export function loadProgram(file: string, words: readonly string[]): unknown {
  const root = resolve(dirname(file), '../..');
  const path = readCodeCachePath(root, words);
  const cache = path === undefined ? undefined : createCodeCache(path);
  const loaded = new Map<string, LoadedFile>();
  const load = (name: string): unknown => {
    const known = loaded.get(name);
    if (known !== undefined) return known.module.exports;
    const { size, mtimeMs } = statSync(name);
    const cachedData = cache?.read({ name, size, mtimeMs });
    const script = new Script(`${BEFORE}${readFileSync(name, 'utf8')}${AFTER}`, {
      filename: name,
      cachedData,
    });
    // Later files may be refused for options of V8 that only the start has (`start-flags.ts`).
    if (name === file && script.cachedDataRejected === true) cache?.refuse();
    const module = { exports: {} };
    loaded.set(name, { name, size, mtimeMs, module, script });
    const require = createRequire(name);
    const requireFile = (id: string): unknown => {
      const isOwn = id.startsWith('.') && !id.includes('/packages/');
      return isOwn ? load(join(dirname(name), id)) : require(id);
    };
    // The form of every CommonJS file.
    const run = script.runInThisContext() as (...values: readonly unknown[]) => void;
    run.call(module.exports, module.exports, requireFile, module, name, dirname(name), importOfUser);
    return module.exports;
  };
  const result = load(file);
  if (cache !== undefined) {
    keepOnce(() => {
      if (!cache.isComplete()) cache.write([...loaded.values()].map(compile));
    });
  }
  return result;
}

/** What Node.js puts around a CommonJS file, and the import of modules of the user, which a script can only do with experimental parts of Node.js. */
const BEFORE = '(function (exports, require, module, __filename, __dirname, importOfUser) { ';
const AFTER = '\n});';

function importOfUser(id: string): Promise<unknown> {
  return import(id);
}

function compile({ name, size, mtimeMs, script }: LoadedFile): CompiledFile {
  return { name, size, mtimeMs, code: script.createCachedData() };
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
