// Imported into the server process: measures how long the event loop is blocked, and sends it to the parent.
// A delay counts only as far as the process used the CPU: on a busy machine another process may hold it.
const TICK_MS = 10;
const REPORT_FROM_MS = 100;

let last = performance.now();
let lastCpu = process.cpuUsage();
let worstMs = 0;

function measure() {
  const now = performance.now();
  const cpu = process.cpuUsage(lastCpu);
  const ms = Math.min(now - last - TICK_MS, (cpu.user + cpu.system) / 1000);
  worstMs = Math.max(worstMs, ms);
  last = now;
  lastCpu = process.cpuUsage();
  if (ms >= REPORT_FROM_MS) process.send?.({ kind: 'delay', delayMs: ms });
}
setInterval(measure, TICK_MS).unref();

process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message?.kind !== 'usage') return;
  // A delay that has just ended: the timer comes after the message.
  measure();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ kind: 'usage', rss, heapUsed, worstMs });
  worstMs = 0;
});
