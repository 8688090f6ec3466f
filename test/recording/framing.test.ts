import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { json, toDocument } from '../document-parts.js';
import { createFolder } from '../folders.js';
import { openMock } from '../open-mock.js';
import { serveInTest } from '../serve-in-test.js';

const SPEC = toDocument({ '/items': { get: { operationId: 'listItems', responses: { 200: json({}) } } } });

it.each([
  ['chunked', 'chunked', null],
  ['with its length', null, '7'],
])('an answer that the upstream sends %s is passed on and replayed in the same way', async (_, encoding, length) => {
  const upstream = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(length !== null && { 'content-length': length }),
    });
    // Two writes: Node.js adds the length of a body that it gets at once.
    response.write('{"a":');
    response.end('1}');
  });
  const url = await serveInTest(upstream);
  const folder = createFolder();
  const read = async (mode: 'record-all' | 'replay'): Promise<unknown> => {
    const recordings = { folder, cassette: 'c', mode, ...(mode === 'record-all' && { upstream: url, live: true }) };
    const mock = await openMock({ spec: SPEC, recordings });
    const server = await mock.listen({ port: 0 });
    const response = await fetch(`${server.url}/items`);
    const { headers } = response;
    return [await response.text(), headers.get('transfer-encoding'), headers.get('content-length')];
  };
  expect(await read('record-all')).toEqual(['{"a":1}', encoding, length]);
  expect(await read('replay')).toEqual(['{"a":1}', encoding, length]);
});
