import { describe, expect, it } from 'vitest';
import { createMock, type Handlers, type Mock, MockError } from '../../src/index.js';
import type { MockOptions } from '../../src/mock/options.js';
import { LIBRARY } from '../scenario/library.js';

async function createLibrary(handlers: Handlers, more: Partial<MockOptions> = {}): Promise<Mock> {
  return createMock({ spec: LIBRARY, fixtures: { books: [{ id: 'b1', title: 'One' }] }, handlers, ...more });
}

async function ask(
  mock: Mock,
  path: string,
  init?: RequestInit,
): Promise<{ readonly status: number; readonly source: string | null; readonly body: unknown }> {
  const response = await mock.fetch(`${path}?api_key=k`, init);
  const text = await response.text();
  return {
    status: response.status,
    source: response.headers.get('x-mock-source'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

describe('a handler', () => {
  it('answers its operation, and no other', async () => {
    const mock = await createLibrary({
      readBook: ({ call, json }) => json({ id: call.path['book_id'], title: 'Mine' }),
    });
    expect(await ask(mock, '/books/b9')).toEqual({ status: 200, source: 'handler', body: { id: 'b9', title: 'Mine' } });
    expect((await ask(mock, '/books')).source).toBe('state');
  });

  it('may be named by its route', async () => {
    const mock = await createLibrary({ 'DELETE /books/{book_id}': ({ empty }) => empty() });
    expect(await ask(mock, '/books/b9', { method: 'DELETE' })).toEqual({
      status: 204,
      source: 'handler',
      body: undefined,
    });
  });

  it('changes what the mock would answer', async () => {
    const mock = await createLibrary({
      listBooks: async ({ next }) => {
        const below = await next();
        return below && { ...below, body: { ...(below.body as object), has_more: true } };
      },
    });
    expect((await ask(mock, '/books')).body).toEqual({ data: [{ id: 'b1', title: 'One' }], has_more: true });
  });

  it('gets a body of its own, so that changing it changes no item', async () => {
    const mock = await createLibrary({
      listBooks: async ({ next }) => {
        const below = await next();
        const body = below?.body as { readonly data: { title: string }[] } | undefined;
        for (const book of body?.data ?? []) book.title = 'Changed';
        return below;
      },
    });
    expect((await ask(mock, '/books')).body).toMatchObject({ data: [{ id: 'b1', title: 'Changed' }] });
    expect((await ask(mock, '/books/b1')).body).toEqual({ id: 'b1', title: 'One' });
  });

  it('reads the headers of the call without regard to case', async () => {
    const mock = await createLibrary({
      readBook: ({ call, json }) => json({ id: 'b1', title: call.headers.get('X-Title') }),
    });
    expect((await ask(mock, '/books/b1', { headers: { 'x-title': 'Sent' } })).body).toEqual({
      id: 'b1',
      title: 'Sent',
    });
  });

  it('reads and writes the collections of the session it was called in', async () => {
    const mock = await createLibrary({
      createBook: ({ call, state, json }) =>
        json(state.collection('books').add({ ...(call.body as object), id: 'made' })),
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"New"}' };
    expect((await ask(mock, '/books', init)).status).toBe(201);
    expect((await ask(mock, '/books/made')).body).toMatchObject({ id: 'made', title: 'New' });
    expect((await mock.session('other').fetch('/books/made?api_key=k')).status).toBe(404);
  });

  it('may leave out what the schema can complete', async () => {
    const mock = await createLibrary({ readBook: ({ complete }) => complete({ title: 'Half' }) });
    expect((await ask(mock, '/books/b7')).body).toEqual({ id: expect.any(String), title: 'Half' });
  });

  it('answers errors in the shape of the contract', async () => {
    const mock = await createLibrary({ readBook: ({ error }) => error(404, 'no such book', { code: 'gone' }) });
    expect(await ask(mock, '/books/b7')).toMatchObject({
      status: 404,
      body: { error: { message: 'no such book', code: 'gone' } },
    });
  });

  it('may return a Response', async () => {
    const mock = await createLibrary({
      readBook: () =>
        Response.json({ id: 'r', title: 'Response' }, { headers: { 'x-shelf': 'north', 'set-cookie': 'a=b' } }),
    });
    const response = await mock.fetch('/books/r?api_key=k');
    expect([response.headers.get('x-shelf'), response.headers.getSetCookie(), await response.json()]).toEqual([
      'north',
      ['a=b'],
      { id: 'r', title: 'Response' },
    ]);
  });

  it('that throws is a 500 that says so, and its stack is in the trace', async () => {
    const mock = await createLibrary({
      readBook: () => {
        throw new Error('out of ink');
      },
    });
    const { status, body } = await ask(mock, '/books/b7');
    expect([status, JSON.stringify(body)]).toEqual([
      500,
      expect.stringContaining('the handler of readBook failed: out of ink'),
    ]);
    expect(mock.journal.last()?.trace.join('\n')).toMatch(/handler: Error: out of ink\n\s+at /);
  });

  it('comes after scenarios', async () => {
    const mock = await createLibrary(
      { listBooks: ({ json }) => json({ data: [], has_more: true }) },
      {
        scenarios: {
          from: { limited: { operations: { listBooks: { times: 1, respond: { status: 429 } } } } },
          active: 'limited',
        },
      },
    );
    expect([(await ask(mock, '/books')).status, (await ask(mock, '/books')).source]).toEqual([429, 'handler']);
  });
});

describe('a wrong handler stops the start', () => {
  const nothing = (): undefined => undefined;
  const cases: readonly (readonly [string, Handlers, string, string])[] = [
    [
      'an unknown operation',
      { readBok: nothing },
      'no operation of the contract matches the handler "readBok"',
      'did you mean "readBook"?',
    ],
    [
      'an unknown route',
      { 'GET /book': nothing },
      'no operation of the contract matches the handler "GET /book"',
      'did you mean "GET /books"?',
    ],
    [
      'two for one operation',
      { readBook: nothing, 'GET /books/{book_id}': nothing },
      'readBook has two handlers',
      'keep one of them',
    ],
    [
      'a number instead of a function',
      { readBook: 7 as unknown as Handlers[string] },
      'the handler of "readBook" is not a function',
      'write "readBook": ({ json }) => json({ … })',
    ],
  ];

  it.each(cases)('%s', async (_name, handlers, reason, hint) => {
    await expect(createLibrary(handlers)).rejects.toMatchObject({ code: 'HANDLER_INVALID', reason, hint });
  });
});

describe('plain data of a handler', () => {
  const book = { id: 'b', title: 'Plain' };
  const cases: readonly (readonly [string, unknown, number, unknown])[] = [
    ['a body is sent with the status of success', book, 200, book],
    [
      'a status with a body is a response',
      { status: 404, body: { error: { message: 'gone', code: 'gone' } } },
      404,
      { error: { message: 'gone', code: 'gone' } },
    ],
    [
      'headers and a media type belong to a response',
      { status: 200, headers: { 'X-Shelf': 'a' }, body: book },
      200,
      book,
    ],
    ['an object with another member is a body', { ...book, status: 200 }, 200, { ...book, status: 200 }],
    ['an object with a string as status is a body', { ...book, status: 'lent' }, 200, { ...book, status: 'lent' }],
  ];

  it.each(cases)('%s', async (_, result, status, body) => {
    const mock = await createLibrary({ readBook: () => result as object });
    const response = await mock.fetch('/books/b?api_key=k');
    const text = await response.text();
    expect([response.status, text === '' ? '' : JSON.parse(text)]).toEqual([status, body]);
    expect(response.headers.get('x-shelf')).toBe(JSON.stringify(result).includes('X-Shelf') ? 'a' : null);
  });

  it('a status without a body is an empty response', async () => {
    const mock = await createLibrary({ 'DELETE /books/{book_id}': () => ({ status: 204 }) });
    const response = await mock.fetch('/books/b1?api_key=k', { method: 'DELETE' });
    expect([response.status, await response.text(), response.headers.get('x-mock-source')]).toEqual([
      204,
      '',
      'handler',
    ]);
  });

  it('null is a body, undefined leaves the call to the mock', async () => {
    const mock = await createLibrary({ readBook: () => null, listBooks: () => undefined });
    expect((await ask(mock, '/books/b')).source).not.toBe('state');
    expect((await ask(mock, '/books')).source).toBe('state');
  });
});

describe('handlers added while the mock runs', () => {
  const titled = (title: string): Handlers => ({ readBook: () => ({ id: 'b', title }) });
  const read = async (from: Pick<Mock, 'fetch'>): Promise<unknown> => {
    const response = await from.fetch('/books/b1?api_key=k');
    return ((await response.json()) as { readonly title?: string }).title;
  };

  it('answer before earlier ones, until they are reset', async () => {
    const mock = await createLibrary(titled('initial'));
    mock.use(titled('second'));
    mock.use(titled('third'));
    expect(await read(mock)).toBe('third');
    mock.resetHandlers();
    expect(await read(mock)).toBe('initial');
  });

  it('leave a call to the earlier ones with undefined or next, and the last one to the mock', async () => {
    const mock = await createLibrary({});
    mock.use(titled('first'));
    mock.use({ readBook: () => undefined });
    expect(await read(mock)).toBe('first');
    mock.use({
      readBook: async ({ next, json }) => {
        const below = (await next())?.body as { readonly title: string };
        return json({ ...below, title: `${below.title}, changed` });
      },
    });
    expect(await read(mock)).toBe('first, changed');
    mock.resetHandlers();
    expect(await read(mock)).toBe('One');
  });

  it('of a session answer in that session only, before those of the mock', async () => {
    const mock = await createLibrary({});
    const [one, other] = [mock.session('one'), mock.session('other')];
    mock.use(titled('every'));
    one.use(titled('own'));
    expect([await read(one), await read(other), await read(mock)]).toEqual(['own', 'every', 'every']);
    expect(await read(one.fork('copy'))).toBe('own');
    one.resetHandlers();
    expect([await read(one), await read(mock.session('copy'))]).toEqual(['every', 'own']);
    mock.resetHandlers();
    expect([await read(one), await read(mock.session('copy'))]).toEqual(['One', 'One']);
  });

  it('end with their session', async () => {
    const mock = await createLibrary({});
    const session = mock.session('again');
    session.use(titled('own'));
    session.close();
    expect(await read(mock.session('again'))).toBe('One');
  });

  it('see the state that a scenario of the request branched', async () => {
    const mock = await createLibrary({});
    const session = mock.session('branched');
    session.use(titled('own'));
    mock.scenarios.add('more', { state: { books: { add: [{ title: 'More' }] } } });
    const response = await session.fetch('/books/b1?api_key=k', { headers: { 'x-mock-scenario': 'more' } });
    expect(await response.json()).toMatchObject({ title: 'own' });
  });

  it('for an operation that is not in the contract are refused, and nothing is added', async () => {
    const mock = await createLibrary({});
    expect(() => mock.use({ readBook: () => ({ id: 'x', title: 'x' }), readBok: () => undefined })).toThrow(MockError);
    expect(await read(mock)).toBe('One');
  });
});
