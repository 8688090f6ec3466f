import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { readCacheFolder } from '../src/base/package-folder.js';

/**
 * Removes what former runs computed from documents, before each run: the tests run the sources, of which the cache knows only the
 * folder that loads documents, and would read what other code computed.
 */
export function setup(project: TestProject): void {
  removeDerived();
  project.onTestsRerun(removeDerived);
}

/** Removes what former runs computed from documents. */
export function removeDerived(): void {
  const folder = readCacheFolder(process.cwd());
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (/\.(v8|facts)$/.test(name)) rmSync(join(folder, name), { force: true });
}
