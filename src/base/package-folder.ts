import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { URL } from 'node:url';

/** A file or folder that ships with the package, such as `presets/`; found from the sources and from every file of `dist/`. */
export function toPackageUrl(path: string): URL {
  // Not in one expression with `new URL`, which Vite replaces in code for browsers.
  const here = import.meta.url;
  let folder = new URL('./', here);
  while (!existsSync(new URL('package.json', folder))) {
    const above = new URL('../', folder);
    if (above.href === folder.href) break;
    folder = above;
  }
  return new URL(path, folder);
}

/** The version of the installed package. */
export function readVersion(): string {
  // Our own package.json: an object with a version.
  const manifest = JSON.parse(readFileSync(toPackageUrl('package.json'), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}

/** The folder of caches: with the other caches of the project, or of the user. */
export function readCacheFolder(cwd: string): string {
  return existsSync(join(cwd, 'node_modules')) ? join(cwd, 'node_modules', '.cache', 'vouch') : readUserCacheFolder();
}

/** The folder of caches of the user. */
export function readUserCacheFolder(): string {
  const { XDG_CACHE_HOME: xdg = '', LOCALAPPDATA: local = '' } = process.env;
  if (process.platform === 'win32' && local !== '') return join(local, 'vouch', 'cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'vouch');
  return join(xdg === '' ? join(homedir(), '.cache') : xdg, 'vouch');
}
