// @module-tag thorough
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../src/base/random.js';
import { drawAnswer } from './fuzz/answers.js';
import { type FuzzCase, listCases, readCase, saveCase, toText } from './fuzz/cases.js';
import { fuzz } from './fuzz/fuzz.js';
import { minimize } from './fuzz/reduce.js';
import { playCase } from './fuzz/replay.js';
import { type ServerProcess, spawnHost } from './fuzz/server-process.js';
import { soak } from './fuzz/soak.js';
import { drawTree, OUTSIDE } from './fuzz/trees.js';
import { createSharedFolder } from './folders.js';

// The servers are processes that run `dist/`; a busy machine takes seconds to start one.
const TIMEOUT = { timeout: 120_000 };

describe('what the fuzzer found', () => {
  let server: ServerProcess;
  beforeAll(() => {
    server = spawnHost();
    return () => server.stop();
  });
  it.each(listCases())('does not fail again: %s', TIMEOUT, async (name) => {
    const failure = await playCase(server, readCase(name));
    if (failure !== undefined) {
      await server.stop();
      server = spawnHost();
    }
    expect(failure).toBeUndefined();
  });
});

describe('the fuzzer', () => {
  const folder = createSharedFolder();
  const spec = join(folder, 'openapi.yaml');
  const operation = (id: string): string => `{operationId: ${id}, responses: {204: {description: ''}}}`;
  writeFileSync(
    spec,
    `openapi: 3.1.0\ninfo: {title: Small, version: '1'}\npaths:\n  /a: {get: ${operation('good')}}\n  /b: {get: ${operation('bad')}}\n`,
  );

  // Side by side: most of the time they wait for a server that is blocked.
  it.concurrent.each([
    ['crash', 'crash', 'Error: planted'],
    ['fail', 'server-error', 'planted'],
    ['leak', 'leak', OUTSIDE],
    ['stall', 'stall', 'blocked for'],
    ['hang', 'hang', ''],
    ['silent', 'hang', ''],
  ])('finds an operation that ends in a %s and reduces it', TIMEOUT, async (planted, kind, text) => {
    const own = mkdtempSync(join(folder, `${planted}-`));
    const spawn = (): ServerProcess => {
      const host = spawnHost();
      return { ...host, start: (mock, limitMs) => host.start({ ...mock, planted: { bad: planted } }, limitMs) };
    };
    // What blocks the server is played a few times only, as often as it takes to find its connection: each play lasts as long as the limit.
    const isQuick = ['crash', 'fail', 'leak'].includes(planted);
    // A machine with other work takes many times as long for the same CPU time.
    const limits = {
      hangMs: kind === 'hang' ? 2000 : 40_000,
      startMs: 40_000,
      stallMs: kind === 'stall' ? 300 : 10_000,
      rss: Infinity,
    };
    const options = {
      seed: 1,
      seconds: 0,
      requests: 12,
      workers: 3,
      mutations: 0,
      specs: [spec],
      folder: own,
      spawn,
      limits,
      reductionMs: 30_000,
      ...(!isQuick && { reductionPlays: 5 }),
      maxFailures: 1,
    };
    const { failures } = await fuzz(options);
    const cases = failures.map((path) => load(readFileSync(path, 'utf8')) as FuzzCase);
    const found = cases.find((each) => each.found.startsWith(kind));
    expect(found?.found).toContain(text);
    expect(found?.requests.map(toText).join('')).toContain('/b');
    expect(JSON.stringify(found?.document)).toContain('bad');
    if (!isQuick) return;
    expect(found?.requests).toHaveLength(1);
    expect(JSON.stringify(found?.document)).not.toContain('good');
  });

  it('finds nothing where nothing fails', TIMEOUT, async () => {
    const options = { seed: 2, seconds: 0, requests: 200, mutations: 20, specs: [spec], folder };
    expect(await fuzz(options)).toMatchObject({ requests: expect.any(Number), mutations: 20, failures: [] });
  });

  it('reduces lists to what fails', async () => {
    const items = Array.from({ length: 100 }, (_, i) => i);
    const needs = (wanted: readonly number[]) => (left: readonly number[]) =>
      Promise.resolve(wanted.every((item) => left.includes(item)));
    expect(await minimize(items, needs([3, 77]))).toEqual([3, 77]);
    expect(await minimize(items, needs([]))).toEqual([]);
  });

  it('draws folders with links, and answers with codings', () => {
    const trees = Array.from({ length: 200 }, (_, i) => Object.values(drawTree(createRandom(i, 'tree'))));
    expect(trees.flat().filter((entry) => typeof entry === 'object' && 'link' in entry).length).toBeGreaterThan(20);
    const answers = Array.from({ length: 40 }, (_, i) => drawAnswer(createRandom(i, 'answer')));
    for (const coding of ['gzip', 'deflate', 'br'])
      expect(answers.join('\n')).toContain(`Content-Encoding: ${coding}\r\n`);
  });

  it('saves a case that reads the same', () => {
    const requests = ['GET /\u00ff\0 HTTP/1.1\r\n\r\n', `POST / HTTP/1.1\r\n\r\n${'['.repeat(5000)}x${']'.repeat(70)}`];
    const path = saveCase({ kind: 'hang', text: 'x' }, { found: 'x', document: { a: 1 }, requests }, folder);
    const text = readFileSync(path, 'utf8');
    expect(text.length).toBeLessThan(600);
    expect((load(text) as FuzzCase).requests.map(toText)).toEqual(requests);
  });

  it('measures memory and the event loop under mixed load', TIMEOUT, async () => {
    const { requests, samples, failure } = await soak({ seed: 1, minutes: 0.025, everyMs: 300, ratio: 10 });
    expect(failure).toBeUndefined();
    expect(requests).toBeGreaterThan(0);
    expect(samples.length).toBeGreaterThan(1);
    expect(samples[0]?.heapUsed).toBeGreaterThan(1e6);
  });
});
