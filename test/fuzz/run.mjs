// `npm run fuzz`: sends fuzzed requests and mutated documents to mocks in processes of their own. `npm run soak`: mixed load for minutes.
// Ends with 1 where something failed; each failing case is reduced and saved in test/regressions/, which the suite replays.
import { parseArgs } from 'node:util';
import { createViteServer } from 'vitest/node';

const NUMBER = { type: 'string' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: NUMBER,
    minutes: NUMBER,
    seed: NUMBER,
    requests: NUMBER,
    mutations: NUMBER,
    ratio: NUMBER,
    whole: { type: 'boolean' },
    folder: NUMBER,
  },
});
const number = (name) => (values[name] === undefined ? {} : { [name]: Number(values[name]) });
const [command, ...specs] = positionals;
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const print = (line) => console.log(line);

// Node 20 reads no TypeScript.
const vite = await createViteServer({
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, ws: false, watch: null },
});
try {
  print(`${command} seed ${seed}`);
  if (command === 'soak') {
    const { soak } = await vite.ssrLoadModule('/test/fuzz/soak.ts');
    const { failure } = await soak({ seed, minutes: 10, print, ...number('minutes'), ...number('ratio') });
    if (failure !== undefined) throw new Error(failure);
  } else {
    const { fuzz } = await vite.ssrLoadModule('/test/fuzz/fuzz.ts');
    const since = performance.now();
    const options = { seed, seconds: 60, print, ...number('seconds'), ...number('requests'), ...number('mutations') };
    const report = await fuzz({
      ...options,
      whole: values.whole,
      folder: values.folder,
      ...(specs.length > 0 && { specs }),
    });
    const statuses = Object.entries(report.statuses).map(([status, count]) => `${status}: ${count}`);
    print(`${report.requests} connections, ${report.answers} answers (${statuses.join(', ')})`);
    print(
      `${report.mutations} mutated documents, ${report.refused} refused; worst delay of the event loop ${Math.round(report.worstDelayMs)} ms, worst start ${Math.round(report.worstStartMs)} ms`,
    );
    print(`${((performance.now() - since) / 1000).toFixed(0)} s, seed ${seed}: ${report.failures.length} failures`);
    for (const path of report.failures) print(`  ${path}`);
    if (report.failures.length > 0) process.exitCode = 1;
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await vite.close();
  // Where the fuzzer itself failed, its servers are still there.
  process.exit();
}
