/** A small contract of books, in sessions of their own, with operations that scenarios limit. */
export const LIBRARY: Readonly<Record<string, unknown>> = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1' },
  paths: {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'after', in: 'query', schema: { type: 'string' } },
        ],
        responses: { 200: json({ $ref: '#/components/schemas/BookList' }) },
      },
      post: {
        operationId: 'createBook',
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewBook' } } } },
        responses: { 201: json({ $ref: '#/components/schemas/Book' }) },
      },
    },
    '/books/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getBook',
        responses: { 200: json({ $ref: '#/components/schemas/Book' }), 404: { description: '' } },
      },
      put: {
        operationId: 'putBook',
        parameters: [{ name: 'If-Match', in: 'header', schema: { type: 'string' } }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewBook' } } } },
        responses: { 200: json({ $ref: '#/components/schemas/Book' }), 412: { description: '' } },
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
  components: {
    schemas: {
      NewBook: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
      Book: {
        type: 'object',
        required: ['id', 'title'],
        properties: { id: { type: 'string' }, title: { type: 'string' } },
      },
      BookList: {
        type: 'object',
        required: ['data', 'has_more'],
        properties: {
          data: { type: 'array', items: { $ref: '#/components/schemas/Book' } },
          has_more: { type: 'boolean' },
        },
      },
    },
  },
};

function json(schema: object): object {
  return {
    description: '',
    headers: { ETag: { schema: { type: 'string' } } },
    content: { 'application/json': { schema } },
  };
}
