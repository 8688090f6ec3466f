import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { inPath, query, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, INTEGER, object, TEXT } from '../schema-parts.js';
import { openShop, type Reply, type Shop } from './shop.js';

const link = { type: 'string', format: 'uri' };

const createDocument = (uri: object, more: object = {}): Readonly<Record<string, unknown>> => {
  const room = object({ uri, name: TEXT, owner: link, ...more }, 'uri', 'name');
  const desk = object({ uri: link, label: TEXT }, 'uri', 'label');
  return toDocument(
    {
      '/rooms': {
        get: { parameters: [query('owner', link)], ...shows(object({ items: arrayOf(room) })) },
        post: takes(object({ name: TEXT, owner: link }, 'name'), room, 201),
      },
      '/rooms/{uuid}': {
        ...inPath('uuid'),
        get: shows(room),
        put: takes(object({ name: TEXT }, 'name'), room),
        delete: REMOVED,
      },
      '/rooms/{uuid}/desks': { ...inPath('uuid'), post: takes(object({ label: TEXT }), desk, 201) },
      '/rooms/{room_uuid}/desks/{uuid}': { ...inPath('room_uuid', 'uuid'), get: shows(desk) },
    },
    undefined,
    { servers: [{ url: 'https://rooms.example/v2/' }] },
  );
};

const readLast = (url: unknown): string => String(url).split('/').at(-1) ?? '';

describe('an item that is identified by its own URL', () => {
  it('has a URL whose last segment reads, replaces and removes it', async () => {
    const { send } = await openShop({ ...CLOSED, spec: createDocument(link) });
    const { body } = await send('POST', '/rooms', { name: 'North' });
    expect(body['uri']).toMatch(/^https:\/\/rooms\.example\/v2\/rooms\/[^/]+$/);
    const path = `/rooms/${readLast(body['uri'])}`;
    expect((await send('GET', path)).body).toEqual(body);
    expect((await send('GET', '/rooms')).body).toEqual({ items: [body] });
    expect((await send('PUT', path, { name: 'South' })).body).toEqual({ ...body, name: 'South' });
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
  });

  it('has another URL than every other item, also where the schema shows an example', async () => {
    const example = 'https://eu.rooms.example/rooms/AAAABBBBCCCC1111';
    const { send } = await openShop({ ...CLOSED, spec: createDocument({ ...link, example }) });
    const urls = await Promise.all(
      ['a', 'b'].map(async (name) => (await send('POST', '/rooms', { name })).body['uri']),
    );
    expect(new Set(urls).size).toBe(2);
    for (const url of urls) expect(url).toMatch(/^https:\/\/eu\.rooms\.example\/rooms\/[^/]+$/);
  });

  it('has the ids of its parents in its URL', async () => {
    const { send } = await openShop({ ...CLOSED, spec: createDocument(link) });
    const room = readLast((await send('POST', '/rooms', { name: 'North' })).body['uri']);
    const { body } = await send('POST', `/rooms/${room}/desks`, { label: 'a' });
    expect(body['uri']).toMatch(new RegExp(`^https://rooms\\.example/v2/rooms/${room}/desks/[^/]+$`));
    expect((await send('GET', `/rooms/${room}/desks/${readLast(body['uri'])}`)).body).toEqual(body);
  });

  it('is created on demand with the URL that was requested', async () => {
    const { send } = await openShop({ spec: createDocument(link) });
    expect((await send('GET', '/rooms/r1')).body['uri']).toBe('https://rooms.example/v2/rooms/r1');
  });

  it('is filtered by the URL of another item, which a replacement without that property keeps', async () => {
    const { send } = await openShop({ ...CLOSED, spec: createDocument(link) });
    const owner = 'https://rooms.example/v2/people/p1';
    const { body } = await send('POST', '/rooms', { name: 'North', owner });
    await send('POST', '/rooms', { name: 'South', owner: `${owner}2` });
    const replaced = { ...body, name: 'East' };
    expect((await send('PUT', `/rooms/${readLast(body['uri'])}`, { name: 'East' })).body).toEqual(replaced);
    expect((await send('GET', `/rooms?owner=${encodeURIComponent(owner)}`)).body).toEqual({ items: [replaced] });
  });

  it('is identified by its id where it has one', async () => {
    const { send } = await openShop({ ...CLOSED, spec: createDocument(link, { uuid: TEXT }) });
    const { body } = await send('POST', '/rooms', { name: 'North' });
    expect((await send('GET', `/rooms/${String(body['uuid'])}`)).body).toEqual(body);
  });
});

describe('a request property that the item has with a longer name', () => {
  it('is stored, also where a word before the name makes it longer', async () => {
    const hook = object({ id: TEXT, callback_url: link, state: TEXT }, 'id', 'callback_url');
    const { send } = await openShop({
      ...CLOSED,
      spec: toDocument({
        '/hooks': { post: takes(object({ url: link, state: TEXT }, 'url'), hook, 201) },
        '/hooks/{id}': { ...inPath('id'), get: shows(hook) },
      }),
    });
    const url = 'https://app.example/in';
    const { body } = await send('POST', '/hooks', { url, state: 'on' });
    expect(body).toMatchObject({ callback_url: url, state: 'on' });
    expect((await send('GET', `/hooks/${String(body['id'])}`)).body).toEqual(body);
  });
});

describe('an item with an id that shows its own URL', () => {
  const openTasks = async (task: object, sent: object = { title: TEXT }): Promise<Shop> => {
    const project = object({ id: TEXT, title: TEXT }, 'id');
    const item = object({ id: TEXT, title: TEXT, ...task }, 'id', ...Object.keys(task));
    return openShop({
      ...CLOSED,
      spec: toDocument(
        {
          '/projects': { post: takes(object({ title: TEXT }), project, 201) },
          '/projects/{project_id}': { ...inPath('project_id'), get: shows(project) },
          '/projects/{project_id}/tasks': { ...inPath('project_id'), post: takes(object(sent), item, 201) },
          '/projects/{project_id}/tasks/{task_id}': { ...inPath('project_id', 'task_id'), get: shows(item) },
        },
        undefined,
        { servers: [{ url: 'https://{region}.tasks.example/v1', variables: { region: { default: 'eu' } } }] },
      ),
    });
  };
  const create = async ({ send }: Shop, body: object = { title: 'a' }): Promise<readonly [string, Reply['body']]> => {
    const project = (await send('POST', '/projects', { title: 'p' })).body;
    const path = `/projects/${String(project['id'])}/tasks`;
    const task = (await send('POST', path, body)).body;
    const own = `${path}/${String(task['id'])}`;
    expect((await send('GET', own)).body).toEqual(task);
    return [`https://eu.tasks.example/v1${own}`, task];
  };

  it.each([
    ['self', { self: link }],
    ['url', { url: { type: 'string', description: 'The API url of this task' } }],
  ])('shows the server and the path of its read operation in `%s`', async (name, properties) => {
    const [url, task] = await create(await openTasks(properties));
    expect(task[name]).toBe(url);
  });

  it('shows it in its links', async () => {
    const href = object({ href: TEXT }, 'href');
    const [url, task] = await create(await openTasks({ _links: object({ self: href, next: href }, 'self') }));
    expect(task['_links']).toMatchObject({ self: { href: url } });
  });

  it('has the base of an example of it', async () => {
    const example = 'https://api.tasks.example/projects/P1/tasks/T1';
    const [url, task] = await create(await openTasks({ url: { ...link, example } }));
    expect(task['url']).toBe(url.replace('https://eu.tasks.example/v1', 'https://api.tasks.example'));
  });

  it('keeps what a request sends, and other URLs', async () => {
    const sent = { title: TEXT, url: link };
    const [, task] = await create(await openTasks({ url: link }, sent), { url: 'https://app.example/in' });
    expect(task['url']).toBe('https://app.example/in');
    const [url, other] = await create(await openTasks({ url: { ...link, description: 'The web page of the task' } }));
    expect(other['url']).not.toBe(url);
  });
});

describe('the own URL of an item where the document has no absolute server', () => {
  const task = object({ id: TEXT, title: TEXT, self: link }, 'id', 'self');
  const room = object({ url: link, name: TEXT }, 'url', 'name');
  const toPaths = (item: object): object => ({
    get: shows(arrayOf(item)),
    post: takes(object({ title: TEXT, name: TEXT }), item, 201),
  });
  const openSpace = async (server: object, unknownIds: 'create' | 'not-found'): Promise<Mock> =>
    createMock({
      spec: toDocument(
        {
          '/tasks': toPaths(task),
          '/tasks/{task_id}': { ...inPath('task_id'), get: shows(task) },
          '/rooms': toPaths(room),
          '/rooms/{uuid}': { ...inPath('uuid'), get: shows(room) },
        },
        undefined,
        { ...server },
      ),
      state: { unknownIds },
    });
  const readJson = async (response: Response): Promise<Reply['body']> => (await response.json()) as Reply['body'];

  it.each([
    ['create', {}],
    ['not-found', {}],
    ['create', { servers: [{ url: '/' }] }],
    ['not-found', { servers: [{ url: '/v1' }] }],
  ] as const)('is read where the mock listens, unknown ids: %s, %j', async (unknownIds, server) => {
    const mock = await openSpace(server, unknownIds);
    const { url } = await mock.listen();
    try {
      for (const [path, name] of [
        ['tasks', 'self'],
        ['rooms', 'url'],
      ] as const) {
        const body = JSON.stringify({ title: 'a', name: 'a' });
        const headers = { 'content-type': 'application/json' };
        const created = await readJson(await fetch(`${url}/${path}`, { method: 'POST', body, headers }));
        const own = String(created[name]);
        expect(new URL(own).origin).toBe(new URL(url).origin);
        expect(await readJson(await fetch(own))).toEqual(created);
        for (const each of (await (await fetch(`${url}/${path}`)).json()) as readonly Reply['body'][])
          expect(await readJson(await fetch(String(each[name])))).toEqual(each);
      }
    } finally {
      await mock.close();
    }
  });

  it('has the host of a request that is not sent over a socket', async () => {
    const mock = await openSpace({}, 'not-found');
    const { self } = await readJson(
      await mock.fetch('/tasks', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', host: 'api.test:81' },
      }),
    );
    expect(self).toMatch(/^http:\/\/api\.test:81\/tasks\//);
    expect((await readJson(await mock.fetch('/tasks', { method: 'POST' })))['self']).toMatch(/^http:\/\/localhost\//);
  });
});

it.each([
  ['a path', TEXT, '/tickets'],
  ['a URL', link, 'http://localhost/tickets'],
])('the url of a list, and of a list in an item, is %s', async (_, own, base) => {
  const list = (items: object, url: object = own): object =>
    object({ data: arrayOf(items), has_more: BOOLEAN, url }, 'data', 'has_more', 'url');
  const note = object({ id: TEXT, text: TEXT });
  const ticket = object(
    { id: TEXT, title: TEXT, notes: list(note), tags: list(note, { ...TEXT, pattern: '^/v1/tags' }) },
    'id',
    'notes',
    'tags',
  );
  const spec = toDocument({
    '/tickets': {
      get: { parameters: [query('limit', INTEGER)], ...shows(list(ticket)) },
      post: takes(object({ title: TEXT }), ticket, 201),
    },
    '/tickets/{id}': { ...inPath('id'), get: shows(ticket) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/tickets', { title: 'a' });
  const notes = { data: [], has_more: false, url: `${base}/${String(body['id'])}/notes` };
  expect(body['notes']).toEqual(notes);
  // A pattern says what the URL is.
  expect(body['tags']).toMatchObject({ url: expect.stringMatching(/^\/v1\/tags/) as unknown });
  expect((await send('GET', '/tickets?limit=3')).body).toEqual({ data: [body], has_more: false, url: base });
  const { send: open } = await openShop({ spec });
  expect((await open('GET', '/tickets/t1')).body['notes']).toMatchObject({ url: `${base}/t1/notes` });
});

describe('other URLs of an item', () => {
  const shown = (example: string): object => ({ type: 'string', format: 'uri', example });
  const open = (members: object, sent: object = {}): Promise<Shop> => {
    const team = object(
      { id: { ...INTEGER, example: 17 }, name: TEXT, ...members },
      'id',
      'name',
      ...Object.keys(members),
    );
    const spec = toDocument({
      '/teams': { post: takes(object({ name: TEXT, ...sent }, 'name'), team, 201) },
      '/teams/{id}': { ...inPath('id'), get: shows(team) },
    });
    return openShop({ ...CLOSED, spec });
  };

  it.each([
    ['with the path of the item', 'https://web.test/teams/99', (id: number) => `https://web.test/teams/${id}`],
    ['with the id of its example', 'https://web.test/t/17', (id: number) => `https://web.test/t/${id}`],
    ['with the id in the middle', 'https://web.test/t/17/edit', (id: number) => `https://web.test/t/${id}/edit`],
  ])('name the item, %s', async (_, example, toUrl) => {
    const { send } = await open({ page_url: shown(example) });
    for (const name of ['North', 'South']) {
      const { body } = await send('POST', '/teams', { name });
      expect(body['page_url']).toBe(toUrl(Number(body['id'])));
      expect((await send('GET', `/teams/${String(body['id'])}`)).body).toEqual(body);
    }
  });

  it('are those of the example if they do not name it, and those of the client if it sends them', async () => {
    const icon = 'https://web.test/icons/blue.png';
    const hook = shown('https://web.test/t/17');
    const { send } = await open({ icon_url: shown(icon), hook_url: hook }, { hook_url: hook });
    const { body } = await send('POST', '/teams', { name: 'North', hook_url: 'https://client.test/17' });
    expect(body).toMatchObject({ icon_url: icon, hook_url: 'https://client.test/17' });
  });
});
