/* oxlint-disable unicorn/no-thenable -- `then` is a key of a rule */
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import type { ScenarioDefinition } from '../../src/features/scenario/definition/definition.js';
import { TEXT, object, INTEGER, content, arrayOf, pathParameter, toDocument } from '../document-parts.js';

const DETAILS = object({ colour: TEXT, note: { type: ['string', 'null'] } }, 'colour', 'note');

const BOOK = object(
  { id: TEXT, title: TEXT, pages: INTEGER, review: { type: ['string', 'null'] }, details: DETAILS },
  'id',
  'title',
  'review',
);

const SHELF = object({ id: TEXT, room: TEXT }, 'id');

const json = (schema: object): object => ({ description: '', content: content(schema) });
const list = (schema: object): object => ({ responses: { 200: json(arrayOf(schema)) } });
const byId = (name: string): object => ({ parameters: [pathParameter(name)] });

/** Requests can add books, but not shelves. */
const LIBRARY = toDocument({
  '/books': {
    get: { operationId: 'listBooks', ...list(BOOK) },
    post: {
      operationId: 'createBook',
      requestBody: json(object({ title: TEXT, pages: INTEGER })),
      responses: { 201: json(BOOK) },
    },
  },
  '/books/{book_id}': {
    ...byId('book_id'),
    get: { operationId: 'readBook', responses: { 200: json(BOOK), 404: { description: '' } } },
  },
  '/books/{book_id}/borrow': {
    ...byId('book_id'),
    post: {
      operationId: 'borrow',
      requestBody: json(object({ pages: INTEGER })),
      responses: { 204: { description: '' } },
    },
  },
  '/shelves': { get: { operationId: 'listShelves', ...list(SHELF) } },
  '/shelves/{shelf_id}': {
    ...byId('shelf_id'),
    get: { operationId: 'readShelf', responses: { 200: json(SHELF), 404: { description: '' } } },
  },
});

const FIXTURES = {
  books: [
    { id: 'book_one', title: 'One', review: 'good', details: { colour: 'red', note: 'new' } },
    { id: 'book_two', title: 'Two', review: 'bad' },
  ],
  shelves: [{ id: 'north' }, { id: 'south' }],
};

async function open(from: Readonly<Record<string, ScenarioDefinition>>, active?: string): Promise<Mock> {
  const scenarios = { from, ...(active === undefined ? {} : { active }) };
  return createMock({ spec: LIBRARY, fixtures: FIXTURES, scenarios });
}

async function read(mock: Mock, path: string): Promise<unknown> {
  return (await mock.fetch(path)).json();
}

const lastNotes = (mock: Mock): readonly string[] =>
  (mock.journal.interactions.at(-1)?.trace ?? []).filter((line) => line.includes('#/scenarios'));

const borrow = (pages = 3): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ pages }),
});

const BORROWED: ScenarioDefinition = {
  operations: {
    borrow: {
      then: { books: { update: { '$request.path.book_id': { pages: '$request.body#/pages', title: 'Lent' } } } },
    },
  },
};

describe('an update whose id is an expression', () => {
  it('changes the item that the request names, with values of the request', async () => {
    const mock = await open({ a: BORROWED }, 'a');
    await mock.fetch('/books/book_two/borrow', borrow(7));
    expect(await read(mock, '/books/book_two')).toEqual({ id: 'book_two', title: 'Lent', review: 'bad', pages: 7 });
    expect(await read(mock, '/books/book_one')).toEqual(FIXTURES.books[0]);
  });

  it('can be a string with an expression in braces', async () => {
    const update = { 'book_{$vars.name}': { title: 'Named' } };
    const mock = await open(
      { a: { vars: { name: 'one' }, operations: { listBooks: { then: { books: { update } } } } } },
      'a',
    );
    await mock.fetch('/books');
    expect(await read(mock, '/books/book_one')).toMatchObject({ title: 'Named' });
  });

  it('notes in the trace that no item has the id, with the nearest one', async () => {
    const mock = await open({ a: BORROWED }, 'a');
    expect((await mock.fetch('/books/book_on/borrow', borrow())).status).toBe(204);
    const pointer = '#/scenarios/a/operations/borrow/then/books/update/$request.path.book_id';
    expect(lastNotes(mock)).toContain(
      `scenario: ${pointer}  "books" has no item "book_on" to update; did you mean "book_one"?`,
    );
  });

  it('notes that the expression has no value', async () => {
    const update = { '$request.query.name': { title: 'Named' } };
    const mock = await open({ a: { operations: { '*': { then: { books: { update } } } } } }, 'a');
    await mock.fetch('/books');
    const pointer = '#/scenarios/a/operations/*/then/books/update/$request.query.name';
    expect(lastNotes(mock)).toContain(`scenario: ${pointer}  the id of the item of "books" to update has no value`);
  });
});

describe('a change of an item that does not exist', () => {
  it('is noted when a rule removes an item again', async () => {
    const rule = { then: { books: { remove: ['book_two'] } } };
    const mock = await open({ a: { operations: { listBooks: rule } } }, 'a');
    await mock.fetch('/books');
    expect(lastNotes(mock).filter((line) => line.includes('to remove'))).toEqual([]);
    await mock.fetch('/books');
    const pointer = '#/scenarios/a/operations/listBooks/then/books/remove/0';
    expect(lastNotes(mock)).toContain(
      `scenario: ${pointer}  "books" has no item "book_two" to remove; its ids are book_one`,
    );
  });

  it('is noted in the trace of the next call, if a scenario was activated', async () => {
    const mock = await open({ a: { state: { books: { update: { b9: { title: 'Nine' } } } } } });
    mock.scenarios.activate('a');
    await mock.fetch('/shelves');
    const line =
      'scenario: #/scenarios/a/state/books/update/b9  "books" has no item "b9" to update; its ids are book_one, book_two';
    expect(lastNotes(mock)).toEqual([line]);
    await mock.fetch('/shelves');
    expect(lastNotes(mock)).toEqual([]);
  });

  const state = (shelves: object): Readonly<Record<string, ScenarioDefinition>> => ({ a: { state: { shelves } } });
  const cases: readonly (readonly [name: string, from: Readonly<Record<string, ScenarioDefinition>>, want: string])[] =
    [
      [
        'an update',
        state({ update: { nrth: { room: 'A' } } }),
        `SCENARIO_INVALID  #/scenarios/a/state/shelves/update/nrth  "shelves" has no item "nrth", and neither a request nor a scenario adds it
  hint: did you mean "north"?`,
      ],
      [
        'a removal in a rule',
        { a: { operations: { readShelf: { then: { shelves: { remove: ['west'] } } } } } },
        `SCENARIO_INVALID  #/scenarios/a/operations/readShelf/then/shelves/remove/0  "shelves" has no item "west", and neither a request nor a scenario adds it
  hint: its ids are north, south`,
      ],
      [
        'an id that is not a valid expression',
        state({ update: { '$request.foo.x': { room: 'A' } } }),
        `SCENARIO_INVALID  #/scenarios/a/state/shelves/update/$request.foo.x  "$request.foo.x" is not a valid runtime expression
  hint: write $request.path.<name>, $request.query.<name>, $request.header.<name>, $request.body#/<field> or $vars.<name>`,
      ],
      [
        'an expression of an undeclared parameter',
        { a: { operations: { readShelf: { then: { shelves: { update: { '$request.path.id': { room: 'A' } } } } } } } },
        `SCENARIO_INVALID  #/scenarios/a/operations/readShelf/then/shelves/update/$request.path.id  path parameter "id" is not declared for "readShelf"
  hint: path parameters: shelf_id`,
      ],
    ];

  it.each(cases)('is a mistake where only fixtures and scenarios add items: %s', async (_name, from, want) => {
    await expect(open(from)).rejects.toMatchObject({ message: want });
  });

  it.each([
    [
      'a scenario adds it',
      {
        a: { state: { shelves: { update: { west: { room: 'A' } } } } },
        b: { state: { shelves: { add: [{ id: 'west' }] } } },
      },
    ],
    ['a scenario generates items', { a: { state: { shelves: { generate: 2, remove: ['west'] } } } }],
    ['a request can add it', { a: { state: { books: { remove: ['b9'] } } } }],
  ])('is accepted where %s', async (_name, from: Readonly<Record<string, ScenarioDefinition>>) => {
    await expect(open(from)).resolves.toBeDefined();
  });
});

describe('null in a merge patch', () => {
  it('is the value of a required member that can be null', async () => {
    const update = { book_one: { review: null, details: { note: null } }, book_two: { pages: null } };
    const mock = await open({ a: { state: { books: { update } } } }, 'a');
    expect(await read(mock, '/books/book_one')).toMatchObject({ review: null, details: { colour: 'red', note: null } });
    const patched = await open(
      { a: { operations: { readBook: { patch: { body: { review: null, details: null } } } } } },
      'a',
    );
    expect(await read(patched, '/books/book_one')).toEqual({ id: 'book_one', title: 'One', review: null });
  });

  it('is a mistake for a required member that is never null', async () => {
    await expect(open({ a: { state: { books: { update: { book_one: { title: null } } } } } })).rejects.toMatchObject({
      message:
        'SCENARIO_INVALID  #/scenarios/a/state/books/update/book_one/title  an item of books removes "title", which the schema requires',
    });
  });
});
