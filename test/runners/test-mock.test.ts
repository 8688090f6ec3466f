import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MockError } from '../../src/index.js';
import { type Hooks, registerMock } from '../../src/runners/hooks.js';
import { mockFixtures } from '../../src/runners/playwright.js';
import { startWorkerMock, type WorkerMock } from '../../src/runners/test-mock.js';
import { createTest } from '../../src/runners/vitest.js';
import { BUILT_IN } from '../describe-both.js';

// Issue 15, part 2: what the entry points for runners share, and each of them as its runner calls it. `.ci/examples.mjs` runs them in their runners.

const KEYS = '/v1/organization/admin_api_keys';
const headers = { authorization: 'Bearer any', 'content-type': 'application/json' };
const WRONG = { method: 'POST', headers, body: '{"name":7}' };

/** The message of the error that a function throws; undefined where it throws none. */
function readMessage(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof MockError ? error.message : String(error);
  }
}

function catchError(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

describe('the mock of a worker', () => {
  let worker: WorkerMock;
  beforeAll(async () => {
    worker = await startWorkerMock(BUILT_IN);
  });
  afterAll(() => worker.close());

  it('gives each test a session of its own', async () => {
    const [one, other] = [worker.begin(), worker.begin()];
    one.mock.use({ listAdminApiKeys: ({ error }) => error(500, 'down') });
    await one.mock.fetch(KEYS, { method: 'POST', headers, body: '{"name":"CI"}' });
    expect((await one.mock.fetch(KEYS, { headers })).status).toBe(500);
    expect((await other.mock.fetch(KEYS, { headers })).status).toBe(200);
    expect(other.mock.state.collection('admin_api_keys').items).toHaveLength(7);
    expect(one.mock.shared).toBe(other.mock.shared);
    await one.end(false);
    await other.end(false);
    await expect(one.mock.fetch(KEYS)).rejects.toThrow('SESSION_UNKNOWN');
  });

  it('fails a test whose client broke the contract, with every violation and what to do', async () => {
    const { mock, end } = worker.begin();
    await mock.fetch(KEYS, WRONG);
    expect(readMessage(() => end(false))).toBe(
      [
        'VERIFY_FAILED  verification failed with 1 finding:',
        '  #1 POST /v1/organization/admin_api_keys -> 400 refuse (createAdminApiKey)',
        '      TYPE  body property "name" must be a string, got 7',
        '  hint: fix the request, or exclude it with mock.verifyAtEnd({ ignore }) if it is wrong on purpose',
      ].join('\n'),
    );
    await expect(mock.fetch(KEYS)).rejects.toThrow('SESSION_UNKNOWN');
  });

  it('fails a test that did not await its wrong request, and does not wait for one that hangs', async () => {
    const { mock, end } = worker.begin();
    void mock.fetch(KEYS, WRONG);
    await expect(Promise.resolve(end(false))).rejects.toThrow('body property "name" must be a string, got 7');
    const other = worker.begin();
    other.mock.use({ listAdminApiKeys: () => new Promise(() => undefined) });
    void other.mock.fetch(KEYS, { headers });
    await other.end(false);
    await expect(other.mock.fetch(KEYS)).rejects.toThrow('SESSION_UNKNOWN');
  });

  it('shows where the test sent the request that broke the contract', async () => {
    const { mock, end } = worker.begin();
    const sendWrong = (): Promise<Response> => mock.fetch(KEYS, WRONG);
    await mock.fetch(KEYS, { headers });
    await sendWrong();
    const { stack = '' } = catchError(() => end(false));
    expect(stack.split('\n    at ')[1]).toMatch(/^sendWrong \(.*test-mock\.test\.ts:\d+:\d+\)$/);
    // A finding that is not about a request has no such place.
    const other = worker.begin();
    other.mock.verifyAtEnd({ calls: { downloadFile: 1 } });
    expect(catchError(() => other.end(false)).stack).not.toContain('sendWrong');
  });

  it('does not fail a test that says that its requests are wrong on purpose', async () => {
    const { mock, end } = worker.begin();
    await mock.fetch(KEYS, WRONG);
    mock.verifyAtEnd({ ignore: ({ answer }) => answer.status === 400 });
    expect(readMessage(() => end(false))).toBeUndefined();
    const other = worker.begin();
    await other.mock.fetch(KEYS, WRONG);
    other.mock.verifyAtEnd(false);
    expect(readMessage(() => other.end(false))).toBeUndefined();
  });

  it('reports only what a failed test did, not what it did not reach', async () => {
    const begin = async (): Promise<ReturnType<WorkerMock['begin']>> => {
      const running = worker.begin();
      running.mock.verifyAtEnd({ calls: { downloadFile: 1 } });
      await running.mock.fetch(KEYS, WRONG);
      return running;
    };
    const [passed, failed] = [await begin(), await begin()];
    expect(readMessage(() => passed.end(false))).toContain('downloadFile was called 0 times');
    expect(readMessage(() => failed.end(true))).toMatch(/with 1 finding:[^]*property "name"/u);
  });

  it('has a base URL for clients that are given its fetch function', async () => {
    const { mock, end } = worker.begin();
    const response = await mock.fetch(`${mock.baseUrl}/organization/admin_api_keys`, { headers });
    expect([response.status, mock.baseUrl]).toEqual([200, 'http://mock/v1']);
    await end(false);
  });

  it('has a base URL that names the session on a socket', async () => {
    const listening = await startWorkerMock({ ...BUILT_IN, listen: true, verify: false });
    const { mock, end } = listening.begin();
    const response = await fetch(`${mock.baseUrl}/organization/admin_api_keys`, { headers });
    expect(response.status).toBe(200);
    mock.received('listAdminApiKeys', { times: 1 });
    await end(false);
    await listening.close();
  });
});

describe('hooks of a runner', () => {
  /** A runner that runs the tests of one file, one after another. */
  function createRunner(): Hooks & { run(test: () => unknown): Promise<void>; end(): Promise<void> } {
    const hooks: Record<keyof Hooks, ((failed: boolean) => unknown)[]> = {
      beforeAll: [],
      beforeEach: [],
      afterEach: [],
      afterAll: [],
    };
    const call = async (name: keyof Hooks): Promise<void> => {
      for (const hook of hooks[name]) await hook(false);
    };
    const add =
      (name: keyof Hooks) =>
      (hook: (failed: boolean) => unknown): void =>
        void hooks[name].push(hook);
    return {
      beforeAll: add('beforeAll'),
      beforeEach: add('beforeEach'),
      afterEach: add('afterEach'),
      afterAll: add('afterAll'),
      run: async (test) => {
        await call('beforeAll');
        hooks.beforeAll.length = 0;
        await call('beforeEach');
        await test();
        await call('afterEach');
      },
      end: () => call('afterAll'),
    };
  }

  it('return one handle for the sessions of all tests', async () => {
    const runner = createRunner();
    const mock = registerMock(BUILT_IN, runner);
    const ids = new Set<string>();
    const count = async (): Promise<void> => {
      ids.add(mock.id);
      await mock.fetch(KEYS, { method: 'POST', headers, body: '{"name":"CI"}' });
      expect(mock.state.collection('admin_api_keys').items).toHaveLength(8);
      expect(mock).toHaveReceived('createAdminApiKey', { times: 1 });
    };
    await runner.run(count);
    await runner.run(count);
    expect(ids.size).toBe(2);
    await expect(runner.run(() => mock.fetch(KEYS, WRONG))).rejects.toThrow('VERIFY_FAILED');
    expect(readMessage(() => mock.reset())).toBe(
      'SESSION_UNKNOWN  mock.reset was read while no test runs\n  hint: use the mock in a test or in beforeEach: each test has a session of its own',
    );
    await runner.end();
  });
});

describe('the fixtures of Playwright', () => {
  const attached: string[] = [];
  const createInfo = (status: string): Parameters<ReturnType<typeof mockFixtures>['mock']>[2] => ({
    status,
    expectedStatus: 'passed',
    attach: async (_, { body }) => void attached.push(body),
  });

  it('verify each test, and attach the requests of one that failed', async () => {
    const { workerMock, mock } = mockFixtures(BUILT_IN);
    await workerMock[0]({}, async (worker) => {
      const use = async (status: string): Promise<void> =>
        mock(
          { workerMock: worker },
          async ({ baseUrl }) => void (await fetch(`${baseUrl}/nowhere`)),
          createInfo(status),
        );
      await expect(use('passed')).rejects.toThrow('VERIFY_FAILED');
      expect(attached).toEqual([]);
      await expect(use('failed')).rejects.toThrow('VERIFY_FAILED');
      expect(attached).toEqual([expect.stringMatching(/^#1 GET \S+ -> 404 /u)]);
    });
  });

  it('name the session in a header where the address of the mock is fixed', async () => {
    const { extraHTTPHeaders, workerMock, mock } = mockFixtures({ ...BUILT_IN, session: 'header' });
    expect(mockFixtures(BUILT_IN)).not.toHaveProperty('extraHTTPHeaders');
    await workerMock[0]({}, (worker) =>
      mock(
        { workerMock: worker },
        async (own) => {
          const given = { 'x-trace': '1' };
          await extraHTTPHeaders?.({ mock: own, extraHTTPHeaders: given }, async (all) =>
            expect(all).toEqual({ 'x-trace': '1', 'x-mock-session': own.id }),
          );
        },
        createInfo('passed'),
      ),
    );
  });
});

const test = createTest(BUILT_IN);

const ids = new Set<string>();

for (const name of ['one test', 'another test']) {
  test(`gives ${name} a session of its own`, async ({ mock }) => {
    expect(ids.has(mock.id)).toBe(false);
    ids.add(mock.id);
    await mock.fetch(KEYS, { method: 'POST', headers, body: '{"name":"CI"}' });
    expect(mock).toHaveReceived('createAdminApiKey', { times: 1, with: { body: { name: 'CI' } } });
  });
}

test.fails('the fixture of vitest fails a test whose client broke the contract', async ({ mock }) => {
  await mock.fetch(KEYS, WRONG);
});
