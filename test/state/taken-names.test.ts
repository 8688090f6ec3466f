import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { content, inPath, REMOVED, toDocument } from '../operation-parts.js';
import { object, ref, TEXT } from '../schema-parts.js';

const POD = object({ metadata: object({ name: TEXT }), image: TEXT });
const JSON_BODY = { content: content(ref('Pod')) };
const OK = { 200: { description: 'ok', ...JSON_BODY } };

const toSpec = (operationId: string): Readonly<Record<string, unknown>> =>
  toDocument(
    {
      '/pods': { post: { operationId, requestBody: JSON_BODY, responses: OK } },
      '/pods/{name}': {
        ...inPath('name'),
        get: { operationId: 'readPod', responses: OK },
        delete: { operationId: 'deletePod', ...REMOVED },
      },
    },
    { Pod: POD },
  );

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
