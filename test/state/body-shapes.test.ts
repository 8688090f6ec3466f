import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { json, pathParameter, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, NUMBER, object, type Part as Json, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const WORLDS = ['create', 'not-found'] as const;

const inPath = (name: string, schema: Json = TEXT): Json => ({ parameters: [pathParameter(name, schema)] });
const NOT_FOUND = { description: 'not found' };

describe.each(WORLDS)('an item in an array of one, unknown ids: %s', (unknownIds) => {
  const contact = object({ ContactID: { ...TEXT, format: 'uuid' }, Name: TEXT, EmailAddress: TEXT, Status: TEXT });
  const contacts = object({
    Id: { ...TEXT, format: 'uuid', readOnly: true },
    Status: { ...TEXT, readOnly: true, example: 'OK' },
    pagination: object({ page: INTEGER, itemCount: INTEGER }),
    Contacts: arrayOf(ref('Contact')),
  });
  const envelopes = toDocument(
    {
      '/Contacts': {
        get: shows(ref('Contacts')),
        put: { operationId: 'createContacts', ...takes(ref('Contacts'), ref('Contacts')) },
      },
      '/Contacts/{ContactID}': {
        ...inPath('ContactID', { type: 'string', format: 'uuid' }),
        get: { responses: { 200: json(ref('Contacts')), 404: NOT_FOUND } },
        post: {
          ...sends({ anyOf: [ref('Contacts'), ref('Contact')] }),
          responses: { 200: json(ref('Contacts')), 404: NOT_FOUND },
        },
        delete: { responses: { 204: { description: 'gone' }, 404: NOT_FOUND } },
      },
    },
    { Contact: contact, Contacts: contacts },
  );

  it('is created, read, listed, changed and removed', async () => {
    const { send } = await openShop({ spec: envelopes, state: { unknownIds } });
    const one = (body: Json): Json => (body['Contacts'] as readonly Json[])[0] ?? {};
    const created = one(
      (await send('PUT', '/Contacts', { Contacts: [{ Name: 'Ada', EmailAddress: 'a@b.test' }] })).body,
    );
    expect(created).toMatchObject({ Name: 'Ada', EmailAddress: 'a@b.test' });
    const at = `/Contacts/${String(created['ContactID'])}`;
    expect((await send('GET', at)).body['Contacts']).toEqual([created]);
    await send('POST', at, { Contacts: [{ Name: 'Bo' }] });
    expect(one((await send('POST', at, { EmailAddress: 'c@d.test' })).body)).toMatchObject({ Name: 'Bo' });
    const { body } = await send('GET', '/Contacts');
    const listed = body['Contacts'] as readonly Json[];
    expect(listed.find((each) => each['ContactID'] === created['ContactID'])).toMatchObject({
      Name: 'Bo',
      EmailAddress: 'c@d.test',
    });
    expect(body['pagination']).toMatchObject({ itemCount: listed.length });
    expect((await send('DELETE', at)).status).toBe(204);
    expect((await send('GET', at)).status).toBe(404);
  });

  it('creates each element that a request sends', async () => {
    const { send } = await openShop({ spec: envelopes, state: { unknownIds } });
    const { body } = await send('PUT', '/Contacts', { Contacts: [{ Name: 'Ada' }, { Name: 'Bo' }] });
    expect(body['Contacts']).toMatchObject([{ Name: 'Ada' }, { Name: 'Bo' }]);
  });

  it('is the only element of a body that is an array', async () => {
    const team = object({ id: INTEGER, name: TEXT, note: TEXT });
    const spec = toDocument(
      {
        '/teams': { get: shows(arrayOf(ref('Team'))), post: takes(ref('Team'), arrayOf(ref('Team')), 201) },
        '/teams/{id}': {
          ...inPath('id', INTEGER),
          get: { responses: { 200: json(arrayOf(ref('Team'))), 404: NOT_FOUND } },
          put: { ...sends(arrayOf(ref('Team'))), responses: { 200: json(arrayOf(ref('Team'))), 404: NOT_FOUND } },
        },
      },
      { Team: team },
    );
    const { send } = await openShop({ spec, state: { unknownIds } });
    const [created] = (await send('POST', '/teams', { name: 'a', note: 'b' })).body as unknown as readonly Json[];
    expect(created).toMatchObject({ name: 'a', note: 'b' });
    const at = `/teams/${String(created?.['id'])}`;
    expect((await send('GET', at)).body).toEqual([created]);
    expect((await send('PUT', at, [{ name: 'c' }])).body).toMatchObject([{ id: created?.['id'], name: 'c' }]);
    expect((await send('GET', at)).body).toMatchObject([{ name: 'c' }]);
  });
});

describe.each(WORLDS)('a create that answers with less than the item, unknown ids: %s', (unknownIds) => {
  const person = object({ id: TEXT, name: TEXT, href: { ...TEXT, format: 'uri' }, status: TEXT }, 'id', 'name');
  const newPerson = object({ name: TEXT }, 'name');
  const open = async (answer: Json, item: Json = person): Promise<Awaited<ReturnType<typeof openShop>>> =>
    openShop({
      spec: toDocument({
        '/people': { get: shows(arrayOf(item)), post: { ...sends(newPerson), responses: { 201: answer } } },
        '/people/{person_id}': { ...inPath('person_id'), get: { responses: { 200: json(item), 404: NOT_FOUND } } },
      }),
      state: { unknownIds },
    });

  it.each<[name: string, answer: Json, read: (body: unknown) => unknown]>([
    ['its id', json(object({ id: TEXT }, 'id')), (body) => (body as Json)['id']],
    ['its id, not required', json(object({ id: TEXT })), (body) => (body as Json)['id']],
    ['its id and URL', json(object({ id: TEXT, href: TEXT }, 'id', 'href')), (body) => (body as Json)['id']],
    [
      'its id after the noun',
      json(object({ person_id: TEXT, join_url: TEXT }, 'person_id', 'join_url')),
      (body) => (body as Json)['person_id'],
    ],
    [
      'its id in an object',
      json(object({ data: object({ person_id: TEXT }) })),
      (body) => ((body as Json)['data'] as Json)['person_id'],
    ],
    [
      'its id in an envelope',
      json(object({ result: TEXT, ok: BOOLEAN }, 'result')),
      (body) => (body as Json)['result'],
    ],
    ['its id as a string', json(TEXT), (body) => body],
  ])('shows %s', async (_, answer, read) => {
    const { send } = await open(answer);
    const { body, status } = await send('POST', '/people', { name: 'Ada' });
    expect(status).toBe(201);
    const id = read(body);
    expect((await send('GET', `/people/${String(id)}`)).body).toMatchObject({ id, name: 'Ada' });
  });

  it('shows its path in the header alone', async () => {
    const { send } = await open({ description: 'created', headers: { Location: { schema: TEXT } } });
    const { headers } = await send('POST', '/people', { name: 'Ada' });
    expect((await send('GET', headers.get('location') ?? '')).body).toMatchObject({ name: 'Ada' });
  });

  it('shows the id of the path where items have two', async () => {
    const item = object({ id: INTEGER, uid: TEXT, name: TEXT }, 'id', 'uid');
    const spec = toDocument({
      '/people': { get: shows(arrayOf(item)), post: takes(newPerson, object({ uid: TEXT }, 'uid'), 201) },
      '/people/{uid}': { ...inPath('uid'), get: { responses: { 200: json(item), 404: NOT_FOUND } } },
    });
    const { send } = await openShop({ spec, state: { unknownIds } });
    const { uid } = (await send('POST', '/people', { name: 'Ada' })).body;
    expect((await send('GET', `/people/${String(uid)}`)).body).toMatchObject({ uid, name: 'Ada' });
  });
});

describe.each(WORLDS)('a value of another type than the item has, unknown ids: %s', (unknownIds) => {
  const item = object({
    id: TEXT,
    permissions: TEXT,
    price: NUMBER,
    size: INTEGER,
    enabled: BOOLEAN,
    starts_at: { ...TEXT, format: 'date-time' },
    ends: { type: 'integer', description: 'Unix time in seconds' },
  });
  const sent = object({
    permissions: INTEGER,
    price: TEXT,
    size: TEXT,
    enabled: TEXT,
    starts_at: INTEGER,
    ends: { ...TEXT, format: 'date-time' },
  });
  const spec = toDocument({
    '/roles': { post: takes(sent, item, 201) },
    '/roles/{id}': {
      ...inPath('id'),
      get: { responses: { 200: json(item), 404: NOT_FOUND } },
      patch: { ...sends(sent), responses: { 200: json(item), 404: NOT_FOUND } },
    },
  });

  it('is shown in the type of the item', async () => {
    const { send } = await openShop({ spec, state: { unknownIds } });
    const body = {
      permissions: 244,
      price: '12.50',
      size: '7',
      enabled: 'true',
      starts_at: 1767225600,
      ends: '2026-01-02T00:00:00Z',
    };
    const shown = {
      permissions: '244',
      price: 12.5,
      size: 7,
      enabled: true,
      starts_at: '2026-01-01T00:00:00.000Z',
      ends: 1767312000,
    };
    const created = (await send('POST', '/roles', body)).body;
    expect(created).toMatchObject(shown);
    const at = `/roles/${String(created['id'])}`;
    expect((await send('GET', at)).body).toEqual(created);
    expect((await send('PATCH', at, { permissions: 8, enabled: 'false' })).body).toEqual({
      ...created,
      permissions: '8',
      enabled: false,
    });
  });
});

describe.each(WORLDS)('the references of an item, unknown ids: %s', (unknownIds) => {
  const address = object({ id: TEXT, city: TEXT }, 'id');
  const parcel = object({ id: TEXT, weight: NUMBER }, 'id', 'weight');
  const shipment = object({
    id: TEXT,
    address_from: ref('Address'),
    parcels: arrayOf(ref('Parcel')),
    status: { ...TEXT, enum: ['WAITING', 'SENT'] },
  });
  const newShipment = object({
    address_from: { oneOf: [TEXT, ref('NewAddress')] },
    parcels: arrayOf({ oneOf: [TEXT, ref('NewParcel')] }),
  });
  const collection = (name: string, item: string, sent: string): Json => ({
    [`/${name}`]: { get: shows(arrayOf(ref(item))), post: takes(ref(sent), ref(item), 201) },
    [`/${name}/{id}`]: { ...inPath('id'), get: { responses: { 200: json(ref(item)), 404: NOT_FOUND } } },
  });
  const spec = toDocument(
    {
      ...collection('addresses', 'Address', 'NewAddress'),
      ...collection('parcels', 'Parcel', 'NewParcel'),
      ...collection('shipments', 'Shipment', 'NewShipment'),
    },
    {
      Address: address,
      NewAddress: object({ city: TEXT }),
      Parcel: parcel,
      NewParcel: object({ weight: NUMBER }),
      Shipment: shipment,
      NewShipment: newShipment,
    },
  );

  it('are shown as the items that the request names', async () => {
    const { send } = await openShop({ spec, state: { unknownIds } });
    const from = (await send('POST', '/addresses', { city: 'Oslo' })).body;
    const parcels = [(await send('POST', '/parcels', { weight: 4 })).body];
    const body = { address_from: from['id'], parcels: [parcels[0]?.['id']] };
    const created = (await send('POST', '/shipments', body)).body;
    expect(created).toMatchObject({ address_from: from, parcels });
    expect((await send('GET', `/shipments/${String(created['id'])}`)).body).toEqual(created);
  });

  it('become items of their collections where the request sends them as a whole', async () => {
    const { send } = await openShop({ spec, state: { unknownIds } });
    const created = (
      await send('POST', '/shipments', { address_from: { city: 'Oslo' }, parcels: [{ weight: 4 }, { weight: 5 }] })
    ).body;
    expect(created).toMatchObject({ address_from: { city: 'Oslo' }, parcels: [{ weight: 4 }, { weight: 5 }] });
    expect((await send('GET', `/shipments/${String(created['id'])}`)).body).toEqual(created);
    const [, second] = created['parcels'] as readonly Json[];
    expect((await send('GET', `/parcels/${String(second?.['id'])}`)).body).toEqual(second);
    const { id } = created['address_from'] as Json;
    expect((await send('GET', `/addresses/${String(id)}`)).body).toMatchObject({ city: 'Oslo' });
  });
});

describe.each(WORLDS)('an id that is a hash of a property, unknown ids: %s', (unknownIds) => {
  const member = object({
    id: { ...TEXT, description: "The MD5 hash of the lowercase version of the list member's email address." },
    email_address: TEXT,
    note: TEXT,
  });
  const spec = toDocument({
    '/lists/{list_id}/members': {
      ...inPath('list_id'),
      get: shows(object({ members: arrayOf(member) })),
      post: takes(object({ email_address: TEXT, note: TEXT }, 'email_address'), member),
    },
    '/lists/{list_id}/members/{subscriber_hash}': {
      parameters: [
        pathParameter('list_id'),
        {
          name: 'subscriber_hash',
          in: 'path',
          required: true,
          description: "The MD5 hash of the lowercase version of the list member's email address.",
          schema: TEXT,
        },
      ],
      get: { responses: { 200: json(member), 404: NOT_FOUND } },
      put: takes(object({ email_address: TEXT, note: TEXT }), member),
    },
  });

  it('is computed', async () => {
    const { send } = await openShop({ spec, state: { unknownIds } });
    const id = createHash('md5').update('ada@example.com').digest('hex');
    const { body } = await send('POST', '/lists/l1/members', { email_address: 'Ada@Example.com', note: 'a' });
    expect(body).toMatchObject({ id, email_address: 'Ada@Example.com' });
    expect((await send('GET', `/lists/l1/members/${id}`)).body).toEqual(body);
  });
});

it.each([
  ['an example', { 'application/json': { example: { ok: true } } }, 'application/json', '{"ok":true}'],
  ['no example', { 'application/json': {} }, 'application/json', '{}'],
  ['an example of text', { 'text/plain': { example: 'gone' } }, 'text/plain', 'gone'],
])('a delete answers what a media type without a schema shows: %s', async (_name, content, type, text) => {
  const spec = toDocument({
    '/jobs': { get: shows(arrayOf(object({ id: TEXT }, 'id'))) },
    '/jobs/{id}': {
      ...inPath('id'),
      get: shows(object({ id: TEXT }, 'id')),
      delete: { responses: { 200: { description: 'gone', content } } },
    },
  });
  const { mock } = await openShop({ spec });
  const response = await mock.fetch(new Request('http://shop.test/jobs/a1', { method: 'DELETE' }));
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, type, text]);
  expect((await mock.fetch(new Request('http://shop.test/jobs/a1'))).status).not.toBe(200);
});

it('an item that has an array `items` is created although the request has few of its properties', async () => {
  const order = object({ id: TEXT, items: arrayOf(TEXT), status: TEXT, date: TEXT, url: TEXT, place: TEXT }, 'id');
  const spec = toDocument(
    {
      '/orders': {
        get: shows(object({ data: arrayOf(ref('Order')) })),
        post: takes(object({ items: arrayOf(TEXT), note: TEXT, kind: TEXT }), ref('Order'), 201),
      },
      '/orders/{id}': { ...inPath('id'), get: { responses: { 200: json(ref('Order')), 404: NOT_FOUND } } },
    },
    { Order: order },
  );
  const { send } = await openShop({ spec, state: { unknownIds: 'not-found' } });
  const { body } = await send('POST', '/orders', { items: ['tea'], note: 'soon' });
  expect((await send('GET', `/orders/${String(body['id'])}`)).body).toMatchObject({ items: ['tea'] });
});

it('an item with a part that all its bodies have is the whole, not the part', async () => {
  const config = object({ title: TEXT, file: TEXT, version: TEXT });
  const deployment = object({ deploymentId: TEXT, config: ref('Config'), entries: arrayOf(TEXT), updated: TEXT });
  const spec = toDocument(
    {
      '/deployments': {
        get: shows(object({ deployments: arrayOf(ref('Deployment')), next: TEXT })),
        post: takes(object({ config: ref('Config'), note: TEXT }), ref('Deployment')),
      },
      '/deployments/{deploymentId}': {
        ...inPath('deploymentId'),
        get: { responses: { 200: json(ref('Deployment')), 404: NOT_FOUND } },
        put: takes(object({ config: ref('Config') }), ref('Deployment')),
      },
    },
    { Config: config, Deployment: deployment },
  );
  const { send } = await openShop({ spec, state: { unknownIds: 'not-found' } });
  const { body } = await send('POST', '/deployments', { config: { title: 'first', file: 'a.js' } });
  const { deploymentId } = body;
  const path = `/deployments/${String(deploymentId)}`;
  expect((await send('GET', path)).body).toMatchObject({ deploymentId, config: { title: 'first', file: 'a.js' } });
  await send('PUT', path, { config: { title: 'second' } });
  const changed = { deploymentId, config: { title: 'second' } };
  expect((await send('GET', '/deployments')).body).toMatchObject({ deployments: [changed] });
});
