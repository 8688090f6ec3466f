// The server process of the fuzzer: starts a mock of each document that the parent sends, and says where it listens.
import { createMock } from '../../dist/index.js';

let mock;

// Handlers that fail on purpose, so that a test can check that the fuzzer finds it.
const PLANTED = {
  crash: () => {
    setImmediate(() => {
      throw new Error('planted');
    });
    return { status: 204 };
  },
  fail: () => {
    throw new Error('planted');
  },
  // Not forever: the process may outlive a test that is ended.
  hang: () => {
    while (process.cpuUsage().user < 60_000_000);
    return { status: 204 };
  },
  // Of CPU time, which is what counts.
  stall: () => {
    const since = process.cpuUsage();
    while (process.cpuUsage(since).user < 400_000);
    return { status: 204 };
  },
  silent: () => new Promise(() => {}),
};

process.on('message', (message) => {
  if (message?.kind === 'start') void start(message);
});
process.send({ kind: 'ready' });

async function start({ document, options, planted = {} }) {
  try {
    await mock?.close();
    mock = undefined;
    const handlers = Object.fromEntries(Object.entries(planted).map(([name, kind]) => [name, PLANTED[kind]]));
    mock = await createMock({
      ...options,
      spec: JSON.parse(document),
      ...(Object.keys(handlers).length > 0 && { handlers }),
    });
    const { port } = await mock.listen();
    process.send({ kind: 'started', port });
  } catch (error) {
    const isMistake = error instanceof Error && error.name === 'MockError' && !/\n\s+at /.test(error.message);
    process.send({
      kind: isMistake ? 'refused' : 'threw',
      message: isMistake ? error.message : (error?.stack ?? String(error)),
    });
  }
}
