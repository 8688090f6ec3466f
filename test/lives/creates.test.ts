import { describe, expect, it } from 'vitest';
import { finds, inPath, pathParameter, query, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, NUMBER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

const UUID = { ...TEXT, format: 'uuid' };

/** A mock of some paths and the schemas of their items. */
const open = (paths: Part, schemas: Part = {}): Promise<Shop> => openShop({ spec: toDocument(paths, schemas) });

describe('an envelope of two levels that requires more than the item', () => {
  const envelope = (member: Part): Part =>
    object({ data: object({ ...member, revision: INTEGER }, ...Object.keys(member), 'revision') }, 'data');
  const spec = {
    '/sellers': {
      get: shows(envelope({ sellers: arrayOf(ref('Seller')) })),
      post: takes(object({ seller: ref('Seller') }), envelope({ seller: ref('Seller') }), 201),
    },
    '/sellers/{seller_id}': {
      ...inPath('seller_id'),
      get: shows(envelope({ seller: ref('Seller') })),
      patch: takes(object({ seller: ref('Seller') }), envelope({ seller: ref('Seller') })),
    },
  };
  const schemas = { Seller: object({ id: { ...UUID, readOnly: true }, name: TEXT, town: TEXT }, 'id', 'name', 'town') };

  it('shows what was sent, under the id of its Location', async () => {
    const { mock, send } = await open(spec, schemas);
    const sent = { seller: { name: 'Corner shop', town: 'Oslo' } };
    const response = await mock.fetch('/sellers', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });
    const created = (await response.json()) as { data: { seller: { id: string }; revision: number } };
    expect(created).toMatchObject({ data: { seller: sent.seller, revision: expect.any(Number) as number } });
    const { id } = created.data.seller;
    expect(response.headers.get('location')).toBe(`/sellers/${id}`);
    await send('PATCH', `/sellers/${id}`, { seller: { name: 'Corner shop', town: 'Bergen' } });
    const changed = { id, name: 'Corner shop', town: 'Bergen' };
    expect((await send('GET', `/sellers/${id}`)).body).toMatchObject({ data: { seller: changed } });
    expect((await send('GET', '/sellers')).body).toMatchObject({ data: { sellers: [changed] } });
  });
});

describe('a create whose answer is not the item', () => {
  const Desk = object({ id: INTEGER, uuid: TEXT, label: TEXT, height: INTEGER });
  const desks = {
    '/desks': {
      get: shows(arrayOf(ref('Desk'))),
      post: takes(object({ label: TEXT, room_uuid: TEXT }, 'label'), object({ uuid: TEXT, hints: arrayOf(TEXT) }), 201),
    },
    '/desks/from-template': {
      post: {
        summary: 'Create a desk from a template',
        ...takes(object({ label: TEXT, template: TEXT }, 'template'), object({ uuid: TEXT }), 201),
      },
    },
    '/desks/validate': {
      post: { summary: 'Check a desk', ...takes(object({ label: TEXT }), object({ valid: BOOLEAN })) },
    },
    '/desks/{uuid}': { ...inPath('uuid'), get: finds(ref('Desk')) },
  };

  it.each([
    ['/desks', {}],
    ['/desks/from-template', { template: 't1' }],
  ])('that shows the id alone stores what was sent: POST %s', async (path, more) => {
    const { send } = await open(desks, { Desk });
    const { uuid } = (await send('POST', path, { label: 'North', ...more })).body;
    expect((await send('GET', `/desks/${String(uuid)}`)).body).toMatchObject({ uuid, label: 'North' });
    expect((await send('GET', '/desks')).body).toMatchObject([{ uuid, label: 'North' }]);
  });

  it('a status of 201 with the item says that any word creates, and the status 200 does not', async () => {
    const own = { ...desks, '/desks/import': { post: takes(object({ label: TEXT, blob: TEXT }), ref('Desk'), 201) } };
    const { send } = await open(
      { ...own, '/desks/preview': { post: takes(object({ label: TEXT }), ref('Desk')) } },
      { Desk },
    );
    const { uuid } = (await send('POST', '/desks/import', { label: 'South', blob: 'x' })).body;
    await send('POST', '/desks/preview', { label: 'North' });
    expect((await send('GET', '/desks')).body).toMatchObject([{ uuid, label: 'South' }]);
  });

  it('below a parent, with the id alone, makes an item of the list without parents', async () => {
    const item = object({ id: { ...TEXT, readOnly: true }, label: TEXT, height: INTEGER }, 'id', 'label');
    const { send } = await open(
      {
        '/stools': { get: shows(arrayOf(ref('Stool'))) },
        '/stools/{id}': { ...inPath('id'), get: finds(ref('Stool')) },
        '/rooms/{roomId}/stools': { ...inPath('roomId'), post: takes(ref('Stool'), object({ id: TEXT }, 'id'), 201) },
        '/rooms': { get: shows(arrayOf(object({ id: TEXT, name: TEXT }))) },
        '/rooms/{roomId}': { ...inPath('roomId'), get: finds(object({ id: TEXT, name: TEXT })) },
      },
      { Stool: item },
    );
    const { id } = (await send('POST', '/rooms/r1/stools', { label: 'East', height: 4 })).body;
    expect((await send('GET', '/stools')).body).toMatchObject([{ id, label: 'East', height: 4 }]);
  });

  it('a segment of the media type behind the id or the collection names nothing', async () => {
    const { send } = await open(
      {
        '/pods/json': { get: shows(arrayOf(object({ Id: TEXT, Image: TEXT }))) },
        '/pods/create': { post: takes(object({ Image: TEXT }), object({ Id: TEXT, Warnings: arrayOf(TEXT) }), 201) },
        '/pods/{id}/json': { ...inPath('id'), get: finds(object({ Id: TEXT, Image: TEXT, Size: INTEGER })) },
        '/pods/{id}': { ...inPath('id'), delete: REMOVED },
      },
      {},
    );
    const { Id } = (await send('POST', '/pods/create', { Image: 'oak' })).body;
    expect((await send('GET', `/pods/${String(Id)}/json`)).body).toMatchObject({ Id, Image: 'oak' });
    expect((await send('GET', '/pods/json')).body).toMatchObject([{ Id, Image: 'oak' }]);
    await send('DELETE', `/pods/${String(Id)}`);
    expect((await send('GET', '/pods/json')).body).toEqual([]);
  });

  it('other words below the collection create nothing', async () => {
    const { send } = await open(desks, { Desk });
    await send('POST', '/desks/validate', { label: 'North' });
    expect((await send('GET', '/desks')).body).toEqual([]);
  });

  const Errand = object(
    {
      errandUid: INTEGER,
      shelf: TEXT,
      state: { ...TEXT, enum: ['failed', 'enqueued', 'processing', 'succeeded', 'canceled'] },
    },
    'errandUid',
    'state',
  );
  const free = { type: 'object' };
  const shelves = {
    '/shelves/{shelf}/books': {
      ...inPath('shelf'),
      get: shows(object({ results: arrayOf({}) }, 'results')),
      post: takes({}, ref('Errand'), 202),
    },
    '/shelves/{shelf}/books/{isbn}': { ...inPath('shelf', 'isbn'), get: shows(free) },
    '/errands': { get: shows(object({ results: arrayOf(ref('Errand')) }, 'results')) },
    '/errands/{errandUid}': { parameters: [pathParameter('errandUid', INTEGER)], get: shows(ref('Errand')) },
  };

  it('a receipt is answered, and the items of any form that were sent are stored', async () => {
    const { send } = await open(shelves, { Errand });
    const books = [
      { id: 7, title: 'Tides' },
      { id: 8, title: 'Winds', pages: 90 },
    ];
    const { status, body } = await send('POST', '/shelves/a/books', books);
    expect([status, body['shelf']]).toEqual([202, 'a']);
    expect((await send('GET', '/shelves/a/books/7')).body).toEqual(books[0]);
    expect((await send('GET', '/shelves/a/books')).body).toEqual({ results: books });
  });

  it('a receipt is read where the document reads it, and advances to its end', async () => {
    const { send } = await open(shelves, { Errand });
    const { errandUid, state } = (await send('POST', '/shelves/a/books', { id: 7 })).body;
    expect(state).toBe('enqueued');
    const states: unknown[] = [];
    for (let i = 0; i < 3; i++) states.push((await send('GET', `/errands/${String(errandUid)}`)).body['state']);
    expect(states).toEqual(['processing', 'succeeded', 'succeeded']);
  });

  it('a receipt that only has the id of a task is that task, also of a removal', async () => {
    const state = Errand.properties.state;
    const Task = object({ uid: INTEGER, rackName: TEXT, state }, 'uid', 'state');
    const { send } = await open(
      {
        '/racks': { get: shows(arrayOf(ref('Rack'))), post: takes(object({ name: TEXT }), ref('Errand'), 202) },
        '/racks/{rackName}': { ...inPath('rackName'), get: finds(ref('Rack')), delete: shows(ref('Errand'), 202) },
        '/tasks/{errandUid}': { parameters: [pathParameter('errandUid', INTEGER)], get: finds(ref('Task')) },
      },
      { Rack: object({ name: TEXT, boards: INTEGER }, 'name'), Errand, Task },
    );
    const made = (await send('POST', '/racks', { name: 'west' })).body;
    expect(made).toMatchObject({ errandUid: expect.any(Number) as number, state: 'enqueued' });
    expect((await send('GET', '/racks/west')).body).toMatchObject({ name: 'west' });
    const task = (await send('GET', `/tasks/${String(made['errandUid'])}`)).body;
    expect(task).toEqual({ uid: made['errandUid'], rackName: 'west', state: 'processing' });
    const gone = (await send('DELETE', '/racks/west')).body;
    expect(gone['errandUid']).not.toBe(made['errandUid']);
    expect((await send('GET', `/tasks/${String(gone['errandUid'])}`)).body).toMatchObject({ rackName: 'west' });
    expect((await send('GET', '/racks')).body).toEqual([]);
  });

  it('an item that another path reads is not taken for a receipt where the create sends it', async () => {
    const Bill = object({ id: INTEGER, amount: INTEGER, state: TEXT }, 'id');
    const { send } = await open(
      {
        '/guests/{guest}/bills': {
          ...inPath('guest'),
          get: shows(arrayOf(ref('Bill'))),
          post: takes(object({ amount: INTEGER }), ref('Bill'), 201),
        },
        '/bills/{id}': { parameters: [pathParameter('id', INTEGER)], get: finds(ref('Bill')) },
      },
      { Bill },
    );
    const { body } = await send('POST', '/guests/g1/bills', { amount: 12 });
    expect((await send('GET', `/bills/${String(body['id'])}`)).body).toMatchObject({ amount: 12 });
  });
});

it('methods of RPC find the item beside an object about the request', async () => {
  const answer = (data: Part): Part => shows(object({ info: object({ requestId: TEXT }), data }, 'info', 'data'));
  const { send } = await open({
    '/v2/doors.createDoor': {
      post: { ...sends(object({ label: TEXT }, 'label')), ...answer(object({ doorId: TEXT })) },
    },
    '/v2/doors.getDoor': {
      post: { ...sends(object({ doorId: TEXT }, 'doorId')), ...answer(object({ id: TEXT, label: TEXT }, 'id')) },
    },
    '/v2/doors.deleteDoor': { post: { ...sends(object({ doorId: TEXT }, 'doorId')), ...answer(object({})) } },
  });
  const created = (await send('POST', '/v2/doors.createDoor', { label: 'Back' })).body['data'] as Part;
  const read = (await send('POST', '/v2/doors.getDoor', { doorId: created['doorId'] })).body;
  expect(read['data']).toEqual({ id: created['doorId'], label: 'Back' });
});

it('a PUT below a parent creates what the flat path reads, lists and removes', async () => {
  const Page = object({ id: INTEGER, title: TEXT, wiki_id: INTEGER });
  const id = { parameters: [pathParameter('id', INTEGER)] };
  const { send } = await open(
    {
      '/wikis': {
        get: shows(arrayOf(ref('Wiki'))),
        put: { summary: 'Create a wiki', ...takes(ref('Wiki'), ref('Wiki')) },
      },
      '/wikis/{id}': { ...id, get: finds(ref('Wiki')) },
      '/wikis/{id}/pages': { ...id, put: { summary: 'Add a page', ...takes(ref('Page'), ref('Page'), 201) } },
      '/pages': { get: shows(arrayOf(ref('Page'))) },
      '/pages/{id}': { ...id, get: finds(ref('Page')), delete: REMOVED },
    },
    { Wiki: object({ id: INTEGER, title: TEXT }), Page },
  );
  const wiki = (await send('PUT', '/wikis', { title: 'Handbook' })).body['id'];
  const page = (await send('PUT', `/wikis/${String(wiki)}/pages`, { title: 'Leave' })).body['id'];
  expect((await send('GET', `/pages/${String(page)}`)).body).toEqual({ id: page, title: 'Leave', wiki_id: wiki });
  await send('DELETE', `/pages/${String(page)}`);
  expect((await send('GET', '/pages')).body).toEqual([]);
});

it('a PUT on a name creates what the list shows by that name', async () => {
  const envelope = (result: Part): Part => shows(object({ result, seconds: NUMBER }));
  const { send } = await open(
    {
      '/indexes': { get: envelope(object({ indexes: arrayOf(object({ name: TEXT }, 'name')) }, 'indexes')) },
      '/indexes/{index_name}': {
        ...inPath('index_name'),
        get: envelope(ref('Index')),
        put: {
          summary: 'Create an index',
          ...sends(object({ width: INTEGER }, 'width')),
          ...envelope({ ...BOOLEAN, description: 'Whether it was created.' }),
        },
      },
    },
    { Index: object({ width: INTEGER, entries: INTEGER }, 'width') },
  );
  expect((await send('PUT', '/indexes/north', { width: 3 })).body).toMatchObject({ result: true });
  const read = (await send('GET', '/indexes/north')).body;
  expect(read).toMatchObject({ result: { width: 3 }, seconds: expect.any(Number) as number });
  expect((await send('GET', '/indexes')).body).toMatchObject({ result: { indexes: [{ name: 'north' }] } });
});

describe('bodies', () => {
  it('one of several forms of a create is answered in its form', async () => {
    const Raft = object({ id: { ...INTEGER, example: 4 }, name: { ...TEXT, example: 'raft' } }, 'id', 'name');
    const { send } = await open(
      {
        '/rafts': {
          get: shows(object({ rafts: arrayOf(ref('Raft')) })),
          post: takes(
            { oneOf: [object({ name: TEXT }, 'name'), object({ names: arrayOf(TEXT) }, 'names')] },
            { oneOf: [object({ raft: ref('Raft') }), object({ rafts: arrayOf(ref('Raft')) })] },
            201,
          ),
        },
        '/rafts/{raft_id}': {
          parameters: [pathParameter('raft_id', INTEGER)],
          get: finds(object({ raft: ref('Raft') })),
        },
      },
      { Raft },
    );
    const [a, b] = [
      (await send('POST', '/rafts', { name: 'A' })).body,
      (await send('POST', '/rafts', { name: 'B' })).body,
    ];
    expect([a, b]).toMatchObject([{ raft: { name: 'A' } }, { raft: { name: 'B' } }]);
    expect(Object.keys(a)).toEqual(['raft']);
    expect((await send('GET', '/rafts')).body).toMatchObject({ rafts: [a['raft'], b['raft']] });
  });

  it('the item is the body, also where it has only a status and an object that the item has under the same name', async () => {
    const given = { status: { ...TEXT, enum: ['open', 'done'] }, berth: object({ id: TEXT }) };
    const { send } = await open(
      {
        '/calls': { get: shows(arrayOf(ref('Call'))), post: takes(object(given, 'status'), ref('Call'), 201) },
        '/calls/{id}': { ...inPath('id'), get: finds(ref('Call')) },
      },
      { Call: object({ id: { ...TEXT, readOnly: true }, ...given }, 'id', 'status') },
    );
    const sent = { status: 'done', berth: { id: 'b2' } };
    expect((await send('POST', '/calls', sent)).body).toMatchObject(sent);
    expect((await send('GET', '/calls')).body).toMatchObject([sent]);
  });

  it('one form of a create that names several items makes each of them, and answers their list', async () => {
    const Raft = object({ id: { ...INTEGER, readOnly: true }, name: TEXT, size_slug: TEXT, tags: arrayOf(TEXT) }, 'id');
    const one = object({ name: TEXT, size: TEXT, tags: arrayOf(TEXT) }, 'name', 'size');
    const many = object({ names: arrayOf(TEXT), size: TEXT }, 'names', 'size');
    const shown = [object({ raft: ref('Raft') }), object({ rafts: arrayOf(ref('Raft')) })];
    const { send } = await open(
      {
        '/rafts': {
          get: shows(object({ rafts: arrayOf(ref('Raft')) })),
          post: takes({ oneOf: [one, many] }, { oneOf: shown }, 202),
        },
        '/rafts/{id}': {
          parameters: [pathParameter('id', INTEGER)],
          get: finds(object({ raft: ref('Raft') })),
          delete: REMOVED,
        },
      },
      { Raft },
    );
    const both = (await send('POST', '/rafts', { names: ['a', 'b'], size: 'xl' })).body;
    expect(both).toMatchObject({ rafts: [{ name: 'a', size_slug: 'xl' }, { name: 'b' }] });
    expect(both).not.toHaveProperty('raft');
    expect((await send('POST', '/rafts', { names: ['c'], size: 's' })).body).toMatchObject({ rafts: [{ name: 'c' }] });
    // Where a request has both forms, or an array of the item itself, it means one item.
    const either = (await send('POST', '/rafts', { name: 'e', names: ['f'], size: 's' })).body;
    expect(either).toMatchObject({ raft: { name: 'e' } });
    await send('DELETE', `/rafts/${String((either['raft'] as Part)['id'])}`);
    const single = (await send('POST', '/rafts', { name: 'd', size: 's', tags: ['x', 'y'] })).body;
    expect(single).toMatchObject({ raft: { name: 'd', tags: ['x', 'y'] } });
    expect((await send('GET', '/rafts')).body).toMatchObject({ rafts: ['a', 'b', 'c', 'd'].map((name) => ({ name })) });
  });

  it('the item is the body, not a part of it that has more properties of the item', async () => {
    const Drive = object({
      id: UUID,
      name: TEXT,
      note: TEXT,
      size: INTEGER,
      block: INTEGER,
      kind: TEXT,
      locked: BOOLEAN,
    });
    const Source = object({ kind: TEXT, block: INTEGER, locked: BOOLEAN, id: UUID }, 'kind');
    const { send } = await open(
      {
        '/drives': {
          get: shows(arrayOf(ref('Drive'))),
          post: takes(
            object({ name: TEXT, note: TEXT, size: INTEGER, source: object({ from: ref('Source') }) }),
            ref('Drive'),
            201,
          ),
        },
        '/drives/{id}': { ...inPath('id'), get: finds(ref('Drive')) },
      },
      { Drive, Source },
    );
    const sent = { name: 'd1', note: 'scratch', size: 8, source: { from: { kind: 'blank', block: 4 } } };
    const { id } = (await send('POST', '/drives', sent)).body;
    expect((await send('GET', `/drives/${String(id)}`)).body).toMatchObject({ name: 'd1', note: 'scratch', size: 8 });
  });

  it('the item is what an envelope holds, not a part of that which has more properties of the item', async () => {
    const Maker = object({ id: INTEGER, name: TEXT, note: TEXT, phone: TEXT, town: TEXT });
    const given = { note: TEXT, parts: arrayOf(object({ title: TEXT })), maker: Maker };
    const Bike = object({ id: { ...INTEGER, readOnly: true }, ...given, name: TEXT, phone: TEXT, town: TEXT });
    const { send } = await open(
      {
        '/bikes': {
          get: shows(object({ bikes: arrayOf(ref('Bike')) })),
          post: takes(object({ bike: object(given) }, 'bike'), object({ bike: ref('Bike') }), 201),
        },
        '/bikes/{bike_id}': {
          parameters: [pathParameter('bike_id', INTEGER)],
          get: finds(object({ bike: ref('Bike') })),
        },
      },
      { Bike },
    );
    const sent = {
      note: 'gift',
      parts: [{ title: 'bell' }],
      maker: { name: 'Ann', note: 'vip', phone: '1', town: 'Ulm' },
    };
    const { id } = (await send('POST', '/bikes', { bike: sent })).body['bike'] as Part;
    expect((await send('GET', `/bikes/${String(id)}`)).body).toMatchObject({ bike: sent });
  });

  it('a value that an item shows in an array is its only element', async () => {
    const { send } = await open(
      {
        '/letters': {
          get: shows(arrayOf(ref('Letter'))),
          post: takes(
            object(
              {
                to: { oneOf: [TEXT, arrayOf(TEXT)] },
                copies: INTEGER,
                marks: { ...TEXT, description: 'Comma-separated marks.' },
              },
              'to',
            ),
            object({ id: TEXT }),
          ),
        },
        '/letters/{id}': { ...inPath('id'), get: finds(ref('Letter')) },
      },
      { Letter: object({ id: TEXT, to: arrayOf(TEXT), copies: arrayOf(INTEGER), marks: arrayOf(TEXT) }) },
    );
    const { id } = (await send('POST', '/letters', { to: 'a@x.test', copies: 2, marks: 'red, cold' })).body;
    const read = (await send('GET', `/letters/${String(id)}`)).body;
    expect(read).toEqual({ id, to: ['a@x.test'], copies: [2], marks: ['red', 'cold'] });
    const other = (await send('POST', '/letters', { to: ['a@x.test', 'b@x.test'] })).body;
    expect((await send('GET', `/letters/${String(other['id'])}`)).body).toMatchObject({ to: ['a@x.test', 'b@x.test'] });
  });

  it('an object of any form is stored and shown whole', async () => {
    const free = { type: 'object' };
    const { send } = await open({
      '/tables/{table}/rows': { ...inPath('table'), get: shows(arrayOf(free)), post: takes(free, free, 201) },
      '/tables/{table}/rows/{rowId}': { ...inPath('table', 'rowId'), get: shows(free), delete: REMOVED },
    });
    const row = { id: 'r1', cells: [1, 2], deep: { a: null } };
    expect((await send('POST', '/tables/t/rows', row)).body).toEqual(row);
    expect((await send('GET', '/tables/t/rows/r1')).body).toEqual(row);
    await send('DELETE', '/tables/t/rows/r1');
    expect((await send('GET', '/tables/t/rows')).body).toEqual([]);
  });
});

it('optional numbers and texts of an envelope are there, and words about failures are not', async () => {
  const envelope = (result: unknown): Part =>
    shows(
      object({
        result,
        ok: BOOLEAN,
        took: NUMBER,
        trace: TEXT,
        error: TEXT,
        next_cursor: TEXT,
        state: { enum: ['a', 'b'] },
      }),
    );
  const { send } = await open(
    {
      '/kites': {
        get: { parameters: [query('cursor')], ...envelope(arrayOf(ref('Kite'))) },
        post: { ...sends(object({ name: TEXT })), ...envelope(ref('Kite')) },
      },
      '/kites/{id}': { ...inPath('id'), get: envelope(ref('Kite')) },
    },
    { Kite: object({ id: TEXT, name: TEXT }, 'id') },
  );
  const created = (await send('POST', '/kites', { name: 'Red' })).body;
  expect(Object.keys(created).toSorted()).toEqual(['ok', 'result', 'took', 'trace']);
  const { id } = created['result'] as Part;
  expect(created['result']).toEqual({ id, name: 'Red' });
  const listed = (await send('GET', '/kites')).body;
  expect(Object.keys(listed).toSorted()).toEqual(['ok', 'result', 'took', 'trace']);
  expect(listed['result']).toEqual([created['result']]);
});

it('methods of RPC change items without showing them, and list those of another resource', async () => {
  const answer = (data: unknown, more: Part = {}): Part =>
    shows(object({ meta: object({ requestId: TEXT }, 'requestId'), data, ...more }, 'meta', 'data'));
  const method = (body: object, data: unknown, more: Part = {}): Part => ({
    post: { ...sends(body), ...answer(data, more) },
  });
  const byId = object({ lockId: TEXT }, 'lockId');
  const { send } = await open({
    '/v1/locks.createLock': method(object({ gateId: TEXT, label: TEXT, meta: { type: 'object' } }), byId),
    '/v1/locks.getLock': method(byId, object({ lockId: TEXT, label: TEXT, meta: { type: 'object' } }, 'lockId')),
    '/v1/locks.updateLock': method(object({ lockId: TEXT, label: TEXT }, 'lockId'), object({})),
    '/v1/locks.deleteLock': method(byId, object({})),
    '/v1/gates.listLocks': method(
      object({ gateId: TEXT, cursor: TEXT }),
      arrayOf(object({ lockId: TEXT, label: TEXT }, 'lockId')),
      { pagination: object({ cursor: TEXT, hasMore: BOOLEAN }, 'hasMore') },
    ),
  });
  const sent = { label: 'A', meta: { a: 1 } };
  const { lockId } = (await send('POST', '/v1/locks.createLock', { gateId: 'g', ...sent })).body['data'] as Part;
  expect((await send('POST', '/v1/locks.getLock', { lockId })).body['data']).toEqual({ lockId, ...sent });
  const changed = await send('POST', '/v1/locks.updateLock', { lockId, label: 'B' });
  expect(changed.body).toEqual({ meta: { requestId: expect.any(String) as string }, data: {} });
  const listed = await send('POST', '/v1/gates.listLocks', { gateId: 'g' });
  expect(listed.body).toMatchObject({ data: [{ lockId, label: 'B' }], pagination: { hasMore: false } });
  await send('POST', '/v1/locks.deleteLock', { lockId });
  expect((await send('POST', '/v1/gates.listLocks', { gateId: 'g' })).body).toMatchObject({ data: [] });
});

it('a body with a status and an object beside it is the item, and no envelope around the object', async () => {
  const status = { ...TEXT, enum: ['open', 'closed'] };
  const place = object({ id: TEXT });
  const { send } = await open(
    {
      '/leaks': {
        get: shows(object({ leaks: arrayOf(ref('Leak')) })),
        post: takes(object({ status, place }, 'status'), ref('Leak'), 201),
      },
      '/leaks/{id}': { ...inPath('id'), get: shows(ref('Leak')) },
    },
    { Leak: object({ id: { ...TEXT, readOnly: true }, status, place, madeAt: TEXT }, 'id', 'status') },
  );
  const sent = { status: 'closed', place: { id: 'p1' } };
  const { body: created } = await send('POST', '/leaks', sent);
  expect(created).toMatchObject(sent);
  expect((await send('GET', `/leaks/${String(created['id'])}`)).body).toMatchObject(sent);
});
