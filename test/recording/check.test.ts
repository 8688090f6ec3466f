import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { type Cassette, loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { findRedundant, pruneCassette } from '../../src/features/recording/cassette/prune.js';
import { checkCassette, formatCheck } from '../../src/features/recording/drift/check.js';
import { loadParts } from './contract.js';
import { KEYS, record as recordCalls, SPEC } from './recorded.js';
import { startUpstream, type UpstreamOptions } from './upstream.js';

const HEADERS = { authorization: 'Bearer check-token-1', 'content-type': 'application/json' };
const parts = await loadParts(SPEC);

type Request = readonly [path: string, body?: string];

async function record(requests: readonly Request[], options: UpstreamOptions = {}): Promise<Cassette> {
  const upstream = await startUpstream(options);
  return recordCalls(upstream.url, async (mock) => {
    for (const [path, body] of requests) {
      const init = { headers: HEADERS, ...(body === undefined ? {} : { method: 'POST', body }) };
      await (await mock.fetch(path, init)).arrayBuffer();
    }
  });
}

/** Changes the text of one recorded file, as a hand or a merge would. */
function edit(cassette: Cassette, file: string, change: (text: string) => string): Cassette {
  const path = join(cassette.folder, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
  return loadCassette(cassette.folder);
}

/** Walks over all keys, two at a time. */
async function walk(mock: Mock): Promise<void> {
  let after = '';
  for (let more = true; more;) {
    const page = (await (await mock.fetch(`${KEYS}?limit=2${after}`, { headers: HEADERS })).json()) as {
      has_more: boolean;
      last_id: string;
    };
    after = `&after=${page.last_id}`;
    more = page.has_more;
  }
}

const codes = async (cassette: Cassette): Promise<readonly string[]> =>
  (await checkCassette(cassette, parts)).map(
    ({ file, severity, side, code }) => `${severity} ${file.slice(0, 4)} ${side} ${code}`,
  );

describe('check', () => {
  it('finds no error in a redacted recording of an API that conforms to its contract', async () => {
    const cassette = await record([
      [KEYS],
      [KEYS, '{"name":"ci"}'],
      ['/v1/files/file-notes/content'],
      ['/v1/files/none/content'],
    ]);
    expect(await checkCassette(cassette, parts)).toEqual([]);
    expect(formatCheck(cassette, [])).toEqual(['4 exchanges: all valid']);
  });

  it('finds the violations of an API', async () => {
    const change = (body: unknown): unknown => ({ ...(body as object), has_more: 'no', object: undefined });
    const findings = await checkCassette(await record([[KEYS]], { change }), parts);
    expect(findings.map(({ code, side }) => `${side} ${code}`).sort()).toEqual(['response REQUIRED', 'response TYPE']);
    expect(findings.find(({ code }) => code === 'TYPE')?.message).toContain('has_more');
  });

  it('finds an undocumented status', async () => {
    const intercept = (_request: unknown, response: { writeHead(status: number): { end(): unknown } }): boolean => {
      response.writeHead(418).end();
      return true;
    };
    expect(await codes(await record([[KEYS]], { intercept }))).toEqual(['error 0001 response STATUS_UNDECLARED']);
  });

  it('reports an invalid request as an error, or as a note if it was refused', async () => {
    const cassette = await record([[`${KEYS}?order=up`], [KEYS, '{"name":""}']]);
    expect(await codes(cassette)).toEqual(['error 0001 request ENUM', 'note 0002 request LENGTH']);
  });

  it('finds invalid files', async () => {
    const cassette = await record([[KEYS], ['/v1/files/file-notes/content']]);
    const renamed = edit(cassette, '0001-listAdminApiKeys.200.json', (text) =>
      text.replace('"listAdminApiKeys"', '"listAdminApiKey"'),
    );
    const findings = await checkCassette(renamed, parts);
    expect(findings[0]?.message).toBe(
      'operation "listAdminApiKey" is not in the contract; did you mean "listAdminApiKeys"?',
    );
    const moved = edit(renamed, '0002-downloadFile.200.json', (text) =>
      text.replace('/v1/files/file-notes/content', KEYS),
    );
    expect(await codes(moved)).toEqual(['error 0001 request OPERATION_UNKNOWN', 'error 0002 request PATH_MISMATCH']);
  });

  it('notes that the contract has changed', async () => {
    const cassette = edit(await record([[KEYS]]), 'cassette.json', (text) =>
      text.replace(/"hash": "\w+"/, '"hash": "other"'),
    );
    expect(await codes(cassette)).toEqual(['note cass cassette CONTRACT_CHANGED']);
    expect(formatCheck(cassette, await checkCassette(cassette, parts)).at(-1)).toBe('1 exchange: all valid');
  });

  it('finds pages that do not agree with their items or with each other', async () => {
    const recorded = await recordCalls((await startUpstream({ keys: 5 })).url, walk);
    expect(recorded.exchanges).toHaveLength(3);
    expect(await codes(recorded)).toEqual([]);
    const first = recorded.exchanges[0]?.response?.body as { data: readonly { id: string }[]; first_id: string };
    const lied = edit(recorded, '0001-listAdminApiKeys.200.json', (text) =>
      text.replace(`"first_id": "${first.first_id}"`, '"first_id": "key_other"'),
    );
    expect(await codes(lied)).toEqual(['error 0001 list LIST_INCONSISTENT']);
    const ended = edit(lied, '0002-listAdminApiKeys.200.json', (text) =>
      text.replace('"has_more": true', '"has_more": false'),
    );
    expect(await codes(ended)).toEqual(['error 0001 list LIST_INCONSISTENT', 'error 0002 list LIST_INCONSISTENT']);
    const last = recorded.exchanges[2]?.response?.body as { data: readonly { id: string }[] };
    const repeated = edit(ended, '0003-listAdminApiKeys.200.json', (text) =>
      text.replaceAll(last.data[0]?.id ?? '', first.data[1]?.id ?? ''),
    );
    expect(await codes(repeated)).toContain('error 0003 list LIST_REPEATS');
  });
});

describe('prune', () => {
  it('removes repetitions and operations that are not in the contract, and renumbers the others', async () => {
    const bytes = '/v1/files/file-bytes/content';
    const cassette = await record([
      [KEYS],
      [KEYS, '{"name":"a"}'],
      [KEYS],
      [KEYS],
      [KEYS],
      ['/v1/files/none/content'],
      [bytes],
    ]);
    const stale = edit(cassette, '0006-downloadFile.404.json', (text) => text.replace('"downloadFile"', '"fetchFile"'));
    const found = findRedundant(stale, parts);
    expect(found.map(({ exchange, why }) => `${exchange.number} ${why}`)).toEqual([
      '4 it repeats 0003-listAdminApiKeys.200.json',
      '5 it repeats 0004-listAdminApiKeys.200.json',
      '6 its request no longer matches operation "fetchFile"',
    ]);
    const renamed = await pruneCassette(stale, found);
    expect([...renamed]).toEqual([['0007-downloadFile.200.json', '0004-downloadFile.200.json']]);
    const after = loadCassette(cassette.folder);
    expect(after.exchanges.map(({ number, operation }) => `${number} ${operation}`)).toEqual([
      '1 listAdminApiKeys',
      '2 createAdminApiKey',
      '3 listAdminApiKeys',
      '4 downloadFile',
    ]);
    expect(after.exchanges[3]?.response).toEqual(cassette.exchanges[6]?.response);
    expect(findRedundant(after, parts)).toEqual([]);
  });

  it('renames the bodies of renumbered exchanges and removes unused ones', async () => {
    const change = (body: unknown): unknown => (typeof body === 'string' ? 'x'.repeat(70_000) : body);
    const cassette = await record([[KEYS], [KEYS], ['/v1/files/file-notes/content']], { change });
    writeFileSync(join(cassette.folder, 'bodies', '0099.bin'), 'left over');
    expect(cassette.exchanges[2]?.response?.bodyFile).toBe('bodies/0003.bin');
    await pruneCassette(cassette, findRedundant(cassette, parts));
    const after = loadCassette(cassette.folder);
    expect(after.exchanges[1]?.response?.bodyFile).toBe('bodies/0002.bin');
    expect(readdirSync(join(after.folder, 'bodies'))).toEqual(['0002.bin']);
    expect(readFileSync(join(after.folder, 'bodies/0002.bin'), 'utf8')).toBe(JSON.stringify('x'.repeat(70_000)));
  });
});
