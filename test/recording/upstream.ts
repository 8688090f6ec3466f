// A second, independent implementation of the four operations on bare node:http: it shares no line with vouch, so that what is
// recorded from it comes from somewhere else.
import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { serveInTest } from '../serve-in-test.js';

/** A key of the organization as the upstream keeps it. */
export interface Key {
  readonly object: string;
  readonly id: string;
  readonly name: string;
  readonly redacted_value: string;
  readonly value?: string;
  readonly created_at: number;
  readonly owner: Readonly<Record<string, unknown>>;
}

/** The upstream while it runs. */
export interface TestUpstream {
  /** Base URL, `/v1` included. */
  readonly url: string;
  readonly origin: string;
  /** Every request that arrived, oldest first. */
  readonly seen: readonly SeenRequest[];
  /** Secrets that were handed out. */
  readonly secrets: readonly string[];
  readonly server: Server;
  close(): Promise<void>;
}

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Answers before the four operations do; returns whether it did. */
export type Intercept = (request: SeenRequest, response: ServerResponse) => boolean | Promise<boolean>;

/** Answers every request like this. */
export const reply =
  (status: number, headers: OutgoingHttpHeaders = {}, body?: string | Buffer): Intercept =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };

/** What is different about an upstream. */
export interface UpstreamOptions {
  readonly intercept?: Intercept;
  /** How many keys there are at the beginning. */
  readonly keys?: number;
  /** Changes every JSON body before it is sent. */
  readonly change?: (body: unknown, request: SeenRequest) => unknown;
}

const FILES: Readonly<Record<string, string | Buffer>> = {
  'file-notes': 'Remember the milk.\nZürich, 東京.\n',
  'file-bytes': Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
};

/** Starts the upstream on a free port of this machine, until the test is over. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<TestUpstream> {
  const world = createWorld(options.keys ?? 3);
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then(async (request) => {
      seen.push(request);
      if ((await options.intercept?.(request, response)) === true) return;
      const answer = world.answer(request);
      if (answer.body instanceof Uint8Array) {
        response
          .writeHead(answer.status, { 'content-type': answer.type ?? 'application/octet-stream' })
          .end(answer.body);
        return;
      }
      const body = options.change === undefined ? answer.body : options.change(answer.body, request);
      const text = JSON.stringify(body);
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  });
  const origin = await serveInTest(server);
  return {
    url: `${origin}/v1`,
    origin,
    seen,
    secrets: world.secrets,
    server,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface UpstreamAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly type?: string;
}

function createWorld(count: number): {
  answer(request: SeenRequest): UpstreamAnswer;
  readonly secrets: readonly string[];
} {
  const secrets: string[] = [];
  const keys: Key[] = Array.from({ length: count }, (_, i) => createKey(`Key ${i + 1}`, 1_700_000_000 + i, undefined));
  const members = new Map([['vs_docs', new Set(['file-notes', 'file-bytes'])]]);
  return {
    secrets,
    answer: (request) => {
      const url = new URL(request.url, 'http://upstream');
      if (!/^Bearer .+/.test(request.headers.authorization ?? '')) return refuse(401, 'No credentials.', null);
      const content = /^\/v1\/files\/([^/]+)\/content$/.exec(url.pathname)?.[1];
      if (content !== undefined && request.method === 'GET') return readFile(content, request.headers.accept ?? '*/*');
      if (url.pathname === '/v1/organization/admin_api_keys') {
        if (request.method === 'GET') return listKeys(keys, url.searchParams);
        if (request.method === 'POST') return addKey(keys, secrets, request.body);
      }
      const removal = /^\/v1\/vector_stores\/([^/]+)\/files\/([^/]+)$/.exec(url.pathname);
      if (removal !== null && request.method === 'DELETE') {
        const [, store = '', file = ''] = removal;
        if (members.get(store)?.delete(file) !== true)
          return refuse(404, `No file '${file}' in '${store}'.`, 'file_id');
        return { status: 200, body: { id: file, object: 'vector_store.file.deleted', deleted: true } };
      }
      return refuse(404, 'Nothing here.', null);
    },
  };
}

function readFile(id: string, accept: string): UpstreamAnswer {
  const content = FILES[id];
  if (content === undefined) return refuse(404, `No such file: ${id}`, 'file_id');
  if (/application\/(?:binary|octet-stream)/.test(accept)) {
    return { status: 200, type: 'application/octet-stream', body: Buffer.from(content) };
  }
  return { status: 200, body: content.toString() };
}

/** A key as everybody sees it who did not create it. */
function hideValue({ value: _value, ...shown }: Key): Omit<Key, 'value'> {
  return shown;
}

function listKeys(keys: readonly Key[], query: URLSearchParams): UpstreamAnswer {
  const ordered = query.get('order') === 'desc' ? keys.toReversed() : keys;
  const after = query.get('after');
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) return refuse(400, `Unknown cursor ${after}`, 'after');
  const limit = Number(query.get('limit') ?? 20);
  const data = ordered.slice(start, start + limit).map(hideValue);
  const body = {
    object: 'list',
    data,
    has_more: start + limit < ordered.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
  return { status: 200, body };
}

function addKey(keys: Key[], secrets: string[], body: Buffer): UpstreamAnswer {
  const { name } = JSON.parse(body.toString('utf8')) as { readonly name?: string };
  if (typeof name !== 'string' || name === '') return refuse(400, 'A name is required.', 'name');
  const secret = `sk-admin-${toLetters(48)}`;
  secrets.push(secret);
  const key = createKey(name, 1_700_001_000 + keys.length, secret);
  keys.push(key);
  return { status: 200, body: key };
}

function createKey(name: string, createdAt: number, secret: string | undefined): Key {
  return {
    object: 'organization.admin_api_key',
    id: `key_${toLetters(24)}`,
    name,
    redacted_value: `sk-admin-...${(secret ?? toLetters(4)).slice(-4)}`,
    ...(secret === undefined ? {} : { value: secret }),
    created_at: createdAt,
    owner: { type: 'service_account', id: 'sa_1', name: 'Robot', created_at: 1_690_000_000, role: 'member' },
  };
}

function toLetters(length: number): string {
  return randomBytes(length * 4)
    .toString('base64')
    .replaceAll(/[^0-9A-Za-z]/g, '')
    .slice(0, length);
}

function refuse(status: number, message: string, param: string | null): UpstreamAnswer {
  return { status, body: { error: { message, type: 'invalid_request_error', param, code: null } } };
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    rawHeaders: incoming.rawHeaders,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  };
}
