// The Pact files of a run, verified by the verifier of the Pact Foundation against a provider; here another mock is the provider.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import core from '@pact-foundation/pact-core';
import { createMock, toPact } from 'vouch';
import { createClient } from '../client/trains.js';

process.env.PACT_DO_NOT_TRACK = 'true';

const spec = '../client/openapi.yaml';
const folder = mkdtempSync(join(tmpdir(), 'pact-'));
after(() => rmSync(folder, { recursive: true }));

/** Verifies a file against a provider, whose answers are other values of the same types. */
async function verify(file, handlers = {}) {
  const provider = await createMock({ spec, seed: 99, handlers });
  const { baseUrl } = await provider.listen();
  try {
    const target = { provider: 'trains', providerBaseUrl: baseUrl };
    await core.default.verifyPacts({ ...target, pactUrls: [file], logLevel: 'error' });
  } finally {
    await provider.close();
  }
  return provider.journal.interactions.map(({ request, answer }) => `${request.method} ${answer.status}`);
}

describe('the pact of a client', () => {
  for (const version of [3, 4]) {
    const file = join(folder, `web-trains-${version}.json`);

    before(async () => {
      const mock = await createMock({ spec, fixtures: '../client/fixtures' });
      const client = createClient({ baseUrl: 'http://mock/v1', fetch: mock.fetch });
      await client.listStations();
      await client.book({ station: 'BER', seats: 2 });
      const { pact, notes } = toPact(mock, { consumer: 'web', provider: 'trains', version });
      assert.deepEqual(notes, []);
      writeFileSync(file, JSON.stringify(pact));
    });

    test(`is met by a provider that answers what the document says, version ${version}`, async () => {
      assert.deepEqual((await verify(file)).toSorted(), ['GET 200', 'POST 201']);
    });

    test(`is not met by a provider that answers something else, version ${version}`, async () => {
      const broken = { listStations: () => ({ status: 503, body: { message: 'down' } }) };
      await assert.rejects(verify(file, broken), /expected 200 but was 503/);
    });
  }
});
