import { statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { setTimeout } from '../../platform.js';

/** The bytecode that a function runs before V8 11 considers to optimize it, and the default. */
const PATIENT = 300_000;
const DEFAULT = 67_584;

/** How long a process counts as starting: it loads its document, and operations get their first requests. */
const START_MS = 2000;

/**
 * Lets V8 optimize fewer functions while the process starts.
 *
 * To load a large document runs hundreds of functions some thousand times each. Node 20 optimizes them in a second thread, and what is
 * hot changes with every step, so that half of the CPU time of a start is spent on code that is hardly used. Later versions of
 * Node have a cheap optimizing compiler for such code. With a small document it is the other way round: the requests of the first
 * seconds would run slower, and there is little to save.
 *
 * @param words - The arguments of the command, of which some may be paths of documents.
 */
export function delayOptimization(words: readonly string[]): void {
  if (!words.some(isLargeFile)) return;
  const isSet = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((option) => option.includes('-budget'));
  if (isSet || !process.versions.v8.startsWith('11.')) return;
  setFlagsFromString(`--interrupt-budget=${PATIENT}`);
  const reset = (): void => setFlagsFromString(`--interrupt-budget=${DEFAULT}`);
  setTimeout(reset, START_MS).unref();
  // Before the compiled code is kept.
  process.prependListener('exit', reset);
}

/** Bytes from which on a document is large. */
const LARGE_BYTES = 1_000_000;

function isLargeFile(word: string): boolean {
  try {
    return (statSync(word, { throwIfNoEntry: false })?.size ?? 0) >= LARGE_BYTES;
  } catch {
    // Not a path.
    return false;
  }
}
