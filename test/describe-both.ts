import { Hono } from 'hono';
import { afterAll, afterEach, describe, onTestFinished } from 'vitest';
import { CONTRACT_OPTIONS } from '../src/mock/contract-parts.js';
import { type Contract, createMock, loadContract, type Mock, type MockOptions, type MockServer } from '../src/index.js';
import { memoize } from '../src/base/memoize.js';

/** A mock and the way a test reaches it. */
export interface Reach {
  readonly mock: Mock;
  /** The URL of the mock without the base path of the contract: the control API is below it. */
  readonly rootUrl: string;
  /** The base URL for clients; in-process its origin has no server. */
  readonly baseUrl: string;
  /** Sends a request to a path below the base URL. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** A function of the form of `fetch`, for a client that takes one. */
  readonly fetch: typeof fetch;
}

/** Creates a mock that is reached the way the suite is run for. */
export type Start = (options?: Partial<MockOptions>) => Promise<Reach>;

/** The built-in contract with its fixtures. */
export const BUILT_IN: MockOptions = { spec: 'spec/openapi.yaml', fixtures: 'fixtures' };

const loadBuiltIn = memoize((spec: string): Promise<Contract> => loadContract(spec));

/**
 * A mock of the built-in contract with its fixtures. Its document is loaded once for all tests of a worker, except where an option decides how
 * it is loaded, which is most of the time of a start.
 */
export async function openBuiltIn(options: Partial<MockOptions> = {}): Promise<Mock> {
  const all = { ...BUILT_IN, ...options };
  const isLoadedAnew = CONTRACT_OPTIONS.some((name) => all[name] !== undefined);
  if (isLoadedAnew || typeof all.spec !== 'string') return createMock(all);
  return createMock({ ...all, spec: await loadBuiltIn(all.spec) });
}

/** A mock of the built-in contract that listens until the test is over. */
export async function listenBuiltIn(options: Partial<MockOptions> = {}): Promise<MockServer & { readonly mock: Mock }> {
  const mock = await openBuiltIn(options);
  onTestFinished(() => mock.close());
  return { ...(await mock.listen()), mock };
}

/** Runs each case of a suite in-process and over a socket. Every mock is closed after its case. */
export function describeBoth(name: string, define: (start: Start) => void): void {
  describeWays(
    name,
    [
      ['in-process', startInProcess],
      ['over a socket', startOnSocket],
    ],
    define,
  );
}

/**
 * Runs each case of a suite in-process, over a socket and mounted in another Hono app.
 *
 * @param isShared - Whether the cases without options get the same mock, which is reset after each case.
 */
export function describeAll(name: string, define: (start: Start) => void, isShared = false): void {
  describeWays(
    name,
    [
      ['in-process', startInProcess],
      ['over a socket', startOnSocket],
      ['mounted in a Hono app', startMounted],
    ],
    define,
    isShared,
  );
}

type Way = readonly [name: string, start: (mock: Mock) => Promise<Reach>];

// oxlint-disable-next-line max-params -- two of them are those of a suite
function describeWays(name: string, ways: readonly Way[], define: (start: Start) => void, isShared = false): void {
  describe.each(ways)(`${name}, %s`, (_, startReach) => {
    const open: Mock[] = [];
    let shared: Promise<Reach> | undefined;
    afterEach(async () => {
      await Promise.all(open.splice(0).map((mock) => mock.close()));
      (await shared)?.mock.reset();
    });
    afterAll(async () => (await shared)?.mock.close());
    define(async (options) => {
      if (isShared && options === undefined) return (shared ??= openBuiltIn().then(startReach));
      const mock = await openBuiltIn(options);
      open.push(mock);
      return startReach(mock);
    });
  });
}

function startInProcess(mock: Mock): Promise<Reach> {
  const rootUrl = 'http://in-process.test';
  const baseUrl = `${rootUrl}/v1`;
  return Promise.resolve({
    mock,
    rootUrl,
    baseUrl,
    send: (path, init) => mock.fetch(`${baseUrl}${path}`, init),
    fetch: (input, init) => mock.fetch(input, init),
  });
}

async function startOnSocket(mock: Mock): Promise<Reach> {
  const { url } = await mock.listen();
  const baseUrl = `${url}/v1`;
  return { mock, rootUrl: url, baseUrl, send: (path, init) => fetch(`${baseUrl}${path}`, init), fetch };
}

function startMounted(mock: Mock): Promise<Reach> {
  const app = new Hono().mount('/api', mock.fetch);
  const rootUrl = 'http://mounted.test/api';
  const baseUrl = `${rootUrl}/v1`;
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => app.request(input, init);
  return Promise.resolve({
    mock,
    rootUrl,
    baseUrl,
    send: (path, init) => send(`${baseUrl}${path}`, init),
    fetch: send,
  });
}

/** Headers that each request of the built-in contract needs. */
export const AUTHORIZED: Readonly<Record<string, string>> = { authorization: 'Bearer sk-test' };

/** The init of a JSON request. */
export function jsonInit(
  method: string,
  body: unknown,
): { readonly method: string; readonly headers: Record<string, string>; readonly body: string } {
  return {
    method,
    headers: { ...AUTHORIZED, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
