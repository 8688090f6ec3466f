import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addOtherFlags,
  applyOtherFlags,
  readSeed,
  readBooleans,
  STEADY_FLAGS,
} from '../../src/cli/commands/prism/flags.js';
import { type Ended, runProgram } from './run-program.js';

// Issue 16, part 5: what prism-cli 5.14.2 and @stdy/cli 0.22.2 take, `vouch mock` and `vouch proxy` take.

const PET = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
};
const json = (schema: object, more: object = {}): object => ({
  description: 'an answer',
  content: { 'application/json': { schema, ...more } },
});
const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'http://localhost:3999/v1' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 10 } },
          {
            name: 'tags',
            in: 'query',
            explode: false,
            schema: { type: 'array', items: { type: 'string' }, maxItems: 2 },
          },
          { name: 'by', in: 'query', schema: { type: 'object', properties: { age: { type: 'integer' } } } },
        ],
        responses: {
          200: json({ type: 'array', items: PET }, { examples: { one: { value: [{ id: 1, name: 'Rex' }] } } }),
        },
      },
      post: {
        operationId: 'createPet',
        requestBody: { required: true, content: { 'application/json': { schema: PET } } },
        responses: { 201: json(PET, { example: { id: 5, name: 'Example' } }) },
      },
    },
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: json(PET) },
      },
    },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'vouch-migration-'));
writeFileSync(join(folder, 'openapi.yaml'), JSON.stringify(SPEC));

const seen: string[] = [];
let upstream: Server;
let upstreamUrl = '';

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const url = request.url ?? '';
    seen.push(url);
    response.writeHead(url.endsWith('/501') ? 501 : url.endsWith('/404') ? 404 : 200, {
      'content-type': 'application/json',
    });
    response.end(url.endsWith('/8') ? '{"id":"wrong"}' : '[{"id":1,"name":"upstream"}]');
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const address = upstream.address();
  upstreamUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/base`;
});

afterAll(() => {
  upstream.close();
  rmSync(folder, { recursive: true });
});

interface Asked {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

type Request = readonly [path: string, init?: RequestInit];

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Runs a command on a free port and sends requests to it. */
async function ask(
  words: readonly string[],
  ...requests: readonly Request[]
): Promise<Ended & { readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const ended = await runProgram([...words, '-p', '0'], {
    cwd: folder,
    whenListening: async ({ url }) => {
      for (const [path, init] of requests) {
        const response = await fetch(new URL(path, url.replace('0.0.0.0', '127.0.0.1')), init);
        const text = await response.text();
        asked.push({
          status: response.status,
          body: text === '' ? undefined : JSON.parse(text),
          headers: response.headers,
        });
      }
    },
  });
  return { ...ended, asked };
}

describe('vouch mock with the flags of Prism', () => {
  it('answers from examples without state, as Prism does, and refuses what breaks the document', async () => {
    const { asked, error, code } = await ask(
      ['mock', 'openapi.yaml', '-h', '127.0.0.1', '--errors', '--cors'],
      ['/pets', { headers: { origin: 'http://a.example' } }],
      ['/pets', post({ id: 9, name: 'Sent' })],
      ['/pets'],
      ['/pets?limit=11'],
      ['/pets?__example=one&__code=200'],
      ['/pets', { headers: { prefer: 'dynamic=true' } }],
    );
    expect([error, code]).toEqual(['', 0]);
    expect(asked.map(({ status }) => status)).toEqual([200, 201, 200, 400, 200, 200]);
    const [first, created, second, , example, dynamic] = asked;
    expect(first?.body).toEqual([{ id: 1, name: 'Rex' }]);
    expect(first?.headers.get('access-control-allow-origin')).toBe('*');
    expect(created?.body).toEqual({ id: 9, name: 'Sent' });
    expect(second?.body).toEqual(first?.body);
    expect(example?.body).toEqual(first?.body);
    expect(dynamic?.headers.get('x-mock-source')).toBe('generate');
  });

  it('generates with -d, differently with another seed, and takes the example that a request names', async () => {
    const lists = await Promise.all(
      [['-d'], ['--dynamic'], ['--ignoreExamples', '--seed', 'nightly']].map((flags) =>
        ask(['mock', 'openapi.yaml', ...flags], ['/pets'], ['/pets?__example=one']),
      ),
    );
    const [one, other, seeded] = lists.map(({ asked }) => asked[0]?.body);
    expect(one).not.toEqual([{ id: 1, name: 'Rex' }]);
    expect(other).toEqual(one);
    expect(seeded).not.toEqual(one);
    for (const { asked } of lists) expect(asked[1]?.body).toEqual([{ id: 1, name: 'Rex' }]);
  });

  it('keeps state with --state', async () => {
    const { asked } = await ask(
      ['mock', 'openapi.yaml', '--state'],
      ['/pets', post({ id: 9, name: 'Sent' })],
      ['/pets/9'],
    );
    expect(asked[1]?.body).toEqual({ id: 9, name: 'Sent' });
  });

  it('reads booleans as yargs does, and says which flags have no effect', async () => {
    const { asked, error, out } = await ask(
      ['mock', '--cors', 'false', '-m', '-v', 'warn', 'openapi.yaml'],
      ['/pets', { headers: { origin: 'http://a.example' } }],
    );
    expect(asked[0]?.headers.get('access-control-allow-origin')).toBe(null);
    expect(error).toBe(
      '--multiprocess has no effect: requests are logged in batches by the process that answers them\n',
    );
    expect(out).not.toContain('GET');
  });

  it('listens on the host of -h', async () => {
    const { out } = await ask(['mock', 'openapi.yaml', '-h', '0.0.0.0']);
    expect(out).toContain('other machines can reach it');
  });

  it.each([
    [
      ['--cors', 'a.yaml'],
      ['--cors', 'a.yaml'],
    ],
    [
      ['--cors=false', '--errors=true', '-d', 'true'],
      ['--no-cors', '--errors', '-d'],
    ],
    [['--no-errors', '--no-dynamic', '--errors', 'false'], []],
    [
      ['--validate-request=false', '--ignore-examples', '--verbose-level=debug'],
      ['--no-validate-request', '--ignoreExamples', '--verboseLevel=debug'],
    ],
    [
      ['--seed=a=b', '--no-fixtures', '--', '--cors=false'],
      ['--seed=a=b', '--no-fixtures', '--', '--cors=false'],
    ],
  ])('reads %j', (given, want) => {
    expect(readBooleans(given)).toEqual(want);
  });

  it('reads any text as a seed, the same each time', () => {
    expect([readSeed('7'), readSeed('-7')]).toEqual([7, -7]);
    expect(readSeed('nightly')).toBe(readSeed('nightly'));
    expect(readSeed('nightly')).not.toBe(readSeed('daily'));
    expect(Number.isSafeInteger(readSeed('1.5'))).toBe(true);
  });
});

describe('vouch mock with the flags of Steady', () => {
  const arrays = (format: string): string => `--validator-query-array-format=${format}`;
  const objects = (format: string): string => `--validator-query-object-format=${format}`;
  // Three items are one too many, so that the status says how many were read.
  it.each([
    [[arrays('repeat')], '/pets?tags=a,b,c', 200],
    [[arrays('brackets'), objects('dots')], '/pets?by.age=old', 400],
  ])('%j reads %s: %s', async (flags, path, status) => {
    const { asked, error } = await ask(
      ['mock', ...flags, 'openapi.yaml'],
      [path],
      ['/pets?tags[]=a&tags[]=b&tags[]=c'],
    );
    expect([asked[0]?.status, asked[1]?.status, error]).toEqual([status, 400, '']);
  });

  it.each([
    [[], undefined],
    [[arrays('auto'), objects('auto')], undefined],
    [[arrays('repeat')], 'repeat'],
    [[arrays('comma'), objects('brackets')], 'comma'],
    [[arrays('brackets'), objects('brackets')], 'brackets'],
    [[arrays('space'), objects('flat')], undefined],
    [[arrays('pipe'), objects('flat-comma')], undefined],
    [[objects('brackets')], 'brackets'],
    [[objects('dots'), arrays('brackets')], 'dots'],
  ])('%j is the query profile %s', (flags, profile) => {
    const command = addOtherFlags(new Command().option('--query-profile <profile>'), 'Steady', STEADY_FLAGS);
    command.parse(flags, { from: 'user' });
    applyOtherFlags(command, STEADY_FLAGS, { write: () => undefined, writeError: () => undefined });
    expect(command.opts()['queryProfile']).toBe(profile);
  });

  it('logs JSON, is quiet, and says which flags have no effect', async () => {
    const flags = [
      '--log-format=json',
      '--reject-on-sdk-error=false',
      '--stream-count=3',
      '--validator-form-array-format=comma',
    ];
    const { out, error } = await ask(['mock', ...flags, '--generator-seed=7', 'openapi.yaml']);
    expect(JSON.parse(out)).toMatchObject({ seed: 7 });
    expect(error.split('\n')).toEqual([
      '--validator-form-array-format has no effect: forms are read as the document says, and with brackets',
      '--stream-count has no effect: a stream has the items that add up to the answer without it',
      '--reject-on-sdk-error has no effect: requests that break the document are always refused',
      '',
    ]);
  });

  it('refuses dots for objects together with commas for arrays', async () => {
    const { code, error } = await ask(['mock', arrays('comma'), objects('dots'), 'openapi.yaml']);
    expect(error).toMatch(
      /^OPTION_INVALID {2}arrays with "comma" and objects with dots in one query are not supported\n/u,
    );
    expect(code).toBe(1);
  });
});

describe('vouch proxy', () => {
  const requests: readonly Request[] = [
    ['/pets?limit=11'],
    ['/pets/501'],
    ['/pets/404'],
    ['/pets/8'],
    ['/nowhere'],
    ['/pets', { method: 'DELETE' }],
  ];

  it('forwards everything with the violations, and answers itself what the upstream answers with 501', async () => {
    seen.length = 0;
    const { asked, out, code } = await ask(['proxy', 'openapi.yaml', upstreamUrl], ...requests);
    expect(seen).toEqual([
      '/base/pets?limit=11',
      '/base/pets/501',
      '/base/pets/404',
      '/base/pets/8',
      '/base/nowhere',
      '/base/pets',
    ]);
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200, 200]);
    const [limit, mocked, , broken, unknown, method] = asked.map(({ headers }) => headers);
    expect(limit?.get('x-mock-request-violations')).toBe('RANGE query parameter "limit" must be at most 10, got 11');
    expect(mocked?.get('x-mock-source')).toBe('generate');
    expect(broken?.get('x-mock-violations')).toContain('TYPE answer property "id" must be an integer');
    expect(unknown?.get('x-mock-request-violations')).toBe('PATH_UNKNOWN the contract has no path /nowhere');
    expect(method?.get('x-mock-request-violations')).toMatch(/^METHOD_UNKNOWN /u);
    expect(out).toContain('200');
    expect(code).toBe(0);
  });

  it('refuses with --errors what breaks the document, and answers 502 for the upstream', async () => {
    seen.length = 0;
    const { asked } = await ask(['proxy', 'openapi.yaml', upstreamUrl, '--errors'], ...requests);
    expect(asked.map(({ status }) => status)).toEqual([400, 200, 502, 502, 404, 405]);
    expect(seen).toEqual(['/base/pets/501', '/base/pets/404', '/base/pets/8']);
    expect(asked[3]?.body).toMatchObject({
      detail: expect.stringContaining('the answer of the upstream breaks the contract') as string,
    });
  });

  it('forwards requests that break the document with --validate-request=false', async () => {
    const { asked } = await ask(
      ['proxy', 'openapi.yaml', upstreamUrl, '--errors', '--validate-request=false'],
      ...requests,
    );
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 502, 502, 404, 405]);
  });

  it('refuses an upstream that is not a URL', async () => {
    const { code, error } = await ask(['proxy', 'openapi.yaml', 'api.example.com']);
    expect(error).toMatch(
      /^OPTION_INVALID {2}"api\.example\.com" is not a valid URL\n {2}hint: for example: vouch proxy/u,
    );
    expect(code).toBe(1);
  });
});

/** The commands in the shell blocks of a page. */
function readCommands(page: string): readonly (readonly string[])[] {
  const text = readFileSync(`docs/migration/${page}`, 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gmu)].map((match) => match[1] ?? '');
  return blocks.flatMap((block) => block.trim().split('\n')).map((line) => line.trim().split(/\s+/u).slice(1));
}

describe.each(['prism.md', 'steady.md'])('the commands of docs/migration/%s', (page) => {
  const commands = readCommands(page);
  it('are found', () => expect(commands.length).toBeGreaterThan(3));

  it.each(commands.map((words) => [words.join(' '), words] as const))('vouch %s', async (_, words) => {
    // The tests use free ports; the last flag wins.
    const isServer = words[0] === 'mock' || words[0] === 'proxy';
    const { code, out } = await (isServer ? ask(words, ['/v1/pets']) : runProgram(words, { cwd: folder }));
    expect(code).toBe(0);
    expect(out).not.toBe('');
  });
});
