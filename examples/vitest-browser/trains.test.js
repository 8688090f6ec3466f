import { test } from 'vouch/vitest/shared';
import { createClient } from '../client/trains.js';

test('the stations are those of the fixtures', async ({ mock, expect }) => {
  expect(await createClient({ baseUrl: mock.baseUrl }).listStations()).toEqual([
    { id: 'BER', name: 'Berlin' },
    { id: 'HAM', name: 'Hamburg' },
  ]);
});

test('a booking is in the list', async ({ mock, expect }) => {
  const client = createClient({ baseUrl: mock.baseUrl });
  const { id } = await client.book({ station: 'BER', seats: 2 });
  expect(await client.listBookings()).toEqual([{ id, station: 'BER', seats: 2 }]);
});

test('the message of an error reaches the caller', async ({ mock, expect }) => {
  await mock.control('/scenarios/down/activate', { method: 'POST' });
  await expect(createClient({ baseUrl: mock.baseUrl }).listStations()).rejects.toThrow('503');
});
