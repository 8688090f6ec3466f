import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Serves on a free port until the test is over. @returns the URL of the server. */
export async function serveInTest(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections();
  });
  // It listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
