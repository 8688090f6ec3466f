import { content, inPath, query, sends, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, ref, TEXT } from '../schema-parts.js';
/** A small contract of books, in sessions of their own, with operations that scenarios limit. */
export const LIBRARY: Readonly<Record<string, unknown>> = toDocument(
  {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [query('limit', INTEGER), query('after')],
        responses: { 200: json(ref('BookList')) },
      },
      post: {
        operationId: 'createBook',
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: TEXT }],
        ...sends(ref('NewBook')),
        responses: { 201: json(ref('Book')) },
      },
    },
    '/books/{id}': {
      ...inPath('id'),
      get: { operationId: 'getBook', responses: { 200: json(ref('Book')), 404: { description: '' } } },
      put: {
        operationId: 'putBook',
        parameters: [{ name: 'If-Match', in: 'header', schema: TEXT }],
        ...sends(ref('NewBook')),
        responses: { 200: json(ref('Book')), 412: { description: '' } },
      },
      delete: { operationId: 'deleteBook', responses: { 204: { description: '' }, 404: { description: '' } } },
    },
    '/counted': {
      get: { operationId: 'getCounted', responses: { 200: { description: '' }, 418: { description: '' } } },
    },
    '/limited': {
      get: { operationId: 'getLimited', responses: { 200: { description: '' }, 429: { description: '' } } },
    },
  },
  {
    NewBook: object({ title: TEXT }, 'title'),
    Book: object({ id: TEXT, title: TEXT }, 'id', 'title'),
    BookList: object({ data: arrayOf(ref('Book')), has_more: BOOLEAN }, 'data', 'has_more'),
  },
);

function json(schema: object): object {
  return { description: '', headers: { ETag: { schema: TEXT } }, content: content(schema) };
}
