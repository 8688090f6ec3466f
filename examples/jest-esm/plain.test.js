import { get } from 'node:http';
import { jest } from '@jest/globals';
import { createMock } from 'vouch';

// Without an entry point for Jest: what `vouch/jest` does by hooks, by hand. The timers of the test are fake, those of the mock are not.
const spec = '../client/openapi.yaml';
const scenarios = { slow: { operations: { listStations: [{ delay: 20 }] } } };

afterEach(() => jest.useRealTimers());

test('a mock answers after a delay while timers are fake', async () => {
  const mock = await createMock({ spec, scenarios: { from: scenarios, active: ['slow'] }, clock: 'real' });
  jest.useFakeTimers();
  const response = await mock.fetch('/stations');
  expect(response.status).toBe(200);
  mock.received('listStations', { times: 1 });
  await mock.close();
});

test('a mock answers on a socket, and changes no global', async () => {
  const globals = [globalThis.Request, globalThis.Response, globalThis.Headers, globalThis.fetch];
  const mock = await createMock({ spec });
  const { baseUrl } = await mock.listen();
  const status = await new Promise((resolve, reject) => {
    get(`${baseUrl}/stations`, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
  await mock.close();
  expect(status).toBe(200);
  expect([globalThis.Request, globalThis.Response, globalThis.Headers, globalThis.fetch]).toEqual(globals);
});
