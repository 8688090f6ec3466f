import { expect, it } from 'vitest';
import { AUTHORIZED, jsonInit, openBuiltIn } from '../describe-both.js';

const KEYS = '/v1/organization/admin_api_keys';

it('a request that was given up before it is sent is rejected with the reason', async () => {
  await using mock = await openBuiltIn();
  const signal = AbortSignal.abort(new Error('no longer wanted'));
  await expect(mock.fetch(KEYS, { headers: AUTHORIZED, signal })).rejects.toThrow('no longer wanted');
  await expect(mock.session().fetch(KEYS, { headers: AUTHORIZED, signal })).rejects.toThrow('no longer wanted');
  expect(mock.journal.last()).toBeUndefined();
});

it('a request that is given up while its body is awaited is rejected with the reason', async () => {
  await using mock = await openBuiltIn();
  const leaving = new AbortController();
  // A body that never comes.
  const body = new ReadableStream({ pull: () => leaving.abort() });
  const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  await expect(mock.fetch(KEYS, { ...init, signal: leaving.signal })).rejects.toMatchObject({ name: 'AbortError' });
});

it('a signal that is not aborted changes nothing', async () => {
  await using mock = await openBuiltIn();
  const { signal } = new AbortController();
  expect((await mock.fetch(KEYS, { ...jsonInit('POST', { name: 'CI' }), signal })).status).toBe(200);
});

it('a body that streams anything but bytes is a mistake of the request', async () => {
  await using mock = await openBuiltIn();
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue('{"name": "CI"}');
      controller.close();
    },
  });
  const init: RequestInit & { readonly duplex: 'half' } = { ...jsonInit('POST', ''), body, duplex: 'half' };
  expect((await mock.fetch(KEYS, init)).status).toBe(400);
});
