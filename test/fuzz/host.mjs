// The server process of the fuzzer: starts a mock of each document that the parent sends, and says where it listens.
import { createMock } from '../../dist/index.js';

// As in trees.ts.
const OUTSIDE = 'outside-9f2c61';
const HOME = process.cwd();
let mock;

// Handlers that fail on purpose, so that a test can check that the fuzzer finds it.
const PLANTED = {
  crash: () => {
    setImmediate(() => {
      throw new Error('planted');
    });
    return { status: 204 };
  },
  leak: () => ({ status: 204, headers: { 'x-file': OUTSIDE } }),
  fail: () => {
    throw new Error('planted');
  },
  // Blocks the event loop without work, so that other tests have the CPU. Not forever: the process may outlive a test that is ended.
  hang: () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
    return { status: 204 };
  },
  // Of CPU time, which is what counts.
  stall: () => {
    const since = process.cpuUsage();
    for (let used = 0; used < 400_000;) {
      for (let i = 0; i < 1e6; i++);
      const { user, system } = process.cpuUsage(since);
      used = user + system;
    }
    return { status: 204 };
  },
  silent: () => new Promise(() => {}),
};

process.on('message', (message) => {
  if (message?.kind === 'start') void start(message);
});
process.send({ kind: 'ready' });

async function start({ document, options, folder = HOME, planted = {} }) {
  try {
    await mock?.close();
    mock = undefined;
    process.chdir(folder);
    const handlers = Object.fromEntries(Object.entries(planted).map(([name, kind]) => [name, PLANTED[kind]]));
    mock = await createMock({
      ...options,
      ...(document !== undefined && { spec: JSON.parse(document) }),
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
