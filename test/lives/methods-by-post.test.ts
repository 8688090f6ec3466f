import { describe, expect, it } from 'vitest';
import { json, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

const Kiln = object({ kiln_id: TEXT, label: TEXT }, 'kiln_id', 'label');
const Tile = object({ tile_id: TEXT, glaze: TEXT }, 'tile_id', 'glaze');
const HOOK = { collection: 'kiln', id: { body: '/kiln_key' } };
const BELOW = { collection: 'tile', parents: { kiln: { body: '/kiln_key' } } };
const keyed = object({ kiln_key: TEXT, limit: { type: 'integer' } }, 'kiln_key');

/** Methods that name a kiln by a key which only its create shows. */
const createKilns = (listed: Part, tiles: Part = {}, mock: Part = {}): ReturnType<typeof toDocument> =>
  toDocument(
    {
      '/kiln/redeem': {
        post: {
          ...takes(object({ voucher: TEXT }), object({ kiln_key: TEXT, kiln_id: TEXT }, 'kiln_key', 'kiln_id')),
          'x-mock': { collection: 'kiln', action: 'create' },
        },
      },
      '/kiln/show': {
        post: { ...takes(keyed, object({ kiln: ref('Kiln') }, 'kiln')), 'x-mock': { ...HOOK, action: 'read' } },
      },
      '/kiln/drop': {
        post: { ...takes(keyed, object({ done: BOOLEAN }, 'done')), 'x-mock': { ...HOOK, action: 'delete' } },
      },
      '/tile/all': {
        post: { ...takes(keyed, listed), 'x-mock': { ...BELOW, action: 'list', items: 'tiles' } },
      },
    },
    { Kiln, Tile },
    {
      'x-mock': {
        collections: {
          kiln: { schema: '#/components/schemas/Kiln', id: 'kiln_id', patterns: { kiln_key: '^key-[a-f]{9}$' } },
          tile: { schema: '#/components/schemas/Tile', id: 'tile_id', parent: 'kiln', ...tiles },
        },
        ...mock,
      },
    },
  );

const LISTED = object({ tiles: arrayOf(ref('Tile')), kiln: ref('Kiln') }, 'tiles', 'kiln');

const redeem = async ({ send }: Shop): Promise<Readonly<Record<string, unknown>>> =>
  (await send('POST', '/kiln/redeem', { voucher: 'v' })).body;

describe('a key in place of the id', () => {
  it('is what hints take from the body and only the create shows; its pattern is hinted', async () => {
    const shop = await openShop({ spec: createKilns(LISTED), ...CLOSED });
    const { kiln_key, kiln_id } = await redeem(shop);
    expect(kiln_key).toMatch(/^key-[a-f]{9}$/);
    const { body } = await shop.send('POST', '/kiln/show', { kiln_key });
    expect(body).toMatchObject({ kiln: { kiln_id } });
    expect(body['kiln']).not.toHaveProperty('kiln_key');
    expect((await shop.send('POST', '/kiln/show', { kiln_key: 'key-none' })).status).toBe(404);
  });

  it('is the id itself where that is what the body has', async () => {
    const spec = createKilns(LISTED);
    const shown = object({ kiln_id: TEXT }, 'kiln_id');
    const path = {
      '/kiln/peek': {
        post: { ...takes(shown, ref('Kiln')), 'x-mock': { ...HOOK, id: { body: '/kiln_id' }, action: 'read' } },
      },
    };
    const paths = { ...(spec.paths as object), ...path };
    const shop = await openShop({ spec: { ...spec, paths }, ...CLOSED });
    const { kiln_id } = await redeem(shop);
    expect((await shop.send('POST', '/kiln/peek', { kiln_id })).body).toMatchObject({ kiln_id });
  });
});

describe('the items that a service creates with their parent', () => {
  it('are as many as a hint says, also where unknown ids are not found', async () => {
    const shop = await openShop({ spec: createKilns(LISTED, { initialItems: 4 }), ...CLOSED });
    const { kiln_key } = await redeem(shop);
    const { body } = await shop.send('POST', '/tile/all', { kiln_key });
    expect(body['tiles']).toHaveLength(4);
    expect((await shop.send('POST', '/tile/all', { kiln_key })).body).toEqual(body);
  });

  it('do not exist without a hint', async () => {
    const shop = await openShop({ spec: createKilns(LISTED), state: { initialItems: 3 } });
    const { kiln_key } = await redeem(shop);
    expect((await shop.send('POST', '/tile/all', { kiln_key })).body['tiles']).toEqual([]);
  });

  it('are those of a fixture where there is one', async () => {
    const [kiln_key, tile] = ['key-aaaaaaaaa', { tile_id: 't1', glaze: 'g' }];
    const fixtures = { kiln: [{ $id: kiln_key, kiln_id: 'k1', label: 'L' }], tile: [{ ...tile, $parent: kiln_key }] };
    const shop = await openShop({ spec: createKilns(LISTED, { initialItems: 4 }), fixtures });
    expect((await shop.send('POST', '/tile/all', { kiln_key })).body).toMatchObject({ tiles: [tile] });
  });
});

describe('the object beside a list', () => {
  it('is the parent of its items', async () => {
    const shop = await openShop({ spec: createKilns(LISTED), ...CLOSED });
    const { kiln_key } = await redeem(shop);
    const { body } = await shop.send('POST', '/kiln/show', { kiln_key });
    expect((await shop.send('POST', '/tile/all', { kiln_key })).body['kiln']).toEqual(body['kiln']);
  });

  it('is not, where two have the schema of the parent', async () => {
    const two = object({ tiles: arrayOf(ref('Tile')), kiln: ref('Kiln'), next: ref('Kiln') }, 'tiles', 'kiln', 'next');
    const shop = await openShop({ spec: createKilns(two), ...CLOSED });
    const { kiln_key, kiln_id } = await redeem(shop);
    const { body } = await shop.send('POST', '/tile/all', { kiln_key });
    expect(body['kiln']).not.toMatchObject({ kiln_id });
  });
});

describe('errors', () => {
  const Problem = object({ code: TEXT, text: TEXT }, 'code', 'text');
  const withErrors = (errors: Part): ReturnType<typeof toDocument> => {
    const spec = createKilns(LISTED, {}, { errors });
    const paths = Object.fromEntries(
      Object.entries(spec.paths as Readonly<Record<string, { readonly post: Part }>>).map(([path, { post }]) => {
        const responses = { ...(post['responses'] as Part), default: json(Problem) };
        return [path, { post: { ...post, responses } }];
      }),
    );
    return { ...spec, paths };
  };
  const NONE = { status: 400, body: { code: 'BAD_KEY', text: '{message}' } };

  it('have a template of their own for what was removed', async () => {
    const gone = { status: 400, body: { code: 'DROPPED', text: '{message}' } };
    const shop = await openShop({ spec: withErrors({ 'not-found': NONE, gone }), ...CLOSED });
    const { kiln_key } = await redeem(shop);
    await shop.send('POST', '/kiln/drop', { kiln_key });
    for (const path of ['/kiln/show', '/tile/all', '/kiln/drop']) {
      const removed = await shop.send('POST', path, { kiln_key });
      expect([removed.status, removed.body['code']]).toEqual([400, 'DROPPED']);
      const unknown = await shop.send('POST', path, { kiln_key: 'key-none' });
      expect([unknown.status, unknown.body['code']]).toEqual([400, 'BAD_KEY']);
    }
  });

  it('have that for unknown items where there is no other', async () => {
    const shop = await openShop({ spec: withErrors({ 'not-found': NONE }), ...CLOSED });
    const { kiln_key } = await redeem(shop);
    await shop.send('POST', '/kiln/drop', { kiln_key });
    expect((await shop.send('POST', '/kiln/show', { kiln_key })).body['code']).toBe('BAD_KEY');
  });

  it('can have the status of a success, and the schema of errors', async () => {
    const errors = { default: { status: 200 }, unauthorized: { status: 200 } };
    const shop = await openShop({ spec: withErrors(errors), ...CLOSED });
    const { status, body, headers } = await shop.send('POST', '/kiln/show', { kiln_key: 'key-none' });
    expect([status, Object.keys(body)]).toEqual([200, ['code', 'text']]);
    expect(headers.get('x-mock-violations')).toBeNull();
  });
});

const Buoy = object({ id: TEXT, name: TEXT }, 'id', 'name');
const Signal = object({ mark: TEXT, words: TEXT, kind: TEXT }, 'mark', 'words', 'kind');
const failed = (...codes: readonly string[]): Part =>
  object({ ok: { type: 'boolean', enum: [false] }, error: { ...TEXT, enum: codes } }, 'ok', 'error');
const OK = { type: 'boolean', enum: [true] };

/** Methods whose envelope repeats what is in the item, and whose errors are declared as `default`. */
const createBuoys = (whole: Part, ...codes: readonly string[]): ReturnType<typeof toDocument> => {
  const method = (body: Part, answer: Part, mock: Part): Part => {
    const own = takes(body, answer);
    return {
      post: { ...own, responses: { ...(own['responses'] as Part), default: json(failed(...codes)) }, 'x-mock': mock },
    };
  };
  const parents = { buoys: { body: '/buoy' } };
  return toDocument(
    {
      '/buoys.create': method(object({ name: TEXT }, 'name'), object({ ok: OK, buoy: ref('Buoy') }, 'ok', 'buoy'), {
        collection: 'buoys',
        action: 'create',
      }),
      '/signals.send': method(object({ buoy: TEXT, words: TEXT, kind: TEXT }, 'buoy', 'words'), whole, {
        collection: 'signals',
        action: 'create',
        parents,
      }),
      '/signals.edit': method(object({ buoy: TEXT, mark: TEXT, words: TEXT }, 'buoy', 'mark'), whole, {
        collection: 'signals',
        action: 'update',
        id: { body: '/mark' },
        parents,
      }),
    },
    { Buoy, Signal },
    {
      'x-mock': {
        errors: { default: { status: 200 } },
        collections: { signals: { id: 'mark', parent: 'buoys', schema: '#/components/schemas/Signal' } },
      },
    },
  );
};

describe('an envelope', () => {
  const repeats = object(
    { ok: OK, buoy: TEXT, mark: TEXT, words: TEXT, kind: { ...TEXT, enum: ['sent'] }, signal: ref('Signal') },
    'ok',
    'buoy',
    'mark',
    'words',
    'kind',
    'signal',
  );
  it('repeats its item and the ids of the request, but has an enumerated value of its own', async () => {
    const shop = await openShop({ spec: createBuoys(repeats, 'not_found'), ...CLOSED });
    const made = (await shop.send('POST', '/buoys.create', { name: 'North' })).body;
    const { id: buoy } = made['buoy'] as { readonly id: string };
    const sent = (await shop.send('POST', '/signals.send', { buoy, words: 'fog', kind: 'horn' })).body;
    const { mark } = sent['signal'] as { readonly mark: string };
    expect(sent).toMatchObject({
      ok: true,
      buoy,
      mark,
      words: 'fog',
      kind: 'sent',
      signal: { words: 'fog', kind: 'horn' },
    });
    const edited = (await shop.send('POST', '/signals.edit', { buoy, mark, words: 'ice' })).body;
    expect(edited).toMatchObject({ ok: true, buoy, mark, words: 'ice', signal: { words: 'ice' } });
  });
});

describe('one of several codes of errors', () => {
  const whole = object({ ok: OK, signal: ref('Signal') }, 'ok', 'signal');
  it.each([
    [['signal_not_found', 'buoy_not_found'], 'buoy_not_found'],
    [['buoy_not_found', 'not_found'], 'not_found'],
    [['no_words', 'crew_not_found', 'mast_not_found'], 'crew_not_found'],
  ])('of %j is the exact one, else that which names what was not found, else the first: %s', async (codes, wanted) => {
    const shop = await openShop({ spec: createBuoys(whole, ...codes), ...CLOSED });
    const { status, body } = await shop.send('POST', '/signals.send', { buoy: 'none', words: 'fog' });
    expect([status, body]).toEqual([200, { ok: false, error: wanted }]);
  });
});

describe('API keys', () => {
  const Reading = object({ id: TEXT, depth: TEXT }, 'id');
  const createSpec = (body: Part): ReturnType<typeof toDocument> =>
    toDocument(
      { '/readings': { get: shows(arrayOf(ref('Reading'))), post: takes(body, ref('Reading'), 201) } },
      { Reading },
      {
        security: [{ stationId: [], pass: [] }],
        components: {
          schemas: { Reading },
          securitySchemes: {
            stationId: { type: 'apiKey', in: 'header', name: 'X-Station' },
            pass: { type: 'apiKey', in: 'header', name: 'X-Pass' },
          },
        },
      },
    );
  const optional = object({ station_id: TEXT, pass: TEXT, depth: TEXT });
  const post = async (body: Part, sent: Part, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await (await openShop({ spec: createSpec(body) })).send('POST', '/readings', sent, headers)).status;

  it('can be in optional properties of the body with the names of their schemes', async () => {
    expect(await post(optional, { station_id: 's', pass: 'p' })).toBe(201);
    expect(await post(optional, { pass: 'p' }, { 'x-station': 's' })).toBe(201);
    expect(await post(optional, {}, { 'x-station': 's', 'x-pass': 'p' })).toBe(201);
    expect(await post(optional, { station_id: 's' })).toBe(401);
    expect(await post(optional, {})).toBe(401);
    expect(await post(optional, { station_id: 's', pass: '' })).toBe(401);
  });

  it('are checked like those in headers', async () => {
    const shop = await openShop({ spec: createSpec(optional), auth: { tokens: ['right'] } });
    expect((await shop.send('POST', '/readings', { station_id: 'right', pass: 'right' })).status).toBe(201);
    expect((await shop.send('POST', '/readings', { station_id: 'right', pass: 'wrong' })).status).toBe(401);
  });

  it('are in headers where the property is required, which is what the operation is about', async () => {
    const required = object({ station_id: TEXT, pass: TEXT }, 'station_id', 'pass');
    expect(await post(required, { station_id: 's', pass: 'p' })).toBe(401);
  });
});

it('a token in the query is not taken for a filter without effect', async () => {
  const Reading = object({ id: TEXT }, 'id');
  const paths = {
    '/readings': { get: { parameters: [query('token'), query('tide')], ...shows(arrayOf(ref('Reading'))) } },
  };
  const { send } = await openShop({
    spec: toDocument(
      {
        ...paths,
        '/readings/{id}': {
          get: { parameters: [{ name: 'id', in: 'path', required: true, schema: TEXT }], ...shows(ref('Reading')) },
        },
      },
      { Reading },
    ),
  });
  expect((await send('GET', '/readings?token=t')).headers.get('x-mock-ignored')).toBeNull();
  expect((await send('GET', '/readings?token=t&tide=low')).headers.get('x-mock-ignored')).toBe('tide');
});

describe('a form of Swagger 2.0', () => {
  const createSpec = (...consumes: readonly string[]): object => ({
    swagger: '2.0',
    info: { title: 'Test', version: '1' },
    paths: {
      '/notes': {
        post: {
          consumes,
          parameters: [{ name: 'words', in: 'formData', type: 'string', required: true }],
          responses: { 200: { description: 'ok', schema: object({ words: TEXT }, 'words') } },
        },
      },
    },
  });
  const post = async (body: unknown, ...consumes: readonly string[]): Promise<number> =>
    (await (await openShop({ spec: createSpec(...consumes) as never })).send('POST', '/notes', body)).status;

  it('is also taken as JSON where both are consumed', async () => {
    const both = ['application/x-www-form-urlencoded', 'application/json'];
    expect(await post({ words: 'fog' }, ...both)).toBe(200);
    expect(await post(new URLSearchParams({ words: 'fog' }), ...both)).toBe(200);
    expect(await post({}, ...both)).toBe(400);
  });

  it('is not where only JSON is consumed, as documents say that do not mean their forms', async () => {
    expect(await post(new URLSearchParams({ words: 'fog' }), 'application/json')).toBe(200);
    expect(await post({ words: 'fog' }, 'application/json')).toBe(415);
  });
});
