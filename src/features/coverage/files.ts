import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { isObject } from '../../base/json.js';
import { MockError, toReason } from '../../base/errors.js';
import { clearTimeout, readMonotonic, setTimeout } from '../../base/platform.js';
import { replaceFileSync } from '../../base/replace-file.js';
import type { CoverageCounts } from './coverage.js';
import type { CoverageRecorder } from './recorder.js';

/** The folder of the files, in the current folder. */
export const COVERAGE_FOLDER = 'coverage/vouch';

/** The version of the files. */
const FORMAT = 1;

/** After a write, the next one waits this many times as long as it took: writes take at most a tenth of the time. */
const PAUSE_FACTOR = 10;

/** Writes the counts of one mock to a file of its own. */
export interface CoverageWriter {
  /** Writes shortly after this call, and when the process ends. */
  touch(): void;
  /** Writes now. @throws MockError `OPTION_INVALID` where that is not possible. */
  close(): void;
}

/**
 * The writer of one mock.
 *
 * The file is named after the document, the process and the mock, and is complete at any time. Test runners kill their workers, in which the
 * process does not emit `exit`: a worker loses the counts of its last milliseconds.
 *
 * @throws MockError `OPTION_INVALID` where the folder cannot be created.
 */
export function createCoverageWriter(recorder: CoverageRecorder, folder: string): CoverageWriter {
  const { hash } = recorder.read().document;
  const file = join(resolve(folder), `${hash.slice(0, 12)}-${process.pid}-${randomUUID().slice(0, 8)}.json`);
  tryFile(folder, () => mkdirSync(folder, { recursive: true }));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = 0;
  const write = (): void => {
    const startedAt = readMonotonic();
    tryFile(folder, () => {
      // The folder may have been removed since: `rm -r coverage` at the start of a run.
      mkdirSync(resolve(file, '..'), { recursive: true });
      const text = JSON.stringify({ format: FORMAT, ...recorder.read() });
      replaceFileSync(file, (temporary) => writeFileSync(temporary, text));
    });
    pauseMs = PAUSE_FACTOR * (readMonotonic() - startedAt);
  };
  const settle = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    changeListenerLimit(-1);
    process.off('exit', writeAtExit);
  };
  const writeAtExit = (): void => write();
  return {
    touch: () => {
      if (timer !== undefined) return;
      changeListenerLimit(1);
      process.on('exit', writeAtExit);
      timer = setTimeout(() => {
        try {
          write();
        } catch {
          // It is tried again with the next request and when the mock is closed, which reports the failure.
        }
        settle();
      }, pauseMs).unref();
    },
    close: () => {
      settle();
      write();
    },
  };
}

/** Each mock has a listener: without this, Node.js warns of a leak from the eleventh one on. */
function changeListenerLimit(by: 1 | -1): void {
  const limit = process.getMaxListeners();
  if (limit !== 0) process.setMaxListeners(limit + by);
}

function tryFile<Result>(folder: string, act: () => Result): Result {
  try {
    return act();
  } catch (cause) {
    const hint = 'name a folder that you may write to: coverage: { folder } (--coverage-folder)';
    const reason = `the coverage cannot be written to "${folder}": ${toReason(cause)}`;
    throw new MockError('OPTION_INVALID', reason, { hint, cause });
  }
}

/** The counts of all files of a folder. @throws MockError `COVERAGE_UNREADABLE`. */
export function readCoverageFiles(folder: string): readonly CoverageCounts[] {
  const files = listFiles(folder);
  if (files.length > 0) return files.map(readCounts);
  throw new MockError('COVERAGE_UNREADABLE', `there is no coverage in "${folder}"`, {
    hint: 'first run the tests with the option "coverage" of createMock or loadContract, or with "vouch serve --coverage"',
  });
}

/** Removes the files of a folder that have counts. */
export function removeCoverageFiles(folder: string): void {
  for (const file of listFiles(folder)) rmSync(file, { force: true });
}

/** Only names that the writer gives: other tools write reports beside them. */
const FILE_NAME = /^[0-9a-f]{12}-\d+-[0-9a-f]{8}\.json$/;

function listFiles(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => FILE_NAME.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}

function readCounts(file: string): CoverageCounts {
  const hint = 'remove the file and run the tests again';
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new MockError('COVERAGE_UNREADABLE', `it cannot be read: ${toReason(cause)}`, { at: { file }, hint, cause });
  }
  if (isCounts(value)) return value;
  throw new MockError('COVERAGE_UNREADABLE', 'it is not a coverage file of this version of vouch', {
    at: { file },
    hint,
  });
}

/** The format is written by this program only, so that its version says what it has. */
function isCounts(value: unknown): value is CoverageCounts {
  return (
    isObject(value) && value['format'] === FORMAT && Array.isArray(value['operations']) && isObject(value['document'])
  );
}
