import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useMock } from 'vouch/node-test';
import { createClient } from '../client/trains.js';

// On a socket, as for a client that only takes a base URL.
const mock = useMock({ spec: '../client/openapi.yaml', fixtures: '../client/fixtures', listen: true });

test('the stations are those of the fixtures', async () => {
  const stations = await createClient({ baseUrl: mock.baseUrl }).listStations();
  assert.deepEqual(stations, [
    { id: 'BER', name: 'Berlin' },
    { id: 'HAM', name: 'Hamburg' },
  ]);
});

test('a booking is in the list', async () => {
  const client = createClient({ baseUrl: mock.baseUrl });
  const { id } = await client.book({ station: 'BER', seats: 2 });
  assert.deepEqual(await client.listBookings(), [{ id, station: 'BER', seats: 2 }]);
  mock.received('createBooking', { times: 1, with: { body: { seats: 2 } } });
});

test('the message of an error reaches the caller', async () => {
  mock.use({ listStations: () => ({ status: 503, body: { message: 'down for maintenance' } }) });
  await assert.rejects(createClient({ baseUrl: mock.baseUrl }).listStations(), /503: down for maintenance/);
});
