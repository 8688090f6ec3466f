import { describe, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { json, openMock } from './open-mock.js';
import { object, INTEGER, TEXT, pathParameter, content, arrayOf } from '../document-parts.js';

const pet = object({ id: INTEGER, name: TEXT, pin: { type: 'string', writeOnly: true } }, 'id', 'name');

async function read(mock: Mock, path: string): Promise<readonly [from: string | null, body: unknown]> {
  const response = await mock.fetch(path);
  expect(response.status).toBe(200);
  return [response.headers.get('x-mock-source'), await response.json()];
}

const get = (response: unknown): object => ({ get: { responses: { 200: response } } });

describe('an example of the contract', () => {
  it('that is elsewhere is not fetched', async () => {
    const examples = { far: { externalValue: 'https://example.com/x.json' } };
    const mock = await openMock({ '/pet': get(json(pet, { examples })) });
    expect(await read(mock, '/pet')).toEqual(['generate', { id: expect.any(Number), name: expect.any(String) }]);
  });

  it('of the schema is used if the media type has none', async () => {
    const schema = { ...pet, example: { id: 5, name: 'Eve' } };
    expect(await read(await openMock({ '/pet': get(json(schema)) }), '/pet')).toEqual([
      'example',
      { id: 5, name: 'Eve' },
    ]);
  });
});

describe('an example of a type other than JSON', () => {
  const row = object({ code: TEXT, size: INTEGER }, 'code');
  const events = 'id: 4\ndata: {"code":"x"}\n\n';
  const typed = (type: string, schema: unknown, example: unknown): object =>
    get({ description: '', content: { [type]: { schema, examples: { one: { value: example } } } } });

  it.each([
    ['text/csv', arrayOf(row), 'code;size\nx;3\n'],
    ['text/csv; charset=utf-8', row, 'code\n'],
    ['text/html', row, '<h1>x & y</h1>'],
    ['text/xml', row, '<row><code>x</code></row>'],
    ['application/atom+xml', row, '<?xml version="1.0"?><feed/>'],
    ['application/x-www-form-urlencoded', row, 'code=x&size=3'],
    ['application/yaml', row, 'code: x\n'],
    ['text/plain', INTEGER, 'three'],
    ['text/event-stream', row, events],
    ['text/event-stream', TEXT, events],
    ['application/x-ndjson', row, '{"code":"x"}\n'],
  ])('%s is sent as it is', async (type, schema, example) => {
    const mock = await openMock({ '/rows': typed(type, schema, example) });
    for (const prefer of ['', 'example=one']) {
      const response = await mock.fetch('/rows', { headers: { prefer } });
      expect([response.headers.get('x-mock-source'), response.headers.get('x-mock-violations')]).toEqual([
        'example:one',
        null,
      ]);
      expect(await response.text()).toBe(example);
    }
  });

  it.each([
    ['text/event-stream', row, [{ code: 'x' }, { code: 'y' }], 'data: {"code":"x"}\n\ndata: {"code":"y"}\n\n'],
    ['application/jsonl', row, { code: 'x' }, '{"code":"x"}\n'],
    ['application/jsonl', arrayOf(row), [{ code: 'x' }], '{"code":"x"}\n'],
    [
      'text/xml',
      { ...row, xml: { name: 'row' } },
      { code: 'x' },
      '<?xml version="1.0" encoding="UTF-8"?>\n<row>\n  <code>x</code>\n</row>\n',
    ],
  ])('%s is written if it is a value', async (type, schema, example, text) => {
    const mock = await openMock({ '/rows': typed(type, schema, example) });
    expect(await (await mock.fetch('/rows')).text()).toBe(text);
  });

  it('is generated again where it can be neither the body nor a value', async () => {
    const json = typed('application/json', row, 'code=x');
    const xml = typed('text/xml', { ...row, xml: { name: 'row' } }, 'see below');
    const pattern = typed('text/csv', { type: 'string', pattern: '^[0-9]+$' }, 'a;b');
    const mock = await openMock({ '/json': json, '/xml': xml, '/pattern': pattern });
    expect(await (await mock.fetch('/json')).json()).toEqual({ code: expect.any(String), size: expect.any(Number) });
    expect(await (await mock.fetch('/xml')).text()).toContain('<row>');
    expect(await (await mock.fetch('/pattern')).text()).toMatch(/^\d+$/);
  });
});

describe('a generated answer', () => {
  it('repeats the id of the path and the values of the body', async () => {
    const mock = await openMock({
      '/pets/{petId}': {
        put: {
          parameters: [pathParameter('petId', INTEGER)],
          requestBody: { content: content(pet) },
          responses: { 200: json(pet) },
        },
      },
    });
    const response = await mock.fetch('/pets/42', {
      method: 'PUT',
      body: JSON.stringify({ id: 1, name: 'Rex', pin: '1' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(await response.json()).toEqual({ id: 42, name: 'Rex' });
  });

  it('does not depend on earlier requests', async () => {
    const paths = { '/a': get(json(pet)), '/b': get(json(pet)) };
    const [first, second] = [await openMock(paths), await openMock(paths)];
    await first.fetch('/b');
    expect(await read(first, '/a')).toEqual(await read(second, '/a'));
  });
});

it('a stream of application/json-seq has a record separator before each item', async () => {
  const schema = object({ kind: { const: 'tick' } }, 'kind');
  const list = content(arrayOf(schema), 'application/json-seq');
  const mock = await openMock({ '/s': get({ description: '', content: list }) });
  const lines = (await (await mock.fetch('/s')).text()).trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    expect(line.startsWith('\u001e')).toBe(true);
    expect(JSON.parse(line.slice(1))).toMatchObject({ kind: 'tick' });
  }
});

describe('headers that a response declares', () => {
  it('are sent from their example or their schema, except those of framing', async () => {
    const headers = {
      'X-Rate-Limit': { schema: { type: 'integer', minimum: 5, maximum: 5 } },
      'X-Kind': { schema: TEXT, example: 'amber' },
      'X-List': { schema: { type: 'array', items: { const: 'a' }, minItems: 2, maxItems: 2 } },
      'X-Map': { explode: true, schema: { ...object({ k: { const: 1 } }, 'k'), additionalProperties: false } },
      'Content-Length': { schema: { type: 'integer', minimum: 9999 } },
      'Transfer-Encoding': { schema: TEXT },
      Connection: { schema: { const: 'close' } },
      ETag: { $ref: '#/components/headers/ETag' },
    };
    const mock = await openMock(
      { '/x': get({ ...json({ const: 1 }), headers }) },
      { components: { headers: { ETag: { schema: { const: '"v1"' } } } } },
    );
    const sent = (await mock.fetch('/x')).headers;
    expect(
      Object.fromEntries(['x-rate-limit', 'x-kind', 'x-list', 'x-map', 'etag'].map((name) => [name, sent.get(name)])),
    ).toEqual({ 'x-rate-limit': '5', 'x-kind': 'amber', 'x-list': 'a,a', 'x-map': 'k=1', etag: '"v1"' });
    for (const name of ['transfer-encoding', 'connection']) expect(sent.get(name)).toBeNull();
    expect(sent.get('content-length')).not.toBe('9999');
  });

  const DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

  it.each<readonly [string, object, RegExp]>([
    ['ETag', TEXT, /^"[^"]+"$/],
    ['etag', { ...TEXT, pattern: '^W/' }, /^W\/"[^"]+"$/],
    ['ETag', { ...TEXT, example: 'v1' }, /^v1$/],
    ['ETag', { ...TEXT, enum: ['"a"'] }, /^"a"$/],
    ['Last-Modified', TEXT, DATE],
    ['Last-Modified', { ...TEXT, format: 'date-time' }, /^\d{4}-\d\d-\d\dT/],
    ['Sunset', TEXT, DATE],
    ['Retry-After', TEXT, /^\d+$/],
    ['Retry-After', INTEGER, /^\d+$/],
    ['Age', { type: ['string', 'null'] }, /^\d+$/],
    ['Set-Cookie', TEXT, /^session=\w+; Path=\/; HttpOnly$/],
    ['Set-Cookie', arrayOf(TEXT), /^session=\w+; Path=\/; HttpOnly, session=\w+; /],
    ['Link', TEXT, /^<https:[^>]+>; rel="self"$/],
    ['Cache-Control', TEXT, /^max-age=\d+$/],
    ['Allow', TEXT, /^GET\b/],
    ['Vary', TEXT, /^Accept$/],
    ['WWW-Authenticate', TEXT, /^Bearer realm="[^"]+"$/],
    ['Accept-Ranges', {}, /^bytes$/],
    ['Content-Language', TEXT, /^en$/],
    ['Content-Disposition', TEXT, /^attachment; filename="\w+"$/],
    ['X-Etag-Of', TEXT, /^[\w-]+$/],
  ])('%s of %j has its standard form', async (name, schema, form) => {
    const mock = await openMock({ '/x': get({ description: '', headers: { [name]: { schema } } }) });
    const response = await mock.fetch('/x');
    expect([response.status, response.headers.get(name)]).toEqual([200, expect.stringMatching(form)]);
  });

  it.each<readonly [string, object, object, string]>([
    ['an object', object({ left: { const: 4 } }, 'left'), {}, '{"left":4}'],
    ['a list', { ...arrayOf({ const: 'é' }), minItems: 1, maxItems: 1 }, {}, String.raw`["\u00e9"]`],
    ['a string', { const: 'plain' }, {}, '"plain"'],
    ['an example', object({ of: TEXT }), { example: { of: 'page 2' } }, '{"of":"page 2"}'],
    ['named examples', { type: 'object' }, { examples: { one: { value: { a: [1] } } } }, '{"a":[1]}'],
  ])('are JSON if their content is: %s', async (_, schema, more, text) => {
    const headers = { 'X-Page': { content: { 'application/json': { schema, ...more } } } };
    const mock = await openMock({ '/x': get({ description: '', headers }) });
    expect((await mock.fetch('/x')).headers.get('x-page')).toBe(text);
  });

  it('Location is the path of the created resource', async () => {
    const created = { ...json(pet), headers: { Location: { schema: { type: 'string', format: 'uri-reference' } } } };
    const mock = await openMock({ '/pets': { post: { responses: { 201: created } } } });
    const response = await mock.fetch('/pets', { method: 'POST' });
    const { id } = (await response.json()) as { readonly id: number };
    expect(response.headers.get('location')).toBe(`/pets/${id}`);
  });

  it('Location is a valid URL even if an id has a lone surrogate', async () => {
    const schema = object({ id: TEXT }, 'id');
    const created = { ...json(schema), headers: { Location: { schema: TEXT } } };
    const requestBody = { content: content(schema) };
    const mock = await openMock({ '/pets': { post: { requestBody, responses: { 201: created } } } });
    const headers = { 'content-type': 'application/json' };
    const response = await mock.fetch('/pets', { method: 'POST', headers, body: String.raw`{"id":"\ud800"}` });
    expect([response.status, response.headers.get('location')]).toEqual([201, '/pets/%EF%BF%BD']);
  });

  it('a deprecated operation has the date of its deprecation (RFC 9745)', async () => {
    const mock = await openMock({
      '/old': { get: { deprecated: true, responses: { 200: json({ const: 1 }) } } },
      '/dated': { get: { deprecated: true, 'x-deprecated-at': '2024-05-01', responses: { 200: json({ const: 1 }) } } },
      '/new': get(json({ const: 1 })),
    });
    const ask = async (path: string): Promise<string | null> => (await mock.fetch(path)).headers.get('deprecation');
    expect(await ask('/old')).toBe(`@${Date.UTC(2026, 0, 1) / 1000}`);
    expect(await ask('/dated')).toBe(`@${Date.UTC(2024, 4, 1) / 1000}`);
    expect(await ask('/new')).toBeNull();
  });
});

it('an error body has properties of any name', async () => {
  const names = ['constructor', 'toString', '__proto__', 'message'];
  const properties = Object.fromEntries(names.map((name) => [name, TEXT]));
  const mock = await openMock({
    '/x': {
      get: {
        parameters: [{ name: 'n', in: 'query', required: true, schema: {} }],
        responses: { 200: json({}), 400: json({ type: 'object', properties, required: names }) },
      },
    },
  });
  const response = await mock.fetch('/x');
  expect(response.headers.get('x-mock-violations')).toBe('REQUIRED query parameter "n" is required');
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  expect([response.status, Object.keys(body).toSorted()]).toEqual([400, names.toSorted()]);
  expect(Object.values(body).every((value) => typeof value === 'string')).toBe(true);
});

it('an error that the contract does not declare has its sentence in "message" as well', async () => {
  const mock = await openMock({ '/pets': get(json({})) });
  const response = await mock.fetch('/pets/1');
  const { detail, message } = (await response.json()) as { readonly detail: string; readonly message: string };
  expect([response.status, message]).toEqual([404, detail]);
  expect(message).toContain('/pets/1');
});
