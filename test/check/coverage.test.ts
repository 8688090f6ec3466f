import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import {
  assertSatisfies,
  checkHandler,
  checkMiddleware,
  contractMatchers,
  loadContract,
} from '../../src/check/index.js';
import { type Coverage, mergeCoverage } from '../../src/features/coverage/coverage.js';
import { readCoverageFiles } from '../../src/features/coverage/files.js';
import { createMock } from '../../src/index.js';
import { createSharedFolder } from '../folders.js';
import { inPath, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';
import { serveInTest } from '../serve-in-test.js';

const TEA = object({ id: INTEGER, name: TEXT }, 'id');
const EXAMPLE = { id: 1, name: 'Oolong' };
const DOCUMENT = toDocument({
  '/teas': {
    get: {
      operationId: 'listTeas',
      parameters: [query('limit', { type: 'integer' }), { name: 'X-Trace', in: 'header', schema: TEXT }],
      ...shows(arrayOf(TEA)),
    },
    post: { operationId: 'addTea', ...takes(object({ name: TEXT }), TEA, 201) },
  },
  '/teas/{id}': {
    ...inPath('id'),
    get: {
      operationId: 'getTea',
      responses: {
        200: { description: 'A tea.', content: { 'application/json': { schema: TEA, example: EXAMPLE } } },
        404: { description: 'None.' },
      },
    },
  },
});

const folder = createSharedFolder();
const JSON_TYPE = { 'content-type': 'application/json' };
const LISTED = { status: 200, headers: JSON_TYPE, body: [] };

const open = () => loadContract(DOCUMENT, { coverage: { folder: false } });

/** What was exercised: `operation hits`, and its items. */
function listHits({ operations }: Coverage): readonly string[] {
  return operations.flatMap(({ id, hits, items }) =>
    hits === 0
      ? []
      : [`${id} ${hits}`, ...items.flatMap(({ name, hits: times }) => (times > 0 ? `${id}: ${name} ${times}` : []))],
  );
}

describe('the coverage of checked exchanges', () => {
  it('counts what a request sends and what its response is', async () => {
    const contract = await open();
    await contract.check({ url: '/teas?limit=2', headers: { 'x-trace': '1' } }, LISTED);
    await contract.check({ method: 'POST', url: '/teas', headers: JSON_TYPE, body: '{}' }, { status: 500 });
    expect(listHits(contract.coverage())).toEqual([
      'listTeas 1',
      'listTeas: query limit 1',
      'listTeas: header X-Trace 1',
      'listTeas: 200 1',
      'listTeas: 200 application/json 1',
      'addTea 1',
      'addTea: application/json 1',
    ]);
  });

  it('counts the request of a response that is checked alone, and no request without a response', async () => {
    const contract = await open();
    await contract.checkResponse({ url: '/teas?limit=x', headers: { 'x-trace': '1' } }, LISTED);
    await contract.checkRequest({ url: '/teas?limit=2' });
    expect(listHits(contract.coverage()).slice(0, 3)).toEqual([
      'listTeas 1',
      'listTeas: query limit 1',
      'listTeas: header X-Trace 1',
    ]);
  });

  it('counts exchanges that no operation fits', async () => {
    const contract = await open();
    await contract.check({ url: '/coffees' }, { status: 404 });
    await contract.checkResponse({ method: 'DELETE', url: '/teas' }, { status: 405 });
    const { requests, unmatched } = contract.coverage();
    expect({ requests, unmatched }).toEqual({ requests: 2, unmatched: 2 });
  });

  it.each([
    ['that is equal', { ...EXAMPLE }, 1],
    ['with another member', { ...EXAMPLE, origin: 'Taiwan' }, 0],
  ])('counts an example with an answer %s', async (_, body, want) => {
    const contract = await open();
    await contract.check({ url: '/teas/1' }, Response.json(body));
    expect(contract.coverage().kinds.examples.covered).toBe(want);
  });

  it('counts what matchers and assertions check', async () => {
    const contract = await open();
    await contractMatchers.toSatisfyContract([{ url: '/teas' }, LISTED], contract);
    await assertSatisfies([{ url: '/teas' }, LISTED], contract);
    expect(contract.coverage().operations[0]?.hits).toBe(2);
  });

  it('counts an exchange of a service once', async () => {
    const contract = await open();
    const serve: RequestListener = (_, response) => response.writeHead(200, JSON_TYPE).end('[]');
    for (const mode of ['report', 'refuse'] as const) {
      const checked = new Promise<void>((resolve) => {
        const handler = checkHandler(contract, serve, { mode, onResult: () => resolve() });
        void serveInTest(createServer(handler)).then((url) => supertest(url).get('/teas').set('x-trace', '1'));
      });
      await checked;
    }
    const raw = new Request('http://tea.example/teas', { headers: { 'x-trace': '1' } });
    const context = { req: { raw }, res: Response.json([]) };
    await checkMiddleware(contract)(context, () => Promise.resolve());
    expect(listHits(contract.coverage())).toEqual([
      'listTeas 3',
      'listTeas: header X-Trace 3',
      'listTeas: 200 3',
      'listTeas: 200 application/json 3',
    ]);
  });

  it('is written to the folder, where it adds up with that of mocks', async () => {
    const path = join(folder, 'checks');
    const contract = await loadContract(DOCUMENT, { coverage: { folder: path } });
    await contract.check({ url: '/teas' }, LISTED);
    contract.coverage();
    const mock = await createMock({ spec: DOCUMENT, coverage: { folder: path } });
    await mock.fetch('/teas/1');
    await mock.close();
    const [merged, ...others] = mergeCoverage(readCoverageFiles(path));
    expect(others).toEqual([]);
    expect(merged?.operations.map(({ id, hits }) => [id, hits])).toEqual([
      ['listTeas', 1],
      ['addTea', 0],
      ['getTea', 1],
    ]);
  });

  it('is an option', async () => {
    const contract = await loadContract(DOCUMENT);
    expect(() => contract.coverage()).toThrow(
      /^OPTION_INVALID .*coverage\n.*loadContract\(spec, \{ coverage: true \}\)/,
    );
  });
});
