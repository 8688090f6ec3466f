import { Command } from 'commander';
import type { Output } from '../../src/cli/output.js';

/** What a command printed. */
export interface Printed {
  readonly text: string;
  readonly error: string;
  /** The exit code that the command set; it is unset again. */
  readonly exit: typeof process.exitCode;
}

/** Runs a command in this process. */
export async function runCommand(
  define: (command: Command, output: Output) => void,
  words: readonly string[],
): Promise<Printed> {
  const lines: string[] = [];
  const errors: string[] = [];
  const command = new Command('command').exitOverride().configureOutput({ writeErr: () => undefined });
  define(command, { write: (line) => void lines.push(line), writeError: (line) => void errors.push(line) });
  try {
    await command.parseAsync(words, { from: 'user' });
    return { text: lines.join('\n'), error: errors.join('\n'), exit: process.exitCode };
  } finally {
    process.exitCode = undefined;
  }
}
