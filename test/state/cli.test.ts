// @module-tag slow
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFixturesExport, runFixturesInit } from '../../src/cli/commands/fixtures.js';
import { runResources } from '../../src/cli/commands/resources.js';
import { createMock } from '../../src/index.js';
import { AUTHORIZED, jsonInit } from '../describe-both.js';

const SPEC = 'spec/openapi.yaml';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-fixtures-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What a command writes, and what it ends with. */
async function run(
  command: (write: (text: string) => void) => Promise<number>,
): Promise<{ code: number; text: string }> {
  let text = '';
  const code = await command((more) => {
    text += `${more}\n`;
  });
  return { code, text };
}

describe('vouch resources', () => {
  it('shows what each operation does, with confidence and reason', async () => {
    const { code, text } = await run((write) => runResources({ spec: SPEC, json: false, write }));
    expect(code).toBe(0);
    expect(text).toContain(
      'admin_api_keys  (id: id; returned only once: value; schema #/components/schemas/AdminApiKey)',
    );
    expect(text).toMatch(/list +GET \/organization\/admin_api_keys +0\.95 +GET; the response is a list in "data"/);
    expect(text).toMatch(/delete +DELETE \/vector_stores\/\{vector_store_id\}\/files\/\{file_id\} +1\.00/);
    expect(text).toContain('4 of 4 operations bound');
  });

  it('says the same as data', async () => {
    const { text } = await run((write) => runResources({ spec: SPEC, json: true, write }));
    const report = JSON.parse(text) as {
      collections: { name: string; members?: string; operations: { action: string }[] }[];
    };
    const keys = report.collections.find(({ name }) => name === 'admin_api_keys');
    expect(keys?.operations.map(({ action }) => action)).toEqual(['list', 'create']);
    expect(report.collections.find(({ name }) => name === 'vector_stores.files')?.members).toBe('files');
  });
});

describe('vouch fixtures', () => {
  it('init writes fixtures that a mock starts with', async () => {
    const { code, text } = await run((write) => runFixturesInit({ spec: SPEC, into: folder, items: 4, write }));
    expect(code).toBe(0);
    expect(text).toBe(`wrote ${join(folder, 'admin_api_keys.yaml')}\n`);
    const mock = await createMock({ spec: SPEC, fixtures: folder });
    const body = (await (await mock.fetch('/v1/organization/admin_api_keys', { headers: AUTHORIZED })).json()) as {
      data: unknown[];
    };
    expect(body.data).toHaveLength(4);
  });

  it('init says that it wrote nothing where no collection has items', async () => {
    const spec = { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: {} };
    await writeFile(join(folder, 'none.json'), JSON.stringify(spec));
    const own = { spec: join(folder, 'none.json'), into: join(folder, 'made') };
    const { code, text } = await run((write) => runFixturesInit({ ...own, write }));
    expect([code, text]).toEqual([0, 'wrote nothing: no collection has items\n']);
  });

  it('init overwrites files only with --force', async () => {
    const init = (force: boolean): Promise<number> =>
      runFixturesInit({ spec: SPEC, into: folder, force, write: () => undefined });
    await init(false);
    await expect(init(false)).rejects.toMatchObject({ code: 'FIXTURE_EXISTS' });
    await expect(init(true)).resolves.toBe(0);
  });

  it('export writes the state of a running mock, and a mock that starts with it continues from there', async () => {
    const list = '/v1/organization/admin_api_keys?limit=100';
    const mock = await createMock({ spec: SPEC, fixtures: 'fixtures' });
    const { url } = await mock.listen();
    await fetch(`${url}/v1/organization/admin_api_keys`, jsonInit('POST', { name: 'made' }));
    await run((write) => runFixturesExport({ url, into: folder, write }));
    const before: unknown = await (await fetch(url + list, { headers: AUTHORIZED })).json();
    await mock.close();
    expect((await readdir(folder)).toSorted()).toEqual([
      'admin_api_keys.yaml',
      'files.yaml',
      'vector_stores.files.yaml',
      'vector_stores.yaml',
    ]);
    const next = await createMock({ spec: SPEC, fixtures: folder });
    expect(await (await next.fetch(list, { headers: AUTHORIZED })).json()).toEqual(before);
    const bytes = await next.fetch('/v1/files/file-bytes/content', {
      headers: { ...AUTHORIZED, accept: 'application/octet-stream' },
    });
    expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(Uint8Array.from({ length: 256 }, (_, i) => i));
    expect(await readFile(join(folder, 'files.yaml'), 'utf8')).toContain('Refunds are possible within 30 days.');
  });

  it('export says so where no mock answers', async () => {
    const mock = await createMock({ spec: SPEC });
    const { url } = await mock.listen();
    await mock.close();
    await expect(runFixturesExport({ url, into: folder, write: () => undefined })).rejects.toMatchObject({
      code: 'STATE_UNREADABLE',
    });
  });
});
