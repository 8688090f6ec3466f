// Small services of several kinds, what is recorded of them, and what is asked of them and of their promoted mocks then.
import { arrayOf, BOOLEAN, INTEGER, inPath, json, object, ref, TEXT, toDocument } from '../document-parts.js';

type Json = Readonly<Record<string, unknown>>;

/** A request as a service sees it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly sent: Json;
  readonly bytes: Buffer;
  readonly isAnonymous: boolean;
}

/** An answer: its status, its body (JSON unless it is text or bytes), its media type, and the URL of what it created. */
export type Reply = readonly [status: number, body?: unknown, type?: string, location?: string];

/** A request: its path may need the bodies of the answers before it; a string is a form. */
export type Step = readonly [
  method: string,
  path: string | ((bodies: readonly string[]) => string),
  body?: object | string | ((bodies: readonly string[]) => object),
  anonymous?: true,
];

export interface Twin {
  readonly name: string;
  readonly document: object;
  /** Starts the service anew. */
  start(): (asked: Asked) => Reply;
  readonly recorded: readonly Step[];
  /** Requests with other values. */
  readonly fresh: readonly Step[];
}

export const takes = (schema: object, type = 'application/json'): object => ({
  requestBody: { required: true, content: { [type]: { schema } } },
});
export const shows = (schema: object, status = 200): object => ({ responses: { [status]: json(schema) } });
export const gone = { responses: { 204: { description: 'done' } } };
export const toSpec = (paths: Json, schemas: Json): object => ({
  ...toDocument(paths, schemas, { servers: [{ url: '/v1' }], security: [{ key: [] }] }),
  components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
});
export const idOf =
  (index: number, prefix: string, suffix = '') =>
  (bodies: readonly string[]): string =>
    `${prefix}${(JSON.parse(bodies[index] ?? '{}') as { id: string }).id}${suffix}`;

/** Names of the client, errors in text, actions. */
const DAEMON: Twin = {
  name: 'a daemon with errors in text',
  document: toSpec(
    {
      '/boxes': { get: shows(arrayOf(ref('Box'))) },
      '/boxes/create': {
        post: { ...takes(object({ name: TEXT, image: TEXT, size: INTEGER }, 'name')), ...shows(ref('Box'), 201) },
      },
      '/boxes/{name}': { ...inPath('name'), get: shows(ref('Box')), delete: gone },
      '/boxes/{name}/rename': {
        ...inPath('name'),
        post: { ...takes(object({ image: TEXT }, 'image')), ...shows(ref('Box')) },
      },
      '/version': { get: shows(object({ version: TEXT, api: INTEGER })) },
    },
    { Box: object({ name: TEXT, image: TEXT, size: INTEGER, state: TEXT }) },
  ),
  start: () => {
    const boxes = new Map<string, Json>();
    const fail = (status: number, text: string): Reply => [status, `${text}\n`, 'text/plain; charset=utf-8'];
    return ({ method, path, sent, isAnonymous }) => {
      if (isAnonymous) return fail(401, 'authentication required');
      const [, of, name = '', action] = path.split('/');
      if (of === 'version') return [200, { version: '4.2', api: 7 }];
      if (name === '') return [200, [...boxes.values()]];
      if (name === 'create') {
        const key = String(sent['name']);
        if (sent['name'] === undefined) return fail(400, 'name is missing');
        if (boxes.has(key)) return fail(409, `box "${key}" exists already`);
        boxes.set(key, { image: 'none', size: 1, ...sent, state: 'created' });
        return [201, boxes.get(key)];
      }
      const found = boxes.get(name);
      if (found === undefined) return fail(404, `no such box: ${name}`);
      if (action === 'rename') boxes.set(name, { ...found, ...sent });
      if (method !== 'DELETE') return [200, boxes.get(name)];
      boxes.delete(name);
      return [204];
    };
  },
  recorded: [
    ['GET', '/boxes'],
    ['GET', '/version'],
    ['POST', '/boxes/create', { name: 'web', image: 'nginx', size: 3 }],
    ['POST', '/boxes/create', { name: 'db-1' }],
    ['POST', '/boxes/create', { name: 'web' }],
    ['POST', '/boxes/create', { image: 'nginx' }],
    ['GET', '/boxes/web'],
    ['GET', '/boxes'],
    ['GET', '/boxes/nothing'],
    ['POST', '/boxes/web/rename', { image: 'caddy' }],
    ['GET', '/boxes/web'],
    ['DELETE', '/boxes/web'],
    ['GET', '/boxes/web'],
    ['GET', '/boxes', undefined, true],
  ],
  fresh: [
    ['GET', '/boxes'],
    ['GET', '/version'],
    ['POST', '/boxes/create', { name: 'mail', image: 'postfix', size: 8 }],
    ['POST', '/boxes/create', { name: 'cache' }],
    ['GET', '/boxes/mail'],
    ['GET', '/boxes/cache'],
    ['POST', '/boxes/create', { name: 'cache' }],
    ['POST', '/boxes/create', { name: 'mail', image: 'exim' }],
    ['POST', '/boxes/create', { size: 4 }],
    ['GET', '/boxes/ghost'],
    ['DELETE', '/boxes/ghost'],
    ['POST', '/boxes/ghost/rename', { image: 'x' }],
    ['POST', '/boxes/mail/rename', { image: 'dovecot' }],
    ['GET', '/boxes/mail'],
    ['GET', '/boxes'],
    ['DELETE', '/boxes/mail'],
    ['DELETE', '/boxes/mail'],
    ['GET', '/boxes/mail'],
    ['GET', '/boxes'],
    ['GET', '/boxes/cache', undefined, true],
    ['POST', '/boxes/create', { name: 'other' }, true],
  ],
};

/** Ids of the server, JSON that is called text. */
const TICKETS: Twin = {
  name: 'tickets in JSON that is called text',
  document: toSpec(
    {
      '/tickets': {
        get: {
          parameters: [{ name: 'state', in: 'query', schema: TEXT }],
          ...shows(object({ tickets: arrayOf(ref('Ticket')), total: INTEGER })),
        },
        post: { ...takes(object({ title: TEXT, urgent: BOOLEAN }, 'title')), ...shows(ref('Ticket'), 201) },
      },
      '/tickets/{id}': {
        ...inPath('id'),
        get: shows(ref('Ticket')),
        patch: { ...takes(object({ title: TEXT, urgent: BOOLEAN, state: TEXT })), ...shows(ref('Ticket')) },
        delete: gone,
      },
    },
    { Ticket: object({ id: TEXT, title: TEXT, urgent: BOOLEAN, state: TEXT }) },
  ),
  start: () => {
    const tickets = new Map<string, Json>();
    let count = 0;
    const say = (status: number, body: unknown): Reply => [status, JSON.stringify(body), 'text/plain; charset=utf-8'];
    const fail = (status: number, code: string, message: string): Reply => say(status, { ok: false, code, message });
    return ({ method, path, query, sent, isAnonymous }) => {
      if (isAnonymous) return fail(401, 'unauthorized', 'send a token');
      const id = path.split('/')[2] ?? '';
      if (id === '' && method === 'GET') {
        const all = [...tickets.values()].filter(({ state }) => !query.has('state') || state === query.get('state'));
        return say(200, { tickets: all, total: all.length });
      }
      if (method === 'POST') {
        if (sent['title'] === undefined) return fail(422, 'missing', 'title is required');
        const key = `tk_${(count += 1) * 7919}`;
        tickets.set(key, { id: key, urgent: false, state: 'open', ...sent });
        return say(201, tickets.get(key));
      }
      const found = tickets.get(id);
      if (found === undefined) return fail(404, 'unknown', `there is no ticket ${id}`);
      if (method === 'PATCH') tickets.set(id, { ...found, ...sent });
      if (method !== 'DELETE') return say(200, tickets.get(id));
      tickets.delete(id);
      return [204];
    };
  },
  recorded: [
    ['GET', '/tickets'],
    ['POST', '/tickets', { title: 'leak' }],
    ['POST', '/tickets', { title: 'fire', urgent: true }],
    ['GET', idOf(1, '/tickets/')],
    ['GET', '/tickets'],
    ['POST', '/tickets', { urgent: true }],
    ['GET', '/tickets/tk_none'],
    ['PATCH', idOf(1, '/tickets/'), { state: 'done' }],
    ['GET', '/tickets?state=done'],
    ['DELETE', idOf(2, '/tickets/')],
    ['GET', '/tickets', undefined, true],
  ],
  fresh: [
    ['GET', '/tickets'],
    ['POST', '/tickets', { title: 'noise' }],
    ['POST', '/tickets', { title: 'dust', urgent: true }],
    ['GET', idOf(1, '/tickets/')],
    ['GET', idOf(2, '/tickets/')],
    ['GET', '/tickets'],
    ['POST', '/tickets', {}],
    ['GET', '/tickets/tk_other'],
    ['PATCH', '/tickets/tk_other', { title: 'x' }],
    ['DELETE', '/tickets/tk_other'],
    ['PATCH', idOf(2, '/tickets/'), { state: 'later', title: 'sand' }],
    ['GET', idOf(2, '/tickets/')],
    ['GET', '/tickets?state=later'],
    ['DELETE', idOf(1, '/tickets/')],
    ['GET', idOf(1, '/tickets/')],
    ['GET', '/tickets'],
    ['POST', '/tickets', { title: 'x' }, true],
  ],
};

export const rpc = (id: number, method: string, params?: object | ((bodies: readonly string[]) => object)): Step => [
  'POST',
  '/rpc',
  (bodies) => ({
    jsonrpc: '2.0',
    id,
    method,
    ...(params !== undefined && { params: typeof params === 'function' ? params(bodies) : params }),
  }),
];
const resultOf =
  (index: number, more: object = {}) =>
  (bodies: readonly string[]): object => ({
    id: (JSON.parse(bodies[index] ?? '{}') as { result: string }).result,
    ...more,
  });

/** JSON-RPC with camelCase methods; failures have the status 200, and creates answer the id alone. */
export const WALLET: Twin = {
  name: 'a wallet with JSON-RPC',
  document: toSpec(
    {
      '/rpc': {
        post: {
          ...takes(object({ jsonrpc: TEXT, id: {}, method: TEXT, params: {} }, 'method')),
          ...shows(object({ jsonrpc: TEXT, id: {}, result: {}, error: object({ code: INTEGER, message: TEXT }) })),
        },
      },
    },
    { Account: object({ id: TEXT }) },
  ),
  start: () => {
    const accounts = new Map<string, Json>([['acc-7', { id: 'acc-7', label: 'old', frozen: true }]]);
    let count = 0;
    const run = (method: string, params: Json): Json => {
      const id = String(params['id']);
      const found = accounts.get(id);
      if (method === 'getInfo') return { result: { network: 'test', height: 1200, peers: ['a', 'b'] } };
      if (method === 'ping') return { result: 'pong' };
      if (method === 'listAccounts') return { result: { accounts: [...accounts.values()] } };
      if (method === 'createAccount') {
        const key = `acc-${(count += 1) * 131}`;
        accounts.set(key, { id: key, label: params['label'], frozen: false });
        return { result: key };
      }
      if (!/^(?:get|update|delete)Account$/.test(method))
        return { error: { code: -32_601, message: `Method not found: ${method}` } };
      if (found === undefined) return { error: { code: -5, message: `Unknown account ${id}` } };
      if (method === 'updateAccount') accounts.set(id, { ...found, ...params });
      if (method !== 'deleteAccount') return { result: accounts.get(id) };
      accounts.delete(id);
      return { result: null };
    };
    return ({ sent, isAnonymous }) =>
      isAnonymous
        ? [401, 'Unauthorized', 'text/plain']
        : [200, { jsonrpc: '2.0', id: sent['id'], ...run(String(sent['method']), (sent['params'] ?? {}) as Json) }];
  },
  recorded: [
    rpc(1, 'getInfo'),
    rpc(2, 'ping'),
    rpc(3, 'listAccounts'),
    rpc(4, 'createAccount', { label: 'savings' }),
    rpc(5, 'getAccount', resultOf(3)),
    rpc(6, 'getAccount', { id: 'acc-none' }),
    rpc(7, 'updateAccount', resultOf(3, { label: 'spare' })),
    rpc(8, 'listAccounts'),
    rpc(9, 'explode'),
    rpc(10, 'createAccount', { label: 'bills' }),
    rpc(11, 'deleteAccount', resultOf(3)),
    rpc(12, 'listAccounts'),
    ['POST', '/rpc', { jsonrpc: '2.0', id: 13, method: 'ping' }, true],
  ],
  fresh: [
    rpc(101, 'getInfo'),
    rpc(102, 'ping'),
    rpc(103, 'listAccounts'),
    rpc(104, 'createAccount', { label: 'travel' }),
    rpc(105, 'createAccount', { label: 'rent' }),
    rpc(106, 'getAccount', resultOf(3)),
    rpc(107, 'getAccount', resultOf(4)),
    rpc(108, 'listAccounts'),
    rpc(109, 'getAccount', { id: 'acc-other' }),
    rpc(110, 'updateAccount', { id: 'acc-other', label: 'x' }),
    rpc(111, 'updateAccount', resultOf(4, { label: 'home' })),
    rpc(112, 'getAccount', resultOf(4)),
    rpc(113, 'fly'),
    rpc(114, 'deleteAccount', resultOf(3)),
    rpc(115, 'deleteAccount', resultOf(3)),
    rpc(116, 'listAccounts'),
    ['POST', '/rpc', { jsonrpc: '2.0', id: 117, method: 'getInfo' }, true],
  ],
};

/** JSON-RPC with parameters by position, whose answers do not depend on other calls. */
const CHAIN: Twin = {
  name: 'a chain with parameters by position',
  document: WALLET.document,
  start: () => {
    const blocks = new Map([
      ['b01', { hash: 'b01', height: 1, txs: ['t1'] }],
      ['b02', { hash: 'b02', height: 2, txs: [] }],
    ]);
    const run = (method: string, params: readonly unknown[]): Json => {
      if (method === 'chain_height') return { result: 2, error: null };
      if (method === 'chain_tip') return { result: blocks.get('b02'), error: null };
      const found = blocks.get(String(params[0]));
      if (method !== 'chain_block') return { result: null, error: { code: -1, message: `${method} is not a method` } };
      if (found !== undefined) return { result: found, error: null };
      return { result: null, error: { code: -5, message: `block ${String(params[0])} not found` } };
    };
    return ({ sent }) => [
      200,
      { id: sent['id'], ...run(String(sent['method']), (sent['params'] ?? []) as readonly unknown[]) },
    ];
  },
  recorded: [
    rpc(1, 'chain_height', []),
    rpc(2, 'chain_tip', []),
    rpc(3, 'chain_block', ['b01']),
    rpc(4, 'chain_block', ['b02']),
    rpc(5, 'chain_block', ['zzz']),
    rpc(6, 'chain_none', []),
    rpc(7, 'chain_height', []),
  ],
  fresh: [
    rpc(51, 'chain_height', []),
    rpc(52, 'chain_block', ['b02']),
    rpc(53, 'chain_block', ['b01']),
    rpc(54, 'chain_block', ['b77']),
    rpc(55, 'chain_block', ['other']),
    rpc(56, 'chain_tip', []),
    rpc(57, 'chain_what', [1, 'a']),
    rpc(58, 'chain_height', []),
    rpc(59, 'chain_height', []),
  ],
};

const blob = (seed: number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (i * seed + 200) % 256));
const BYTES = { type: 'string', format: 'binary' };
const sendsBytes = (type: string): object => ({
  responses: { 200: { description: 'ok', content: { [type]: { schema: BYTES } } } },
});

/** Bytes: those of items, and one that belongs to none. */
const PHOTOS: Twin = {
  name: 'photos with their bytes',
  document: toSpec(
    {
      '/photos': {
        get: shows(arrayOf(ref('Photo'))),
        post: { ...takes(object({ title: TEXT })), ...shows(ref('Photo'), 201) },
      },
      '/photos/{id}': { ...inPath('id'), get: shows(ref('Photo')), delete: gone },
      '/photos/{id}/original': { ...inPath('id'), get: sendsBytes('application/octet-stream') },
      '/photos/{id}/caption': {
        ...inPath('id'),
        get: { responses: { 200: { description: 'ok', content: { 'text/plain': { schema: TEXT } } } } },
      },
      '/watermark': { get: sendsBytes('image/png') },
    },
    { Photo: object({ id: TEXT, title: TEXT, likes: INTEGER }) },
  ),
  start: () => {
    const photos = new Map<string, Json>([
      ['ph_a1', { id: 'ph_a1', title: 'lake', likes: 3 }],
      ['ph_b2', { id: 'ph_b2', title: 'wood', likes: 0 }],
    ]);
    return ({ method, path, sent, isAnonymous }) => {
      if (isAnonymous) return [403, { error: 'forbidden' }];
      const [, of, id = '', part] = path.split('/');
      if (of === 'watermark') return [200, blob(9, 400), 'image/png'];
      if (id === '' && method === 'GET') return [200, [...photos.values()]];
      if (method === 'POST') {
        const made = { id: `ph_${photos.size * 37}z`, title: 'untitled', likes: 0, ...sent };
        photos.set(made.id, made);
        return [201, made];
      }
      const found = photos.get(id);
      if (found === undefined) return [404, { error: `photo ${id} does not exist` }];
      if (part === 'original') return [200, blob(id.length + String(found['title']).length, 2000), 'image/jpeg'];
      if (part === 'caption') return [200, `The ${String(found['title'])}.`, 'text/plain'];
      if (method !== 'DELETE') return [200, found];
      photos.delete(id);
      return [204];
    };
  },
  recorded: [
    ['GET', '/photos'],
    ['GET', '/photos/ph_a1'],
    ['GET', '/photos/ph_a1/original'],
    ['GET', '/photos/ph_b2/original'],
    ['GET', '/photos/ph_a1/caption'],
    ['GET', '/photos/ph_b2/caption'],
    ['GET', '/photos/ph_none'],
    ['GET', '/photos/ph_none/original'],
    ['GET', '/watermark'],
    ['POST', '/photos', { title: 'roof' }],
    ['POST', '/photos', {}],
    ['GET', '/photos', undefined, true],
  ],
  fresh: [
    ['GET', '/photos'],
    ['GET', '/photos/ph_b2'],
    ['GET', '/photos/ph_b2/original'],
    ['GET', '/photos/ph_a1/original'],
    ['GET', '/photos/ph_b2/caption'],
    ['GET', '/watermark'],
    ['GET', '/photos/ph_other'],
    ['GET', '/photos/ph_other/original'],
    ['DELETE', '/photos/ph_other'],
    ['POST', '/photos', { title: 'gate' }],
    ['POST', '/photos', {}],
    ['GET', idOf(9, '/photos/')],
    ['DELETE', '/photos/ph_a1'],
    ['GET', '/photos/ph_a1'],
    ['GET', '/photos/ph_a1/original'],
    ['GET', '/photos'],
    ['GET', '/watermark', undefined, true],
  ],
};

/** One schema for requests and answers, whose required members the answers do not have. */
const MEMBERS: Twin = {
  name: 'members whose answers lack what requests require',
  document: toSpec(
    {
      '/members': {
        get: shows(object({ items: arrayOf(ref('Member')) })),
        post: { ...takes(ref('Member')), responses: { 201: json(ref('Member')), 422: json(ref('Problem')) } },
      },
      '/members/{login}': {
        ...inPath('login'),
        get: shows(ref('Member')),
        put: { ...takes(ref('Member')), responses: { 200: json(ref('Member')), 422: json(ref('Problem')) } },
        delete: gone,
      },
    },
    {
      Member: object(
        { login: TEXT, password: TEXT, mail: TEXT, role: { type: 'string', enum: ['admin', 'guest'] } },
        'login',
        'password',
        'mail',
      ),
      Problem: object({ code: TEXT, field: TEXT }),
    },
  ),
  start: () => {
    const members = new Map<string, Json>();
    const missing = (sent: Json): string | undefined =>
      ['login', 'password', 'mail'].find((name) => sent[name] === undefined);
    return ({ method, path, sent, isAnonymous }) => {
      if (isAnonymous) return [401, { code: 'no_token' }];
      const login = path.split('/')[2] ?? '';
      if (login === '' && method === 'GET') return [200, { items: [...members.values()] }];
      if (method === 'DELETE' || method === 'GET') {
        const found = members.get(login);
        if (found === undefined) return [404, { code: 'no_member', field: login }];
        if (method === 'GET') return [200, found];
        members.delete(login);
        return [204];
      }
      const field = missing(sent);
      if (field !== undefined) return [422, { code: 'required', field }];
      const { password: _, ...shown } = sent;
      const key = String(sent['login']);
      if (method === 'POST' && members.has(key)) return [409, { code: 'taken', field: key }];
      members.set(key, { role: 'guest', ...shown });
      return [method === 'POST' ? 201 : 200, members.get(key)];
    };
  },
  recorded: [
    ['GET', '/members'],
    ['POST', '/members', { login: 'ann', password: 'pw-ann-77', mail: 'ann@a.example', role: 'admin' }],
    ['POST', '/members', { login: 'bob', password: 'pw-bob-77', mail: 'bob@a.example' }],
    ['POST', '/members', { login: 'ann', password: 'pw-ann-78', mail: 'ann@b.example' }],
    ['POST', '/members', { login: 'cid', mail: 'cid@a.example' }],
    ['GET', '/members/ann'],
    ['GET', '/members'],
    ['PUT', '/members/bob', { login: 'bob', password: 'pw-bob-79', mail: 'bob@b.example' }],
    ['GET', '/members/zed'],
    ['DELETE', '/members/ann'],
    ['GET', '/members', undefined, true],
  ],
  fresh: [
    ['GET', '/members'],
    ['POST', '/members', { login: 'dora', password: 'pw-dora-1', mail: 'dora@a.example' }],
    ['POST', '/members', { login: 'emil', password: 'pw-emil-1', mail: 'emil@a.example', role: 'admin' }],
    ['POST', '/members', { login: 'emil', password: 'pw-emil-2', mail: 'emil@b.example' }],
    ['POST', '/members', { login: 'fay', password: 'pw-fay-1' }],
    ['POST', '/members', { password: 'pw-fay-1', mail: 'fay@a.example' }],
    ['GET', '/members/dora'],
    ['GET', '/members/emil'],
    ['GET', '/members'],
    ['PUT', '/members/dora', { login: 'dora', password: 'pw-dora-2', mail: 'dora@b.example', role: 'guest' }],
    ['PUT', '/members/dora', { login: 'dora', mail: 'dora@b.example' }],
    ['GET', '/members/dora'],
    ['GET', '/members/yan'],
    ['DELETE', '/members/yan'],
    ['DELETE', '/members/emil'],
    ['GET', '/members/emil'],
    ['GET', '/members'],
    ['GET', '/members/dora', undefined, true],
  ],
};

export const TWINS: readonly Twin[] = [DAEMON, TICKETS, WALLET, CHAIN, PHOTOS, MEMBERS];
