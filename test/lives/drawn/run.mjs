// `npm run lives -- 5000 [first seed]`: lives the lives of the items of that many drawn documents, and prints those that fail, grouped by the
// smallest combination of choices that still fails. Ends with 1 where one fails.
import { createViteServer } from 'vitest/node';

const [count = 1000, first = 1] = process.argv.slice(2).map(Number);

// Node 20 reads no TypeScript.
const vite = await createViteServer({
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, ws: false, watch: null },
});
try {
  const since = performance.now();
  const { describeClass, runLives } = await vite.ssrLoadModule('/test/lives/drawn/report.ts');
  const classes = await runLives(Array.from({ length: count }, (_, i) => first + i));
  for (const each of classes) console.log(`${describeClass(each)}\n`);
  const failed = classes.reduce((sum, { seeds }) => sum + seeds.length, 0);
  const seconds = ((performance.now() - since) / 1000).toFixed(0);
  console.log(`${count} lives, ${failed} failed in ${classes.length} ways; ${seconds} s`);
  if (failed > 0) process.exitCode = 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await vite.close();
}
