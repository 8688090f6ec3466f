// Imported into the server process: measures how long the event loop is blocked, and sends it to the parent.
// A delay counts only as far as the process used the CPU: on a busy machine another process may hold it.
const TICK_MS = 10;
const REPORT_FROM_MS = 100;

let last = performance.now();
let lastCpu = process.cpuUsage();
let worst = 0;

setInterval(() => {
  const now = performance.now();
  const cpu = process.cpuUsage(lastCpu);
  const delay = Math.min(now - last - TICK_MS, (cpu.user + cpu.system) / 1000);
  last = now;
  lastCpu = process.cpuUsage();
  worst = Math.max(worst, delay);
  if (delay >= REPORT_FROM_MS) process.send?.({ kind: 'delay', delayMs: delay });
}, TICK_MS).unref();

process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message?.kind !== 'usage') return;
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ kind: 'usage', rss, heapUsed, worstMs: worst });
  worst = 0;
});
