// Run by sizes.ts with `--expose-gc`: sends the bytes that one session with one request, and one created item, keep in memory.
import { createMock, type Mock } from 'vouch';

const SESSIONS = 1000;
const ITEMS = 20_000;
const KEYS = '/v1/organization/admin_api_keys';
const HEADERS = { authorization: 'Bearer bench-token', 'content-type': 'application/json' };

async function list(mock: Pick<Mock, 'fetch'>): Promise<void> {
  await (await mock.fetch(`${KEYS}?limit=7`, { headers: HEADERS })).text();
}

async function create(mock: Mock, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const answer = await mock.fetch(KEYS, { method: 'POST', headers: HEADERS, body: '{"name":"Bench key"}' });
    await answer.text();
    if (!answer.ok) throw new Error(`create: status ${answer.status}`);
  }
}

/** Bytes in use after a full collection. */
async function readMemory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// Without a journal, whose size has limits of its own.
const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures', journal: { limit: 0 } });
await create(mock, 2000);
await list(mock.session('warm-up'));
const before = await readMemory();
for (let i = 0; i < SESSIONS; i++) await list(mock.session(`session-${i}`));
const withSessions = await readMemory();
await create(mock, ITEMS);
const withItems = await readMemory();
process.send?.({ session: (withSessions - before) / SESSIONS, item: (withItems - withSessions) / ITEMS });
await mock.close();
