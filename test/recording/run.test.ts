// @module-tag slow
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/server/certificate.js';
import { toCassetteName } from '../../src/cli/commands/recordings/run/origins.js';
import { type Ended, runProgram } from '../cli/run-program.js';
import { createFolder, readEveryFile } from '../folders.js';
import { serveInTest } from '../serve-in-test.js';
import { findProgram } from './services/service.js';

const CREDENTIAL = 'Bearer run-token-1234567890';

/** What answers every request with its path and method. */
const echo: RequestListener = (request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method: request.method, path: request.url, sent: text }));
  });
};

interface Setup {
  readonly folder: string;
  /** The origins of a plain server and one with TLS. */
  readonly plain: string;
  readonly secure: string;
  /** How many requests the servers got. */
  readonly asked: () => number;
  /** Runs `vouch record -- program` or `vouch replay -- program` in the folder. */
  readonly run: (verb: 'record' | 'replay', program: readonly string[], flags?: readonly string[]) => Promise<Ended>;
}

async function setUp(files: Readonly<Record<string, string>>): Promise<Setup> {
  const authority = createAuthority();
  const folder = createFolder({ ...files, 'upstream.pem': authority.cert });
  let count = 0;
  const answer: RequestListener = (request, response) => {
    count += 1;
    echo(request, response);
  };
  const plain = await serveInTest(createServer(answer));
  const secure = (await serveInTest(createSecureServer(authority.issue('localhost'), answer))).replace(
    'http://127.0.0.1',
    'https://localhost',
  );
  const recordings = join(folder, 'recordings');
  return {
    folder,
    plain,
    secure,
    asked: () => count,
    run: (verb, program, flags = []) => {
      const trust = verb === 'record' ? ['--ca', join(folder, 'upstream.pem')] : [];
      const env = { PLAIN: plain, SECURE: secure, CREDENTIAL };
      return runProgram([verb, '--recordings', recordings, ...trust, ...flags, '--', ...program], { cwd: folder, env });
    },
  };
}

const NODE = String.raw`
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
const { PLAIN, SECURE, CREDENTIAL } = process.env;
const get = (module, url) => new Promise((resolve, reject) => {
  module.get(url, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text));
  }).on('error', reject);
});
const texts = [
  await (await fetch(PLAIN + '/fetch?a=1', { method: 'POST', body: 'x', headers: { authorization: CREDENTIAL } })).text(),
  await (await fetch(SECURE + '/fetch')).text(),
  await get(http, PLAIN + '/module'),
  await get(https, SECURE + '/module'),
];
writeFileSync(process.argv[2], texts.join('\n'));
`;

const PYTHON = String.raw`
import os, sys, urllib.request
texts = [urllib.request.urlopen(os.environ[name] + '/python').read().decode() for name in ['PLAIN', 'SECURE']]
open(sys.argv[1], 'w').write('\n'.join(texts))
`;

const JAVA = String.raw`
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
public class Client {
  public static void main(String[] given) throws Exception {
    var client = HttpClient.newHttpClient();
    var text = "";
    for (var name : new String[] { "PLAIN", "SECURE" }) {
      var request = HttpRequest.newBuilder(URI.create(System.getenv(name) + "/java")).build();
      text += client.send(request, HttpResponse.BodyHandlers.ofString()).body() + "\n";
    }
    Files.writeString(Path.of(given[0]), text);
  }
}
`;

describe('vouch record -- program, and vouch replay -- program', () => {
  it.for([
    { name: 'Node.js', program: [process.execPath, 'client.mjs'], files: { 'client.mjs': NODE }, requests: 4 },
    {
      name: 'curl',
      program: ['sh', 'client.sh'],
      files: { 'client.sh': 'curl -sf "$PLAIN/curl" "$SECURE/curl" > "$1"\n' },
      requests: 2,
    },
    { name: 'Python', program: ['python3', 'client.py'], files: { 'client.py': PYTHON }, requests: 2 },
    { name: 'Java', program: ['java', 'Client.java'], files: { 'Client.java': JAVA }, requests: 2 },
  ])('$name gets the recorded answers without a network', async ({ program, files, requests }, context) => {
    const [name = ''] = program;
    if (name !== process.execPath && findProgram(name) === undefined) context.skip(`${name} is not installed`);
    const { asked, folder, plain, secure, run } = await setUp({});
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const recorded = await run('record', [...program, 'recorded.txt']);
    expect({ code: recorded.code, error: recorded.error }).toMatchObject({ code: 0 });
    expect(recorded.error).toContain(`vouch: ${plain}: ${requests / 2} request`);
    expect(recorded.error).toContain(`vouch: ${secure}: ${requests / 2} request`);
    const cassettes = [plain, secure].map(toCassetteName);
    expect(readdirSync(join(folder, 'recordings')).toSorted()).toEqual(cassettes.toSorted());
    const stored = readEveryFile(join(folder, 'recordings')).map(({ bytes }) => bytes.toString('utf8'));
    expect(stored.join('\n')).not.toContain('run-token');
    const before = asked();
    const replayed = await run('replay', [...program, 'replayed.txt']);
    expect({ code: replayed.code, error: replayed.error }).toMatchObject({ code: 0 });
    expect(asked()).toBe(before);
    const texts = new Map(
      readEveryFile(folder).map(({ path, bytes }) => [path.split('/').at(-1), bytes.toString('utf8')]),
    );
    expect(texts.get('recorded.txt')).toContain('"path":"/');
    expect(texts.get('replayed.txt')).toBe(texts.get('recorded.txt'));
  });

  it('exits with the code of the program, and with 127 if there is none', async () => {
    const { run } = await setUp({});
    expect((await run('record', ['sh', '-c', 'exit 7'])).code).toBe(7);
    const missing = await run('record', ['no-such-program']);
    expect({ code: missing.code, error: missing.error }).toMatchObject({
      code: 127,
      error: expect.stringContaining('no-such-program cannot be started') as string,
    });
    const none = await run('record', []);
    expect({ code: none.code, error: none.error }).toMatchObject({
      code: 1,
      error: expect.stringContaining('there is no program after --') as string,
    });
  });

  it('never sends a request that was not recorded: it gets 501, and the exit code is 1', async () => {
    const { plain, run } = await setUp({});
    const script = `curl -s -o /dev/null -w '%{http_code}' ${plain}/other > status.txt`;
    const { code, error } = await run('replay', ['sh', '-c', script]);
    expect(code).toBe(1);
    expect(error).toContain(`vouch: ${plain}: 1 request replayed, 1 not replayed`);
  });

  it('sends the headers of --header to the host of --upstream only', async () => {
    const { folder, plain, secure, run } = await setUp({});
    const flags = ['--upstream', plain, '--header', 'x-extra: only-there'];
    await run('record', ['sh', '-c', 'curl -s "$PLAIN/a" "$SECURE/b" -o /dev/null'], flags);
    const bodies = readEveryFile(join(folder, 'recordings')).map(
      ({ path, bytes }) => `${path} ${bytes.toString('utf8')}`,
    );
    expect(bodies.filter((text) => text.includes(toCassetteName(secure))).join('')).not.toContain('only-there');
  });
});

it('the certificates of an authority are valid for one host each', () => {
  const authority = createAuthority();
  const issuer = new X509Certificate(authority.cert);
  expect(issuer.ca).toBe(true);
  const own = new X509Certificate(authority.issue('api.example.com').cert);
  expect(own.checkIssued(issuer)).toBe(true);
  expect(own.verify(issuer.publicKey)).toBe(true);
  expect(own.ca).toBe(false);
  expect(own.checkHost('api.example.com')).toBe('api.example.com');
  expect(own.checkHost('localhost')).toBeUndefined();
  expect(new X509Certificate(authority.issue('10.0.0.7').cert).checkIP('10.0.0.7')).toBe('10.0.0.7');
});

it.each([
  ['https://api.example.com', 'api.example.com'],
  ['https://api.example.com:8443', 'api.example.com_8443'],
  ['http://localhost:3000', 'http_localhost_3000'],
  ['http://[::1]:8080', 'http_1_8080'],
])('the cassette of %s is %s', (origin, name) => {
  expect(toCassetteName(origin)).toBe(name);
});
