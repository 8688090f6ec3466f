// The floor of vouch: a mock of these operations alone, written by hand. Hono, ajv for requests and answers, state, and a journal of the newest
// interactions with what that of vouch shows; no scenarios, sessions, recordings or control API, and nothing that is decided by a document.
import { readFileSync } from 'node:fs';
import { type HttpBindings, serve } from '@hono/node-server';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Context, Hono } from 'hono';
import { load } from 'js-yaml';
import { readMembership } from '../requests.js';

interface Key {
  readonly id: string;
  readonly [name: string]: unknown;
}

const [, , folder = '', memberships = '0'] = process.argv;
const ajv = new Ajv2020({ strict: false });
// The document of the bench has this form.
const document = load(readFileSync('spec/openapi.yaml', 'utf8')) as {
  readonly components: { readonly schemas: object };
};
ajv.addSchema({ $id: 'document:', ...document });
const compile = (name: string): ValidateFunction => ajv.compile({ $ref: `document:#/components/schemas/${name}` });
const checkBody = compile('CreateAdminApiKeyRequest');
const checkKey = compile('AdminApiKey');
const checkCreated = compile('CreatedAdminApiKey');
const checkList = compile('AdminApiKeyList');
const checkDeletion = compile('VectorStoreFileDeletion');
const checkError = compile('Error');

// The fixtures of the bench have this form.
const { items } = load(readFileSync(`${folder}/admin_api_keys.yaml`, 'utf8')) as { readonly items: readonly Key[] };
const CONTENT = 'Refunds are possible within 30 days.\nWrite to billing@example.com.\n';
const OWNER = items[0]?.['owner'];
const MAX_ENTRIES = 1000;

let keys: Key[] = [];
let positions = new Map<string, number>();
let stores = new Map<string, Set<string>>();
const journal: unknown[] = [];
let entries = 0;

function reset(): void {
  keys = [...items];
  positions = new Map(items.map(({ id }, i) => [id, i]));
  stores = new Map();
  for (let n = 0; n < Number(memberships); n++) {
    const { store, file } = readMembership(n);
    const members = stores.get(store) ?? new Set();
    stores.set(store, members.add(file));
  }
}

interface Refusal {
  readonly param: string;
  readonly message: string;
  readonly status?: 400 | 401 | 404;
}

/** What Node.js and the handlers tell about a request. */
interface Environment {
  readonly Bindings: HttpBindings;
  readonly Variables: { startedAt: number; received?: unknown };
}

/** Checks an answer, remembers it and writes it. */
function answer(
  c: Context<Environment>,
  check: ValidateFunction | undefined,
  given: {
    readonly operation: string;
    readonly status: 200 | 400 | 401 | 404;
    readonly body: object | string;
    readonly violations?: readonly object[];
  },
) {
  const { operation, status, body, violations = [] } = given;
  if (check?.(body) === false) return c.json({}, 500);
  const startedAt = c.get('startedAt');
  const headers = { 'x-mock-source': 'state' };
  journal[entries % MAX_ENTRIES] = {
    number: entries++,
    at: Date.now(),
    startedAt,
    elapsedMs: performance.now() - startedAt,
    operation,
    request: {
      method: c.req.method,
      url: c.req.url,
      path: c.req.param(),
      query: c.req.query(),
      headers: c.env.incoming.headers,
      body: c.get('received'),
    },
    answer: { status, headers, body, mediaType: 'application/json', from: 'state' },
    violations,
    trace: [`state: ${operation}`],
  };
  return c.json(body, status, headers);
}

function refuse(c: Context<Environment>, operation: string, { param, message, status = 400 }: Refusal) {
  const body = { error: { message, type: 'invalid_request_error', param, code: 'invalid_value' } };
  return answer(c, checkError, { operation, status, body, violations: [{ param, message }] });
}

function draw(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += LETTERS.charAt(Math.trunc(Math.random() * LETTERS.length));
  return text;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const app = new Hono<Environment>()
  .use('/v1/*', async (c, next) => {
    c.set('startedAt', performance.now());
    if (c.req.header('authorization')?.startsWith('Bearer ') === true) return next();
    return refuse(c, 'authorization', {
      param: 'authorization',
      message: 'the request has no bearer token',
      status: 401,
    });
  })
  .get('/v1/organization/admin_api_keys', (c) => {
    const limit = Number(c.req.query('limit') ?? 20);
    if (!Number.isInteger(limit) || limit < 1)
      return refuse(c, 'list', { param: 'limit', message: `must be an integer of at least 1, got ${limit}` });
    const after = c.req.query('after');
    const start = after === undefined ? 0 : (positions.get(after) ?? -1) + 1;
    const data = keys.slice(start, start + limit);
    const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    const body = { object: 'list', data, has_more: start + limit < keys.length, first_id, last_id };
    return answer(c, checkList, { operation: 'list', status: 200, body });
  })
  .post('/v1/organization/admin_api_keys', async (c) => {
    const body: unknown = await c.req.json();
    c.set('received', body);
    if (!checkBody(body)) {
      const [error] = checkBody.errors ?? [];
      return refuse(c, 'create', {
        param: error?.instancePath.slice(1) ?? '',
        message: `Body property ${error?.instancePath} ${error?.message}.`,
      });
    }
    const value = `sk-admin-${draw(48)}`;
    const created_at = Math.trunc(Date.now() / 1000);
    const shown = {
      object: 'organization.admin_api_key',
      id: `key_${draw(24)}`,
      name: (body as { name: string }).name,
    };
    const item = { ...shown, redacted_value: `sk-admin-...${value.slice(-4)}`, created_at, owner: OWNER };
    if (!checkKey(item)) return c.json({}, 500);
    positions.set(item.id, keys.push(item) - 1);
    return answer(c, checkCreated, { operation: 'create', status: 200, body: { ...item, value } });
  })
  .get('/v1/files/:file/content', (c) => answer(c, undefined, { operation: 'content', status: 200, body: CONTENT }))
  .delete('/v1/vector_stores/:store/files/:file', (c) => {
    const { store, file } = c.req.param();
    if (stores.get(store)?.delete(file) !== true)
      return refuse(c, 'delete', { param: 'file_id', message: `the vector store has no file "${file}"`, status: 404 });
    return answer(c, checkDeletion, {
      operation: 'delete',
      status: 200,
      body: { id: file, deleted: true, object: 'vector_store.file.deleted' },
    });
  })
  .post('/__mock/reset', (c) => {
    reset();
    return c.json({});
  });

reset();
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
