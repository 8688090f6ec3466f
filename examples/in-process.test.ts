import { afterAll, beforeEach, expect, test } from 'vitest';
import { createMock } from 'vouch';

const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
beforeEach(() => mock.reset());
afterAll(() => mock.close());

test('a new key is the last one of the list', async () => {
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' };
  const path = '/v1/organization/admin_api_keys';

  const answer = await mock.fetch(path, { method: 'POST', headers, body: '{"name":"CI"}' });
  const key = (await answer.json()) as { id: string; value: string };
  expect(key.value).toMatch(/^sk-admin-/);

  const page = await (await mock.fetch(path, { headers })).json();
  expect(page).toMatchObject({ last_id: key.id, has_more: false });
});
