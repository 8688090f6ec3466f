import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { findBroken, readAnchors, readLinks, readPages } from './pages.js';

const pages = readPages();
// Files of this repository, in the format of npm.
const { files: packed } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] };

/** Files of the repository only, which pages of the package name for people who work on vouch, or as further examples. */
const REPOSITORY_ONLY =
  /^(?:ARCHITECTURE|CONTRIBUTING|STYLE|CHANGELOG)\.md$|^(?:docs\/(?:maintainers|development\.md|dependencies\.md)|examples|test|src|bench|build)\b|^\.ci\b/u;

describe('links', () => {
  it.each([...pages.keys()])('in %s point to files and headings that exist', (path) => {
    expect(findBroken(path, pages)).toEqual([]);
  });

  it('of pages in the package point to files of the package, or to files for contributors', () => {
    const own = [...pages.keys()].filter((path) => path === 'README.md' || path.startsWith('docs/'));
    const outside = own.flatMap((path) =>
      readLinks(pages.get(path) ?? '')
        .map((link) => join(dirname(path), link.split('#')[0] ?? ''))
        .filter(
          (file) => file !== dirname(path) && !packed.some((entry) => file === entry || file.startsWith(`${entry}/`)),
        )
        .filter((file) => file !== 'README.md' && !file.startsWith('docs') && !REPOSITORY_ONLY.test(file))
        .map((file) => `${path}: ${file}`),
    );
    expect(outside).toEqual([]);
  });

  it('are found, with the fragments that GitHub makes of headings', () => {
    expect(readLinks('a [b](c.md#d) ![e](f.png)\n```sh\n[x](y)\n```\n[z](https://z)')).toEqual(['c.md#d', 'f.png']);
    const page = '# The `x-mock` hint, v2\n## Twice\n## Twice\n### [Link](a.md) & more\n```\n# none\n```\n';
    expect([...readAnchors(page)]).toEqual(['the-x-mock-hint-v2', 'twice', 'twice-1', 'link--more']);
    expect(findBroken('README.md', new Map([['README.md', '[a](#b) [c](absent.md) [d](README.md#x)\n# X']]))).toEqual([
      '#b',
      'absent.md',
    ]);
  });
});
