import type { Command } from 'commander';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadContract } from '../../contract/load/load.js';
import { MockError, toReason } from '../../errors.js';
import { writeTypes } from '../../types/write-types.js';
import { addDocument, type DocumentFlags, readLoadOptions } from '../flags.js';
import { countOf, type Output, showPath } from '../output.js';

/** Options of `vouch types`. */
export interface TypesOptions extends DocumentFlags, Pick<Output, 'write'> {
  readonly spec: string;
  /** The file to write; default: print the types. */
  readonly output?: string;
}

/** Defines `vouch types`. */
export function defineCommand(command: Command, { write }: Output): void {
  addDocument(command)
    .option('-o, --output <file>', 'file to write (default: print to standard output)')
    .action(async (spec: string, flags: Omit<TypesOptions, 'spec' | 'write'>) => {
      process.exitCode = await runTypes({ spec, ...flags, write });
    });
}

export async function runTypes({ spec, output: file, write, ...flags }: TypesOptions): Promise<number> {
  const contract = await loadContract(spec, readLoadOptions(flags));
  const text = writeTypes(contract);
  if (file === undefined) {
    write(text.trimEnd());
    return 0;
  }
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (cause) {
    const hint = 'name a file in a folder that you may write to';
    throw new MockError('OPTION_INVALID', `the file "${file}" cannot be written: ${toReason(cause)}`, { hint, cause });
  }
  write(`${showPath(file)}  ${countOf(contract.operations.length, 'operation')}`);
  return 0;
}
