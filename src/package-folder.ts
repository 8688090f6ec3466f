import { existsSync } from 'node:fs';
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
