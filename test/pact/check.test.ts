import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { defineCommand } from '../../src/cli/commands/pact.js';
import { type Printed, runCommand } from '../cli/run-command.js';
import { createSharedFolder } from '../folders.js';

const SPEC = `openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters:
        - {in: path, name: id, required: true, schema: {type: string}}
        - {in: query, name: view, schema: {enum: [short, long]}}
      responses:
        200:
          description: one
          content:
            application/json:
              schema:
                type: object
                required: [id, name]
                properties: {id: {type: string}, name: {type: string}, tags: {type: array, items: {type: object, properties: {text: {type: string}}}}}
`;
const folder = createSharedFolder({ 'api.yaml': SPEC });
let count = 0;

/** Checks a Pact file with these interactions. */
async function check(request: object, response: object): Promise<Printed> {
  const interactions = [
    { request: { method: 'GET', path: '/pets/1', ...request }, response: { status: 200, ...response } },
  ];
  count += 1;
  const file = join(folder, `${count}.json`);
  writeFileSync(file, JSON.stringify({ interactions }));
  return runCommand(defineCommand, ['check', file, join(folder, 'api.yaml'), '--json']);
}

test.each<readonly [name: string, request: object, response: object, want: readonly string[]]>([
  ['a request without a body in the answer', {}, {}, []],
  ['an answer without required members', {}, { body: { name: 'Rex' } }, []],
  ['a query as text', { query: 'view=short' }, {}, []],
  ['a query as lists', { query: { view: ['long'] } }, {}, []],
  ['a wrong query as text', { query: 'view=wide' }, {}, ['change "view": it must be one of "short", "long"']],
  ['an unknown path', { path: '/cats/1' }, {}, ['send it to /pets/{id}']],
  ['a wrong method', { method: 'PUT' }, {}, ['send it to GET, HEAD']],
  ['an undeclared status', {}, { status: 201 }, ['answer with one of 200']],
  ['a member of another type', {}, { body: { name: 7 } }, ['change "name": it must be a string']],
  ['an undeclared member', {}, { body: { name: 'Rex', age: 3 } }, ['remove "age"']],
  ['an undeclared member in a list', {}, { body: { tags: [{ text: 'a', size: 1 }] } }, ['remove "size"']],
  ['an undeclared media type', {}, { headers: { 'Content-Type': 'text/csv' }, body: 'a,b' }, ['use application/json']],
])('vouch pact check reads %s', async (_name, request, response, want) => {
  const { text, exit } = await check(request, response);
  const { breaks } = JSON.parse(text) as { readonly breaks: readonly { readonly repair: string }[] };
  expect(breaks.map(({ repair }) => repair)).toEqual(want);
  expect(exit).toBe(want.length === 0 ? 0 : 1);
});

it('vouch pact check prints each place as text', async () => {
  const { error: _, ...printed } = await check({}, { body: { age: 3 } });
  expect(printed.text).toContain('"pointer": "/interactions/0/response/body/age"');
  const words = ['check', join(folder, `${count}.json`), join(folder, 'api.yaml')];
  const { text } = await runCommand(defineCommand, words);
  expect(text).toMatch(/\.json with Pets 1: 1 place\n {2}Pact .*: GET \/pets\/1: the client expects "age"/);
});

it.each([
  ['another file', 'api.yaml', /^OPTION_INVALID {2}.*api\.yaml {2}the file is not a Pact file/],
  ['a missing file', 'none.json', /^OPTION_INVALID {2}.*none\.json {2}the file cannot be read/],
])('vouch pact check refuses %s', async (_name, file, message) => {
  const words = ['check', join(folder, file), join(folder, 'api.yaml')];
  await expect(runCommand(defineCommand, words)).rejects.toThrow(message);
});

it('vouch pact still requires its flags', async () => {
  await expect(runCommand(defineCommand, [join(folder, 'api.yaml')])).rejects.toThrow(
    "required option '--journal' not specified",
  );
});
