import { createClient } from 'redis';
import { createMock as createOwnMock } from '../../src/mock/mock.js';

// What tests of the suite on Redis import in place of `src/index.ts` (`vitest.store.config.ts`): each mock has a store of its own there.
export * from '../../src/index.js';

const client = createClient({ url: process.env['VOUCH_TEST_REDIS'] ?? '' });
await client.connect();
let count = 0;

/** As that of the package, with state on Redis. */
export const createMock = ((options: object) => {
  count += 1;
  const prefix = `test-${process.pid}-${count}`;
  return createOwnMock({ ...options, store: { redis: client, prefix } } as never);
}) as typeof createOwnMock;
