// @module-tag slow
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { loadContract } from '../../src/index.js';
import { createVerifyContext } from '../../src/tools/verify/context.js';
import { createVerification, type Verification, type VerifyEvent } from '../../src/tools/verify/events.js';
import { createReporter, REPORT_FORMATS, type ReportFormat } from '../../src/tools/verify/report.js';
import { createTarget, type Target, type TargetOptions } from '../../src/tools/verify/target.js';
import { verifyService, type VerifyOptions } from '../../src/tools/verify/verify.js';
import { finds, inPath, query, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { object, TEXT } from '../schema-parts.js';
import { serveInTest } from '../serve-in-test.js';
import { DOCUMENT, startLibrary } from './library.js';

const contract = await loadContract(DOCUMENT);
const TOKEN = 'verify-token-1';

interface Run {
  readonly events: readonly VerifyEvent[];
  readonly verification: Verification;
  readonly target: Target;
}

/** Verifies a service. @param onRequest - Called before each request with its number, from 1 on. */
async function run(
  baseUrl: string,
  {
    of = contract,
    onRequest,
    ...options
  }: Partial<VerifyOptions> & {
    readonly of?: typeof contract;
    readonly onRequest?: (target: Target, count: number) => void;
  } = {},
  more: Partial<TargetOptions> = {},
): Promise<Run> {
  const events: VerifyEvent[] = [];
  let count = 0;
  const target = createTarget({
    baseUrl,
    headers: { authorization: `Bearer ${TOKEN}` },
    rate: Infinity,
    timeoutMs: 5000,
    budgetMs: 60_000,
    beforeRequest: (request) => {
      onRequest?.(target, ++count);
      return request;
    },
    ...more,
  });
  const verification = await verifyService(createVerifyContext(of), target, {
    allowUnsafe: true,
    includes: () => true,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { events, verification, target };
}

function report(format: ReportFormat, { events }: Run): string {
  const reporter = createReporter(format, { contract, baseUrl: 'http://library', toolVersion: '1' });
  return events.flatMap((event) => reporter(event) ?? []).join('\n');
}

const only = <Type extends VerifyEvent['type']>({ events }: Run, type: Type): Extract<VerifyEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<VerifyEvent, { type: Type }> => event.type === type);

it('the events of a run add up to its result', async () => {
  const { url } = await startLibrary('wrongType');
  const done = await run(url);
  const sum = createVerification();
  for (const event of done.events) sum.add(event);
  expect(sum.read()).toEqual(done.verification);
  expect(done.events[0]).toEqual({
    type: 'start',
    title: 'Library',
    version: '1',
    baseUrl: url,
    operations: 6,
    allowUnsafe: true,
  });
  const { requests, verified } = done.verification;
  expect(done.events.at(-1)).toEqual({
    type: 'end',
    requests,
    findings: 1,
    suppressed: 0,
    verified: verified.length,
    skipped: 0,
    isCut: false,
  });
  expect(only(done, 'operation').map(({ operation }) => operation)).toEqual(verified);
  expect(only(done, 'request')).toHaveLength(requests);
  expect(only(done, 'response')[0]).toMatchObject({
    operation: 'listBooks',
    method: 'GET',
    target: '/books',
    status: 200,
  });
});

it('a finding follows the answer that shows it, and one with the same cause is repeated', async () => {
  const { url } = await startLibrary('missingMember');
  const done = await run(url);
  const findings = only(done, 'finding');
  expect(findings.map(({ state }) => state)).toEqual(['new', ...findings.slice(1).map(() => 'repeated')]);
  expect(findings.length).toBeGreaterThan(1);
  const at = done.events.findIndex(({ type }) => type === 'finding');
  expect(done.events[at - 1]).toMatchObject({ type: 'response', operation: findings[0]?.operation });
});

it('a suppressed finding of one operation leaves those of others with the same cause', async () => {
  const level = shows({ $ref: '#/components/schemas/Level' });
  const paths = { '/a': { get: { operationId: 'a', ...level } }, '/b': { get: { operationId: 'b', ...level } } };
  const of = await loadContract(toDocument(paths, { Level: object({ level: TEXT }, 'level') }));
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  );
  const done = await run(await serveInTest(server), { of, isSuppressed: ({ operation }) => operation === 'a' });
  expect(done.verification.findings.map(({ operations }) => operations)).toEqual([['b']]);
  expect(done.verification.suppressed.map(({ operations }) => operations)).toEqual([['a']]);
  expect(report('text', done)).toContain('1 finding, 1 suppressed');
});

it('no event has a credential that the service repeats', async () => {
  const of = await loadContract(
    toDocument({
      '/me': { get: { operationId: 'me', parameters: [query('n', TEXT)], ...shows(object({ id: TEXT }, 'id')) } },
    }),
  );
  const server = createServer(({ headers }, response) => {
    const { authorization = '' } = headers;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token: authorization }));
  });
  const done = await run(await serveInTest(server), { of });
  expect(only(done, 'finding').map(({ answer }) => answer)).toContain('{"token":"Bearer [redacted]"}');
  const all = REPORT_FORMATS.map((format) => report(format, done));
  expect(all.join('\n')).not.toContain(TOKEN);
});

/** Whether a report is whole. */
const WHOLE: Readonly<Record<ReportFormat, (text: string) => unknown>> = {
  text: (text) => expect(text).toMatch(/^\d operations? verified, \d skipped, \d+ requests: 1 finding; it was ended$/m),
  json: (text) => expect(JSON.parse(text)).toMatchObject({ isCut: true, reason: 'it was ended' }),
  ndjson: (text) =>
    expect(text.split('\n').map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ type: 'end', isCut: true, reason: 'it was ended' }),
    ),
  junit: (text) => expect(text).toMatch(/<skipped message="it was ended"\/>[^]*<\/testsuites>$/),
  sarif: (text) =>
    expect(JSON.parse(text)).toMatchObject({ runs: [{ invocations: [{ executionSuccessful: false }] }] }),
  github: (text) => expect(text).toMatch(/^::error .*\n.*1 finding; it was ended$/),
  html: (text) => expect(text).toMatch(/1 finding; it was ended<[^]*<\/html>$/),
};

it.each([1, 5, 9, 15, 20, 24, 33, 47])(
  'a run that ends before request %i removes what it has created, and every report is whole',
  async (end) => {
    const { url, books } = await startLibrary('wrongType');
    const before = [...books.keys()];
    const done = await run(url, {
      onRequest: (target, count) => {
        if (count === end) target.stop('it was ended');
      },
    });
    expect([...books.keys()]).toEqual(before);
    expect(done.verification.skipped.map(({ message }) => message)).toContain('it was ended');
    // Only removals are sent after the end.
    const later = only(done, 'response').slice(end);
    expect(later.filter(({ method }) => method !== 'DELETE')).toEqual([]);
    if (done.verification.findings.length === 0) return;
    for (const format of REPORT_FORMATS) WHOLE[format](report(format, done));
  },
);

it('a service that crashes has the findings until then, and what cannot be removed is named', async () => {
  const { url, close, books } = await startLibrary('missingMember');
  const done = await run(url, { onRequest: (_, count) => count === 20 && close() });
  const { findings, skipped, learned, reason } = done.verification;
  expect(findings.map(({ code }) => code)).toContain('BODY_WRONG');
  // What comes after the crash says nothing about an operation.
  expect(findings.map(({ code }) => code)).not.toContain('ANSWER_MISSING');
  expect(reason).toMatch(/^the service cannot be reached any more since GET \S+: connect ECONNREFUSED/);
  expect(skipped.map(({ message }) => message)).toContain(reason);
  expect(done.target.isLost).toBe(true);
  const left = [...books.keys()].slice(5);
  expect(left.length).toBeGreaterThan(0);
  for (const id of left) {
    expect(learned.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(`the created item ${id} is not removed: the service cannot be reached any more`),
    );
  }
});

it.each(['GET', 'POST'] as const)('a connection that is closed once before the answer to a %s', async (method) => {
  const operation = { operationId: 'ring', ...shows(object({ id: TEXT }, 'id')) };
  const of = await loadContract(toDocument({ '/bell': { [method.toLowerCase()]: operation } }));
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    if (count === 1) request.socket.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}');
  });
  const { findings } = (await run(await serveInTest(server), { of })).verification;
  // A POST may have been done.
  expect(findings.map(({ code }) => code)).toEqual(method === 'GET' ? [] : ['ANSWER_MISSING']);
});

it('a hook that fails ends the run with its report, and what was created is removed', async () => {
  const { url, books } = await startLibrary();
  const before = [...books.keys()];
  const events: VerifyEvent[] = [];
  const failing = run(url, {
    onEvent: (event) => events.push(event),
    onRequest: (_, count) => {
      if (count === 20) throw new Error('no tenant');
    },
  });
  await expect(failing).rejects.toThrow('no tenant');
  expect(events.at(-1)).toMatchObject({ type: 'end', isCut: true, reason: 'it failed: no tenant' });
  expect([...books.keys()]).toEqual(before);
});

it('an item that cannot be removed is named', async () => {
  const NOTE = object({ id: TEXT, text: TEXT }, 'id', 'text');
  const of = await loadContract(
    toDocument({
      '/notes': { post: { operationId: 'addNote', ...takes(object({ text: TEXT }, 'text'), NOTE, 201) } },
      '/notes/{id}': {
        ...inPath('id'),
        get: { operationId: 'getNote', ...finds(NOTE) },
        delete: { operationId: 'removeNote', ...REMOVED },
      },
    }),
  );
  const server = createServer((request, response) => {
    const status = { DELETE: 409, POST: 201 }[request.method ?? ''] ?? 404;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'n1', text: 'vouch a0' }));
  });
  const { verification } = await run(await serveInTest(server), { of });
  expect(verification.learned).toContainEqual({
    operation: 'removeNote',
    message: 'the created item n1 is not removed: it answers 409',
  });
});
