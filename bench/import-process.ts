// Run by imports.ts: imports one package and prints the elapsed and the CPU time in milliseconds.
const before = process.cpuUsage();
const startedAt = performance.now();
await import(process.argv[2] ?? '');
const elapsed = performance.now() - startedAt;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify([elapsed, (user + system) / 1000]));
