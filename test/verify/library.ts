// A service on bare node:http that keeps its document, except where a break is planted in it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serveInTest } from '../serve-in-test.js';

const text = (more: object = {}): object => ({ type: 'string', ...more });
const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const ERROR = { description: 'An error.', ...json(ref('Error')) };
const SENT = { required: true, ...json(ref('NewBook')) };
const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 } };

/** The document of the service. */
export const DOCUMENT: Readonly<Record<string, unknown>> = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1' },
  security: [{ bearer: [] }],
  paths: {
    '/status': {
      get: {
        operationId: 'getStatus',
        security: [],
        responses: { 200: { description: 'The status.', ...json(ref('Status')) }, 400: ERROR },
      },
    },
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [LIMIT, { name: 'cursor', in: 'query', schema: text() }],
        responses: {
          200: {
            description: 'A page.',
            headers: { 'X-Remaining': { required: true, schema: { type: 'integer' } } },
            ...json({
              type: 'object',
              required: ['data', 'next_cursor', 'total'],
              properties: {
                data: { type: 'array', items: ref('Book') },
                next_cursor: { type: ['string', 'null'] },
                total: { type: 'integer' },
              },
            }),
          },
          400: ERROR,
          401: ERROR,
        },
      },
      post: {
        operationId: 'createBook',
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: text() }],
        requestBody: SENT,
        responses: { 201: { description: 'The book.', ...json(ref('Book')) }, 400: ERROR, 401: ERROR },
      },
    },
    '/books/{book_id}': {
      parameters: [{ name: 'book_id', in: 'path', required: true, schema: text() }],
      get: {
        operationId: 'getBook',
        responses: {
          200: {
            description: 'The book.',
            headers: { ETag: { required: true, schema: text() } },
            ...json(ref('Book')),
          },
          304: { description: 'Not changed.' },
          401: ERROR,
          404: ERROR,
        },
      },
      patch: {
        operationId: 'updateBook',
        requestBody: { required: true, ...json(ref('BookChange')) },
        responses: { 200: { description: 'The book.', ...json(ref('Book')) }, 400: ERROR, 401: ERROR, 404: ERROR },
      },
      delete: { operationId: 'deleteBook', responses: { 204: { description: 'Removed.' }, 401: ERROR, 404: ERROR } },
    },
  },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    schemas: {
      NewBook: {
        type: 'object',
        required: ['title', 'genre'],
        properties: {
          title: text({ maxLength: 100 }),
          genre: text({ enum: ['novel', 'poetry'] }),
          pages: { type: 'integer', minimum: 1, maximum: 5000 },
        },
      },
      BookChange: { type: 'object', properties: { title: text({ maxLength: 100 }) } },
      Book: {
        type: 'object',
        required: ['id', 'title', 'genre', 'author'],
        properties: {
          id: text(),
          title: text({ maxLength: 100 }),
          genre: text({ enum: ['novel', 'poetry'] }),
          pages: { type: 'integer', minimum: 1 },
          author: text(),
        },
      },
      Status: {
        type: 'object',
        required: ['state', 'load', 'since', 'version'],
        additionalProperties: false,
        properties: {
          state: text({ enum: ['up', 'down'] }),
          load: { type: 'number', minimum: 0, maximum: 1 },
          since: text({ format: 'date-time' }),
          version: { type: 'object', required: ['major'], properties: { major: { type: 'integer' } } },
        },
      },
      Error: { type: 'object', required: ['error'], properties: { error: text() } },
    },
  },
};

/** Each planted break with the code of its finding and the operation. */
export const BREAKS = {
  wrongType: ['BODY_WRONG', 'getStatus'],
  missingMember: ['BODY_WRONG', 'listBooks'],
  missingNested: ['BODY_WRONG', 'getStatus'],
  wrongEnum: ['BODY_WRONG', 'getStatus'],
  outOfRange: ['BODY_WRONG', 'getStatus'],
  wrongFormat: ['BODY_WRONG', 'getStatus'],
  extraMember: ['BODY_WRONG', 'getStatus'],
  extraNull: ['BODY_WRONG', 'listBooks'],
  undeclaredStatus: ['STATUS_UNDECLARED', 'getStatus'],
  wrongHeader: ['HEADER_WRONG', 'listBooks'],
  missingHeader: ['HEADER_MISSING', 'getBook'],
  wrongMediaType: ['MEDIA_TYPE_UNDECLARED', 'getStatus'],
  malformed: ['BODY_MALFORMED', 'getStatus'],
  serverError: ['SERVER_ERROR', 'createBook'],
  noAnswer: ['ANSWER_MISSING', 'getStatus'],
  acceptsType: ['INVALID_ACCEPTED', 'createBook'],
  acceptsMissing: ['INVALID_ACCEPTED', 'createBook'],
  acceptsEnum: ['INVALID_ACCEPTED', 'createBook'],
  acceptsRange: ['INVALID_ACCEPTED', 'createBook'],
  acceptsLength: ['INVALID_ACCEPTED', 'createBook'],
  acceptsQuery: ['INVALID_ACCEPTED', 'listBooks'],
  acceptsMalformed: ['INVALID_ACCEPTED', 'createBook'],
  acceptsMediaType: ['INVALID_ACCEPTED', 'createBook'],
  ignoresCredentials: ['CREDENTIALS_IGNORED', 'listBooks'],
  refusesValid: ['VALID_REFUSED', 'listBooks'],
  endlessPages: ['PAGES_ENDLESS', 'listBooks'],
  repeatedItem: ['PAGES_REPEAT', 'listBooks'],
  largePage: ['PAGE_TOO_LARGE', 'listBooks'],
  changedOrder: ['ORDER_CHANGED', 'listBooks'],
  wrongTotal: ['TOTAL_WRONG', 'listBooks'],
  lostCreate: ['NOT_CREATED', 'getBook'],
  changedCreate: ['CREATED_DIFFERS', 'getBook'],
  notListed: ['NOT_LISTED', 'listBooks'],
  lostUpdate: ['UPDATE_LOST', 'getBook'],
  deletedReadable: ['DELETED_READABLE', 'getBook'],
  deletedListed: ['DELETED_LISTED', 'listBooks'],
  ignoredTag: ['ETAG_IGNORED', 'getBook'],
  ignoredKey: ['IDEMPOTENCY_IGNORED', 'createBook'],
} as const;

/** The name of a planted break. */
export type Break = keyof typeof BREAKS;

interface Book {
  readonly id: string;
  readonly title: string;
  readonly genre: string;
  readonly pages?: number;
  readonly author: string;
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const refuse = (error: string, status = 400): Reply => ({ status, body: { error } });

/** Starts the service with a planted break, until the test is over. @returns its base URL, the books that it has, and what ends it before. */
export async function startLibrary(
  broken?: Break,
): Promise<{ readonly url: string; readonly books: Map<string, Book>; readonly close: () => void }> {
  const is = (name: Break): boolean => broken === name;
  const books = new Map<string, Book>();
  const removed = new Map<string, Book>();
  const keys = new Map<string, Book>();
  let count = 0;
  let lists = 0;
  const add = (given: { readonly title: string; readonly genre: string; readonly pages?: number }): Book => {
    count += 1;
    const book = { id: `b${count}`, ...given, author: 'Ada' };
    books.set(book.id, book);
    return book;
  };
  for (const title of ['A', 'B', 'C', 'D', 'E']) add({ title, genre: 'novel' });

  const readSent = (
    raw: string,
    type: string,
    isNew: boolean,
  ): Reply | { readonly sent: Readonly<Record<string, never>> } => {
    if (!/json/.test(type) && !is('acceptsMediaType')) return refuse('send JSON', 415);
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch {
      if (is('serverError')) return { status: 500, body: { error: 'oops' } };
      if (!is('acceptsMalformed')) return refuse('not JSON');
      value = { title: 'x', genre: 'novel' };
    }
    if (typeof value !== 'object' || value === null) return refuse('not an object');
    const sent = value as Readonly<Record<string, never>>;
    const { title = isNew ? undefined : 'x', genre = isNew ? undefined : 'novel', pages } = sent as Partial<Book>;
    const isMissing = title === undefined || genre === undefined;
    if (isMissing && !is('acceptsMissing')) return refuse('something is missing');
    const isType =
      (title === undefined || typeof title === 'string') && (pages === undefined || Number.isInteger(pages));
    if (!isType && !(is('acceptsType') && isNew)) return refuse('a wrong type');
    if (genre !== undefined && !['novel', 'poetry'].includes(genre) && !is('acceptsEnum')) return refuse('no genre');
    if (pages !== undefined && !(pages >= 1 && pages <= 5000) && !is('acceptsRange') && !is('acceptsType'))
      return refuse('no such number');
    if (String(title).length > 100 && !(is('acceptsLength') && isNew)) return refuse('too long');
    return { sent };
  };

  const list = (query: URLSearchParams): Reply => {
    lists += 1;
    if (is('refusesValid')) return refuse('no');
    const given = query.get('limit');
    const limit = Number(given ?? 10);
    const isValid = Number.isInteger(limit) && limit >= 1 && limit <= 100;
    if (!isValid && !is('acceptsQuery')) return refuse('no limit');
    const size = isValid ? limit : 10;
    const shown = [...books.values(), ...(is('deletedListed') ? removed.values() : [])];
    const all = is('notListed') ? shown.filter(({ title }) => !title.startsWith('vouch')) : shown;
    const ordered = is('changedOrder') && lists % 2 === 0 ? all.toReversed() : all;
    const cursor = query.get('cursor');
    const start = cursor === null ? 0 : Number(cursor) - (is('repeatedItem') ? 1 : 0);
    const page = ordered.slice(start, start + (is('largePage') ? 100 : size));
    const end = start + page.length;
    const next = end < ordered.length ? String(end) : is('endlessPages') && given !== null ? '0' : null;
    const data = page.map(({ title, ...book }) => ({
      ...book,
      ...(!is('missingMember') && { title }),
      ...(is('extraNull') && { author: null }),
    }));
    const total = all.length + (is('wrongTotal') ? 1 : 0);
    const remaining = is('wrongHeader') ? 'many' : '10';
    return { status: 200, body: { data, next_cursor: next, total }, headers: { 'x-remaining': remaining } };
  };

  const create = (raw: string, { headers }: IncomingMessage): Reply => {
    const read = readSent(raw, headers['content-type'] ?? '', true);
    if ('status' in read) return read;
    const key = headers['idempotency-key'];
    const known = typeof key === 'string' && !is('ignoredKey') ? keys.get(key) : undefined;
    if (known !== undefined) return { status: 201, body: known };
    const { title, genre, pages } = read.sent as Partial<Book>;
    const book = add({
      title: is('changedCreate') ? 'Another title' : String(title).slice(0, 100),
      genre: genre === 'poetry' ? 'poetry' : 'novel',
      ...(Number.isInteger(pages) && pages !== undefined && pages > 0 && { pages }),
    });
    if (typeof key === 'string') keys.set(key, book);
    if (is('lostCreate')) books.delete(book.id);
    return { status: 201, body: book };
  };

  const answerBook = (id: string, raw: string, request: IncomingMessage): Reply => {
    const book = books.get(id) ?? (is('deletedReadable') && request.method === 'GET' ? removed.get(id) : undefined);
    if (book === undefined) return refuse('no such book', 404);
    if (request.method === 'DELETE') {
      books.delete(id);
      removed.set(id, book);
      return { status: 204 };
    }
    if (request.method === 'PATCH') {
      const read = readSent(raw, request.headers['content-type'] ?? '', false);
      if ('status' in read) return read;
      const { title } = read.sent as Partial<Book>;
      const changed = { ...book, ...(typeof title === 'string' && { title: title.slice(0, 100) }) };
      if (!is('lostUpdate')) books.set(id, changed);
      return { status: 200, body: changed };
    }
    const etag = `"${JSON.stringify(book).length}-${book.title}"`.replaceAll(' ', '-');
    if (request.headers['if-none-match'] === etag && !is('ignoredTag')) return { status: 304, headers: { etag } };
    return { status: 200, body: book, headers: is('missingHeader') ? {} : { etag } };
  };

  const getStatus = (): Reply => ({
    status: is('undeclaredStatus') ? 207 : 200,
    body: {
      state: is('wrongEnum') ? 'unsure' : 'up',
      load: is('wrongType') ? '0.5' : is('outOfRange') ? 2 : 0.5,
      since: is('wrongFormat') ? 'yesterday' : '2026-01-01T00:00:00Z',
      version: is('missingNested') ? {} : { major: 1 },
      ...(is('extraMember') && { uptime: 3 }),
    },
  });

  const answer = (request: IncomingMessage, raw: string): Reply => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://library');
    if (pathname === '/status') return getStatus();
    const isKnown = request.headers.authorization?.startsWith('Bearer ') === true;
    if (!isKnown && !(is('ignoresCredentials') && request.method === 'GET')) return refuse('who are you?', 401);
    const id = /^\/books\/([^/]+)$/.exec(pathname)?.[1];
    if (id !== undefined) return answerBook(decodeURIComponent(id), raw, request);
    return request.method === 'POST' ? create(raw, request) : list(searchParams);
  };

  const write = (response: ServerResponse, { status, body, headers = {} }: Reply, isStatus: boolean): void => {
    if (body === undefined) {
      response.writeHead(status, headers).end();
      return;
    }
    const type = isStatus && is('wrongMediaType') ? 'text/plain' : 'application/json';
    const written = JSON.stringify(body);
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(isStatus && is('malformed') ? written.slice(0, -1) : written);
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isStatus = request.url === '/status';
      if (isStatus && is('noAnswer')) request.socket.destroy();
      else write(response, answer(request, Buffer.concat(chunks).toString('utf8')), isStatus);
    });
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: await serveInTest(server), books, close };
}
