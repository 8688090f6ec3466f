import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { content, json, pathParameter, query, REMOVED, sends, shows, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { type Reply, send } from '../send.js';

/** A document with gadgets: their properties, what lists take, and the operations on one gadget. */
function createDocument(of: {
  readonly properties: Part;
  readonly required?: readonly string[];
  readonly wrapped?: boolean;
  readonly parameters?: readonly Part[];
  readonly item?: Part;
  readonly paths?: Part;
}): Record<string, unknown> {
  const gadget = ref('Gadget');
  const one = of.wrapped === true ? object({ gadget }, 'gadget') : gadget;
  const id = pathParameter('gadget_id');
  const ok = { 200: json(one) };
  const body = { required: true, content: content(one) };
  const page = object({ gadgets: arrayOf(gadget) }, 'gadgets');
  const operations = Object.entries((of.item ?? {}) as Record<string, Part>).map(([method, operation]) => {
    const takes = method === 'put' ? { requestBody: body } : {};
    return [method, { operationId: `${method}Gadget`, responses: ok, ...takes, ...operation }];
  });
  return toDocument(
    {
      '/gadgets': {
        get: { operationId: 'listGadgets', parameters: of.parameters ?? [], ...shows(page) },
        post: { operationId: 'createGadget', requestBody: body, responses: ok },
      },
      '/gadgets/{gadget_id}': {
        parameters: [id],
        get: { operationId: 'readGadget', responses: ok },
        ...Object.fromEntries(operations),
      },
      '/gadgets/{gadget_id}/disable': { parameters: [id], post: { operationId: 'disableGadget', responses: ok } },
      ...of.paths,
    },
    { Gadget: object(of.properties, ...(of.required ?? [])) },
  );
}

async function start(of: Parameters<typeof createDocument>[0]): Promise<Mock> {
  return createMock({ spec: createDocument(of), state: { initialItems: 0, unknownIds: 'not-found' } });
}

const ID = { type: 'string', readOnly: true };

const SIZED = { id: ID, name: TEXT, size: INTEGER };

describe('a PUT', () => {
  const cases: readonly (readonly [string, Partial<Parameters<typeof createDocument>[0]>, Part, boolean])[] = [
    ['whose body wraps the item keeps what it leaves out', { wrapped: true, required: ['name'] }, {}, true],
    ['of a bare item with what a create requires drops what it leaves out', { required: ['name'] }, {}, false],
    ['that says it replaces drops what it leaves out', { wrapped: true }, { summary: 'Replace a gadget' }, false],
    ['that updates an item without required properties keeps the rest', {}, { summary: 'Update a gadget' }, true],
  ];
  it.each(cases)('%s', async (_, more, put, isKept) => {
    const mock = await start({ properties: SIZED, ...more, item: { put } });
    const toBody = (gadget: Part): Part => (more.wrapped === true ? { gadget } : gadget);
    const toItem = ({ body }: Reply): Part => (more.wrapped === true ? (body['gadget'] as Part) : body);
    const created = toItem(await send(mock, 'POST /gadgets', toBody({ name: 'Ada', size: 4 })));
    const changed = toItem(await send(mock, `PUT /gadgets/${String(created['id'])}`, toBody({ name: 'Bo' })));
    expect(changed['name']).toBe('Bo');
    expect(changed['size']).toBe(isKept ? 4 : undefined);
  });

  it('with properties of new items only keeps what exists, also beside a PATCH', async () => {
    const schema = object({ name: TEXT, size_if_new: INTEGER }, 'name');
    const put = sends(schema);
    const patch = sends(object({ name: TEXT }));
    const mock = await start({ properties: SIZED, required: ['name'], item: { put, patch } });
    const { body } = await send(mock, 'POST /gadgets', { name: 'Ada', size: 4 });
    const changed = await send(mock, `PUT /gadgets/${String(body['id'])}`, { name: 'Bo', size_if_new: 9 });
    expect(changed.body).toMatchObject({ name: 'Bo', size: 4 });
  });
});

describe('an action', () => {
  it('sets a flag, and lists leave the item out unless a parameter includes it', async () => {
    const mock = await start({
      properties: { id: ID, name: TEXT, enabled: { type: 'boolean', readOnly: true } },
      parameters: [query('include_disabled', BOOLEAN)],
    });
    const { body } = await send(mock, 'POST /gadgets', { name: 'Ada' });
    expect(body['enabled']).toBe(true);
    const disabled = await send(mock, `POST /gadgets/${String(body['id'])}/disable`);
    expect(disabled.body['enabled']).toBe(false);
    expect((await send(mock, 'GET /gadgets')).body['gadgets']).toEqual([]);
    expect((await send(mock, 'GET /gadgets?include_disabled=true')).body['gadgets']).toMatchObject([{ name: 'Ada' }]);
  });
});

describe('a DELETE', () => {
  const toStatus = (...values: readonly string[]): Part => ({ type: 'string', enum: values, readOnly: true });
  const about = 'When a gadget is deleted, the associated order status changes to CANCELED.';
  it.each([
    [
      'that cancels leaves an item with the time of its cancellation',
      { active: { type: 'boolean', readOnly: true }, canceled: { type: ['integer', 'null'], readOnly: true } },
      { summary: 'Cancel a gadget' },
      {
        created: { active: true, canceled: null },
        read: { status: 200, body: { active: false, canceled: expect.any(Number) as number } },
      },
    ],
    [
      'that archives leaves an item with that status',
      { status: toStatus('open', 'archived') },
      { summary: 'Archive a gadget' },
      { created: { status: 'open' }, read: { status: 200, body: { status: 'archived' } } },
    ],
    [
      'whose description tells about another item removes the item',
      { status: toStatus('open', 'CANCELED') },
      { description: about },
      { created: { status: 'open' }, read: { status: 404 } },
    ],
  ])('%s', async (_, properties, described, { created, read }) => {
    const mock = await start({
      properties: { id: ID, name: TEXT, ...properties },
      item: { delete: { ...described, ...REMOVED } },
    });
    const { body } = await send(mock, 'POST /gadgets', { name: 'Ada' });
    expect(body).toMatchObject(created);
    const path = `/gadgets/${String(body['id'])}`;
    expect((await send(mock, `DELETE ${path}`)).status).toBe(204);
    expect(await send(mock, path)).toMatchObject(read);
  });

  it.each([
    ['removes what its create enables', 'Enables a gadget', 404],
    ['leaves what its create adds', 'Adds a gadget', 200],
  ])('that disables %s', async (_, description, status) => {
    const document = createDocument({
      properties: { id: ID, name: TEXT, enabled: { type: 'boolean', readOnly: true } },
      item: { delete: { summary: 'Disable a gadget', ...REMOVED } },
    });
    const paths = document['paths'] as Record<string, Record<string, object>>;
    const gadgets = paths['/gadgets'] ?? {};
    const described = { ...gadgets, post: { ...gadgets['post'], summary: 'Create a gadget', description } };
    const spec = { ...document, paths: { ...paths, '/gadgets': described } };
    const mock = await createMock({ spec, state: { initialItems: 0, unknownIds: 'not-found' } });
    const { body } = await send(mock, 'POST /gadgets', { name: 'Ada' });
    await send(mock, `DELETE /gadgets/${String(body['id'])}`);
    expect((await send(mock, `GET /gadgets/${String(body['id'])}`)).status).toBe(status);
  });

  it('reports the id of the removed item', async () => {
    const report = content(object({ deleted_gadget_id: TEXT }));
    const mock = await start({
      properties: { id: ID, name: TEXT },
      item: { delete: { summary: 'Delete a gadget', responses: { 200: { description: 'done', content: report } } } },
    });
    const { body } = await send(mock, 'POST /gadgets', { name: 'Ada' });
    const removed = await send(mock, `DELETE /gadgets/${String(body['id'])}`);
    expect(removed.body).toEqual({ deleted_gadget_id: body['id'] });
  });
});

describe('a list', () => {
  it('whose envelope does not say whether there are more items has a Link header', async () => {
    const mock = await start({
      properties: { id: ID, name: TEXT },
      parameters: [query('limit', INTEGER), query('since_id')],
    });
    for (const name of ['Ada', 'Bo', 'Cy']) await send(mock, 'POST /gadgets', { name });
    const first = await send(mock, 'GET /gadgets?limit=2');
    const link = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(link);
    const second = await send(mock, `GET ${pathname}${search}`);
    expect(second.body['gadgets']).toMatchObject([{ name: 'Cy' }]);
    expect(second.headers.get('link')).not.toContain('rel="next"');
  });
});

describe('a read', () => {
  it('takes a second key that its description names', async () => {
    const mock = await start({
      properties: { id: ID, name: TEXT, gadget_number: { type: 'integer', readOnly: true } },
      item: { get: { description: 'Accepts either a gadget id, or a gadget number.' } },
    });
    const { body } = await send(mock, 'POST /gadgets', { name: 'Ada' });
    const read = await send(mock, `GET /gadgets/${String(body['gadget_number'])}`);
    expect(read.body['id']).toBe(body['id']);
  });
});

describe('an answer that is a list of one', () => {
  it('shows the item that was created', async () => {
    const gadget = ref('Gadget');
    const list = json(object({ data: arrayOf(gadget) }));
    const parameters = [query('limit', INTEGER)];
    const mock = await start({
      properties: { id: ID, name: TEXT },
      item: { put: { summary: 'Replace a gadget', responses: { 200: list } } },
      paths: {
        '/gadgets': {
          get: { operationId: 'listGadgets', parameters, responses: { 200: list } },
          post: { operationId: 'createGadget', ...sends(gadget), responses: { 200: list } },
        },
      },
    });
    const created = await send(mock, 'POST /gadgets', { name: 'Ada' });
    const [first] = created.body['data'] as Record<string, unknown>[];
    expect(first).toMatchObject({ name: 'Ada' });
    const changed = await send(mock, `PUT /gadgets/${String(first?.['id'])}`, { name: 'Bo' });
    expect(changed.body['data']).toEqual([{ id: first?.['id'], name: 'Bo' }]);
    expect((await send(mock, `GET /gadgets/${String(first?.['id'])}`)).body['name']).toBe('Bo');
  });
});

describe('an operation on an item that does not exist', () => {
  it('creates it where its summary says so, with the values for new items', async () => {
    const schema = object({ name: TEXT, size_if_new: INTEGER }, 'name');
    const put = { summary: 'Add or update a gadget', ...sends(schema) };
    const mock = await start({ properties: SIZED, item: { put } });
    await send(mock, 'PUT /gadgets/g1', { name: 'Ada', size_if_new: 9 });
    await send(mock, 'PUT /gadgets/g1', { name: 'Bo', size_if_new: 7 });
    expect((await send(mock, 'GET /gadgets/g1')).body).toMatchObject({ id: 'g1', name: 'Bo', size: 9 });
  });

  it('creates it where a POST on its path declares 201 and nothing else creates items', async () => {
    const labels = ref('Labels');
    const one = json(labels);
    const name = pathParameter('host_name');
    const requestBody = { required: true, content: content(labels) };
    const mock = await createMock({
      spec: toDocument(
        {
          '/labels/hosts/{host_name}': {
            parameters: [name],
            get: { operationId: 'readLabels', responses: { 200: one } },
            post: { operationId: 'addLabels', requestBody, responses: { 201: one } },
            put: { operationId: 'replaceLabels', requestBody, responses: { 201: one } },
            delete: { operationId: 'removeLabels', ...REMOVED },
          },
        },
        { Labels: object({ host: TEXT, labels: arrayOf(TEXT) }) },
      ),
      state: { unknownIds: 'not-found' },
    });
    expect((await send(mock, 'POST /labels/hosts/h1', { labels: ['a'] })).status).toBe(201);
    expect((await send(mock, 'GET /labels/hosts/h1')).body).toEqual({ host: 'h1', labels: ['a'] });
    await send(mock, 'DELETE /labels/hosts/h1');
    expect((await send(mock, 'GET /labels/hosts/h1')).status).toBe(404);
  });
});

describe('a list whose description leaves items out', () => {
  it('shows them where a request names a status', async () => {
    const status = { type: 'string', enum: ['open', 'canceled'] };
    const gadget = ref('Gadget');
    const one = { 200: json(gadget) };
    const mock = await start({
      properties: { id: ID, name: TEXT, status },
      item: { delete: { summary: 'Cancel a gadget', responses: one } },
      paths: {
        '/gadgets': {
          get: {
            operationId: 'listGadgets',
            description: 'Returns the gadgets that have not been canceled.',
            parameters: [query('status', { type: 'string', enum: ['all', 'canceled', 'open'] })],
            ...shows(object({ gadgets: arrayOf(gadget) })),
          },
          post: { operationId: 'createGadget', ...sends(gadget), responses: one },
        },
      },
    });
    const { body } = await send(mock, 'POST /gadgets', { name: 'Ada' });
    expect((await send(mock, 'GET /gadgets')).body['gadgets']).toHaveLength(1);
    await send(mock, `DELETE /gadgets/${String(body['id'])}`);
    expect((await send(mock, 'GET /gadgets')).body['gadgets']).toEqual([]);
    expect((await send(mock, 'GET /gadgets?status=all')).body['gadgets']).toHaveLength(1);
    expect((await send(mock, 'GET /gadgets?status=canceled')).body['gadgets']).toHaveLength(1);
  });
});

describe('a created item', () => {
  it('counts its changes in its version', async () => {
    const version = { type: 'integer', description: 'Incremented each time an update is made.' };
    const mock = await start({ properties: { id: ID, name: TEXT, version }, required: ['name'], item: { put: {} } });
    const { body } = await send(mock, 'POST /gadgets', { name: 'Ada', version: 7 });
    expect(body['version']).toBe(1);
    const changed = await send(mock, `PUT /gadgets/${String(body['id'])}`, { name: 'Bo', version: 1 });
    expect(changed.body).toMatchObject({ name: 'Bo', version: 2 });
  });

  it('gets an id in place of a temporary one', async () => {
    const id = {
      type: 'string',
      description: 'For a new gadget a temporary identifier starting with a "#" character.',
    };
    const mock = await start({ properties: { id, name: TEXT }, required: ['id', 'name'] });
    const { body } = await send(mock, 'POST /gadgets', { id: '#1', name: 'Ada' });
    expect(body['id']).not.toBe('#1');
    expect((await send(mock, `GET /gadgets/${String(body['id'])}`)).body).toEqual(body);
  });
});
