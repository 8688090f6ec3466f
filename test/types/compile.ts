import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Contract } from '../../src/contract/contract.js';
import { loadContract } from '../../src/contract/load/load.js';
import { inferResources } from '../../src/resources/infer/infer.js';
import { writeTypes } from '../../src/tools/types/write-types.js';
import { createFolder } from '../folders.js';

const run = promisify(execFile);

/** Runs the compiler in a folder. @returns a line for each mistake, without its file, and an empty one. */
export async function compile(folder: string, config: object): Promise<readonly string[]> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin: { readonly tsc: string } };
  const words = [join(dirname(manifest), bin.tsc), '-p', folder, '--pretty', 'false'];
  const { stdout } = await run(process.execPath, words).catch((error: { readonly stdout: string }) => error);
  return stdout.split('\n').map((line) => line.replace(/^.*\.m?ts(?=\()/u, '').slice(0, 100));
}

/** Compiles the types of documents, with every strict check. */
export async function compileStrictly(specs: readonly string[]): Promise<readonly string[]> {
  const folder = createFolder();
  for (const [i, spec] of specs.entries())
    writeFileSync(join(folder, `${i}.ts`), writeAll(await loadContract(spec, { preset: 'auto' })));
  const options = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [], target: 'es2022' };
  return compile(folder, { compilerOptions: options });
}

/** The types of a contract with its collections. */
export function writeAll(contract: Contract): string {
  return writeTypes(contract, [...inferResources(contract).collections.values()]);
}
