import type { Command } from 'commander';
import { loadContract } from '../../contract/load/load.js';
import { inferResources } from '../../state/inference/infer.js';
import { writeTypes } from '../../types/write-types.js';
import { addDocument, type DocumentFlags, readLoadOptions } from '../flags.js';
import { type Output, showPath, writeOutputFile } from '../output.js';
import { countOf } from '../../errors.js';

interface TypesOptions extends DocumentFlags, Pick<Output, 'write'> {
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

async function runTypes({ spec, output: file, write, ...flags }: TypesOptions): Promise<number> {
  const contract = await loadContract(spec, readLoadOptions(flags));
  const collections = [...inferResources(contract).collections.values()];
  const text = writeTypes(contract, collections);
  if (file === undefined) {
    write(text.trimEnd());
    return 0;
  }
  writeOutputFile(file, text);
  const counts = [countOf(contract.operations.length, 'operation'), countOf(collections.length, 'collection')];
  write(`${showPath(file)}  ${counts.join(', ')}`);
  return 0;
}
