// @module-tag slow
import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadHooks } from '../../src/cli/hooks.js';
import { createMock } from '../../src/mock.js';
import { createFolder, readEveryFile } from './folders.js';
import { startUpstream, type TestUpstream } from './upstream.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SPEC = 'spec/openapi.yaml';
const KEYS = '/v1/organization/admin_api_keys';
const HEADERS = { authorization: 'Bearer command-token-1', 'content-type': 'application/json' };

interface Result {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Runs `vouch …` as a child process. */
async function vouch(...args: readonly string[]): Promise<Result> {
  if (!existsSync(MAIN)) throw new Error('dist/ is missing: run "npm run build" first ("npm test" does)');
  const env = { ...process.env, NO_COLOR: '1' };
  return promisify(execFile)(process.execPath, [MAIN, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, errors: stderr }),
    // The error of execFile has both outputs and the exit code.
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      out: error.stdout,
      errors: error.stderr,
    }),
  );
}

async function start(): Promise<TestUpstream> {
  const upstream = await startUpstream();
  onTestFinished(() => upstream.close());
  return upstream;
}

/** A folder with the cassette `keys`: a list, a create, a file. */
async function record(upstream: TestUpstream): Promise<string> {
  const recordings = createFolder();
  const mock = await createMock({
    spec: SPEC,
    recordings: { folder: recordings, cassette: 'keys', mode: 'record-all', upstream: upstream.url, live: true },
  });
  await (await mock.fetch(KEYS, { headers: HEADERS })).text();
  await (await mock.fetch(KEYS, { method: 'POST', headers: HEADERS, body: '{"name":"ci"}' })).text();
  await (await mock.fetch('/v1/files/file-notes/content', { headers: HEADERS })).text();
  await mock.close();
  return recordings;
}

describe('vouch record and vouch replay', () => {
  it('record the requests of a client, and answer them without the API', async () => {
    const upstream = await start();
    const recordings = createFolder();
    const run = async (
      args: readonly string[],
      path: string,
    ): Promise<{ text: string; code: number | null; out: string; errors: string }> => {
      const child = spawn(
        process.execPath,
        [MAIN, ...args, '--port', '0', '--recordings', recordings, '--cassette', 'cli'],
        { env: { ...process.env, NO_COLOR: '1', SECRET_NAME: 'Key 1' } },
      );
      onTestFinished(() => void child.kill('SIGKILL'));
      let [out, errors] = ['', ''];
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const base = await new Promise<string>((resolve, reject) => {
        child.stdout.on('data', (chunk: Buffer) => {
          out += chunk.toString();
          const found = /listening on (\S+)/.exec(out)?.[1];
          if (found !== undefined) resolve(found);
        });
        child.once('exit', () => reject(new Error(errors)));
      });
      const text = await (await fetch(base + path, { headers: HEADERS })).text();
      child.kill('SIGTERM');
      return { text, code: await ended, out, errors };
    };
    const path = '/organization/admin_api_keys?limit=1';
    const more = [
      '--redact-env',
      'SECRET_NAME',
      '--redact-env',
      'NOT_SET',
      '--max-age',
      '30',
      '--header',
      'x-extra: yes',
    ];
    const address = upstream.url.replace('://', '://jane:plum-jam-1@');
    const recorded = await run(['record', SPEC, '--upstream', address, ...more], `${path}&access_token=plum-jam-2`);
    expect(recorded.code).toBe(0);
    expect(recorded.out).toContain(`upstream ${upstream.url.replace('://', '://jane:[redacted]@')}`);
    expect(recorded.out + recorded.errors).not.toContain('plum-jam');
    expect(recorded.out).toContain('1 exchange, 3 secrets replaced by placeholders');
    expect(recorded.errors).toContain('redact.env contains NOT_SET, which is not set');
    expect(upstream.seen[0]?.headers['x-extra']).toBe('yes');
    for (const { path: file, bytes } of readEveryFile(recordings)) expect(bytes.includes('Key 1'), file).toBe(false);
    await upstream.close();
    const replayed = await run(['replay', SPEC], `${path}&access_token=another`);
    expect(replayed.code).toBe(0);
    expect(JSON.parse(replayed.text)).toMatchObject({ object: 'list', has_more: true });
    const missed = await run(['replay', SPEC], '/organization/admin_api_keys?limit=2');
    expect(missed.code).toBe(1);
    expect(missed.errors).toMatch(/VERIFY_FAILED[\s\S]*query \/limit: recorded 1, received 2/);
  });

  it.each<readonly [string, readonly string[], RegExp]>([
    [
      'an upstream that is not a URL',
      ['record', SPEC, '--upstream', 'example'],
      /OPTION_INVALID.*"example" is not a valid upstream URL/,
    ],
    [
      'the address it would listen on itself',
      ['record', SPEC, '--upstream', 'http://localhost:4010/v1'],
      /is the address vouch itself would listen on/,
    ],
    [
      'a header without a colon',
      ['record', SPEC, '--upstream', 'http://x', '--header', 'secret'],
      /a --header value does not have the form "name: value"/,
    ],
    [
      'an owner without an operation',
      ['record', SPEC, '--upstream', 'http://x', '--owner', 'mock'],
      /--owner "mock" does not have the form operation=owner/,
    ],
    [
      'a pattern that is not a regular expression',
      ['record', SPEC, '--upstream', 'http://x', '--redact-pattern', '('],
      /"\(" is not a valid regular expression/,
    ],
    [
      'a cassette that does not exist',
      ['replay', SPEC, '--cassette', 'nothing'],
      /RECORDING_NOT_FOUND.*no cassette "nothing"/,
    ],
    [
      'a cassette that is a path',
      ['record', SPEC, '--upstream', 'http://x', '--cassette', '../up'],
      /"\.\.\/up" is not a valid cassette name/,
    ],
  ])('reject %s with one clear message', async (_name, args, message) => {
    const { code, errors } = await vouch(...args, '--recordings', createFolder());
    expect(code).toBe(1);
    expect(errors).toMatch(message);
    expect(errors).not.toMatch(/\n\s+at /);
  });
});

describe('--hooks', () => {
  it('calls the functions of a module', async () => {
    const recordings = await record(await start());
    const file = join(recordings, 'hooks.mjs');
    const hook =
      "export const afterRead = (exchange) => (exchange.operation === 'downloadFile' ? undefined : exchange);";
    writeFileSync(file, hook);
    const flags = ['keys', '--spec', SPEC, '--recordings', recordings, '--hooks', file];
    expect((await vouch('recordings', 'check', ...flags)).out).toContain('2 exchanges: all valid');
    const into = join(recordings, 'fixtures');
    await vouch('recordings', 'promote', ...flags, '--into', into);
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
    const upstream = await start();
    const recordings = await record(upstream);
    const where = ['--recordings', recordings, '--spec', SPEC];
    expect(await vouch('recordings', 'check', ...where)).toMatchObject({
      code: 0,
      out: 'keys\n  3 exchanges: all valid\n',
    });
    const drift = [
      'recordings',
      'drift',
      'keys',
      ...where,
      '--upstream',
      upstream.url,
      '--header',
      `authorization: ${HEADERS.authorization}`,
    ];
    const synced = await vouch(...drift);
    expect(synced.code).toBe(0);
    expect(synced.out).toContain('2 × in sync, 1 × skipped');
    const junit = await vouch(...drift, '--format', 'junit', '--operation', 'createAdminApiKey');
    expect(junit.out).toContain('<testsuites tests="3" failures="0" errors="0" skipped="0">');
    const unauthorized = await vouch('recordings', 'drift', ...where, '--upstream', upstream.url);
    expect(unauthorized).toMatchObject({ code: 3 });
    expect(unauthorized.out).toContain('the API answered 401: pass credentials with --header');
    expect((await vouch('recordings', 'prune', ...where, '--dry-run')).out).toBe('keys: 3 of 3 exchanges needed\n');
    await upstream.close();
    expect(await vouch(...drift, '--format', 'json')).toMatchObject({ code: 3 });

    const file = join(recordings, 'keys', '0001-listAdminApiKeys.200.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"has_more": false', '"has_more": "no"'));
    const wrong = await vouch('recordings', 'check', ...where, '--format', 'json');
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.out)).toMatchObject([{ cassette: 'keys', findings: [{ code: 'TYPE', side: 'response' }] }]);
    writeFileSync(file, '{');
    const broken = await vouch('recordings', 'check', ...where);
    expect(broken.code).toBe(1);
    expect(broken.errors).toMatch(/RECORDING_INVALID +\S+0001-listAdminApiKeys\.200\.json:1:2/);
  });

  it('promote, export and import a recording', async () => {
    const upstream = await start();
    const recordings = await record(upstream);
    const where = ['--recordings', recordings, '--spec', SPEC];
    const into = join(createFolder(), 'fixtures');
    const promoted = await vouch('recordings', 'promote', 'keys', ...where, '--into', into);
    expect(promoted).toMatchObject({ code: 0 });
    expect(promoted.out).toContain('the mock gives the recorded responses');
    expect(readdirSync(into).sort()).toEqual(['admin_api_keys.json', 'files.json']);
    const again = await vouch('recordings', 'promote', 'keys', ...where, '--into', into);
    expect(again.code).toBe(1);
    expect(again.errors).toMatch(/already exists[\s\S]*--force/);
    expect((await vouch('recordings', 'promote', 'keys', ...where, '--into', into, '--force')).code).toBe(0);

    const har = join(createFolder(), 'keys.har');
    expect((await vouch('recordings', 'export-har', 'keys', ...where, '--out', har)).out).toBe(
      `exported 3 exchanges to ${har}\n`,
    );
    const imported = await vouch(
      'recordings',
      'import-har',
      har,
      ...where,
      '--cassette',
      'again',
      '--upstream',
      upstream.url,
    );
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.out).toMatch(/^imported 3 exchanges to .*again, skipped 0\n$/);
    expect((await vouch('recordings', 'check', 'again', ...where)).code).toBe(0);
    const elsewhere = await vouch(
      'recordings',
      'import-har',
      har,
      ...where,
      '--cassette',
      'none',
      '--upstream',
      'http://other.example',
    );
    expect(elsewhere).toMatchObject({ code: 1 });
    expect(elsewhere.errors).toContain('its URL is not below http://other.example');
  });
});
