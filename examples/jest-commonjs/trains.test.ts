import { useMock } from 'vouch/jest';
import { createClient } from '../client/trains';

const mock = useMock({ spec: '../client/openapi.yaml', fixtures: '../client/fixtures' });

test('the stations are those of the fixtures', async () => {
  expect(await createClient(mock).listStations()).toEqual([
    { id: 'BER', name: 'Berlin' },
    { id: 'HAM', name: 'Hamburg' },
  ]);
});

test('a booking is in the list', async () => {
  const client = createClient(mock);
  const { id } = await client.book({ station: 'BER', seats: 2 });
  expect(await client.listBookings()).toEqual([{ id, station: 'BER', seats: 2 }]);
  expect(mock).toHaveReceived('createBooking', { times: 1, with: { body: { seats: 2 } } });
});

test('the message of an error reaches the caller', async () => {
  mock.use({ listStations: () => ({ status: 503, body: { message: 'down for maintenance' } }) });
  await expect(createClient(mock).listStations()).rejects.toThrow('503: down for maintenance');
});
