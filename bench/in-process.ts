// Run by start-up.ts: repeats createMock, one request and close; sends the milliseconds of the later runs to its parent.
// The package is imported by its name, as users do, so that the build is measured.
import { createMock, loadContract } from 'vouch';

const [, , file = '', from = '', fixtures = ''] = process.argv;
const spec = from === 'contract' ? await loadContract(file) : file;
const runs: number[] = [];
for (let i = 0; i < 60; i++) {
  const startedAt = performance.now();
  const mock = await createMock({ spec, ...(fixtures === '' ? {} : { fixtures }) });
  const answer = await mock.fetch('http://mock/v1/organization/admin_api_keys?limit=7', {
    headers: { authorization: 'Bearer bench-token' },
  });
  await answer.arrayBuffer();
  await mock.close();
  runs.push(performance.now() - startedAt);
}
// The first runs warm up: they load and compile the code.
process.send?.(runs.slice(30));
