import { mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Mock } from '../../src/mock/handles.js';
import { createMock } from '../../src/mock/mock.js';
import type { MockOptions } from '../../src/mock/options.js';
import type { MockReload } from '../../src/server/control/reloads.js';
import { createFolder } from '../folders.js';

export const DOCUMENT = `openapi: 3.1.0
info: { title: Books, version: '1' }
servers: [{ url: / }]
paths:
  /books:
    get:
      operationId: listBooks
      responses:
        '200':
          description: Books.
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Book' } }
    post:
      operationId: createBook
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewBook' } } }
      responses:
        '201':
          description: The book.
          content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } }
  /books/{book_id}:
    parameters: [{ name: book_id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getBook
      responses:
        '200':
          description: The book.
          content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } }
        '404': { description: No such book. }
    delete:
      operationId: deleteBook
      responses: { '204': { description: Deleted. }, '404': { description: No such book. } }
  /authors:
    $ref: './authors.yaml#/list'
components:
  schemas:
    NewBook:
      type: object
      required: [title]
      properties: { title: { type: string }, pages: { type: integer } }
    Book:
      type: object
      required: [id, title]
      properties: { id: { type: string }, title: { type: string }, pages: { type: integer } }
`;

export const FILES: Readonly<Record<string, string>> = {
  'openapi.yaml': DOCUMENT,
  'authors.yaml': `list:
  get:
    operationId: listAuthors
    responses:
      '200':
        description: Names.
        content: { application/json: { schema: { type: array, items: { type: string } }, example: [Ada] } }
`,
  'overlay.yaml': `overlay: 1.0.0
info: { title: Overlay, version: '1' }
actions:
  - target: $.info
    update: { title: Overlaid books }
`,
  'fixtures/books.yaml': `items:
  - { id: one, title: One }
  - { id: two, title: Two }
`,
  'scenarios/gone.yaml': 'operations: { getBook: { respond: { status: 404 }, times: 5 } }\n',
};

/** A folder with the files of a mock that watches them. */
export interface Project {
  readonly folder: string;
  readonly mock: Mock;
  /** Writes a file in place. */
  save(name: string, text: string): Promise<void>;
  /** Writes another file and renames it, as many editors do. */
  saveAtomically(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** The next reload that a condition holds for. */
  next(isIt?: (reload: MockReload) => boolean): Promise<MockReload>;
  /** The body of the answer to a GET. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  close(): Promise<void>;
}

/** Writes files, each to another name that is then renamed, so that nobody reads half of one. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const unfinished = join(folder, `.${name.replaceAll('/', '-')}.tmp`);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(unfinished, text);
    await rename(unfinished, join(folder, name));
  }
}

export async function openProject(
  options: Partial<MockOptions> = {},
  files: Readonly<Record<string, string>> = FILES,
): Promise<Project> {
  const folder = createFolder();
  await writeFiles(folder, files);
  const reloads: MockReload[] = [];
  const waiting: (() => void)[] = [];
  const mock = await createMock({
    spec: join(folder, 'openapi.yaml'),
    overlays: [join(folder, 'overlay.yaml')],
    fixtures: join(folder, 'fixtures'),
    scenarios: join(folder, 'scenarios'),
    onReload: (reload) => {
      reloads.push(reload);
      for (const wake of waiting.splice(0)) wake();
    },
    ...options,
  });
  const at = (name: string): string => resolve(folder, name);
  const next: Project['next'] = async (isIt = () => true) => {
    for (;;) {
      const reload = reloads.shift();
      if (reload === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
      else if (isIt(reload)) return reload;
    }
  };
  return {
    folder,
    mock,
    save: (name, text) => writeFile(at(name), text),
    saveAtomically: (name, text) => writeFiles(folder, { [name]: text }),
    remove: (name) => unlink(at(name)),
    next,
    get: async (path, headers = {}) => (await mock.fetch(path, { headers })).json(),
    close: () => mock.close(),
  };
}
