// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.js';
import { MAIN, runProgram } from './run-program.js';
import { createSharedFolder } from '../folders.js';

// Issue 16, part 6: the scripts are run by the shells themselves.

const folder = createSharedFolder({ 'api.yaml': '' });

/** A folder with the program under its name. */
const programs = join(folder, 'bin');

beforeAll(async () => {
  mkdirSync(programs);
  writeFileSync(join(programs, 'vouch'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(join(folder, `script.${shell}`), (await runProgram(['completion', shell])).out);
  }
});

/** How each shell completes a line; the last word is the one that is typed. */
const COMPLETE: Readonly<Record<string, (words: readonly string[]) => string>> = {
  // Without words of the script, bash completes with files.
  bash: (words) =>
    `source ./script.bash; COMP_WORDS=(vouch ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _vouch; printf '%s\\n' "\${COMPREPLY[@]:-$(compgen -f -- '${words.at(-1) ?? ''}')}"`,
  // What the function passes to the completion system is printed, as that system filters it.
  zsh: (words) =>
    `_files() { print -l -- *(N) }; compadd() { shift; print -l -- "$@" }; cp script.zsh _vouch; fpath=(. $fpath); autoload -U _vouch; words=(vouch ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _vouch | grep -- '^${words.at(-1) ?? ''}'`,
  fish: (words) => `source ./script.fish; complete -C 'vouch ${words.join(' ')}' | string replace -r '\\t.*' ''; true`,
};

function complete(shell: string, ...words: readonly string[]): readonly string[] {
  const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` };
  const out = execFileSync(shell, ['-c', COMPLETE[shell]?.(words) ?? ''], { cwd: folder, encoding: 'utf8', env });
  return out.split('\n').filter((line) => line !== '');
}

const CASES: readonly (readonly [words: readonly string[], want: readonly string[]])[] = [
  [['rec'], ['record', 'recordings']],
  [
    ['serve', '--tls-'],
    ['--tls-cert', '--tls-key', '--tls-name'],
  ],
  [
    ['serve', '--examples', ''],
    ['fitting', 'none', 'verbatim'],
  ],
  [['serve', 'api'], ['api.yaml']],
  [['serve', '--overlay', 'a'], ['api.yaml']],
  [['recordings', 'dr'], ['drift']],
  [['recordings', 'drift', '--op'], ['--operation']],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
];

describe.each(['bash', 'zsh', 'fish'])('completion for %s', (shell) => {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0;

  it('is skipped only where the shell is not installed, which bash always is', () => {
    expect(isInstalled || shell !== 'bash').toBe(true);
  });

  it.runIf(isInstalled).each(CASES)('completes %j', (words, want) => {
    const found = complete(shell, ...words).filter((word) => !word.startsWith('-h') && word !== '--help');
    expect(found.toSorted()).toEqual(want);
  });

  it.runIf(isInstalled)('knows every command', () => {
    const found = complete(shell, '').filter((word) => !word.startsWith('-'));
    expect(found.toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
  });
});

it('vouch completion refuses another shell', async () => {
  const { code, out, error } = await runProgram(['completion', 'tcsh']);
  expect([code, out]).toEqual([1, '']);
  expect(error).toContain('Allowed choices are bash, zsh, fish.');
});
