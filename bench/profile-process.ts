// Preloaded into the server that `profile` measures: the first SIGUSR2 starts a profile, the second writes it to the file in BENCH_PROFILE.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const file = process.env['BENCH_PROFILE'] ?? '';
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 100 });
let isRunning = false;
process.on('SIGUSR2', () => {
  void (isRunning ? stop() : session.post('Profiler.start'));
  isRunning = true;
});

async function stop(): Promise<void> {
  const { profile } = await session.post('Profiler.stop');
  // The file is complete as soon as it exists.
  writeFileSync(`${file}.part`, JSON.stringify(profile));
  renameSync(`${file}.part`, file);
}
