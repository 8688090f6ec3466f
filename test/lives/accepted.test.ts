import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { content, inPath, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from '../state/shop.js';
import { runCheck } from '../../src/cli/commands/check.js';
import { loadContract } from '../../src/index.js';

/** A response in several media types, in this order. */
const inTypes = (schema: unknown, ...types: readonly string[]): object => ({
  responses: {
    200: { description: 'ok', content: Object.assign({}, ...types.map((type) => content(schema, type))) as object },
  },
});

describe('media types of an object that begin with text/plain, as documents of ASP.NET have them', () => {
  const types = ['text/plain', 'application/json', 'text/json'];
  const spec = toDocument(
    {
      '/api/Boats': {
        get: inTypes(arrayOf(ref('Boat')), ...types),
        post: { ...takes(ref('Boat'), ref('Boat')), ...inTypes(ref('Boat'), ...types) },
      },
      '/api/Boats/{id}': { ...inPath('id'), get: inTypes(ref('Boat'), ...types) },
      '/api/Motto': { get: inTypes({ ...TEXT, enum: ['steady as she goes'] }, ...types) },
    },
    { Boat: object({ id: INTEGER, name: TEXT }) },
  );

  it.each([undefined, '*/*', 'application/json, text/plain, */*'])(
    'Accept: %s gets JSON from state',
    async (accept) => {
      const { send } = await openShop({ spec });
      const headers: Readonly<Record<string, string>> = accept === undefined ? {} : { accept };
      const { body } = await send('POST', '/api/Boats', { name: 'Petrel' }, headers);
      expect(body).toMatchObject({ name: 'Petrel' });
      expect((await send('GET', `/api/Boats/${String(body['id'])}`, undefined, headers)).body).toEqual(body);
      expect((await send('GET', '/api/Boats', undefined, headers)).body).toEqual([body]);
    },
  );

  it('a client that asks for text gets text, and a string stays text', async () => {
    const { mock, send } = await openShop({ spec });
    await send('POST', '/api/Boats', { name: 'Petrel' });
    const wanted = await mock.fetch('/api/Boats', { headers: { accept: 'text/plain' } });
    expect(wanted.headers.get('content-type')).toMatch(/^text\/plain/);
    const motto = await mock.fetch('/api/Motto');
    expect(motto.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await motto.text()).toBe('steady as she goes');
  });
});

describe('media types of an object', () => {
  const show = async (types: readonly string[], accept: string, schema: object = ref('Boat')): Promise<string> => {
    const spec = toDocument({ '/boat': { get: inTypes(schema, ...types) } }, { Boat: object({ name: TEXT }) });
    const { mock } = await openShop({ spec });
    return (await mock.fetch('/boat', { headers: { accept } })).headers.get('content-type') ?? '';
  };
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it.each([
    [['application/xml', 'application/json'], '*/*', /json/],
    [['text/html', 'application/xml', 'application/hal+json'], '*/*', /json/],
    [['application/xml', 'application/json'], 'application/xml', /xml/],
    [['application/xml', 'text/csv'], '*/*', /xml/],
    [['*/*'], browser, /json/],
    [['*/*'], 'text/html', /html/],
    [['*/*'], 'application/xml, */*;q=0.1', /xml/],
  ])('%j for Accept: %s is %s', async (types, accept, wanted) => {
    expect(await show(types, accept)).toMatch(wanted);
  });

  it('text of any type is what a browser prefers', async () => {
    expect(await show(['*/*'], browser, TEXT)).toMatch(/html/);
    expect(await show(['application/xml', 'application/json'], '*/*', TEXT)).toMatch(/xml/);
  });
});

describe('a security requirement with two schemes for the Authorization header', () => {
  const securitySchemes = {
    password: { type: 'http', scheme: 'basic' },
    token: { type: 'oauth2', flows: {} },
    tenant: { type: 'apiKey', in: 'header', name: 'X-Tenant' },
  };
  const spec = toDocument({ '/tides': { get: shows(arrayOf(object({ height: INTEGER }))) } }, undefined, {
    components: { securitySchemes },
    security: [{ password: [], token: ['read'], tenant: [] }],
  });

  it('is two alternatives; what else it needs is needed with either', async () => {
    const { send } = await openShop({ spec });
    const ask = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await send('GET', '/tides', undefined, headers)).status;
    const tenant = { 'x-tenant': 't' };
    expect(await ask({ ...tenant, authorization: 'Basic dTpw' })).toBe(200);
    expect(await ask({ ...tenant, authorization: 'Bearer t' })).toBe(200);
    expect(await ask({ authorization: 'Bearer t' })).toBe(401);
    expect(await ask(tenant)).toBe(401);
  });

  it('is reported where the document is checked', async () => {
    const { problems, operations } = await loadContract(spec);
    expect(problems.map(({ code, at }) => [code, at.pointer])).toEqual([['SECURITY_CONTRADICTORY', '/security']]);
    expect(operations[0]?.security).toEqual([
      { password: [], tenant: [] },
      { token: ['read'], tenant: [] },
    ]);
  });
});

describe('constraints that cannot be meant', () => {
  const own = { readOnly: true };
  const spec = toDocument(
    {
      '/hats': {
        get: shows(arrayOf(ref('Hat'))),
        post: takes(ref('Hat'), ref('Hat'), 201),
      },
      '/hats/{hat_id}': { ...inPath('hat_id'), get: shows(ref('Hat')), put: takes(ref('Hat'), ref('Hat')) },
      '/orders': { post: takes(ref('Order'), object({ id: TEXT }), 201) },
      '/parcels': { post: takes(ref('Parcel'), object({ id: TEXT }), 201) },
      '/uploads': {
        post: {
          requestBody: { required: true, content: content({ type: 'file' }, 'multipart/form-data') },
          ...shows(object({ id: TEXT }), 201),
        },
      },
      '/search': {
        get: {
          parameters: [
            { name: 'options', in: 'query', required: true, schema: object({ q: TEXT, page: INTEGER }) },
            { name: 'range', in: 'query', required: true, style: 'deepObject', schema: object({ to: TEXT }) },
          ],
          ...shows(object({ hits: arrayOf(TEXT) })),
        },
      },
      '/find': {
        get: {
          parameters: [{ name: 'options', in: 'query', required: true, schema: object({ q: TEXT }, 'q') }],
          ...shows(object({ hits: arrayOf(TEXT) })),
        },
      },
    },
    {
      Hat: object({ id: TEXT, label: TEXT, brand: ref('Brand'), sewnAt: { ...TEXT, ...own } }, 'id', 'label', 'sewnAt'),
      Brand: object({ id: TEXT, name: { ...TEXT, ...own } }, 'id'),
      Named: object({ name: TEXT }, 'name', 'colour'),
      Order: {
        allOf: [
          ref('Named'),
          { ...object({ colour: TEXT, size: INTEGER }, 'size', 'former_size'), description: 'An order.' },
        ],
      },
      Parcel: object({
        code: { ...TEXT, format: 'uuid', minLength: 8, maxLength: 8 },
        weight: { ...INTEGER, maximum: 30, example: 31 },
        note: { ...TEXT, pattern: '^[a-z]+$', examples: ['abc', 'A-1'] },
      }),
    },
  );

  const post = async (path: string, body: object): Promise<string> => {
    const { send } = await openShop({ spec });
    const { status, body: answer } = await send('POST', path, body);
    return status < 300 ? 'accepted' : JSON.stringify(answer);
  };

  it('an id beside properties of the server is not required of a create, but that of another object is', async () => {
    expect(await post('/hats', { label: 'Bowler' })).toBe('accepted');
    expect(await post('/hats', { label: 'Bowler', brand: { id: 'b1' } })).toBe('accepted');
    expect(await post('/hats', {})).toContain('label');
    expect(await post('/hats', { label: 'Bowler', brand: {} })).toContain('brand.id');
  });

  it('a required name that nothing declares is not required; one that another part declares is', async () => {
    expect(await post('/orders', { name: 'n', colour: 'red', size: 4 })).toBe('accepted');
    expect(await post('/orders', { name: 'n', size: 4 })).toContain('colour');
  });

  it('a length that no value of the format has, and a bound that every example breaks, refuse nothing', async () => {
    expect(await post('/parcels', { code: 'abcd1234', weight: 31 })).toBe('accepted');
    expect(await post('/parcels', { note: 'A-2' })).toContain('note');
  });

  it('a strict mock enforces them', async () => {
    const { send } = await openShop({ spec, strict: true });
    expect((await send('POST', '/hats', { label: 'Bowler' })).status).toBe(400);
    expect((await send('POST', '/orders', { name: 'n', colour: 'red', size: 4 })).status).toBe(400);
  });

  it('the journal notes what was not enforced', async () => {
    const { mock, send } = await openShop({ spec });
    await send('POST', '/orders', { name: 'n', colour: 'red', size: 4 });
    expect(mock.journal.last()?.violations).toMatchObject([
      { code: 'REQUIRED', severity: 'note', message: expect.stringContaining('no property declares') as string },
    ]);
  });

  it('a form whose schema is that of a file takes any form', async () => {
    const { mock } = await openShop({ spec });
    const form = new FormData();
    form.set('document', new Blob(['a,b']), 'a.csv');
    expect((await mock.fetch('/uploads', { method: 'POST', body: form })).status).toBe(201);
  });

  it('an exploded object without required properties may be left out of the query', async () => {
    const { send } = await openShop({ spec });
    expect((await send('GET', '/search')).status).toBe(200);
    expect((await send('GET', '/search?page=one')).status).toBe(400);
    expect((await send('GET', '/find')).status).toBe(400);
  });

  it('vouch check reports each of them once', async () => {
    const written: string[] = [];
    const folder = mkdtempSync(join(tmpdir(), 'vouch-'));
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(spec));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await runCheck({ spec: file, write: (line) => written.push(line) });
    const found = written.filter((line) => line.includes('SCHEMA_CONTRADICTORY'));
    expect(found.map((line) => line.replace(/^.*[(]#/u, '('))).toMatchInlineSnapshot(`
      [
        "(/components/schemas/Hat/required)  "id" is required beside properties that the server sets; requests need not meet it",
        "(/components/schemas/Order/allOf/1/required)  no property declares the required "former_size"; requests need not meet it",
        "(/components/schemas/Parcel/properties/code/minLength)  no value has both the format "uuid" and the length; requests need not meet it",
        "(/components/schemas/Parcel/properties/weight/maximum)  every example breaks its "maximum"; requests need not meet it",
      ]
    `);
  });
});
