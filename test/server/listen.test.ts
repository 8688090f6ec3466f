import { expect, it } from 'vitest';
import { AUTHORIZED, openBuiltIn, listenBuiltIn } from '../describe-both.js';

it('listening does not change the globals of the process', async () => {
  const read = (): unknown => ({
    request: Object.getOwnPropertyDescriptor(globalThis, 'Request'),
    response: Object.getOwnPropertyDescriptor(globalThis, 'Response'),
  });
  // Node.js has accessors there until they are first read.
  expect([typeof Request, typeof Response]).toEqual(['function', 'function']);
  const before = read();
  const { url } = await listenBuiltIn();
  const response = await fetch(`${url}/v1/files/file-handbook/content`, { headers: AUTHORIZED });
  expect(response.status).toBe(200);
  expect(read()).toEqual(before);
});

it('two servers of one mock share its state, and closing the mock closes both', async () => {
  const mock = await openBuiltIn();
  const [a, b] = [await mock.listen(), await mock.listen()];
  expect(a.port).not.toBe(b.port);
  await fetch(`${a.url}/v1/vector_stores/vs_training/files/file-empty`, { method: 'DELETE', headers: AUTHORIZED });
  const again = await fetch(`${b.url}/v1/vector_stores/vs_training/files/file-empty`, {
    method: 'DELETE',
    headers: AUTHORIZED,
  });
  expect(again.status).toBe(404);
  await mock.close();
  await expect(fetch(a.url)).rejects.toThrow('fetch failed');
  await expect(fetch(b.url)).rejects.toThrow('fetch failed');
});

it.each([-1, 65_536, 1.5, 'a-pipe'])('an invalid port is refused with OPTION_INVALID: %s', async (port) => {
  await using mock = await openBuiltIn();
  // JavaScript callers can pass any value.
  await expect(mock.listen({ port: port as number })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});

it.each([
  ['0.0.0.0', 'http://127.0.0.1:'],
  ['', 'http://127.0.0.1:'],
  ['127.0.0.1', 'http://127.0.0.1:'],
])('the URL of a server on "%s" can be requested by a client', async (host, start) => {
  await using mock = await openBuiltIn();
  const { url } = await mock.listen({ host });
  expect(url).toMatch(new RegExp(`^${start}\\d+$`));
  expect((await fetch(`${url}/v1/files/file-handbook/content`, { headers: AUTHORIZED })).status).toBe(200);
});
