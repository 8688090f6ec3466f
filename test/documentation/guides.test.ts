// @module-tag slow
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followPage, readBlocks, readParts, readStartDocument } from '../../.ci/follow.mjs';
import { isFollowed } from './followed.js';
import { readPages } from './pages.js';

const root = mkdtempSync(join(tmpdir(), 'vouch-guides-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const start = readFileSync('docs/getting-started.md', 'utf8');
const parts = [...readPages()]
  .filter(([path]) => isFollowed(path))
  .flatMap(([path, page]) =>
    readParts(page).map(({ name, text }) => {
      const title = name === '' ? path : `${path}, ${name},`;
      return [title, text, readStartDocument(page, start)] as const;
    }),
  );

/** Packages that pages install, besides vouch: those of this repository. */
const INSTALL = /^npm (?:i|install) -D (?:github:OWNER\/)?(?<names>[\w@/. -]+)$/u;

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** An empty folder, in which the page installs this build. */
function createFolder(): { readonly folder: string; readonly install: (names: readonly string[]) => void } {
  const folder = mkdtempSync(join(root, 'reader-'));
  const packages = join(folder, 'node_modules');
  mkdirSync(join(packages, '.bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  return {
    folder,
    install: (names) => {
      for (const name of names) {
        mkdirSync(dirname(join(packages, name)), { recursive: true });
        symlinkSync(name === 'vouch' ? resolve('.') : resolve('node_modules', name), join(packages, name));
        // The commands of a package have its name, except that of typescript.
        const program = resolve('node_modules/.bin', name === 'typescript' ? 'tsc' : name);
        if (existsSync(program)) symlinkSync(program, join(packages, '.bin', basename(program)));
      }
      // npm makes the file executable when it installs the package; the build does not.
      const script = `#!/bin/sh\nexec node "${resolve('dist/cli/main.js')}" "$@"\n`;
      writeFileSync(join(packages, '.bin/vouch'), script, { mode: 0o755 });
    },
  };
}

function readEnvironment(): NodeJS.ProcessEnv {
  // The variables of this test run are not those of a reader.
  const names = new Set([
    'NODE_TEST_CONTEXT',
    'NODE_ENV',
    'NODE_OPTIONS',
    'VITEST',
    'VITEST_POOL_ID',
    'FORCE_COLOR',
    'CI',
  ]);
  const own = Object.entries(process.env).filter(([name]) => !names.has(name));
  // The folders of all pages share compiled code, which each would make of the same files again.
  return { ...Object.fromEntries(own), NODE_COMPILE_CACHE: join(root, 'code') };
}

describe.skipIf(!hasCurl())('a page that is followed in an empty folder', () => {
  it('is one of several', () => expect(parts.length).toBeGreaterThan(15));

  it.each(parts)('%s gives what it says', { timeout: 60_000 }, async (_, page, document) => {
    const { folder, install } = createFolder();
    if (document !== undefined) writeFileSync(join(folder, 'openapi.yaml'), document);
    const own = readBlocks(page).find(({ file }) => file === 'openapi.yaml')?.text ?? '';
    const urls = page.match(/(?<=vouch serve )https:\S+/gu) ?? [];
    const { run, mistakes } = await followPage({
      page,
      folder,
      env: readEnvironment(),
      documents: Object.fromEntries(urls.map((url) => [url, own])),
      replace: (line) => {
        const names = INSTALL.exec(line)?.groups?.['names'];
        // The command is not run by npx, which takes half a second; `.ci/readme.mjs` does that.
        if (names === undefined) return line.replace(/^npx vouch\b/u, 'vouch');
        install(names.split(' '));
        return 'true';
      },
    });
    expect(mistakes).toEqual([]);
    expect(run).toBeGreaterThan(2);
  });
});

describe('the check itself', () => {
  let folder = '';
  beforeAll(() => ({ folder } = createFolder()));

  it.each([
    ['a command that fails', '```sh\nfalse\n```\n', /line 1: false\nexit code 1/u],
    ['a line that is not printed', '```sh\necho one\n```\n```\ntwo\n```\n', /the output has no line two/u],
    ['another body', '```sh\necho \'{"a":1}\'\n```\n```json\n{ "a": 2 }\n```\n', /the output is not/u],
    ['a server that does not start', '```sh\nnpx vouch serve absent.yaml\n```\n', /exit code 1/u],
  ])('finds %s', async (_, page, want) => {
    const replace = (line: string): string => line.replace('npx vouch', `node ${resolve('dist/cli/main.js')}`);
    const { mistakes } = await followPage({ page, folder, env: readEnvironment(), replace });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(want);
  });

  it('reads each section with the line numbers of the page, of a page that says so', () => {
    const page = 'No section needs another one.\n\n## One\n\n1\n\n## Two\n\n2\n';
    expect(readParts(page)).toEqual([
      { name: 'One', text: '\n\n## One\n\n1\n\n' },
      { name: 'Two', text: '\n\n\n\n\n\n## Two\n\n2\n' },
    ]);
    expect(readParts(page.slice(1))).toEqual([{ name: '', text: page.slice(1) }]);
  });

  it('writes files, continues lines, leaves out comments and what is marked', async () => {
    const page = [
      '```sh\ncat a.txt # none\n```',
      '`a.txt`:\n```json\n{"a": 1}\n```',
      '<!-- not run: it fails -->\n```sh\nfalse\n```',
      '```sh\ncat \\\n  a.txt\n```\n```\n{…}\n```',
    ];
    const { run, mistakes } = await followPage({ page: `${page.slice(1).join('\n')}\n`, folder });
    expect([run, mistakes]).toEqual([3, []]);
  });
});
