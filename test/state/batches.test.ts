import { expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { content, pathParameter, query, sends, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { send } from '../send.js';

const THING = ref('Thing');
const MEMBER = object({ id: TEXT, user_id: TEXT, role: TEXT }, 'id', 'user_id');
const PART = ref('ThingPart');

const one = (status: number, schema?: Part): Part => ({
  [status]: { description: 'done', ...(schema && { content: content(schema) }) },
});

const FAILED = one(404, object({}));

/** A document with things, and with further operations on several of them. */
async function start(
  paths: Readonly<Record<string, Part>>,
  state: NonNullable<Parameters<typeof createMock>[0]['state']> = CLOSED.state,
): Promise<Mock> {
  const id = pathParameter('id');
  const { '/things': more, ...others } = paths;
  const spec = toDocument(
    {
      '/things': {
        get: { operationId: 'listThings', responses: one(200, arrayOf(THING)) },
        post: { operationId: 'createThing', ...sends(PART), responses: one(201, THING) },
        ...more,
      },
      '/things/{id}': {
        get: { operationId: 'readThing', parameters: [id], responses: { ...one(200, THING), ...FAILED } },
      },
      ...others,
    },
    {
      Thing: object({ id: TEXT, name: TEXT, color: TEXT, size: INTEGER }, 'id', 'name'),
      ThingPart: object({ id: TEXT, name: TEXT, color: TEXT }),
    },
  );
  return createMock({ spec, state });
}

async function createThings(mock: Mock, ...names: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(String((await send(mock, 'POST /things', { name, color: 'red' })).body['id']));
  return ids;
}

const listThings = async (mock: Mock): Promise<readonly Part[]> => (await send(mock, 'GET /things')).list;

const operation = (operationId: string, body: Part | undefined, responses: Part, more: Part = {}): Part => ({
  operationId,
  ...(body && sends(body)),
  responses,
  ...more,
});

it.each<[path: string, body: Part, answer: Part, name: string | undefined]>([
  ['/things/bulk', arrayOf(PART), arrayOf(THING), undefined],
  [
    '/things/batch',
    object({ things: arrayOf(PART) }, 'things'),
    object({ things: arrayOf(THING) }, 'things'),
    'things',
  ],
  [
    '/things/batch/create',
    object({ inputs: arrayOf(PART) }, 'inputs'),
    object({ results: arrayOf(THING) }, 'results'),
    'inputs',
  ],
  ['/things/create_many', object({ things: arrayOf(PART) }), object({ created: INTEGER }, 'created'), 'things'],
])('POST %s creates each item', async (path, body, answer, name) => {
  const mock = await start({ [path]: { post: operation('createThings', body, one(200, answer)) } });
  const parts = [{ name: 'a' }, { name: 'b' }];
  const made = await send(mock, `POST ${path}`, name === undefined ? parts : { [name]: parts });
  const things = await listThings(mock);
  expect(things).toMatchObject(parts);
  const [shown] = Object.values(made.body);
  expect(Array.isArray(made.body) ? made.body : shown).toEqual(shown === 2 ? 2 : things);
});

it.each<[name: string, body: Part, answer: Part]>([
  ['an array', arrayOf(PART), arrayOf(THING)],
  ['an envelope', object({ things: arrayOf(PART) }, 'things'), object({ things: arrayOf(THING) }, 'things')],
])('PUT of %s replaces the items that exist and creates others', async (_, body, answer) => {
  const mock = await start({ '/things': { put: operation('putThings', body, one(200, answer)) } });
  const [first] = await createThings(mock, 'a', 'b');
  const parts = [
    { id: first, name: 'c' },
    { id: 'other', name: 'd' },
  ];
  const put = await send(mock, 'PUT /things', body['type'] === 'array' ? parts : { things: parts });
  expect(Array.isArray(put.body) ? put.body : put.body['things']).toMatchObject(parts);
  expect(await listThings(mock)).toMatchObject([{ id: first, name: 'c' }, { name: 'b', color: 'red' }, parts[1]]);
  expect((await listThings(mock))[0]).not.toHaveProperty('color');
});

it.each<[method: string, path: string]>([
  ['patch', '/things'],
  ['patch', '/things/bulk'],
  ['post', '/things/batch/update'],
  ['put', '/things/update_many'],
])('%s %s updates each item', async (method, path) => {
  const responses = { ...one(200, arrayOf(THING)), ...FAILED };
  const mock = await start({ [path]: { [method]: operation('updateThings', arrayOf(PART), responses) } });
  const [first, second] = await createThings(mock, 'a', 'b');
  const parts = [
    { id: second, name: 'd' },
    { id: first, color: 'blue' },
  ];
  const { list: answer } = await send(mock, `${method.toUpperCase()} ${path}`, parts);
  expect(answer).toMatchObject([
    { id: second, name: 'd', color: 'red' },
    { id: first, name: 'a', color: 'blue' },
  ]);
  expect(await listThings(mock)).toEqual([answer[1], answer[0]]);
});

it('PATCH of an array with an unknown id changes nothing', async () => {
  const responses = { ...one(200, arrayOf(THING)), ...FAILED };
  const mock = await start({ '/things': { patch: operation('updateThings', arrayOf(PART), responses) } });
  const [first] = await createThings(mock, 'a');
  const { status } = await send(mock, 'PATCH /things', [
    { id: first, name: 'b' },
    { id: 'nope', name: 'c' },
  ]);
  expect(status).toBe(404);
  expect(await listThings(mock)).toMatchObject([{ name: 'a' }]);
});

const inQuery = (name: string, schema: Part): Part => ({ parameters: [query(name, schema)] });

it.each<[target: string, more: Part, query: (ids: readonly string[]) => string]>([
  ['DELETE /things', inQuery('ids', TEXT), (ids) => `?ids=${ids.join(',')}`],
  ['DELETE /things', inQuery('thing_ids', arrayOf(TEXT)), (ids) => `?${ids.map((id) => `thing_ids=${id}`).join('&')}`],
  ['DELETE /things/destroy_many', inQuery('ids', TEXT), (ids) => `?ids=${ids.join(',')}`],
])('%s removes the items whose ids are in the query', async (target, more, toQuery) => {
  const [method = '', path = ''] = target.split(' ');
  const mock = await start({
    [path]: { [method.toLowerCase()]: operation('deleteThings', undefined, one(204), more) },
  });
  const [a = '', b = '', c = ''] = await createThings(mock, 'a', 'b', 'c');
  expect((await send(mock, `DELETE ${path}${toQuery([a, c])}`)).status).toBe(204);
  expect(await listThings(mock)).toMatchObject([{ id: b }]);
  expect((await send(mock, `GET /things/${a}`)).status).toBe(404);
  await send(mock, `DELETE ${path}`);
  expect(await listThings(mock)).toMatchObject([{ id: b }]);
});

it.each<[target: string, body: Part, toBody: (ids: readonly string[]) => unknown]>([
  ['DELETE /things', object({ ids: arrayOf(TEXT) }, 'ids'), (ids) => ({ ids })],
  ['POST /things/bulk_delete', object({ things: arrayOf(TEXT) }), (things) => ({ things })],
  [
    'POST /things/batch/delete',
    object({ inputs: arrayOf(object({ id: TEXT }, 'id')) }),
    (ids) => ({ inputs: ids.map((id) => ({ id })) }),
  ],
])('%s removes the items whose ids are in the body', async (target, body, toBody) => {
  const [method = '', path = ''] = target.split(' ');
  const deleted = object({ deleted: INTEGER }, 'deleted');
  const mock = await start({ [path]: { [method.toLowerCase()]: operation('deleteThings', body, one(200, deleted)) } });
  const [a = '', b = '', c = ''] = await createThings(mock, 'a', 'b', 'c');
  expect((await send(mock, target, toBody([a, c]))).body).toEqual({ deleted: 2 });
  expect(await listThings(mock)).toMatchObject([{ id: b }]);
});

it('DELETE of a list removes what its filters match, or all without them', async () => {
  const mock = await start({
    '/things': { delete: operation('deleteThings', undefined, one(204), inQuery('name', TEXT)) },
  });
  await createThings(mock, 'a', 'b', 'c');
  await send(mock, 'DELETE /things?name=b');
  expect(await listThings(mock)).toMatchObject([{ name: 'a' }, { name: 'c' }]);
  await send(mock, 'DELETE /things');
  expect(await listThings(mock)).toEqual([]);
});

it('items of a batch come after the initial items', async () => {
  const spec = { post: operation('createThings', arrayOf(PART), one(200, arrayOf(THING))) };
  const mock = await start({ '/things/bulk': spec }, { initialItems: 2 });
  await send(mock, 'POST /things/bulk', [{ name: 'a' }]);
  const things = await listThings(mock);
  expect(things).toHaveLength(3);
  expect(things[2]).toMatchObject({ name: 'a' });
});

it('a request with the values of one property creates an item for each, with what else it sends', async () => {
  const mock = await start({
    '/members': {
      get: { responses: one(200, object({ data: arrayOf(MEMBER) }, 'data')) },
      post: {
        ...sends(object({ user_ids: arrayOf(TEXT), role: TEXT }, 'user_ids')),
        responses: one(200, object({ data: arrayOf(MEMBER) }, 'data')),
      },
    },
  });
  const { status, body: answer } = await send(mock, 'POST /members', { user_ids: ['u1', 'u2'], role: 'owner' });
  expect(status).toBe(200);
  const members = [
    { id: expect.any(String) as string, user_id: 'u1', role: 'owner' },
    { id: expect.any(String) as string, user_id: 'u2', role: 'owner' },
  ];
  expect(answer).toEqual({ data: members });
  expect((await send(mock, 'GET /members')).body).toEqual({ data: members });
});
