// Run with `node --test examples/socket.test.mjs`: a real server on a free port, for code that only takes a base URL.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createMock } from 'vouch';

const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures', seed: 7 });
const server = await mock.listen();
beforeEach(() => mock.reset());
after(() => mock.close());

const headers = { authorization: 'Bearer any' };
const membership = `${server.baseUrl}/vector_stores/vs_product_docs/files/file-handbook`;

test('a file that was removed from its vector store is still there', async () => {
  const removed = await fetch(membership, { method: 'DELETE', headers });
  assert.deepEqual(await removed.json(), { id: 'file-handbook', deleted: true, object: 'vector_store.file.deleted' });

  const content = await fetch(`${server.baseUrl}/files/file-handbook/content`, { headers });
  assert.match(await content.json(), /^Refunds/);
});

test('a second removal is a 404 in the shape of the contract', async () => {
  await fetch(membership, { method: 'DELETE', headers });
  const again = await fetch(membership, { method: 'DELETE', headers });
  assert.equal(again.status, 404);
  assert.equal((await again.json()).error.type, 'invalid_request_error');
});
