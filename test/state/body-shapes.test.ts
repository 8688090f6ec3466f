import { describe, expect, it } from 'vitest';
import { openShop } from './shop.js';

type Json = Readonly<Record<string, unknown>>;

const WORLDS = ['create', 'not-found'] as const;

const json = (schema: Json, description = 'ok'): Json => ({ description, content: { 'application/json': { schema } } });
const sends = (schema: Json): Json => ({ requestBody: { content: { 'application/json': { schema } } } });
const inPath = (name: string, schema: Json = { type: 'string' }): Json => ({
  parameters: [{ name, in: 'path', required: true, schema }],
});
const arrayOf = (items: Json): Json => ({ type: 'array', items });
const object = (properties: Json, required: readonly string[] = []): Json => ({ type: 'object', properties, required });
const toDocument = (paths: Json, schemas: Json = {}): Json => ({
  openapi: '3.1.0',
  info: { title: 'Body shapes', version: '1' },
  paths,
  components: { schemas },
});
const text = { type: 'string' };
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const NOT_FOUND = { description: 'not found' };

describe.each(WORLDS)('an item in an array of one, unknown ids: %s', (unknownIds) => {
  const contact = object({ ContactID: { ...text, format: 'uuid' }, Name: text, EmailAddress: text, Status: text });
  const contacts = object({
    Id: { ...text, format: 'uuid', readOnly: true },
    Status: { ...text, readOnly: true, example: 'OK' },
    pagination: object({ page: { type: 'integer' }, itemCount: { type: 'integer' } }),
    Contacts: arrayOf(ref('Contact')),
  });
  const envelopes = toDocument(
    {
      '/Contacts': {
        get: { responses: { 200: json(ref('Contacts')) } },
        put: { operationId: 'createContacts', ...sends(ref('Contacts')), responses: { 200: json(ref('Contacts')) } },
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
    const team = object({ id: { type: 'integer' }, name: text, note: text });
    const spec = toDocument(
      {
        '/teams': {
          get: { responses: { 200: json(arrayOf(ref('Team'))) } },
          post: { ...sends(ref('Team')), responses: { 201: json(arrayOf(ref('Team'))) } },
        },
        '/teams/{id}': {
          ...inPath('id', { type: 'integer' }),
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
