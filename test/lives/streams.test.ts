import { describe, expect, it } from 'vitest';
import { content, inPath, query, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop } from '../state/shop.js';

const schemas = {
  Verse: object({ id: TEXT, text: TEXT }, 'id', 'text'),
  Tally: object({ kind: { const: 'tally' }, total: INTEGER }, 'kind', 'total'),
  Line: object({ kind: { const: 'line' }, text: TEXT }, 'kind', 'text'),
};
const EVENTS = 'text/event-stream';
const inJson = (schema: object): Part => ({ ...TEXT, contentMediaType: 'application/json', contentSchema: schema });

/** An operation that is asked for a stream by its body. */
const poem = (...contents: readonly Part[]): Part => ({
  ...sends(object({ about: TEXT, stream: BOOLEAN })),
  responses: { 200: { description: 'ok', content: Object.assign({}, ...contents) as Part } },
});
const toPoems = (operation: Part): ReturnType<typeof toDocument> =>
  toDocument({ '/poems': { post: operation } }, schemas, { openapi: '3.2.0' });

interface Field {
  readonly name: string;
  readonly value: string;
}

/** The fields of each event. */
async function readEvents(
  spec: ReturnType<typeof toDocument>,
  path = '/poems',
  body: object = { about: 'rain', stream: true },
): Promise<readonly (readonly Field[])[]> {
  const { mock } = await openShop({ spec });
  const response = await mock.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.headers.get('content-type')).toBe(EVENTS);
  const events = (await response.text()).trimEnd().split('\n\n');
  return events.map((event) =>
    event.split('\n').map((line) => ({ name: line.replace(/:.*/, ''), value: line.replace(/^\w+: /, '') })),
  );
}

const readData = (events: readonly (readonly Field[])[]): readonly unknown[] =>
  events.map((event) => JSON.parse(event.find(({ name }) => name === 'data')?.value ?? 'null') as unknown);
const VERSE = { id: expect.any(String) as string, text: expect.any(String) as string };
const whole = content(ref('Verse'));

describe('a schema of whole events', () => {
  it.each([
    ['data alone', { schema: object({ data: ref('Verse') }, 'data') }],
    ['data alone, by itemSchema', { itemSchema: object({ data: ref('Verse') }) }],
    ['data and id', { schema: object({ id: TEXT, data: ref('Verse') }, 'data') }],
    ['data as text with a schema', { itemSchema: object({ event: TEXT, data: inJson(ref('Verse')) }) }],
  ])('%s: the line "data" is the JSON of a chunk', async (_, media) => {
    const chunks = readData(await readEvents(toPoems(poem(whole, { [EVENTS]: media }))));
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) expect(chunk).toEqual(VERSE);
  });

  it('is followed where no other type shows the whole', async () => {
    const media = { itemSchema: object({ data: inJson(ref('Verse')) }, 'data') };
    for (const chunk of readData(await readEvents(toPoems(poem({ [EVENTS]: media }))))) expect(chunk).toEqual(VERSE);
  });

  it('has the fields that it requires or has values for; any other type is "message"', async () => {
    const fields = { event: TEXT, id: TEXT, retry: INTEGER, data: ref('Verse') };
    const free = await readEvents(toPoems(poem(content(object(fields, 'event', 'data'), EVENTS))));
    expect(free[0]?.map(({ name }) => name)).toEqual(['event', 'data']);
    expect(free[0]?.[0]?.value).toBe('message');
    const named = { ...fields, event: { ...TEXT, enum: ['verse'] } };
    const given = await readEvents(toPoems(poem(whole, content(object(named, 'id', 'data'), EVENTS))));
    expect(given.map(([event]) => event?.value)).toEqual(given.map(() => 'verse'));
    expect(new Set(given.map((event) => event[1]?.value)).size).toBe(given.length);
  });

  it('keeps the marker of the end beside data that is an object', async () => {
    const operation = {
      ...poem(whole, content(object({ data: ref('Verse') }), EVENTS)),
      description: 'Ends with `data: [DONE]`.',
    };
    const events = await readEvents(toPoems(operation));
    expect(events.at(-1)).toEqual([{ name: 'data', value: '[DONE]' }]);
  });

  it('of several types has the data of each', async () => {
    const union = content(object({ data: { oneOf: [ref('Line'), ref('Tally')] } }, 'data'), EVENTS);
    const events = await readEvents(toPoems(poem(union)));
    expect(readData(events)).toMatchObject([{ kind: 'line' }, { kind: 'tally' }]);
  });

  it('that only its alternatives name types for completes each type (OpenAPI 3.2, Server-Sent Event Streams)', async () => {
    const itemSchema = {
      ...object({ event: TEXT, data: TEXT }, 'event'),
      oneOf: [
        { properties: { event: { const: 'word' } } },
        { properties: { event: { const: 'verse' }, data: inJson(ref('Verse')) } },
      ],
    };
    const events = await readEvents(toPoems(poem({ [EVENTS]: { itemSchema } })));
    expect(events.map((event) => event.map(({ name }) => name))).toEqual([
      ['event', 'data'],
      ['event', 'data'],
    ]);
    expect(readData(events.slice(1))).toEqual([VERSE]);
  });

  it('does not apply to a schema with other properties, or one that the JSON has, too', async () => {
    const own = object({ data: TEXT, text: TEXT }, 'data', 'text');
    expect(readData(await readEvents(toPoems(poem(content(own, EVENTS)))))[0]).toHaveProperty('text');
    const envelope = object({ data: ref('Verse') }, 'data');
    const shared = await readEvents(toPoems(poem(content(envelope), content(envelope, EVENTS))));
    expect(readData(shared)[0]).toEqual({ data: VERSE });
  });
});

it('a string with contentSchema holds JSON that fits it', async () => {
  const spec = toDocument(
    { '/crates/{id}': { ...inPath('id'), get: shows(object({ label: inJson(ref('Verse')) })) } },
    schemas,
  );
  const { send } = await openShop({ spec, state: false });
  const { body } = await send('GET', '/crates/1');
  expect(JSON.parse(String(body['label']))).toEqual(VERSE);
});

describe('path keys that differ after their #', () => {
  const variant = (isStream: boolean, type: string): Part => ({
    post: {
      ...sends(object({ about: TEXT, stream: { ...BOOLEAN, enum: [isStream], default: isStream } }, 'about')),
      responses: { 200: { description: 'ok', content: content(ref('Verse'), type) } },
    },
  });
  const spec = toDocument(
    { '/poems': variant(false, 'application/json'), '/poems#stream': variant(true, EVENTS) },
    schemas,
  );

  it('are chosen by what the body has', async () => {
    expect(readData(await readEvents(spec))[0]).toEqual(VERSE);
    const { send } = await openShop({ spec });
    expect((await send('POST', '/poems', { about: 'rain', stream: false })).body).toEqual(VERSE);
    expect((await send('POST', '/poems', { about: 'rain' })).body).toEqual(VERSE);
    expect((await send('POST', '/poems', { stream: true })).status).toBe(400);
  });
});

it('a path key that has a member of the body after its # is chosen by that member, also for an invalid body', async () => {
  const named = (size: Part): Part => ({
    post: { ...sends(object({ method: TEXT, size }, 'method', 'size')), ...shows(ref('Verse')) },
  });
  const spec = toDocument(
    { '/poems': named(TEXT), '/poems#method=add': named(INTEGER), '/poems#method=toString': named(BOOLEAN) },
    schemas,
  );
  const { send } = await openShop({ spec, state: false });
  const statusOf = async (method: unknown, size: unknown): Promise<number> =>
    (await send('POST', '/poems', { method, size })).status;
  expect(await Promise.all([statusOf('add', 1), statusOf('add', 'a'), statusOf('toString', true)])).toEqual([
    200, 400, 200,
  ]);
  expect(await Promise.all([statusOf('other', 'a'), statusOf('other', 1)])).toEqual([200, 400]);
});

describe('a list that is also a stream', () => {
  const Boat = object({ id: TEXT, name: TEXT }, 'id', 'name');
  const list = (item: object): ReturnType<typeof toDocument> =>
    toDocument({
      '/boats': {
        get: {
          parameters: [query('watch', BOOLEAN)],
          responses: {
            200: {
              description: 'ok',
              content: { ...content(object({ boats: arrayOf(Boat) })), ...content(item, 'application/x-ndjson') },
            },
          },
        },
        post: takes(object({ name: TEXT }), Boat, 201),
      },
      '/boats/{id}': { ...inPath('id'), get: shows(Boat) },
    });

  it.each([
    ['as they are', Boat, (boat: Part) => boat],
    [
      'in events of the first kind',
      object({ type: { ...TEXT, enum: ['ADDED', 'REMOVED'] }, boat: Boat }, 'type', 'boat'),
      (boat: Part) => ({ type: 'ADDED', boat }),
    ],
  ])('is asked for by "watch" and shows its items %s', async (_, schema, toEvent) => {
    const { mock, send } = await openShop({ spec: list(schema) });
    const { body: boat } = await send('POST', '/boats', { name: 'Petrel' });
    const streamed = await mock.fetch('/boats?watch=true');
    expect(streamed.headers.get('content-type')).toBe('application/x-ndjson');
    expect(JSON.parse(await streamed.text())).toEqual(toEvent(boat));
    expect((await send('GET', '/boats')).body).toEqual({ boats: [boat] });
  });
});
