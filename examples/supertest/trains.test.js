import supertest from 'supertest';
import { expect, test } from 'vitest';
import { contractMatchers, loadContract } from 'vouch/contract';
import { app } from './app.js';

expect.extend(contractMatchers);
const contract = await loadContract('../client/openapi.yaml');

test('lists stations', async () => {
  const response = await supertest(app).get('/v1/stations');
  expect(response.body).toHaveLength(1);
  await expect(response).toSatisfyContract(contract);
});

test('creates a booking', async () => {
  const response = await supertest(app).post('/v1/bookings').send({ station: 'berlin', seats: 2 });
  expect(response.status).toBe(201);
  await expect(response).toSatisfyContract(contract);
});

test('refuses an invalid booking as the document says', async () => {
  const response = await supertest(app).post('/v1/bookings').send({ station: 'berlin', seats: 0 });
  expect(response.status).toBe(400);
  // The request is wrong on purpose.
  const { violations } = await contract.checkResponse(response);
  expect(violations).toEqual([]);
});

test('a response that does not conform to the document is found', async () => {
  const { operation, violations } = await contract.check(await supertest(app).get('/v1/bookings'));
  expect(operation).toBe('listBookings');
  expect(violations.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'REQUIRED answer item [0].station is required',
  ]);
});
