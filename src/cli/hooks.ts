import type { Command } from 'commander';
import { MockError, suggest } from '../base/errors.js';
import type { CassetteOptions } from '../features/recording/cassettes.js';
import { loadModule, readExports } from './load-module.js';

/** Functions of the user that change, drop or match exchanges. */
type Hooks = Pick<CassetteOptions, 'beforeWrite' | 'afterRead' | 'matcher'>;

/** The flag `--hooks`. */
export interface HooksFlag {
  readonly hooks?: string;
}

/** Adds the flag `--hooks`. @param names - The hooks that the command calls. */
export function addHooksFlag(command: Command, ...names: readonly (keyof Hooks)[]): Command {
  return command.option(
    '--hooks <file>',
    `JavaScript or TypeScript module with functions that change exchanges: ${names.join(', ')}`,
  );
}

const NAMES: readonly string[] = ['beforeWrite', 'afterRead', 'matcher'] satisfies (keyof Hooks)[];

/** Loads the hooks of a module: its exports, or the members of its default export. @throws MockError `OPTION_INVALID`. */
export async function loadHooks({ hooks: file }: HooksFlag): Promise<Hooks> {
  if (file === undefined) return {};
  const at = { file };
  const hooks = readExports(await loadModule(file, 'the hooks'));
  for (const [name, hook] of hooks) {
    if (!NAMES.includes(name)) {
      const hint = suggest(name, NAMES) ?? `known hooks: ${NAMES.join(', ')}`;
      throw new MockError('OPTION_INVALID', `"${name}" is not a hook`, { at, hint });
    }
    if (typeof hook !== 'function') throw new MockError('OPTION_INVALID', `${name} must be a function`, { at });
  }
  if (hooks.length === 0) {
    throw new MockError('OPTION_INVALID', 'the module exports no hook', { at, hint: `export ${NAMES.join(', ')}` });
  }
  return Object.fromEntries(hooks);
}
