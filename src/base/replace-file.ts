import { randomUUID } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file in one step: another process reads the old content or the new one, never a part.
 *
 * @param write - Writes the new content to a temporary file in the same folder, which is then renamed; removed if it fails.
 */
export async function replaceFile(file: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = toTemporary(file);
  try {
    await write(temporary);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** As `replaceFile`, for code that cannot wait. */
export function replaceFileSync(file: string, write: (temporary: string) => void): void {
  const temporary = toTemporary(file);
  try {
    write(temporary);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Whether a file of this name is the temporary file of a process that was ended while it wrote. */
export function isTemporary(name: string): boolean {
  return /^\..*\.tmp$/.test(name);
}

function toTemporary(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`);
}
