// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MockReload } from '../../src/server/control/reloads.js';
import { createFolder } from '../folders.js';
import { DOCUMENT, FILES, openProject, type Project, writeFiles } from './project.js';

let project: Project;

beforeEach(async () => {
  project = await openProject();
});

afterEach(() => project.close());

/** Creates the state that a reload has to keep: items of two sessions, a moved clock, a journal, a scenario that counted. */
async function use({ mock }: Project): Promise<string> {
  const body = JSON.stringify({ title: 'Mine' });
  const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  const created = (await (await mock.fetch('/books', post)).json()) as { readonly id: string };
  mock.session('other').state.collection('books').add({ id: 'three', title: 'Three' });
  mock.clock.advance(60_000);
  mock.scenarios.activate('gone');
  await mock.fetch('/books/one');
  return created.id;
}

/** What a reload keeps, whatever was edited. */
function readKept({ mock }: Project, id: string): unknown {
  const [, ...rules] = mock.scenarios
    .list()
    .flatMap(({ id: name, rules: all }) => [name, ...all.map(({ hits }) => hits)]);
  return {
    created: mock.state.collection('books').get(id)?.['title'],
    other: mock.session('other').state.collection('books').get('three')?.['title'],
    time: new Date(mock.clock.now()).toISOString(),
    journal: mock.journal.interactions.filter(({ number }) => number <= 2).map(({ operation }) => operation),
    active: mock.scenarios.active,
    hits: rules[0],
  };
}

const KEPT = {
  created: 'Mine',
  other: 'Three',
  time: '2026-01-01T00:01:00.000Z',
  journal: ['createBook', 'getBook'],
  active: ['gone'],
  hits: 1,
};

const edit = (from: string, to: string, text = DOCUMENT): string => {
  if (!text.includes(from)) throw new Error(`there is no ${from}`);
  return text.replace(from, to);
};

type Change = (project: Project) => Promise<void>;
type Check = (project: Project) => unknown;

const save =
  (name: string, text: string): Change =>
  ({ save: write }) =>
    write(name, text);
const saveAtomically =
  (name: string, text: string): Change =>
  ({ saveAtomically: write }) =>
    write(name, text);
const fixture = FILES['fixtures/books.yaml'] ?? '';
const titles: Check = ({ mock }) => mock.state.collection('books').items.map(({ title }) => title);

describe('an edit applies to the next request, and keeps sessions, items, clock, journal and counters:', () => {
  const cases: readonly (readonly [what: string, change: Change, check: Check, want: unknown])[] = [
    [
      'the document, in place: another example',
      save('authors.yaml', (FILES['authors.yaml'] ?? '').replace('[Ada]', '[Grace]')),
      ({ get }) => get('/authors'),
      ['Grace'],
    ],
    [
      'the document, atomically: a new operation',
      saveAtomically(
        'openapi.yaml',
        edit(
          '  /authors:',
          "  /ping: { get: { operationId: ping, responses: { '204': { description: Up. } } } }\n  /authors:",
        ),
      ),
      async ({ mock }) => (await mock.fetch('/ping')).status,
      204,
    ],
    [
      'the document: an operation is removed',
      save('openapi.yaml', edit("  /authors:\n    $ref: './authors.yaml#/list'\n", '')),
      async ({ mock }) => (await mock.fetch('/authors')).status,
      404,
    ],
    [
      'the document: a stricter request',
      saveAtomically('openapi.yaml', edit('required: [title]', 'required: [title, pages]')),
      async ({ mock }) =>
        (
          await mock.fetch('/books', {
            method: 'POST',
            body: '{"title":"x"}',
            headers: { 'content-type': 'application/json' },
          })
        ).status,
      400,
    ],
    [
      'the document: its base path',
      saveAtomically('openapi.yaml', edit('url: /', 'url: /v2')),
      async ({ mock }) => [mock.contract.operations[0]?.basePaths, (await mock.fetch('/v2/books')).status],
      [['/v2', ''], 200],
    ],
    [
      'a file that it refers to, deleted and created again',
      async ({ remove, save: write }) => {
        await remove('authors.yaml');
        await write('authors.yaml', (FILES['authors.yaml'] ?? '').replace('[Ada]', '[Mary]'));
      },
      ({ get }) => get('/authors'),
      ['Mary'],
    ],
    [
      'a file that it did not refer to before',
      async ({ save: write }) => {
        await write('more.yaml', FILES['authors.yaml']?.replace('[Ada]', '[Edith]') ?? '');
        await write('openapi.yaml', edit('./authors.yaml', './more.yaml'));
      },
      ({ get }) => get('/authors'),
      ['Edith'],
    ],
    [
      'an overlay',
      save('overlay.yaml', (FILES['overlay.yaml'] ?? '').replace('Overlaid', 'Changed')),
      ({ mock }) => mock.contract.title,
      'Changed books',
    ],
    [
      'a fixture: an item is changed',
      save('fixtures/books.yaml', fixture.replace('title: One', 'title: First')),
      titles,
      ['First', 'Two', 'Mine'],
    ],
    [
      'a fixture: an item is added',
      saveAtomically('fixtures/books.yaml', `${fixture}  - { id: zero, title: Zero }\n`),
      titles,
      ['One', 'Two', 'Mine', 'Zero'],
    ],
    [
      'a fixture: an item is removed',
      save('fixtures/books.yaml', 'items:\n  - { id: two, title: Two }\n'),
      titles,
      ['Two', 'Mine'],
    ],
    [
      'a fixture: an item is changed that a client has changed',
      async ({ mock, save: write }) => {
        mock.state.collection('books').update('one', { title: 'Edited' });
        await write('fixtures/books.yaml', fixture.replace('title: One', 'title: First'));
      },
      titles,
      ['Edited', 'Two', 'Mine'],
    ],
    [
      'a fixture: an item is changed that a client has removed',
      async ({ mock, save: write }) => {
        mock.state.collection('books').remove('one');
        await write('fixtures/books.yaml', fixture.replace('title: One', 'title: First'));
      },
      titles,
      ['Two', 'Mine'],
    ],
    [
      'a scenario, which stays active',
      save('scenarios/gone.yaml', 'operations: { getBook: { respond: { status: 200, body: { id: x, title: X } } } }\n'),
      ({ get }) => get('/books/one', { 'x-mock-session': 'new' }),
      { id: 'x', title: 'X' },
    ],
    [
      'a scenario, atomically: a new file',
      saveAtomically('scenarios/slow.yaml', 'description: Slow.\n'),
      ({ mock }) => mock.scenarios.ids,
      ['gone', 'slow'],
    ],
    [
      'the document and a scenario for its new operation',
      async ({ save: write }) => {
        await write('scenarios/ping.yaml', 'operations: { ping: { respond: { status: 503 } } }\n');
        await write(
          'openapi.yaml',
          edit(
            '  /authors:',
            "  /ping: { get: { operationId: ping, responses: { '204': { description: Up. }, '503': { description: Down. } } } }\n  /authors:",
          ),
        );
      },
      async ({ mock }) => (await mock.fetch('/ping', { headers: { 'x-mock-scenario': 'ping' } })).status,
      503,
    ],
  ];

  it.each(cases)('%s', async (_what, change, check, want) => {
    const id = await use(project);
    await change(project);
    const reload = await project.next(({ error }) => error === undefined);
    expect([reload.applied, reload.kept]).toEqual([true, []]);
    expect(await check(project)).toEqual(want);
    expect(readKept(project, id)).toEqual(KEPT);
  });
});

describe('what cannot be kept is repaired or dropped, and said:', () => {
  const cases: readonly (readonly [what: string, files: Readonly<Record<string, string>>, notes: readonly string[]])[] =
    [
      [
        'an item without a valid value for a property',
        {
          'openapi.yaml': edit(
            'properties: { id: { type: string }, title: { type: string }',
            'properties: { id: { type: string }, title: { enum: [One, Two] }',
          ),
        },
        [expect.stringMatching(/^repaired books\/\S+: \/title: /) as string],
      ],
      [
        'an item whose id is not valid any more',
        { 'openapi.yaml': edit('properties: { id: { type: string }', 'properties: { id: { enum: [one, two] }') },
        [
          expect.stringMatching(/^dropped books\/\S+: \/id: /) as string,
          expect.stringMatching(/^session other: dropped books\/three: \/id: /) as string,
        ],
      ],
    ];

  it.each(cases)('%s', async (_what, files, notes) => {
    await use(project);
    project.mock.session('other').state.collection('books').update('three', { title: 'One' });
    await writeFiles(project.folder, files);
    const reload = await project.next(({ error }) => error === undefined);
    expect([reload.error, reload.notes]).toEqual([undefined, notes]);
  });

  it('a handler of an operation that is gone', async () => {
    project.mock.use({ listAuthors: () => ['Nobody'], listBooks: () => [] });
    await project.saveAtomically('openapi.yaml', edit("  /authors:\n    $ref: './authors.yaml#/list'\n", ''));
    const { notes } = await project.next();
    expect(notes).toEqual(['dropped the handlers of listAuthors, which is not an operation any more']);
    expect(await project.get('/books')).toEqual([]);
  });
});

describe('an invalid edit keeps the last valid version, and every response says so until it is corrected:', () => {
  const cases: readonly (readonly [what: string, change: Change, header: string, correct: Change])[] = [
    [
      'a document that is not YAML',
      save('openapi.yaml', 'openapi: [3.1.0\n'),
      'SPEC_INVALID openapi.yaml:2:1 the file is neither valid JSON nor valid YAML: ',
      save('openapi.yaml', DOCUMENT),
    ],
    [
      'an empty document',
      saveAtomically('openapi.yaml', ''),
      'SPEC_INVALID openapi.yaml the file is empty',
      saveAtomically('openapi.yaml', DOCUMENT),
    ],
    [
      'a document that is deleted',
      ({ remove }) => remove('openapi.yaml'),
      'SPEC_NOT_FOUND openapi.yaml the file "openapi.yaml" does not exist',
      save('openapi.yaml', DOCUMENT),
    ],
    [
      'a reference to nothing',
      save(
        'openapi.yaml',
        edit("items: { $ref: '#/components/schemas/Book' }", "items: { $ref: '#/components/schemas/Bok' }"),
      ),
      'SPEC_INVALID openapi.yaml:13:47 (#/paths/~1books/get/responses/200/content/application~1json/schema/items/$ref) ',
      save('openapi.yaml', DOCUMENT),
    ],
    [
      'a file that the document refers to, which is not YAML',
      save('authors.yaml', 'list: ['),
      'SPEC_INVALID openapi.yaml:',
      save('authors.yaml', FILES['authors.yaml'] ?? ''),
    ],
    [
      'a new reference to a file with a mistake, which is corrected in that file',
      async ({ save: write }) => {
        await write('more.yaml', 'list: [');
        await write('openapi.yaml', edit('./authors.yaml', './more.yaml'));
      },
      'SPEC_INVALID openapi.yaml:',
      save('more.yaml', FILES['authors.yaml'] ?? ''),
    ],
    [
      'an overlay that is not valid',
      save('overlay.yaml', 'overlay: 1.0.0\nactions: 5\n'),
      'OVERLAY_INVALID overlay.yaml',
      save('overlay.yaml', FILES['overlay.yaml'] ?? ''),
    ],
    [
      'a fixture that does not match the schema',
      save('fixtures/books.yaml', 'items: [{ id: one, title: 5 }]\n'),
      'FIXTURE_INVALID fixtures/books.yaml:1:',
      save('fixtures/books.yaml', fixture),
    ],
    [
      'a document that its fixtures do not match',
      save('openapi.yaml', edit('required: [id, title]', 'required: [id, title, isbn]')),
      'FIXTURE_INVALID 2 mistakes in fixtures: FIXTURE_INVALID fixtures/books.yaml:2:5 ',
      save('openapi.yaml', DOCUMENT),
    ],
    [
      'a document without an operation that a scenario names',
      save('openapi.yaml', edit('operationId: getBook', 'operationId: readBook')),
      'SCENARIO_INVALID scenarios/gone.yaml:1:15 ',
      save('openapi.yaml', DOCUMENT),
    ],
    [
      'a scenario with a mistake',
      save('scenarios/gone.yaml', 'operations: { getBok: { respond: { status: 404 } } }\n'),
      'SCENARIO_INVALID scenarios/gone.yaml:1:15 ',
      save('scenarios/gone.yaml', FILES['scenarios/gone.yaml'] ?? ''),
    ],
  ];

  it.each(cases)('%s', async (_what, change, header, correct) => {
    const id = await use(project);
    await change(project);
    // A watcher that looks between the truncation and the write of a file reports an empty one first.
    const isMeant = ({ error }: MockReload): boolean =>
      error !== undefined && (header.includes('is empty') || !error.message.includes('is empty'));
    const failed = await project.next(isMeant);
    const response = await project.mock.fetch('/books/one');
    const shown = response.headers.get('x-mock-reload-error') ?? '';
    expect(shown.replaceAll(new RegExp(`[^ "]*${basename(project.folder)}/`, 'g'), '')).toContain(header);
    // The scenario still applies, and the items are still there.
    expect(response.status).toBe(404);
    expect(readKept(project, id)).toEqual({ ...KEPT, hits: 2 });
    expect(failed.error?.toString()).toContain(header.split(' ')[0]);
    await correct(project);
    await project.next(({ error }) => error === undefined);
    expect((await project.mock.fetch('/books')).headers.has('x-mock-reload-error')).toBe(false);
    expect(readKept(project, id)).toEqual({ ...KEPT, hits: 2 });
  });
});

it('a request in flight finishes on its own version', async () => {
  let release: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (release = resolve));
  let entered: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => (entered = resolve));
  project.mock.use({
    listAuthors: async ({ next }) => {
      entered();
      await waiting;
      return next();
    },
  });
  const answer = project.get('/authors');
  await inside;
  await project.saveAtomically('authors.yaml', (FILES['authors.yaml'] ?? '').replace('[Ada]', '[Grace]'));
  await project.next();
  project.mock.resetHandlers();
  expect(await project.get('/authors')).toEqual(['Grace']);
  release();
  expect(await answer).toEqual(['Ada']);
});

it('without watch nothing is reloaded until reload is called, which returns what was done', async () => {
  const still = await openProject({ watch: false });
  await still.save('authors.yaml', (FILES['authors.yaml'] ?? '').replace('[Ada]', '[Grace]'));
  expect(await still.get('/authors')).toEqual(['Ada']);
  expect(await (await still.mock.fetch('/__mock/reload')).json()).toEqual({ watching: false, last: null });
  const { applied, changed, error, notes } = await still.mock.reload();
  expect({ applied, changed, error, notes }).toEqual({ applied: true, changed: [], error: undefined, notes: [] });
  expect(await still.get('/authors')).toEqual(['Grace']);
  await rm(join(still.folder, 'openapi.yaml'));
  expect((await still.mock.reload()).error?.code).toBe('SPEC_NOT_FOUND');
  await still.close();
});

it('the same mistake is reported once, and the event stream of the control API has an event for each reload', async () => {
  const stream = await project.mock.fetch('/__mock/journal/stream');
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let events = '';
  const readUntil = async (text: string): Promise<void> => {
    while (!events.includes(text)) events += (await reader?.read())?.value ?? '';
  };
  await project.saveAtomically('openapi.yaml', 'openapi: [');
  const first = await project.next();
  await readUntil('"applied":false');
  expect(events).toContain('event: reload\ndata: {"watching":true,"last":{"changed":["');
  events = '';
  await project.saveAtomically('overlay.yaml', `${FILES['overlay.yaml']}\n`);
  await readUntil('"applied":false');
  await project.saveAtomically('openapi.yaml', DOCUMENT);
  const second = await project.next();
  expect([first.error?.code, second.error]).toEqual(['SPEC_INVALID', undefined]);
  await reader?.cancel();
});

it('a scenario is removed and deactivated with its file, and one that was passed as an object stays', async () => {
  const { mock, remove, next } = project;
  mock.scenarios.add('mine', { description: 'Mine.' });
  mock.scenarios.activate('gone', 'mine');
  await remove('scenarios/gone.yaml');
  await next();
  expect([mock.scenarios.ids, mock.scenarios.active]).toEqual([['mine'], ['mine']]);
});

it('scenarios.onReload is called, and the next call is answered by the edited file', async () => {
  const folder = createFolder({ 'a.yaml': 'description: Nothing.' });
  let tell: (loaded: readonly string[]) => void = () => undefined;
  const told = new Promise<readonly string[]>((resolve) => (tell = resolve));
  const own = await openProject({ scenarios: { from: folder, active: 'a', onReload: ({ loaded }) => tell(loaded) } });
  await own.save(join(folder, 'a.yaml'), 'operations: { getBook: { respond: { status: 404 } } }');
  expect(await told).toEqual(['a']);
  expect((await own.mock.fetch('/books/one')).status).toBe(404);
  expect(own.mock.scenarios.list()[0]?.active).toBe('session');
  await own.close();
});

it('an editor that empties a file before it writes it causes one reload, with the new text', async () => {
  await project.save('replacement.yaml', edit('Books', 'More books'));
  const script = ': > openapi.yaml; sleep 0.2; cat replacement.yaml > openapi.yaml';
  const editor = spawn('sh', ['-c', script], { cwd: project.folder });
  const [reload] = await Promise.all([project.next(), once(editor, 'close')]);
  expect(reload.error).toBeUndefined();
  expect((await project.mock.reload()).applied).toBe(true);
  expect(project.mock.contract.document['info']).toMatchObject({ title: 'Overlaid books' });
});

it('a file that stays empty is a mistake', async () => {
  await project.save('openapi.yaml', '');
  const { error } = await project.next();
  expect(error?.at?.file).toContain('openapi.yaml');
});
