// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineCommand } from '../../src/cli/commands/pact.js';
import { createMock, toPact } from '../../src/index.js';
import { findMistakes } from './specification.js';
import { createSharedFolder } from '../folders.js';
import { type Printed, runCommand } from '../cli/run-command.js';

const SPEC = 'spec/openapi.yaml';
const NAMES = ['--consumer', 'console', '--provider', 'platform'] as const;
const folder = createSharedFolder();
const journal = join(folder, 'journal.ndjson');
const output = join(folder, 'pacts', 'console.json');
let mock: Awaited<ReturnType<typeof createMock>>;

beforeAll(async () => {
  mock = await createMock({ spec: SPEC, fixtures: 'fixtures', journal: { limit: 2 } });
  const init = { headers: { authorization: 'Bearer k' } };
  for (const limit of [1, 2, 3]) await mock.fetch(`/v1/organization/admin_api_keys?limit=${limit}`, init);
  writeFileSync(journal, `${mock.journal.toNdjson()}\n`);
});
afterAll(() => mock.close());

/** Runs `vouch pact` with the built-in contract. */
const run = (...words: readonly string[]): Promise<Printed> => runCommand(defineCommand, [SPEC, ...NAMES, ...words]);

it('vouch pact writes the journal of a file', async () => {
  const { text, error } = await run('--journal', journal, '-o', output);
  expect(text).toMatch(/console\.json {2}2 interactions between console and platform$/);
  expect(error).toBe('');
  expect(JSON.parse(readFileSync(output, 'utf8'))).toEqual(
    toPact(mock, { consumer: 'console', provider: 'platform' }).pact,
  );
});

it('vouch pact prints the journal of a running mock, and says how many calls are missing', async () => {
  const { url } = await mock.listen();
  const { text, error } = await run('--journal', url, '--pact-version', '4', '--base-path', '/v1');
  const pact = JSON.parse(text) as { readonly interactions: readonly object[] };
  expect(findMistakes(pact, 4)).toEqual([]);
  expect(pact.interactions).toMatchObject([
    { type: 'Synchronous/HTTP', request: { path: '/v1/organization/admin_api_keys', query: { limit: ['2'] } } },
    { type: 'Synchronous/HTTP', request: { query: { limit: ['3'] } } },
  ]);
  expect(error).toBe('older calls are missing (1): the journal was full, see --journal-limit');
});

it.each<readonly [name: string, text: string | undefined, message: RegExp]>([
  ['does not exist', undefined, /^JOURNAL_UNREADABLE {2}.*journal\.txt {2}it cannot be read: ENOENT/],
  [
    'is not NDJSON',
    'x',
    /^JOURNAL_UNREADABLE {2}.*journal\.txt:1 {2}the line is not an interaction of a journal\n {2}hint: write it with/,
  ],
  ['has other objects', '{}\n', /^JOURNAL_UNREADABLE {2}.*:1 {2}the line is not an interaction/],
])('vouch pact refuses a journal that %s', async (_, text, message) => {
  const file = join(folder, 'journal.txt');
  if (text !== undefined) writeFileSync(file, text);
  await expect(run('--journal', file)).rejects.toThrow(message);
});
