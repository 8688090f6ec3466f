import { type Command, Option } from 'commander';
import type { Output } from '../../output.js';
import { addServeFlags, serveCommand } from '../serve.js';
import {
  addOtherFlags,
  applyOtherFlags,
  PRISM_FLAGS,
  PRISM_MOCK_FLAGS,
  readBooleans,
  readSeed,
  STEADY_FLAGS,
} from './flags.js';

/** Reads the booleans of yargs. */
export const readWords: typeof readBooleans = readBooleans;

const PRISM = [...PRISM_FLAGS, ...PRISM_MOCK_FLAGS];

/** Defines `vouch mock`: `vouch serve` with the flags of Prism and Steady, which keep no state. */
export function defineCommand(command: Command, output: Output): void {
  command.description(
    'serve a mock as Prism and Steady do, without state, with their flags and those of `vouch serve`',
  );
  addServeFlags(command.helpOption('--help', 'display help for command'));
  // Prism's seed is any text.
  command.options.find(({ long }) => long === '--seed')?.argParser(readSeed);
  command.addOption(new Option('--state', 'keep what clients create, as `vouch serve` does'));
  addOtherFlags(command, 'Flags of Prism:', PRISM);
  addOtherFlags(command, 'Flags of Steady:', STEADY_FLAGS);
  command.action((specs: readonly string[]) => {
    if (command.getOptionValueSource('state') === 'default')
      command.setOptionValueWithSource('state', false, 'default');
    if (command.getOptionValue('color') === false) process.env['NO_COLOR'] = '1';
    applyOtherFlags(command, [...PRISM, ...STEADY_FLAGS], output);
    return serveCommand(specs, command, output);
  });
}
