import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';

const TEXT = { type: 'string' };
const POD = {
  type: 'object',
  properties: { metadata: { type: 'object', properties: { name: TEXT } }, image: TEXT },
};
const JSON_BODY = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pod' } } } };
const OK = { 200: { description: 'ok', ...JSON_BODY } };

const toSpec = (operationId: string): Readonly<Record<string, unknown>> => ({
  openapi: '3.1.0',
  info: { title: 'Pods', version: '1' },
  components: { schemas: { Pod: POD } },
  paths: {
    '/pods': { post: { operationId, requestBody: JSON_BODY, responses: OK } },
    '/pods/{name}': {
      parameters: [{ name: 'name', in: 'path', required: true, schema: TEXT }],
      get: { operationId: 'readPod', responses: OK },
      delete: { operationId: 'deletePod', responses: { 204: { description: 'gone' } } },
    },
  },
});

it.each([
  ['createPod', 409],
  ['upsertPod', 200],
])('%s with the name of an item that exists is answered with %d', async (operationId, status) => {
  await using mock = await createMock({ spec: toSpec(operationId) });
  const create = async (name: string): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ metadata: { name }, image: 'i' });
    return (await mock.fetch('/pods', { method: 'POST', headers, body })).status;
  };
  expect([await create('web'), await create('web')]).toEqual([200, status]);
  await mock.fetch('/pods/web', { method: 'DELETE' });
  expect(await create('web')).toBe(200);
  // A read creates the item on demand, which no client did.
  expect((await mock.fetch('/pods/db')).status).toBe(200);
  expect(await create('db')).toBe(200);
});
