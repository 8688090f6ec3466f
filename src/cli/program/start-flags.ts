import { statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { setTimeout } from '../../platform.js';

/** A flag of V8 while the process starts, and its default. */
interface StartFlag {
  readonly name: string;
  readonly atStart: number;
  readonly usual: number;
  /** The end of the names of flags with which the user sets the same. */
  readonly others: RegExp;
}

/**
 * To load a large document runs hundreds of functions some thousand times each. Node 20 optimizes them in a second thread, and what is
 * hot changes with every step, so that half of the CPU time of a start is spent on code that is hardly used: a function runs more bytecode
 * before it is optimized. Later versions of Node have a cheap optimizing compiler for such code.
 *
 * Most of what is allocated then stays: the document, its operations, its resources. In a young generation that grows to 16 MB it is copied
 * twice, and every page of that memory is new to the process. One that stays at its initial size of 1 MB takes a tenth less CPU time, and
 * 20 MB less memory.
 */
const START_FLAGS: readonly StartFlag[] = [
  { name: 'interrupt-budget', atStart: 300_000, usual: 67_584, others: /[-_]budget/ },
  { name: 'semi-space-growth-factor', atStart: 1, usual: 2, others: /semi[-_]space/ },
];

/**
 * Each minor garbage collection of a mock takes 1 to 3 ms, most of it to copy interactions of the journal. A second thread makes it hardly
 * shorter, but waits for work all the time: 5 to 10 % of the CPU time of a request. V8 takes compiled code with and without this flag.
 */
const ONE_GC_THREAD = '--no-parallel-scavenge';

/** The user's own choice of threads for garbage collection. */
const GC_THREADS = /parallel[-_]scavenge|single[-_]threaded/;

/** How long a process counts as starting: it loads its document, and operations get their first requests. */
const START_MS = 2000;

/**
 * Sets flags of V8 for a process of `vouch`, and further ones for its start with a large document. With a small document it is the other way
 * round: the requests of the first seconds would run slower, and there is little to save.
 *
 * @param words - The arguments of the command, of which some may be paths of documents.
 */
export function setStartFlags(words: readonly string[]): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
  if (!given.some((option) => GC_THREADS.test(option))) setFlagsFromString(ONE_GC_THREAD);
  if (!words.some(isLargeFile) || !process.versions.v8.startsWith('11.')) return;
  const flags = START_FLAGS.filter(({ others }) => !given.some((option) => others.test(option)));
  for (const { name, atStart } of flags) setFlagsFromString(`--${name}=${atStart}`);
  const reset = (): void => {
    for (const { name, usual } of flags) setFlagsFromString(`--${name}=${usual}`);
  };
  setTimeout(reset, START_MS).unref();
  // Before the compiled code is kept.
  process.prependListener('exit', reset);
}

/** The smallest size of a large document, in bytes. */
const LARGE_BYTES = 1_000_000;

function isLargeFile(word: string): boolean {
  try {
    return (statSync(word, { throwIfNoEntry: false })?.size ?? 0) >= LARGE_BYTES;
  } catch {
    // Not a path.
    return false;
  }
}
