import { describe, expect, it } from 'vitest';
import { finds, inPath, pathParameter, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, ref, TEXT, WORLDS } from '../schema-parts.js';
import { openShop } from './shop.js';

const RECORD = ref('Record');

const createDocument = (components: object): Readonly<Record<string, unknown>> =>
  toDocument(
    {
      '/records': {
        get: shows(object({ records: arrayOf(RECORD) })),
        post: takes(RECORD, object({ record: RECORD }), 201),
      },
      '/records/{id}': {
        parameters: [pathParameter('id')],
        get: finds(RECORD),
        patch: takes({ type: 'object', additionalProperties: true }, RECORD),
        put: takes(RECORD, RECORD),
      },
    },
    components,
  );

const base = { id: { type: 'string', readOnly: true }, name: TEXT };
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
    createDocument({
      Record: { oneOf: refs('A', 'Mx', 'Srv') },
      A: kind('A', { address: TEXT }),
      Mx: kind('MX', { priority: INTEGER, host: TEXT }),
      Srv: kind('SRV', { data: object({ port: INTEGER }) }),
    }),
  ],
  [
    'a discriminator distinguishes',
    createDocument({
      Record: {
        oneOf: refs('A', 'Mx', 'Srv'),
        discriminator: { propertyName: 'type', mapping: { A: '#/components/schemas/A', MX: 'Mx', SRV: 'Srv' } },
      },
      Base: object({ ...base, type: TEXT }, 'id', 'type'),
      A: { allOf: [...refs('Base'), { properties: { type: { const: 'A' }, address: TEXT } }] },
      Mx: { allOf: [...refs('Base'), { properties: { type: { const: 'MX' }, priority: INTEGER, host: TEXT } }] },
      Srv: { allOf: [...refs('Base'), { properties: { type: { const: 'SRV' }, data: object({ port: INTEGER }) } }] },
    }),
  ],
  [
    'the branches add to common properties',
    createDocument({
      Record: {
        type: 'object',
        required: ['id', 'type'],
        properties: { ...base, type: { type: 'string', enum: ['A', 'MX', 'SRV'] } },
        anyOf: [
          { properties: { address: TEXT } },
          { properties: { priority: INTEGER, host: TEXT } },
          { properties: { data: object({ port: INTEGER }) } },
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

const MADE = {
  id: { ...TEXT, readOnly: true },
  created_at: { ...TEXT, format: 'date-time' },
  status: { type: 'string', enum: ['pending', 'active', 'failed'] },
  secret: TEXT,
};
const CARD = { number: TEXT, receipt_url: { ...TEXT, format: 'uri' } };
const BANK = { iban: TEXT, mandate_url: { ...TEXT, format: 'uri' } };
const NEW_SOURCE = { oneOf: [object({ number: TEXT }, 'number'), object({ iban: TEXT }, 'iban')] };

const toKinds = (card: object, bank: object, union: object): object => ({
  Source: { oneOf: refs('Card', 'Bank'), ...union },
  Card: object({ ...MADE, ...CARD, ...card }, 'id', 'number'),
  Bank: object({ ...MADE, ...BANK, ...bank }, 'id', 'iban'),
});

const MAPPING = { card: '#/components/schemas/Card', bank: '#/components/schemas/Bank' };

describe.each(WORLDS)(
  'in a %s world, a new item of a union has what only the server makes for its kind',
  (_, options) => {
    it.each([
      ['constants', toKinds({ kind: { const: 'card' } }, { kind: { const: 'bank' } }, {}), 'bank'],
      [
        'a mapping',
        toKinds({ kind: TEXT }, { kind: TEXT }, { discriminator: { propertyName: 'kind', mapping: MAPPING } }),
        'bank',
      ],
      ['required properties', toKinds({}, {}, {}), undefined],
      [
        'branches behind common properties',
        { Source: { ...object(MADE, 'id'), anyOf: [object(CARD, 'number'), object(BANK, 'iban')] } },
        undefined,
      ],
    ])('that it has by %s', async (_name, schemas, kind) => {
      const one = shows(ref('Source'));
      const spec = toDocument(
        {
          '/sources': { get: shows(arrayOf(ref('Source'))), post: takes(NEW_SOURCE, ref('Source'), 201) },
          '/sources/{id}': { ...inPath('id'), get: one, patch: { ...sends(object({ iban: TEXT })), ...one } },
        },
        schemas,
      );
      const { send } = await openShop({ ...options, spec });
      const card = (await send('POST', '/sources', { number: '4242' })).body;
      const { body } = await send('POST', '/sources', { iban: 'NO93' });
      const text: unknown = expect.any(String);
      const made = { status: 'pending', created_at: text, secret: text };
      expect(card).toMatchObject({ number: '4242', ...made, receipt_url: text });
      expect(body).toEqual({ id: text, iban: 'NO93', ...made, mandate_url: text, ...(kind && { kind }) });
      expect((await send('GET', '/sources')).list).toEqual([card, body]);
      const changed = await send('PATCH', `/sources/${String(body['id'])}`, { iban: 'NO94' });
      expect(changed.body).toEqual({ ...body, iban: 'NO94' });
    });
  },
);

describe('an item for which no valid answer is found', () => {
  const cells = arrayOf(object({ x: INTEGER }));
  const either = { oneOf: [ref('Board'), ref('WholeBoard')] };
  const never = { type: 'integer', minimum: 5, maximum: 1 };
  const spec = toDocument(
    {
      '/boards': { post: takes(object({ name: TEXT }, 'name'), either, 201), get: shows(arrayOf(ref('Board'))) },
      '/boards/{id}': { ...inPath('id'), get: shows(either) },
      '/jobs': { post: takes(object({ name: TEXT }, 'name'), ref('Job'), 201) },
      '/jobs/{id}': { ...inPath('id'), get: shows(ref('Job')) },
    },
    {
      Board: object({ id: TEXT, name: TEXT, cells }, 'id', 'name'),
      WholeBoard: object({ id: TEXT, name: TEXT, cells, view: TEXT }, 'id', 'name'),
      Job: object({ id: TEXT, name: TEXT, size: never }, 'id', 'name', 'size'),
    },
  );

  it.each(WORLDS)('is answered anyway, with its violations, in a %s world', async (_, options) => {
    const { mock, send } = await openShop({ ...options, spec });
    for (const [path, code, severity] of [
      ['/boards', 'UNION', 'note'],
      ['/jobs', 'REQUIRED', 'error'],
    ] as const) {
      const { status, body: made } = await send('POST', path, { name: 'Ada' });
      expect(status).toBe(201);
      const found = mock.journal.last()?.violations;
      // With more properties, an item that the mock may complete can fit one alternative only.
      if ('state' in options || code !== 'UNION') expect(found).toEqual([expect.objectContaining({ code, severity })]);
      expect(made).toMatchObject({ name: 'Ada' });
      const read = await send('GET', `${path}/${String(made['id'])}`);
      expect(read).toMatchObject({ status: 200, body: { id: made['id'], name: 'Ada' } });
    }
  });
});
