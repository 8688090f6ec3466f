// @module-tag slow
import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { content, toDocument } from '../document-parts.js';
import { sendRaw } from '../send-raw.js';

const SPEC = toDocument({
  '/things': {
    post: {
      operationId: 'createThing',
      requestBody: { content: content({ type: 'object' }) },
      responses: { 204: { description: 'Made.' } },
    },
    get: { operationId: 'listThings', responses: { 204: { description: 'None.' } } },
  },
});

const CONNECTIONS = 24;
const WORK_MS = 15;
/** Blocks the event loop for a while. */
function work(): { readonly status: 204 } {
  for (const since = performance.now(); performance.now() - since < WORK_MS;);
  return { status: 204 };
}

const PROBE = 'GET /__mock/health HTTP/1.1\r\nHost: a\r\n\r\n';

// Issue 13: 96 first calls that arrived together blocked the event loop for half a second.
it.each([
  ['without a body', 'GET /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  [
    'with a short body',
    'POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  ],
  [
    'in chunks',
    'POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  ],
])('requests %s that arrive together leave the event loop free in between', async (_name, bytes) => {
  let inTurn = 0;
  let most = 0;
  let calls = 0;
  const count = () => {
    calls += 1;
    inTurn += 1;
    most = Math.max(most, inTurn);
    return work();
  };
  await using mock = await createMock({ spec: SPEC, handlers: { createThing: count, listThings: count } });
  const { port } = await mock.listen();
  let isDone = false;
  // Timers run once in each turn of the loop.
  const watch = (): void => {
    inTurn = 0;
    if (!isDone) setTimeout(watch, 0);
  };
  watch();
  const answers = await Promise.all(await sendTogether(port, Array(CONNECTIONS).fill(bytes)));
  isDone = true;
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(Array.from({ length: CONNECTIONS }, () => '204'));
  expect(calls).toBe(CONNECTIONS);
  expect(most).toBeLessThan(8);
});

// A probe is not answered after everything that waits.
it('the control API answers while calls wait for their turn', async () => {
  let calls = 0;
  const listThings = () => {
    calls += 1;
    return work();
  };
  await using mock = await createMock({ spec: SPEC, handlers: { listThings } });
  const { port } = await mock.listen();
  const call = 'GET /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const answers = await sendTogether(port, [
    ...Array<string>(CONNECTIONS).fill(call),
    PROBE.replace('Host', 'Connection: close\r\nHost'),
  ]);
  expect(await answers.at(-1)).toContain('200 OK');
  const before = calls;
  await Promise.all(answers);
  expect(before).toBeLessThan(CONNECTIONS - 8);
});

/** Opens the connections, writes to all of them at once and gives what they answer. */
async function sendTogether(port: number, requests: readonly string[]): Promise<readonly Promise<string>[]> {
  const clients = requests.map(() => sendRaw(port, PROBE));
  // The server accepts one connection in each turn.
  await Promise.all(clients.map(({ waitFor }) => waitFor('"status":"ok"')));
  return clients.map(({ socket, end }, i) => {
    socket.write(requests[i] ?? '');
    return end.then((text) => text.slice(text.lastIndexOf('HTTP/1.1')));
  });
}
