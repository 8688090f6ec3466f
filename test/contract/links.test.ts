// Files that someone else wrote must not read other files through symbolic links.
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMock, loadContract } from '../../src/index.js';
import { createFolder } from '../folders.js';

const SPEC = `openapi: 3.1.0
info: { title: t, version: '1' }
paths:
  /books:
    get:
      operationId: listBooks
      responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: 'book.yaml' } } } } } }
    post:
      operationId: createBook
      responses: { '201': { description: ok, content: { application/json: { schema: { $ref: 'book.yaml' } } } } }
  /books/{id}:
    get:
      operationId: readBook
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: 'book.yaml' } } } } }
`;
const BOOK = 'type: object\nrequired: [id]\nproperties: { id: { type: string }, token: { type: string } }\n';
const SECRET = 'sk_live_51Habcdefghijklmnop';

const FILES = {
  'api/openapi.yaml': SPEC,
  'api/book.yaml': BOOK,
  'api/fixtures/books.yaml': '- { id: b1 }\n',
  'api/scenarios/empty.yaml': 'description: Nothing.\n',
  'other/secret.yaml': `${SECRET}\n`,
  'other/book.yaml': BOOK,
};

/** The files of a mock, with one of them moved elsewhere and a link in its place. */
function createFolderWithLink(file: string, target: string): string {
  const folder = createFolder(FILES);
  renameSync(join(folder, file), join(folder, 'other/moved'));
  symlinkSync(target, join(folder, file));
  return join(folder, 'api');
}

const open = (folder: string): ReturnType<typeof createMock> =>
  createMock({
    spec: join(folder, 'openapi.yaml'),
    fixtures: join(folder, 'fixtures'),
    scenarios: join(folder, 'scenarios'),
  });

it.each([
  ['fixtures', 'api/fixtures/books.yaml', '../../other/secret.yaml', 'FIXTURE_UNREADABLE'],
  ['scenarios', 'api/scenarios/empty.yaml', '../../other/secret.yaml', 'SCENARIO_UNREADABLE'],
])('a link in %s that leads out of the folder is refused, without its content', async (_name, file, target, code) => {
  const error = await open(createFolderWithLink(file, target)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code });
  expect(String(error)).toContain('a symbolic link');
  expect(JSON.stringify(error) + String(error)).not.toContain(SECRET.slice(0, 7));
});

it('a link in place of the content of an item is a mistake', async () => {
  const folder = createFolder({
    ...FILES,
    'api/fixtures/books.yaml': '- { id: b1, $content: { path: ./note.txt } }\n',
  });
  symlinkSync('../../other/secret.yaml', join(folder, 'api/fixtures/note.txt'));
  const error = await open(join(folder, 'api')).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'FIXTURE_INVALID' });
  expect(String(error)).toContain('must not be a symbolic link to another folder');
});

it('a link to a file of a document that leads out of its folder is not read', async () => {
  const folder = createFolderWithLink('api/book.yaml', '../other/secret.yaml');
  const error = await loadContract(join(folder, 'openapi.yaml')).catch((thrown: unknown) => thrown);
  const texts = String(error) + JSON.stringify(error);
  expect(texts).toContain('symbolic link');
  expect(texts).not.toContain(SECRET.slice(0, 7));
});

it('links inside of the folder, the folder itself as a link, and paths that name another folder are read', async () => {
  const folder = createFolderWithLink('api/book.yaml', 'fixtures/../parts/book.yaml');
  mkdirSync(join(folder, 'parts'));
  renameSync(join(folder, '../other/moved'), join(folder, 'parts/book.yaml'));
  symlinkSync(folder, join(folder, '../linked'));
  const mock = await open(join(folder, '../linked'));
  expect(await (await mock.fetch('/books/b1')).json()).toMatchObject({ id: 'b1' });
  await mock.close();
  const named = createFolder({ ...FILES, 'api/openapi.yaml': SPEC.replaceAll('book.yaml', '../other/book.yaml') });
  const contract = await loadContract(join(named, 'api/openapi.yaml'));
  expect(contract.problems).toEqual([]);
});
