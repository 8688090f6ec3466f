import { existsSync } from 'node:fs';

/** A file or folder that ships with the package, such as `presets/`; found from the sources and from every file of `dist/`. */
export function toPackageUrl(path: string): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const above = new URL('../', folder);
    if (above.href === folder.href) break;
    folder = above;
  }
  return new URL(path, folder);
}
