// @module-tag slow
// Errors that a recording shows, as rules of the promoted mock: for values that were not recorded.
import { expect, it } from 'vitest';
import { arrayOf, INTEGER, inPath, json, object, ref, TEXT, toDocument } from '../document-parts.js';
import { type Ask, describeDifferences, openTwin, recordAndPromote } from './promoted.js';
import type { Intercept } from './upstream.js';

const takes = (schema: object): object => ({ requestBody: { content: { 'application/json': { schema } } } });
const DOCUMENT = {
  ...toDocument(
    {
      '/shelves': {
        get: { responses: { 200: json(arrayOf(ref('Shelf'))) } },
        post: {
          ...takes(object({ name: TEXT, size: INTEGER, note: TEXT }, 'name')),
          responses: { 201: json(ref('Shelf')) },
        },
      },
      '/shelves/{name}': {
        ...inPath('name'),
        get: { responses: { 200: json(ref('Shelf')), 404: json(object({ message: TEXT })) } },
        put: { ...takes(object({ size: INTEGER })), responses: { 200: json(ref('Shelf')) } },
        delete: { responses: { 204: { description: 'gone' } } },
      },
    },
    { Shelf: object({ name: TEXT, size: INTEGER, note: TEXT }) },
    { servers: [{ url: '/v1' }], security: [{ key: [] }] },
  ),
};
const SECURED = {
  ...DOCUMENT,
  components: { ...(DOCUMENT['components'] as object), securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
};

type Shelf = Readonly<Record<string, unknown>>;
type ToError = (status: number, message: string, name: string) => readonly [type: string, body: string];

/** A server of shelves whose errors have one form; it refuses notes with a colon. */
function createServer(toError: ToError): Intercept {
  const shelves = new Map<string, Shelf>();
  const answer = (
    method: string,
    name: string,
    sent: Shelf | undefined,
  ): readonly [number, string | Shelf | readonly Shelf[]] => {
    if (method === 'POST' && sent !== undefined) {
      const key = String(sent['name']);
      if (sent['name'] === undefined) return [422, 'the member name is missing'];
      if (String(sent['note']).includes(':')) return [422, 'the note is not good'];
      if (shelves.has(key)) return [409, `a shelf ${key} exists`];
      shelves.set(key, { size: 1, ...sent });
      return [201, { size: 1, ...sent }];
    }
    const found = shelves.get(name);
    if (name === '') return [200, [...shelves.values()]];
    return found === undefined ? [404, `nothing is called ${name}`] : [200, found];
  };
  return ({ method, url, body, headers }, response) => {
    const name = url.split('/')[3] ?? '';
    const sent = body.byteLength === 0 ? undefined : (JSON.parse(body.toString()) as Shelf);
    const isAnonymous = headers.authorization === undefined;
    const [status, out] = isAnonymous ? ([401, 'no key'] as const) : answer(method, name, sent);
    const given = sent?.['name'];
    const about = typeof given === 'string' ? given : name;
    const [type, text] =
      typeof out === 'string' ? toError(status, out, about) : ['application/json', JSON.stringify(out)];
    response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(text);
    return true;
  };
}

const post = (ask: Ask, body: object): Promise<Response> =>
  ask('/v1/shelves', { method: 'POST', body: JSON.stringify(body) });
const anonymous = { headers: { authorization: '' } };

/** The requests of one kind, with the name that they are about. */
const CALLS: readonly (readonly [what: string, status: number, call: (ask: Ask, name: string) => Promise<Response>])[] =
  [
    [
      'a duplicate',
      409,
      async (ask, name) => {
        await post(ask, { name, size: 3 });
        return post(ask, { name });
      },
    ],
    ['an unknown item', 404, (ask, name) => ask(`/v1/shelves/no-${name}`)],
    ['a missing member', 422, (ask, name) => post(ask, { note: `of ${name}` })],
    ['a client without credentials', 401, (ask, name) => ask(`/v1/shelves/${name}`, anonymous)],
  ];
/** What was not recorded: an operation on an unknown item. */
const REMOVE = (ask: Ask, name: string): Promise<Response> => ask(`/v1/shelves/${name}`, { method: 'DELETE' });

const FORMS: readonly (readonly [what: string, toError: ToError])[] = [
  ['text', (_, message) => ['text/plain', message]],
  ['JSON', (code, message) => ['application/json', JSON.stringify({ error: { code, message } })]],
  ['another JSON', (status, detail, item) => ['application/problem+json', JSON.stringify({ status, detail, item })]],
  ['no body', () => ['', '']],
];

it.each(FORMS)(
  'errors in %s are rules: other requests get the status, the media type and the form',
  async (_, toError) => {
    const outcome = await recordAndPromote(
      async (ask) => {
        await ask('/v1/shelves');
        for (const [, , call] of CALLS) await call(ask, 'alpha-7').then(async () => call(ask, 'beta'));
      },
      { document: SECURED, intercept: createServer(toError) },
    );
    expect(describeDifferences(outcome)).toEqual([]);
    const twin = await openTwin(outcome);
    const real = await recordAndPromote(
      async (ask) => {
        for (const [what, status, call] of CALLS) {
          const [wanted, given] = [await call(ask, 'gamma_9'), await call(twin, 'gamma_9')];
          const read = async (from: Response): Promise<unknown> => [
            from.status,
            from.headers.get('content-type')?.split(';')[0],
            await from.text(),
          ];
          expect(wanted.status, what).toBe(status);
          expect(await read(given), what).toEqual(await read(wanted));
        }
        const removed = await REMOVE(twin, 'delta');
        const [type, text] = toError(404, 'nothing is called delta', 'delta');
        expect([removed.status, removed.headers.get('content-type') ?? '', await removed.text()]).toEqual([
          404,
          type,
          text,
        ]);
      },
      { document: SECURED, intercept: createServer(toError) },
    );
    expect(real.answers.length).toBeGreaterThan(0);
  },
);

it('a refusal whose rule the document does not have is repeated for the same request, and the report says so', async () => {
  const outcome = await recordAndPromote(
    async (ask) => {
      await post(ask, { name: 'a1', note: 'plain' });
      await post(ask, { name: 'a2', note: 'a: b' });
    },
    {
      document: SECURED,
      intercept: createServer((code, message) => ['application/json', JSON.stringify({ code, message })]),
    },
  );
  expect(outcome.answers.map(({ verdict, why }) => [verdict, ...why])).toEqual([
    ['right'],
    ['right', 'rule not learned: only requests like this one are refused'],
  ]);
  const twin = await openTwin(outcome);
  expect((await post(twin, { name: 'a2', note: 'a: b' })).status).toBe(422);
  expect((await post(twin, { name: 'a3', note: 'plain' })).status).toBe(201);
});

it('an unknown item is not found where the recording shows nothing else of its collection', async () => {
  const outcome = await recordAndPromote((ask) => ask('/v1/shelves/none'), {
    document: SECURED,
    intercept: createServer((_, message) => ['text/plain', message]),
  });
  const twin = await openTwin(outcome);
  const other = await twin('/v1/shelves/other');
  expect([other.status, await other.text()]).toEqual([404, 'nothing is called other']);
});
