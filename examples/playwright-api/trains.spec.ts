import { expect as base, test } from '@playwright/test';
import { contractMatchers, loadContract } from 'vouch/contract';

const expect = base.extend(contractMatchers);
const contract = await loadContract('../client/openapi.yaml');

test('lists stations', async ({ request }) => {
  const response = await request.get('/v1/stations');
  await expect(response).toSatisfyContract(contract);
  expect(await response.json()).toHaveLength(1);
});

test('creates a booking', async ({ request }) => {
  const data = { station: 'berlin', seats: 2 };
  const response = await request.post('/v1/bookings', { data });
  // A response of Playwright knows its URL, and not its method.
  await expect([{ method: 'POST', body: data }, response]).toSatisfyContract(contract);
});
