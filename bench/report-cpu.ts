// Loaded into every server under measurement, the bare ones too, before its own code: answers each message with what the
// process has used. `cpuUsage` counts all threads, so the garbage collector's are in.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, peakKilobytes: process.resourceUsage().maxRSS });
});
process.channel?.unref();
