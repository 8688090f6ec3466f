import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { createMock, type Handlers, type Mock } from '../../src/index.js';
import { createFolder } from '../folders.js';
import { pathParameter, query, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, object, type Part, ref, TEXT } from '../schema-parts.js';

/** OpenAPI format registry: a signed integer of 64 bits; a double has 53. */
const LONG = { type: 'integer', format: 'int64' };
const MAXIMUM = '9223372036854775807';

const Parcel: Part = object({ id: LONG, sender: LONG, stops: arrayOf(LONG), note: TEXT }, 'note');
const PATHS: Part = {
  '/parcels': {
    get: { parameters: [query('sender', LONG), query('sort')], ...shows(arrayOf(ref('Parcel'))) },
    post: takes(ref('Parcel'), ref('Parcel'), 201),
  },
  '/parcels/{id}': {
    parameters: [pathParameter('id', LONG)],
    get: shows(ref('Parcel')),
    patch: takes(object({ note: TEXT, sender: LONG }), ref('Parcel')),
    delete: { responses: { 204: REMOVED } },
  },
};

interface Sent {
  readonly mock: Mock;
  /** Sends JSON as text; the answer is text, because `JSON.parse` rounds. */
  send(line: string, body?: string): Promise<string>;
}

async function open(handlers: Handlers = {}): Promise<Sent> {
  const spec = toDocument(PATHS, { Parcel });
  const mock = await createMock({ spec, handlers, state: { initialItems: 0 } });
  return {
    mock,
    send: async (line, body) => {
      const [method = '', path = ''] = line.split(' ');
      const headers = { 'content-type': 'application/json' };
      const given = body === undefined ? {} : { body, headers };
      return (await mock.fetch(`http://mock${path}`, { method, ...given })).text();
    },
  };
}

describe('integers beyond 2^53 keep their digits', () => {
  it('in the body, the path, the query, lists, changes and removals, and are other ids than their neighbours', async () => {
    const { send } = await open();
    const first = `{"id":175928847299117063,"sender":${MAXIMUM},"stops":[175928847299117063,-9007199254740993],"note":"a"}`;
    const second = '{"id":175928847299117064,"sender":9223372036854775806,"note":"b"}';
    expect(await send('POST /parcels', first)).toBe(first);
    expect(await send('POST /parcels', second)).toBe(second);
    expect(await send('GET /parcels/175928847299117063')).toBe(first);
    expect(await send(`GET /parcels?sender=${MAXIMUM}`)).toBe(`[${first}]`);
    expect(await send('GET /parcels?sort=-sender')).toBe(`[${first},${second}]`);
    expect(await send('PATCH /parcels/175928847299117064', '{"note":"c"}')).toBe(second.replace('"b"', '"c"'));
    await send('DELETE /parcels/175928847299117063');
    expect(await send('GET /parcels')).toBe(`[${second.replace('"b"', '"c"')}]`);
  });

  it('in an id that only the client knows', async () => {
    const { send } = await open();
    expect(await send(`GET /parcels/${MAXIMUM}`)).toContain(`"id":${MAXIMUM},`);
  });

  it('in the journal', async () => {
    const { mock, send } = await open();
    await send('POST /parcels', '{"id":175928847299117063,"note":"a"}');
    expect(mock.journal.toNdjson()).toContain('"id":175928847299117063,');
    mock.received('POST /parcels', { with: { body: { id: 175_928_847_299_117_063n } } });
    expect(() => mock.received('POST /parcels', { with: { body: { id: 175_928_847_299_117_064n } } })).toThrow('/id');
  });

  it('in the response of a handler, which itself reads numbers of JavaScript', async () => {
    const read: unknown[] = [];
    const { send } = await open({
      'GET /parcels/{id}': ({ call }) => {
        read.push(call.path['id']);
        return new Response(`{"id":${MAXIMUM},"note":"x"}`, { headers: { 'content-type': 'application/json' } });
      },
    });
    expect(await send('GET /parcels/9007199254740993')).toBe(`{"id":${MAXIMUM},"note":"x"}`);
    expect(read).toEqual([9_007_199_254_740_992]);
  });
});

it('a string of digits stays a string, and an integer is refused where a string is declared', async () => {
  const { send } = await open();
  expect(await send('POST /parcels', '{"id":1,"note":"175928847299117063"}')).toBe(
    '{"id":1,"note":"175928847299117063"}',
  );
  expect(await send('POST /parcels', '{"id":2,"note":175928847299117063}')).toContain('must be a string');
});

it('an integer beyond 64 bits is refused', async () => {
  const { send } = await open();
  expect(await send('POST /parcels', '{"id":99223372036854775807,"note":"a"}')).toContain('must be a 64-bit integer');
});

describe('integers beyond 2^53 keep their digits in files', () => {
  const YAML = `openapi: 3.0.3
info: { title: Parcels, version: '1' }
paths:
  /parcels:
    get: { responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Parcel' } } } } } } }
  /parcels/{id}:
    parameters: [ { name: id, in: path, required: true, schema: { type: integer, format: int64 } } ]
    get: { responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Parcel' } } } } } }
  /first:
    get: { responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Parcel' }, example: { id: 175928847299117063, sender: -9007199254740993 } } } } } }
components:
  schemas:
    Parcel:
      type: object
      required: [ id, sender ]
      properties:
        id: { type: integer, format: int64 }
        sender: { type: integer, format: int64, minimum: -9223372036854775808, maximum: 9223372036854775807, example: 9007199254740993 }
`;

  it.each([
    ['YAML', 'api.yaml', YAML, 'parcels.yaml', '- { id: 175928847299117063, sender: 5 }\n'],
    ['JSON', 'api.json', undefined, 'parcels.json', '[{"id":175928847299117063,"sender":5}]'],
  ])('examples, bounds and fixtures in %s', async (...[, name, text, fixture, items]) => {
    // JSON with the digits of YAML: `JSON.stringify` would round them.
    const long = /-?\d{16,}/g;
    const quoted = YAML.replaceAll(long, (digits) => `"<${digits}>"`);
    const json = JSON.stringify(load(quoted)).replaceAll(/"<(-?\d+)>"/g, '$1');
    const folder = createFolder({ [name]: text ?? json, [`fixtures/${fixture}`]: items });
    const mock = await createMock({ spec: join(folder, name), fixtures: join(folder, 'fixtures') });
    const read = async (path: string): Promise<string> => (await mock.fetch(path)).text();
    expect(await read('/parcels')).toBe('[{"id":175928847299117063,"sender":5}]');
    expect(await read('/parcels/175928847299117063')).toBe('{"id":175928847299117063,"sender":5}');
    expect(await read('/first')).toBe('{"id":175928847299117063,"sender":-9007199254740993}');
    const generated = await createMock({ spec: join(folder, name) });
    expect(await (await generated.fetch('/parcels')).text()).toContain('"sender":9007199254740993');
    expect(mock.contract.problems).toEqual([]);
  });
});
