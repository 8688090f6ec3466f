// @module-tag slow
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readParts } from '../../.ci/follow.mjs';
import { followPart, linkPackages, readFollowedParts, readInstalled } from '../../.ci/reader.mjs';

const root = mkdtempSync(join(tmpdir(), 'vouch-guides-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

// `.ci/pages.mjs` follows the same pages from the packed package.
const isFollowedElsewhere = process.env['VOUCH_TEST_PAGES'] === 'packed';
const skipped = isFollowedElsewhere ? ' (skipped: .ci/pages.mjs does this from the packed package)' : '';

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** Installs this build, and packages that this repository has. */
function install(names: readonly string[], folder: string): string {
  linkPackages(
    names.map((name) => (name === 'vouch' ? resolve('.') : resolve('node_modules', name))),
    folder,
  );
  return 'true';
}

const follow = async (part: Parameters<typeof followPart>[0]): ReturnType<typeof followPart> =>
  followPart(part, {
    root,
    install,
    // npx takes half a second.
    replace: (line) => line.replace(/^npx vouch\b/u, 'vouch'),
    // The folders of all pages share compiled code, which each would make of the same files again.
    env: { NODE_COMPILE_CACHE: join(root, 'code') },
  });

describe.skipIf(isFollowedElsewhere || !hasCurl())(`a page that is followed in an empty folder${skipped}`, () => {
  const parts = readFollowedParts().map((part) => [part.title, part] as const);
  it('is one of several', () => expect(parts.length).toBeGreaterThan(15));

  it.each(parts)('%s, gives what it says', async (_, part) => {
    const { run, mistakes } = await follow(part);
    expect(mistakes).toEqual([]);
    expect(run).toBeGreaterThan(2);
  });
});

describe('the check itself', () => {
  const first = '```sh\nnpm i -D vouch\n```\n';

  it.each([
    ['a command that fails', '```sh\nfalse\n```\n', /line 4: false\nexit code 1/u],
    ['a line that is not printed', '```sh\necho one\n```\n```\ntwo\n```\n', /the output has no line two/u],
    ['another body', '```sh\necho \'{"a":1}\'\n```\n```json\n{ "a": 2 }\n```\n', /the output is not/u],
    ['a server that does not start', '```sh\nnpx vouch serve absent.yaml\n```\n', /exit code 1/u],
  ])('finds %s', async (_, page, want) => {
    const { mistakes } = await follow({ text: `${first}${page}`, document: undefined });
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
    const text = `${first}${page.slice(1).join('\n')}\n`;
    const { run, mistakes } = await follow({ text, document: undefined });
    expect([run, mistakes]).toEqual([4, []]);
  });

  it('finds a page that installs nothing', async () => {
    const { mistakes } = await follow({ text: '```sh\ntrue\n```\n', document: undefined });
    expect(mistakes).toEqual(['no line installs the package']);
  });

  it.each([
    ['npm i -D vouch vitest', ['vouch', 'vitest']],
    ['npm install -D github:OWNER/vouch', ['vouch']],
    ['npm i -D vouch @mswjs/interceptors', ['vouch', '@mswjs/interceptors']],
    ['npm test', undefined],
  ])('reads what %j installs', (line, names) => expect(readInstalled(line)).toEqual(names));
});
