// Run by first-calls.ts in a fresh process. `requests`: writes one request for each operation of a document to a file.
// `measure`: sends those requests to a new mock, one after the other, and sends the CPU time of each one to its parent.
import { readFileSync, writeFileSync } from 'node:fs';
import { createMock, loadContract } from 'vouch';
import { listCalls, type PlainCall } from './first-calls-requests.js';

const [, , mode = '', spec = '', file = ''] = process.argv;
if (mode === 'requests') writeFileSync(file, JSON.stringify(listCalls(await loadContract(spec))));
else {
  const calls = JSON.parse(readFileSync(file, 'utf8')) as readonly PlainCall[];
  const mock = await createMock({ spec });
  const loadPeakMb = readPeakMb();
  const figures: { operation: string; method: string; status: number; ms: number; elapsedMs: number }[] = [];
  let earlyPeakMb = 0;
  for (const { operation, method, url, headers, body } of calls) {
    const before = process.cpuUsage();
    const since = performance.now();
    const answer = await mock.fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    await answer.arrayBuffer();
    const elapsedMs = performance.now() - since;
    figures.push({ operation, method, status: answer.status, ms: toMs(process.cpuUsage(before)), elapsedMs });
    if (figures.length === 50) earlyPeakMb = readPeakMb();
  }
  await mock.close();
  process.send?.({ figures, loadPeakMb, earlyPeakMb, peakMb: readPeakMb() });
}

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

function readPeakMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}
