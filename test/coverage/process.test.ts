// @module-tag slow
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { mergeCoverage } from '../../src/features/coverage/coverage.js';
import { readCoverageFiles } from '../../src/features/coverage/files.js';
import { SPEC } from './document.js';
import { createSharedFolder } from '../folders.js';

const run = promisify(execFile);
const folder = createSharedFolder();

/** Twelve mocks that are not closed: more than Node.js expects listeners for. */
const PROGRAM = `
  import { createMock, loadContract } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
  const spec = await loadContract(${JSON.stringify(SPEC)});
  for (let i = 0; i < 12; i++) {
    const mock = await createMock({ spec, coverage: { folder: ${JSON.stringify(folder)} } });
    await mock.fetch('/stations');
  }
  process.exit(0);
`;

it('the counts of mocks that were not closed are written when their processes end, and added up', async () => {
  const start = () => run(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
  const processes = await Promise.all([start(), start()]);
  expect(processes.map(({ stderr }) => stderr)).toEqual(['', '']);
  const files = readCoverageFiles(folder);
  expect(files).toHaveLength(24);
  const [report, ...others] = mergeCoverage(files);
  expect(others).toEqual([]);
  expect([report?.requests, report?.operations[0]?.hits]).toEqual([24, 24]);
});

it('the counts of checked exchanges are written to the default folder when the process ends', async () => {
  const program = `
    import { loadContract } from ${JSON.stringify(new URL('../../dist/check/index.js', import.meta.url).href)};
    const contract = await loadContract(${JSON.stringify(SPEC)}, { coverage: true });
    await contract.check({ url: '/stations' }, { status: 500 });
    process.exit(0);
  `;
  await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  const [counts] = readCoverageFiles(join(folder, 'coverage/vouch'));
  expect([counts?.requests, counts?.operations[0]?.hits]).toEqual([1, 1]);
});
