import { createRequire } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { createMock, type Handlers } from '../../src/index.js';
import { TEXT, object, toDocument } from '../document-parts.js';

// Jest runs tests in a context of their own, with the classes of jsdom; what a test passes to the mock is then not of the platform's classes.

// The package has no types.
const { JSDOM } = createRequire(import.meta.url)('jsdom') as {
  readonly JSDOM: new (html: string, options: { readonly url: string }) => { readonly window: typeof globalThis };
};

const note = object({ text: TEXT, at: TEXT }, 'text');
const content = { 'application/json': { schema: note } };
const form = { 'multipart/form-data': { schema: { ...note, properties: { text: TEXT, file: {} } } } };

const spec = toDocument({
  '/notes': {
    post: {
      operationId: 'createNote',
      requestBody: {
        required: true,
        content: { ...content, ...form, 'application/x-www-form-urlencoded': { schema: note } },
      },
      responses: { 201: { description: 'made', content } },
    },
  },
  '/files': {
    get: {
      operationId: 'download',
      responses: { 200: { description: 'bytes', content: { 'application/octet-stream': { schema: {} } } } },
    },
    post: {
      operationId: 'upload',
      requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } },
      responses: { 200: { description: 'bytes', content: { 'application/octet-stream': { schema: {} } } } },
    },
  },
  '/slow': { get: { operationId: 'wait', responses: { 204: { description: 'at last' } } } },
});

describe('what belongs to another context', async () => {
  const { window } = new JSDOM('', { url: 'http://localhost/' });
  const context = createContext({});
  /** A value of another context. */
  const foreign = (code: string): unknown => runInContext(`(${code})`, context);
  const mock = await createMock({
    spec,
    seed: 7,
    clock: foreign('new Date(1700000000000)') as Date,
    handlers: { upload: ({ call, json }) => json(call.body) },
  });
  afterAll(() => mock.close());

  const post = (body: unknown, init: object = {}): Promise<Response> =>
    mock.fetch('/notes', { method: 'POST', body: body as NonNullable<RequestInit['body']>, ...init });

  it('is read where it is a form of jsdom', async () => {
    const data = new window.FormData();
    data.append('text', 'milk');
    data.append('file', new window.File(['abc'], 'a.txt', { type: 'text/plain' }));
    expect((await post(data)).status).toBe(201);
    const { body } = mock.journal.interactions.at(-1)?.request ?? {};
    expect(body).toMatchObject({ text: 'milk', file: { filename: 'a.txt' } });
  });

  it('is read where it is a form of another URLSearchParams', async () => {
    expect((await post(new window.URLSearchParams({ text: 'milk' }))).status).toBe(201);
  });

  it.each([
    ['a Blob of jsdom', new window.Blob(['abc'])],
    ['bytes of another context', foreign('new Uint8Array([97, 98, 99])')],
    ['a buffer of another context', foreign('new Uint8Array([97, 98, 99]).buffer')],
  ])('is read where it is %s', async (_, body) => {
    const headers = { 'content-type': 'application/octet-stream' };
    const response = await mock.fetch('/files', {
      method: 'POST',
      body: body as NonNullable<RequestInit['body']>,
      headers,
    });
    expect([response.status, await response.text()]).toEqual([200, 'abc']);
  });

  it('is followed where it is a signal of jsdom', async () => {
    const controller = new window.AbortController();
    controller.abort(new Error('no longer needed'));
    await expect(post('{}', { signal: controller.signal })).rejects.toThrow('no longer needed');
    const later = new window.AbortController();
    mock.use({ wait: () => new Promise(() => undefined) });
    const running = mock.fetch('/slow', { signal: later.signal });
    later.abort(new Error('too late'));
    await expect(running).rejects.toThrow('too late');
  });

  it('is read where it is a Request of another implementation', async () => {
    const request = {
      url: 'http://localhost/notes',
      method: 'POST',
      headers: new Map([['content-type', 'application/json']]),
      signal: null,
      arrayBuffer: () =>
        Promise.resolve(foreign('new Uint8Array([123, 34, 116, 101, 120, 116, 34, 58, 34, 97, 34, 125]).buffer')),
    };
    expect((await mock.fetch(request as unknown as Request)).status).toBe(201);
  });

  it('is read where it is the URL of a request', async () => {
    const url = new window.URL('http://localhost/notes');
    const response = await mock.fetch(url, { method: 'GET' });
    expect(response.status).toBe(405);
  });

  it.each([
    ['a promise of bytes', '() => Promise.resolve(new Uint8Array([97, 98, 99]))'],
    ['bytes', '() => new Uint8Array([97, 98, 99])'],
    [
      'a value that is not a promise but has then',
      '() => ({ then: (resolve) => resolve(new Uint8Array([97, 98, 99])) })',
    ],
  ])('is sent where a handler returns %s', async (_, code) => {
    mock.use({ download: foreign(code) } as unknown as Handlers);
    const response = await mock.fetch('/files');
    expect([response.status, await response.text()]).toEqual([200, 'abc']);
    mock.resetHandlers();
  });

  it('is named where a handler throws an error', async () => {
    mock.use({ download: foreign('() => { throw new TypeError("broken on purpose") }') } as unknown as Handlers);
    const response = await mock.fetch('/files');
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('broken on purpose')]);
    mock.resetHandlers();
  });

  it('is the time of the mock where it is a Date', () => expect(mock.clock.now()).toBe(1_700_000_000_000));
});
