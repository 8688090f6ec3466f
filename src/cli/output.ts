import { fstatSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { styleText } from 'node:util';
import { MockError, toReason } from '../base/errors.js';

/** Where commands print: results to standard output, failures and warnings to standard error. */
export interface Output {
  write(line: string): void;
  writeError(line: string): void;
}

/** Colours text; plain where standard output is not a terminal or NO_COLOR is set. */
export function colour(name: 'red' | 'yellow' | 'green' | 'gray' | 'bold', text: string): string {
  // `stream` makes it respect NO_COLOR, FORCE_COLOR and a pipe.
  return styleText(name, text, { stream: process.stdout });
}

/** Rows with columns of equal width, two spaces apart; the last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => {
    return row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  ');
  });
}

/** A path relative to the current folder; a URL or a path far outside that folder as it is. */
export function showPath(path: string): string {
  if (/^https?:/.test(path)) return path;
  const shown = relative(process.cwd(), path);
  return shown.startsWith(join('..', '..', '..')) ? path : shown.replaceAll('\\', '/');
}

/** Writes a file that the user named, with its folder. @throws MockError `OPTION_INVALID` where that is not possible. */
export function writeOutputFile(file: string, content: string | Uint8Array): void {
  tryToWrite(file, () => writeFileSync(file, content));
}

/**
 * Opens a file that the user named, with its folder, to write it in parts; its earlier content stays until the first part is written.
 *
 * @throws MockError `OPTION_INVALID` where that is not possible.
 */
export function openOutputFile(file: string): (part: string) => void {
  const handle = tryToWrite(file, () => openSync(file, 'a'));
  let isNew = true;
  return (part) =>
    tryToWrite(file, () => {
      if (isNew && fstatSync(handle).isFile()) ftruncateSync(handle);
      isNew = false;
      writeFileSync(handle, part);
    });
}

function tryToWrite<Result>(file: string, write: () => Result): Result {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return write();
  } catch (cause) {
    const hint = 'name a file or folder that you may write to';
    throw new MockError('OPTION_INVALID', `the file "${file}" cannot be written: ${toReason(cause)}`, { hint, cause });
  }
}
