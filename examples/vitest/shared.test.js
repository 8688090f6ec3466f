import { test } from 'vouch/vitest/shared';
import { createClient } from '../client/trains.js';

test('a booking is only in the session of its test', async ({ mock, expect }) => {
  const client = createClient({ baseUrl: mock.baseUrl });
  await client.book({ station: 'BER', seats: 2 });
  expect(await client.listBookings()).toHaveLength(1);
});

test('another test has a session without it', async ({ mock, expect }) => {
  expect(await createClient({ baseUrl: mock.baseUrl }).listBookings()).toEqual([]);
});
