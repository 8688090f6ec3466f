// @module-tag slow
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defineCommand } from '../../src/cli/commands/compare/diff.js';
import { type Printed, runCommand } from '../cli/run-command.js';
import { createFolder, createSharedFolder, writeFiles } from '../folders.js';
import { startProgram } from '../cli/run-program.js';

const OLD = `openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /orders:
    get:
      parameters:
        - {in: query, name: limit, schema: {type: integer, maximum: 100}}
      responses:
        200:
          description: all
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Order"}
  /orders/{id}:
    get:
      parameters:
        - {in: path, name: id, required: true, schema: {type: string}}
      responses:
        200:
          description: one
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Order"}
components:
  schemas:
    Order:
      type: object
      properties:
        state: {enum: [open]}
`;
const folder = createSharedFolder({
  'old.yaml': OLD,
  'breaking.yaml': OLD.replace('maximum: 100', 'maximum: 50').replace('[open]', '[open, "a|b"]'),
  'risky.yaml': OLD.replace('[open]', '[open, paid]'),
  'compatible.yaml': OLD.replace('maximum: 100', 'maximum: 200').replace('version: "1"', 'version: "2"'),
});
const run = (now: string, ...words: readonly string[]): Promise<Printed> =>
  runCommand(defineCommand, [join(folder, 'old.yaml'), join(folder, now), ...words]);
const clean = (text: string): string => text.replaceAll(/[^ |`(]*[\\/](?=(?:old|breaking|compatible)\.yaml)/gu, '');

it('prints the summary, then the changes by operation with their places', async () => {
  const { text, exit } = await run('breaking.yaml');
  expect(clean(text).split('\n')).toEqual([
    'Shop 1 -> Shop 1',
    '2 changes: 1 breaking, 1 risky, 0 compatible',
    '',
    'GET /orders',
    '  breaking    clients send: query parameter "limit": maximum was 100 and is 50 (LIMIT_NARROWED)',
    '              old.yaml:7 -> breaking.yaml:7',
    '  risky       clients receive: response 200 body /state: the value "a|b" was added (ENUM_VALUE_ADDED)',
    '              old.yaml:29 -> breaking.yaml:29; also in GET /orders/{id}',
  ]);
  expect(exit).toBe(1);
});

it('prints a table in Markdown', async () => {
  const { text } = await run('breaking.yaml', '--format', 'markdown');
  expect(clean(text).split('\n')).toEqual([
    '### Shop 1 -> Shop 1',
    '',
    '2 changes: 1 breaking, 1 risky, 0 compatible',
    '',
    '| | operation | change | old | new |',
    '| --- | --- | --- | --- | --- |',
    '| breaking | `GET /orders` | clients send: query parameter "limit": maximum was 100 and is 50 (LIMIT_NARROWED) | old.yaml:7 | breaking.yaml:7 |',
    String.raw`| risky | ${'`GET /orders`'}; also in GET /orders/{id} | clients receive: response 200 body /state: the value "a\|b" was added (ENUM_VALUE_ADDED) | old.yaml:29 | breaking.yaml:29 |`,
  ]);
});

it('counts compatible changes, and lists them with --all', async () => {
  const short = await run('compatible.yaml');
  expect(short.text).toBe('Shop 1 -> Shop 2\n1 change: 0 breaking, 0 risky, 1 compatible');
  const long = await run('compatible.yaml', '--all');
  expect(long.text).toContain('compatible  clients send: query parameter "limit": maximum was 100 and is 200');
});

it('prints JSON with the counts and both places of each finding', async () => {
  const { text } = await run('risky.yaml', '--format', 'json');
  expect(JSON.parse(text)).toMatchObject({
    old: { title: 'Shop', version: '1' },
    new: { title: 'Shop', version: '1' },
    counts: { breaking: 0, risky: 1, compatible: 0 },
    findings: [
      {
        code: 'ENUM_VALUE_ADDED',
        severity: 'risky',
        direction: 'response',
        operations: ['GET /orders', 'GET /orders/{id}'],
        old: { line: 29, pointer: '/components/schemas/Order/properties/state/enum' },
        new: { line: 29 },
      },
    ],
    breaks: [],
  });
});

it.each([
  ['old.yaml', [], 0],
  ['compatible.yaml', ['--fail-on', 'risky'], 0],
  ['risky.yaml', [], 0],
  ['risky.yaml', ['--fail-on', 'risky'], 1],
  ['breaking.yaml', ['--json'], 1],
  ['missing.yaml', [], 2],
] as const)('the exit code for %s %j is %d', async (now, words, want) => {
  const { exit } = await run(now, ...words);
  expect(exit).toBe(want);
});

it('prints again with --watch when a document changes, also after a mistake in it', async () => {
  const place = createFolder({ 'old.yaml': OLD, 'new.yaml': OLD });
  const program = startProgram(['diff', 'old.yaml', 'new.yaml', '--watch'], { cwd: place });
  await program.waitFor(/no changes/u);
  writeFiles(place, { 'new.yaml': OLD.replace('maximum: 100', 'maximum: 50') });
  await program.waitFor(/maximum was 100 and is 50/u);
  writeFiles(place, { 'new.yaml': 'openapi: [' });
  await program.waitFor(/SPEC_INVALID {2}new\.yaml/u);
  writeFiles(place, { 'new.yaml': OLD.replace('maximum: 100', 'maximum: 40') });
  await program.waitFor(/maximum was 100 and is 40/u);
  expect(await program.end('SIGTERM')).toBe(1);
});
