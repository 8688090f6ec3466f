import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readMedian } from './start-up.js';
import type { Table } from './table.js';

const MODULES = ['hono', 'vouch', 'vouch/contract', 'msw/node'] as const;

/** What the imports of vouch may take, in milliseconds. */
const BOUNDS: Readonly<Record<string, string>> = {
  vouch: '100, and less than msw/node',
  'vouch/contract': '60 % of vouch',
};

const ROUNDS = 11;

/** Measures the import of a package in a fresh process, elapsed and CPU time; the packages are interleaved. */
export function measureImports(): Table {
  const samples = new Map(MODULES.map((name) => [name, { ms: [] as number[], cpu: [] as number[] }]));
  const script = fileURLToPath(new URL('import-process.js', import.meta.url));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { ms, cpu }] of samples) {
      const printed = execFileSync(process.execPath, [script, name], { encoding: 'utf8' });
      // Written by import-process.ts in this form.
      const [elapsed, used] = JSON.parse(printed) as [number, number];
      ms.push(elapsed);
      cpu.push(used);
    }
  }
  const rows = [...samples].map(([name, { ms, cpu }]) => [
    name,
    readMedian(ms).toFixed(1),
    readMedian(cpu).toFixed(1),
    BOUNDS[name] ?? '',
  ]);
  return { title: `import, cold: medians of ${ROUNDS} processes`, head: ['package', 'ms', 'CPU ms', 'at most'], rows };
}
