import { describe, expect, it } from 'vitest';
import { json, sends } from './document-parts.js';
import { openShop } from './shop.js';

const RECORD = { $ref: '#/components/schemas/Record' };

const toDocument = (components: object): Readonly<Record<string, unknown>> => ({
  openapi: '3.1.0',
  info: { title: 'Unions', version: '1' },
  paths: {
    '/records': {
      get: { responses: { 200: json({ type: 'object', properties: { records: { type: 'array', items: RECORD } } }) } },
      post: { ...sends(RECORD), responses: { 201: json({ type: 'object', properties: { record: RECORD } }) } },
    },
    '/records/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { responses: { 200: json(RECORD), 404: { description: 'none' } } },
      patch: { ...sends({ type: 'object', additionalProperties: true }), responses: { 200: json(RECORD) } },
      put: { ...sends(RECORD), responses: { 200: json(RECORD) } },
    },
  },
  components: { schemas: components },
});

const base = { id: { type: 'string', readOnly: true }, name: { type: 'string' } };
const kind = (type: string, own: object): object => ({
  type: 'object',
  required: ['id', 'type', 'name', ...Object.keys(own)],
  properties: { ...base, type: { type: 'string', enum: [type] }, ...own },
  additionalProperties: false,
});
const refs = (...names: readonly string[]): readonly object[] =>
  names.map((name) => ({ $ref: `#/components/schemas/${name}` }));

const DOCUMENTS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  [
    'constants distinguish',
    toDocument({
      Record: { oneOf: refs('A', 'Mx', 'Srv') },
      A: kind('A', { address: { type: 'string' } }),
      Mx: kind('MX', { priority: { type: 'integer' }, host: { type: 'string' } }),
      Srv: kind('SRV', { data: { type: 'object', properties: { port: { type: 'integer' } } } }),
    }),
  ],
  [
    'a discriminator distinguishes',
    toDocument({
      Record: {
        oneOf: refs('A', 'Mx', 'Srv'),
        discriminator: { propertyName: 'type', mapping: { A: '#/components/schemas/A', MX: 'Mx', SRV: 'Srv' } },
      },
      Base: { type: 'object', required: ['id', 'type'], properties: { ...base, type: { type: 'string' } } },
      A: { allOf: [...refs('Base'), { properties: { type: { const: 'A' }, address: { type: 'string' } } }] },
      Mx: {
        allOf: [
          ...refs('Base'),
          { properties: { type: { const: 'MX' }, priority: { type: 'integer' }, host: { type: 'string' } } },
        ],
      },
      Srv: {
        allOf: [
          ...refs('Base'),
          {
            properties: { type: { const: 'SRV' }, data: { type: 'object', properties: { port: { type: 'integer' } } } },
          },
        ],
      },
    }),
  ],
  [
    'the branches add to common properties',
    toDocument({
      Record: {
        type: 'object',
        required: ['id', 'type'],
        properties: { ...base, type: { type: 'string', enum: ['A', 'MX', 'SRV'] } },
        anyOf: [
          { properties: { address: { type: 'string' } } },
          { properties: { priority: { type: 'integer' }, host: { type: 'string' } } },
          { properties: { data: { type: 'object', properties: { port: { type: 'integer' } } } } },
        ],
      },
    }),
  ],
];

describe.each(DOCUMENTS)('an item of a union whose kinds %s', (_, spec) => {
  it.each([
    { type: 'A', name: 'one', address: '192.0.2.1' },
    { type: 'MX', name: 'two', priority: 10, host: 'mail' },
    { type: 'SRV', name: 'three', data: { port: 5060 } },
  ])('keeps its kind: $type', async (sent) => {
    const { send } = await openShop({ spec, state: { unknownIds: 'not-found' } });
    const { record } = (await send('POST', '/records', sent)).body as { readonly record: Record<string, unknown> };
    expect(record).toEqual({ ...sent, id: record['id'] });
    const path = `/records/${String(record['id'])}`;
    expect((await send('GET', path)).body).toEqual(record);
    expect((await send('GET', '/records')).body['records']).toEqual([record]);
    expect((await send('PATCH', path, { name: 'new' })).body).toEqual({ ...record, name: 'new' });
    expect((await send('PUT', path, { ...sent, name: 'newer' })).body).toEqual({ ...record, name: 'newer' });
  });
});
