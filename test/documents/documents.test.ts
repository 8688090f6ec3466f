// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { runCase } from './conformance.js';
import { type Case, type Expectation, readCases } from './read-cases.js';

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

describe('a case that is not so', () => {
  const [given] = readCases(new URL('methods.md', here));
  const [step] = given?.steps ?? [];
  it.each<readonly [string, Partial<Expectation>, RegExp]>([
    ['in its status', { status: 201 }, /wanted 201, got 200/],
    ['in a header', { headers: [['content-length', '6']] }, /wanted content-length: 6, got 5/],
    ['in its body', { mediaType: 'application/json', body: 'other' }, /the body: wanted "other", got "all"/],
    ['in its violations', { mediaType: '…', violations: ['TYPE …'] }, /wanted the violations TYPE …, got none/],
  ])('fails %s', async (_, change, message) => {
    if (given === undefined || step?.kind !== 'call') throw new Error('methods.md begins with a call');
    const want = { ...step.want, headers: [], ...change };
    const wrong = { ...given, steps: [{ ...step, method: change.headers === undefined ? 'GET' : 'HEAD', want }] };
    await expect(runCase(wrong, 'in-process')).rejects.toThrow(message);
  });

  it('fails in the problems it starts with', async () => {
    if (given === undefined) throw new Error('methods.md has a case');
    await expect(runCase({ ...given, start: 'SCHEMA_REPAIRED …' }, 'in-process')).rejects.toThrow(/not found: SCHEMA/);
  });
});
