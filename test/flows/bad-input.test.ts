import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { AUTHORIZED, describeAll, jsonInit, openBuiltIn } from '../describe-both.js';

const KEYS = '/organization/admin_api_keys';
const CONTENT = '/files/file-handbook/content';

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

async function readError(response: Response): Promise<ErrorBody['error']> {
  expect(response.headers.get('content-type')).toBe('application/json');
  // Every error of the built-in contract has this shape; the assertions below check what they use.
  const body = (await response.json()) as ErrorBody;
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error).toSorted()).toEqual(['code', 'message', 'param', 'type']);
  expect(body.error.message).not.toBe('');
  return body.error;
}

describeAll(
  'a request without valid credentials',
  (start) => {
    it.each([
      ['no header', {}],
      ['Basic', { authorization: 'Basic dXNlcjpwYXNz' }],
      ['an empty bearer', { authorization: 'Bearer ' }],
      ['Bearer alone', { authorization: 'Bearer' }],
      ['a token without its scheme', { authorization: 'sk-test' }],
    ])('is answered 401 with a challenge: %s', async (_, headers: Record<string, string>) => {
      const { send } = await start();
      const response = await send(CONTENT, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      await readError(response);
    });

    it('is answered 401 when the token is not on the list', async () => {
      const { send } = await start({ auth: { tokens: ['sk-good'] } });
      expect((await send(CONTENT, { headers: { authorization: 'Bearer sk-good' } })).status).toBe(200);
      const refused = await send(CONTENT, { headers: AUTHORIZED });
      expect(refused.status).toBe(401);
      await readError(refused);
    });

    it('is accepted with a secret the mock issued, if those are enabled', async () => {
      const { send } = await start({ auth: { tokens: ['sk-root'], acceptIssued: true } });
      const init = {
        ...jsonInit('POST', { name: 'Issued' }),
        headers: { authorization: 'Bearer sk-root', 'content-type': 'application/json' },
      };
      // The create answers with its secret; the flow tests check its form.
      const { value } = (await (await send(KEYS, init)).json()) as { readonly value: string };
      expect((await send(CONTENT, { headers: { authorization: `Bearer ${value}` } })).status).toBe(200);
      expect((await send(CONTENT, { headers: { authorization: 'Bearer sk-other' } })).status).toBe(401);
    });

    it('is authenticated before it is validated', async () => {
      const { send } = await start();
      const response = await send(KEYS, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } });
      expect(response.status).toBe(401);
    });
  },
  true,
);

describeAll(
  'a body that breaks the contract',
  (start) => {
    it.each([
      ['is not JSON', '{"name": "x"', null],
      ['is an array', '[]', null],
      ['is null', 'null', null],
      ['is a string', '"name"', null],
      ['has no name', '{}', 'name'],
      ['has a number as name', '{"name": 7}', 'name'],
      ['has null as name', '{"name": null}', 'name'],
      ['has an empty name', '{"name": ""}', 'name'],
    ])('is answered 400 when it %s', async (_, body, param) => {
      const { send, mock } = await start();
      const response = await send(KEYS, jsonInit('POST', body));
      expect(response.status).toBe(400);
      expect((await readError(response)).param).toBe(param);
      expect(mock.journal.last()?.violations[0]).toMatchObject({ by: 'client', severity: 'error' });
    });

    it('is answered 400 when it is missing', async () => {
      const { send } = await start();
      const response = await send(KEYS, {
        method: 'POST',
        headers: { ...AUTHORIZED, 'content-type': 'application/json' },
      });
      expect(response.status).toBe(400);
      await readError(response);
    });

    it('is answered 415 with the declared media types when it has another', async () => {
      const { send } = await start();
      const response = await send(KEYS, {
        method: 'POST',
        body: 'name=x',
        headers: { ...AUTHORIZED, 'content-type': 'text/csv' },
      });
      expect(response.status).toBe(415);
      expect((await readError(response)).message).toContain('application/json');
    });

    it('is answered 413 when it has 10 MB', async () => {
      const { send } = await start();
      const body = JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024) });
      const response = await send(KEYS, jsonInit('POST', body));
      expect(response.status).toBe(413);
      await readError(response);
    });

    it('is answered 413 above the configured limit, and accepted below', async () => {
      const { send } = await start({ requests: { bodyLimitBytes: 100 } });
      expect((await send(KEYS, jsonInit('POST', { name: 'x'.repeat(100) }))).status).toBe(413);
      expect((await send(KEYS, jsonInit('POST', { name: 'x' }))).status).toBe(200);
    });

    it('is accepted with an unknown property, which the journal reports', async () => {
      const { send, mock } = await start();
      expect((await send(KEYS, jsonInit('POST', { name: 'x', nmae: 'y' }))).status).toBe(200);
      expect(mock.journal.last()?.violations).toMatchObject([{ severity: 'note', by: 'client', pointer: '/nmae' }]);
    });
  },
  true,
);

describeAll(
  'a query that breaks the contract',
  (start) => {
    it.each([
      ['limit=0', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=abc', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['order=up', 'order'],
      ['after=key_unknown', 'after'],
    ])('is answered 400 with the parameter: %s', async (query, param) => {
      const { send } = await start();
      const response = await send(`${KEYS}?${query}`, { headers: AUTHORIZED });
      expect(response.status).toBe(400);
      const error = await readError(response);
      expect(error.param).toBe(param);
      expect(error.message).toContain(param);
    });
  },
  true,
);

describeAll(
  'a path or method the contract does not have',
  (start) => {
    it('is answered 404 with the nearest path', async () => {
      const { send, mock } = await start();
      const response = await send('/file/file-handbook/content', { headers: AUTHORIZED });
      expect(response.status).toBe(404);
      expect((await readError(response)).message).toContain('/files/{file_id}/content');
      expect(mock.journal.last()?.violations).toMatchObject([{ code: 'PATH_UNKNOWN', by: 'client' }]);
    });

    it('is answered 405 with Allow', async () => {
      const { send, mock } = await start();
      const response = await send(KEYS, { method: 'PATCH', headers: AUTHORIZED });
      expect(response.status).toBe(405);
      expect(mock.journal.last()?.violations).toMatchObject([{ code: 'METHOD_UNKNOWN', by: 'client' }]);
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
      await readError(response);
    });

    it('answers HEAD like GET, without the body', async () => {
      const { send } = await start();
      const get = await send(KEYS, { headers: AUTHORIZED });
      const head = await send(KEYS, { method: 'HEAD', headers: AUTHORIZED });
      expect(head.status).toBe(200);
      expect(await head.text()).toBe('');
      expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
    });

    it('answers OPTIONS with 204 and Allow, and a preflight with the requested CORS headers', async () => {
      const { send } = await start();
      const plain = await send(KEYS, { method: 'OPTIONS' });
      expect(plain.status).toBe(204);
      expect(plain.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
      const preflight = await send(KEYS, {
        method: 'OPTIONS',
        headers: {
          origin: 'http://localhost:5173',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
      expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization');
      expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    });

    it.each([
      ['an encoded slash', 'file%2Fhandbook', 404],
      ['dots', 'file..handbook', 404],
      ['unicode', encodeURIComponent('Datei-ü🗝️'), 404],
      ['10 kB', 'x'.repeat(10_000), 404],
      ['broken percent-encoding', '%E0%A4%A', 400],
      ['nothing', '', 404],
    ])('is answered without a crash for an id of %s', async (_, id, status) => {
      const { send } = await start();
      const response = await send(`/files/${id}/content`, { headers: AUTHORIZED });
      expect(response.status).toBe(status);
      await readError(response);
      expect((await send(CONTENT, { headers: AUTHORIZED })).status).toBe(200);
    });
  },
  true,
);

it('a client that disconnects in the middle of its body does not affect other requests', async () => {
  await using mock = await openBuiltIn();
  const { url, port } = await mock.listen();
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        'POST /v1/organization/admin_api_keys HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer x\r\n' +
          'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"name": "ha',
        () => socket.destroy(),
      );
    });
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
  const response = await fetch(`${url}/v1${KEYS}`, { headers: AUTHORIZED });
  expect(response.status).toBe(200);
  // The incomplete request created nothing.
  expect(((await response.json()) as { readonly data: readonly unknown[] }).data).toHaveLength(7);
});
