// Preloaded into each measured server, the reference servers included: answers each message with the resource usage of the process.
// `cpuUsage` counts all threads, those of the garbage collector included.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, peakKilobytes: process.resourceUsage().maxRSS });
});
process.channel?.unref();
