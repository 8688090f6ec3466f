// @module-tag slow
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/index.js';
import type { GivenRequest } from '../../src/tools/verify/cases.js';
import { createVerifyContext } from '../../src/tools/verify/context.js';
import { readRecordedRequests } from '../../src/tools/verify/recorded-cases.js';
import { readScenarioRequests } from '../../src/tools/verify/scenario-cases.js';
import { createTarget } from '../../src/tools/verify/target.js';
import type { Verification } from '../../src/tools/verify/events.js';
import { verifyService } from '../../src/tools/verify/verify.js';
import { createFolder } from '../folders.js';
import { finds, inPath, query, REMOVED, takes, toDocument } from '../operation-parts.js';
import { record, sendAll } from '../recording/recorded.js';
import { object, TEXT } from '../schema-parts.js';
import { serveInTest } from '../serve-in-test.js';

const PARCEL = object({ id: TEXT, weight: { type: 'number', minimum: 0 } }, 'id', 'weight');
const DOCUMENT = {
  ...toDocument({
    '/parcels': {
      post: {
        operationId: 'addParcel',
        ...takes(object({ weight: { type: 'number' }, note: TEXT }, 'weight'), PARCEL, 201),
      },
    },
    '/parcels/{id}': {
      ...inPath('id'),
      get: {
        operationId: 'getParcel',
        parameters: [query('unit', { type: 'string', enum: ['g', 'kg'] })],
        ...finds(PARCEL),
      },
      delete: { operationId: 'removeParcel', ...REMOVED },
    },
  }),
  servers: [{ url: 'https://parcels.example/v1' }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } },
};
const SECRET = 'sk-live-51H8xYzAbCdEfGhIjKlMnOpQr';
const contract = await loadContract(DOCUMENT);
const context = createVerifyContext(contract);

/** A service that has the parcel p7, whose weight it gives as text. @returns its base URL, and what it was asked. */
async function startService(): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const parcels = new Map<string, unknown>([['p7', { id: 'p7', weight: '2' }]]);
  const answer = async (request: IncomingMessage): Promise<readonly [status: number, body?: unknown]> => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://parcels');
    asked.push([request.method, request.url, body].filter((part) => part !== '').join(' '));
    if (searchParams.get('key') !== SECRET) return [401];
    if (request.method === 'POST') {
      const { weight } = (body.startsWith('{') && body.endsWith('}') ? JSON.parse(body) : {}) as {
        readonly weight?: unknown;
      };
      parcels.set('p8', { id: 'p8', weight: 1 });
      return typeof weight === 'number' ? [201, { id: 'p8', weight }] : [422];
    }
    if (request.headers['if-none-match'] !== undefined) return [304];
    const id = pathname.split('/').at(-1) ?? '';
    if (request.method === 'DELETE') return [parcels.delete(id) ? 204 : 404];
    const parcel = parcels.get(id);
    return parcel === undefined ? [404] : [200, parcel];
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
      response.end(request.method === 'HEAD' || body === undefined ? undefined : JSON.stringify(body));
    });
  });
  return { url: await serveInTest(server), asked };
}

/** Records requests to a service, whose documents are those below /v1. @returns the folder of the recordings. */
async function recordAt(url: string, calls: Parameters<typeof sendAll>[1]): Promise<string> {
  const { root } = await record(url, (mock) => sendAll(mock, calls), { spec: DOCUMENT });
  return root;
}

function verify(url: string, given: readonly GivenRequest[], allowUnsafe = false): Promise<Verification> {
  const target = createTarget({
    baseUrl: `${url}/api`,
    headers: {},
    query: { key: SECRET },
    rate: Infinity,
    timeoutMs: 5000,
    budgetMs: 60_000,
  });
  return verifyService(context, target, { allowUnsafe, includes: () => true, given });
}

const toTexts = ({ findings }: Verification): readonly string[] =>
  findings.map(({ code, case: name, message }) => `${code} (${name}) ${message}`);

describe('the requests of recordings', () => {
  it('are sent again below the base URL, with the credential of the user, and judged', async () => {
    const { url, asked } = await startService();
    const root = await recordAt(url, [
      [`/v1/parcels/p7?key=${SECRET}&unit=kg`],
      [`/v1/parcels/p7?key=${SECRET}&unit=kg`],
    ]);
    const { given } = await readRecordedRequests(root, context);
    const before = asked.length;
    const verification = await verify(url, given);
    expect(asked.slice(before).filter((line) => line.includes('p7'))).toEqual([
      `GET /api/parcels/p7?key=${SECRET}&unit=kg`,
    ]);
    expect(toTexts(verification)).toEqual([
      'BODY_WRONG (recording keys/0001-getParcel.200.json) answer property "weight" must be a number, got "2" (200)',
    ]);
    expect(JSON.stringify(verification)).not.toContain(SECRET);
    // Without the recording no parcel is known.
    expect(verification.verified).toContain('getParcel');
    expect((await verify(url, [])).verified).not.toContain('getParcel');
  });

  it('are read from one recording as from the folder of all', async () => {
    const { url } = await startService();
    const root = await recordAt(url, [['/v1/parcels/p7']]);
    expect((await readRecordedRequests(join(root, 'keys'), context)).given).toHaveLength(1);
  });

  it('are not expected to be answered as before', async () => {
    const { url } = await startService();
    const root = await recordAt(url, [[`/v1/parcels/p9?key=${SECRET}`]]);
    const { findings, learned } = await verify(url, (await readRecordedRequests(root, context)).given);
    expect({ findings, learned }).toEqual({ findings: [], learned: [] });
  });

  it.each<readonly [what: string, init: RequestInit, findings: number]>([
    ['without a condition, whose statuses few documents declare', { headers: { 'if-none-match': '"a"' } }, 1],
    ['with their method, and HEAD has no body to judge', { method: 'HEAD' }, 0],
  ])('are sent %s', async (_, init, findings) => {
    const { url } = await startService();
    const root = await recordAt(url, [[`/v1/parcels/p7?key=${SECRET}`, init]]);
    const texts = toTexts(await verify(url, (await readRecordedRequests(root, context)).given));
    expect(texts).toEqual(Array.from({ length: findings }, () => expect.stringMatching(/^BODY_WRONG/) as string));
  });

  it('that are invalid and had a secret are skipped', async () => {
    const { url } = await startService();
    const headers = { 'content-type': 'application/json' };
    const post = { method: 'POST', headers, body: JSON.stringify({ weight: 'heavy', note: SECRET }) };
    const root = await recordAt(url, [[`/v1/parcels?key=${SECRET}`, post]]);
    expect((await readRecordedRequests(root, context)).skipped).toEqual([
      {
        operation: 'addParcel',
        message: expect.stringMatching(/^a secret was removed from its request \(keys\/0001-/),
      },
    ]);
  });

  it('that are invalid have to be refused', async () => {
    const { url } = await startService();
    const root = await recordAt(url, [[`/v1/parcels/p7?key=${SECRET}&unit=lb`]]);
    expect(toTexts(await verify(url, (await readRecordedRequests(root, context)).given))).toEqual([
      expect.stringMatching(/^INVALID_ACCEPTED .*unit/),
      expect.stringMatching(/^BODY_WRONG/),
    ]);
  });

  it('that change something are only sent if that is allowed, and what they create is removed', async () => {
    const { url, asked } = await startService();
    const body = JSON.stringify({ weight: 3, note: 'glass' });
    const headers = { 'content-type': 'application/json' };
    const root = await recordAt(url, [[`/v1/parcels?key=${SECRET}`, { method: 'POST', headers, body }]]);
    const { given } = await readRecordedRequests(root, context);
    const listChanges = (): readonly string[] => asked.filter((line) => /^POST .*glass|^DELETE/.test(line));
    const before = listChanges().length;
    expect((await verify(url, given)).skipped).toContainEqual({
      operation: 'addParcel',
      message: 'POST may change something: --allow-unsafe sends it',
    });
    expect(listChanges()).toHaveLength(before);
    await verify(url, given, true);
    const changes = listChanges().slice(before);
    expect(changes.some((line) => line.startsWith('POST') && line.endsWith(body))).toBe(true);
    expect(changes.at(-1)).toMatch(/^DELETE .*\/parcels\/p8/);
  });

  it('to which no operation fits are skipped, with the reason', async () => {
    const { url } = await startService();
    const { root } = await record(url, (mock) => sendAll(mock, [['/v1/crates']]), { spec: DOCUMENT });
    expect((await readRecordedRequests(root, context)).skipped).toEqual([
      {
        operation: 'GET /v1/crates',
        message: expect.stringMatching(/^the document has no such operation \(keys\/0001-/),
      },
    ]);
  });

  it('of a folder without recordings are an error', async () => {
    await expect(readRecordedRequests(createFolder(), context)).rejects.toThrow(/^RECORDING_NOT_FOUND .*no recordings/);
  });
});

describe('the requests of scenarios', () => {
  const read = (operations: object): readonly GivenRequest[] =>
    readScenarioRequests(createFolder({ 'own.json': JSON.stringify({ operations }) }), context);

  it('are sent with the values of their conditions, and judged', async () => {
    const { url, asked } = await startService();
    const given = read({
      getParcel: { when: { path: { id: 'p7' }, query: { unit: { oneOf: ['kg', 'g'] } } }, respond: {} },
    });
    expect(toTexts(await verify(url, given))).toEqual([expect.stringMatching(/^BODY_WRONG \(scenario own\/getParcel/)]);
    expect(asked.filter((line) => line.includes('p7'))).toEqual([
      expect.stringMatching(/^GET \/api\/parcels\/p7\?unit=kg&key=/),
    ]);
  });

  it('have a valid body with the members of the condition', async () => {
    const { url, asked } = await startService();
    const given = read({ addParcel: { when: { body: { note: 'fragile' } }, respond: {} } });
    await verify(url, given, true);
    const sent = asked.find((line) => line.includes('fragile')) ?? '';
    expect(JSON.parse(sent.slice(sent.indexOf('{')))).toEqual({ note: 'fragile', weight: expect.any(Number) });
  });

  it.each<readonly [what: string, rule: object, ids: object]>([
    ['a matcher without a value', { when: { path: { id: { matches: '^x' } } }, respond: {} }, { id: 'p7' }],
    ['an unknown item', { when: { query: { unit: 'kg' } }, respond: {} }, {}],
    ['no condition', { respond: {} }, { id: 'p7' }],
    ['the second call', { when: { call: 2 }, respond: {} }, { id: 'p7' }],
  ])('are not made of %s', async (_, rule, ids) => {
    const cases = await Promise.all(read({ getParcel: rule }).map((each) => each.toCase({ ...ids })));
    expect(cases.filter((each) => each !== undefined)).toEqual([]);
  });

  it('whose rule answers with an error may be refused', async () => {
    const { url } = await startService();
    const given = read({ getParcel: { when: { path: { id: 'p0' } }, respond: { status: 404 } } });
    const { findings, learned } = await verify(url, given);
    expect({ findings, learned }).toEqual({ findings: [], learned: [] });
  });
});
