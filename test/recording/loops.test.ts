// An upstream that is the mock itself, directly or through another mock: the first request ends, and nothing of it is recorded.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { rejectOwnAddress } from '../../src/features/recording/upstream/own-address.js';
import { createFolder } from '../folders.js';
import { openMock } from '../open-mock.js';
import { SPEC } from './recorded.js';
import { startUpstream } from './upstream.js';

const FILE = '/v1/files/file-notes/content';
const HEADERS = { authorization: 'Bearer a-token-of-loops' };

/** A mock on a socket that can record. */
async function serve(): Promise<{ mock: Mock; folder: string; port: number }> {
  const folder = createFolder();
  const mock = await openMock({ spec: SPEC, recordings: { folder, cassette: 'a', mode: 'off', live: true } });
  const { port } = await mock.listen({ port: 0 });
  return { mock, folder, port };
}

async function ask(port: number, path: string, more: Record<string, string> = {}): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...HEADERS, ...more } });
  return [response.status, await response.text()];
}

const NAMES = ['127.0.0.1', 'localhost', '0.0.0.0', '[::ffff:127.0.0.1]', '127.1', 'LOCALHOST.'];

describe('a mock that is its own upstream', () => {
  it.each(NAMES.slice(0, 4))('answers 508 and records nothing, by the name %s', async (name) => {
    const { mock, folder, port } = await serve();
    mock.recordings?.start({ upstream: `http://${name}:${port}`, mode: 'record-all' });
    for (const path of [FILE, '/outside-of-the-contract']) {
      const [status, body] = await ask(port, path);
      expect([status, body]).toEqual([508, expect.stringContaining('upstream_loop')]);
    }
    expect(mock.journal.interactions).toHaveLength(4);
    expect(existsSync(join(folder, 'a')) ? loadCassette(join(folder, 'a')).exchanges : []).toEqual([]);
    expect(mock.recordings?.failures).toEqual([]);
  });

  it.each([...NAMES, hostname(), '[::1]', '[::]'])(
    'cannot be given to the control API by the name %s',
    async (name) => {
      const { mock, port } = await serve();
      const start = (upstream: string): Promise<Response> =>
        fetch(`http://127.0.0.1:${port}/__mock/recordings/start`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ upstream }),
        });
      const response = await start(`http://${name}:${port}/v1`);
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({
          code: 'OPTION_INVALID',
          detail: expect.stringContaining('is the address of vouch itself') as string,
        }),
      ]);
      expect(mock.recordings?.mode).toBe('off');
      // Another port of this machine, and the same port of another one.
      expect(() => rejectOwnAddress(`http://${name}:${port + 1}`, { host: 'localhost', port })).not.toThrow();
      expect(() => rejectOwnAddress(`http://192.0.2.1:${port}`, { host: 'localhost', port })).not.toThrow();
      expect(() => rejectOwnAddress(`http://localhost.example.com:${port}`, { host: '::', port })).not.toThrow();
    },
  );
});

describe('two mocks that forward to each other', () => {
  it.each(['record-all', 'record-missing'] as const)('answer 508 and record nothing in the mode %s', async (mode) => {
    const [one, other] = [await serve(), await serve()];
    one.mock.recordings?.start({ upstream: `http://127.0.0.1:${other.port}`, mode });
    other.mock.recordings?.start({ upstream: `http://127.0.0.1:${one.port}`, mode });
    expect(await ask(one.port, FILE)).toEqual([508, expect.stringContaining('upstream_loop')]);
    expect([one, other].map(({ mock }) => mock.journal.interactions.length)).toEqual([2, 1]);
    for (const { mock } of [one, other]) expect((await mock.recordings?.stop())?.exchanges).toBe(0);
  });
});

it('a mock forwards to another mock, and to a server that answers 508', async () => {
  const upstream = await startUpstream({
    intercept: ({ url }, response) => {
      if (!url.endsWith('/loop')) return false;
      response.writeHead(508, { 'content-type': 'text/plain' }).end('of the server');
      return true;
    },
  });
  const [one, other] = [await serve(), await serve()];
  one.mock.recordings?.start({ upstream: `http://127.0.0.1:${other.port}`, mode: 'record-all' });
  other.mock.recordings?.start({ upstream: upstream.origin, mode: 'record-all' });
  expect((await ask(one.port, FILE, { via: '1.0 proxy.example' }))[0]).toBe(200);
  expect(await ask(one.port, '/loop')).toEqual([508, 'of the server']);
  // RFC 9110 7.6.3: each of them adds its name.
  expect(upstream.seen[0]?.headers.via).toMatch(/^1\.0 proxy\.example, 1\.1 vouch-[\w-]+, 1\.1 vouch-[\w-]+$/);
  for (const { mock, folder } of [one, other]) {
    expect((await mock.recordings?.stop())?.exchanges).toBe(2);
    expect(loadCassette(join(folder, 'a')).exchanges[0]?.request.headers).not.toHaveProperty('via');
  }
});
