import type { Command } from 'commander';
import { type LoadedContract, loadShared } from '../mock/contract-parts.js';
import { nestOptions, readOptions } from '../mock/read-options.js';
import type { OptionName } from '../mock/options-table.js';
import { addOptionFlags, DOCUMENT_OPTIONS, readOptionFlags } from './flags.js';
import type { Output } from './output.js';

/** The argument and the flags of a command that reads a document. */
export interface DocumentFlags {
  /** A path or URL. */
  readonly spec: string;
  readonly overlay?: readonly string[];
  readonly allowHttpRefs?: boolean;
  readonly preset?: string | boolean;
}

/** Options of a command that prints a report about a document. */
export interface ReportOptions extends DocumentFlags, Pick<Output, 'write'> {
  /** Print one JSON object instead of lines. */
  readonly json?: boolean;
}

/**
 * Adds the required argument `<spec>` and the flags that say how the document is loaded.
 *
 * @param run - Runs the command with its argument and flags, and returns the exit code.
 */
export function addDocument(command: Command, output: Output, run: (options: never) => Promise<number>): Command {
  return addOptionFlags(command.argument('<spec>', 'OpenAPI document: a file or URL'), DOCUMENT_OPTIONS).action(
    async (spec: string, flags: object) => {
      // A command takes the flags that it has defined.
      process.exitCode = await run({ spec, ...flags, ...output } as never);
    },
  );
}

/**
 * Loads the document that an argument and flags name.
 *
 * @param more - Further options that decide how it is loaded.
 * @throws MockError as `createMock` for a document that cannot be used.
 */
export async function loadDocument(
  { spec, ...flags }: DocumentFlags,
  more: Partial<Readonly<Record<OptionName, unknown>>> = {},
): Promise<LoadedContract> {
  return loadShared(readOptions(nestOptions({ spec, ...readOptionFlags(flags, DOCUMENT_OPTIONS), ...more })));
}
