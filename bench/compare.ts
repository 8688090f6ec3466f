import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A built checkout of another commit. */
export interface Checkout {
  readonly folder: string;
  remove(): void;
}

/** Checks out a commit into a temporary folder and builds it; the dependencies are those of this tree. */
export function checkOut(ref: string): Checkout {
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-compare-'));
  const folder = join(scratch, 'tree');
  const run = (program: string, args: readonly string[], cwd = '.'): void => {
    execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  run('git', ['worktree', 'add', '--detach', '--quiet', folder, ref]);
  const remove = (): void => {
    run('git', ['worktree', 'remove', '--force', folder]);
    rmSync(scratch, { recursive: true, force: true });
  };
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    run('npm', ['run', '--silent', 'build'], folder);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
