import { expectTypeOf } from 'vitest';
import { defineHandlers } from '../../src/answer/handlers.js';

/** What openapi-typescript writes for a contract. */
interface Operations {
  readBook: {
    parameters: { query?: { verbose?: boolean }; header?: never; path: { book_id: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, unknown>; content: { 'application/json': { id: string; title: string } } };
      404: { headers: Record<string, unknown>; content: { 'application/json': { error: { message: string } } } };
    };
  };
  createBook: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': { title: string } } };
    responses: { 201: { content: { 'application/json': { id: string; title: string } } } };
  };
}

defineHandlers<Operations>({
  readBook: ({ call, json }) => {
    expectTypeOf(call.path.book_id).toEqualTypeOf<string>();
    expectTypeOf(call.query.verbose).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(call.body).toEqualTypeOf<undefined>();
    // @ts-expect-error -- there is no such parameter
    void call.path.book;
    // @ts-expect-error -- a book has a title
    json({ id: 'b' });
    // @ts-expect-error -- 418 is not documented
    json({ id: 'b', title: 'B' }, { status: 418 });
    json({ error: { message: 'gone' } }, { status: 404 });
    return json({ id: call.path.book_id, title: 'B' });
  },
  createBook: ({ call, json }) => {
    expectTypeOf(call.body).toEqualTypeOf<{ title: string }>();
    return json({ id: 'b', title: call.body.title }, { status: 201 });
  },
});

// @ts-expect-error -- there is no such operation
defineHandlers<Operations>({ readBooks: () => undefined });

defineHandlers<Operations>({
  readBook: () => ({ id: 'b', title: 'B' }),
  createBook: ({ call }) => ({ status: 201, headers: { location: '/b' }, body: { id: 'b', title: call.body.title } }),
});
defineHandlers<Operations>({
  readBook: () => ({ status: 404, body: { error: { message: 'gone' } } }),
  createBook: async () => Promise.resolve(Response.json({})),
});
defineHandlers<Operations>({
  // @ts-expect-error -- a book has a title
  readBook: () => ({ id: 'b' }),
});
defineHandlers<Operations>({
  // @ts-expect-error -- 418 is not documented
  readBook: () => ({ status: 418, body: {} }),
});
defineHandlers<Operations>({
  // @ts-expect-error -- the body of a 404 is an error
  readBook: () => ({ status: 404, body: { id: 'b', title: 'B' } }),
});
