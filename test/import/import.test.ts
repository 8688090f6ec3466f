// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getResponse, http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { type Answered, EXPORTS, expectSameAnswers, importFrom, readAnswers, serve } from './old-mock.js';
import { createFolder } from '../folders.js';

const read = (path: string): unknown => JSON.parse(readFileSync(join(EXPORTS, path), 'utf8'));

function writeSource(name: string, value: unknown): string {
  const file = join(createFolder(), name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

describe('an imported scenario answers as the old mock', () => {
  it.each([
    ['WireMock', 'wiremock', 'wiremock-answers.json'],
    ['WireMock, with every kind of matcher, from its admin API', 'wiremock-admin.json', 'wiremock-admin-answers.json'],
    ['Mockoon', 'mockoon/rules.json', 'mockoon-answers.json'],
  ])('%s', async (_, source, answers) => {
    await using mock = await serve(await importFrom(join(EXPORTS, source)));
    await expectSameAnswers(mock, readAnswers(answers));
  });

  it('Postman, with its examples by default, by name and by status', async () => {
    await using mock = await serve(await importFrom(join(EXPORTS, 'postman/shop.postman_collection.json')));
    const get = async (path: string, headers: Record<string, string> = {}): Promise<unknown> => {
      const response = await mock.fetch(path, { headers });
      return [
        response.status,
        await response.text().then((text) => (text.startsWith('s') ? text : (JSON.parse(text) as unknown))),
      ];
    };
    const [first, second] = [
      { id: 'o1', item: 'book', quantity: 1, status: 'open' },
      { id: 'o2', item: 'lamp', quantity: 2, status: 'paid' },
    ];
    expect(await get('/v1/orders')).toEqual([200, [first, second]]);
    expect(await get('/v1/orders?status=paid')).toEqual([200, [second]]);
    expect(await get('/v1/orders/o1')).toEqual([200, first]);
    expect(await get('/v1/orders/none')).toEqual([404, { message: 'no such order' }]);
    expect(await get('/v1/customers/c1', { 'x-mock-response-code': '418' })).toEqual([418, 'short']);
    expect(await get('/v1/orders', { 'x-mock-response-name': 'paid' })).toEqual([200, [second]]);
    const refused = await mock.fetch('/v1/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"item":"book","quantity":-1}',
    });
    expect([refused.status, await refused.json()]).toEqual([422, { message: 'no', code: 'x' }]);
  });

  it('a list of handlers, as MSW answers with the same ones', async () => {
    const list = [
      {
        method: 'GET',
        path: '/v1/orders',
        status: 200,
        headers: { 'X-Total-Count': '1' },
        body: [{ id: 'o1', item: 'pen', quantity: 1, status: 'open' }],
      },
      { method: 'GET', path: '/v1/orders/:orderId', status: 404, body: { message: 'no order' } },
      { method: 'DELETE', path: '/v1/orders/:orderId', status: 204 },
      { method: 'GET', path: '/v1/customers', status: 500, body: { message: 'down' } },
    ] as const;
    const handlers = list.map(({ method, path, status, ...more }) => {
      const make = { GET: http.get, DELETE: http.delete }[method];
      const headers = 'headers' in more ? more.headers : {};
      return make(`http://localhost${path}`, () =>
        'body' in more ? HttpResponse.json(more.body, { status, headers }) : new HttpResponse(null, { status }),
      );
    });
    const answers: Answered[] = [];
    for (const [method, path] of [
      ['GET', '/v1/orders'],
      ['GET', '/v1/orders/o7'],
      ['DELETE', '/v1/orders/o7'],
      ['GET', '/v1/customers'],
    ] as const) {
      const response = await getResponse(handlers, new Request(`http://localhost${path}`, { method }));
      if (response === undefined) throw new Error(`MSW has no answer to ${path}`);
      const headers = Object.fromEntries(response.headers);
      delete headers['content-length'];
      answers.push({ method, path, answer: { status: response.status, headers, body: await response.text() } });
    }
    const imported = await importFrom(writeSource('handlers.json', list));
    await using mock = await serve(imported);
    await expectSameAnswers(mock, answers);
    expect(imported.breaks.map(({ code, stub }) => [code, stub])).toEqual([['STATUS_UNDECLARED', 'GET /v1/customers']]);
    const byRequest = { 'GET /v1/orders': { status: 200, body: [] }, 'DELETE /v1/orders/{id}': { status: 204 } };
    await using other = await serve(await importFrom(writeSource('by-request.json', byRequest)));
    expect(await (await other.fetch('/v1/orders')).json()).toEqual([]);
  });
});

describe('imported fixtures', () => {
  it('answer as the data bucket of a CRUD route of Mockoon, for the items that conform', async () => {
    await using mock = await serve(await importFrom(join(EXPORTS, 'mockoon/crud.json')));
    const [list, ...items] = readAnswers('mockoon-crud-answers.json');
    await expectSameAnswers(mock, items);
    const all = JSON.parse(list?.answer.body ?? '') as readonly { id: unknown }[];
    const conforming = all.filter(({ id }) => typeof id === 'string');
    expect(await (await mock.fetch('/v1/customers')).json()).toEqual(conforming);
  });

  it('are the items of a db.json of json-server that conform', async () => {
    const imported = await importFrom(join(EXPORTS, 'json-server/db.json'));
    await using mock = await serve(imported);
    const { orders, customers } = read('json-server/db.json') as Record<string, readonly { id: string }[]>;
    expect(await (await mock.fetch('/v1/orders')).json()).toEqual(orders?.filter(({ id }) => id !== 'o2'));
    expect(await (await mock.fetch('/v1/customers')).json()).toEqual(customers);
    expect(imported.breaks.map(({ at, code, pointer }) => `${at} ${code} ${pointer}`.trim())).toEqual([
      'db.json#/orders TYPE /1/quantity',
      'db.json#/orders ENUM /1/status',
      'db.json#/baskets PATH_UNKNOWN',
      'db.json#/profile PATH_UNKNOWN',
    ]);
  });

  it('are the items that static answers show', async () => {
    const { fixtures } = await importFrom(join(EXPORTS, 'wiremock'));
    const items = fixtures.map(({ path, content }) => [
      path,
      (JSON.parse(String(content)) as { items: unknown[] }).items.length,
    ]);
    expect(items).toEqual([
      ['customers.json', 40],
      ['orders.json', 2],
    ]);
  });
});

describe('an import lists', () => {
  it.each([
    [
      'wiremock',
      [
        'create exact: STATUS_UNDECLARED status 200 is not declared by createOrder, which declares 201, 422',
        'wrong customer: REQUIRED /name answer property "name" is required',
        'wrong customer: TYPE /id answer property "id" must be a string, got 7',
        'teapot: STATUS_UNDECLARED status 418 is not declared by getCustomer, which declares 200, 404',
        'not in the document: PATH_UNKNOWN no operation in the contract has the path /v1/baskets',
      ],
    ],
    [
      'postman/shop.postman_collection.json',
      [
        'Orders / Create an order · created: HEADER_REQUIRED /location response header "location" is required',
        'Orders / List orders · all: HEADER_INVALID /x-total-count response header "x-total-count" must be an integer, got "many"',
        'Customers / Baskets · ok: PATH_UNKNOWN no operation in the contract has the path /v1/baskets',
        'Customers / One / Customer · teapot: STATUS_UNDECLARED status 418 is not declared by getCustomer, which declares 200, 404',
      ],
    ],
    ['postman/generated.postman_collection.json', []],
  ])('every place where %s broke the contract', async (source, want) => {
    const { breaks } = await importFrom(join(EXPORTS, source));
    const lines = breaks.map(
      ({ stub, code, pointer, message }) => `${stub}: ${code} ${pointer === '' ? '' : `${pointer} `}${message}`,
    );
    expect(lines).toEqual(want);
  });

  it.each([
    [
      'wiremock',
      [
        ['proxy', 'proxyBaseUrl: it forwards to a real server'],
        [
          'random',
          "no counterpart of {{randomValue type='ALPHABETIC' length=8}}: the mock generates the value from the schema",
        ],
        ['xml', 'the matcher matchesXPath has no counterpart'],
        ['customers 7', 'not in the fixtures: answer property "name" is required'],
      ],
    ],
    [
      'mockoon/rules.json',
      [
        [
          'GET /customers',
          "no counterpart of {{#repeat 2}} {{faker 'string.uuid'}} {{faker 'person.fullName'}} {{/repeat}}: the mock generates the value from the schema",
        ],
        ['customers 1', 'not in the fixtures: answer property "name" is required'],
      ],
    ],
  ])('what of %s is not carried over', async (source, want) => {
    const { remarks } = await importFrom(join(EXPORTS, source));
    expect(remarks.map(({ what, why }) => [what, why])).toEqual(want);
  });

  it('a body that a scenario file would read as an expression, and a file outside of the folder', async () => {
    const list = [{ path: '/v1/orders/:id', status: 404, body: { message: '$request.path.orderId' } }];
    const literal = await importFrom(writeSource('handlers.json', list));
    const why = 'scenario files read "$request.path.orderId" in the body as an expression';
    expect(literal.remarks).toEqual([{ at: 'handlers.json#/0', what: 'GET /v1/orders/:id', why }]);
    const response = { statusCode: 200, bodyType: 'FILE', filePath: '../../secret.json', default: true };
    const routes = [{ uuid: 'r', type: 'http', method: 'get', endpoint: 'v1/orders', responses: [response] }];
    const { remarks } = await importFrom(writeSource('environment.json', { lastMigration: 33, routes }));
    expect(remarks.map((remark) => remark.why)[0]).toContain('is not in the folder of the environment');
  });

  it('the values of templates that the mock generates, whose answers conform', async () => {
    const { scenario, breaks } = await importFrom(join(EXPORTS, 'mockoon/imported.json'));
    await using mock = await serve({ scenario, breaks, fixtures: [], remarks: [], carried: 0 });
    const response = await mock.fetch('/v1/customers');
    expect([response.status, breaks]).toEqual([200, []]);
    expect(await response.json()).toEqual([expect.objectContaining({ id: '', name: '' })]);
  });
});
