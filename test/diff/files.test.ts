import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, test } from 'vitest';
import { defineCommand } from '../../src/cli/commands/compare/diff.js';
import { defineCommand as defineImport } from '../../src/cli/commands/import.js';
import { createMock } from '../../src/index.js';
import { type Printed, runCommand } from '../cli/run-command.js';
import { createSharedFolder } from '../folders.js';

const OLD = `openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /orders:
    get:
      operationId: listOrders
      parameters: [{in: query, name: sort, schema: {enum: [age, name]}}]
      responses:
        200: {description: all, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Order"}}}}}
    post:
      operationId: createOrder
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
      responses:
        201: {description: made, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
  /orders/{id}:
    get:
      operationId: getOrder
      parameters: [{in: path, name: id, required: true, schema: {type: string}}]
      responses:
        200: {description: one, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
components:
  schemas:
    Order:
      type: object
      required: [id, total]
      properties:
        id: {type: string}
        total: {type: integer}
        legacy: {type: string}
        status: {enum: [open, paid, archived]}
`;
const NEW = OLD.replace('required: [id, total]', 'required: [id, total, currency]\n      additionalProperties: false')
  .replace('legacy: {', 'currency: {')
  .replace(', archived', '')
  .replace('[age, name]', '[age]')
  .replace('getOrder', 'readOrder');
const ORDER = { id: 'a', total: 3, legacy: 'x' };
const answer = (body: unknown): object => ({
  status: 200,
  headers: [{ name: 'content-type', value: 'application/json' }],
  content: { mimeType: 'application/json', text: JSON.stringify(body) },
});
const har = (url: string, body: unknown): string =>
  JSON.stringify({
    log: {
      version: '1.2',
      entries: [
        {
          startedDateTime: '2026-01-01T00:00:00Z',
          time: 1,
          request: { method: 'GET', url: `https://shop.example${url}`, headers: [] },
          response: answer(body),
        },
      ],
    },
  });
const pact = (version: string, ...interactions: readonly object[]): string =>
  JSON.stringify({
    consumer: { name: 'page' },
    provider: { name: 'shop' },
    interactions,
    metadata: { pactSpecification: { version } },
  });
const json = { 'Content-Type': 'application/json' };

const folder = createSharedFolder({
  'old.yaml': OLD,
  'new.yaml': NEW,
  'fixtures/orders.yaml': 'items:\n  - {id: a, total: 3, legacy: x, status: archived}\n',
  'valid/orders.yaml': 'items: []\n',
  'scenarios/kept.yaml':
    'operations:\n  createOrder:\n    - respond: {status: 201, body: {id: a, total: 3, legacy: x}}\n  getOrder:\n    - respond: {status: 200}\n',
  'seen.har': har('/orders/a', ORDER),
  'sorted.har': har('/orders?sort=name', []),
  'other.har': har('/elsewhere', []),
  'handlers.mjs': 'export default { getOrder: () => ({}), listOrders: () => [] };\n',
  'three.json': pact(
    '3.0.0',
    { request: { method: 'GET', path: '/orders/1' }, response: { status: 200, headers: json, body: { legacy: 'x' } } },
    {
      request: { method: 'post', path: '/orders', headers: json, body: { id: '1', total: 3 } },
      response: { status: 201 },
    },
    { request: { method: 'GET', path: '/orders', query: { sort: ['name'] } }, response: { status: 200 } },
  ),
  'four.json': pact('4.0', {
    type: 'Synchronous/HTTP',
    request: {
      method: 'POST',
      path: '/orders',
      body: { content: { id: '1', total: 3 }, contentType: 'application/json', encoded: false },
    },
    response: { status: 201, body: { content: { id: '1' }, contentType: 'application/json', encoded: false } },
  }),
  'odd.yaml': 'name: odd\n',
});
const other = createSharedFolder({ 'broken.ndjson': 'x\n', 'odd.yaml': 'name: odd\n' });
const at = (name: string): string => join(folder, name);

const run = (...words: readonly string[]): Promise<Printed> =>
  runCommand(defineCommand, [at('old.yaml'), at('new.yaml'), ...words]);

/** `kind  pointer  repair` of each place in files. */
async function listBreaks(...files: readonly string[]): Promise<readonly string[]> {
  const { text } = await run('--json', ...files.map(at));
  const { breaks } = JSON.parse(text) as {
    readonly breaks: readonly { kind: string; at: { pointer?: string; line?: number }; repair: string }[];
  };
  return breaks.map(({ kind, at: { pointer = '', line = 0 }, repair }) => `${kind} ${line} ${pointer}: ${repair}`);
}

beforeAll(async () => {
  const mock = await createMock({ spec: at('old.yaml') });
  const headers = { 'content-type': 'application/json' };
  await mock.fetch('/orders', { method: 'POST', headers, body: JSON.stringify(ORDER) });
  await mock.fetch('/orders?sort=name');
  await mock.fetch('/orders?sort=unknown');
  writeFileSync(at('calls.ndjson'), mock.journal.toNdjson());
  await mock.close();
  await runCommand(defineImport, [at('seen.har'), '--spec', at('old.yaml'), '--into', at('imported')]);
});

test.each<readonly [name: string, file: string, want: readonly string[]]>([
  [
    'fixtures',
    'fixtures',
    [
      'fixture 2 /items/0/currency: add "currency"',
      'fixture 2 /items/0/legacy: remove "legacy"',
      'fixture 2 /items/0/status: change "status": it must be one of "open", "paid"',
    ],
  ],
  ['a file of fixtures', 'valid/orders.yaml', []],
  [
    'scenarios',
    'scenarios',
    [
      'scenario 3 /operations/createOrder/0/respond/body/legacy: remove "legacy"',
      'scenario 4 /operations/getOrder: rename "getOrder" to "readOrder"',
    ],
  ],
  [
    'a HAR with an answer',
    'seen.har',
    ['HAR 0 /log/entries/0/response: add "currency"', 'HAR 0 /log/entries/0/response: remove "legacy"'],
  ],
  ['a HAR with a call', 'sorted.har', ['HAR 0 /log/entries/0/request: change "sort": it must be "age"']],
  ['a HAR of another API', 'other.har', []],
  [
    'a Pact file of version 3',
    'three.json',
    [
      'Pact 1 /interactions/0/response/body/legacy: remove "legacy"',
      'Pact 1 /interactions/1/request/body/currency: add "currency"',
      'Pact 1 /interactions/2/request: change "sort": it must be "age"',
    ],
  ],
  ['a Pact file of version 4', 'four.json', ['Pact 1 /interactions/0/request/body/content/currency: add "currency"']],
  [
    'the calls of a journal',
    'calls.ndjson',
    [
      'journal 1 /request/body/currency: add "currency"',
      'journal 1 /request/body/legacy: remove "legacy"',
      'journal 2 /request/body: change "sort": it must be "age"',
    ],
  ],
  ['handlers', 'handlers.mjs', ['handler 0 : rename "getOrder" to "readOrder"']],
])('only what the new contract refuses of %s is listed', async (_name, file, want) => {
  expect(await listBreaks(file)).toEqual(want);
});

it('lists the exchanges of a recording, with their lines', async () => {
  const found = await listBreaks('imported');
  expect(found.map((line) => line.replace(/ [1-9]\d* /u, ' LINE '))).toEqual([
    'recording LINE /response/body/currency: add "currency"',
    'recording LINE /response/body/legacy: remove "legacy"',
  ]);
});

it('lists no break of files between equal contracts', async () => {
  const files = ['fixtures', 'scenarios', 'three.json', 'calls.ndjson', 'imported', 'handlers.mjs'].map(at);
  const { text, exit } = await runCommand(defineCommand, [at('old.yaml'), at('old.yaml'), ...files]);
  expect(text).toMatch(/^Shop 1 -> Shop 1\nno changes; the new contract accepts all/);
  expect(exit).toBe(0);
});

it('counts the calls that are in neither document', async () => {
  const { text } = await run(at('other.har'));
  expect(text.split('\n')[2]).toBe('1 call in the given files matches no operation of either document');
});

it('finds all kinds of files below one folder', async () => {
  const { text } = await run('--json', folder);
  const { breaks } = JSON.parse(text) as { readonly breaks: readonly { readonly kind: string }[] };
  expect(new Set(breaks.map(({ kind }) => kind))).toEqual(
    new Set(['HAR', 'Pact', 'fixture', 'journal', 'recording', 'scenario']),
  );
});

it.each([
  ['missing.har', /^OPTION_INVALID {2}.*missing\.har {2}there is no such file or folder/],
  ['odd.yaml', /^OPTION_INVALID {2}.*odd\.yaml {2}the kind of the file is not known\n {2}hint: name a folder/],
  ['broken.ndjson', /^JOURNAL_UNREADABLE {2}.*broken\.ndjson:1 {2}/],
])('the exit code is 2 for %s', async (name, message) => {
  const { error, exit } = await run(join(other, name));
  expect(error).toMatch(message);
  expect(exit).toBe(2);
});
