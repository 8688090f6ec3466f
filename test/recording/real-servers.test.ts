// @module-tag thorough
// Real servers: a workflow of each is recorded, replayed while the server is stopped, checked, compared and promoted.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { isAbsolute, join, parse } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { promoteCassette } from '../../src/cli/commands/recordings/promote.js';
import { createMock, type Mock } from '../../src/index.js';
import { type Cassette, loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { checkCassette } from '../../src/features/recording/drift/check.js';
import { createResponseCheck } from '../../src/http/response/response-check.js';
import { type DriftResult, findDrift } from '../../src/features/recording/drift/drift.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { createUpstream } from '../../src/features/recording/upstream/upstream.js';
import { loadParts } from './contract.js';
import { createFolder } from '../folders.js';
import { ALERTMANAGER } from './services/alertmanager.js';
import { ARIA2 } from './services/aria2.js';
import { DOCKER } from './services/docker.js';
import { ETCD } from './services/etcd.js';
import { JSON_SERVER } from './services/json-server.js';
import { POWERDNS, POWERDNS_SCHEMA } from './services/powerdns.js';
import { findProgram, type Service, start, type Step } from './services/service.js';
import { SYNCTHING } from './services/syncthing.js';

describe.each([
  { name: 'Alertmanager', needs: ['prometheus-alertmanager'], service: ALERTMANAGER },
  { name: 'PowerDNS', needs: ['pdns_server', 'sqlite3', POWERDNS_SCHEMA], service: POWERDNS },
  { name: 'etcd', needs: ['etcd'], service: ETCD },
  { name: 'Docker', needs: ['dockerd'], service: DOCKER },
  { name: 'json-server', needs: ['json-server'], service: JSON_SERVER },
  { name: 'Syncthing', needs: ['syncthing'], service: SYNCTHING },
  { name: 'aria2', needs: ['aria2c'], service: ARIA2 },
])('a recording of $name', ({ needs, service }) => {
  it('is replayed without the server, valid, in sync with it, and the same mock when promoted', async (context) => {
    const missing = needs.filter((each) => (isAbsolute(each) ? !existsSync(each) : findProgram(each) === undefined));
    if (missing.length > 0) context.skip(`${missing.join(', ')} is not installed: see the packages in .ci/run`);
    const folder = createFolder();
    mkdirSync(join(folder, 'server'));
    const server = await start(service, join(folder, 'server')).catch((error: unknown) => {
      // A server that asks the machine for more than a process can always do.
      if (service.probe !== undefined) context.skip(`it does not start here: ${String(error)}`);
      throw error;
    });
    const obstacle = await service.probe?.(server.url);
    if (obstacle !== undefined) context.skip(obstacle);
    const recorded = await run(service, await openMock(service, folder, { mode: 'record-all', upstream: server.url }));
    const cassette = loadCassette(join(folder, 'recordings', 'real'));
    expect(cassette.mistakes).toEqual([]);
    expect(cassette.exchanges).toHaveLength(service.workflow.length);

    const parts = await loadParts(service.spec);
    const compared = await drift(service, cassette, server.url);
    const offContract: readonly string[] = service.isOffContract === true ? OFF_CONTRACT : [];
    const expected: ReadonlySet<string> = new Set(['in-sync', 'skipped', ...offContract]);
    const others = compared.filter(({ verdict }) => !expected.has(verdict));
    expect(others.map(({ file, verdict, reason }) => [file, verdict, reason])).toEqual(service.notCompared);
    await server.stop();

    const replayed = await run(service, await openMock(service, folder, { mode: 'replay' }));
    expect(replayed).toEqual(recorded);
    const findings = await checkCassette(cassette, parts);
    const errors = findings.filter(({ severity }) => severity === 'error');
    expect(errors.length > 0).toBe(service.isOffContract === true);

    const into = join(folder, 'fixtures');
    const outcome = await promoteCassette(cassette, parts, { spec: service.spec, into });
    const wrong = outcome.answers.filter(({ verdict }) => verdict !== 'right');
    expect(wrong.map(({ file, verdict, why }) => [verdict, file, ...why])).toEqual(
      service.differs.map(([file, ...why]) => ['differs', file, ...why.map((line) => expect.stringMatching(line))]),
    );
    expect(wrong.length / outcome.answers.length).toBeLessThan(0.15);
    if (service.isOffContract === true) expect(outcome.drift).not.toEqual([]);
    expect(outcome.skipped.map(({ collection, why }) => `${collection}: ${why}`)).toEqual(service.skipped);
    // As `vouch serve` loads what was written.
    const from = join(folder, 'scenarios');
    const active = existsSync(from) ? readdirSync(from).map((file) => parse(file).name) : [];
    const promoted = await createMock({
      spec: service.spec,
      overlays: outcome.files.filter((file) => file.endsWith('.overlay.json')),
      ...(existsSync(into) && { fixtures: into }),
      ...(active.length > 0 && { scenarios: { from, active } }),
      clock: cassette.manifest.recordedAt,
    });
    const toFacts = ({ status, type }: Seen, i: number): unknown => [
      cassette.exchanges[i]?.file,
      status,
      type?.split(';')[0],
    ];
    const seen = await run(service, promoted);
    expect(seen.map(toFacts)).toEqual(recorded.map(toFacts));
    await service.verify?.(outcome, into);
  });
});

/** What is said of answers that the document does not allow. */
const OFF_CONTRACT = ['contract-wrong', 'both-off-contract'];

/** What a client saw of an answer. */
interface Seen {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

type BodyOf = (bodies: readonly string[]) => unknown;

/** Runs a workflow against a mock on a socket, and closes the mock. */
async function run({ workflow, headers }: Service, mock: Mock): Promise<readonly Seen[]> {
  const { url } = await mock.listen();
  const seen: Seen[] = [];
  for (const step of workflow) {
    const bodies = seen.map((each) => each.body);
    const path = typeof step.path === 'string' ? step.path : step.path(bodies);
    const body = typeof step.body === 'function' ? (step.body as BodyOf)(bodies) : step.body;
    seen.push(await send(`${url}${path}`, { ...step, body }, step.anonymous === true ? {} : headers));
  }
  await mock.close();
  return seen;
}

function send(url: string, { method, body, until }: Step, headers: Service['headers']): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = httpRequest(url, { method, headers: { ...headers, ...type }, agent: false }, (message) => {
      let text = '';
      const finish = (): void =>
        resolve({ status: message.statusCode, type: message.headers['content-type'], body: text });
      message.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (until === undefined || !text.includes(until)) return;
        finish();
        request.destroy();
      });
      message.on('end', finish).on('error', () => undefined);
    });
    request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A mock with the recording of a service. */
function openMock({ spec }: Service, folder: string, more: Partial<RecordingOptions>): Promise<Mock> {
  const recordings = { folder: join(folder, 'recordings'), cassette: 'real', live: true, ...more } as const;
  return createMock({ spec, recordings });
}

/** The differences between a cassette and the server, with every operation sent. */
async function drift(service: Service, cassette: Cassette, url: string): Promise<readonly DriftResult[]> {
  const { contract, validators } = await loadParts(service.spec);
  const upstream = createUpstream(url);
  onTestFinished(upstream.close);
  const check = createResponseCheck(validators);
  return findDrift({ contract, cassette, upstream, headers: service.headers, operations: [], check });
}
