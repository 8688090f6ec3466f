import type { Contract } from '../../src/contract/contract.js';
import { loadContract, type LoadOptions } from '../../src/contract/load/load.js';
import { createFolder } from '../folders.js';

/** The contract of some files; the first is the main one. */
export async function loadFiles(files: Readonly<Record<string, string>>, options: LoadOptions = {}): Promise<Contract> {
  const folder = createFolder(files);
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
