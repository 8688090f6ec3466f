import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Coverage, CoverageKind } from '../../src/features/coverage/coverage.js';
import { type Contract, createMock, loadContract, type MockOptions } from '../../src/index.js';
import { SCENARIOS, SPEC } from './document.js';
import { createSharedFolder } from '../folders.js';

let contract: Contract;
beforeAll(async () => {
  contract = await loadContract(SPEC);
});

const folder = createSharedFolder();

function open(options: Omit<MockOptions, 'spec'> = {}) {
  return createMock({ spec: contract, state: false, coverage: { folder: false }, ...options });
}

/** What was exercised, as `operation: item`, with the number of times. */
function listHits({ operations }: Coverage, kind?: CoverageKind): readonly string[] {
  return operations.flatMap(({ id, items }) =>
    items.flatMap((item) =>
      item.hits > 0 && (kind === undefined || item.kind === kind) ? `${id}: ${item.name} ${item.hits}` : [],
    ),
  );
}

describe('the coverage of a mock', () => {
  it('counts operations, and requests to no operation', async () => {
    const mock = await open();
    for (const path of ['/stations', '/stations', '/trains']) await mock.fetch(path);
    const { operations, requests, unmatched, kinds, document } = mock.coverage();
    expect(operations.map(({ id, hits }) => [id, hits])).toEqual([
      ['listStations', 2],
      ['addStation', 0],
      ['closeStation', 0],
    ]);
    expect({ requests, unmatched }).toEqual({ requests: 3, unmatched: 1 });
    expect(kinds.operations).toEqual({ covered: 1, total: 3, percent: 33.33 });
    expect(document).toEqual({ title: 'Trains', version: '1.0', hash: contract.hash });
  });

  it.each<readonly [what: string, path: string, headers: Record<string, string>, want: readonly string[]]>([
    ['a query parameter', '/stations?limit=2', {}, ['query limit']],
    ['one with an invalid value', '/stations?limit=x', {}, ['query limit']],
    ['one as an object', '/stations?filter[city]=Bern', {}, ['query filter']],
    ['a header', '/stations', { 'x-trace': '1' }, ['header X-Trace']],
    ['a cookie', '/stations', { cookie: 'a=1; theme=dark' }, ['cookie theme']],
    ['only undeclared ones', '/stations?page=2', { 'x-other': '1', cookie: 'other=1' }, []],
  ])('counts parameters by place and name: %s', async (_, path, headers, want) => {
    const mock = await open();
    await mock.fetch(path, { headers });
    expect(listHits(mock.coverage(), 'parameters')).toEqual(want.map((name) => `listStations: ${name} 1`));
  });

  it('counts path parameters with each call', async () => {
    const mock = await open();
    await mock.fetch('/stations/7', { method: 'DELETE' });
    expect(listHits(mock.coverage())).toEqual(['closeStation: path id 1', 'closeStation: 204 1']);
  });

  it('counts a range of statuses with each status of it, and "default" with every other', async () => {
    const mock = await open();
    await mock.fetch('/stations');
    await mock.fetch('/stations', { headers: { prefer: 'code=206' } });
    expect(listHits(mock.coverage(), 'statuses')).toEqual(['listStations: 2XX 2']);
    await mock.fetch('/stations?limit=x');
    expect(listHits(mock.coverage(), 'statuses')).toEqual(['listStations: 2XX 2', 'listStations: default 1']);
  });

  it('counts media types of requests and responses', async () => {
    const mock = await open();
    const send = (type: string, body: string) =>
      mock.fetch('/stations', { method: 'POST', headers: { 'content-type': type }, body });
    await send('application/json; charset=utf-8', '{}');
    expect(listHits(mock.coverage(), 'requestTypes')).toEqual(['addStation: application/json 1']);
    await send('application/x-www-form-urlencoded', 'a=1');
    expect(mock.coverage().kinds.requestTypes).toEqual({ covered: 2, total: 2, percent: 100 });
    await mock.fetch('/stations', { headers: { accept: 'text/csv' } });
    expect(listHits(mock.coverage(), 'responseTypes')).toEqual(['listStations: 2XX text/csv 1']);
  });

  it('counts examples that are answered, also by a rule of a scenario', async () => {
    const mock = await open({ scenarios: SCENARIOS });
    await mock.fetch('/stations');
    await mock.fetch('/stations', { headers: { accept: 'text/csv' } });
    const before = ['listStations: 2XX application/json: none 1', 'listStations: 2XX text/csv: example 1'];
    expect(listHits(mock.coverage(), 'examples').toSorted()).toEqual(before);
    await mock.fetch('/stations', { headers: { 'x-mock-scenario': 'late' } });
    expect(listHits(mock.coverage(), 'examples')).toContain('listStations: 2XX application/json: many 1');
  });

  it('counts a rule where it is defined, whichever scenario inherits it, and after it was removed', async () => {
    const mock = await open({ scenarios: SCENARIOS });
    mock.scenarios.add('extra', { operations: { closeStation: { delay: 1 } } });
    mock.scenarios.activate('late', 'extra');
    await mock.fetch('/stations', { method: 'POST' });
    await mock.fetch('/stations/7', { method: 'DELETE' });
    mock.scenarios.remove('extra');
    expect(mock.coverage().rules.map(({ key, hits }) => [key, hits])).toEqual([
      ['known/addStation[0]', 1],
      ['late/listStations[0]', 0],
      ['extra/closeStation[0]', 1],
    ]);
  });

  it('counts all sessions, more calls than the journal keeps, and survives a reset', async () => {
    const mock = await open({ journal: { limit: 1 } });
    for (let i = 0; i < 3; i++) await mock.session(`s${i}`).fetch('/stations');
    mock.reset();
    for (let i = 0; i < 3; i++) await mock.fetch('/stations');
    expect(mock.coverage().operations[0]?.hits).toBe(6);
    expect(mock.journal.interactions).toHaveLength(1);
  });

  it('still passes each interaction to onInteraction', async () => {
    const seen: string[] = [];
    const mock = await open({ onInteraction: (_, redact) => void seen.push(redact().url) });
    await mock.fetch('/stations');
    expect(seen).toEqual(['/stations']);
  });

  it('is not counted without the option', async () => {
    const mock = await createMock({ spec: contract });
    expect(() => mock.coverage()).toThrow(
      'OPTION_INVALID  the mock does not count its coverage\n  hint: switch it on: createMock({ spec, coverage: true })',
    );
  });
});

describe('the files of a run', () => {
  const own = join(folder, 'files');

  it('are written when a mock is closed, one for each mock, and complete at any time', async () => {
    const [one, other] = await Promise.all([open({ coverage: { folder: own } }), open({ coverage: { folder: own } })]);
    await one.fetch('/stations');
    await Promise.all([one.close(), other.close()]);
    const names = readdirSync(own);
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(name).toMatch(new RegExp(`^${contract.hash.slice(0, 12)}-${process.pid}-[0-9a-f]{8}\\.json$`));
      const counts = JSON.parse(readFileSync(join(own, name), 'utf8')) as Coverage & { readonly format: number };
      expect([counts.format, counts.document.hash]).toEqual([1, contract.hash]);
    }
  });

  it('are replaced by later calls of the same mock', async () => {
    const again = join(folder, 'again');
    const mock = await open({ coverage: { folder: again } });
    await mock.fetch('/stations');
    await mock.close();
    await mock.fetch('/stations');
    await mock.close();
    const [name = ''] = readdirSync(again);
    expect(JSON.parse(readFileSync(join(again, name), 'utf8'))).toMatchObject({ requests: 2 });
    expect(readdirSync(again)).toHaveLength(1);
  });

  it('are written without closing the mock, because test runners kill their workers', async () => {
    const unclosed = join(folder, 'open');
    const mock = await open({ coverage: { folder: unclosed } });
    await mock.fetch('/stations');
    await vi.waitFor(() => expect(readdirSync(unclosed)).toEqual([expect.stringMatching(/\.json$/)]));
    await mock.close();
  });

  it('leave no listener of the process', async () => {
    const before = [process.listenerCount('exit'), process.getMaxListeners()];
    const mock = await open({ coverage: { folder: own } });
    await mock.fetch('/stations');
    await mock.close();
    expect([process.listenerCount('exit'), process.getMaxListeners()]).toEqual(before);
  });

  it('cannot be written below a file', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(open({ coverage: { folder: join(file, 'x') } })).rejects.toThrow(
      /^OPTION_INVALID {2}the coverage cannot be written to ".*": .*\n {2}hint: name a folder that you may write to: coverage: \{ folder \} \(--coverage-folder\)$/,
    );
  });
});
