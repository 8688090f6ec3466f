import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CORE_SCHEMA, dump } from 'js-yaml';
import { MockError } from '../errors.js';
import type { Item } from './item-list.js';

/** What becomes files: items by collection. */
export type FixtureSet = Readonly<Record<string, readonly Item[]>>;

/** How fixtures are written. */
export interface FixtureWriteOptions {
  readonly folder: string;
  /** Whether files that are there are written over. */
  readonly force: boolean;
  /** The lines above the items, without `#`. */
  readonly note: string;
}

/**
 * Writes one YAML file per collection.
 *
 * @returns the paths of the files, in order.
 * @throws MockError `FIXTURE_EXISTS` where a collection has a file already; then nothing is written.
 */
export async function writeFixtures(fixtures: FixtureSet, options: FixtureWriteOptions): Promise<readonly string[]> {
  const { folder, force, note } = options;
  await mkdir(folder, { recursive: true });
  const taken = await findTaken(folder, Object.keys(fixtures));
  const [first] = taken;
  if (first !== undefined && !force) {
    throw new MockError(
      'FIXTURE_EXISTS',
      `${taken.length === 1 ? 'a fixture is' : `${taken.length} fixtures are`} there already`,
      {
        at: { file: join(folder, first) },
        hint: 'name another folder, or write over them with --force',
      },
    );
  }
  const files = Object.entries(fixtures).map(([name, items]) => ({ file: join(folder, `${name}.yaml`), items }));
  await Promise.all(files.map(({ file, items }) => writeFile(file, toText(items, note))));
  return files.map(({ file }) => file);
}

async function findTaken(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const wanted = new Set(names);
  const files = await readdir(folder);
  return files.filter(
    (file) => /^\.(json|ya?ml)$/.test(extname(file)) && wanted.has(file.slice(0, -extname(file).length)),
  );
}

function toText(items: readonly Item[], note: string): string {
  const comment = note
    .split('\n')
    .map((line) => `# ${line}`.trimEnd())
    .join('\n');
  return `${comment}\n${dump({ items }, { schema: CORE_SCHEMA, lineWidth: 120, noRefs: true })}`;
}
