// @module-tag slow
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadHooks } from '../../src/cli/hooks.js';
import { type Ended, runProgram } from '../cli/run-program.js';
import { findPorts } from '../find-ports.js';
import { createFolder, readEveryFile } from '../folders.js';
import { KEYS, record as recordCalls, sendAll, SPEC } from './recorded.js';
import { startUpstream, type TestUpstream } from './upstream.js';

const HEADERS = { authorization: 'Bearer command-token-1', 'content-type': 'application/json' };

/** Runs the command with these words, and with arguments that may contain spaces. */
const vouch = (
  words: string,
  more: readonly string[] = [],
  options: Parameters<typeof runProgram>[1] = {},
): Promise<Ended> => runProgram([...words.split(' '), ...more], options);

/** A folder with the cassette `keys`: a list, a create, a file. */
async function record({ url }: TestUpstream): Promise<string> {
  const init = { headers: HEADERS };
  const { root } = await recordCalls(url, (mock) =>
    sendAll(mock, [
      [KEYS, init],
      [KEYS, { ...init, method: 'POST', body: '{"name":"ci"}' }],
      ['/v1/files/file-notes/content', init],
    ]),
  );
  return root;
}

it('record logs why the upstream did not answer', async () => {
  const [port] = await findPorts(1);
  const { out } = await vouch(
    `record ${SPEC} --upstream http://127.0.0.1:${port} --port 0 --recordings`,
    [createFolder()],
    {
      whenListening: async ({ url, waitFor }) => {
        expect((await fetch(`${url}/organization/admin_api_keys`, { headers: HEADERS })).status).toBe(502);
        await waitFor(/ 502 /);
      },
    },
  );
  expect(out).toMatch(
    new RegExp(` 502 \\S+ forward http://127\\.0\\.0\\.1:${port} could not be reached: connect ECONNREFUSED`),
  );
});

it('recordings are not compared with the built-in document where there is none', async () => {
  const cwd = createFolder({ 'fixtures/recordings/a/cassette.json': '{ "version": 1 }' });
  expect(await vouch('recordings check', [], { cwd })).toMatchObject({
    code: 1,
    out: '',
    error: expect.stringContaining('name the OpenAPI document of the API: --spec openapi.yaml') as string,
  });
});

it('import-har leaves no cassette of a file that is not HAR', async () => {
  const cwd = createFolder({ 'a.har': 'log' });
  const { code } = await vouch('recordings import-har a.har --spec', [resolve(SPEC)], { cwd });
  expect([code, readdirSync(cwd)]).toEqual([1, ['a.har']]);
});

describe('vouch record and vouch replay', () => {
  it('record the requests of a client, and answer them without the API', async () => {
    const upstream = await startUpstream();
    const recordings = createFolder();
    const run = async (
      words: string,
      path: string,
      more: readonly string[] = [],
    ): Promise<Ended & { readonly text: string }> => {
      let text = '';
      const ended = await vouch(`${words} --port 0 --recordings ${recordings} --cassette cli`, more, {
        env: { SECRET_NAME: 'Key 1' },
        whenListening: async ({ url }) => {
          text = await (await fetch(url + path, { headers: HEADERS })).text();
        },
      });
      return { ...ended, text };
    };
    const path = '/organization/admin_api_keys?limit=1';
    const flags = '--redact-env SECRET_NAME --redact-env NOT_SET --max-age 30';
    const address = upstream.url.replace('://', '://jane:plum-jam-1@');
    const recorded = await run(`record ${SPEC} --upstream ${address} ${flags}`, `${path}&access_token=plum-jam-2`, [
      '--header',
      'x-extra: yes',
    ]);
    expect(recorded.code).toBe(0);
    expect(recorded.out).toContain(`upstream ${upstream.url.replace('://', '://jane:[redacted]@')}`);
    expect(recorded.out + recorded.error).not.toContain('plum-jam');
    expect(recorded.out).toContain('1 exchange, 3 secrets replaced by placeholders');
    expect(recorded.error).toContain('redact.env contains NOT_SET, which is not set');
    expect(upstream.seen[0]?.headers['x-extra']).toBe('yes');
    for (const { path: file, bytes } of readEveryFile(recordings)) expect(bytes.includes('Key 1'), file).toBe(false);
    await upstream.close();
    const replayed = await run(`replay ${SPEC}`, `${path}&access_token=another`);
    expect(replayed.code).toBe(0);
    expect(JSON.parse(replayed.text)).toMatchObject({ object: 'list', has_more: true });
    const missed = await run(`replay ${SPEC}`, '/organization/admin_api_keys?limit=2');
    expect(missed.code).toBe(1);
    expect(missed.error).toMatch(/VERIFY_FAILED[\s\S]*query \/limit: recorded 1, received 2/);
  });

  it.each<readonly [string, string, RegExp]>([
    [
      'an upstream that is not a URL',
      `record ${SPEC} --upstream example`,
      /OPTION_INVALID.*"example" is not a valid upstream URL/,
    ],
    [
      'the address it would listen on itself',
      `record ${SPEC} --upstream http://localhost:4010/v1`,
      /is the address of vouch itself/,
    ],
    [
      'a header without a colon',
      `record ${SPEC} --upstream http://x --header secret`,
      /a --header value does not have the form "name: value"/,
    ],
    [
      'an owner without an operation',
      `record ${SPEC} --upstream http://x --owner mock`,
      /--owner "mock" does not have the form operation=owner/,
    ],
    [
      'a pattern that is not a regular expression',
      `record ${SPEC} --upstream http://x --redact-pattern (`,
      /"\(" is not a valid regular expression/,
    ],
    [
      'a cassette that does not exist',
      `replay ${SPEC} --cassette nothing`,
      /RECORDING_NOT_FOUND.*no cassette "nothing"/,
    ],
    [
      'a cassette that is a path',
      `record ${SPEC} --upstream http://x --cassette ../up`,
      /"\.\.\/up" is not a valid cassette name/,
    ],
  ])('reject %s with one clear message', async (_name, words, message) => {
    const { code, error } = await vouch(`${words} --recordings ${createFolder()}`);
    expect(code).toBe(1);
    expect(error).toMatch(message);
    expect(error).not.toMatch(/\n\s+at /);
  });
});

describe('--hooks', () => {
  it('calls the functions of a module', async () => {
    const recordings = await record(await startUpstream());
    const file = join(recordings, 'hooks.mjs');
    const hook =
      "export const afterRead = (exchange) => (exchange.operation === 'downloadFile' ? undefined : exchange);";
    writeFileSync(file, hook);
    const flags = `keys --spec ${SPEC} --recordings ${recordings} --hooks ${file}`;
    expect((await vouch(`recordings check ${flags}`)).out).toContain('2 exchanges: all valid');
    const into = join(recordings, 'fixtures');
    await vouch(`recordings promote ${flags} --into ${into}`);
    expect(readdirSync(into)).toEqual(['admin_api_keys.json']);
  });

  it.each([
    ['a module that does not exist', undefined, 'the hooks cannot be loaded: '],
    ['an unknown hook', 'export const afterReed = () => {};', '"afterReed" is not a hook'],
    ['a hook that is not a function', 'export const afterRead = 1;', 'afterRead must be a function'],
    ['a module without hooks', '', 'the module exports no hook'],
  ])('refuses %s', async (_name, text, message) => {
    const hooks = join(createFolder(), 'hooks.mjs');
    if (text !== undefined) writeFileSync(hooks, text);
    await expect(loadHooks({ hooks })).rejects.toThrow(message);
  });

  it('takes the exports of a CommonJS module', async () => {
    const hooks = join(createFolder(), 'hooks.cjs');
    writeFileSync(hooks, 'module.exports = { beforeWrite: () => null, matcher: () => true };');
    expect(Object.keys(await loadHooks({ hooks })).toSorted()).toEqual(['beforeWrite', 'matcher']);
  });
});

describe('vouch recordings', () => {
  it('check, drift and prune print their findings and exit with the right code', async () => {
    const upstream = await startUpstream();
    const recordings = await record(upstream);
    const where = `--recordings ${recordings} --spec ${SPEC}`;
    expect(await vouch(`recordings check ${where}`)).toMatchObject({
      code: 0,
      out: 'keys\n  3 exchanges: all valid\n',
    });
    const header = ['--header', `authorization: ${HEADERS.authorization}`];
    const drift = `recordings drift keys ${where} --upstream ${upstream.url}`;
    const synced = await vouch(drift, header);
    expect(synced.code).toBe(0);
    expect(synced.out).toContain('2 × in sync, 1 × skipped');
    const junit = await vouch(`${drift} --format junit --operation createAdminApiKey`, header);
    expect(junit.out).toContain('<testsuites tests="3" failures="0" errors="0" skipped="0">');
    const unauthorized = await vouch(`recordings drift ${where} --upstream ${upstream.url}`);
    expect(unauthorized).toMatchObject({ code: 3 });
    expect(unauthorized.out).toContain('the API answered 401: pass credentials with --header');
    expect((await vouch(`recordings prune ${where} --dry-run`)).out).toBe('keys: 3 of 3 exchanges needed\n');
    await upstream.close();
    expect(await vouch(`${drift} --format json`, header)).toMatchObject({ code: 3 });

    const file = join(recordings, 'keys', '0001-listAdminApiKeys.200.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"has_more": false', '"has_more": "no"'));
    const wrong = await vouch(`recordings check ${where} --format json`);
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.out)).toMatchObject([{ cassette: 'keys', findings: [{ code: 'TYPE', side: 'response' }] }]);
    writeFileSync(file, '{');
    const broken = await vouch(`recordings check ${where}`);
    expect(broken.code).toBe(1);
    expect(broken.error).toMatch(/RECORDING_INVALID +\S+0001-listAdminApiKeys\.200\.json:1:2/);
  });

  it('promote, export and import a recording', async () => {
    const upstream = await startUpstream();
    const recordings = await record(upstream);
    const where = `--recordings ${recordings} --spec ${SPEC}`;
    const into = join(createFolder(), 'fixtures');
    const promoted = await vouch(`recordings promote keys ${where} --into ${into}`);
    expect(promoted).toMatchObject({ code: 0 });
    expect(promoted.out).toContain('the mock gives the recorded responses');
    expect(promoted.out.match(/^right \d{4}-.*\.json$/gm)).toHaveLength(3);
    expect(promoted.out).toMatch(new RegExp(`^serve it: vouch serve ${SPEC} --fixtures .*fixtures`, 'm'));
    expect(readdirSync(into).sort()).toEqual(['admin_api_keys.json', 'files.json']);
    const again = await vouch(`recordings promote keys ${where} --into ${into}`);
    expect(again.code).toBe(1);
    expect(again.error).toMatch(/already exists[\s\S]*--force/);
    expect((await vouch(`recordings promote keys ${where} --into ${into} --force`)).code).toBe(0);

    const har = join(createFolder(), 'keys.har');
    expect((await vouch(`recordings export-har keys ${where} --out ${har}`)).out).toBe(
      `exported 3 exchanges to ${har}\n`,
    );
    const imported = await vouch(`recordings import-har ${har} ${where} --cassette again --upstream ${upstream.url}`);
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.out).toMatch(/^imported 3 exchanges to .*again, skipped 0\n$/);
    expect((await vouch(`recordings check again ${where}`)).code).toBe(0);
    const elsewhere = await vouch(
      `recordings import-har ${har} ${where} --cassette none --upstream http://other.example`,
    );
    expect(elsewhere).toMatchObject({ code: 1 });
    expect(elsewhere.error).toContain('its URL is not below http://other.example');
  });
});
