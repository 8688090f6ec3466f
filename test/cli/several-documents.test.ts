import { Command } from 'commander';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { defineCommand as defineConfig } from '../../src/cli/commands/config.js';
import { defineCommand as defineServe } from '../../src/cli/commands/serve.js';
import { MockError } from '../../src/index.js';
import { createFolder } from '../folders.js';
import { runCommand } from './run-command.js';

// Issue 16, part 4.
function createDocument(title: string, path: string): string {
  const item = '{ type: object, required: [id], properties: { id: { type: string } } }';
  return [
    `{ openapi: 3.1.0, info: { title: ${title}, version: "1" }, paths: { ${path}: {`,
    `get: { responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: ${item} } } } } } },`,
    `post: { responses: { 201: { description: ok, content: { application/json: { schema: ${item} } } } } } } } }`,
  ].join(' ');
}

/** Runs `vouch serve` in this process until `use` has ended. @returns what it printed, without the folder and the port. */
async function serve(
  folder: string,
  words: readonly string[],
  use: (url: string, waitFor: (text: string) => Promise<void>) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const lines: string[] = [];
  const printed = new EventTarget();
  const write = (text: string): void => {
    lines.push(text);
    printed.dispatchEvent(new Event('line'));
  };
  const command = new Command('serve').exitOverride();
  defineServe(command, { write, writeError: write });
  const ended = command.parseAsync(['--port', '0', ...words], { from: 'user' });
  const failed = ended.then(() => undefined);
  const waitFor = async (text: string): Promise<void> => {
    while (!lines.join('\n').includes(text)) await Promise.race([once(printed, 'line'), failed]);
  };
  await waitFor('listening');
  const [url = ''] = /(?<=listening on |"listening":")http:\/\/[\d.:]+/u.exec(lines.join('\n')) ?? [];
  try {
    await use(url, waitFor);
  } finally {
    process.emit('SIGTERM');
    await ended;
    process.exitCode = 0;
  }
  const shown = [`${relative(process.cwd(), folder)}/`, `${folder}/`, url];
  return shown.reduce((text, each) => text.replaceAll(each, each === url ? 'URL' : ''), lines.join('\n'));
}

const USERS = createDocument('Users', '/users');
const ORDERS = createDocument('Orders', '/orders');

it('vouch serve with several documents serves those of the command line, with the fixtures in the folders of their names', async () => {
  const folder = createFolder({
    'users.yaml': USERS,
    'orders.yaml': ORDERS,
    'fixtures/users/users.yaml': '[{ id: ada }]',
    'fixtures/orders/orders.yaml': '[{ id: first }]',
  });
  const paths = ['users.yaml', 'orders.yaml'].map((name) => join(folder, name));
  const output = await serve(folder, ['--no-config', ...paths], async (url, waitFor) => {
    expect(await (await fetch(`${url}/users`)).json()).toEqual([{ id: 'ada' }]);
    expect(await (await fetch(`${url}/orders`)).json()).toEqual([{ id: 'first' }]);
    expect((await fetch(`${url}/__mock/orders/state`)).status).toBe(200);
    await waitFor('users GET');
  });
  expect(output.split('\n').slice(0, 9)).toEqual([
    'users  Users 1  users.yaml  2 operations',
    '  URL  fixtures fixtures/users  seed 1',
    '  control API URL/__mock/users',
    '  inspector URL/__mock/users/',
    'orders  Orders 1  orders.yaml  2 operations',
    '  URL  fixtures fixtures/orders  seed 1',
    '  control API URL/__mock/orders',
    '  inspector URL/__mock/orders/',
    'listening on URL',
  ]);
  expect(output).toMatch(/^users GET {4}\/users 200 /mu);
});

it('vouch serve with several documents serves those of the configuration file, by prefix and host', async () => {
  const folder = createFolder({
    'users/openapi.yaml': USERS,
    'orders/openapi.yaml': ORDERS,
    'orders/fixtures/orders.yaml': '[{ id: own }]',
    'handlers.mjs': 'export default { "GET /users": () => ({ status: 200, body: [{ id: "handled" }] }) };',
    'vouch.config.yaml':
      'seed: 7\ndocuments:\n' +
      '  - { spec: users/openapi.yaml, prefix: /people, handlers: handlers.mjs }\n' +
      '  - { spec: orders/openapi.yaml, host: orders.test, seed: 8 }\n',
  });
  const file = join(folder, 'vouch.config.yaml');
  const output = await serve(folder, ['--config', file, '--json'], async (url, waitFor) => {
    expect(await (await fetch(`${url}/people/users`)).json()).toEqual([{ id: 'handled' }]);
    expect((await fetch(`${url}/orders`)).status).toBe(404);
    await waitFor('{"document":"users",');
  });
  const started: unknown = JSON.parse(output.split('\n')[0] ?? '');
  expect(started).toMatchObject({
    listening: 'URL',
    documents: [
      { name: 'users', listening: 'URL/people', host: null, control: 'URL/__mock/users', seed: 7, fixtures: null },
      { name: 'orders', listening: 'URL', host: 'orders.test', seed: 8, fixtures: 'orders/fixtures' },
    ],
  });
  expect(output).toContain('{"document":"users",');
  const { text } = await runCommand(defineConfig, ['--config', file, '--json']);
  const { settings } = JSON.parse(text) as { readonly settings: Readonly<Record<string, object>> };
  expect(settings['documents']).toMatchObject({ value: [{ prefix: '/people' }, { host: 'orders.test', seed: 8 }] });
});

it.each([
  [
    'the same paths',
    ['users.yaml', 'other.yaml'],
    [],
    'DOCUMENTS_CONFLICT  the documents "users" and "other" both have the path /users',
  ],
  [
    'fixtures for all',
    ['users.yaml', 'orders.yaml'],
    ['--fixtures', 'f'],
    'the option "fixtures" belongs to one document, and there are several',
  ],
])('vouch serve with several documents refuses %s', async (_, names, flags, want) => {
  const folder = createFolder({ 'users.yaml': USERS, 'other.yaml': USERS, 'orders.yaml': ORDERS });
  const words = ['--no-config', ...names.map((name) => join(folder, name)), ...flags];
  const error: unknown = await serve(folder, words).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MockError);
  expect(String(error)).toContain(want);
});
