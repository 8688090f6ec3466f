// @module-tag slow
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, runProgram } from '../cli/run-program.js';
import { createFolder, readEveryFile } from '../folders.js';
import { KEYS, record, sendAll, SPEC } from './recorded.js';
import { reply, startUpstream, type UpstreamOptions } from './upstream.js';

const CREDENTIAL = 'Bearer refresh-token-1';
const INIT = { headers: { authorization: CREDENTIAL, 'content-type': 'application/json' } };
const LIST = [KEYS, INIT] as const;
const CREATE = [KEYS, { ...INIT, method: 'POST', body: '{"name":"ci"}' }] as const;

const readText = (root: string): string =>
  readEveryFile(root)
    .map(({ path, bytes }) => `${path}\n${bytes.toString('utf8')}`)
    .join('\n');

type List = { readonly data: readonly object[] };

/** An upstream that adds members to the keys of its list. */
const adds = (more: object): UpstreamOptions => ({
  change: (body, { method }) => {
    if (method !== 'GET') return body;
    return { ...(body as List), data: (body as List).data.map((key) => ({ ...key, ...more })) };
  },
});
const GROWN = adds({ value: 'shown' });

interface Refresh extends Ended {
  /** The files of the cassettes before and after. */
  readonly before: string;
  readonly after: string;
  readonly root: string;
  readonly asked: readonly string[];
}

/** Records a cassette with one upstream, and refreshes it from another one. */
async function refresh(
  requests: readonly (readonly [path: string, init: object])[],
  now: UpstreamOptions & { readonly isDown?: boolean; readonly path?: string },
  flags: readonly string[] = [],
  change: (folder: string) => void = () => undefined,
): Promise<Refresh> {
  const old = await startUpstream();
  const { root, folder } = await record(old.url, (mock) => sendAll(mock, requests));
  await old.close();
  change(folder);
  const live = await startUpstream(now);
  if (now.isDown === true) await live.close();
  const before = readText(root);
  const where = [
    '--recordings',
    root,
    '--spec',
    SPEC,
    '--upstream',
    now.path === undefined ? live.url : live.origin + now.path,
  ];
  const header = ['--header', `authorization: ${CREDENTIAL}`];
  const ended = await runProgram(['recordings', 'refresh', ...where, ...header, ...flags]);
  const asked = live.seen.map(({ method, url }) => `${method} ${url}`);
  return { ...ended, before, after: readText(root), root, asked };
}

describe('vouch recordings refresh', () => {
  it('replaces a cassette whose answers have changed, and says what changed', async () => {
    const summary = join(createFolder(), 'summary.md');
    const { code, out, before, after, root } = await refresh([LIST], GROWN, ['--summary', summary]);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('replaced, 1 answer changed') as string,
    });
    expect(out).toContain('/data/*/value is new');
    expect(before).not.toContain('"value"');
    expect(after).toContain('"value"');
    expect(after).not.toContain('refresh-token-1');
    expect(readdirSync(root)).toHaveLength(1);
    const markdown = readFileSync(summary, 'utf8');
    expect(markdown).toMatch(/^# Recordings against http:/);
    expect(markdown).toContain('| `GET /v1/organization/admin_api_keys` | /data/*/value is new |');
    expect((await runProgram(['recordings', 'check', '--recordings', root, '--spec', SPEC])).code).toBe(0);
  });

  it('does not touch a cassette whose answers are as recorded', async () => {
    const { code, out, before, after } = await refresh([LIST], {});
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('current, nothing changed') as string,
    });
    expect(after).toBe(before);
  });

  it('replaces a cassette that has expired, or every one with --all', async () => {
    const expire = (folder: string): void => {
      const file = join(folder, 'cassette.json');
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
      writeFileSync(file, JSON.stringify({ ...manifest, recordedAt: '2020-01-01T00:00:00.000Z', maxAge: 30 }));
    };
    const expired = await refresh([LIST], {}, [], expire);
    expect(expired.out).toMatch(/replaced, recorded \d+ days ago, and its maxAge is 30 days/);
    expect(expired.after).not.toContain('2020-01-01');
    expect(expired.after).toContain('"maxAge": 30');
    expect((await refresh([LIST], {}, ['--all'])).out).toContain('replaced, nothing changed');
  });

  it.each<readonly [what: string, now: Parameters<typeof refresh>[1], code: number, why: RegExp]>([
    ['cannot be reached', { isDown: true }, 3, /kept, 1 answer could not be compared[\s\S]*ECONNREFUSED/],
    ['has an outage', { intercept: reply(503) }, 3, /the API answered 503/],
    ['wants other credentials', { intercept: reply(401) }, 3, /the API answered 401/],
    ['has no such path', { path: '/v2' }, 5, /the API answered 404/],
    ['has an empty list', { keys: 0 }, 4, /the list of the API is empty/],
  ])('leaves a cassette as it is if the API %s', async (_what, now, exit, why) => {
    const { code, out, before, after, root } = await refresh([LIST], now);
    expect({ code, out }).toMatchObject({ code: exit, out: expect.stringMatching(why) as string });
    expect(after).toBe(before);
    expect(readdirSync(root)).toHaveLength(1);
  });

  it('leaves a cassette as it is if one of many answers cannot be compared', async () => {
    const file = ['/v1/files/file-notes/content', INIT] as const;
    const isFile = {
      intercept: (request: { url: string }, response: Parameters<ReturnType<typeof reply>>[1]) => {
        if (!request.url.includes('/files/')) return false;
        response.writeHead(503).end();
        return true;
      },
    };
    const { code, before, after, out } = await refresh([LIST, file], { ...GROWN, ...isFile });
    expect(out).toContain('/data/*/value is new');
    // What was found comes before what could not be compared.
    expect(code).toBe(1);
    expect(after).toBe(before);
  });

  it('sends nothing of a cassette with a request that may change something, without --allow-unsafe', async () => {
    const { code, out, asked, before, after } = await refresh([LIST, CREATE], {});
    expect({ code, out }).toMatchObject({
      code: 3,
      out: expect.stringContaining('POST may change something; --allow-unsafe sends it') as string,
    });
    expect(asked).toEqual([]);
    expect(after).toBe(before);
    const allowed = await refresh([LIST, CREATE], GROWN, ['--allow-unsafe']);
    expect(allowed.asked).toEqual(['GET /v1/organization/admin_api_keys', 'POST /v1/organization/admin_api_keys']);
  });

  it('does not send a credential to an address that only the recording names', async () => {
    const flags = ['--header', 'authorization: Bearer refresh-token-2', '--recordings', createFolder(), '--spec', SPEC];
    const { code, error } = await runProgram(['recordings', 'refresh', ...flags]);
    expect({ code, error }).toMatchObject({
      code: 1,
      error: expect.stringContaining('--header needs --upstream') as string,
    });
  });

  it('only reports with --dry-run', async () => {
    const { out, before, after } = await refresh([LIST], GROWN, ['--dry-run']);
    expect(out).toContain('replaced, 1 answer changed');
    expect(after).toBe(before);
  });

  it('reports an API that does not conform to the document, and records what it answers', async () => {
    const { code, out, after } = await refresh([LIST], adds({ created_at: 'today' }));
    expect({ code, out }).toMatchObject({ code: 2, out: expect.stringContaining('against the document: ') as string });
    expect(after).toContain('"created_at": "today"');
  });
});

it('the flags of the example workflow are flags of the command', async () => {
  const workflow = readFileSync('examples/workflows/refresh-recordings.yml', 'utf8');
  const line = /npx vouch (recordings refresh .*)/.exec(workflow)?.[1] ?? '';
  const { out } = await runProgram(['recordings', 'refresh', '--help']);
  const flags = line.match(/--[a-z-]+/g) ?? [];
  expect(flags).toContain('--summary');
  for (const flag of flags) expect(out).toContain(`${flag} `);
});
