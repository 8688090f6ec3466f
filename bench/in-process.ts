// Run by start-up.ts: createMock, one request and close, over and over; sends the milliseconds of the later runs to its parent.
// The package is imported by its own name, as a user does: what is measured is the build.
import { createMock } from 'vouch';

const [, , spec = '', fixtures = ''] = process.argv;
const runs: number[] = [];
for (let i = 0; i < 20; i++) {
  const startedAt = performance.now();
  const mock = await createMock({ spec, ...(fixtures === '' ? {} : { fixtures }) });
  const answer = await mock.fetch('http://mock/v1/organization/admin_api_keys?limit=7', {
    headers: { authorization: 'Bearer bench-token' },
  });
  await answer.arrayBuffer();
  await mock.close();
  runs.push(performance.now() - startedAt);
}
// The first runs load and compile what the later ones find warm.
process.send?.(runs.slice(8));
