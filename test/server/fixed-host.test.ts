import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Mock } from '../../src/index.js';
import { openBuiltIn } from '../describe-both.js';
import { createSharedFolder } from '../folders.js';

// Issue 16, part 4: the recipes of docs/tls.md.

const HOST = 'api.example.com';
const CONTENT = '/v1/files/file-handbook/content';
const hasCurl = spawnSync('curl', ['--version']).status === 0;

let mock: Mock;
let port = 0;
const certificate = join(createSharedFolder(), 'cert.pem');

beforeAll(async () => {
  mock = await openBuiltIn();
  const listening = await mock.listen({ tls: { names: [HOST] } });
  port = listening.port;
  writeFileSync(certificate, listening.certificate ?? '');
});
afterAll(() => mock.close());

/** Runs a command, which finds nothing of the proxies of this machine. */
async function run(
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/_proxy$|^NODE_|^VITEST/iu.test(name));
  const child = spawn(command, words, { env: { ...Object.fromEntries(inherited), ...env } });
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return out + error;
}

const curl = ['-sS', '--cacert', '', '-H', 'authorization: Bearer any', `https://${HOST}${CONTENT}`];

it(
  'a client with a fixed host in a process of Node.js trusts the certificate of NODE_EXTRA_CA_CERTS',
  { tags: 'slow' },
  async () => {
    const code = `const response = await fetch('https://localhost:${port}${CONTENT}', { headers: { authorization: 'Bearer any' } }); console.log(response.status)`;
    const words = ['--input-type=module', '-e', code];
    expect(await run(process.execPath, words, { NODE_EXTRA_CA_CERTS: certificate })).toBe('200\n');
    expect(await run(process.execPath, words)).toMatch(/self-signed certificate/u);
  },
);

it('a client with a fixed host is intercepted in the process: the official client of OpenAI with its own host', async () => {
  mock.journal.clear();
  using _ = mock.intercept('https://api.openai.com');
  const client = new OpenAI({ apiKey: 'sk-any', baseURL: null });
  expect(client.baseURL).toBe('https://api.openai.com/v1');
  expect(await (await client.files.content('file-handbook')).text()).toContain('Refunds');
  expect(mock.journal.interactions).toHaveLength(1);
});

it.skipIf(!hasCurl)('a client with a fixed host reaches the mock with --connect-to of curl', async () => {
  const words = curl.map((word) => word || certificate);
  expect(await run('curl', ['--connect-to', `${HOST}:443:127.0.0.1:${port}`, ...words])).toContain('Refunds');
});

it.skipIf(!hasCurl)('a client with a fixed host reaches the mock through a proxy of HTTPS_PROXY', async () => {
  const targets: (string | undefined)[] = [];
  const proxy = createServer();
  proxy.on('connect', ({ url }, socket) => {
    targets.push(url);
    const tunnel = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
    tunnel.pipe(socket).pipe(tunnel);
    for (const each of [socket, tunnel]) each.on('error', () => tunnel.destroy());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  const { port: proxyPort } = proxy.address() as AddressInfo;
  const words = curl.map((word) => word || certificate);
  expect(await run('curl', words, { HTTPS_PROXY: `http://127.0.0.1:${proxyPort}` })).toContain('Refunds');
  expect(targets).toEqual([`${HOST}:443`]);
});
