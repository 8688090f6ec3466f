import { spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { createCertificate } from '../../src/server/certificate.js';
import { BUILT_IN, openBuiltIn } from '../describe-both.js';
import { createSharedFolder } from '../folders.js';
import { type Received, sendRequest } from '../send-request.js';

// Issue 16, part 4.

const CONTENT = '/v1/files/file-handbook/content';
const KEYS = '/v1/organization/admin_api_keys';
const FAULTS = ['reset', 'empty', 'garbage', 'malformed-chunk', 'truncate'] as const;
const NO_KEYS = { object: 'list', data: [], first_id: null, last_id: null, has_more: false };
const HEADERS = { authorization: 'Bearer any' };

type Listening = Awaited<ReturnType<Mock['listen']>>;

describe('a generated certificate', () => {
  const { cert, key } = createCertificate([
    'api.example.com',
    '*.example.org',
    '192.0.2.7',
    'fe80::1',
    '::ffff:192.0.2.8',
  ]);
  const certificate = new X509Certificate(cert);

  it('is valid for the local names and the given ones', () => {
    for (const name of ['localhost', 'api.example.com', 'any.example.org'])
      expect(certificate.checkHost(name)).toBeDefined();
    for (const address of ['127.0.0.1', '::1', '192.0.2.7', 'fe80::1', '::ffff:192.0.2.8']) {
      expect(certificate.checkIP(address)).toBeDefined();
    }
    expect(certificate.checkHost('example.net')).toBeUndefined();
  });

  it('is signed by its own key, and is not an authority', () => {
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.subject).toBe('CN=vouch mock server');
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/u);
  });

  it.each([
    ['2026-11-22T10:00:00Z', 'Nov 21 10:00:00 2026 GMT', 'Dec 24 10:00:00 2027 GMT'],
    ['2049-06-01T00:00:00Z', 'May 31 00:00:00 2049 GMT', 'Jul  3 00:00:00 2050 GMT'],
  ])('made at %s is valid from %s to %s', (at, from, to) => {
    const { validFrom, validTo } = new X509Certificate(createCertificate([], Date.parse(at)).cert);
    expect([validFrom, validTo]).toEqual([from, to]);
  });

  it('has many names, whose length needs three bytes', () => {
    const names = Array.from({ length: 3000 }, (_, i) => `host-${i}.example.com`);
    expect(new X509Certificate(createCertificate(names).cert).checkHost('host-2999.example.com')).toBeDefined();
  });

  it('has another serial number each time, which is positive', () => {
    const serials = Array.from({ length: 20 }, () => new X509Certificate(createCertificate().cert).serialNumber);
    expect(new Set(serials).size).toBe(20);
    expect(serials.filter((serial) => serial.startsWith('-'))).toEqual([]);
  });

  it.each(['', 'a b', 'https://example.com', 'example.com:443'])('cannot have the name %j', (name) => {
    expect(() => createCertificate([name])).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }) as Error);
  });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request over HTTP/1.1. */
const request = (
  { port, certificate }: Listening,
  path: string,
  options: https.RequestOptions = {},
): Promise<Received> =>
  sendRequest(`https://127.0.0.1:${port}${path}`, { ca: certificate, headers: HEADERS, ...options });

/** A client of HTTP/2. */
function openHttp2({ url, certificate }: Listening): http2.ClientHttp2Session {
  const session = http2.connect(url, { ca: certificate });
  onTestFinished(() => session.destroy());
  return session;
}

/** Sends a request over HTTP/2; fails when the server resets the stream. */
async function requestHttp2(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  chunks: readonly string[] = [],
): Promise<Answer> {
  const stream = session.request({ ...HEADERS, ...headers }, { endStream: chunks.length === 0 });
  for (const chunk of chunks) stream.write(chunk);
  if (chunks.length > 0) stream.end();
  const [fields] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  return { status: Number(fields[':status']), headers: fields, body: await text(stream) };
}

describe('a mock with TLS', () => {
  let mock: Mock;
  let server: Listening;
  const warnings: unknown[] = [];
  const refused: string[] = [];
  const note = (warning: unknown): void => void warnings.push(warning);

  beforeAll(async () => {
    process.on('warning', note);
    mock = await createMock({
      ...BUILT_IN,
      onRefused: (error) => refused.push(error.reason),
      handlers: {
        listAdminApiKeys: () => ({
          status: 200,
          headers: { connection: 'close', 'keep-alive': 'timeout=5', 'x-note': 'kept', 'set-cookie': ['a=1', 'b=2'] },
          body: NO_KEYS,
        }),
      },
      scenarios: Object.fromEntries(FAULTS.map((fault) => [fault, { operations: { downloadFile: { fault } } }])),
    });
    for (const fault of FAULTS) mock.session(fault, { scenarios: [fault] });
    server = await mock.listen({ tls: true });
  });
  afterAll(async () => {
    await mock.close();
    process.off('warning', note);
  });

  it('reads the host of a request of HTTP/2 from :authority, where Host is another one', async () => {
    const headers = { ':path': CONTENT, ':authority': 'named.example.com', host: 'other.example.com' };
    expect((await requestHttp2(openHttp2(server), headers)).status).toBe(200);
    expect(mock.journal.interactions.at(-1)?.request.headers).toMatchObject({ host: 'named.example.com' });
  });

  it('answers a client of HTTP/1.1 that trusts its certificate', async () => {
    expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
    expect(await request(server, CONTENT)).toMatchObject({ status: 200 });
    const named = await request(server, CONTENT, { hostname: 'localhost', servername: 'localhost', family: 4 });
    expect(named.status).toBe(200);
  });

  it('is not trusted by a client without the certificate', async () => {
    await expect(request(server, CONTENT, { ca: createCertificate().cert })).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  it.skipIf(spawnSync('curl', ['--version']).error !== undefined)(
    'says in the log that a client does not trust the certificate',
    async () => {
      const curl = spawn('curl', ['--silent', server.url]);
      await once(curl, 'close');
      await vi.waitUntil(() => refused.includes('the client does not trust the certificate'));
    },
  );

  it('ends the connection of a client without TLS, and says so in the log', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume().write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(socket, 'close');
    expect(refused).toContain('the request was sent without TLS');
  });

  it('answers several requests of one HTTP/2 connection, with bodies of known and unknown length', async () => {
    const session = openHttp2(server);
    const json = { 'content-type': 'application/json', ':method': 'POST', ':path': KEYS };
    const body = JSON.stringify({ name: 'Zweitschlüssel' });
    const large = JSON.stringify({ name: 'x'.repeat(100_000) });
    const answers = await Promise.all([
      requestHttp2(session, { ':path': CONTENT }),
      requestHttp2(session, { ...json, 'content-length': Buffer.byteLength(body) }, [body]),
      requestHttp2(session, json, [body.slice(0, 5), body.slice(5)]),
      requestHttp2(session, json, [large]),
      requestHttp2(session, { ':path': CONTENT, ':method': 'HEAD' }),
      requestHttp2(session, { ':path': '/nowhere' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 404]);
    expect(JSON.parse(answers[1]?.body ?? '')).toMatchObject({ name: 'Zweitschlüssel' });
    expect(JSON.parse(answers[2]?.body ?? '')).toMatchObject({ name: 'Zweitschlüssel' });
    expect(answers[4]?.headers['content-length']).toBe(String(Buffer.byteLength(answers[0]?.body ?? '')));
  });

  it('reads the host and the header fields of an HTTP/2 request like those of HTTP/1.1', async () => {
    const session = openHttp2(server);
    const path = '/~fields/v1/files/file-handbook/content';
    await requestHttp2(session, { ':path': path, cookie: 'a=1', 'x-own': 'yes' });
    const { headers } = mock.session('fields').journal.last()?.request ?? {};
    expect(headers).toMatchObject({ host: `127.0.0.1:${server.port}`, cookie: 'a=1', 'x-own': 'yes' });
    expect(Object.keys(headers ?? {}).filter((name) => name.startsWith(':'))).toEqual([]);
  });

  it('sends no fields of the connection over HTTP/2', async () => {
    const { status, headers } = await requestHttp2(openHttp2(server), { ':path': KEYS });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-note': 'kept', 'set-cookie': ['a=1', 'b=2'] });
    expect(Object.keys(headers)).not.toContain('connection');
  });

  it.each(FAULTS)('ends the stream and not the HTTP/2 connection for the fault %s', async (fault) => {
    const session = openHttp2(server);
    await expect(requestHttp2(session, { ':path': `/~${fault}${CONTENT}` })).rejects.toMatchObject({
      code: 'ERR_HTTP2_STREAM_ERROR',
    });
    expect(await requestHttp2(session, { ':path': CONTENT })).toMatchObject({ status: 200 });
  });

  it('resets the connection of HTTP/1.1 for the fault reset', async () => {
    await expect(request(server, `/~reset${CONTENT}`)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('causes no warning of Node.js', () => expect(warnings).toEqual([]));
});

describe('the certificate of a mock', () => {
  it('can be one of the user, with intermediate ones', async () => {
    await using mock = await openBuiltIn();
    const own = createCertificate(['api.example.com']);
    const server = await mock.listen({ tls: own });
    expect(server.certificate).toBe(own.cert);
    const answer = await request(server, CONTENT, { servername: 'api.example.com' });
    expect(answer.status).toBe(200);
  });

  it('has the names that were given', async () => {
    await using mock = await openBuiltIn();
    const { certificate = '' } = await mock.listen({ tls: { names: ['api.example.com'] }, host: '0.0.0.0' });
    expect(new X509Certificate(certificate).subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:api.example.com',
    );
  });

  it.each([
    ['only a certificate', { cert: 'x' }],
    ['only a key', { key: 'x' }],
    ['texts that are not PEM', { cert: 'x', key: 'y' }],
    ['the key of another certificate', { cert: createCertificate().cert, key: createCertificate().key }],
  ])('cannot be %s', async (_, tls) => {
    await using mock = await openBuiltIn();
    await expect(mock.listen({ tls })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

describe('closing a mock with TLS', () => {
  const slow = { operations: { downloadFile: { fault: { hang: { stage: 'body' } } } } } as const;

  it('closes idle connections of every kind at once', async () => {
    await using mock = await openBuiltIn({ connections: { graceMs: 3_600_000 } });
    const server = await mock.listen({ tls: true });
    const session = openHttp2(server);
    await requestHttp2(session, { ':path': CONTENT });
    const agent = new https.Agent({ keepAlive: true });
    await request(server, CONTENT, { agent });
    const silent = connect(server.port, '127.0.0.1');
    await once(silent, 'connect');
    const closed = [once(session, 'close'), once(silent, 'close')];
    await server.close();
    await Promise.all(closed);
    agent.destroy();
  });

  it('waits for a response over HTTP/2 that is in progress, and cuts it when the time is over', async () => {
    await using mock = await openBuiltIn({ scenarios: { slow }, connections: { graceMs: 50 } });
    mock.session('slow', { scenarios: ['slow'] });
    const server = await mock.listen({ tls: true });
    const stream = openHttp2(server).request({ ...HEADERS, ':path': `/~slow${CONTENT}` });
    await once(stream, 'response');
    stream.resume().on('error', () => undefined);
    const closed = once(stream, 'close');
    await server.close();
    await closed;
  });

  it('lets a response over HTTP/2 finish', async () => {
    let answer: (() => void) | undefined;
    await using mock = await createMock({
      ...BUILT_IN,
      connections: { graceMs: 3_600_000 },
      handlers: {
        listAdminApiKeys: async () => {
          await new Promise<void>((resolve) => void (answer = resolve));
          return { status: 200, body: NO_KEYS };
        },
      },
    });
    const server = await mock.listen({ tls: true });
    const response = requestHttp2(openHttp2(server), { ':path': KEYS });
    await vi.waitUntil(() => answer !== undefined);
    const closed = server.close();
    answer?.();
    expect((await response).status).toBe(200);
    await closed;
  });
});

describe('a Unix socket', () => {
  const folder = createSharedFolder();

  const get = async (socketPath: string, options: https.RequestOptions = {}): Promise<number | undefined> => {
    const url = `${options.ca === undefined ? 'http' : 'https'}://localhost${CONTENT}`;
    return (await sendRequest(url, { headers: HEADERS, socketPath, ...options })).status;
  };

  it('is listened on instead of a port, and removed when the mock is closed', async () => {
    const socketPath = join(folder, 'plain.sock');
    const mock = await openBuiltIn();
    const server = await mock.listen({ socket: socketPath, host: '0.0.0.0' });
    expect(server).toMatchObject({
      url: 'http://localhost',
      baseUrl: 'http://localhost/v1',
      port: 0,
      socket: socketPath,
    });
    expect(await get(socketPath)).toBe(200);
    // Other machines cannot reach it.
    expect(await get(socketPath, { path: '/__mock/sessions' })).toBe(200);
    await mock.close();
    expect(existsSync(socketPath)).toBe(false);
  });

  it('can use TLS', async () => {
    const socketPath = join(folder, 'tls.sock');
    await using mock = await openBuiltIn();
    const { certificate, url } = await mock.listen({ socket: socketPath, tls: true });
    expect(url).toBe('https://localhost');
    expect(await get(socketPath, { ca: certificate, servername: 'localhost' })).toBe(200);
  });

  it('that a process left behind is replaced', async () => {
    const socketPath = join(folder, 'left.sock');
    const code = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', code]);
    expect(existsSync(socketPath)).toBe(true);
    await using mock = await openBuiltIn();
    await mock.listen({ socket: socketPath });
    expect(await get(socketPath)).toBe(200);
  });

  it('that is in use is refused, and so are a file and a folder that does not exist', async () => {
    const socket = join(folder, 'used.sock');
    const file = join(folder, 'file.txt');
    writeFileSync(file, 'kept');
    await using mock = await openBuiltIn();
    await mock.listen({ socket });
    await expect(mock.listen({ socket })).rejects.toMatchObject({ code: 'PORT_TAKEN' });
    await expect(mock.listen({ socket: file })).rejects.toMatchObject({ code: 'PORT_TAKEN' });
    expect(readFileSync(file, 'utf8')).toBe('kept');
    await expect(mock.listen({ socket: join(folder, 'none', 'a.sock') })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
    });
  });
});
