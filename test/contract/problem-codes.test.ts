import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROBLEM_CODES } from '../../src/contract/contract.js';

test('docs/documents.md has a line for every code of a problem, and for no other', () => {
  const page = readFileSync(new URL('../../docs/documents.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([A-Z_]+)` \|/gmu)].map((match) => match[1]);
  expect(listed).toEqual(Object.keys(PROBLEM_CODES));
});
