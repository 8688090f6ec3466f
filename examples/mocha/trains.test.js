import assert from 'node:assert/strict';
import { useMock } from 'vouch/mocha';
import { createClient } from '../client/trains.js';

const mock = useMock({ spec: '../client/openapi.yaml', fixtures: '../client/fixtures' });

it('the stations are those of the fixtures', async () => {
  const stations = await createClient(mock).listStations();
  assert.deepEqual(stations, [
    { id: 'BER', name: 'Berlin' },
    { id: 'HAM', name: 'Hamburg' },
  ]);
});

it('a booking is in the list', async () => {
  const client = createClient(mock);
  const { id } = await client.book({ station: 'BER', seats: 2 });
  assert.deepEqual(await client.listBookings(), [{ id, station: 'BER', seats: 2 }]);
  mock.received('createBooking', { times: 1, with: { body: { seats: 2 } } });
});

it('the message of an error reaches the caller', async () => {
  mock.use({ listStations: () => ({ status: 503, body: { message: 'down for maintenance' } }) });
  await assert.rejects(createClient(mock).listStations(), /503: down for maintenance/);
});
