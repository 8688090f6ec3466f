import type { Command } from 'commander';
import { inferResources } from '../../resources/infer/infer.js';
import { writeTypes } from '../../tools/types/write-types.js';
import { addDocument, type DocumentFlags, loadDocument } from '../document.js';
import { type Output, showPath, writeOutputFile } from '../output.js';
import { countOf } from '../../base/errors.js';

interface TypesOptions extends DocumentFlags, Pick<Output, 'write'> {
  /** The file to write; default: print the types. */
  readonly output?: string;
}

/** Defines `vouch types`. */
export function defineCommand(command: Command, output: Output): void {
  addDocument(command, output, runTypes).option(
    '-o, --output <file>',
    'file to write (default: print to standard output)',
  );
}

async function runTypes({ output: file, write, ...flags }: TypesOptions): Promise<number> {
  const contract = await loadDocument(flags);
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
