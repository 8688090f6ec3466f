// @module-tag slow
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, runProgram } from '../cli/run-program.js';
import { serveInTest } from '../serve-in-test.js';
import { createFolder } from '../folders.js';
import { record, sendAll } from '../recording/recorded.js';
import { findPorts } from '../find-ports.js';
import { type Break, DOCUMENT, startLibrary } from './library.js';

const FOLDER_FILES = { 'library.json': JSON.stringify(DOCUMENT, null, 2) };

interface Run {
  readonly folder: string;
  /** The books of the service. */
  readonly books: ReadonlyMap<string, unknown>;
  readonly verify: (...flags: readonly string[]) => Promise<Ended>;
}

/** A folder with the document, and the command that verifies a service with a planted break. */
async function open(
  broken?: Break,
  env: Readonly<Record<string, string>> = { VOUCH_CREDENTIAL_BEARER: 'token-1' },
): Promise<Run> {
  const folder = createFolder(FOLDER_FILES);
  const { url, books } = await startLibrary(broken);
  return {
    folder,
    books,
    verify: (...flags) => runProgram(['verify', join(folder, 'library.json'), '--base-url', url, ...flags], { env }),
  };
}

const readJson = (text: string): { readonly findings: readonly { readonly code: string; readonly curl: string }[] } =>
  JSON.parse(text) as { readonly findings: readonly { readonly code: string; readonly curl: string }[] };

describe('vouch verify', () => {
  it('exits with 0 where the service conforms to the document, with the credentials of the environment', async () => {
    const { verify } = await open();
    const { code, out } = await verify('--allow-unsafe');
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^6 operations verified, \d+ requests: 0 findings$/m) as string,
    });
  });

  it('prints a finding with its place, its verdict and a command that repeats it, without the credential', async () => {
    const { verify } = await open('wrongType');
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain('BODY_WRONG  getStatus: answer property "load" must be a number, got "0.5" (200)');
    expect(out).toMatch(/library\.json:\d+:\d+/);
    expect(out).toContain('the service does not conform to the document');
    expect(out).toMatch(/curl http:\/\/127\.0\.0\.1:\d+\/status/);
    expect(out).toContain('correct first: BODY_WRONG of getStatus');
    expect(out).not.toContain('token-1');
  });

  it('says what it skips, and exits with 2 where it can verify nothing', async () => {
    const { verify } = await open();
    const { code, out } = await verify('--operation', 'deleteBook');
    expect(code).toBe(2);
    expect(out).toContain('deleteBook: DELETE may change something: --allow-unsafe sends it');
  });

  it('selects operations, and names the nearest one of a wrong name', async () => {
    const { verify } = await open('wrongType');
    expect((await verify('--exclude', 'getStatus')).code).toBe(0);
    const { code, error } = await verify('--operation', 'getStats');
    expect({ code, error }).toMatchObject({
      code: 1,
      error: expect.stringContaining('did you mean "getStatus"') as string,
    });
  });

  it('writes each format', async () => {
    const { verify, folder } = await open('wrongType');
    const json = readJson((await verify('--format', 'json')).out);
    expect(json.findings).toMatchObject([
      { code: 'BODY_WRONG', verdict: 'service', curl: expect.stringContaining('/status') as string },
    ]);
    const junit = (await verify('--format', 'junit')).out;
    expect(junit).toContain('failures="1"');
    const sarif = JSON.parse((await verify('--format', 'sarif')).out) as {
      readonly runs: readonly { readonly results: readonly object[] }[];
    };
    expect(sarif.runs[0]?.results).toMatchObject([{ ruleId: 'BODY_WRONG', level: 'error' }]);
    expect((await verify('--format', 'github')).out).toMatch(
      /^::error file=.*library\.json,line=\d+,title=BODY_WRONG::getStatus: /m,
    );
    const page = join(folder, 'report.html');
    const { out } = await verify('--format', 'html', '--out', page);
    expect(out).toBe('');
    expect(readFileSync(page, 'utf8')).toContain('<h2>BODY_WRONG <small>getStatus</small></h2>');
  });

  it('writes several reports in one run, and names a file that cannot be written before it sends a request', async () => {
    const { verify, folder } = await open('wrongType');
    const [junit, events] = [join(folder, 'out/verify.xml'), join(folder, 'out/events.ndjson')];
    mkdirSync(join(folder, 'out'));
    writeFileSync(events, 'of an earlier run\n');
    const { code, out, error } = await verify('--report', `junit=${junit}`, '--report', `ndjson=${events}`);
    expect({ code, error }).toEqual({ code: 1, error: '' });
    expect(out).toContain('3 operations verified, 3 skipped');
    expect(readFileSync(junit, 'utf8')).toMatch(/failures="1"[^]*<\/testsuites>\n$/);
    const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly type: string }).type)).toEqual(
      expect.arrayContaining(['start', 'operation', 'request', 'response', 'finding', 'end']),
    );
    const blocked = await verify('--report', `sarif=${join(junit, 'x.sarif')}`);
    expect(blocked).toMatchObject({ code: 1, out: '' });
    expect(blocked.error).toMatch(/^OPTION_INVALID .*x\.sarif" cannot be written/);
    const unknown = await verify('--report', 'pdf=x.pdf');
    expect(unknown).toMatchObject({ code: 1, error: expect.stringContaining('such as junit=verify.xml') as string });
  });

  it('writes each event as a line with --format ndjson, with the place and a command for findings', async () => {
    const { verify } = await open('wrongType');
    const { code, out, error } = await verify('--format', 'ndjson');
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect({ code, error }).toEqual({ code: 1, error: '' });
    expect([events[0], events.at(-1)]).toMatchObject([
      { type: 'start', title: 'Library' },
      { type: 'end', findings: 1 },
    ]);
    expect(events.find(({ type }) => type === 'finding')).toMatchObject({
      state: 'new',
      code: 'BODY_WRONG',
      operation: 'getStatus',
      at: { line: expect.any(Number) as number },
      curl: expect.stringMatching(/^curl http:\/\/127/) as string,
    });
    expect(out).not.toContain('token-1');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('writes the reports after %s, and exits with its code', async (signal, exit) => {
    const { verify, folder, books } = await open('wrongType');
    const before = [...books.keys()];
    const hooks = join(folder, 'hooks.mjs');
    const code = `let count = 0;
export function beforeRequest(request) {
  if (++count === 44) process.kill(process.pid, '${signal}');
}
`;
    writeFileSync(hooks, code);
    const junit = join(folder, 'verify.xml');
    const ended = await verify('--allow-unsafe', '--hooks', hooks, '--format', 'json', '--report', `junit=${junit}`);
    expect(ended.code).toBe(exit);
    const json = JSON.parse(ended.out) as object;
    expect(json).toMatchObject({
      isCut: true,
      reason: `it was interrupted (${signal})`,
      findings: [{ code: 'BODY_WRONG' }],
      skipped: expect.arrayContaining([
        { operation: 'deleteBook', message: `it was interrupted (${signal})` },
      ]) as readonly object[],
    });
    expect(readFileSync(junit, 'utf8')).toMatch(/<\/testsuites>\n$/);
    expect(ended.error).toBe(
      'interrupted: what was created is removed, and the report is written; a second signal ends at once\n',
    );
    expect([...books.keys()]).toEqual(before);
  });

  it('exits with 2 where the service cannot be reached any more, with the report until then', async () => {
    const { folder, verify } = await open('wrongType');
    const page = join(folder, 'verify.html');
    const hooks = join(folder, 'hooks.mjs');
    // Everything after the first requests goes to a port where nothing listens.
    const [port] = await findPorts(1);
    const code = `let count = 0;
export const beforeRequest = (request) => ++count < 8 ? request : new Request('http://127.0.0.1:${port}/');
`;
    writeFileSync(hooks, code);
    const ended = await verify('--hooks', hooks, '--report', `html=${page}`);
    expect(ended.code).toBe(2);
    expect(ended.out).toMatch(/skipped.*; the service cannot be reached any more since GET \S+: connect ECONNREFUSED/);
    expect(readFileSync(page, 'utf8')).toMatch(/the service cannot be reached any more[^]*<\/html>\n$/);
  });

  it('accepts findings with a reason until a date', async () => {
    const { verify, folder } = await open('wrongType');
    const file = join(folder, 'accepted.yaml');
    writeFileSync(
      file,
      '- { code: BODY_WRONG, operation: getStatus, reason: fixed in the next release, until: "2999-01-01" }\n',
    );
    expect(await verify('--suppressions', file)).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 suppressed') as string,
    });
    writeFileSync(file, '- { code: BODY_WRONG, reason: fixed soon, until: "2020-01-01" }\n');
    const expired = await verify('--suppressions', file);
    expect(expired.code).toBe(1);
    expect(expired.out).toContain('a suppression has expired on 2020-01-01: fixed soon');
  });

  it.each([
    ['{}', 'the suppressions must be an array'],
    ['- { code: BODY_WRONG }', 'a suppression needs a reason'],
    ['- { reason: later }', 'a suppression names a code, an operation or a pointer'],
    ['- { code: BODY_RONG, reason: later }', 'there is no code "BODY_RONG"'],
    ['- { code: BODY_WRONG, reason: later, until: soon }', 'until must be a date: 2027-01-31'],
    ['- { cod: BODY_WRONG, reason: later }', 'a suppression has no member "cod"'],
  ])('refuses the suppressions %s with the place', async (text, message) => {
    const { verify, folder } = await open();
    const file = join(folder, 'accepted.yaml');
    writeFileSync(file, `${text}\n`);
    const { code, error } = await verify('--suppressions', file);
    expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining(message) as string });
    expect(error).toMatch(/accepted\.yaml:1:\d+/);
  });

  it('stores findings, and says which are fixed and which are still there', async () => {
    const { verify, folder } = await open('wrongType');
    const file = join(folder, 'findings.json');
    await verify('--findings', file);
    expect(existsSync(file)).toBe(true);
    expect((await verify('--replay', file)).out).toContain('still there: BODY_WRONG of getStatus');
    const fixed = await startLibrary();
    const flags = ['verify', join(folder, 'library.json'), '--base-url', fixed.url, '--replay', file];
    const { code, out } = await runProgram(flags);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('fixed: BODY_WRONG of getStatus') as string,
    });
    writeFileSync(file, '{}');
    expect((await verify('--replay', file)).error).toContain('the file does not have the findings of vouch verify');
  });

  it('changes requests with a hook', async () => {
    const { verify, folder } = await open(undefined, {});
    const file = join(folder, 'hooks.mjs');
    writeFileSync(
      file,
      "export function beforeRequest(request) {\n  request.headers.set('authorization', 'Bearer hook');\n}\n",
    );
    expect((await verify()).out).toContain('it answers 401: pass credentials');
    expect((await verify('--hooks', file)).out).toContain('3 operations verified, 3 skipped');
    writeFileSync(file, 'export const other = 1;\n');
    expect((await verify('--hooks', file)).error).toContain('the module exports no function beforeRequest');
    writeFileSync(file, "export function beforeRequest() {\n  throw new Error('no tenant');\n}\n");
    const failed = await verify('--hooks', file);
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.error).toMatch(/^OPTION_INVALID .*hooks\.mjs {2}beforeRequest failed: no tenant$/m);
    writeFileSync(file, 'export const beforeRequest = () => 1;\n');
    expect((await verify('--hooks', file)).error).toContain('beforeRequest must return a Request or nothing');
  });

  it('takes a credential of the query from the environment', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Tides', version: '1' },
      security: [{ tideKey: [] }],
      paths: { '/tides': { get: { operationId: 'listTides', responses: { 204: { description: 'None.' } } } } },
      components: { securitySchemes: { tideKey: { type: 'apiKey', in: 'query', name: 'key' } } },
    };
    const file = join(createFolder({ 'tides.json': JSON.stringify(document) }), 'tides.json');
    const url = await serveInTest(
      createServer(({ url: target }, response) => response.writeHead(target === '/tides?key=a%2Fb' ? 204 : 401).end()),
    );
    const words = ['verify', file, '--base-url', url];
    expect((await runProgram(words)).out).toContain('it answers 401: pass credentials');
    const { code, out } = await runProgram(words, { env: { VOUCH_CREDENTIAL_TIDE_KEY: 'a/b' } });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^1 operation verified, 2 requests: 0 findings$/m),
    });
  });

  it('sends the requests of recordings and scenarios, and says which it leaves out', async () => {
    const { verify, folder } = await open('wrongType');
    const recorded = await startLibrary();
    const { root } = await record(recorded.url, (mock) => sendAll(mock, [['/status'], ['/magazines']]), {
      spec: DOCUMENT,
    });
    mkdirSync(join(folder, 'scenarios'));
    const file = join(folder, 'scenarios/late.yaml');
    writeFileSync(file, 'operations:\n  getBook:\n    when: { path: { book_id: b2 } }\n    respond: {}\n');
    const flags = ['--recordings', root, '--scenarios', join(folder, 'scenarios')];
    const { out } = await verify('--exclude', 'listBooks', ...flags);
    // Without the list no book is known.
    expect(out).toContain('2 operations verified');
    expect(out).toMatch(/GET \/magazines: the document has no such operation \(keys\/0002-/);
    writeFileSync(file, 'operations:\n  getBok: { when: { path: { book_id: b2 } } }\n');
    expect((await verify(...flags)).error).toMatch(/^SCENARIO_INVALID .*late\.yaml:2/m);
  });

  it('says that a service cannot be reached, and that its URL has the wrong scheme', async () => {
    const { url } = await startLibrary();
    const folder = createFolder(FOLDER_FILES);
    const reach = (baseUrl: string): Promise<Ended> =>
      runProgram(['verify', join(folder, 'library.json'), '--base-url', baseUrl]);
    const [port] = await findPorts(1);
    const hint = '\n  hint: check --base-url, and that the service runs\n';
    expect(await reach(`http://127.0.0.1:${port}/v1`)).toEqual({
      code: 2,
      out: '',
      error: `SERVICE_UNREACHABLE  http://127.0.0.1:${port}/v1 cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}${hint}`,
    });
    expect((await reach('http://127.0.0.1:9')).error).toBe(
      `SERVICE_UNREACHABLE  http://127.0.0.1:9 cannot be reached: "fetch" sends no request to this port${hint}`,
    );
    const secure = url.replace('http:', 'https:');
    expect((await reach(secure)).error).toBe(
      `SERVICE_UNREACHABLE  ${secure} cannot be reached: the server does not use TLS there; its URL starts with http:${hint}`,
    );
  });

  it.each(['http://ada:secret1@127.0.0.1:9/v1', 'http://127.0.0.1:9/v1?key=secret1', 'http://127.0.0.1:9/v1#secret1'])(
    'refuses a base URL with more than an origin and a path, without quoting it: %s',
    async (baseUrl) => {
      const folder = createFolder(FOLDER_FILES);
      const { code, error } = await runProgram(['verify', join(folder, 'library.json'), '--base-url', baseUrl]);
      expect(code).toBe(1);
      expect(error).toMatch(/^OPTION_INVALID {2}a --base-url has no user, query or fragment\n {2}hint: give only/);
      expect(error).not.toContain('secret1');
    },
  );

  it('verifies nothing where the service has no path of the document, such as with a wrong base URL', async () => {
    const service = createServer((_request, response) => response.writeHead(404).end());
    const folder = createFolder(FOLDER_FILES);
    const words = ['verify', join(folder, 'library.json'), '--base-url', `${await serveInTest(service)}/elsewhere`];
    const { code, out } = await runProgram(words);
    expect(out).toContain('getStatus: it answers 404: check the path of --base-url');
    expect(out).toContain('0 operations verified');
    expect(code).toBe(2);
  });
});
