import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

type Files = Readonly<Record<string, string>>;

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function create(files: Files, onEnd: (remove: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-test-'));
  // A cache can be written to it meanwhile.
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFiles(folder, files);
  return folder;
}

/** A folder with these files that is gone when the test is over. */
export const createFolder = (files: Files = {}): string => create(files, onTestFinished);

/** A folder with these files that is gone when all tests of the file, or of the suite, are over. */
export const createSharedFolder = (files: Files = {}): string => create(files, afterAll);

/** Every byte under a folder, file by file. */
export function readEveryFile(folder: string): readonly { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, bytes: readFileSync(path) }));
}
