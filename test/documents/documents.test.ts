import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { runCase } from './conformance.js';
import { type Case, readCases } from './read-cases.js';

const here = new URL('./', import.meta.url);
const pages = readdirSync(here)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name): readonly [string, readonly Case[]] => [name.replace('.md', ''), readCases(new URL(name, here))]);

describe.each(pages)('%s', (page, cases) => {
  describe.each(['in-process', 'socket'] as const)('%s', (reach) => {
    it.each(cases.map((one): readonly [string, Case] => [`${one.trap} ${one.name}`, one]))('%s', async (_, one) => {
      expect(one.steps.length + (one.start?.length ?? 0), `${page}.md:${one.line} asks nothing`).toBeGreaterThan(0);
      await runCase(one, reach);
    });
  });
});

test('README.md lists every case below its trap, and no other', () => {
  const text = readFileSync(new URL('README.md', here), 'utf8');
  const listed = [...text.matchAll(/^ {2}- (.+) \(\[(.+)\]\(\.\/\2\.md\)\)$/gmu)].map(
    ([, name, page]) => `${page}: ${name}`,
  );
  expect(listed.toSorted()).toEqual(
    pages.flatMap(([page, cases]) => cases.map(({ name }) => `${page}: ${name}`)).toSorted(),
  );
});
