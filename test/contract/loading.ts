import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { rm } from 'node:fs/promises';
import type { Contract } from '../../src/contract/contract.js';
import { loadContract, type LoadOptions } from '../../src/contract/load/load.js';

/** A folder with the given files, gone when the test ends. */
export async function createFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-contract-'));
  // A cache can be written to it meanwhile.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** The contract of some files, the first of which is the main one. */
export async function loadFiles(files: Readonly<Record<string, string>>, options: LoadOptions = {}): Promise<Contract> {
  const folder = await createFolder(files);
  return loadContract(Object.keys(files)[0] ?? '', { cwd: folder, cacheFolder: false, ...options });
}

/** A document of one schema, `components.schemas.Subject`, in the given version. */
export function documentOf(version: string, schema: unknown, more: Readonly<Record<string, unknown>> = {}): object {
  if (version.startsWith('2')) {
    return { swagger: '2.0', info: { title: 'T', version: '1' }, paths: {}, definitions: { Subject: schema, ...more } };
  }
  return {
    openapi: version,
    info: { title: 'T', version: '1' },
    paths: {},
    components: { schemas: { Subject: schema, ...more } },
  };
}

/** `CODE pointer` of each problem. */
export function listProblems(contract: Contract): readonly string[] {
  return contract.problems.map((problem) => `${problem.code} ${problem.at.pointer ?? ''}`);
}
