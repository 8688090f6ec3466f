import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type ErrorCode, MockError, toReason } from './errors.js';

/**
 * Whether no symbolic link leads from a folder to a file outside of it. The folder may be a link itself, and a path that names another folder,
 * such as `../logo.png`, leads there.
 *
 * @throws Error of Node.js if one of them does not exist.
 */
export function isInside(folder: string, file: string): boolean {
  const path = resolve(file);
  const real = realpathSync.native(path);
  if (isBelow(realpathSync.native(folder), real)) return true;
  let common = dirname(path);
  while (!isBelow(common, resolve(folder))) common = dirname(common);
  return real === join(realpathSync.native(common), relative(common, path));
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Refuses pipes, sockets and devices: they may have no end, or nothing to read yet. @throws Error, also of Node.js if there is none. */
export function requireFile(path: string): void {
  const found = statSync(path);
  if (!found.isFile() && !found.isDirectory()) throw new Error('it is a pipe, a socket or a device');
}

/** Refuses a file to which a symbolic link leads out of its folder, that does not exist, or that is a pipe, a socket or a device. @throws MockError */
export function requireInside(folder: string, file: string, code: ErrorCode): void {
  try {
    if (isInside(folder, file)) return requireFile(file);
  } catch (cause) {
    throw new MockError(code, `the file cannot be read: ${toReason(cause)}`, { at: { file }, cause });
  }
  throw new MockError(code, 'the file is a symbolic link, or in one, that leads out of its folder', {
    at: { file },
    hint: 'replace the link by a copy of the file',
  });
}

/** The text of a file that the user named. @param what - How messages call it. @throws MockError with the code, where it cannot be read. */
export function loadTextFile(
  file: string,
  code: ErrorCode,
  { what = 'the file', hint }: { readonly what?: string; readonly hint?: string } = {},
): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new MockError(code, `${what} cannot be read: ${toReason(cause)}`, { at: { file }, hint, cause });
  }
}
