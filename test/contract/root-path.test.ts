import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { inPath, shows, toDocument } from '../operation-parts.js';
import { arrayOf, TEXT } from '../schema-parts.js';
import { writeTryCommand } from '../../src/cli/serving/try-request.js';

const SPEC = toDocument(
  {
    '/lamps/{id}': { ...inPath('id'), get: shows(TEXT) },
    '/lamps': { get: shows(arrayOf(TEXT)), post: shows(TEXT) },
    '/rooms/{room}/lamps': { ...inPath('room'), get: shows(arrayOf(TEXT)) },
  },
  {},
);

it('the 404 of the root names the paths that can be read with the fewest parameters', async () => {
  const mock = await createMock({ spec: { ...SPEC, servers: [{ url: 'http://localhost/v2' }] } });
  const response = await mock.fetch('/');
  expect([response.status, await response.text()]).toEqual([
    404,
    expect.stringContaining('the nearest are /v2/lamps, /v2/lamps/{id}, /v2/rooms/{room}/lamps') as string,
  ]);
});

it('the request to try needs nothing that a new user does not know, and is answered', async () => {
  const spec = {
    ...SPEC,
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    security: [{ key: [] }],
  };
  const mock = await createMock({ spec });
  const command = writeTryCommand(mock.contract, 'http://127.0.0.1:1/v2');
  expect(command).toBe("curl http://127.0.0.1:1/v2/lamps -H 'x-key: secret'");
  expect((await mock.fetch('/lamps', { headers: { 'x-key': 'secret' } })).status).toBe(200);
});

it('a document without a GET has no request to try', async () => {
  const mock = await createMock({ spec: toDocument({ '/lamps': { post: shows(TEXT) } }, {}) });
  expect(writeTryCommand(mock.contract, 'http://127.0.0.1:1')).toBeUndefined();
});
