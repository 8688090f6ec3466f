import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createMock } from '../../src/index.js';
import { TEXT, content, object, arrayOf, toDocument } from '../document-parts.js';

const json = (schema: object): object => ({ description: 'ok', content: content(schema) });

const note = object({ id: TEXT, text: TEXT }, 'text');

const spec = toDocument({
  '/notes': {
    get: { operationId: 'listNotes', responses: { 200: json(arrayOf(note)) } },
    post: {
      operationId: 'createNote',
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: note },
          'application/x-www-form-urlencoded': { schema: note },
          'multipart/form-data': { schema: { ...note, properties: { ...note.properties, file: {} } } },
        },
      },
      responses: { 201: json(note) },
    },
  },
  '/files': {
    post: {
      operationId: 'upload',
      requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } },
      responses: { 204: { description: 'stored' } },
    },
  },
});

/** Requests in the process under one environment of vitest: it replaces classes of bodies, URLs and signals. */
export function describeEnvironment(name: string, isReplaced: () => boolean): void {
  describe(`a mock in ${name}`, async () => {
    const mock = await createMock({
      spec,
      seed: 7,
      clock: 'real',
      scenarios: { slow: { operations: { listNotes: [{ delay: 20 }] } } },
      handlers: {
        upload: ({ call, empty, error }) =>
          Buffer.from(call.bytes ?? []).toString('hex') === '00ff10' ? empty() : error(400, 'other bytes'),
      },
    });
    afterAll(() => mock.close());
    const post = (body: NonNullable<RequestInit['body']>, type?: string): Promise<Response> =>
      mock.fetch('/notes', {
        method: 'POST',
        body,
        ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      });
    const expectNote = async (response: Response): Promise<void> => {
      expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ text: 'milk' })]);
    };

    it('runs where globals are replaced', () => expect(isReplaced()).toBe(true));

    it('reads a JSON body', async () => expectNote(await post('{"text":"milk"}', 'application/json')));

    it('reads a JSON body of a Request', async () => {
      const headers = { 'content-type': 'application/json' };
      const request = new Request('http://localhost/notes', { method: 'POST', headers, body: '{"text":"milk"}' });
      await expectNote(await mock.fetch(request));
    });

    it('reads a form', async () => expectNote(await post(new URLSearchParams({ text: 'milk' }))));

    it('reads a form with a file', async () => {
      const form = new FormData();
      form.append('text', 'milk');
      form.append('file', new File(['abc'], 'a.txt', { type: 'text/plain' }));
      await expectNote(await post(form));
    });

    const bytes = new Uint8Array([0, 255, 16]);
    it.each([
      ['bytes', bytes],
      ['a buffer', bytes.buffer],
      ['a Buffer', Buffer.from([0, 255, 16])],
      ['a Blob', new Blob([bytes])],
    ])('reads %s', async (_, body) => {
      const headers = { 'content-type': 'application/octet-stream' };
      expect((await mock.fetch('/files', { method: 'POST', body, headers })).status).toBe(204);
    });

    it('rejects when the request is aborted', async () => {
      const controller = new AbortController();
      mock.scenarios.activate('slow');
      const running = mock.fetch('/notes', { signal: controller.signal });
      controller.abort();
      await expect(running).rejects.toMatchObject({ name: 'AbortError' });
      mock.scenarios.deactivate('slow');
    });

    it('answers after a delay while the timers of the test are fake', async () => {
      vi.useFakeTimers();
      try {
        mock.scenarios.activate('slow');
        expect((await mock.fetch('/notes')).status).toBe(200);
      } finally {
        mock.scenarios.deactivate('slow');
        vi.useRealTimers();
      }
    });

    it('answers on a socket after a delay while the timers of the test are fake', async () => {
      mock.scenarios.activate('slow');
      const server = await mock.listen();
      vi.useFakeTimers();
      try {
        const [response] = (await once(get(`${server.url}/notes`), 'response')) as [IncomingMessage];
        expect([response.statusCode, JSON.parse(await text(response))]).toEqual([200, expect.any(Array)]);
      } finally {
        vi.useRealTimers();
        mock.scenarios.deactivate('slow');
        await server.close();
      }
    });
  });
}
