// Loaded into every server under measurement, the bare ones too, before its own code: answers each message with the CPU time
// of the process. `cpuUsage` counts all threads, so the garbage collector's are in.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.channel?.unref();
