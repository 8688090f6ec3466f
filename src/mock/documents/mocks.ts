import type { Clock } from '../../base/clock.js';
import { joinWords, MockError } from '../../base/errors.js';
import type { Mock } from '../handles.js';
import { fetchInProcess } from '../../http/request/redirects.js';
import { negotiate } from '../../http/response/negotiate.js';
import { toProblemResponse } from '../../http/response/problem.js';
import { readTarget } from '../../http/target.js';
import { createMock } from '../mock.js';
import type { MockOptions } from '../options.js';
import { readOptions } from '../read-options.js';
import { isSocketEnvironment, type SocketEnvironment } from '../../server/arrival.js';
import { answerDocuments } from '../../features/inspector/pages.js';
import { createCors } from '../../server/cors.js';
import type { Listening, ListenOptions } from '../../server/listen.js';
import { host, isRequest } from '../../base/platform.js';
import { createDispatch, isBelow, listBasePaths, type ServedDocument } from './dispatch.js';

/** The options of one mock of several that are served together. */
export interface MocksOptions extends MockOptions {
  /** The name of the mock, which the path of its control API has: `/__mock/NAME`. */
  readonly name: string;
  /** The `Host` whose requests it gets, with or without a port; default: every host that no other mock has. */
  readonly host?: string;
}

/** Several mocks that answer at one address, each with fixtures, scenarios, state and control API of its own. */
export interface Mocks {
  /** The mocks by name. */
  readonly mocks: Readonly<Record<string, Mock<Clock>>>;
  /**
   * Answers a request with the mock that it belongs to, without a socket.
   *
   * @throws The reason of the request's signal, when it is aborted.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Serves all mocks over HTTP.
   *
   * @param where - `port` defaults to 0, any free port; `host` to `127.0.0.1`; `socket`, `tls` and `compress` to none.
   * @throws MockError `PORT_TAKEN`, `LISTEN_FAILED`, `OPTION_INVALID`.
   */
  listen(where?: ListenOptions): Promise<MocksServer>;
  /** Closes all mocks and their servers. */
  close(): Promise<void>;
  /** Closes them. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server of several mocks. */
export interface MocksServer extends Listening {
  /** The base URL of each mock by name; for one with a host it is that of the server too. */
  readonly baseUrls: Readonly<Record<string, string>>;
  /** The URL of each control API by name; without those that are switched off. */
  readonly controlUrls: Readonly<Record<string, string>>;
}

/** A mock with what distinguishes its requests. */
interface NamedMock extends ServedDocument {
  readonly mock: Mock<Clock>;
}

/**
 * Creates several mocks that are served together.
 *
 * @throws MockError `DOCUMENTS_CONFLICT` where two of them have the same paths; `OPTION_INVALID` where a name is missing, repeated or not valid; and as `createMock`.
 *
 * @example
 * ```ts
 * import { createMocks } from 'vouch';
 *
 * const document = (path: string) => ({
 *   openapi: '3.1.0',
 *   info: { title: path, version: '1' },
 *   paths: { [path]: { get: { responses: { 200: { description: 'ok' } } } } },
 * });
 * await using all = await createMocks([
 *   { name: 'users', spec: document('/users') },
 *   { name: 'orders', spec: document('/orders'), prefix: '/shop' },
 * ]);
 * const statuses = [(await all.fetch('/users')).status, (await all.fetch('/shop/orders')).status];
 * if (statuses.join() !== '200,200') throw new Error(statuses.join());
 * ```
 */
export async function createMocks(documents: readonly MocksOptions[]): Promise<Mocks> {
  checkNames(documents);
  const named: NamedMock[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(named.map(({ mock }) => mock.close()));
  };
  try {
    // One after the other, so that the first mistake is always the same one.
    for (const options of documents) named.push(await createNamed(options));
    return assemble(named, documents[0] ?? {}, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function createNamed({ name, host: given, ...options }: MocksOptions): Promise<NamedMock> {
  const prefix = `${readRoot(options)}/${name}`;
  const control = options.control === false ? false : { ...options.control, prefix };
  const mock: Mock<Clock> = await createMock({ ...options, control });
  return {
    name,
    host: given?.toLowerCase(),
    control: control === false ? undefined : prefix,
    mock,
    contract: () => mock.contract,
  };
}

/** The prefix of the paths of the control APIs. */
function readRoot({ control }: Pick<MockOptions, 'control'>): string {
  return (control === false ? undefined : control?.prefix) ?? '/__mock';
}

/** The path for checks that the server answers, below the root of the control APIs. */
const HEALTH = 'health';

/** Checks names before the mocks are created. @throws MockError `OPTION_INVALID` for a name that is missing, repeated or not a segment of a path. */
export function checkNames(documents: readonly Pick<MocksOptions, 'name'>[]): void {
  if (documents.length === 0) throw new MockError('OPTION_INVALID', 'there are no documents to serve');
  const known = new Set<string>([HEALTH]);
  for (const { name } of documents) {
    const hint = 'use letters, digits, "_", "-" and "."; the name is in the path of the control API: /__mock/NAME';
    // A program without types may pass anything.
    if (typeof (name as unknown) !== 'string' || !/^[\w-][\w.-]*$/.test(name)) {
      throw new MockError('OPTION_INVALID', `${JSON.stringify(name)} is not a valid name of a document`, { hint });
    }
    if (known.has(name)) {
      const taken = name === HEALTH ? `the name "${name}" is that of a check` : `two documents have the name "${name}"`;
      throw new MockError('OPTION_INVALID', taken, { hint: 'give each document a name of its own' });
    }
    known.add(name);
  }
}

type NamedUrl = [name: string, url: string];

/** @param first - The options of the first mock, which decide about the connections. */
function assemble(named: readonly NamedMock[], first: Partial<MocksOptions>, close: () => Promise<void>): Mocks {
  const dispatch = createDispatch(named);
  const { name: _name, host: _host, ...options } = first;
  const { connections, onRefused, cors } = readOptions(options);
  const served = { connections, onRefused, cors: createCors(cors) };
  const root = readRoot(first);
  const servers = new Set<Listening>();
  const answer = (request: Request, environment?: SocketEnvironment): Response | Promise<Response> => {
    const found = dispatch(request);
    if (found === undefined) return answerUnclaimed(request, named, root);
    // A redirect can lead to another document, so that the mock does not follow it.
    if (environment === undefined) return found.mock.fetch(request, { redirect: 'manual' });
    // A mock takes the bindings of a server where `fetch` takes its options.
    return found.mock.fetch(request, environment as RequestInit);
  };
  const closeAll = async (): Promise<void> => {
    const stopping = [...servers].map((server) => server.close());
    servers.clear();
    await Promise.all([...stopping, close()]);
  };
  return {
    mocks: Object.fromEntries(named.map(({ name, mock }) => [name, mock])),
    fetch: async (input: string | URL | Request, init?: RequestInit, ...mounted: readonly unknown[]) => {
      // A Hono app that mounts this function passes its bindings where `fetch` takes its options, then its context.
      if (isRequest(input) && isSocketEnvironment(init)) return answer(input, init);
      return mounted.length > 0 && isRequest(input) ? answer(input) : fetchInProcess(input, init, answer);
    },
    listen: async (where = {}) => {
      const { listen } = await import('../../server/listen.js');
      const server = await listen(answer, { ...where, ...served });
      servers.add(server);
      const baseUrls = named.map(({ name, contract }): NamedUrl => [
        name,
        server.url + (listBasePaths(contract())[0] ?? ''),
      ]);
      const controlUrls = named.flatMap(({ name, control }): NamedUrl[] =>
        control === undefined ? [] : [[name, server.url + control]],
      );
      return { ...server, baseUrls: Object.fromEntries(baseUrls), controlUrls: Object.fromEntries(controlUrls) };
    },
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  };
}

/** The response to a request that belongs to no document: the list of them, or 404. */
function answerUnclaimed({ method, url, headers }: Request, named: readonly NamedMock[], root: string): Response {
  const { path } = readTarget(url);
  const list = named.map(({ name, host: own, control, contract }) => ({
    name,
    title: contract().title,
    version: contract().version,
    host: own ?? null,
    basePaths: listBasePaths(contract()).map((each) => each || '/'),
    control: control ?? null,
  }));
  const isRead = method === 'GET' || method === 'HEAD';
  const controlled = list.filter(({ control }) => control !== null);
  if (isRead && controlled.length > 0) {
    const isPage = negotiate(headers.get('accept') ?? '*/*', ['application/json', 'text/html']) === 'text/html';
    if (path === `${root}/${HEALTH}`)
      return host.Response.json({ status: 'ok', documents: list.map(({ name }) => name) });
    const isRoot = isBelow(path, root) && path.length <= root.length + 1;
    if (isPage && (isRoot || path === '/')) return answerDocuments(controlled);
    if (isRoot) return host.Response.json({ documents: list });
  }
  const places = list.map(({ name, host: own, basePaths }) => {
    return `"${name}" below ${joinWords(basePaths.map((each) => (own ?? '') + each))}`;
  });
  const detail = `no document is served at ${path.length <= 200 ? path : `${path.slice(0, 200)}…`}`;
  return toProblemResponse({ status: 404, detail, hint: `the documents are ${places.join(', ')}` });
}
