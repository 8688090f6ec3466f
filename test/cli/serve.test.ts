// @module-tag slow
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serveInTest } from '../serve-in-test.js';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createCertificate } from '../../src/server/certificate.js';
import { type Program, startProgram } from './run-program.js';
import { createSharedFolder } from '../folders.js';
import { sendRequest } from '../send-request.js';

const running: Program[] = [];
const folder = createSharedFolder();

afterEach(() => {
  for (const each of running.splice(0)) each.process.kill('SIGKILL');
});

function run(args: readonly string[], cwd?: string, env: NodeJS.ProcessEnv = {}): Program {
  const started = startProgram(args, { ...(cwd !== undefined && { cwd }), env });
  running.push(started);
  return started;
}

async function serve(args: readonly string[] = [], cwd?: string): Promise<Program & { readonly baseUrl: string }> {
  const started = run(['serve', ...args, '--port', '0'], cwd);
  const [, baseUrl = ''] = await started.waitFor(/listening on (http:\S+)/);
  return { ...started, baseUrl };
}

const HEADERS = { authorization: 'Bearer sk-test' };

describe('vouch serve without flags', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve();
    running.pop();
    return () => server.process.kill('SIGKILL');
  });

  it('serves the built-in contract with its fixtures and prints the address', async () => {
    const { baseUrl, output } = server;
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(output()).toContain('2.3.0');
    expect(output()).toContain('seed 1');
    const response = await fetch(`${baseUrl}/organization/admin_api_keys`, { headers: HEADERS });
    expect(await response.json()).toMatchObject({ object: 'list', has_more: false });
    expect(output()).not.toContain('active');
  });

  it('logs each request as one line with method, path, status, source and all violations', async () => {
    const { baseUrl, waitFor } = server;
    await fetch(`${baseUrl}/organization/admin_api_keys?limit=0&order=up`, { headers: HEADERS });
    const [line] = await waitFor(/GET +\S+limit=0.*/);
    expect(line).toMatch(
      /^GET +\/v1\/organization\/admin_api_keys\?limit=0&order=up 400 [\d.]+ms refuse .*order.*; .*limit/,
    );
  });

  it('logs a request that cannot be read', async () => {
    connect(Number(new URL(server.baseUrl).port), '127.0.0.1').end('hello\r\n\r\n');
    await server.waitFor(/^- {6}- 400 REQUEST_MALFORMED Parse Error: .*; send HTTP\/1\.1/m);
  });
});

describe('vouch serve', () => {
  it('prints the scenarios that are active at start', async () => {
    const { output } = await serve(['--scenario', 'flaky,slow']);
    expect(output()).toMatch(/^scenarios \S+ \(\d+\) {2}active flaky, slow$/mu);
  });

  it('prints the address of the inspector, and opens it where --open asks for it and CI is not set', async () => {
    const opened = join(folder, 'opened');
    // Stands for the command that opens a browser, of every platform.
    for (const name of ['xdg-open', 'open']) {
      await writeFile(join(folder, name), `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 });
    }
    const PATH = `${folder}:${process.env['PATH'] ?? ''}`;
    const inCi = run(['serve', '--port', '0', '--open'], undefined, { PATH, CI: 'true' });
    await inCi.waitFor(/listening on/);
    const { waitFor } = run(['serve', '--port', '0', '--open'], undefined, { PATH, CI: '' });
    const [, address = ''] = await waitFor(/inspector (http:\/\/127\.0\.0\.1:\d+\/__mock\/)\n/);
    expect((await fetch(address)).headers.get('content-type')).toContain('text/html');
    await expect.poll(() => (existsSync(opened) ? readFileSync(opened, 'utf8') : '')).toBe(`${address}\n`);
  });

  it('prints a link with a token once if other machines can reach it, and not a token that the user has set', async () => {
    const { baseUrl, output, waitFor } = await serve(['--host', '0.0.0.0']);
    const [link, token = ''] = await waitFor(/http:\S+\/__mock\/#token=([\w-]+)$/m);
    expect((await fetch(link)).status).toBe(200);
    const state = new URL('/__mock/state', baseUrl);
    expect((await fetch(state)).status).toBe(403);
    expect((await fetch(state, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    // Sent to the mocked API by mistake, it is in no line of the log.
    await fetch(`${baseUrl}/files`, { headers: { 'x-mock-control-token': token, authorization: `Bearer ${token}` } });
    await waitFor(/GET +\/v1\/files/);
    expect(output().split(token)).toHaveLength(2);
    const set = await serve(['--host', '0.0.0.0', '--control-token', 'my-own-token']);
    expect(set.output()).toMatch(/^inspector http:\S+\/__mock\/$/m);
    expect(set.output()).not.toContain('my-own-token');
  });

  it('prints nothing about scenarios and the inspector where they are switched off', async () => {
    const { output } = await serve(['--no-scenarios', '--no-control']);
    expect(output()).not.toMatch(/scenarios|inspector/u);
  });

  it('serves the built-in contract in a folder without a document', async () => {
    const { baseUrl } = await serve([], folder);
    expect((await fetch(`${baseUrl}/files/file-handbook/content`, { headers: HEADERS })).status).toBe(200);
  });

  it('logs below each request why each source did or did not answer, where --trace asks for it', async () => {
    const { baseUrl, waitFor } = await serve(['--trace']);
    await fetch(`${baseUrl}/files/file-nowhere/content`, { headers: HEADERS });
    const [text] = await waitFor(/handler: .*\n.*state: .*/);
    expect(text).toMatch(/handler: none for this operation\n +state: no file has the id "file-nowhere"/);
  });

  it('logs JSON that a program can read, without credentials', async () => {
    const { waitFor, listening } = run(['serve', '--json', '--port', '0']);
    const baseUrl = await listening();
    await fetch(`${baseUrl}/files/file-handbook/content?api_key=hidden`, { headers: HEADERS });
    const [line] = await waitFor(/.*"operation":"downloadFile".*/);
    expect(JSON.parse(line)).toMatchObject({
      method: 'GET',
      status: 200,
      from: expect.stringContaining('state') as string,
    });
    expect(line).not.toContain('hidden');
    expect(line).not.toContain('sk-test');
    // One that cannot be read.
    connect(Number(new URL(baseUrl).port), '127.0.0.1').end('hello\r\n\r\n');
    await waitFor(
      /^\{"time":"[^"]+","realTime":"[^"]+","status":400,"code":"REQUEST_MALFORMED","message":"Parse Error: .*,"hint":"send HTTP/m,
    );
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('closes cleanly on %s', async (signal) => {
    const { process: child, exit } = await serve();
    child.kill(signal);
    expect(await exit).toBe(0);
  });

  it('closes at once on a signal although connections are open, and on a second one although a request is', async () => {
    const idle = await serve(['--grace', '3600000']);
    await (await fetch(`${idle.baseUrl}/files/file-handbook/content`, { headers: HEADERS })).text();
    idle.process.kill('SIGTERM');
    expect(await idle.exit).toBe(0);
    const busy = await serve(['--grace', '3600000']);
    const { port } = new URL(busy.baseUrl);
    const socket = connect(Number(port), '127.0.0.1');
    // The second request is received while the response to the first one is read.
    socket.write('OPTIONS / HTTP/1.1\r\nhost: localhost\r\n\r\nGET /v1/');
    await once(socket, 'data');
    busy.process.kill('SIGTERM');
    await busy.waitFor(/SIGTERM: closing/);
    busy.process.kill('SIGTERM');
    await busy.exit;
    expect(busy.process.signalCode).toBe('SIGTERM');
    socket.destroy();
  });

  it('closes while a client sends what is costly to check', async () => {
    const path = join(folder, 'costly.yaml');
    const schema = '{type: string, pattern: "^(?=(a+)+$).*(a|b)*$"}';
    const content = `{application/json: {schema: ${schema}}}`;
    await writeFile(
      path,
      `openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {/a: {post: {requestBody: {content: ${content}}, responses: {204: {description: ok}}}}}\n`,
    );
    const { process: child, baseUrl, exit } = await serve([path]);
    const body = JSON.stringify(`${'a'.repeat(500_000)}!`);
    const requests = Array.from({ length: 8 }, () =>
      fetch(`${baseUrl}/a`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(
        () => null,
      ),
    );
    const [first] = await Promise.all(requests.slice(0, 1));
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    await Promise.all(requests);
    expect(first?.status).toBe(400);
  });

  it('continues to serve when its output is closed', async () => {
    const { process: child, baseUrl, exit } = await serve();
    child.stdout?.destroy();
    for (let i = 0; i < 5; i++) {
      const response = await fetch(`${baseUrl}/organization/admin_api_keys`, { headers: HEADERS });
      expect(response.status).toBe(200);
      await response.text();
    }
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('reports a schema that cannot be compiled without waiting for a request', async () => {
    const path = join(folder, 'unusable.yaml');
    const schema = '{type: object, patternProperties: {"(": {type: string}}}';
    const answer = `{200: {description: ok, content: {application/json: {schema: ${schema}}}}}`;
    await writeFile(
      path,
      `openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {/a: {get: {responses: ${answer}}}}\n`,
    );
    const { waitFor } = await serve([path]);
    const [line] = await waitFor(/SCHEMA_UNUSABLE.*/);
    expect(line).toMatch(/unusable\.yaml:3:\d+ \(#.*schema\) +the pattern "\(" is not a valid regular expression/);
  });

  it('reports a port that is in use and exits with 1', async () => {
    const { port } = new URL(await serveInTest(createServer()));
    const { exit, output } = run(['serve', '--port', port]);
    expect(await exit).toBe(1);
    expect(output()).toBe(
      `PORT_TAKEN  port ${port} on 127.0.0.1 is already in use\n` +
        '  hint: stop the process that uses it, or choose another port with --port (0 picks a free port)\n',
    );
  });

  it.each([
    [['serve', '--port', 'http'], 'A port must be an integer'],
    [['serve', '--prot', '1'], 'Did you mean --port?'],
    [['sevre'], 'Did you mean serve?'],
  ])('explains what is wrong with %j', async (args, message) => {
    const { exit, output } = run(args);
    expect(await exit).toBe(1);
    expect(output()).toContain(message);
  });
});

describe('vouch serve --tls', () => {
  async function serveTls(...flags: readonly string[]): Promise<{ readonly server: Program; readonly file: string }> {
    const env = { XDG_CACHE_HOME: folder, HOME: folder, LOCALAPPDATA: folder };
    const server = run(['serve', '--port', '0', '--tls', ...flags], process.cwd(), env);
    const [, file = ''] = await server.waitFor(/^certificate (.+)$/mu);
    return { server, file };
  }

  it('prints the certificate, keeps it for the next start, and replaces it when it lacks a name', async () => {
    const portFile = join(folder, 'ports', 'mock.port');
    const { server, file } = await serveTls('--port-file', portFile);
    const [, port] = await server.waitFor(/listening on https:\/\/127\.0\.0\.1:(\d+)\/v1/u);
    expect(server.output()).toContain(`NODE_EXTRA_CA_CERTS=${file}`);
    expect(readFileSync(portFile, 'utf8')).toBe(`${port}\n`);
    const ca = readFileSync(file, 'utf8');
    expect((await sendRequest(`https://127.0.0.1:${port}/v1/nowhere`, { ca })).status).toBe(404);
    const pair = join(file, '..', 'certificate-and-key.pem');
    if (process.platform !== 'win32') expect(statSync(pair).mode & 0o077).toBe(0);
    server.process.kill('SIGTERM');
    expect(await server.exit).toBe(0);
    expect(existsSync(portFile)).toBe(false);

    await serveTls();
    expect(readFileSync(file, 'utf8')).toBe(ca);
    await serveTls('--tls-name', 'api.example.com');
    expect(readFileSync(file, 'utf8')).not.toBe(ca);
  });

  it('uses the certificate that was given', async () => {
    const { cert, key } = createCertificate();
    await writeFile(join(folder, 'own.pem'), cert);
    await writeFile(join(folder, 'own-key.pem'), key);
    const flags = ['--tls-cert', join(folder, 'own.pem'), '--tls-key', join(folder, 'own-key.pem')];
    const server = run(['serve', '--port', '0', ...flags]);
    await server.waitFor(/listening on https:/u);
    expect(server.output()).not.toContain('certificate ');
    const alone = run(['serve', '--port', '0', ...flags.slice(0, 2)]);
    await alone.waitFor(/OPTION_INVALID {2}"tls\.cert" is given without "tls\.key"/u);
    expect(await alone.exit).not.toBe(0);
  });

  it('reads certificate, socket, compression and file of the port from the configuration file', async () => {
    const { cert, key } = createCertificate();
    await writeFile(join(folder, 'config.pem'), cert);
    await writeFile(join(folder, 'config-key.pem'), key);
    const config = join(folder, 'transport.yaml');
    const lines = [
      'port: 0',
      'portFile: transport.port',
      'compress: true',
      'tls: { cert: config.pem, key: config-key.pem }',
    ];
    await writeFile(config, lines.join('\n'));
    const server = run(['serve', '--config', config]);
    const [, port] = await server.waitFor(/listening on https:\/\/127\.0\.0\.1:(\d+)\/v1/u);
    expect(readFileSync(join(folder, 'transport.port'), 'utf8')).toBe(`${port}\n`);
    const headers = { accept: 'application/json', 'accept-encoding': 'gzip' };
    const received = await sendRequest(`https://127.0.0.1:${port}/__mock/openapi.json`, { ca: cert, headers });
    expect([received.status, received.headers['content-encoding']]).toEqual([200, 'gzip']);
    server.process.kill('SIGTERM');
    expect(await server.exit).toBe(0);

    // A flag wins: the socket replaces the port, and one member of `tls` stays.
    await writeFile(config, 'socket: config.sock\ntls: true\n');
    const onSocket = run(['serve', '--config', config], process.cwd(), { XDG_CACHE_HOME: folder, HOME: folder });
    await onSocket.waitFor(/listening on https:\/\/localhost\/v1 {2}\(socket .*config\.sock\)/u);
    onSocket.process.kill('SIGTERM');
    expect(await onSocket.exit).toBe(0);
  });

  it('listens on a Unix socket', async () => {
    const socket = join(folder, 'cli.sock');
    const server = run(['serve', '--socket', socket]);
    await server.waitFor(/listening on http:\/\/localhost\/v1 {2}\(socket .*cli\.sock\)/u);
    server.process.kill('SIGTERM');
    expect(await server.exit).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });
});
