import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defineCommand } from '../../src/cli/commands/import.js';
import { createMock } from '../../src/index.js';
import { EXPORTS, SHOP } from './old-mock.js';
import { createFolder } from '../folders.js';
import { runCommand } from '../cli/run-command.js';

/** Runs `vouch import`. @returns what it printed and its exit code. */
async function run(
  ...words: readonly string[]
): Promise<{ readonly lines: readonly string[]; readonly exit: unknown }> {
  const { text, exit } = await runCommand(defineCommand, [...words, '--spec', SHOP]);
  return { lines: text.split('\n'), exit };
}

it('vouch import writes a scenario and fixtures that serve loads, and prints where the old mock broke the contract', async () => {
  const folder = createFolder();
  const { lines, exit } = await run(join(EXPORTS, 'mockoon/rules.json'), '-o', folder);
  expect(lines[0]).toBe('imported 12 stubs and 1 collection from Mockoon');
  expect(lines).toContain('the old mock broke the contract in 4 places:');
  const [head, first] = lines.slice(lines.indexOf('the old mock broke the contract in 4 places:') + 1);
  expect(head?.trim().split(/ {2,}/)).toEqual(['where', 'stub', 'operation', 'part', 'code', 'what']);
  const cells = ['rules.json#/routes/5/responses/0', 'GET /baskets', '-', 'path', 'PATH_UNKNOWN'];
  expect(first?.trim().split(/ {2,}/)).toEqual([...cells, 'no operation in the contract has the path /v1/baskets']);
  expect(exit).toBe(1);
  expect(readdirSync(folder)).toEqual(['fixtures', 'scenarios']);
  await using mock = await createMock({
    spec: SHOP,
    fixtures: join(folder, 'fixtures'),
    scenarios: { from: join(folder, 'scenarios'), active: ['mockoon'] },
  });
  expect((await mock.fetch('/v1/orders/o2')).status).toBe(404);
  await expect(run(join(EXPORTS, 'mockoon/rules.json'), '-o', folder)).rejects.toThrow('FILE_EXISTS');
  const again = await run(join(EXPORTS, 'mockoon/rules.json'), '-o', folder, '--force');
  expect(again.lines[0]).toBe(lines[0]);
});

it('vouch import prints one JSON object, and ends with 0 if the old mock kept the contract', async () => {
  const folder = createFolder();
  const source = join(EXPORTS, 'postman/generated.postman_collection.json');
  const { lines, exit } = await run(source, '-o', folder, '--name', 'examples', '--json');
  expect(JSON.parse(lines.join('\n'))).toMatchObject({ format: 'postman', breaks: [], notCarriedOver: [] });
  expect(exit).toBe(0);
  expect(readdirSync(join(folder, 'scenarios'))).toEqual(['examples.yaml']);
});

it('vouch import records a HAR that Chromium wrote, and replays it', async () => {
  const folder = createFolder();
  const { lines, exit } = await run(join(EXPORTS, 'har/shop.har'), '-o', folder, '--json');
  const report = JSON.parse(lines.join('\n')) as {
    breaks: Record<string, string>[];
    notCarriedOver: Record<string, string>[];
  };
  expect(report.breaks.map(({ stub, code, pointer }) => [stub, code, pointer])).toEqual([
    ['GET /v1/orders', 'TYPE', '/1/quantity'],
    ['GET /v1/customers/c1', 'STATUS_UNDECLARED', ''],
    ['GET http://127.0.0.1:18099/v1/baskets', 'PATH_UNKNOWN', ''],
  ]);
  expect(report.notCarriedOver.map(({ what }) => what)).toEqual(['GET http://127.0.0.1:18099/']);
  expect(exit).toBe(1);
  const recordings = { folder: join(folder, 'fixtures', 'recordings'), cassette: 'shop', mode: 'replay' } as const;
  await using mock = await createMock({ spec: SHOP, recordings });
  const har = JSON.parse(readFileSync(join(EXPORTS, 'har/shop.har'), 'utf8')) as {
    log: {
      entries: {
        request: { method: string; url: string; postData?: { text: string } };
        response: { status: number; content: { text: string } };
      }[];
    };
  };
  const calls = har.log.entries.filter(({ request }) => /\/v1\/(?:orders|customers)/.test(request.url));
  for (const { request, response } of calls) {
    const body = request.postData?.text;
    const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
    const answer = await mock.fetch(new URL(request.url).pathname, { method: request.method, ...sent });
    expect([answer.status, await answer.json()]).toEqual([response.status, JSON.parse(response.content.text)]);
  }
});

it('vouch import says which formats it reads', async () => {
  await expect(run(SHOP)).rejects.toThrow(
    /IMPORT_UNREADABLE.*the format of the file is not known[^]*Postman collection/,
  );
  await expect(run('missing.json')).rejects.toThrow('there is no such file or folder');
});
