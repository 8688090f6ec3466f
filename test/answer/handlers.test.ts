import { describe, expect, it } from 'vitest';
import { createMock, type Handlers, type Mock } from '../../src/index.js';
import type { MockOptions } from '../../src/options.js';
import { LIBRARY } from '../scenario/library.js';

async function createLibrary(handlers: Handlers, more: Partial<MockOptions> = {}): Promise<Mock> {
  // The document is written out in full; its type is as wide as any.
  const spec = LIBRARY as MockOptions['spec'] & object;
  return createMock({ spec, fixtures: { books: [{ id: 'b1', title: 'One' }] }, handlers, ...more });
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

  it.each<readonly [string, Handlers, string]>([
    [
      'an answer that no message can carry',
      { readBook: ({ json }) => json({ id: 'b1', title: 'One' }, { headers: { 'bad name': 'x' } }) },
      'the mock failed while answering readBook',
    ],
    [
      'a Response that is not of its type',
      { readBook: () => new Response('nope', { headers: { 'content-type': 'application/json' } }) },
      'the handler of readBook failed',
    ],
    [
      'half of an answer',
      // As somebody writes it whom no types help.
      { readBook: () => ({ status: 200, headers: {}, body: {} }) as never },
      'the handler of readBook gave back {"status":200,"headers":{},"body":{}}, which is no answer',
    ],
  ])('that returns %s is answered with a 500 that says so', async (_name, handlers, message) => {
    const { status, body } = await ask(await createLibrary(handlers), '/books/b1');
    expect([status, JSON.stringify(body).replaceAll('\\"', '"')]).toEqual([500, expect.stringContaining(message)]);
  });

  it('that returns undefined leaves the call to the mock', async () => {
    const seen: string[] = [];
    const mock = await createLibrary({ listBooks: ({ call }) => void seen.push(call.method) });
    expect([(await ask(mock, '/books')).source, seen]).toEqual(['state', ['GET']]);
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

  it('that breaks the contract is a 500', async () => {
    const mock = await createLibrary({ readBook: ({ json }) => json({ id: 7 }) });
    const { status, body } = await ask(mock, '/books/b7');
    expect(status).toBe(500);
    expect(JSON.stringify(body)).toMatch(/the answer of the .*handler.* breaks the contract/i);
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

  it('that returns something else is a 500 with a hint', async () => {
    // As a caller without types would.
    const mock = await createLibrary({ readBook: (() => ({ id: 'b' })) as unknown as Handlers[string] });
    const { body } = await ask(mock, '/books/b7');
    expect(JSON.stringify(body)).toContain('gave back {\\"id\\":\\"b\\"}, which is no answer: use json(…)');
  });

  it('that returns a circular object is a 500 that says so', async () => {
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    // As a caller without types would.
    const mock = await createLibrary({ readBook: (() => endless) as unknown as Handlers[string] });
    const { status, body } = await ask(mock, '/books/b7');
    expect([status, JSON.stringify(body)]).toEqual([
      500,
      expect.stringContaining('gave back an object that is no JSON, which is no answer: use json(…)'),
    ]);
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
      'a handler is for "readBok", which is not in the contract',
      'did you mean "readBook"?',
    ],
    [
      'an unknown route',
      { 'GET /book': nothing },
      'a handler is for "GET /book", which is not in the contract',
      'did you mean "GET /books"?',
    ],
    [
      'two for one operation',
      { readBook: nothing, 'GET /books/{book_id}': nothing },
      'two handlers are for readBook',
      'keep one of them',
    ],
    [
      'no function',
      { readBook: 7 as unknown as Handlers[string] },
      'the handler of "readBook" is no function',
      'write "readBook": ({ json }) => json({ … })',
    ],
  ];

  it.each(cases)('%s', async (_name, handlers, reason, hint) => {
    await expect(createLibrary(handlers)).rejects.toMatchObject({ code: 'HANDLER_INVALID', reason, hint });
  });
});
