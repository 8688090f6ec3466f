// `npm run sweep -- <spec> [--no-state]`: asks every operation of a document once as it should be asked and once for each simple
// mistake, and prints what was found. Ends with 1 where an answer is wrong, with 2 where the document cannot be swept.
// `npm run sweep -- --lifecycle <spec> [--closed] [--all]`: creates, reads, lists, updates and removes an item of every resource.
// `npm run sweep -- --manifest <spec> [--closed]`: the same, exactly as the manifest beside the document says.
// `--preset` applies the preset of the document.
import { createViteServer } from 'vitest/node';

const SHOWN = 400;

// Only the ids that were created are known.
const CLOSED = { state: { unknownIds: 'not-found' } };

const words = process.argv.slice(2);
// Without it, the figures are those of the engine alone.
const PRESET = words.includes('--preset') ? { preset: 'auto' } : {};
const specs = words.filter((word) => !word.startsWith('--'));
if (specs.length === 0) {
  console.error(
    'usage: npm run sweep -- <spec> [<spec> ...] [--preset] [--no-state | --lifecycle [--closed] [--all] | --manifest [--closed]]',
  );
  process.exitCode = 2;
} else {
  // Node 20 reads no TypeScript.
  const vite = await createViteServer({
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, ws: false },
  });
  try {
    (await vite.ssrLoadModule('/test/empty-cache.ts')).removeDerived();
    const { sweep } = await vite.ssrLoadModule('/test/sweep/sweep.ts');
    const { sweepLifecycles } = await vite.ssrLoadModule('/test/sweep/lifecycle.ts');
    const { runManifest } = await vite.ssrLoadModule('/test/state/lifecycle-manifest.ts');
    for (const spec of specs) {
      const options = { ...(words.includes('--closed') ? CLOSED : {}), ...PRESET };
      let isRight;
      if (words.includes('--manifest')) isRight = printManifest(spec, await runManifest(spec, options));
      else if (words.includes('--lifecycle')) isRight = printLives(spec, await sweepLifecycles(spec, options));
      else isRight = await printSweep(spec, sweep);
      if (!isRight) process.exitCode = 1;
    }
  } catch (error) {
    console.error(error instanceof Error && error.name === 'MockError' ? error.toString() : error);
    process.exitCode = 2;
  } finally {
    await vite.close();
  }
}

async function printSweep(spec, sweep) {
  const since = performance.now();
  const report = await sweep(spec, { ...(words.includes('--no-state') ? { state: false } : {}), ...PRESET });
  print(spec, report, (performance.now() - since) / 1000);
  return report.wrongAnswers.length + report.failures.length === 0;
}

function print(spec, report, seconds) {
  const { operations, wrongAnswers, brokenRequests, accepted, elsewhere, failures } = report;
  console.log(`${spec}  ${seconds.toFixed(1)} s`);
  console.log(`  operations        ${operations}`);
  console.log(
    `  right answers     ${operations - wrongAnswers.length}  ${percent(operations - wrongAnswers.length, operations)}`,
  );
  console.log(`  broken requests   ${brokenRequests}`);
  const refused = brokenRequests - accepted.length - failures.length;
  console.log(`  refused           ${refused}  ${percent(refused, brokenRequests)}`);
  list('wrong answers', wrongAnswers);
  list('failures (5xx)', failures);
  list('accepted although broken', accepted);
  list('requests that are right for another operation', elsewhere);
}

function printLives(spec, reports) {
  const whole = reports.filter(({ failure }) => failure === undefined).length;
  console.log(`${spec}  ${whole} of ${reports.length} resources live a whole life  ${percent(whole, reports.length)}`);
  for (const { resource, steps, failure } of reports) {
    if (failure === undefined && !words.includes('--all')) continue;
    const line = `${failure ?? 'whole'} (after ${steps.join(', ') || 'nothing'})`;
    console.log(`    ${resource}: ${line.slice(0, SHOWN)}`);
  }
  return whole === reports.length;
}

function printManifest(spec, reports) {
  const whole = reports.filter(({ failures }) => failures.length === 0).length;
  console.log(`${spec}  ${whole} of ${reports.length} resources are whole  ${percent(whole, reports.length)}`);
  for (const { failures } of reports) for (const failure of failures) console.log(`    ${failure.slice(0, 3 * SHOWN)}`);
  return whole === reports.length;
}

function percent(part, whole) {
  return whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`;
}

function list(title, lines) {
  if (lines.length === 0) return;
  console.log(`  ${title}:`);
  for (const line of lines) console.log(`    ${line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line}`);
}
