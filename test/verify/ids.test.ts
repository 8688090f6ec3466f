import { expect, it } from 'vitest';
import { pathParameter, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';
import { verifyAnswers } from './verify-in-test.js';

it.each([
  [10, []],
  [100, ['VALID_REFUSED']],
])('an id that a path with a maximum of %d refuses is a finding where it is valid only: %j', async (maximum, codes) => {
  const SHIP = object({ id: INTEGER, name: TEXT }, 'id');
  const document = toDocument({
    '/ships': {
      get: { operationId: 'listShips', ...shows(arrayOf(SHIP)) },
      post: { operationId: 'addShip', ...takes(object({ name: TEXT }), SHIP, 201) },
    },
    '/ships/{id}': {
      parameters: [pathParameter('id', { ...INTEGER, minimum: 1, maximum })],
      get: { operationId: 'readShip', ...shows(SHIP) },
      delete: { operationId: 'removeShip', ...REMOVED },
    },
  });
  let last = 15;
  const { findings, learned } = await verifyAnswers(document, (request, response) => {
    const { method = '', url = '' } = request;
    const send = (status: number, body?: unknown): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    request.resume();
    if (url === '/ships') return method === 'POST' ? send(201, { id: (last += 1), name: 'A' }) : send(200, []);
    if (method === 'DELETE') return response.writeHead(204).end();
    return send(400, { message: 'too large' });
  });
  expect(findings.filter(({ operations }) => operations.includes('readShip')).map(({ code }) => code)).toEqual(codes);
  const isTold = learned.some(({ message }) => /^no valid request \(.*\): .* must be at most 10, got 17/.test(message));
  expect(isTold).toBe(codes.length === 0);
});
