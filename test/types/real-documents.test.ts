// @module-tag thorough
// The compiler and the documents are the same with each Node.js: `npm test`, which runs with two, compiles those of this repository.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compileStrictly } from './compile.js';

const SHARED = '../shared/specs';

it.skipIf(!existsSync(SHARED))('the types of large documents compile with every strict check', async () => {
  const names = readdirSync(SHARED).filter((name) => /\.(?:ya?ml|json)$/u.test(name));
  expect(await compileStrictly(names.map((name) => join(SHARED, name)))).toEqual(['']);
});
